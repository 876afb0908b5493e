"""Two columns on the rows they share, prepared for a measure, its null and its adjustments.

In:  a measure and two columns.
Out: a Pair with its observed value, its upper bound and the algebraic forms of its measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar

import numpy as np

from bychance.array_types import BoolArray, Int32Array, IntArray
from bychance.columns import Column, Memory, codes_of, numbers_of, shared_codes_of, shared_rows
from bychance.intervals import Sample
from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values, is_built_in
from bychance.measures.structures import LINES, Structure, Trace
from bychance.names import count_of
from bychance.validation import finite_number

__all__ = [
    "Pair",
    "part_of_rows",
    "prepare_pair",
    "sample_of",
    "sign_of_levels",
    "takes_numbers",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pair:
    """Two columns on their shared rows, prepared for a measure. `x` and `y` are None if rows are too few.

    `asked_bound` replaces the measure's own bound, `root` seeds the samples, and `note` is a caveat about
    these rows.
    """

    measure: Measure[Any]
    columns: tuple[Column, Column]
    rows: BoolArray | None  # rows in use, None for all
    n: int
    x: Any
    y: Any
    asked_bound: float | str | None = None
    root: int = 0
    progress: bool = False
    note: str = ""
    of_rows: str = ""  # of how many rows these are a sample, as a part of the note
    device: str = "cpu"  # as `gpu.device.check_device` gives it
    too_few: str = ""  # why there are too few rows, if there are
    undetermined: str = ""  # why the covariates leave nothing to measure, if they leave nothing
    given: Any = None  # record of the covariates and their control, if there are any
    has_only_part: ClassVar[bool] = False  # True if the null can be sampled only on a part of the rows

    @property
    def names(self) -> tuple[str, str]:
        """Names of both columns, which also name the pair's random stream."""
        x, y = self.columns
        return x.name, y.name

    @property
    def cells(self) -> Int32Array | None:
        """Stratum number of each row, or None. Rows are permuted only within their stratum."""
        return getattr(self.measure, "strata", None)

    @property
    def is_degenerate(self) -> bool:
        """True if one column alone, such as a constant one, makes all permutations give the same value."""
        return bool(self.x.is_degenerate or self.y.is_degenerate)

    @cached_property
    def observed(self) -> float:
        """Raw value of the measure."""
        return float(self.measure.estimate(self.x, self.y))

    @cached_property
    def bound(self) -> float:
        """Largest value of the measure: its own bound, or the one that the caller set."""
        if self.asked_bound is None:
            return float(self.measure.default_bound(self.x, self.y))
        if isinstance(self.asked_bound, str):
            return float(self.measure.bound(self.x, self.y, self.asked_bound))
        return finite_number(self.asked_bound, "bound")

    @property
    def sign(self) -> int | None:
        """Direction of the relation (+1, −1 or 0), or None if the measure has none."""
        known = self.measure.sign(self.x, self.y)
        return sign_of_levels(self.measure, *self.columns, self.rows) if known is None else known

    def part(self, size: int) -> Pair | None:
        """Return the pair on `size` random rows, or None if it has no more rows than that.

        The sample is the same for all pairs with the same rows. There is none given covariates, whose design
        holds for all rows.
        """
        if self.n <= size or self.given is not None:
            return None
        return prepare_pair(
            self.measure,
            *self.columns,
            rows=part_of_rows(self.rows, len(self.columns[0]), self.root, size),
            bound=self.asked_bound,
            root=self.root,
            progress=self.progress,
        )

    @cached_property
    def structures(self) -> tuple[Structure, ...]:
        """Algebraic forms of the measure on this pair, from which nulls are derived."""
        return self.measure.structures(self.x, self.y)

    def sample(self) -> Sample:
        """Return both columns' values, to compute confidence limits from."""
        return sample_of(self.measure, *self.columns, self.rows, self.root)


def prepare_pair(
    measure: Measure[Any],
    x: Column,
    y: Column,
    memory: Memory | None = None,
    *,
    rows: BoolArray | None = None,
    bound: float | str | None = None,
    root: int = 0,
    progress: bool = False,
) -> Pair:
    """Prepare two columns for a measure, on the rows they share or on given rows.

    `memory` caches prepared columns for the next pairs, for one measure per combination of kinds.
    """
    rows = shared_rows(x, y) if rows is None else rows
    n, first, second = len(x) if rows is None else int(rows.sum()), None, None
    if memory is None or measure.needs_shared_labels or n < measure.min_n:
        values = _values(measure, x, y, rows)  # the wrong kind is an error on few rows too
        if n >= measure.min_n:
            first, second = (measure.prepare(v, role) for v, role in zip(values, Role, strict=True))
    else:
        as_numbers = takes_numbers(measure, x.kind, y.kind)
        first = _variable(measure, (x, y), Role.X, as_numbers[0], rows, memory)
        second = _variable(measure, (x, y), Role.Y, as_numbers[1], rows, memory)
    least = measure.min_n
    return Pair(
        measure=measure,
        columns=(x, y),
        rows=rows,
        n=n,
        x=first,
        y=second,
        asked_bound=bound,
        root=root,
        progress=progress,
        too_few=f"{count_of(n, 'shared row')}; {measure.name} needs {least}" if n < least else "",
    )


