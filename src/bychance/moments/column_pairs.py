"""Pairs of columns of a table or a stream."""

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
    """Columns on either side, and the places of each pair among them.

    `x` and `y` are one list if both sides hold the same. If `is_listed`, the pairs are few of all. With
    `sums`, the columns hold sampled rows of a stream and the sums all of them.
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
        """Return some of the pairs."""
        known = None if self.known is None else self.known.pick(rows)
        return replace(self, first=self.first[rows], second=self.second[rows], known=known)

    def pick(self, rows: NDArray[np.intp], products: LineProducts) -> ColumnPairs:
        """Return some of the pairs with their statistics, which come from these products."""
        first, second = self.first[rows], self.second[rows]
        return replace(self, first=first, second=second, known=products.rows(first, second))

    def flipped(self) -> ColumnPairs:
        """Return the pairs with x and y exchanged."""
        return replace(self, x=self.y, y=self.x, first=self.second, second=self.first)
