"""Spearman's ρ² of many pairs of numeric columns at once, ranked on the rows that both columns have.

Columns without missing values are ranked once, and their midranks are correlated like numbers. With
missing values ranks change from pair to pair: a kernel derives them from one sort per column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, IndexArray, Int32Array
from bychance.columns import Column, Memory
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.moments.column_pairs import ColumnPairs, in_runs
from bychance.moments.complete import (
    DISTINCT_LIMIT,
    LineProducts,
    UnitLines,
    exact_numbers,
    products_of_lines,
)
from bychance.moments.missing import of_figures
from bychance.nulls.statistics import PairStatistics, merge_subsets

__all__ = ["rank_products", "rank_statistics"]

_ROW_NANOSECONDS = 8.0  # time per row of a pair of a million rows; 2 for few rows (to divide work)


def rank_statistics(pairs: ColumnPairs) -> PairStatistics:
    """Compute Spearman's ρ² and the inputs of its null for pairs of numeric columns.

    >>> from bychance.read_column import read_column
    >>> columns = [read_column(v, "v") for v in ([1.0, 2, 3, 4], [1.0, 100, 10, 1000], [2.0, None, 1, 0])]
    >>> pairs = ColumnPairs(columns, columns, np.array([0, 0]), np.array([1, 2]), Memory())
    >>> found = rank_statistics(pairs)
    >>> found.n.tolist(), found.value.round(3).tolist(), found.sign.tolist()
    ([4, 3], [0.64, 1.0], [1, -1])
    """
    x, y, first, second = pairs.x, pairs.y, pairs.first, pairs.second
    orders, others = (
        pairs.memory.of("orders", side, _orders, n_bytes=8 * len(side) * len(side[0].values))
        for side in (x, y)
    )
    is_complete = _are_complete(orders)[first] & _are_complete(others)[second]
    by_lines, by_walking = np.flatnonzero(is_complete), np.flatnonzero(~is_complete)
    parts = []
    if len(by_lines):
        (x_used, left), (y_used, right) = (
            np.unique(places[by_lines], return_inverse=True) for places in (first, second)
        )
        a, b = (_lines_of_midranks([side[k] for k in used]) for side, used in ((x, x_used), (y, y_used)))
        products = LineProducts.of(a, b, Memory())
        parts.append((by_lines, products.rows(left, right)))
    if len(by_walking):
        parts.append((by_walking, _rank_by_pair(orders, others, first[by_walking], second[by_walking])))
    return merge_subsets(np.zeros(len(first), dtype=np.int64), parts)


def rank_products(pairs: ColumnPairs) -> LineProducts | None:
    """Compute sums of products of midranks of every x with every y, or return None if a value is missing."""
    return products_of_lines(pairs, "midranks", _lines_of_midranks)


@dataclass(frozen=True, slots=True, eq=False)
class _Order:
    """Row numbers of a column in ascending order of value, and tie group numbers if values tie."""

    rows: Int32Array
    groups: Int32Array
    is_present: BoolArray


def _order(column: Column) -> _Order:
    is_missing = column.is_missing
    is_present = np.ones(len(column.values), dtype=np.bool_) if is_missing is None else ~is_missing
    rows = np.flatnonzero(is_present).astype(np.int32)
    ordering = order_values(exact_numbers(column)[rows].astype(np.float64, copy=False))
    numbers = np.arange(ordering.n_distinct if ordering.has_ties else 0, dtype=np.int32)
    groups = np.repeat(numbers, ordering.sizes) if ordering.has_ties else numbers
    return _Order(rows[ordering.order], groups, is_present)


def _orders(columns: Sequence[Column]) -> list[_Order]:
    return [_order(column) for column in columns]


def _are_complete(orders: Sequence[_Order]) -> BoolArray:
    return np.array([len(order.rows) == len(order.is_present) for order in orders])


def _lines_of_midranks(columns: Sequence[Column]) -> UnitLines:
    """Scale columns of doubled midranks, which are integers."""
    numbers = (exact_numbers(column).astype(np.float64, copy=False) for column in columns)
    ranks = [2 * order_values(values).midranks for values in numbers]
    return UnitLines.of([Column("", Kind.NUMERIC, each, None) for each in ranks])


def _rank_by_pair(
    x: Sequence[_Order], y: Sequence[_Order], first: IndexArray, second: IndexArray
) -> PairStatistics:
    """Compute ρ² and its null inputs for pairs with missing values, ranking each pair's shared rows anew."""
    columns = list(x) if x is y else [*x, *y]
    y_start = 0 if x is y else len(x)
    ranked = _native.RankedColumns(
        [column.rows for column in columns],
        [column.groups for column in columns],
        [column.is_present for column in columns],
    )
    figures, counts = in_runs(
        ranked.pairs, (first, second + y_start), _ROW_NANOSECONDS * len(columns[0].is_present)
    )
    return of_figures(counts[:, 0], figures, np.minimum(counts[:, 1:].T, DISTINCT_LIMIT))
