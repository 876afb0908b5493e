"""Covariates as typed columns, and the design that they make on the rows of a pair."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, coded, codes_of, numbers_of
from bychance.errors import BychanceError, BychanceWarning
from bychance.given.cells import Codes
from bychance.given.design import Design, linear_design, smooth_design, strata_design, to_unit_range
from bychance.given.few_values import with_few_values
from bychance.given.finer import finer_design, finest_design
from bychance.given.leftover import WIDTH, Leftover
from bychance.given.lines import Lines, lines_of
from bychance.given.settings import as_given
from bychance.io.infer import read_argument
from bychance.kinds import Kind
from bychance.messages import Option
from bychance.names import count_of, in_words

__all__ = ["Covariates", "read_covariates"]

Rows = NDArray[np.bool_]

_DESIGNS = {
    "smooth": smooth_design,
    "finer": finer_design,
    "finest": finest_design,
    "strata": strata_design,
}
_SAME = 1e-9  # what the rounding of units may leave between two columns from 0 to 1
_MAX_HELD = 64
_MAX_HELD_VALUES = 1 << 24  # of residualized columns, for one set of rows
_LOCK = RLock()  # threads share the covariates of a ranking


@dataclass(frozen=True, eq=False)
class Covariates:
    """The columns to look beyond, how, and the designs already made, by rows in use."""

    columns: tuple[Column, ...]
    control: str
    effect: str
    _held: dict[tuple[str, bytes], Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        """Without the designs, which other processes make anew."""
        return Covariates, (self.columns, self.control, self.effect)

    def in_words(self) -> str:
        """What was controlled, and by how many cells where no more rows are missing."""
        beyond = f"beyond {in_words(self.names)}"
        if not len(self.columns[0]):
            return beyond
        style = self.control if self.effect == "common" else "strata"
        n_cells = len(self.design(style, self.shared_rows(None)).cells)
        return f"{beyond}, {count_of(n_cells, 'cell')}"

    @property
    def makes_only_cells(self) -> bool:
        """Whether nothing but cells is taken out, so that permutation leaves residuals as they are."""
        return self.control == "strata" or (self.control == "smooth" and not self.n_numeric)

    @property
    def n_numeric(self) -> int:
        """How many columns are numeric, without those that are taken as their values."""
        is_number = [column.kind is Kind.NUMERIC for column in self.columns]
        return sum(is_number) if self.control == "linear" else sum(is_number) - len(self._valued)

    @property
    def can_leave_something(self) -> bool:
        """Return True unless all covariates are crossed categories, within which nothing of them is left."""
        return self.n_numeric > 0 or self.control == "linear"

    @property
    def styles(self) -> tuple[str, ...]:
        """The designs that a pair may take, the default first; each is finer than the one before."""
        if self.control != "smooth" or not self.n_numeric:
            return (self.control,)
        return ("smooth", "finer", "finest") if self.n_numeric == 1 else ("smooth", "finer")

    @cached_property
    def _valued(self) -> frozenset[str]:
        """The numeric columns of few values, on the rows that have every covariate."""
        rows = self.shared_rows(None)
        n = len(self.columns[0]) if rows is None else int(rows.sum())
        numeric = [column for column in self.columns if column.kind is Kind.NUMERIC]
        if not n or not numeric:
            return frozenset()
        labels = [codes_of(column, rows) for column in self.columns if column.kind is Kind.CATEGORICAL]
        are_few = with_few_values(labels, [numbers_of(column, rows, "given") for column in numeric], n)
        return frozenset(column.name for column, is_few in zip(numeric, are_few, strict=True) if is_few)

    @property
    def is_missing(self) -> Rows | None:
        """Rows that lack any of the columns; None where nothing is missing."""
        masks = [column.is_missing for column in self.columns if column.is_missing is not None]
        return np.logical_or.reduce(masks) if masks else None

    def at(self, rows: NDArray[Any]) -> Covariates:
        """The same on some of the rows."""
        return Covariates(tuple(column.at(rows) for column in self.columns), self.control, self.effect)

    def shared_rows(self, rows: Rows | None) -> Rows | None:
        """Those of the rows that have every covariate too."""
        is_missing = self.is_missing
        if is_missing is None:
            return rows
        return ~is_missing if rows is None else rows & ~is_missing

    def design(self, style: str, rows: Rows | None) -> Design:
        """What is controlled on these rows: "smooth", a finer one, "linear" or "strata"."""
        design: Design = self._once(style, rows, lambda: self._make_design(style, rows))
        return design

    def _make_design(self, style: str, rows: Rows | None, width: int = 1) -> Design:
        if style == "linear":
            return linear_design(*self._distinct(rows, are_valued=False))
        return _DESIGNS[style](*self._distinct(rows), width)

    def leftover(self, style: str, rows: Rows | None) -> Leftover:
        """The tests of what this design leaves on these rows; of "linear" beside the default design."""
        made: Leftover = self._once(f"leftover {style}", rows, lambda: self._make_leftover(style, rows))
        return made

    def _make_leftover(self, style: str, rows: Rows | None) -> Leftover:
        labels, numbers, _ = self._distinct(rows)
        if style == "linear":
            return Leftover.of(self.design("smooth", rows), self.design("linear", rows), labels, numbers)
        return Leftover.of(self.design(style, rows), self._make_design(style, rows, WIDTH), labels, numbers)

    def lines(self, columns: Sequence[Column], rows: Rows | None, style: str, *, are_ranks: bool) -> Lines:
        """Numeric columns, or their ranks, less what is controlled on these rows; each is made once."""
        design, leftover = self.design(style, rows), self.leftover(style, rows)
        positions, held = self._once(f"lines {style} {are_ranks}", rows, lambda: ({}, []))

        def made(some: Sequence[Column]) -> Lines:
            values = [numbers_of(column, rows, "given") for column in some]
            return lines_of(values, design, leftover, are_ranks=are_ranks)

        with _LOCK:
            new = [column for column in columns if column.name not in positions]
            if design.n * (len(positions) + len(new)) > _MAX_HELD_VALUES:
                return made(columns)
            if new:
                held[:] = [held[0].with_more(made(new)) if held else made(new)]
                positions.update({column.name: len(positions) + k for k, column in enumerate(new)})
            lines: Lines = held[0].pick([positions[column.name] for column in columns])
        return lines

    def _once(self, what: str, rows: Rows | None, make: Callable[[], Any]) -> Any:
        """What was made for these rows before, or is made now; the oldest makes room."""
        key = what, b"" if rows is None else np.packbits(rows).tobytes()
        with _LOCK:
            if key not in self._held:
                if len(self._held) >= _MAX_HELD:
                    self._held.pop(next(iter(self._held)))
                self._held[key] = make()
            return self._held[key]

    def vary(self, rows: Rows | None) -> bool:
        """Whether any of the columns has two values on these rows."""
        return bool(self._once("vary", rows, lambda: any(self._distinct(rows)[:2])))

    def _distinct(
        self, rows: Rows | None, *, are_valued: bool = True
    ) -> tuple[list[Codes], list[NDArray[np.float64]], int]:
        """Categories and numbers on these rows, in order, without constants and repetitions.

        Numbers of few values count as categories, after the others, unless told otherwise.
        """
        labels, numbers, scaled = list[Codes](), list[NDArray[np.float64]](), list[NDArray[np.float64]]()
        valued = list[Codes]()
        n = len(self.columns[0]) if rows is None else int(rows.sum())
        for column in self.columns if n else ():
            if column.kind is Kind.CATEGORICAL:
                codes = codes_of(column, rows)
                if int(codes.max()) > 0 and not any(np.array_equal(codes, seen) for seen in labels):
                    labels.append(codes)
                continue
            values = numbers_of(column, rows, "given")
            if are_valued and column.name in self._valued:
                valued.append(coded(values))
                continue
            unit = to_unit_range(values)
            if np.ptp(unit) > 0 and not any(_is_repeated(unit, seen) for seen in scaled):
                numbers.append(values)
                scaled.append(unit)
        for codes in valued:
            if int(codes.max()) > 0 and not any(np.array_equal(codes, seen) for seen in labels):
                labels.append(codes)
        return labels, numbers, n


def _is_repeated(values: NDArray[np.float64], seen: NDArray[np.float64]) -> bool:
    """Whether two columns from 0 to 1 differ by unit or direction at most, as °C and °F do."""
    return any(np.allclose(values, other, rtol=0, atol=_SAME) for other in (seen, 1 - seen))


def read_covariates(given: Any, n_rows: int) -> Covariates:
    """The covariates that `adjust` and `measure` were given, their lengths checked."""
    settings = as_given(given)
    read = _columns(settings.columns)
    if not read:
        raise BychanceError(Option("given") + " must hold at least one column, got none.", "given")
    for said in filter(None, (said for _, said in read)):
        warnings.warn(said, BychanceWarning, stacklevel=5)
    columns = tuple(column for column, _ in read)
    for column in columns:
        if len(column) != n_rows:
            raise BychanceError(
                Option("given")
                + f" must have one entry per row ({n_rows}), got {len(column)} in {column.name!r}.",
                "given",
            )
    return Covariates(columns, settings.control, settings.effect)


def _columns(source: Any) -> list[tuple[Column, str | None]]:
    if isinstance(source, Mapping):
        return [read_argument(values, str(name)) for name, values in source.items()]
    names = getattr(source, "column_names", None) or getattr(source, "columns", None)
    if names is not None and hasattr(source, "__getitem__"):
        return [read_argument(source[name], str(name)) for name in names]
    if isinstance(source, np.ndarray) and source.ndim == 2:
        return [_named(values, f"z{k}") for k, values in enumerate(source.T, start=1)]
    if isinstance(source, list | tuple) and source and all(map(_is_column, source)):
        return [_named(values, f"z{k}") for k, values in enumerate(source, start=1)]
    return [_named(source, "z")]


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def _named(values: Any, name: str) -> tuple[Column, str | None]:
    """The column under its own name, or under this one; errors speak of the argument."""
    own = getattr(values, "name", None)
    column, said = read_argument(values, "given")
    return replace(column, name=own if isinstance(own, str) and own else name), said
