"""Smallest possible p-values if values tie, and counts of rows outside the largest cluster of close values.

The ties of a column make many arrangements equal, which bounds p-values below. A cluster is a set of rows
with values close to each other. It is counted once per column if nothing is missing. Otherwise it is
counted on the rows of each pair for which a rule of validity needs it
(src/native/distributions/matching.hpp): if the other column has two values and rows are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import special

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.columns import Column, Memory, log_ties, numbers_of, rows_alike, shared_rows
from bychance.measures.base import order_values
from bychance.measures.structures import LINES, Algebra, Matrix, Trace
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.from_sums import fewest_others
from bychance.nulls.distributions import NullDistributions, once
from bychance.nulls.exact import log_least_arrangements
from bychance.nulls.statistics import PairStatistics

__all__ = [
    "cluster_sizes",
    "least_p_of_columns",
    "log_arrangements_of",
    "log_floor",
    "ties_of",
    "with_limits",
]


# Log of a number of permutations from which its inverse, the least p-value, is 0 in float64 (proof).
_LOG_MANY_ARRANGEMENTS = 750.0


def ties_of(side: Sequence[Column], memory: Memory) -> FloatArray:
    """Return Σ log(t!) over the groups of t tied rows of each column.

    It is 0 if too many arrangements exist for ties to matter.
    """
    alike = memory.of("alike", side, rows_alike)

    def find(columns: Sequence[Column]) -> FloatArray:
        n = np.array([len(column.values) for column in columns])
        may_be_few = log_least_arrangements(n, alike) < _LOG_MANY_ARRANGEMENTS
        return np.array([log_ties(c) if few else 0.0 for c, few in zip(columns, may_be_few, strict=True)])

    return memory.of("ties", side, find)


def log_arrangements_of(x: Column, y: Column) -> float:
    """Return the log of the smaller number of distinct permutations, of x or of y, on shared rows."""
    rows = shared_rows(x, y)
    sides = (x, y) if rows is None else (x.at(rows), y.at(rows))
    return float(special.gammaln(len(sides[0]) + 1.0)) - max(map(log_ties, sides))


def least_p_of_columns(pairs: Sequence[tuple[Column, Column]], k: int) -> float:
    """Return the smallest possible p-value of pair k, one over the number of distinct permutations."""
    return math.exp(-log_arrangements_of(*pairs[k]))


def with_limits(pairs: ColumnPairs, found: PairStatistics, form: Algebra) -> PairStatistics:
    """Convert pair statistics to the measure's units, and count rows that differ from the most common value.

    In sums over a stream, a cluster is the rows of one value.
    """
    if isinstance(form, Trace):
        found = found.in_units(form)
    if pairs.sums is not None:
        others, unknown = fewest_others(pairs, pairs.sums, found.n), np.broadcast_to(np.inf, found.n.shape)
        return replace(found, others=others, outside=others, log_arrangements=unknown)
    x, y = _counts_of_most_common(pairs)
    others = np.maximum(found.n - np.stack([x[pairs.first], y[pairs.second]]), 0)
    outside = _rows_outside_cluster(pairs, form, found) if isinstance(form, Trace) else others
    return replace(found, others=others, outside=outside)


def _counts_of_most_common(pairs: ColumnPairs) -> tuple[IntArray, IntArray]:
    """Return upper bounds on how often the most common value of each column of x, and of y, occurs."""
    x, y = (pairs.memory.of("alike", side, rows_alike) for side in (pairs.x, pairs.y))
    return x, y


def log_floor(pairs: ColumnPairs, nulls: NullDistributions, n: IntArray, observed: FloatArray) -> FloatArray:
    """Return the log of each pair's smallest possible p-value, one over the number of distinct arrangements.

    Missing rows may remove ties. If a tail is so small that it matters, ties are counted again on the
    pair's rows.
    """
    every = -special.gammaln(once(n) + 1.0)
    if pairs.sums is not None or all((counts == 1).all() for counts in _counts_of_most_common(pairs)):
        return np.broadcast_to(every, n.shape)
    x, y = (ties_of(side, pairs.memory) for side in (pairs.x, pairs.y))
    ties = np.maximum(x[pairs.first], y[pairs.second])
    may_differ = np.flatnonzero((n < len(pairs.x[0].values)) & (ties > 0))
    tails, limit = nulls.pick(may_differ).sf(observed[may_differ]), (every + ties)[may_differ]
    ties[may_differ] = 0.0
    floor: FloatArray = every + ties
    for k in may_differ[tails < np.exp(np.minimum(limit, 0.0))]:
        floor[k] = -log_arrangements_of(pairs.x[int(pairs.first[k])], pairs.y[int(pairs.second[k])])
    return floor


def _rows_outside_cluster(pairs: ColumnPairs, form: Trace, found: PairStatistics) -> IntArray:
    """Count each pair's rows outside the largest cluster of close values, once for x and once for y."""
    sides = (form.x, pairs.x, pairs.first), (form.y, pairs.y, pairs.second)
    n_rows = len(pairs.x[0].values)
    outside = np.empty((2, len(found.n)), dtype=np.int64)
    for own, (matrix, side, at), n_values in zip(outside, sides, found.distinct[::-1], strict=True):
        np.maximum(found.n - cluster_sizes(matrix, side, pairs.memory)[at], 0, out=own)
        if matrix in LINES:
            is_asked = (found.n < n_rows) & (found.n <= _native.FEW_ROWS) & (n_values == 2)
            for k in np.flatnonzero(is_asked).tolist():
                rows = shared_rows(pairs.x[pairs.first[k]], pairs.y[pairs.second[k]])
                own[k] = found.n[k] - _largest_cluster(matrix, side[at[k]], rows)
    return outside


def cluster_sizes(matrix: Matrix, side: Sequence[Column], memory: Memory) -> IntArray:
    """Count the rows of each column in its largest cluster of close values.

    For categories, and for many rows, that is the most common value.
    """
    if matrix not in LINES or not side or len(side[0].values) > _native.FEW_ROWS:
        return memory.of("alike", side, rows_alike)
    name = f"clusters of {matrix.value}"
    return memory.of(
        name, side, lambda columns: np.array([_largest_cluster(matrix, c, None) for c in columns])
    )


def _largest_cluster(matrix: Matrix, column: Column, rows: BoolArray | None) -> int:
    """Count the given rows in the column's largest cluster of close values (within 0.3 standard deviations).

    All given rows have a value. A column with missing values has no count without given rows.
    """
    if not len(column.values) or (rows is None and column.is_missing is not None):
        return 0
    numbers = numbers_of(column, rows, matrix.value)
    return _native.largest_cluster(order_values(numbers).midranks if matrix is Matrix.RANKS else numbers)
