"""How many rows of each pair are outside the largest lump of x, and of y: values close to each other.

Counted once per column where nothing is missing; otherwise on the rows of each pair, where trust asks for it:
where the other column has two values and rows are few (src/native/nulls/atoms.hpp).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of, rows_alike, shared_rows
from bychance.measures.base import Matrix
from bychance.measures.ordering import order_values
from bychance.memory import Memory
from bychance.nulls.statistics import PairStatistics

__all__ = ["lump_sizes", "rows_apart"]

Counts = NDArray[np.int64]
Indices = NDArray[np.intp]


def rows_apart(
    matrices: tuple[Matrix, Matrix],
    sides: tuple[Sequence[Column], Sequence[Column]],
    pairs: tuple[Indices, Indices],
    found: PairStatistics,
    memory: Memory,
) -> Counts:
    """Of x and of y, one entry per pair."""
    is_complete = [
        memory.of("whole", side, lambda s: np.array([c.is_missing is None for c in s]))[at]
        for side, at in zip(sides, pairs, strict=True)
    ]
    partners = found.distinct[::-1]
    apart = np.empty((2, len(found.n)), dtype=np.int64)
    for own, matrix, side, at, n_values in zip(apart, matrices, sides, pairs, partners, strict=True):
        np.maximum(found.n - lump_sizes(matrix, side, memory)[at], 0, out=own)
        if matrix in (Matrix.LINE, Matrix.RANKS):
            is_asked = ~(is_complete[0] & is_complete[1]) & (found.n <= _native.FEW_ROWS) & (n_values == 2)
            for k in np.flatnonzero(is_asked).tolist():
                rows = shared_rows(sides[0][pairs[0][k]], sides[1][pairs[1][k]])
                own[k] = found.n[k] - _lump_size(matrix, side[at[k]], rows)
    return apart


def lump_sizes(matrix: Matrix, side: Sequence[Column], memory: Memory) -> Counts:
    """How many rows of each column are in its largest lump: of categories, and of many rows, in one value."""
    if matrix not in (Matrix.LINE, Matrix.RANKS) or not side or len(side[0]) > _native.FEW_ROWS:
        return memory.of("alike", side, rows_alike)
    name = f"lumps of {matrix.value}"
    return memory.of(name, side, lambda columns: np.array([_lump_size(matrix, c, None) for c in columns]))


def _lump_size(matrix: Matrix, column: Column, rows: NDArray[np.bool_] | None) -> int:
    """On these rows, all of which have a value; of a column that misses some, nobody asks without rows."""
    if len(column) == 0 or (rows is None and column.is_missing is not None):
        return 0
    numbers = numbers_of(column, rows, matrix.value)
    return _native.largest_lump(order_values(numbers).midranks if matrix is Matrix.RANKS else numbers)
