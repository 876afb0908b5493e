"""Pairs of columns as positions in two lists of columns, in memory or as sums over a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import FloatArray, IndexArray
from bychance.columns import Column, Memory
from bychance.moments.row_sums import RowSums
from bychance.nulls.statistics import PairStatistics

__all__ = ["ColumnPairs", "chunks", "in_runs"]

_RUN_NANOSECONDS = 2.5e8  # time of one kernel call: Ctrl-C waits no longer (taste)


@dataclass(frozen=True, eq=False)
class ColumnPairs:
    """Pairs of columns: two lists of columns, and the position of each pair's columns in them.

    `x` and `y` are one list if both hold the same columns. If `is_listed`, only few of all possible pairs
    are meant. With `sums`, the columns hold sampled rows of a stream and the sums cover all its rows.
    """

    x: Sequence[Column]
    y: Sequence[Column]
    first: IndexArray
    second: IndexArray
    memory: Memory
    is_listed: bool = False
    sums: RowSums | None = None
    known: PairStatistics | None = None  # statistics of the pairs, if they were computed before

    def at(self, rows: IndexArray) -> ColumnPairs:
        """Select the pairs at the positions `rows`."""
        known = None if self.known is None else self.known.pick(rows)
        return replace(self, first=self.first[rows], second=self.second[rows], known=known)

    def flipped(self) -> ColumnPairs:
        """Return the pairs with x and y exchanged."""
        return replace(self, x=self.y, y=self.x, first=self.second, second=self.first)


def in_runs(
    kernel: Callable[..., tuple[NDArray[Any], ...]],
    at: tuple[IndexArray, IndexArray],
    nanoseconds: float | FloatArray,
) -> tuple[NDArray[Any], ...]:
    """Call a kernel on batches of pairs, between which Ctrl-C takes effect. Join the arrays it returns.

    `at` has two positions per pair, and `nanoseconds` is the time of a pair.
    """
    parts = [kernel(at[0][part], at[1][part]) for part in chunks(nanoseconds, len(at[0]))]
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))


def chunks(nanoseconds: float | FloatArray, n_pairs: int) -> Iterator[slice]:
    """Yield slices of consecutive pairs that take about equal time. Without pairs, yield one empty slice.

    >>> list(chunks(np.array([1e8, 1e8, 1e8, 9e8]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    run = (np.cumsum(np.broadcast_to(nanoseconds, n_pairs)) // _RUN_NANOSECONDS).astype(np.int64)
    cuts = [0, *(np.flatnonzero(np.diff(run)) + 1).tolist(), n_pairs]
    yield from map(slice, cuts[:-1], cuts[1:])
