"""r² of many pairs of numeric columns without missing values, by one matrix product of standardized columns.

Power sums of each column give its central moments. If these cancel (a column nearly constant, far from its
center), its pairs are computed directly from their rows. missing.py does the same for missing values.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, Memory, are_complete, numbers_of
from bychance.moments.column_pairs import ColumnPairs, in_runs
from bychance.nulls.statistics import PairStatistics, invariants_of_lines

__all__ = [
    "CHUNK_BYTES",
    "DISTINCT_LIMIT",
    "N_POWERS",
    "LineMoments",
    "LineProducts",
    "exact_numbers",
    "line_products",
    "moments_of",
    "on_rows_of_pairs",
    "products_of_lines",
    "room",
]

DISTINCT_LIMIT = 10  # distinct values of a column that are counted; validity rules ask for no more
N_POWERS = 6  # powers of values that are summed: the null's third moment needs the sixth (proof)
CHUNK_BYTES = 2**25  # bytes of rows that one matrix product takes, whatever the table's size (memory)
# Ratio of summed terms to their sum. With a larger one, rounding could show in the tenth digit.
MAX_CANCELLATION = 1e3
_MIN_SQUARES = 1e-40  # least sum of squares: pairs with a smaller one are computed from their rows (taste)
_ROW_NANOSECONDS = 12.5  # time per row of a pair that is computed from its rows (to divide work, no result)
_VALUES_AT_ONCE = 1 << 22  # values of columns that are copied to float64 at a time (memory)
_LISTED_BYTES = 2**20  # bytes of columns multiplied at a time: they stay in a core's cache (speed)
_ROOMS = threading.local()

Scalar = TypeVar("Scalar", bound=np.generic)


def line_products(pairs: ColumnPairs) -> LineProducts | None:
    """Compute sums of products of every x with every y, or return None if a value is missing.

    >>> from bychance.read_column import read_column
    >>> columns, one = [read_column(v, "v") for v in ([1.0, 2, 3, 4], [1.0, 3, 2, 4])], np.array([1])
    >>> rows = line_products(ColumnPairs(columns, columns, one - 1, one, Memory())).rows(one - 1, one)
    >>> rows.n, rows.value.round(3), rows.sign
    (array([4]), array([0.64]), array([1], dtype=int8))
    """
    return products_of_lines(pairs, "lines", UnitLines.of)


def products_of_lines(
    pairs: ColumnPairs, what: str, find: Callable[[Sequence[Column]], UnitLines]
) -> LineProducts | None:
    """Compute sums of products of the standardized columns that `find` makes of complete x and y.

    They are cached by the name `what`.
    """
    x, y, memory = pairs.x, pairs.y, pairs.memory
    if not (memory.of("complete", x, are_complete) and memory.of("complete", y, are_complete)):
        return None
    a, b = (memory.of(what, side, find, n_bytes=8 * len(side) * len(side[0].values)) for side in (x, y))
    return LineProducts.of(a, b, memory, is_listed=pairs.is_listed)


@dataclass(frozen=True, slots=True, eq=False)
class LineProducts:
    """Scaled numeric columns without missing values, and sums of products of every x with every y.

    The next products of this thread overwrite `sums`. None means that sums are computed for each listed
    pair.
    """

    x: UnitLines
    y: UnitLines
    n: int  # the rows of each column
    sums: FloatArray | None
    memory: Memory

    @classmethod
    def of(cls, x: UnitLines, y: UnitLines, memory: Memory, *, is_listed: bool = False) -> LineProducts:
        """Compute the sums of products of all pairs, or leave them to `rows` if pairs are listed."""
        return cls(x, y, len(x.numbers[0]), None if is_listed else cross_products(x, y, memory), memory)

    def rows(self, first: IndexArray, second: IndexArray) -> PairStatistics:
        """Compute r² and the inputs of its null for pairs at the positions `first` in x and `second` in y."""
        a, b, n = self.x, self.y, self.n
        r = self._correlations(first, second)
        forms, at = (a.invariants, b.invariants), (first, second)
        unsound = np.flatnonzero(~(a.is_sound[first] & b.is_sound[second]))
        if len(unsound) and n >= 3:
            pairs = a.columns, b.columns, first[unsound], second[unsound]
            figures = on_rows_of_pairs(_native.line_pairs, *pairs)
            r[unsound] = figures[:, 0]
            own = invariants_of_lines(figures[:, 1:4]), invariants_of_lines(figures[:, 4:7])
            at = first.copy(), second.copy()
            for places, known in zip(at, forms, strict=True):
                places[unsound] = len(known) + np.arange(len(unsound))
            forms = np.concatenate([forms[0], own[0]]), np.concatenate([forms[1], own[1]])
        is_degenerate = np.isnan(r) if n >= 3 else np.ones(len(r), dtype=np.bool_)
        r[is_degenerate] = 0.0
        distinct = np.empty((2, len(r)), dtype=np.int64)
        a.distinct.take(first, out=distinct[0])
        b.distinct.take(second, out=distinct[1])
        return PairStatistics(
            n=np.broadcast_to(np.int64(n), r.shape),
            value=np.minimum(r * r, 1.0),
            sign=np.sign(r).astype(np.int8),
            distinct=distinct,
            is_degenerate=is_degenerate,
            invariants=(forms[0], forms[1]),
            at=at,
        )

    def _correlations(self, first: IndexArray, second: IndexArray) -> FloatArray:
        a, b, n = self.x, self.y, self.n
        r: FloatArray
        if self.sums is None:
            r = listed_products(a, b, first, second, self.memory)
        else:
            r = self.sums[first, second]
        with np.errstate(divide="ignore", invalid="ignore"):
            r -= n * a.mean[first] * b.mean[second]
            r /= a.norm[first] * b.norm[second]
        return r


@dataclass(frozen=True, slots=True, eq=False)
class UnitLines:
    """Numeric columns without missing values, with scaling, mean, norm and permutation-invariant sums."""

    columns: Sequence[Column]
    numbers: list[NDArray[Any]]
    scalings: FloatArray
    mean: FloatArray
    norm: FloatArray
    invariants: FloatArray  # (columns, 8)
    is_sound: BoolArray
    distinct: IntArray
    native: _native.CompleteLines  # the same, as the kernels take it

    @classmethod
    def of(cls, columns: Sequence[Column]) -> UnitLines:
        """Scale the columns and compute their permutation-invariant sums."""
        numbers = [exact_numbers(column) for column in columns]
        n = len(numbers[0])
        distinct = np.full(len(columns), DISTINCT_LIMIT, dtype=np.int64)
        scalings, sums = np.empty((len(columns), 3)), np.empty((len(columns), N_POWERS))
        step = max(1, _VALUES_AT_ONCE // max(n, 1))
        for some in (slice(start, start + step) for start in range(0, len(columns), step)):
            values = [np.ascontiguousarray(column, dtype=np.float64) for column in numbers[some]]
            scalings[some] = _native.line_scalings(values)
            sums[some] = _native.line_sums(values, scalings[some])
            if n <= _native.FEW_ROWS:
                nothing, itself = [np.zeros(n, dtype=np.bool_)] * len(values), np.arange(len(values))
                distinct[some] = _native.distinct_pairs(values, nothing, itself, itself, DISTINCT_LIMIT)[:, 0]
        m = moments_of(sums.T[np.newaxis], np.float64(n))
        invariants = invariants_of_lines(np.column_stack([m.third[0], m.fourth[0], m.sixth[0]]))
        known = m.mean[0], m.norm[0], invariants, m.is_sound[0], distinct
        return cls(columns, numbers, scalings, *known, _native.CompleteLines(*known))

    def values(self, rows: slice) -> FloatArray:
        """Return the scaled values of a slice of rows, one array row per column."""
        n = rows.stop - rows.start
        lines = np.empty((len(self.numbers), n))
        values = [np.ascontiguousarray(numbers[rows], dtype=np.float64) for numbers in self.numbers]
        _native.scaled_lines(values, self.scalings, lines)
        return lines

    def all_values(self, memory: Memory) -> FloatArray:
        """Return the scaled values of all rows, computed once per list of columns."""
        n = len(self.numbers[0])
        n_bytes = 8 * n * len(self.numbers)
        return memory.of("z", self.columns, lambda _: self.values(slice(0, n)), n_bytes=n_bytes)


def cross_products(x: UnitLines, y: UnitLines, memory: Memory) -> FloatArray:
    """Compute the sum of products of scaled values for every column of x with every column of y."""
    n, n_x, n_y = len(x.numbers[0]), len(x.numbers), len(y.numbers)
    chunk = max(256, CHUNK_BYTES // (8 * (n_x + n_y)))
    if n <= chunk:
        return np.matmul(x.all_values(memory), y.all_values(memory).T, out=room("products", (n_x, n_y)))
    total, product = np.zeros((n_x, n_y)), np.empty((n_x, n_y))
    for start in range(0, n, chunk):
        rows = slice(start, min(start + chunk, n))
        a = x.values(rows)
        total += np.matmul(a, (a if y is x else y.values(rows)).T, out=product)
    return total


def listed_products(
    x: UnitLines, y: UnitLines, first: IndexArray, second: IndexArray, memory: Memory
) -> FloatArray:
    """Compute the sum of products of scaled values for each listed pair of columns."""
    a, b = x.all_values(memory), y.all_values(memory)
    products, size = np.empty(len(first)), max(1, _LISTED_BYTES // (8 * a.shape[1]))
    for start in range(0, len(first), size):
        some = slice(start, start + size)
        products[some] = np.einsum("ij,ij->i", a[first[some]], b[second[some]])
    return products


def room(what: str, shape: tuple[int, ...]) -> FloatArray:
    """Return an uninitialized array in this thread's reusable memory buffer, one buffer per name `what`.

    The next array of the same name overwrites it. New memory for each block would be handed out page by
    page, and threads would wait for each other.
    """
    size = math.prod(shape)
    held = getattr(_ROOMS, what, None)
    if held is None or len(held) < size:
        held = np.empty(size)
        setattr(_ROOMS, what, held)
    return held[:size].reshape(shape)


def exact_numbers(column: Column) -> NDArray[Any]:
    """Return a column's values as numbers that float64 keeps distinct. Missing values are arbitrary."""
    values, is_missing = column.values, column.is_missing
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return values
    if max(-int(values.min()), int(values.max())) <= 2**53:
        return values
    is_present = np.ones(len(values), dtype=np.bool_) if is_missing is None else ~is_missing
    numbers = np.zeros(len(values))
    numbers[is_present] = numbers_of(column, is_present, "r2")
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class LineMoments:
    """Mean, norm and higher standardized moments of numeric columns, for each set of rows.

    The standardized column c is centered and has norm 1.
    """

    mean: FloatArray
    norm: FloatArray
    third: FloatArray
    fourth: FloatArray
    sixth: FloatArray
    is_sound: BoolArray


