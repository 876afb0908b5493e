"""Covariates as typed columns, and a cache of the designs (cells and regression basis) made from them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, FloatArray, Int32Array
from bychance.columns import Column, coded, codes_of, numbers_of, shared_rows
from bychance.covariates.cells import with_few_values
from bychance.covariates.design import (
    Design,
    make_design,
    to_unit_range,
)
from bychance.covariates.residual_columns import ResidualColumns, residualized
from bychance.covariates.residual_tests import WIDTH, ResidualTests, columns_to_test, is_finer_better
from bychance.covariates.settings import as_given
from bychance.errors import BychanceError, BychanceWarning
from bychance.io.infer import read_argument
from bychance.kinds import Kind
from bychance.measures.base import Values
from bychance.messages import Option
from bychance.names import count_of, in_words

__all__ = ["Covariates", "read_covariates"]


_SAME = 1e-9  # largest difference of equal columns scaled to [0, 1], from converting units (rounding; taste)
_MAX_HELD = 64  # cached objects, such as designs, per set of covariates (memory; taste)
_MAX_HELD_VALUES = 1 << 24  # cached residuals per set of rows: 128 MiB of doubles (memory; taste)
_LOCK = RLock()  # threads share the covariates of a ranking


@dataclass(frozen=True, eq=False)
class Covariates:
    """Covariate columns, how to control for them (`control`, `effect`), and a cache of their designs."""

    columns: tuple[Column, ...]
    control: str
    effect: str
    _held: dict[tuple[str, bytes], Any] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs, without the cached designs, which other processes compute again."""
        return Covariates, (self.columns, self.control, self.effect)

    def in_words(self) -> str:
        """Return a phrase with names of covariates and number of cells, such as "beyond site, 12 cells"."""
        beyond = f"beyond {in_words(self.names)}"
        if not len(self.columns[0]):
            return beyond
        style = self.control if self.effect == "common" else "strata"
        n_cells = self.design(style, self.shared_rows()).n_cells
        return f"{beyond}, {count_of(n_cells, 'cell')}"

    @property
    def makes_only_cells(self) -> bool:
        """Return True if covariates only divide the rows into cells, and no regression is taken out."""
        return self.control == "strata" or (self.control == "smooth" and not self.n_numeric)

    @property
    def n_numeric(self) -> int:
        """Number of numeric covariates, not counting those with few values, which form cells."""
        is_number = [column.kind is Kind.NUMERIC for column in self.columns]
        return sum(is_number) if self.control == "linear" else sum(is_number) - len(self._valued)

    @property
    def may_remain_in_residuals(self) -> bool:
        """Return True if residuals may still depend on the covariates: if any is a number, not a category."""
        return self.n_numeric > 0 or self.control == "linear"

    @property
    def styles(self) -> tuple[str, ...]:
        """Names of the covariate designs to try for a pair, from the default to the smallest cells."""
        if self.control != "smooth" or not self.n_numeric:
            return (self.control,)
        return ("smooth", "finer", "finest") if self.n_numeric == 1 else ("smooth", "finer")

    @cached_property
    def _valued(self) -> frozenset[str]:
        """Names of numeric covariates with so few distinct values that they are treated as categories."""
        rows = self.shared_rows()
        n = self.n_rows(rows)
        numeric = [column for column in self.columns if column.kind is Kind.NUMERIC]
        if not n or not numeric:
            return frozenset()
        labels = [codes_of(column, rows) for column in self.columns if column.kind is Kind.CATEGORICAL]
        are_few = with_few_values(labels, [numbers_of(column, rows, "given") for column in numeric], n)
        return frozenset(column.name for column, is_few in zip(numeric, are_few, strict=True) if is_few)

    def at(self, rows: NDArray[Any]) -> Covariates:
        """Return the covariates on a subset of the rows."""
        return Covariates(tuple(column.at(rows) for column in self.columns), self.control, self.effect)

    def shared_rows(self, *columns: Column) -> BoolArray | None:
        """Return a mask of the rows in which no covariate and none of the columns is missing, or None."""
        return shared_rows(*columns, *self.columns)

    def n_rows(self, rows: BoolArray | None) -> int:
        """Count the rows of a mask, of which None has all."""
        return len(self.columns[0]) if rows is None else int(rows.sum())

    def design(self, style: str, rows: BoolArray | None) -> Design:
        """Return the cells and regression basis of a style such as "smooth" for a row mask, cached."""
        design: Design = self._once(style, rows, lambda: self._make_design(style, rows))
        return design

    def _make_design(self, style: str, rows: BoolArray | None, width: int = 1) -> Design:
        return make_design(style, *self._distinct(rows, are_valued=style != "linear"), width)

    def residual_tests(self, style: str, rows: BoolArray | None) -> ResidualTests:
        """Return tests if residuals in the design `style` still depend on the covariates, cached."""

        def make() -> ResidualTests:
            labels, numbers, _ = self._distinct(rows)
            if style == "linear":
                fine, coarse = self.design("smooth", rows), self.design("linear", rows)
            else:
                fine, coarse = self.design(style, rows), self._make_design(style, rows, WIDTH)
            return ResidualTests.of(fine, coarse, labels, numbers)

        tests: ResidualTests = self._once(f"tests {style}", rows, make)
        return tests

    def fitting_style(self, rows: BoolArray | None, x: Values, y: Values, *, are_ranks: bool) -> str:
        """Return the name of the coarsest design whose confounding of x and y no finer one reduces."""
        first, second = (columns_to_test(v, are_ranks) if len(self.styles) > 1 else None for v in (x, y))
        for coarse, fine in pairwise(self.styles):
            if first is None or second is None:
                return coarse
            if not is_finer_better(self.design(coarse, rows), self.design(fine, rows), first, second):
                return coarse
        return self.styles[-1]

    def still_shows_in(
        self, column: Column, values: Values, rows: BoolArray | None, style: str, *, are_ranks: bool
    ) -> bool:
        """Return True if residuals of a column still depend on the covariates, cached per set of rows."""
        known: dict[tuple[str, str], bool] = self._once(f"follows {style} {are_ranks}", rows, dict)
        key = column.name, values.dtype.kind
        if key not in known:
            columns = columns_to_test(values, are_ranks)
            known[key] = columns is not None and bool(
                self.residual_tests(style, rows).follows(columns, are_one=columns.shape[1] > 1)[0]
            )
        return known[key]

    def residuals_of(
        self, columns: Sequence[Column], rows: BoolArray | None, style: str, *, are_ranks: bool
    ) -> ResidualColumns:
        """Return residuals of numeric columns (or their ranks) on the covariates, cached per set of rows."""
        design, tests = self.design(style, rows), self.residual_tests(style, rows)
        positions, held = self._once(f"residuals {style} {are_ranks}", rows, lambda: ({}, []))

        def made(some: Sequence[Column]) -> ResidualColumns:
            values = [numbers_of(column, rows, "given") for column in some]
            return residualized(values, design, tests, are_ranks=are_ranks)

        with _LOCK:
            new = [column for column in columns if column.name not in positions]
            if design.n * (len(positions) + len(new)) > _MAX_HELD_VALUES:
                return made(columns)
            if new:
                held[:] = [ResidualColumns.joined([*held, made(new)])]
                positions.update({column.name: len(positions) + k for k, column in enumerate(new)})
            residuals: ResidualColumns = held[0].pick([positions[column.name] for column in columns])
        return residuals

    def _once(self, what: str, rows: BoolArray | None, make: Callable[[], Any]) -> Any:
        """Return the cached object named `what` for a row mask, or make and cache it."""
        key = what, b"" if rows is None else np.packbits(rows).tobytes()
        with _LOCK:
            if key not in self._held:
                if len(self._held) >= _MAX_HELD:
                    self._held.pop(next(iter(self._held)))
                self._held[key] = make()
            return self._held[key]

    def vary(self, rows: BoolArray | None) -> bool:
        """Return True unless all covariates are constant on the rows of the mask."""
        return bool(self._once("vary", rows, lambda: any(self._distinct(rows)[:2])))

    def _distinct(
        self, rows: BoolArray | None, *, are_valued: bool = True
    ) -> tuple[list[Int32Array], list[FloatArray], int]:
        """Return the covariates on a row mask as lists of category codes and of numbers, and the row count.

        Constant and repeated covariates are left out. Numbers with few values count as categories if
        `are_valued`, and come last.
        """
        n = self.n_rows(rows)
        labels, numbers, scaled, valued = list[Int32Array](), list[FloatArray](), list[FloatArray](), []
        for column in self.columns if n else ():
            if column.kind is Kind.CATEGORICAL:
                _add_codes(labels, codes_of(column, rows))
                continue
            values = numbers_of(column, rows, "given")
            unit = to_unit_range(values)
            if are_valued and column.name in self._valued:
                valued.append(coded(values))
            elif np.ptp(unit) > 0 and not any(_is_repeated(unit, seen) for seen in scaled):
                numbers.append(values)
                scaled.append(unit)
        for codes in valued:
            _add_codes(labels, codes)
        return labels, numbers, n


