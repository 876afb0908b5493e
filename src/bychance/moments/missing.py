"""r² of many pairs of numeric columns with missing values, each on the rows that both columns have.

Columns are centered near their median, scaled by powers of two to at most 1, and zero if missing. Their
powers are summed over the rows of each distinct mask: columns that miss the same rows share the sums. If
sums of a pair cancel, it is computed directly from its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, Memory, distinct_masks, is_binary
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.complete import (
    CHUNK_BYTES,
    DISTINCT_LIMIT,
    N_POWERS,
    exact_numbers,
    moments_of,
    on_rows_of_pairs,
)
from bychance.nulls.statistics import PairStatistics, invariants_of_lines, of_lines
from bychance.pairs import n_shared, n_shared_listed

__all__ = ["line_statistics", "of_figures"]


def line_statistics(pairs: ColumnPairs) -> PairStatistics:
    """Compute r² and the inputs of its null for pairs of numeric columns with missing values.

    Sums are made for all of x with all of y, so the pairs should be a good part of them: call it on blocks.
    Listed pairs may be few, and each is computed from its rows.
    Distinct values are counted up to 10, and only for pairs of at most 200 rows; all others say 2 where the
    column has two values, else 10.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column(v, "v") for v in ([1.0, 2, 3, 4], [1.0, 3, 2, 4], [2.0, None, 1, 0])]
    >>> pairs = ColumnPairs(columns, columns, np.array([0, 0]), np.array([1, 2]), Memory())
    >>> found = line_statistics(pairs)
    >>> found.n, found.value.round(3), found.sign
    (array([4, 3]), array([0.64 , 0.964]), array([ 1, -1], dtype=int8))
    """
    x, y, first, second = pairs.x, pairs.y, pairs.first, pairs.second
    if pairs.is_listed:
        n = n_shared_listed(x, y, first, second)
        figures, is_sound = np.full((len(first), 7), np.nan), np.zeros(len(first), dtype=np.bool_)
    else:
        sums = _power_sums(x, y, pairs.memory)
        n = sums.counts[sums.x_mask[first], sums.y_mask[second]].astype(np.int64)
        figures, is_sound = _figures_of(sums, first, second)
    if len(at := np.flatnonzero(~is_sound & (n >= 3))):
        figures[at] = on_rows_of_pairs(_native.line_pairs, x, y, first[at], second[at])
    distinct = np.stack([_distinct_limits(x)[first], _distinct_limits(y)[second]])
    if len(at := np.flatnonzero(n <= _native.FEW_ROWS)):
        count = partial(_native.distinct_pairs, limit=DISTINCT_LIMIT)
        distinct[:, at] = on_rows_of_pairs(count, x, y, first[at], second[at]).T
    return of_figures(n, figures, distinct)


def of_figures(n: IntArray, figures: FloatArray, distinct: IntArray) -> PairStatistics:
    """Convert r and the moments of orders 3, 4 and 6 of both standardized columns to `PairStatistics`."""
    figures[(n < 3) | np.isnan(figures[:, 0]), 1:] = 0.0
    invariants = invariants_of_lines(figures[:, 1:4]), invariants_of_lines(figures[:, 4:7])
    return of_lines(n, figures[:, 0], invariants, distinct)


def _distinct_limits(columns: Sequence[Column]) -> IntArray:
    """Return 2 for columns with at most two distinct values, otherwise 10, at which counting stops."""
    limits = [2 if is_binary(column) else DISTINCT_LIMIT for column in columns]
    return np.array(limits, dtype=np.int64)


def _figures_of(sums: _PowerSums, first: IndexArray, second: IndexArray) -> tuple[FloatArray, BoolArray]:
    """Compute each pair's r and higher moments from power sums, and flag pairs with little cancellation."""
    x = moments_of(sums.x, sums.counts.T[:, sums.x_mask])
    y = x if sums.y is sums.x else moments_of(sums.y, sums.counts[:, sums.y_mask])
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
class _PowerSums:
    """Power sums of each column of two lists, per distinct pattern of missing values in the other list.

    `counts[a, b]` counts the rows that mask a of x and mask b of y share. `x[b, p, i]` is Σ z^(p+1) of
    column i of x over the rows of mask b of y, `y[a, p, j]` the converse. `cross[i, j]` is Σ z_i·z_j.
    `x_mask` and `y_mask` give the mask of each column. For one list, `x` and `y` are one array.
    """

    counts: FloatArray
    x: FloatArray
    y: FloatArray
    cross: FloatArray
    x_mask: IndexArray
    y_mask: IndexArray


def _power_sums(x: Sequence[Column], y: Sequence[Column], memory: Memory) -> _PowerSums:
    """Compute power sums and cross products of scaled columns for all pairs of x and y."""
    a = memory.of("sides", x, _Side.of)
    b = a if x is y else memory.of("sides", y, _Side.of)
    counts = n_shared(a.with_masks, None if a is b else b.with_masks).astype(np.float64)
    cross = np.zeros((len(x), len(y)))
    x_sums = np.zeros((len(b.masks), N_POWERS, len(x)))
    y_sums = x_sums if a is b else np.zeros((len(a.masks), N_POWERS, len(y)))
    chunk = max(256, CHUNK_BYTES // (8 * (len(x) + len(y))))
    for start in range(0, len(x[0]), chunk):
        rows = slice(start, start + chunk)
        z = a.scaled(rows)
        w = z if a is b else b.scaled(rows)
        cross += z.T @ w
        _native.add_power_sums(z, [mask[rows] for mask in b.masks], x_sums)
        if a is not b:
            _native.add_power_sums(w, [mask[rows] for mask in a.masks], y_sums)
    return _PowerSums(counts, x_sums, y_sums, cross, a.mask_of, b.mask_of)


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """All columns x, or all columns y, of many pairs, with scalings and distinct missing masks."""

    numbers: list[NDArray[Any]]
    is_missing: list[BoolArray]
    scalings: FloatArray
    with_masks: list[Column]  # the first column that has each mask
    masks: list[BoolArray]
    mask_of: IndexArray

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Side:
        """Collect the distinct missing masks of the columns, and compute a scaling of each column."""
        nothing = np.zeros(len(columns[0]), dtype=np.bool_)
        is_missing = [nothing if c.is_missing is None else c.is_missing for c in columns]
        numbers = [exact_numbers(column) for column in columns]
        present = (values[~missing] for values, missing in zip(numbers, is_missing, strict=True))
        scalings = _native.line_scalings(
            [np.ascontiguousarray(values, dtype=np.float64) for values in present]
        )
        first, mask_of = distinct_masks(is_missing)
        return cls(
            numbers,
            is_missing,
            scalings,
            [columns[k] for k in first],
            [is_missing[k] for k in first],
            mask_of,
        )

    def scaled(self, rows: slice) -> FloatArray:
        """Return the scaled values of a slice of rows, an array of rows by columns, 0 if missing."""
        values = [np.ascontiguousarray(numbers[rows], dtype=np.float64) for numbers in self.numbers]
        z = np.empty((len(values[0]), len(values)))
        _native.scaled_rows(values, [mask[rows] for mask in self.is_missing], self.scalings, z)
        return z
