"""Statistics of pairs by groups of rows: tables, numbers by category, and lines bent at quintiles.

Each pair is computed on the rows that both columns have. A category that occurs in none of these is not
counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IntArray
from bychance.columns import Column, Memory, codes_of, numbers_of
from bychance.measures.base import order_values
from bychance.measures.structures import LINES, Matrix, Trace
from bychance.moments.column_pairs import ColumnPairs, in_runs
from bychance.nulls.statistics import MAX_BULK_VARIANCE_OPERATIONS, PairStatistics

__all__ = ["bent_rows", "information_rows", "is_bent", "mixed_rows", "of_traces", "table_rows", "weights_of"]

# Nanoseconds per row of a contingency table, of a numeric column by category and of a piecewise linear
# function, and per table cell of the moments of mutual information (to divide work, with room).
_TABLE_ROW, _NUMBER_ROW, _BENT_ROW, _CELL = 2.0, 15.0, 40.0, 1_000.0

# Most linear pieces, by how x enters: kMostPieces of bends.hpp, or 1 for a straight line.
_PIECES = {Matrix.BENDS: 5, Matrix.RANK_BENDS: 5, Matrix.RANKS: 1}


def weights_of(form: Trace) -> Literal["indicator", "projector"]:
    """Return "indicator" or "projector", the matrix for categorical columns in the trace formula `form`."""
    return "indicator" if Matrix.INDICATOR in (form.x, form.y) else "projector"


def of_traces(
    n: IntArray,
    value: FloatArray,
    invariants: tuple[FloatArray, FloatArray] | None,
    counts: Sequence[IntArray],
    are_labels: tuple[bool, bool],
    *,
    is_flipped: bool = False,
) -> PairStatistics:
    """Assemble `PairStatistics` of pairs with categories from values, distinct counts and group sizes.

    `counts` are the distinct values of x and of y, and the sizes of their smallest categories, 0 for numbers.
    If `is_flipped`, all but the value is told of y first.
    """
    order = [1, 0] if is_flipped else [0, 1]
    distinct, smallest = np.stack(counts[:2])[order], np.stack(counts[2:])[order]
    is_group = np.array(are_labels)[order]
    return PairStatistics(
        n=n,
        value=value,
        distinct=distinct,
        is_degenerate=(n < 3) | (distinct.min(axis=0) <= 1) | (distinct == n)[is_group].any(axis=0),
        invariants=None if invariants is None else (invariants[order[0]], invariants[order[1]]),
        smallest=smallest,
    )


def table_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Compute the measure and the inputs of its null for pairs of categorical columns from their tables."""
    x, y = (_prepared(Matrix.INDICATOR, side, pairs.memory) for side in (pairs.x, pairs.y))
    weights = weights_of(form)
    trace, a, b, n, *counts = in_runs(
        lambda first, second: _native.table_traces(x, y, first, second, weights),
        (pairs.first, pairs.second),
        _TABLE_ROW * len(pairs.x[0]),
    )
    return of_traces(n, trace, (a, b), counts, (True, True))


def information_rows(pairs: ColumnPairs) -> PairStatistics:
    """Return mutual information of pairs of categorical columns in bits, with its exact null moments."""
    x, y = (_prepared(Matrix.INDICATOR, side, pairs.memory) for side in (pairs.x, pairs.y))
    cells = _n_labels(pairs.x)[pairs.first] * _n_labels(pairs.y)[pairs.second]
    observed, bound, mean, variance, n, *counts = in_runs(
        lambda first, second: _native.table_information(x, y, first, second, MAX_BULK_VARIANCE_OPERATIONS),
        (pairs.first, pairs.second),
        _TABLE_ROW * len(pairs.x[0]) + np.minimum(_CELL * cells, MAX_BULK_VARIANCE_OPERATIONS),
    )
    bits = 1 / (np.maximum(n, 1) * np.log(2))
    moments = np.stack([mean * bits, variance * bits**2, np.full(len(n), np.nan)])
    found = of_traces(n, observed * bits, None, counts, (True, True))
    return replace(found, bound=bound * bits, moments=moments)


