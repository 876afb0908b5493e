"""Statistics of numeric columns with categories, and of piecewise linear fits with bends at quintiles.

Each pair is computed on the rows that both columns have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of
from bychance.measures.ranks import order_values
from bychance.measures.structures import LINES, Matrix, Trace
from bychance.moments.chunks import chunks, joined
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.tables import label_columns, weights_of
from bychance.nulls.statistics import PairStatistics

__all__ = ["bent_rows", "is_bent", "mixed_rows", "of_groups"]

# Measured, with room for a slower machine, where rows are missing.
_ROW_NANOSECONDS, _BENT_ROW_NANOSECONDS = 15.0, 40.0

Ready = TypeVar("Ready", _native.NumberColumns, _native.BentColumns)


def mixed_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Return the statistics of pairs of a categorical and a numeric column, in either order.

    The value is tr(A·B). If ranks are used, midranks are taken among the rows of each pair.
    """
    labels_are_x = form.y in LINES
    own = pairs if labels_are_x else pairs.flipped()
    are_ranks, numbers, second = form.y is Matrix.RANKS, own.y, own.second
    if are_ranks:
        of_pairs = zip(own.first.tolist(), second.tolist(), strict=True)
        numbers, second = [_with_gaps_of(own.x[a], own.y[b]) for a, b in of_pairs], np.arange(len(second))
    groups, weights = label_columns(own.x), weights_of(form)
    lines = _with_columns(_native.NumberColumns(), numbers, are_ranks=are_ranks)
    parts = chunks(_ROW_NANOSECONDS * len(own.x[0]), len(second))
    *found, _, _ = joined(
        _native.group_traces(groups, lines, own.first[part], second[part], weights) for part in parts
    )
    return of_groups(*found, labels_are_x=labels_are_x)


def _with_gaps_of(other: Column, column: Column) -> Column:
    """Return the column with the other column's missing rows set to missing too."""
    if other.is_missing is None:
        return column
    is_missing = other.is_missing if column.is_missing is None else column.is_missing | other.is_missing
    return replace(column, is_missing=is_missing)


def of_groups(
    trace: NDArray[np.float64],
    group_invariants: NDArray[np.float64],
    line_invariants: NDArray[np.float64],
    n: NDArray[np.int64],
    n_groups: NDArray[np.int64],
    n_values: NDArray[np.int64],
    *,
    labels_are_x: bool,
) -> PairStatistics:
    """Return the statistics of pairs that each have a categorical and a numeric column."""
    order = (0, 1) if labels_are_x else (1, 0)
    invariants, distinct = (group_invariants, line_invariants), (n_groups, n_values)
    return PairStatistics(
        n=n,
        value=trace,
        distinct=np.stack([distinct[k] for k in order]),
        is_degenerate=(n < 3) | (n_groups <= 1) | (n_groups == n) | (n_values <= 1),
        invariants=(invariants[order[0]], invariants[order[1]]),
    )


def _with_columns(ready: Ready, columns: Sequence[Column], *, are_ranks: bool = False) -> Ready:
    """Add the columns' numbers or midranks to a kernel's input."""
    for column in columns:
        ready.add(_numbers_or_ranks(column, are_ranks=are_ranks))
    return ready


def _numbers_or_ranks(column: Column, *, are_ranks: bool) -> NDArray[np.float64]:
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


def is_bent(form: Trace) -> bool:
    """Return True if x enters as a piecewise linear function, or as ranks that predict classes."""
    return form.x in (Matrix.BENDS, Matrix.RANK_BENDS) or (
        form.x is Matrix.RANKS and form.y is Matrix.INDICATOR
    )


def bent_rows(pairs: ColumnPairs, form: Trace) -> PairStatistics:
    """Return tr(A·B) of pairs, with A the projector on piecewise linear functions of x."""
    x, y, memory = pairs.x, pairs.y, pairs.memory
    n_bends, are_ranks = 1 if form.x is Matrix.RANKS else 5, form.x is not Matrix.BENDS
    bent = memory.of(
        ("bent", form.x),
        x,
        lambda side: _with_columns(_native.BentColumns(n_bends, are_ranks), side, are_ranks=are_ranks),
        n_bytes=_n_bytes(x),
    )
    others: _native.LabelColumns | _native.NumberColumns
    if form.y is Matrix.INDICATOR:
        others = memory.of("labels of bends", y, label_columns, n_bytes=_n_bytes(y))
    else:
        is_ranked = form.y is Matrix.RANKS
        others = memory.of(
            ("lines", is_ranked),
            y,
            lambda side: _with_columns(_native.NumberColumns(), side, are_ranks=is_ranked),
            n_bytes=_n_bytes(y),
        )
    parts = chunks(_BENT_ROW_NANOSECONDS * len(x[0]), len(pairs.first))
    trace, x_invariants, y_invariants, n, *counts = joined(
        _native.bent_traces(bent, others, pairs.first[part], pairs.second[part]) for part in parts
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


def _n_bytes(columns: Sequence[Column]) -> int:
    return 32 * len(columns) * len(columns[0])
