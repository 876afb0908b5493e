"""95% confidence limits of the adjusted values, in closed form or by resampling half of the rows."""

from __future__ import annotations

import math

import numpy as np

from bychance.array_types import FloatArray
from bychance.columns import Column, shared_rows
from bychance.influence import ShareEstimate
from bychance.intervals import Sample, Shares, closed_shares, limits_of_pairs
from bychance.pair import part_of_rows, sample_of
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults, is_hopeless
from bychance.ranking.run import measured_by
from bychance.scores import bound_of

__all__ = ["LEVEL", "Limits", "limits_of_rows", "row_that_carries"]

LEVEL = 0.95  # confidence of all limits that a ranking shows (convention)
Limits = tuple[FloatArray, FloatArray]

_MOST_CLOSED = 5_000  # pairs with limits in closed form that are computed unasked: about a second
_MOST_HALVES, _MOST_HALVED_N = 50, 1_000  # pairs, and rows of each, with such limits from halves: a moment
_FEWEST = 3  # rows that a sample needs for limits (taste)
_LEFT = 0.5  # share of the adjusted value: without a row that carries the pair less is left (taste)
_FEWEST_ROWS = 5  # rows of a pair from which on one may carry it (taste)


def limits_of_rows(plan: Plan, rows: PairResults, *, is_asked: bool) -> Limits:
    """Return lower and upper 95% limits of each row's chance-adjusted value, NaN if not computed.

    Unless `is_asked`, only the first 5,000 pairs get limits in closed form. Limits from half-samples are
    computed only for rankings of up to 50 pairs, and for pairs with at most 1,000 rows of data.
    """
    low, high = np.full((2, len(rows)), math.nan)
    # There are none without data, and beyond covariates.
    if not plan.table.n_rows or plan.job.covariates is not None:
        return low, high
    columns = plan.table.columns
    is_hidden = is_hopeless(rows) | np.isnan(rows.adjusted) | ~(rows.null_std > 0)
    closed: dict[int, Shares] = {}
    for k in np.flatnonzero(~is_hidden[: None if is_asked else _MOST_CLOSED]).tolist():
        sample = _sample(plan, columns[rows.x[k]], columns[rows.y[k]], int(rows.n[k]))
        if plan.job.sums is not None and _is_degenerate(sample):
            continue
        values = {name: float(getattr(rows, name)[k]) for name in ("observed", "null_mean", "null_std")}
        adjusted = float(rows.adjusted[k])
        # The maximum of the measure that the adjusted value was computed with.
        bound = bound_of(values["observed"], values["null_mean"], adjusted) if adjusted else 1.0
        is_small = len(rows) <= _MOST_HALVES and rows.n[k] <= _MOST_HALVED_N
        if sample.has_closed_form and not sample.measure.is_root:
            estimate = _estimate_for_all_rows(sample, int(rows.n[k]), values["observed"], bound)
            closed[k] = closed_shares(sample, estimate, bound=bound, **values)
        elif sample.has_closed_form or is_asked or is_small:
            low[k], high[k] = sample.limits(
                adjusted=adjusted, bound=bound, p_value=float(rows.p_value[k]), level=LEVEL, **values
            )
    if closed:
        index = np.array(list(closed))
        found = limits_of_pairs(list(closed.values()), rows.n[index], rows.p_value[index], LEVEL)
        low[index], high[index] = found
    return low, high


def row_that_carries(plan: Plan, x: int, y: int, adjusted: float) -> int | None:
    """Return the row on which the relation of x and y rests (without it, little remains), or None.

    `adjusted` is the pair's value with all rows. The row is the one that the jackknife behind the limits
    finds: without it the share is lowest. Measures whose limits take out no single rows have none.

    >>> import bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 50))
    >>> x[7] = y[7] = 100
    >>> ranking = bc.rank({"x": x, "y": y}, measure="r2")
    >>> row_that_carries(ranking._plan, 0, 1, ranking[0]["adjusted"])
    7
    """
    if not plan.table.n_rows or plan.job.covariates is not None or plan.job.sums is not None:
        return None
    pair = plan.table.columns[x], plan.table.columns[y]
    shared = shared_rows(*pair)
    rows = np.arange(plan.table.n_rows) if shared is None else np.flatnonzero(shared)
    sample = sample_of(plan.job.measures[pair[0].kind, pair[1].kind], *pair, shared, 0)
    if len(rows) < _FEWEST_ROWS or not sample.has_closed_form or sample.share_estimate.without is None:
        return None
    place = int(np.nanargmin(sample.share_estimate.without))
    left = tuple(column.at(np.delete(rows, place)) for column in pair)
    first, second = np.array([0]), np.array([1])
    without, found = measured_by(plan, sample.measure, first, second, null="moments", columns=left)
    if found.null_std[0] > 0:
        low, _ = limits_of_rows(without, found, is_asked=False)
        if not low[0] <= 0 or found.adjusted[0] >= _LEFT * adjusted:
            return None
    return int(rows[place])


def _sample(plan: Plan, x: Column, y: Column, n: int) -> Sample:
    """Return both columns' values on the n rows on which the pair was measured."""
    rows, root = shared_rows(x, y), plan.job.root
    if n < (len(x) if rows is None else int(rows.sum())):
        rows = part_of_rows(rows, len(x), root, n)
    return sample_of(plan.job.measures[x.kind, y.kind], x, y, rows, root)


def _is_degenerate(sample: Sample) -> bool:
    """Return True if the sample has too few rows, or a constant column."""
    return len(sample.x) < _FEWEST or any(bool(np.all(side == side[0])) for side in (sample.x, sample.y))


def _estimate_for_all_rows(sample: Sample, n: int, observed: float, bound: float) -> ShareEstimate:
    """Return a stream's share on all n rows, with the error of its sample scaled to n rows."""
    estimate, part = sample.share_estimate, len(sample.x) / n
    if part >= 1 or not bound > 0:
        return estimate
    error = estimate.error._replace(
        size=estimate.error.size * math.sqrt(part),
        df=estimate.error.df / part,
        acceleration=estimate.error.acceleration * math.sqrt(part),
    )
    return ShareEstimate(observed / bound, error)
