"""Pairs of columns of a table or a stream, and bounds on their null distributions from ties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.columns import Column, rows_alike
from bychance.measures.base import Algebra, Trace
from bychance.memory import Memory
from bychance.moments.complete import LineProducts
from bychance.moments.from_sums import rows_alike_in
from bychance.moments.row_sums import RowSums
from bychance.moments.ties import log_arrangements_of, rows_apart, ties_of
from bychance.nulls.distributions import NullDistributions, once
from bychance.nulls.statistics import PairStatistics

__all__ = ["ColumnPairs"]

Counts = NDArray[np.int64]


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

    def fewest_others(self, n: Counts) -> Counts:
        """Bound from below the rows of each pair that differ from the most common value of x and of y."""
        others = np.empty((2, len(n)), dtype=np.int64)
        for own, side, places in zip(others, (self.x, self.y), (self.first, self.second), strict=True):
            np.maximum(n - self._rows_alike(side)[places], 0, out=own)
        return others

    def with_limits(self, found: PairStatistics, form: Algebra) -> PairStatistics:
        """Return the statistics in units of the measure, with what columns say of ties.

        In sums, a lump is of one value.
        """
        if isinstance(form, Trace):
            found = found.in_units(form)
        others = apart = self.fewest_others(found.n)
        if self.sums is not None:
            nobody_knows = np.broadcast_to(np.inf, found.n.shape)
            return replace(found, others=others, apart=apart, log_arrangements=nobody_knows)
        if isinstance(form, Trace):
            pairs = (self.x, self.y), (self.first, self.second)
            apart = rows_apart((form.x, form.y), *pairs, found, self.memory)
        return replace(found, others=others, apart=apart)

    def log_floor(
        self, nulls: NullDistributions, n: Counts, observed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the log of the least p-value of each pair: one over the number of distinct arrangements.

        Missing rows may take ties with them. If a tail is so small that it matters, ties are counted anew.
        """
        every = -special.gammaln(once(n) + 1.0)
        if self.sums is not None or all((self._rows_alike(side) == 1).all() for side in (self.x, self.y)):
            return np.broadcast_to(every, n.shape)
        x, y = (ties_of(side, self.memory) for side in (self.x, self.y))
        ties = np.maximum(x.log_ties[self.first], y.log_ties[self.second])
        is_complete = x.is_complete[self.first] & y.is_complete[self.second]
        may_differ = np.flatnonzero(~is_complete & (ties > 0))
        tails, limit = nulls.pick(may_differ).sf(observed[may_differ]), (every + ties)[may_differ]
        ties[may_differ] = 0.0
        floor: NDArray[np.float64] = every + ties
        for k in may_differ[tails < np.exp(np.minimum(limit, 0.0))]:
            floor[k] = -log_arrangements_of(self.x[int(self.first[k])], self.y[int(self.second[k])])
        return floor

    def _rows_alike(self, side: Sequence[Column]) -> Counts:
        """Return at most how many rows of each column have one value."""
        find = rows_alike if self.sums is None else partial(rows_alike_in, self.sums)
        return self.memory.of("alike", side, find)