def sample_of(measure: Measure[Any], x: Column, y: Column, rows: BoolArray | None, seed: int) -> Sample:
    """Return a `Sample` of both columns' values on these rows, to compute confidence limits from."""
    return Sample(measure, *_values(measure, x, y, rows), seed)


def sign_of_levels(measure: Measure[Any], x: Column, y: Column, rows: BoolArray | None) -> int | None:
    """Return the sign of a relation with an ordered categorical column, read as its level numbers.

    It is None if neither column is ordered categorical, if one has no order, or if the measure has no
    direction.
    """
    form = measure.forms.get((Kind.NUMERIC, Kind.NUMERIC))
    is_directed = isinstance(form, Trace) and form.x in LINES and form.y in LINES
    if not (is_directed and (x.is_ordered or y.is_ordered) and x.has_order and y.has_order):
        return None
    first, second = (numbers_of(column, rows, measure.name) for column in (x, y))
    return measure.sign(measure.prepare(first, Role.X), measure.prepare(second, Role.Y))


def part_of_rows(rows: BoolArray | None, n: int, root: int, size: int) -> BoolArray:
    """Return a mask of `size` random rows out of `rows`. Pairs with the same rows get the same mask."""
    order = _shuffled(root, n)
    shared = order if rows is None else order[rows[order]]
    part = np.zeros(n, dtype=np.bool_)
    part[shared[:size]] = True
    return part


@lru_cache(maxsize=2)
def _shuffled(root: int, n: int) -> IntArray:
    """Return the row numbers 0 to n − 1 in the random order of a seed."""
    return np.random.default_rng([root, n]).permutation(n)


def _variable(
    measure: Measure[Any],
    columns: tuple[Column, Column],
    role: Role,
    as_numbers: bool,
    rows: BoolArray | None,
    memory: Memory,
) -> Any:
    """Return column x or y (by `role`) prepared for the measure, from the cache if possible."""
    column = columns[role is Role.Y]

    def find(column: Column) -> Any:
        return measure.prepare(_values_of(measure, column, role, as_numbers, rows), role)

    kinds = columns[0].kind, columns[1].kind
    what = kinds, None if measure.is_same_on_both_sides else role, as_numbers
    n_missing = 0 if column.is_missing is None else np.count_nonzero(column.is_missing)
    has_all_rows = rows is None or np.count_nonzero(rows) + n_missing >= len(rows)
    n_bytes = measure.n_bytes(len(column))
    # How much memory a measure that users wrote takes is a guess.
    if has_all_rows and is_built_in(type(measure)):
        return memory.of(what, column, find, n_bytes=n_bytes)
    return memory.on_rows(what, column, rows, find, n_bytes=n_bytes)


def takes_numbers(measure: Measure[Any], x: Kind, y: Kind) -> tuple[bool, bool]:
    """Return two flags, for x and y: True if the measure takes the column as numbers, not category codes."""
    kinds, is_numeric = measure.kinds, (x is Kind.NUMERIC, y is Kind.NUMERIC)
    if kinds is PairKind.ANY:
        return is_numeric
    if kinds is PairKind.MIXED:
        return (True, False) if is_numeric == (True, False) else (False, True)
    return (kinds is PairKind.NUMERIC,) * 2


def _values(measure: Measure[Any], x: Column, y: Column, rows: BoolArray | None) -> tuple[Values, Values]:
    """Return both columns' values on these rows, as the numbers or codes that the measure takes."""
    if measure.needs_shared_labels:
        return shared_codes_of(x, y, rows)
    as_numbers = takes_numbers(measure, x.kind, y.kind)
    first = _values_of(measure, x, Role.X, as_numbers[0], rows)
    return first, _values_of(measure, y, Role.Y, as_numbers[1], rows)


def _values_of(
    measure: Measure[Any], column: Column, role: Role, as_numbers: bool, rows: BoolArray | None
) -> Values:
    as_numbers = as_numbers or (column.is_ordered and role is Role.X and measure.bends_levels)
    return numbers_of(column, rows, measure.name) if as_numbers else codes_of(column, rows)
