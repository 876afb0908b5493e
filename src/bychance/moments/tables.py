"""Statistics of pairs of categorical columns: traces or mutual information, on the rows both columns have.

A category that occurs in none of these rows is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, codes_of
from bychance.measures.structures import Matrix, Trace
from bychance.moments.chunks import chunks, joined
from bychance.moments.column_pairs import ColumnPairs
from bychance.nulls.moments import MAX_BULK_VARIANCE_OPERATIONS
from bychance.nulls.statistics import PairStatistics, is_uninformative

__all__ = ["information_rows", "label_columns", "of_tables", "table_rows", "weights_of"]

# Measured, with room for a slower machine: a row counted, and the moments of a cell of mutual information.
_ROW_NANOSECONDS, _CELL_NANOSECONDS = 2.0, 1_000.0


def weights_of(form: Trace) -> Literal["indicator", "projector"]:
    """Return the form of the categorical matrix: "indicator" for class labels, otherwise "projector"."""
    return "indicator" if Matrix.INDICATOR in (form.x, form.y) else "projector"


def table_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Return tr(A·B) of pairs of categorical columns, with A the projector on the categories of x."""
    rows, columns = _both(pairs)
    parts = chunks(_ROW_NANOSECONDS * len(pairs.x[0]), len(pairs.first))
    trace, x_invariants, y_invariants, n, *counts = joined(
        _native.table_traces(rows, columns, pairs.first[part], pairs.second[part], weights_of(form))
        for part in parts
    )
    return of_tables(trace, (x_invariants, y_invariants), n, *counts)


def of_tables(
    trace: NDArray[np.float64],
    invariants: tuple[NDArray[np.float64], NDArray[np.float64]],
    n: NDArray[np.int64],
    *counts: NDArray[np.int64],
) -> PairStatistics:
    """Return the statistics of categorical pairs from tr(A·B), invariants of A and B, and category counts.

    `counts` are the numbers of categories of x and of y, and the sizes of their smallest categories.
    """
    x_distinct, y_distinct, x_smallest, y_smallest = counts
    distinct = np.stack([x_distinct, y_distinct])
    return PairStatistics(
        n=n,
        value=trace,
        distinct=distinct,
        is_degenerate=is_uninformative(n, distinct),
        invariants=invariants,
        smallest=np.stack([x_smallest, y_smallest]),
    )


def information_rows(pairs: ColumnPairs) -> PairStatistics:
    """Return mutual information of pairs of categorical columns in bits, with its exact null moments."""
    first, second = pairs.first, pairs.second
    rows, columns = _both(pairs)
    cells = _n_labels(pairs.x)[first] * _n_labels(pairs.y)[second]
    cell_cost = np.minimum(_CELL_NANOSECONDS * cells, MAX_BULK_VARIANCE_OPERATIONS)
    cost = _ROW_NANOSECONDS * len(pairs.x[0]) + cell_cost
    observed, bound, mean, variance, n, x_distinct, y_distinct, x_smallest, y_smallest = joined(
        _native.table_information(rows, columns, first[part], second[part], MAX_BULK_VARIANCE_OPERATIONS)
        for part in chunks(cost, len(first))
    )
    bits = 1 / (np.maximum(n, 1) * np.log(2))
    distinct = np.stack([x_distinct, y_distinct])
    return PairStatistics(
        n=n,
        value=observed * bits,
        distinct=distinct,
        is_degenerate=is_uninformative(n, distinct),
        smallest=np.stack([x_smallest, y_smallest]),
        bound=bound * bits,
        moments=np.stack([mean * bits, variance * bits**2, np.full(len(n), np.nan)]),
    )


def label_columns(columns: Sequence[Column]) -> _native.LabelColumns:
    """Convert the columns to category codes for the counting kernels."""
    ready = _native.LabelColumns()
    for column in columns:
        is_coded = bool(column.labels) or column.values.dtype.kind == "b"
        codes = column.values.astype(np.int32) if is_coded else codes_of(column, None)
        if column.is_missing is not None:
            codes[column.is_missing] = -1
        ready.add(codes)
    return ready


def _both(pairs: ColumnPairs) -> tuple[_native.LabelColumns, _native.LabelColumns]:
    rows = label_columns(pairs.x)
    return rows, rows if pairs.y is pairs.x else label_columns(pairs.y)


def _n_labels(columns: Sequence[Column]) -> NDArray[np.float64]:
    """Return an upper bound on the number of categories of each column."""
    return np.array([min(len(c.labels) or len(c), len(c)) for c in columns], dtype=np.float64)
