"""How many arrangements the ties of each column make one, by which p-values are bounded below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.columns import Column, log_ties, rows_alike, shared_rows
from bychance.memory import Memory
from bychance.nulls.arrangements import log_least_arrangements

__all__ = ["Ties", "least_p_of_columns", "log_arrangements_of", "ties_of"]

_LOG_MANY_ARRANGEMENTS = 750.0


class Ties(NamedTuple):
    """Of each column: log of how many arrangements its ties make one, and whether it is complete."""

    log_ties: NDArray[np.float64]
    is_complete: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[Ties]) -> Ties:
        """Those of all columns one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def ties_of(side: Sequence[Column], memory: Memory) -> Ties:
    """The ties of these columns; 0 where their arrangements are too many for any p-value to show."""
    alike = memory.of("alike", side, rows_alike)
    return memory.of("ties", side, lambda columns: _ties(columns, alike))


def _ties(columns: Sequence[Column], alike: NDArray[np.int64]) -> Ties:
    n = np.array([len(column) for column in columns])
    may_be_few = log_least_arrangements(n, alike) < _LOG_MANY_ARRANGEMENTS
    ties = [log_ties(c) if few else 0.0 for c, few in zip(columns, may_be_few, strict=True)]
    return Ties(np.array(ties), np.array([column.is_missing is None for column in columns]))


def log_arrangements_of(x: Column, y: Column) -> float:
    """The logarithm of the number of arrangements on the rows that both have, of the column with fewer."""
    rows = shared_rows(x, y)
    sides = (x, y) if rows is None else (x.at(rows), y.at(rows))
    return float(special.gammaln(len(sides[0]) + 1.0)) - max(map(log_ties, sides))


def least_p_of_columns(pairs: Sequence[tuple[Column, Column]], k: int) -> float:
    """The chance of a single arrangement of one of the pairs, below which no p-value lies."""
    return math.exp(-log_arrangements_of(*pairs[k]))
