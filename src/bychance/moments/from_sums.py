"""Statistics of the column pairs of a stream, from sums over all of its rows.

Given covariates that are removed linearly, observed values and null means are of all rows. The shape of the
residuals comes from the sampled rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column
from bychance.covariates.covariates import Covariates
from bychance.covariates.moments import moments_of_ratios
from bychance.covariates.pair import has_common_effect
from bychance.covariates.settings import remarks_of_pairs
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.structures import Matrix, Trace
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.complete import DISTINCT_LIMIT, LineMoments, moments_of
from bychance.moments.groups import of_traces, weights_of
from bychance.moments.missing import of_figures
from bychance.moments.row_sums import RowSums
from bychance.moments.sums_of_pairs import CountedTable, GivenSums
from bychance.moments.within_cells import of_partial_correlations
from bychance.nulls.statistics import PairStatistics, invariants_of_lines, merge_subsets

__all__ = [
    "MAX_CANCELLATION",
    "are_duplicates",
    "fewest_others",
    "from_sums",
    "given_from_sums",
    "has_sums_for",
    "label_of",
    "numeric_of",
    "shared_counts",
    "shared_sizes",
    "table_of",
    "varies",
]

Weights = Literal["indicator", "projector"]

# Ratio of summed terms to their sum. With a larger one, rounding could show in the tenth digit.
MAX_CANCELLATION = 1e5
_ALIKE_ROWS = 10_000  # sampled rows in which common values are counted, with five errors to spare (taste)
_FEWEST_LEFT = 3  # residual degrees of freedom that a pair needs at least
_KEPT = 1e-9  # share of its sum of squares that a covariate must keep beside earlier ones (rounding)
_LEAST_LEFT = 1e-5  # residual share of a sum of squares; with less, rounding could show, and rows decide
_SUMMED = {Matrix.LINE, Matrix.PROJECTOR, Matrix.INDICATOR}


def has_sums_for(form: object, sums: RowSums) -> bool:
    """Return True if sums over the rows suffice to compute a measure of algebraic form `form`."""
    summed = {*_SUMMED, Matrix.BENDS} if sums.wanted.bends else _SUMMED
    return isinstance(form, Trace) and {form.x, form.y} <= summed


def from_sums(pairs: ColumnPairs, sums: RowSums, form: Trace) -> PairStatistics:
    """Compute a measure and its null inputs for each pair from sums. Imprecise pairs count as degenerate.

    If the sums of a pair cancel, its sums about the columns' own means are used, if these were made.
    """
    if form.x is Matrix.BENDS:
        return _bent(pairs, sums, form)
    find = _tables if Matrix.LINE not in (form.x, form.y) else _lines if form.x is form.y else _mixed
    found, nowhere = find(pairs, sums, form), np.zeros(1, dtype=np.intp)
    closer = list[tuple[IndexArray, PairStatistics]]()
    for k in np.flatnonzero(found.is_degenerate).tolist() if sums.closer else []:
        x, y = pairs.x[pairs.first[k]], pairs.y[pairs.second[k]]
        own = sums.closer.get(frozenset((x.name, y.name)))
        if own is not None:
            pair = replace(pairs, x=[x], y=[y], first=nowhere, second=nowhere)
            closer.append((np.array([k]), from_sums(pair, own, form)))
    return merge_subsets(found.n, [(np.arange(len(found.n)), found), *closer]) if closer else found


def _lines(pairs: ColumnPairs, sums: RowSums, form: Trace) -> PairStatistics:
    """Compute r² and the inputs of its null for pairs of numeric columns, from sums over rows."""
    x, y = (np.array([numeric_of(sums, column) for column in side]) for side in (pairs.x, pairs.y))
    x, y = x[pairs.first], y[pairs.second]
    a, b, n = _moments(sums, x, y), _moments(sums, y, x), sums.counts[x, y]
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (sums.cross[x, y] - n * a.mean * b.mean) / (a.norm * b.norm)
    distinct = np.stack([sums.distinct[x], sums.distinct[y]])
    r[~(a.is_sound & b.is_sound) | (distinct < 2).any(axis=0)] = np.nan
    figures = np.column_stack([r, a.third, a.fourth, a.sixth, b.third, b.fourth, b.sixth])
    return of_figures(n, figures, np.where(distinct > 2, DISTINCT_LIMIT, distinct))


def _moments(sums: RowSums, numbers: IndexArray, masks: IndexArray | int) -> LineMoments:
    """Compute moments of numeric columns over the rows that another column has, one entry per pair."""
    n = np.maximum(sums.counts[numbers, masks], 1).astype(np.float64)
    return moments_of(sums.powers[masks, :, numbers], n, MAX_CANCELLATION)


def _mixed(pairs: ColumnPairs, sums: RowSums, form: Trace) -> PairStatistics:
    """Compute the measure and its null inputs for pairs of a categorical and a numeric column, from sums."""
    labels_are_x = form.y is Matrix.LINE
    own = pairs if labels_are_x else pairs.flipped()
    numbers = np.array([numeric_of(sums, column) for column in own.y])[own.second]
    parts = list[tuple[IndexArray, PairStatistics]]()
    for i in np.unique(own.first).tolist():
        at, label = np.flatnonzero(own.first == i), label_of(sums, own.x[i])
        parts.append((at, _groups(sums, label, numbers[at], weights_of(form), labels_are_x=labels_are_x)))
    return merge_subsets(np.zeros(len(own.first), dtype=np.int64), parts)


def _groups(
    sums: RowSums, label: int, numbers: IndexArray, form: Weights, *, labels_are_x: bool
) -> PairStatistics:
    """Compute the measure and its null inputs for one categorical column with several numeric columns."""
    group = sums.groups[label]
    sizes = np.ascontiguousarray((group.sizes[:, np.newaxis] - group.missing[:, numbers]).T)
    totals = np.ascontiguousarray(group.sums[:, numbers].T)
    n, n_values = sizes.sum(axis=1), sums.distinct[numbers]
    m = _moments(sums, numbers, len(sums.names[0]) + label)
    is_known = (n >= 3) & (n_values > 1) & m.is_sound
    with np.errstate(divide="ignore", invalid="ignore"):
        totals = (totals - sizes * m.mean[:, np.newaxis]) / m.norm[:, np.newaxis]
        squares = totals**2 / np.maximum(sizes, 1) if form == "projector" else totals**2
        traces = np.where(is_known, squares.sum(axis=1), 0.0)
        lines = invariants_of_lines(np.stack([m.third, m.fourth, m.sixth], axis=1))
    groups = np.stack([_partition(row[row > 0], form) for row in sizes])
    counts = np.count_nonzero(sizes, axis=1), n_values, *np.zeros((2, len(n)), dtype=np.int64)
    sides = (groups, lines), counts, (True, False)
    rows = of_traces(n, traces, *sides, is_flipped=not labels_are_x)
    return replace(rows, is_degenerate=rows.is_degenerate | ~is_known)


def _bent(pairs: ColumnPairs, sums: RowSums, form: Trace) -> PairStatistics:
    """Compute the measure and its null inputs for pairs in which x enters as a piecewise linear function."""
    assert sums.wanted.bends is not None
    is_class, found = form.y is Matrix.INDICATOR, list[Any]()
    for i, j in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        x, mask = numeric_of(sums, pairs.x[i]), _mask(sums, pairs.y[j])
        slots, is_sound = sums.summed([x])[1:], np.True_
        if is_class:
            label = label_of(sums, pairs.y[j])
            products, sizes = sums.groups[label].sums[:, slots], shared_sizes(sums, label, x)
            sizes = sizes[sizes > 0]
            b, n_y, y_least = _partition(sizes, "indicator"), len(sizes), sizes.min(initial=sums.n_rows)
        else:
            m = _moments(sums, np.array([mask]), x)
            is_sound, n_y, y_least = m.is_sound[0], sums.distinct[mask], 0
            products = sums.cross[mask : mask + 1, slots] / m.norm
            b = invariants_of_lines(np.stack([m.third, m.fourth, m.sixth], axis=1))[0]
        powers, products = map(np.ascontiguousarray, (sums.powers[mask][:, slots], products))
        trace, a, rank, x_least = _native.bent_trace(powers, products, *sums.wanted.bends[pairs.x[i].name])
        n, n_x = int(sums.counts[x, mask]), sums.distinct[x] if rank == 1 else rank + 1
        # Bends of many sampled rows are too many for a pair of few rows.
        is_known = is_sound & np.isfinite(trace) & (rank <= _native.pieces_for(n))
        found.append((n, trace, a, b, is_known, n_x, n_y, x_least, y_least))
    n_rows, traces, x_sums, y_sums, are_known, *counts = map(np.array, zip(*found, strict=True))
    rows = of_traces(n_rows, traces, (x_sums, y_sums), counts, (False, is_class))
    return replace(rows, is_degenerate=rows.is_degenerate | ~are_known)


def _tables(pairs: ColumnPairs, sums: RowSums, form: Trace) -> PairStatistics:
    """Compute the measure and its null inputs for pairs of categorical columns from contingency tables."""
    y_form = weights_of(form)
    found = list[Any]()
    for i, j in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        table = table_of(sums, pairs.x[i], pairs.y[j])
        value = table.sum("gain" if y_form == "indicator" else "contingency") if table.n else 0.0
        a, b = _partition(table.rows, "projector"), _partition(table.columns, y_form)
        least = (int(sizes.min()) if len(sizes) else 0 for sizes in (table.rows, table.columns))
        found.append((value, a, b, table.n, len(table.rows), len(table.columns), *least))
    traces, *others = (np.array(each) for each in zip(*found, strict=True))
    return of_traces(others[2], traces, (others[0], others[1]), others[3:], (True, True))


def _partition(sizes: IntArray, form: Weights) -> FloatArray:
    if not len(sizes):
        return np.zeros(8)
    return _native.partition_invariants(sizes, 1.0 / sizes if form == "projector" else np.ones(len(sizes)))


def given_from_sums(
    measure: Measure[Any], covariates: Covariates, pairs: ColumnPairs, sums: RowSums
) -> PairStatistics | None:
    """Compute partial r² and its null moments from sums, or return None if sums do not suffice."""
    is_line = measure.name in ("r2", "explained") and has_common_effect(measure, covariates)
    sides = pairs.x, pairs.y
    are_numbers = all(column.kind is Kind.NUMERIC for side in sides for column in side)
    if sums.given is None or not (is_line and are_numbers):
        return None
    x, y = (np.array([numeric_of(sums, column) for column in side]) for side in sides)
    i, j = x[pairs.first], y[pairs.second]
    n = sums.counts[i, j]
    r, df, is_sound = _partial_correlations(sums, sums.given, i, j)
    distinct = np.stack([sums.distinct[i], sums.distinct[j]])
    at = np.flatnonzero(is_sound & (n - df >= _FEWEST_LEFT) & (distinct.min(axis=0) > 1))
    first, second = pairs.first[at], pairs.second[at]
    (x_shapes, x_follows), (y_shapes, y_follows) = (_residual_shapes(side, covariates) for side in sides)
    still_follow = x_follows[first] & y_follows[second]
    moments, skewed = _null_moments(n[at], df[at], (x_shapes[first], y_shapes[second]))
    known = of_partial_correlations(
        r[at],
        n=n[at],
        df=df[at],
        distinct=distinct[:, at],
        others=fewest_others(pairs, sums, n)[:, at],
        log_arrangements=special.gammaln(n[at] + 1.0),
        moments=moments,
        third_cumulants=skewed,
        is_ratio=np.ones(len(at), dtype=np.bool_),
        remarks=remarks_of_pairs(
            lambda k: ("", ""),
            covariates.names,
            n=n[at],
            df=df[at],
            n_used=n[at],
            shares=np.zeros((2, len(at))),  # not known
            follow=still_follow,
        ),
        still_follow=still_follow,
    )
    return merge_subsets(n, [(at, known)])


def _residual_shapes(columns: Sequence[Column], covariates: Covariates) -> tuple[FloatArray, BoolArray]:
    """Return standardized moments of orders 3, 4 and 6 of each column's residuals, and flag lack of fit.

    The residuals are those of the sampled rows. A flagged column still follows the covariates. Moments are
    NaN if nothing is left of a column.
    """
    shapes, follows = np.full((len(columns), 3), np.nan), np.zeros(len(columns), dtype=np.bool_)
    for k, column in enumerate(columns):
        if len(column.present) < _FEWEST_LEFT:
            continue
        rows = None if column.is_missing is None else ~column.is_missing
        residuals = covariates.residuals_of([column], rows, "linear", are_ranks=False)
        follows[k] = residuals.follows[0]
        if not residuals.is_degenerate[0]:
            standardized = residuals.values[0] * np.sqrt(len(column.present))
            shapes[k] = [np.mean(standardized**power) for power in (3, 4, 6)]
    return shapes, follows


def _partial_correlations(
    sums: RowSums, given: GivenSums, i: IndexArray, j: IndexArray
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Compute partial correlations and the rank of the covariates from sums, and flag precise results.

    The cross-product matrix, of both columns, the intercept and the regressors in this order, is swept by
    one regressor after the other, the intercept first.
    """
    own, other = given.products[i, j], given.products[j, i]
    products = np.pad(own, ((0, 0), (1, 0), (1, 0)))
    products[:, 0, 2:] = products[:, 2:, 0] = other[:, 0, 1:]
    products[:, 0, 0], products[:, 0, 1] = other[:, 0, 0], sums.cross[i, j]
    products[:, 1, 0] = sums.cross[i, j]
    sizes = np.einsum("kaa->ka", products).copy()
    df = np.zeros(len(i), dtype=np.int64)
    for k in range(2, sizes.shape[1]):
        pivot = products[:, k, k]
        is_kept = pivot > _KEPT * sizes[:, k]
        df += is_kept
        row = products[:, k] * np.where(is_kept, 1.0 / np.where(is_kept, pivot, 1.0), 0.0)[:, np.newaxis]
        products = products - products[:, :, k, np.newaxis] * row[:, np.newaxis, :]
    left = products[:, [0, 1], [0, 1]]
    is_sound = np.all(left > _LEAST_LEFT * sizes[:, :2], axis=1)
    norm = np.sqrt(np.where(is_sound, left[:, 0] * left[:, 1], 1.0))
    return np.clip(products[:, 0, 1] / norm, -1.0, 1.0), df, is_sound


