"""Ties of the columns of one side: at most how many rows are alike, and how few arrangements they leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.columns import Column, log_ties, most_alike
from bychance.ranking.side_memory import SideMemory

__all__ = ["Ties", "join_ties", "log_fewest_arrangements", "rows_alike", "ties_of"]

_SORTED_ROWS = 5_000
_LOG_MANY_ARRANGEMENTS = 750.0


class Ties(NamedTuple):
    """Of each column: log of how many arrangements its ties make one, and whether it is complete."""

    log_ties: NDArray[np.float64]
    is_complete: NDArray[np.bool_]


def rows_alike(side: Sequence[Column], memory: SideMemory) -> NDArray[np.int64]:
    """At most how many rows of each column have one value."""
    return memory.of("alike", side, _most_alike)


def ties_of(side: Sequence[Column], memory: SideMemory) -> Ties:
    """The ties of these columns; 0 where their arrangements are too many for any p-value to show."""
    return memory.of("ties", side, lambda columns: _ties(columns, rows_alike(columns, memory)))


def join_ties(parts: Sequence[Ties]) -> Ties:
    """Those of all columns one after the other."""
    return Ties(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _most_alike(columns: Sequence[Column]) -> NDArray[np.int64]:
    """Those without ties need no second look."""
    alike = np.ones(len(columns), dtype=np.int64)
    whole = [
        k for k, column in enumerate(columns) if column.is_missing is None and len(column) <= _SORTED_ROWS
    ]
    is_tied = np.ones(len(columns), dtype=np.bool_)
    if whole and all(columns[k].values.dtype == np.float64 for k in whole):
        ordered = np.sort(np.array([columns[k].values for k in whole]), axis=1)
        is_tied[whole] = (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)
    for k in np.flatnonzero(is_tied).tolist():
        alike[k] = most_alike(columns[k])
    return alike


def _ties(columns: Sequence[Column], alike: NDArray[np.int64]) -> Ties:
    n = np.array([len(column) for column in columns])
    may_be_few = log_fewest_arrangements(n, alike) < _LOG_MANY_ARRANGEMENTS
    ties = [log_ties(c) if few else 0.0 for c, few in zip(columns, may_be_few, strict=True)]
    return Ties(np.array(ties), np.array([column.is_missing is None for column in columns]))


def log_fewest_arrangements(n: NDArray[np.int64], most_alike: NDArray[np.int64]) -> NDArray[np.float64]:
    """At least how many arrangements n rows have, at most so many of them alike, as a logarithm.

    The logarithm is convex, so that ties are most where all groups are of the largest size.
    """
    t = np.maximum(most_alike, 1)
    return np.asarray(special.gammaln(n + 1.0) - n / t * special.gammaln(t + 1.0))