def moments_of(sums: FloatArray, n: FloatArray | np.float64, most: float = MAX_CANCELLATION) -> LineMoments:
    """Compute standardized moments from power sums, and flag columns without harmful cancellation."""
    s1, s2, s3, s4, s5, s6 = (sums[:, power] for power in range(N_POWERS))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        m = s1 / n
        m2, size, m_squared = m * s1, np.abs(m), m * m
        square = s2 - m2
        third = s3 - 3 * m * s2 + 2 * m_squared * s1
        fourth = s4 - 4 * m * s3 + m_squared * (6 * s2 - 3 * m2)
        sixth = s6 - 6 * m * s5 + m_squared * (15 * s4 - 20 * m * s3 + m_squared * (15 * s2 - 5 * m2))
        # Sums of absolute third and fifth powers are at most these (Cauchy and Schwarz).
        a3, a5 = np.sqrt(s2 * s4), np.sqrt(s4 * s6)
        terms3 = a3 + 3 * size * s2 + 2 * m_squared * np.abs(s1)
        terms4 = s4 + 4 * size * a3 + m_squared * (6 * s2 + 3 * m2)
        terms6 = s6 + 6 * size * a5 + m_squared * (15 * s4 + 20 * size * a3 + m_squared * (15 * s2 + 5 * m2))
        norm = np.sqrt(square)
        is_sound = (
            (s2 > _MIN_SQUARES)
            & (s2 < most * square)
            & (terms3 < most * norm * np.sqrt(fourth))
            & (terms4 < most * fourth)
            & (terms6 < most * sixth)
        )
        return LineMoments(m, norm, third / (square * norm), fourth / square**2, sixth / square**3, is_sound)


def on_rows_of_pairs(
    kernel: Callable[..., NDArray[Scalar]], x: Sequence[Column], y: Sequence[Column], *at: IndexArray
) -> NDArray[Scalar]:
    """Apply a kernel to the values of each pair of columns, given by positions in x and y."""
    nothing = np.zeros(len(x[0].values), dtype=np.bool_)

    def on_rows(first: IndexArray, second: IndexArray) -> tuple[NDArray[Scalar]]:
        x_used, left = np.unique(first, return_inverse=True)
        y_used, right = np.unique(second, return_inverse=True)
        columns = [x[i] for i in x_used] + [y[j] for j in y_used]
        values = [np.ascontiguousarray(exact_numbers(column), dtype=np.float64) for column in columns]
        is_missing = [nothing if column.is_missing is None else column.is_missing for column in columns]
        return (kernel(values, is_missing, left, right + len(x_used)),)

    return in_runs(on_rows, (at[0], at[1]), _ROW_NANOSECONDS * len(nothing))[0]
