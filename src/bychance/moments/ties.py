"""Bounds from ties: least p-values of pairs, and rows outside the largest lump of values.

The ties of a column make many arrangements one, which bounds p-values below. A lump is of values close to
each other. It is counted once per column if nothing is missing, otherwise on the rows of each pair for which
a rule of validity asks (src/native/distributions/atoms.hpp): if the other column has two values and rows are
few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import Column, log_ties, numbers_of, rows_alike, shared_rows
from bychance.measures.base import LINES, Matrix
from bychance.measures.ordering import order_values
from bychance.memory import Memory
from bychance.nulls.arrangements import log_least_arrangements
from bychance.nulls.statistics import PairStatistics

__all__ = ["Ties", "least_p_of_columns", "log_arrangements_of", "lump_sizes", "rows_apart", "ties_of"]

Counts = NDArray[np.int64]
Indices = NDArray[np.intp]

_LOG_MANY_ARRANGEMENTS = 750.0


class Ties(NamedTuple):
    """Log of the number of arrangements that ties make one, and completeness, per column."""

    log_ties: NDArray[np.float64]
    is_complete: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[Ties]) -> Ties:
        """Join the ties of several lists of columns."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def ties_of(side: Sequence[Column], memory: Memory) -> Ties:
    """Return the ties of these columns, 0 if the least p-value is too small to matter."""
    alike = memory.of("alike", side, rows_alike)
    return memory.of("ties", side, lambda columns: _ties(columns, alike))


def _ties(columns: Sequence[Column], alike: NDArray[np.int64]) -> Ties:
    n = np.array([len(column) for column in columns])
    may_be_few = log_least_arrangements(n, alike) < _LOG_MANY_ARRANGEMENTS
    ties = [log_ties(c) if few else 0.0 for c, few in zip(columns, may_be_few, strict=True)]
    return Ties(np.array(ties), np.array([column.is_missing is None for column in columns]))


def log_arrangements_of(x: Column, y: Column) -> float:
    """Return the log of the number of arrangements on shared rows, for the column with fewer."""
    rows = shared_rows(x, y)
    sides = (x, y) if rows is None else (x.at(rows), y.at(rows))
    return float(special.gammaln(len(sides[0]) + 1.0)) - max(map(log_ties, sides))


def least_p_of_columns(pairs: Sequence[tuple[Column, Column]], k: int) -> float:
    """Return the probability of a single arrangement of one of the pairs, the least p-value."""
    return math.exp(-log_arrangements_of(*pairs[k]))


def rows_apart(
    matrices: tuple[Matrix, Matrix],
    sides: tuple[Sequence[Column], Sequence[Column]],
    pairs: tuple[Indices, Indices],
    found: PairStatistics,
    memory: Memory,
) -> Counts:
    """Count the rows of each pair outside the largest lump, of x and of y."""
    is_complete = [
        memory.of("whole", side, lambda s: np.array([c.is_missing is None for c in s]))[at]
        for side, at in zip(sides, pairs, strict=True)
    ]
    partners = found.distinct[::-1]
    apart = np.empty((2, len(found.n)), dtype=np.int64)
    for own, matrix, side, at, n_values in zip(apart, matrices, sides, pairs, partners, strict=True):
        np.maximum(found.n - lump_sizes(matrix, side, memory)[at], 0, out=own)
        if matrix in LINES:
            is_asked = ~(is_complete[0] & is_complete[1]) & (found.n <= _native.FEW_ROWS) & (n_values == 2)
            for k in np.flatnonzero(is_asked).tolist():
                rows = shared_rows(sides[0][pairs[0][k]], sides[1][pairs[1][k]])
                own[k] = found.n[k] - _lump_size(matrix, side[at[k]], rows)
    return apart


def lump_sizes(matrix: Matrix, side: Sequence[Column], memory: Memory) -> Counts:
    """Count the rows of each column in its largest lump: of categories, and of many rows, in one value."""
    if matrix not in LINES or not side or len(side[0]) > _native.FEW_ROWS:
        return memory.of("alike", side, rows_alike)
    name = f"lumps of {matrix.value}"
    return memory.of(name, side, lambda columns: np.array([_lump_size(matrix, c, None) for c in columns]))


def _lump_size(matrix: Matrix, column: Column, rows: NDArray[np.bool_] | None) -> int:
    """Count the rows of a column in its largest lump among these, all of which have a value.

    Of a column that misses some, nobody asks without rows.
    """
    if len(column) == 0 or (rows is None and column.is_missing is not None):
        return 0
    numbers = numbers_of(column, rows, matrix.value)
    return _native.largest_lump(order_values(numbers).midranks if matrix is Matrix.RANKS else numbers)
