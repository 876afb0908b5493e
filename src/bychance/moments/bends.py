"""Pairs of a numeric column, as a line that may bend, and any other → traces on the rows both have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.measures.base import Matrix, Trace
from bychance.memory import Memory
from bychance.moments.chunks import chunks, joined
from bychance.moments.groups import number_columns, numbers_or_ranks
from bychance.moments.tables import label_columns
from bychance.nulls.statistics import PairStatistics

__all__ = ["bent_rows", "is_bent"]

# Measured, with room for a slower machine, where rows are missing.
_ROW_NANOSECONDS = 40.0

Indices = NDArray[np.intp]


def is_bent(form: Trace) -> bool:
    """Return True if x is a line that may bend, or ranks beside classes: a line without bends."""
    return form.x in (Matrix.BENDS, Matrix.RANK_BENDS) or (
        form.x is Matrix.RANKS and form.y is Matrix.INDICATOR
    )


def bent_rows(
    x: Sequence[Column], y: Sequence[Column], first: Indices, second: Indices, form: Trace, memory: Memory
) -> PairStatistics:
    """Return tr(A·B) of the pairs (x[first[k]], y[second[k]]), A the projector on bent lines of x."""
    bent = memory.of(("bent", form.x), x, lambda side: _bent_columns(side, form.x), n_bytes=_n_bytes(x))
    others: _native.LabelColumns | _native.NumberColumns
    if form.y is Matrix.INDICATOR:
        others = memory.of("labels of bends", y, label_columns, n_bytes=_n_bytes(y))
    else:
        is_ranked = form.y is Matrix.RANKS
        others = memory.of(
            ("lines", is_ranked),
            y,
            lambda side: number_columns(side, are_ranks=is_ranked),
            n_bytes=_n_bytes(y),
        )
    cost = np.full(len(first), _ROW_NANOSECONDS * (len(x[0]) if x else 0))
    trace, x_invariants, y_invariants, n, *counts = joined(
        _native.bent_traces(bent, others, first[part], second[part]) for part in chunks(cost)
    )
    x_distinct, y_distinct, x_smallest, y_smallest = counts
    is_degenerate = (n < 3) | (x_invariants[:, 0] < 1) | (y_distinct <= 1)
    if form.y is Matrix.INDICATOR:
        is_degenerate |= (y_distinct == n) | ((x_smallest > 0) & (x_distinct == n))
    return PairStatistics(
        n=n,
        value=trace,
        distinct=np.stack([x_distinct, y_distinct]),
        is_degenerate=is_degenerate,
        invariants=(x_invariants, y_invariants),
        smallest=np.stack([x_smallest, y_smallest]),
    )


def _bent_columns(columns: Sequence[Column], matrix: Matrix) -> _native.BentColumns:
    is_ranked = matrix is not Matrix.BENDS
    ready = _native.BentColumns(1 if matrix is Matrix.RANKS else 5, is_ranked)
    for column in columns:
        ready.add(numbers_or_ranks(column, are_ranks=is_ranked))
    return ready


def _n_bytes(columns: Sequence[Column]) -> int:
    return 32 * len(columns) * (len(columns[0]) if columns else 0)