def _null_moments(
    n: IntArray, df: IntArray, shapes: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Compute null moments of squared partial correlations, with residual shapes taken from sampled rows."""
    rows = n.astype(np.float64)
    to_sums = np.stack([rows**-0.5, 1 / rows, rows**-2.0], axis=1)
    x, y = (invariants_of_lines(shape * to_sums) for shape in shapes)
    each = np.arange(len(n))
    mean, variance, third, _ = _native.trace_moments(x, y, rows, each, each)
    # A re-paired line keeps this share of its squares once residualized again.
    first = (rows - df) / (rows - 1)
    left = first, first**2 + 2 * (df - 1) / (rows - 1) ** 2
    mean, variance, third = moments_of_ratios(mean, variance, third, left)
    return np.stack([mean, variance, third]), (shapes[0][:, 0] * shapes[1][:, 0]) ** 2 / rows


def shared_counts(sums: RowSums, x: Sequence[Column], y: Sequence[Column]) -> IntArray:
    """Count the rows in which both columns have a value, for every column of x with every column of y."""
    places = [[_mask(sums, column) for column in side] for side in (x, y)]
    return sums.counts[np.ix_(*places)]


def are_duplicates(sums: RowSums, x: Column, y: Column) -> bool | None:
    """Return True if two categorical columns are equal up to renaming, or None if the sums cannot tell."""
    if not (x.kind is y.kind is Kind.CATEGORICAL and sums.tables):
        return None
    return table_of(sums, x, y).is_one_to_one


def varies(sums: RowSums, column: Column) -> bool:
    """Return True if a column has more than one value."""
    if column.name in sums.names[0]:
        return bool(sums.distinct[numeric_of(sums, column)] > 1)
    return len(sums.dictionaries[label_of(sums, column)]) > 1


def shared_sizes(sums: RowSums, label: int, number: int) -> IntArray:
    """Count the rows of each category in which a numeric column has a value."""
    group = sums.groups[label]
    return group.sizes - group.missing[:, number]


def fewest_others(pairs: ColumnPairs, sums: RowSums, n: IntArray) -> IntArray:
    """Return lower bounds on how many rows of each pair differ from x's, and from y's, most common value."""
    find = partial(_most_common_counts, sums)
    x, y = (pairs.memory.of("alike", side, find) for side in (pairs.x, pairs.y))
    return np.maximum(n - np.stack([x[pairs.first], y[pairs.second]]), 0)


def _most_common_counts(sums: RowSums, columns: Sequence[Column]) -> IntArray:
    """Return upper bounds on how often the most common value of each streamed column occurs."""
    return np.array([_most_common_count(sums, column) for column in columns], dtype=np.int64)


def _most_common_count(sums: RowSums, column: Column) -> int:
    """Return an upper bound on how often the most common value of a streamed column occurs.

    It is exact for categories and for a number that most rows share. Otherwise it is estimated from the
    sample.
    """
    present = int(np.diag(sums.counts)[_mask(sums, column)])
    if column.name in sums.names[1] and sums.groups and len(sums.groups[label_of(sums, column)].sizes):
        return int(sums.groups[label_of(sums, column)].sizes.max())
    if column.name in sums.names[0]:
        at_center = int(sums.zeros[numeric_of(sums, column)])
        if at_center > present // 2:
            return at_center
    present_here = column.present
    in_sample = np.unique(present_here[:: 1 + len(present_here) // _ALIKE_ROWS], return_counts=True)[1]
    most = int(in_sample.max(initial=0))
    # Five standard errors more than the sample has.
    share = (most + 5 * np.sqrt(most) + 5) / max(int(in_sample.sum()), 1)
    return min(present // 2, int(np.ceil(share * present)))


def table_of(sums: RowSums, x: Column, y: Column) -> CountedTable:
    """Return the contingency table of two categorical columns."""
    a, b = label_of(sums, x), label_of(sums, y)
    table = CountedTable(sums.tables[min(a, b), max(a, b)])
    return table if a < b else table.flipped()


def _mask(sums: RowSums, column: Column) -> int:
    numeric, labels = sums.names
    return numeric.index(column.name) if column.name in numeric else len(numeric) + labels.index(column.name)


def numeric_of(sums: RowSums, column: Column) -> int:
    """Return the position of a numeric column among the numeric columns of the sums."""
    return sums.names[0].index(column.name)


def label_of(sums: RowSums, column: Column) -> int:
    """Return the position of a categorical column among the categorical columns of the sums."""
    return sums.names[1].index(column.name)
