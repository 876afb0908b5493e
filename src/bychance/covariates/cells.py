"""Cells: groups of rows with the same categories and similar numbers in the covariates, permuted within.

A cell is split at the median of the covariate with the widest range of ranks in it, between different
values, while both parts keep enough rows. So ties are never separated, and nothing is random. Numeric
covariates with few values, such as counts, have one cell per value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, Int32Array, IntArray
from bychance.columns import coded, crossed
from bychance.measures.base import order_values

__all__ = ["Cells", "cross_labels", "midranks", "split_cells", "with_few_values"]


@dataclass(frozen=True, eq=False)
class Cells:
    """Partition of the rows into cells (groups within which rows are permuted), one cell number per row."""

    codes: Int32Array

    @classmethod
    def of(cls, labels: NDArray[np.generic]) -> Cells:
        """Convert category labels, one per row, to cells numbered in the order of the labels."""
        return cls(coded(labels))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def n(self) -> int:
        return len(self.codes)

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows per cell."""
        return np.bincount(self.codes).astype(np.int64)

    @cached_property
    def order(self) -> IndexArray:
        """Row numbers sorted by cell."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def starts(self) -> IndexArray:
        """Position in `order` at which each cell begins."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.intp)

    @cached_property
    def rows(self) -> tuple[IndexArray, ...]:
        """Row numbers of each cell."""
        return tuple(np.split(self.order, self.starts[1:]))

    @cached_property
    def places(self) -> Int32Array:
        """Position of each row in the list of the rows of its cell, counted from 0."""
        places = np.empty(self.n, dtype=np.int32)
        places[self.order] = np.arange(self.n) - np.repeat(self.starts, self.sizes)
        return places

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum a column, or each column of a matrix, over the rows of every cell."""
        if len(self) == 1:
            return np.asarray(values.sum(axis=0))[np.newaxis]
        return np.asarray(np.add.reduceat(values[self.order], self.starts, axis=0))

    def log_arrangements(self, labels: NDArray[Any] | None) -> float:
        """Return the log of the number of distinct orders of `labels` (None for row numbers) within cells."""
        total = float(special.gammaln(self.sizes + 1).sum())
        if labels is None or (labels.dtype == np.float64 and _native.are_distinct(labels)):
            return total
        alike = np.unique(crossed(self.codes, coded(labels)), return_counts=True)[1]
        return total - float(special.gammaln(alike + 1).sum())

    def vary(self, values: NDArray[Any]) -> BoolArray:
        """Flag the cells in which a column is not constant."""
        ordered = values[self.order]
        low, high = (ufunc.reduceat(ordered, self.starts) for ufunc in (np.minimum, np.maximum))
        return np.asarray(low != high)

    def products(self, columns: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Return X'X of the rows X of every cell, or X'WX with row weights, as one array of matrices."""
        weighted = columns if weights is None else columns * weights[:, np.newaxis]
        products = np.empty((len(self), columns.shape[1], columns.shape[1]))
        for size in np.unique(self.sizes):
            at = np.flatnonzero(self.sizes == size)
            rows = self.order[self.starts[at, np.newaxis] + np.arange(size)]
            products[at] = np.swapaxes(columns[rows], 1, 2) @ weighted[rows]
        return products


def midranks(values: NDArray[Any]) -> FloatArray:
    """Return the average rank of each value among all values, counting from 1."""
    return order_values(np.ascontiguousarray(values, dtype=np.float64)).midranks


def cross_labels(labels: Sequence[Int32Array], n: int) -> Int32Array:
    """Return the stratum number of each row: rows with the same categories in all columns share one.

    A row that is alone in its stratum carries no information. Permutation within all other strata is
    valid, however many there are.
    """
    strata = np.zeros(n, dtype=np.int32)
    for codes in labels:
        strata = Cells.of(crossed(strata, codes)).codes
    return strata


def split_cells(strata: Int32Array, numbers: Sequence[FloatArray], fewest: int) -> Cells:
    """Split strata (rows of the same categories) into cells of at least `fewest` rows with similar numbers.

    Smaller strata stay whole.
    """
    codes, count = np.empty(len(strata), dtype=np.int32), 0
    for stratum in Cells(strata).rows:
        if len(stratum) < 2 * fewest:
            codes[stratum] = count
            count += 1
            continue
        values = np.column_stack([z[stratum] for z in numbers])
        ranks = np.column_stack([midranks(z) for z in values.T])
        for cell in _split(values, ranks, fewest):
            codes[stratum[cell]] = count
            count += 1
    return Cells(codes)


def _split(values: FloatArray, ranks: FloatArray, fewest: int) -> list[IndexArray]:
    done, waiting = list[IndexArray](), [np.arange(len(values))]
    while waiting:
        cell = waiting.pop()
        column = int(np.argmax(np.ptp(ranks[cell], axis=0)))
        cell = cell[np.argsort(ranks[cell, column], kind="stable")]
        split = _middle_change(values[cell, column], fewest)
        if split is None:
            done.append(cell)
        else:
            waiting += [cell[split:], cell[:split]]
    return done


def _middle_change(ascending: FloatArray, fewest: int) -> int | None:
    """Return the position nearest the middle at which sorted values can be split, or None.

    Either side keeps `fewest` rows, and the values on both sides of the split differ.
    """
    n = len(ascending)
    splits = np.arange(fewest, n - fewest + 1)
    splits = splits[ascending[splits] != ascending[splits - 1]] if len(splits) else splits
    return int(splits[np.argmin(np.abs(splits - n // 2))]) if len(splits) else None


_ROWS_PER_VALUE = 6  # rows of a value that can form a cell: five of six degrees of freedom stay (taste)
_MOST_IN_SMALL = 0.1  # largest share of rows whose value has fewer rows than that (taste)


def with_few_values(labels: Sequence[Int32Array], numbers: Sequence[FloatArray], n: int) -> list[bool]:
    """Flag numeric covariates whose distinct values each have enough rows to count as a category.

    >>> count, weight = np.arange(60) % 5.0, np.arange(60) / 7
    >>> with_few_values([], [count, weight], 60)
    [True, False]
    """
    strata, found = cross_labels(labels, n), list[bool]()
    for z in numbers:
        cells = Cells.of(crossed(strata, coded(z)))
        n_small = int(cells.sizes[cells.sizes < _ROWS_PER_VALUE].sum())
        found.append(n_small <= _MOST_IN_SMALL * n)
        strata = cells.codes if found[-1] else strata
    return found