def _add_codes(labels: list[Int32Array], codes: Int32Array) -> None:
    """Append a column of category codes to the list, unless it is constant or in the list already."""
    if int(codes.max()) > 0 and not any(np.array_equal(codes, seen) for seen in labels):
        labels.append(codes)


def _is_repeated(values: FloatArray, seen: FloatArray) -> bool:
    """Return True if two columns, both scaled to [0, 1], are equal or mirrored, as °C and °F are."""
    return any(np.allclose(values, other, rtol=0, atol=_SAME) for other in (seen, 1 - seen))


def read_covariates(given: Any, n_rows: int) -> Covariates:
    """Read the covariates passed to `adjust` or `measure`, and check their lengths."""
    settings = as_given(given)
    read = _columns(settings.columns)
    if not read:
        raise BychanceError(Option("given") + " must hold at least one column, got none.", "given")
    for _, said in read:
        if said:
            warnings.warn(said, BychanceWarning, stacklevel=5)
    for column, _ in read:
        if len(column) != n_rows:
            raise BychanceError(
                Option("given")
                + f" must have one entry per row ({n_rows}), got {len(column)} in {column.name!r}.",
                "given",
            )
    return Covariates(tuple(column for column, _ in read), settings.control, settings.effect)


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
    """Read a column, named by its own `name` attribute or else by the argument `name`."""
    own = getattr(values, "name", None)
    column, said = read_argument(values, "given")
    return replace(column, name=own if isinstance(own, str) and own else name), said
