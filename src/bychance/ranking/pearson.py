"""r² of many pairs of numeric columns at once, each on the rows that both columns have.

Power sums from matrix products give every pair's central moments. Where they cancel (a column nearly or
wholly constant on the shared rows, far from its center) the pair is computed directly from its rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.nulls.trust import FEW_ROWS
from bychance.ranking.power_sums import (
    N_POWERS,
    PowerSums,
    Scaled,
    cross_products,
    exact_numbers,
    listed_products,
    power_sums,
)
from bychance.ranking.side_memory import SideMemory, are_complete
from bychance.ranking.trace_rows import TraceRows

__all__ = [
    "DISTINCT_LIMIT",
    "LineFigures",
    "LineProducts",
    "figures_of_sums",
    "invariants_of",
    "line_figures",
    "line_products",
    "line_rows",
    "moments_of",
]

DISTINCT_LIMIT = 10
# Terms over their sum: beyond this, rounding of the terms could show in the tenth digit of the sum.
_MAX_CANCELLATION = 1e3
_MIN_SQUARES = 1e-40  # sums of squares below this have sixth powers that underflow
_ROW_PAIRS_PER_CALL = 2 * 10**7  # about a quarter of a second
_VALUES_AT_ONCE = 1 << 22  # of columns that may have to be copied

Indices = NDArray[np.intp]


def line_rows(
    x: Sequence[Column],
    y: Sequence[Column],
    first: Indices,
    second: Indices,
    memory: SideMemory | None = None,
    *,
    is_listed: bool = False,
) -> TraceRows:
    """The squared correlations of x[first[k]] and y[second[k]], with the invariants of both lines.

    Sums are made for all of x with all of y, so the pairs should be a good part of them: call it on blocks.
    Of complete columns they may be few where `is_listed`: then each pair has its own product.
    Distinct values are counted up to 10, and only for pairs of at most 200 rows; all others say 2 where the
    column has two values, else 10.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column(v, "v") for v in ([1.0, 2, 3, 4], [1.0, 3, 2, 4], [2.0, None, 1, 0])]
    >>> rows = line_rows(columns, columns, np.array([0, 0]), np.array([1, 2]))
    >>> rows.n, rows.trace.round(3), rows.sign
    (array([4, 3]), array([0.64 , 0.964]), array([ 1, -1], dtype=int8))
    """
    memory = SideMemory() if memory is None else memory
    products = line_products(x, y, memory, is_listed=is_listed)
    if products is None:
        return line_figures(x, y, first, second, memory).to_rows()
    return products.rows(first, second)


@dataclass(frozen=True, slots=True, eq=False)
class LineProducts:
    """Columns that miss nothing as lines, and Σ z_i·z_j of every one of x with every one of y.

    All but the product is known of each column alone. The sums are lost with the next ones of this thread;
    None stands for sums that are made pair by pair.
    """

    columns: tuple[Sequence[Column], Sequence[Column]]
    x: Lines
    y: Lines
    n: int  # the rows of each column
    sums: NDArray[np.float64] | None
    memory: SideMemory

    def rows(self, first: Indices, second: Indices) -> TraceRows:
        """The record of some of the pairs."""
        a, b, n = self.x, self.y, self.n
        if self.sums is None:
            r = self._listed_correlations(first, second)
        else:
            r = _native.line_correlations(a.native, b.native, n, self.sums, first, second)
        forms, at = (a.invariants, b.invariants), (first, second)
        unsound = np.flatnonzero(~(a.is_sound[first] & b.is_sound[second]))
        if len(unsound) and n >= 3:
            parts = (_pick(*self.columns, first[part], second[part]) for part in _parts(unsound, n))
            figures = np.concatenate([_native.line_pairs(*part) for part in parts])
            r[unsound] = figures[:, 0]
            own = invariants_of(figures[:, 1:4]), invariants_of(figures[:, 4:7])
            at = first.copy(), second.copy()
            for places, known in zip(at, forms, strict=True):
                places[unsound] = len(known) + np.arange(len(unsound))
            forms = np.concatenate([forms[0], own[0]]), np.concatenate([forms[1], own[1]])
        is_degenerate = np.isnan(r) if n >= 3 else np.ones(len(r), dtype=np.bool_)
        r[is_degenerate] = 0.0
        return TraceRows(
            n=np.broadcast_to(np.int64(n), r.shape),
            trace=np.minimum(r * r, 1.0),
            sign=np.sign(r).astype(np.int8),
            x_invariants=forms[0],
            y_invariants=forms[1],
            x_distinct=a.distinct[first],
            y_distinct=b.distinct[second],
            is_degenerate=is_degenerate,
            at=at,
        )

    def _listed_correlations(self, first: Indices, second: Indices) -> NDArray[np.float64]:
        a, b, n = self.x, self.y, self.n
        r = listed_products(a.scaled, b.scaled, first, second, self.memory)
        with np.errstate(divide="ignore", invalid="ignore"):
            r -= n * a.mean[first] * b.mean[second]
            r /= a.norm[first] * b.norm[second]
        return r


def line_products(
    x: Sequence[Column], y: Sequence[Column], memory: SideMemory, *, is_listed: bool = False
) -> LineProducts | None:
    """The products of all x with all y; None where a column misses something."""
    if not (memory.of("complete", x, are_complete) and memory.of("complete", y, are_complete)):
        return None
    a = memory.of("lines", x, Lines.of)
    b = a if y is x else memory.of("lines", y, Lines.of)
    sums = None if is_listed else cross_products(a.scaled, b.scaled, memory)
    return LineProducts((x, y), a, b, len(x[0].values), sums, memory)


@dataclass(frozen=True, slots=True, eq=False)
class LineFigures:
    """What pairs of lines come down to: r, then Σc³, Σc⁴, Σc⁶ of x and of y; r is NaN for a constant.

    `distinct` counts the values of x and of y, up to 10.
    """

    n: NDArray[np.int64]
    figures: NDArray[np.float64]  # (pairs, 7)
    distinct: NDArray[np.int64]  # (pairs, 2)

    @classmethod
    def empty(cls, n_pairs: int) -> LineFigures:
        """Room for this many pairs."""
        return cls(np.empty(n_pairs, np.int64), np.empty((n_pairs, 7)), np.empty((n_pairs, 2), np.int64))

    def put(self, at: Indices, part: LineFigures) -> None:
        """Write the figures of some of the pairs."""
        self.n[at], self.figures[at], self.distinct[at] = part.n, part.figures, part.distinct

    def to_rows(self) -> TraceRows:
        """The record that they make."""
        is_degenerate = (self.n < 3) | np.isnan(self.figures[:, 0])
        figures = np.where(is_degenerate[:, np.newaxis], 0.0, self.figures)
        r = figures[:, 0]
        return TraceRows(
            n=self.n,
            trace=np.minimum(r**2, 1.0),
            sign=np.sign(r).astype(np.int8),
            x_invariants=invariants_of(figures[:, 1:4]),
            y_invariants=invariants_of(figures[:, 4:7]),
            x_distinct=self.distinct[:, 0],
            y_distinct=self.distinct[:, 1],
            is_degenerate=is_degenerate,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Columns that miss nothing: how they are scaled, and what each line is like on all rows."""

    scaled: Scaled
    mean: NDArray[np.float64]
    norm: NDArray[np.float64]
    invariants: NDArray[np.float64]  # (columns, 8)
    is_sound: NDArray[np.bool_]
    distinct: NDArray[np.int64]
    native: _native.CompleteLines  # the same, as the kernels take it

    @classmethod
    def of(cls, columns: Sequence[Column]) -> Lines:
        """Those of these columns."""
        numbers = [exact_numbers(column) for column in columns]
        n = len(numbers[0])
        distinct = np.full(len(columns), DISTINCT_LIMIT, dtype=np.int64)
        scalings, sums = np.empty((len(columns), 3)), np.empty((len(columns), N_POWERS))
        step = max(1, _VALUES_AT_ONCE // max(n, 1))
        for some in (slice(start, start + step) for start in range(0, len(columns), step)):
            values = [np.ascontiguousarray(column, dtype=np.float64) for column in numbers[some]]
            scalings[some] = _native.line_scalings(values)
            sums[some] = _native.line_sums(values, scalings[some])
            if n <= FEW_ROWS:
                nothing, itself = [np.zeros(n, dtype=np.bool_)] * len(values), np.arange(len(values))
                distinct[some] = _native.distinct_pairs(values, nothing, itself, itself, DISTINCT_LIMIT)[:, 0]
        m = moments_of(sums.T[np.newaxis], np.float64(n))
        invariants = invariants_of(np.column_stack([m.third[0], m.fourth[0], m.sixth[0]]))
        known = m.mean[0], m.norm[0], invariants, m.is_sound[0], distinct
        return cls(Scaled(columns, numbers, scalings), *known, _native.CompleteLines(*known))


def line_figures(
    x: Sequence[Column], y: Sequence[Column], first: Indices, second: Indices, memory: SideMemory
) -> LineFigures:
    """The figures of x[first[k]] and y[second[k]]."""
    sums = power_sums(x, y, memory)
    n = sums.counts[sums.x_mask[first], sums.y_mask[second]].astype(np.int64)
    figures, is_sound = figures_of_sums(sums, first, second)
    for part in _parts(np.flatnonzero(~is_sound & (n >= 3)), len(x[0])):
        figures[part] = _native.line_pairs(*_pick(x, y, first[part], second[part]))
    distinct = np.stack([_distinct_limits(x)[first], _distinct_limits(y)[second]], axis=1)
    for part in _parts(np.flatnonzero(n <= FEW_ROWS), len(x[0])):
        distinct[part] = _native.distinct_pairs(*_pick(x, y, first[part], second[part]), DISTINCT_LIMIT)
    return LineFigures(n, figures, distinct)


def _distinct_limits(columns: Sequence[Column]) -> NDArray[np.int64]:
    """2 for columns of at most two values, else the limit of counting."""
    limits = []
    for column in columns:
        values = column.present
        has_two = len(values) > 0 and bool(np.all((values == values.min()) | (values == values.max())))
        limits.append(2 if has_two else DISTINCT_LIMIT)
    return np.array(limits, dtype=np.int64)


def invariants_of(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """T, T2, T3, S2, S3, B1, R, U of cc' from Σc³, Σc⁴, Σc⁶."""
    invariants = np.ones((len(sums), 8))
    invariants[:, 3] = invariants[:, 5] = sums[:, 1]
    invariants[:, 4] = sums[:, 2]
    invariants[:, 6] = invariants[:, 7] = sums[:, 0] ** 2
    return invariants


def figures_of_sums(
    sums: PowerSums, first: Indices, second: Indices, most: float = _MAX_CANCELLATION
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The figures of each pair, and whether rounding cannot show: terms over their sum are at most `most`."""
    x = moments_of(sums.x, sums.counts.T[:, sums.x_mask], most)
    y = x if sums.y is sums.x else moments_of(sums.y, sums.counts[:, sums.y_mask], most)
    at_x, at_y = (sums.y_mask[second], first), (sums.x_mask[first], second)
    figures = np.empty((len(first), 7))
    with np.errstate(divide="ignore", invalid="ignore"):
        n = sums.counts[sums.x_mask[first], sums.y_mask[second]]
        product = sums.cross[first, second] - n * x.mean[at_x] * y.mean[at_y]
        figures[:, 0] = product / (x.norm[at_x] * y.norm[at_y])
    for column, moments, at in ((1, x, at_x), (4, y, at_y)):
        figures[:, column] = moments.third[at]
        figures[:, column + 1] = moments.fourth[at]
        figures[:, column + 2] = moments.sixth[at]
    return figures, x.is_sound[at_x] & y.is_sound[at_y]


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """By mask and column: mean, norm about it, and Σc³, Σc⁴, Σc⁶ of the unit line c."""

    mean: NDArray[np.float64]
    norm: NDArray[np.float64]
    third: NDArray[np.float64]
    fourth: NDArray[np.float64]
    sixth: NDArray[np.float64]
    is_sound: NDArray[np.bool_]


def moments_of(
    sums: NDArray[np.float64], n: NDArray[np.float64] | np.float64, most: float = _MAX_CANCELLATION
) -> _Moments:
    """Central moments from power sums, each with its terms added up in size to see how far they cancel."""
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
        return _Moments(m, norm, third / (square * norm), fourth / square**2, sixth / square**3, is_sound)


def _parts(pairs: Indices, n_rows: int) -> Iterator[Indices]:
    """The pairs in parts that one native call does in a fraction of a second."""
    size = max(1, _ROW_PAIRS_PER_CALL // n_rows)
    for start in range(0, len(pairs), size):
        yield pairs[start : start + size]


def _pick(
    x: Sequence[Column], y: Sequence[Column], first: Indices, second: Indices
) -> tuple[list[NDArray[np.float64]], list[NDArray[np.bool_]], Indices, Indices]:
    """The columns of these pairs, where they are missing, and the pairs as positions among them."""
    x_used, left = np.unique(first, return_inverse=True)
    y_used, right = np.unique(second, return_inverse=True)
    columns = [x[i] for i in x_used] + [y[j] for j in y_used]
    nothing = np.zeros(len(columns[0]), dtype=np.bool_)
    values = [np.ascontiguousarray(exact_numbers(column), dtype=np.float64) for column in columns]
    is_missing = [nothing if column.is_missing is None else column.is_missing for column in columns]
    return values, is_missing, left, right + len(x_used)
