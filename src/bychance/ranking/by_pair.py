"""Measurement of pairs one by one, for any measure and any null distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bychance.array_types import FloatArray, IndexArray
from bychance.columns import Column, Memory
from bychance.covariates.pair import prepare_given
from bychance.errors import CostError, MeasureError, NullError
from bychance.estimate import NO_QUANTILE, Estimate, estimate_with, known_without_null
from bychance.measures import Measure
from bychance.moments.pair_from_sums import prepare_streamed
from bychance.names import display_name
from bychance.nulls.base import Null
from bychance.nulls.choose import MANY_ROWS, choose_null
from bychance.nulls.sequential import SamplePlan, sample_null
from bychance.pair import Pair, prepare_pair
from bychance.ranking.options import Job
from bychance.ranking.results import P_KINDS, PairResults, TextNumbers, level_note, sign_code
from bychance.ranking.sampled import Columns, SampledPair, Waiting, sample_rows, samples_together

__all__ = ["measure_by_pair", "pair_of_row"]

_OF_ESTIMATE = (
    *("n", "observed", "adjusted", "standardized", "p_value", "p_se"),
    *("adjusted_se", "standardized_se"),
)


def measure_by_pair(
    measure: Measure[Any],
    job: Job,
    memory: Memory,
    rows: PairResults,
    picked: IndexArray,
    columns: Columns,
    moments: FloatArray,
    texts: TextNumbers,
    tick: Callable[[int], None],
    size: int | None = None,
) -> tuple[FloatArray, str]:
    """Measure pairs one by one, and write their results to the rows at positions `picked`.

    With a `size` the pairs were sampled before, and are permuted further until each has as many permutations.

    Returns their bounds, and how the first pair failed that could not be measured, by a function of your
    own or for its cost: such errors are notes of rows.

    `moments` are the exact means and standard deviations of nulls that are known to need sampling, else NaN.

    A measure that is the same in either order gets its two columns in the order of their names: so what is
    sampled does not depend on the order of the table.
    """
    failure, waiting, known = "", Waiting(rows, job, texts, size), list[tuple[int, dict[str, Any]]]()
    bounds = np.full(len(picked), np.nan)
    for sample in samples_together(measure, columns, rows, picked, moments, job, size):
        sample_rows(rows, job, texts, sample, size)
        bounds[np.searchsorted(picked, sample.at)] = sample.bound
        tick(len(sample.at))
    for k in np.flatnonzero(np.isnan(bounds)).tolist():
        row, x, y, pair = picked[k], columns[0][k], columns[1][k], None
        try:
            pair = pair_of_row(measure, x, y, memory, job)
            found = known_without_null(pair) or _chosen(
                pair, job, *moments[:, k], was_sampled=size is not None
            )
            if isinstance(found, SamplePlan) and not found.settings.follows_precision:
                pair = found.pair_for(pair)
                waiting.add(SampledPair(int(row), pair, found))
                bounds[k] = pair.bound
            else:
                estimate = found if isinstance(found, Estimate) else _estimate(pair, found)
                known.append((int(row), _columns(estimate, job, texts)))
                bounds[k] = estimate.bound
        except (MeasureError, CostError, NullError) as error:
            if pair is None or isinstance(error, MeasureError):
                failure = failure or f"{display_name(x.name)}, {display_name(y.name)}: {error}"
                rows.note[row] = texts[str(error)]
            else:
                rows.observed[row], rows.note[row] = pair.observed, texts[f"no null: {error}"]
        tick(1)
    waiting.flush()
    if known:
        at, found = zip(*known, strict=True)
        columns_of_rows = {name: np.array([each[name] for each in found]) for name in found[0]}
        rows.put(np.array(at), **columns_of_rows)
    return bounds, failure


def pair_of_row(measure: Measure[Any], x: Column, y: Column, memory: Memory, job: Job) -> Pair:
    """Prepare two columns for a measure. If it is symmetric, they are ordered by their names."""
    covariates = job.covariates
    # Beyond covariates `explained` has a direction even between numbers.
    is_symmetric = measure.is_symmetric(x.kind, y.kind) if covariates is None else measure.symmetric
    if is_symmetric and y.name < x.name:
        x, y = y, x
    if job.sums is not None:
        return prepare_streamed(measure, x, y, job.sums, memory, covariates, root=job.root)
    if covariates is None:
        return prepare_pair(measure, x, y, memory, root=job.root)
    return prepare_given(measure, x, y, covariates, memory, root=job.root)


def _chosen(pair: Pair, job: Job, mean: float, std: float, *, was_sampled: bool) -> Null | SamplePlan:
    """Choose the null of a pair: permutations if its exact moments are given or it was permuted before."""
    if pair.n > MANY_ROWS or pair.has_only_part or (np.isnan(mean) and not was_sampled):
        return choose_null(job.null, pair)
    exact_mean, exact_std = (None if np.isnan(moment) else float(moment) for moment in (mean, std))
    return SamplePlan(settings=job.sampling, reason="", exact_mean=exact_mean, exact_std=exact_std)


def _estimate(pair: Pair, found: Null | SamplePlan) -> Estimate:
    return estimate_with(pair, sample_null(found, pair) if isinstance(found, SamplePlan) else found)


def _columns(estimate: Estimate, job: Job, texts: TextNumbers) -> dict[str, Any]:
    """Return one row of results, taken from an estimate, as a dict from result columns to values."""
    null, kind, matched_p = estimate.null, estimate.p_kind, np.nan
    if kind == "bound":
        is_drawn = null.n_resamples is not None
        kind, matched_p = ("monte carlo", np.nan) if is_drawn else ("matched", null.sf(estimate.observed))
    doubt = null.doubt_at(job.alpha)
    notes = estimate.note, level_note(null.caveat), doubt, NO_QUANTILE if doubt else ""
    return {
        "quantiles": [null.quantile(1 - level) for level in job.levels],
        **{name: getattr(estimate, name) for name in _OF_ESTIMATE},
        "sign": sign_code(estimate.sign),
        "is_bound": estimate.p_kind == "bound",
        "matched_p": matched_p,
        "p_kind": P_KINDS.index(kind),
        "null_mean": null.mean,
        "null_std": null.std,
        "adjusted_at_se": null.quantile_se(1 - job.alpha),
        "engine": texts[null.engine],
        "n_resamples": -1 if null.n_resamples is None else null.n_resamples,
        "is_approximate": bool(null.caveat),
        "still_follow": estimate.given is not None and estimate.given.still_follow,
        "note": texts.joined(*notes),
    }
