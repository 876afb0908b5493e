"""Pairs of a categorical and a numeric column → sums over groups on the rows both have → traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of
from bychance.measures.ordering import order_values
from bychance.moments.chunks import chunks, joined
from bychance.moments.tables import label_columns
from bychance.nulls.statistics import PairStatistics

__all__ = ["mixed_rows", "number_columns", "numbers_or_ranks", "of_groups"]

# Measured, with room for a slower machine, where rows are missing.
_ROW_NANOSECONDS = 15.0


def mixed_rows(
    labels: Sequence[Column],
    numbers: Sequence[Column],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    *,
    form: Literal["projector", "indicator"],
    labels_are_x: bool,
    are_ranks: bool = False,
) -> PairStatistics:
    """Return tr(A·B) of the pairs (labels[first[k]], numbers[second[k]]): `form` of the groups, and a line.

    x of the record is the categories or the numbers, as `labels_are_x` says. With `are_ranks` the line goes
    through midranks among the rows that a pair shares.
    """
    if are_ranks:
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        numbers, second = [_with_gaps_of(labels[a], numbers[b]) for a, b in pairs], np.arange(len(first))
    groups, lines = label_columns(labels), number_columns(numbers, are_ranks=are_ranks)
    cost = np.full(len(first), _ROW_NANOSECONDS * (len(labels[0]) if labels else 0))
    *found, _, _ = joined(
        _native.group_traces(groups, lines, first[part], second[part], form) for part in chunks(cost)
    )
    return of_groups(*found, labels_are_x=labels_are_x)


def _with_gaps_of(other: Column, column: Column) -> Column:
    """Return the column with the other's missing rows missing, too."""
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
    """Return the statistics of a categorical and a numeric column each."""
    order = (0, 1) if labels_are_x else (1, 0)
    invariants, distinct = (group_invariants, line_invariants), (n_groups, n_values)
    return PairStatistics(
        n=n,
        value=trace,
        distinct=np.stack([distinct[k] for k in order]),
        is_degenerate=(n < 3) | (n_groups <= 1) | (n_groups == n) | (n_values <= 1),
        invariants=(invariants[order[0]], invariants[order[1]]),
    )


def number_columns(columns: Sequence[Column], *, are_ranks: bool = False) -> _native.NumberColumns:
    """Return the columns' numbers, or the midranks of those that they have, NaN where missing."""
    ready = _native.NumberColumns()
    for column in columns:
        ready.add(numbers_or_ranks(column, are_ranks=are_ranks))
    return ready


def numbers_or_ranks(column: Column, *, are_ranks: bool) -> NDArray[np.float64]:
    """Return a column's numbers, or the midranks of those that it has, NaN where missing."""
    is_present = None if column.is_missing is None else ~column.is_missing
    numbers = numbers_of(column, is_present, "explained")
    if are_ranks:
        numbers = order_values(numbers).midranks
    if is_present is None:
        return numbers
    values = np.full(len(column), np.nan)
    values[is_present] = numbers
    return values
