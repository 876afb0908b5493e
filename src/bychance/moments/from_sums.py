"""Statistics of pairs of a stream: from sums over all rows, as columns in memory would give them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.measures.base import Matrix, Trace
from bychance.moments.columns_in_sums import label_of, numeric_of, table_of_labels
from bychance.moments.complete import DISTINCT_LIMIT, moments_of
from bychance.moments.counted_table import CountedTable
from bychance.moments.groups import of_groups
from bychance.moments.missing import PowerSums, figures_of_sums, of_figures
from bychance.moments.row_sums import RowSums
from bychance.moments.tables import of_tables
from bychance.nulls.statistics import PairStatistics, invariants_of_lines

__all__ = ["MAX_CANCELLATION", "from_sums", "has_sums_for"]

Indices = NDArray[np.intp]
Sides = tuple[Sequence[Column], Sequence[Column]]
Weights = Literal["indicator", "projector"]

# Terms over their sum: beyond this, rounding could show in the tenth digit of the sum.
MAX_CANCELLATION = 1e5
_SUMMED = {Matrix.LINE, Matrix.PROJECTOR, Matrix.INDICATOR}


def has_sums_for(form: object) -> bool:
    """Return True if sums over rows give a measure of this form for whole blocks."""
    return isinstance(form, Trace) and {form.x, form.y} <= _SUMMED


def from_sums(sums: RowSums, form: Trace, sides: Sides, first: Indices, second: Indices) -> PairStatistics:
    """Return the statistics of each pair; pairs whose sums say too little are degenerate."""
    if form.x is form.y is Matrix.LINE:
        return _lines(sums, sides, first, second)
    if Matrix.LINE not in (form.x, form.y):
        return _tables(sums, sides, first, second, "indicator" if form.y is Matrix.INDICATOR else "projector")
    labels_are_x = form.y is Matrix.LINE
    is_indicator = Matrix.INDICATOR in (form.x, form.y)
    weights: Weights = "indicator" if is_indicator else "projector"
    return _mixed(sums, sides, first, second, weights, labels_are_x=labels_are_x)


def _lines(sums: RowSums, sides: Sides, first: Indices, second: Indices) -> PairStatistics:
    """Return the statistics of pairs of numeric columns; those whose sums cancel by their closer sums."""
    x, y = (np.array([numeric_of(sums, column) for column in side]) for side in sides)
    counts = sums.counts.astype(np.float64)
    figures, is_sound = _figures(sums, x, y, first, second)
    for k in np.flatnonzero(~is_sound).tolist() if sums.closer else []:
        names = sides[0][first[k]].name, sides[1][second[k]].name
        closer = sums.closer.get(frozenset(names))
        if closer is not None:
            own = [np.array([closer.names[0].index(name)]) for name in names]
            figures[k], is_sound[k] = (found[0] for found in _figures(closer, *own, *np.zeros((2, 1), int)))
    distinct = [np.array([sums.lines.n_distinct(k) for k in side]) for side in (x, y)]
    is_sound &= (distinct[0][first] > 1) & (distinct[1][second] > 1)
    figures[~is_sound, 0] = np.nan
    n = counts[x[first], y[second]].astype(np.int64)
    limits = np.stack([distinct[0][first], distinct[1][second]])
    return of_figures(n, figures, np.where(limits > 2, DISTINCT_LIMIT, limits))


def _figures(
    sums: RowSums, x: Indices, y: Indices, first: Indices, second: Indices
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return correlations and moments of pairs of numeric columns, and flag the sound ones."""
    lines, powers = sums.lines, np.arange(sums.lines.powers.shape[1])
    own = PowerSums(
        sums.counts[np.ix_(x, y)].astype(np.float64),
        lines.powers[np.ix_(y, powers, x)],
        lines.powers[np.ix_(x, powers, y)],
        lines.cross[np.ix_(x, y)],
        np.arange(len(x)),
        np.arange(len(y)),
    )
    return figures_of_sums(own, first, second, MAX_CANCELLATION)


