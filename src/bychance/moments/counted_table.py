"""Sums over the cells of a table that is known by its counts: (keys, counts) and totals → a number.

The functions are those of src/native/nulls/tables.hpp, which draws tables from rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.measures.structures import CellFunction
from bychance.moments.label_sums import PairCounts

__all__ = ["CountedTable"]


class CountedTable:
    """Cells of two categorical columns that have rows; categories that occur on shared rows are numbered."""

    def __init__(self, counts: PairCounts) -> None:
        keys, self.counts = counts.cells()
        self.x_labels, self.x = _renumbered(keys >> 32)
        self.y_labels, self.y = _renumbered(keys & 0xFFFFFFFF)
        self.rows = _totals(self.x, self.counts, len(self.x_labels))
        self.columns = _totals(self.y, self.counts, len(self.y_labels))

    @property
    def n(self) -> int:
        """Rows that both columns have."""
        return int(self.counts.sum())

    @property
    def is_one_to_one(self) -> bool:
        """Whether the categories of one column are those of the other, renamed."""
        return len(self.counts) == len(self.rows) == len(self.columns)

    def flipped(self) -> CountedTable:
        """The same with x and y exchanged."""
        other = CountedTable.__new__(CountedTable)
        other.counts = self.counts
        other.x, other.y, other.x_labels, other.y_labels = self.y, self.x, self.y_labels, self.x_labels
        other.rows, other.columns = self.columns, self.rows
        return other

    def sum(self, function: CellFunction) -> float:
        """The sum over all cells; of `diagonal`, those whose categories have one number."""
        m, a, b, n = self.counts, self.rows[self.x], self.columns[self.y], self.n
        if function == "together":
            return float(np.sum(m.astype(np.float64) ** 2))
        if function == "diagonal":
            return float(m[self.x_labels[self.x] == self.y_labels[self.y]].sum())
        if function == "information":
            ratio = m.astype(np.float64) * n / (a.astype(np.float64) * b)
            return float(np.sum(m * np.log(ratio)))
        # n times the deviation from what a cell expects is a whole number; an empty one deviates by a·b.
        is_gain = function == "gain"
        above = (m * n - a * b).astype(np.float64) / n
        own = above**2 / a if is_gain else above**2 / (a.astype(np.float64) * b)
        weight = self.columns.astype(np.float64) ** 2 if is_gain else self.columns.astype(np.float64)
        filled = _totals(self.x, weight[self.y], len(self.rows))
        empty = np.sum(self.rows * np.maximum(weight.sum() - filled, 0.0)) / float(n) ** 2
        return float(own.sum() + empty)


def _renumbered(numbers: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers that occur, ascending, and the place of each among them."""
    is_there = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.bool_)
    is_there[numbers] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def _totals(groups: NDArray[np.intp], values: NDArray[Any], n_groups: int) -> NDArray[Any]:
    # Sums of counts stay far below 2⁵³, so that floats hold them.
    return np.bincount(groups, values, n_groups).astype(values.dtype)
