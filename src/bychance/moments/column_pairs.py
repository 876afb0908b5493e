"""Pairs of columns, given as positions in two lists of columns, in memory or as sums over a stream."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.memory import Memory
from bychance.moments.complete import LineProducts
from bychance.moments.row_sums import RowSums
from bychance.nulls.statistics import PairStatistics

__all__ = ["ColumnPairs"]


@dataclass(frozen=True, eq=False)
class ColumnPairs:
    """Pairs of columns: two lists of columns, and the position of each pair's columns in them.

    `x` and `y` are one list if both hold the same columns. If `is_listed`, only few of all possible pairs
    are meant. With `sums`, the columns hold sampled rows of a stream and the sums cover all its rows.
    """

    x: Sequence[Column]
    y: Sequence[Column]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    memory: Memory
    is_listed: bool = False
    sums: RowSums | None = None
    known: PairStatistics | None = None  # statistics of the pairs, if they were computed before

    def at(self, rows: NDArray[np.intp]) -> ColumnPairs:
        """Select a subset of the pairs."""
        known = None if self.known is None else self.known.pick(rows)
        return replace(self, first=self.first[rows], second=self.second[rows], known=known)

    def pick(self, rows: NDArray[np.intp], products: LineProducts) -> ColumnPairs:
        """Select a subset of the pairs, with their statistics taken from these products."""
        first, second = self.first[rows], self.second[rows]
        return replace(self, first=first, second=second, known=products.rows(first, second))

    def flipped(self) -> ColumnPairs:
        """Return the pairs with x and y exchanged."""
        return replace(self, x=self.y, y=self.x, first=self.second, second=self.first)