def _mixed(
    sums: RowSums, sides: Sides, first: Indices, second: Indices, form: Weights, *, labels_are_x: bool
) -> PairStatistics:
    """Return the statistics of pairs of a categorical and a numeric column."""
    (labels, numbers) = sides if labels_are_x else sides[::-1]
    (first, second) = (first, second) if labels_are_x else (second, first)
    own = np.array([numeric_of(sums, column) for column in numbers])[second]
    found: list[Any] = [None] * len(first)
    for i in np.unique(first).tolist():
        at = np.flatnonzero(first == i)
        traces = _group_traces(sums, label_of(sums, labels[i]), own[at], form)
        for k, each in zip(at.tolist(), traces, strict=True):
            found[k] = each
    *figures, is_sound = (np.array(each) for each in zip(*found, strict=True))
    rows = of_groups(*figures, labels_are_x=labels_are_x)
    return replace(rows, is_degenerate=rows.is_degenerate | ~is_sound)


def _group_traces(sums: RowSums, label: int, numbers: Indices, form: Weights) -> Iterator[tuple[Any, ...]]:
    """Yield trace, invariants of groups and line, rows, groups, values, and True if the sums say enough.

    The pairs are of one categorical column with each of these numeric ones.
    """
    own = sums.lines.powers[len(sums.names[0]) + label][:, numbers].T
    group = sums.groups[label]
    sizes = np.ascontiguousarray((group.sizes[:, np.newaxis] - group.missing[:, numbers]).T)
    totals = np.ascontiguousarray(group.sums[:, numbers].T)
    counts = sizes.sum(axis=1)
    m = moments_of(own, np.maximum(counts, 1).astype(np.float64), MAX_CANCELLATION)
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = (totals - sizes * m.mean[:, np.newaxis]) / m.norm[:, np.newaxis]
        squares = totals**2 / np.maximum(sizes, 1) if form == "projector" else totals**2
        traces = squares.sum(axis=1)
        lines = invariants_of_lines(np.stack([m.third, m.fourth, m.sixth], axis=1))
    for k, number in enumerate(numbers.tolist()):
        names = frozenset((sums.names[1][label], sums.names[0][number]))
        closer = None if m.is_sound[k] else sums.closer.get(names)
        if closer is not None:
            yield from _group_traces(closer, 0, np.zeros(1, dtype=np.intp), form)
            continue
        n, present, values = int(counts[k]), sizes[k][sizes[k] > 0], sums.lines.n_distinct(number)
        if n < 3 or values < 2 or not m.is_sound[k]:
            yield 0.0, np.zeros(8), np.zeros(8), n, len(present), values, values < 2
        else:
            yield traces[k], _partition(present, form), lines[k], n, len(present), values, True


def _tables(sums: RowSums, sides: Sides, first: Indices, second: Indices, y_form: Weights) -> PairStatistics:
    """Return the statistics of pairs of categorical columns."""
    pairs = [
        (label_of(sums, sides[0][i]), label_of(sums, sides[1][j]))
        for i, j in zip(first.tolist(), second.tolist(), strict=True)
    ]
    found: list[Any] = [None] * len(pairs)
    before: tuple[int, int] | None = None
    table: CountedTable | None = None
    # Both directions of a pair in turn: the second is the first, flipped.
    for k in sorted(range(len(pairs)), key=lambda k: sorted(pairs[k])):
        if table is not None and pairs[k][::-1] == before:
            table = table.flipped()
        else:
            table = table_of_labels(sums, *pairs[k])
        before = pairs[k]
        value = table.sum("gain" if y_form == "indicator" else "contingency") if table.n else 0.0
        a, b = _partition(table.rows, "projector"), _partition(table.columns, y_form)
        least = (int(sizes.min()) if len(sizes) else 0 for sizes in (table.rows, table.columns))
        found[k] = value, a, b, table.n, len(table.rows), len(table.columns), *least
    traces, *others = (np.array(each) for each in zip(*found, strict=True))
    return of_tables(traces, (others[0], others[1]), *others[2:])


def _partition(sizes: NDArray[np.int64], form: Weights) -> NDArray[np.float64]:
    if not len(sizes):
        return np.zeros(8)
    return _native.partition_invariants(sizes, 1.0 / sizes if form == "projector" else np.ones(len(sizes)))