def mixed_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Compute the measure and its null inputs for pairs of a categorical and a numeric column.

    The value is tr(A·B). If ranks are used, midranks are taken among the rows of each pair.
    """
    is_flipped, weights = form.y not in LINES, weights_of(form)
    own = pairs.flipped() if is_flipped else pairs
    numbers, second, memory = own.y, own.second, own.memory
    if form.y is Matrix.RANKS:
        of_pairs = zip(own.first.tolist(), second.tolist(), strict=True)
        numbers, second = [_with_missing_of(own.x[a], own.y[b]) for a, b in of_pairs], np.arange(len(second))
        memory = Memory()
    groups = _prepared(Matrix.INDICATOR, own.x, own.memory)
    lines = _prepared(form.y if form.y in LINES else form.x, numbers, memory)
    trace, a, b, n, *counts = in_runs(
        lambda first, second: _native.group_traces(groups, lines, first, second, weights),
        (own.first, second),
        _NUMBER_ROW * len(own.x[0]),
    )
    return of_traces(n, trace, (a, b), counts, (True, False), is_flipped=is_flipped)


def is_bent(form: Trace) -> bool:
    """Return True if x enters by a piecewise linear function, or by ranks while y enters by indicators."""
    return form.x in _PIECES and (form.x is not Matrix.RANKS or form.y is Matrix.INDICATOR)


def bent_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Compute the measure and its null inputs for pairs in which x enters as a piecewise linear function."""
    x = _prepared(form.x, pairs.x, pairs.memory, _PIECES[form.x])
    y = _prepared(form.y, pairs.y, pairs.memory)
    trace, a, b, n, *counts = in_runs(
        lambda first, second: _native.bent_traces(x, y, first, second),
        (pairs.first, pairs.second),
        _BENT_ROW * len(pairs.x[0]),
    )
    return of_traces(n, trace, (a, b), counts, (False, form.y is Matrix.INDICATOR))


def _with_missing_of(other: Column, column: Column) -> Column:
    """Return the column with the rows that `other` misses set to missing too."""
    if other.is_missing is None:
        return column
    is_missing = other.is_missing if column.is_missing is None else column.is_missing | other.is_missing
    return replace(column, is_missing=is_missing)


def _prepared(matrix: Matrix, side: Sequence[Column], memory: Memory, n_pieces: int = 0) -> Any:
    """Return columns as kernels take them: categories, numbers, midranks, or piecewise linear functions."""
    are_ranks = matrix in (Matrix.RANKS, Matrix.RANK_BENDS)

    def prepare(columns: Sequence[Column]) -> Any:
        if matrix is Matrix.INDICATOR:
            return _label_columns(columns)
        ready = _native.BentColumns(n_pieces, are_ranks) if n_pieces else _native.NumberColumns()
        for column in columns:
            ready.add(_numbers_or_ranks(column, are_ranks=are_ranks))
        return ready

    return memory.of((matrix, n_pieces), side, prepare, n_bytes=32 * len(side) * len(side[0].values))


def _numbers_or_ranks(column: Column, *, are_ranks: bool) -> FloatArray:
    """Return a column's numbers or midranks, with NaN for missing values."""
    is_present = None if column.is_missing is None else ~column.is_missing
    numbers = numbers_of(column, is_present, "explained")
    if are_ranks:
        numbers = order_values(numbers).midranks
    if is_present is None:
        return numbers
    values = np.full(len(column), np.nan)
    values[is_present] = numbers
    return values


def _label_columns(columns: Sequence[Column]) -> _native.LabelColumns:
    """Convert the columns to category codes for the counting kernels."""
    ready = _native.LabelColumns()
    for column in columns:
        is_coded = bool(column.labels) or column.values.dtype.kind == "b"
        codes = column.values.astype(np.int32) if is_coded else codes_of(column, None)
        if column.is_missing is not None:
            codes[column.is_missing] = -1
        ready.add(codes)
    return ready


def _n_labels(columns: Sequence[Column]) -> FloatArray:
    """Return an upper bound on the number of categories of each column."""
    return np.array([min(len(c.labels) or len(c), len(c)) for c in columns], dtype=np.float64)
