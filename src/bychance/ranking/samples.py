"""Results of pairs with sampled nulls: batches of permutations, pooled with earlier rounds.

In:  prepared pairs, and which of their draws to make.
Out: the pairs' figures in their rows. Draws are not kept: moments, quantiles and exceedances of two chunks of
     draws are pooled by their sizes, which is as precise as if all draws were in hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.estimate import NO_OTHER, NO_QUANTILE, NO_SPREAD
from bychance.measures import CallableMeasure
from bychance.measures.base import is_built_in
from bychance.nulls.draws import draw_many
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import (
    SampleFigures,
    figures_of_draws,
    monte_carlo_se,
    share_reached,
    too_few_draws,
)
from bychance.nulls.sequential import SamplePlan, first_size, least_p_of
from bychance.pair import Pair
from bychance.ranking.options import Job
from bychance.ranking.results import NO_SIGN, PairResults, PKind, TextNumbers
from bychance.scores import scores
from bychance.wording import bound_note

__all__ = [
    "PairSamples",
    "SampledPair",
    "Waiting",
    "first_draws",
    "most_cells",
    "sample_rows",
]

Array = NDArray[np.float64]

# Values and draws in hand: two megabytes, which caches hold; for a GPU a quarter of a gigabyte.
_MOST_CELLS, _CELLS_ON_GPU = 1 << 18, 1 << 25


@dataclass(frozen=True, eq=False, slots=True)
class SampledPair:
    """Pair whose null is sampled, with the index of its row."""

    row: int
    pair: Pair
    plan: SamplePlan


@dataclass(frozen=True, kw_only=True, eq=False)
class PairSamples:
    """Batch of pairs sampled together: row indices, observed values, moments, and a function that permutes.

    `draw` gives their draws first, first + 1, …, one row per pair; moments are NaN where none is exact.
    `least_p` gives the chance of a single arrangement of a pair, `n_arrangements` how many it has at least.
    `still_follow` flags pairs that still follow their covariates.
    """

    at: NDArray[np.intp]
    n: NDArray[np.int64]
    sign: NDArray[np.int8]
    observed: Array
    bound: Array
    exact_mean: Array
    exact_std: Array
    settings: Permutation
    draw: Callable[[int, int], Array]
    least_p: Callable[[int], float]
    n_arrangements: Array
    notes: Sequence[str] = ()
    still_follow: Sequence[bool] = ()
    is_paper_rule: bool = False
    slack: Any = 0.0  # how far draws may lie from the CPU's

    @classmethod
    def of(cls, sampled: Sequence[SampledPair], job: Job) -> PairSamples:
        """Return the batch of prepared pairs, which must share their settings."""
        plans, pairs = [each.plan for each in sampled], [each.pair for each in sampled]
        drawn_from = [plan.part or pair for plan, pair in zip(plans, pairs, strict=True)]

        def draw(first: int, count: int) -> Array:
            draws, used = draw_many(drawn_from, plans[0].settings, first, count, job.device)
            job.used_devices.add(used)
            for k, plan in enumerate(plans):
                if plan.scale != 1.0 or plan.offset != 0.0:
                    draws[k] = plan.offset + plan.scale * draws[k]
            return draws

        return cls(
            at=np.array([each.row for each in sampled]),
            n=np.array([pair.n for pair in pairs]),
            sign=np.array([_sign(pair) for pair in pairs], dtype=np.int8),
            observed=np.array([pair.observed for pair in pairs]),
            bound=np.array([pair.bound for pair in pairs]),
            exact_mean=_or_nan([plan.exact_mean for plan in plans]),
            exact_std=_or_nan([plan.exact_std for plan in plans]),
            settings=plans[0].settings,
            draw=draw,
            least_p=lambda k: least_p_of(pairs[k]),
            n_arrangements=np.array([float(pair.n) for pair in pairs]),  # rows are not all alike
            notes=[pair.note for pair in pairs] if any(pair.note for pair in pairs) else (),
            still_follow=[pair.given is not None and pair.given.still_follow for pair in pairs],
            is_paper_rule=plans[0].is_paper_rule,
        )


class Waiting:
    """Queue of pairs to be sampled in one batch, limited by memory.

    With a `size`, pairs are sampled up to it, otherwise for the first time.
    """

    def __init__(self, rows: PairResults, job: Job, texts: TextNumbers, size: int | None = None) -> None:
        self._rows, self._job, self._texts, self._size = rows, job, texts, size
        self._pairs: list[SampledPair] = []
        self._n_cells = 0

    def add(self, sampled: SampledPair) -> None:
        """Add a pair to the queue, or sample it at once if its measure is a user's function."""
        measure, settings = sampled.pair.measure, sampled.plan.settings
        measure = getattr(measure, "base", measure)  # of one that looks beyond covariates
        if isinstance(measure, CallableMeasure) or not is_built_in(type(measure)):
            self._sample([sampled])
            return
        if self._pairs and self._pairs[0].plan.settings != settings:
            self.flush()
        self._pairs.append(sampled)
        self._n_cells += sampled.pair.n + (self._size or first_draws(settings, self._job))
        if self._n_cells > most_cells(self._job):
            self.flush()

    def flush(self) -> None:
        """Sample all queued pairs."""
        if self._pairs:
            self._sample(self._pairs)
        self._pairs, self._n_cells = [], 0

    def _sample(self, pairs: Sequence[SampledPair]) -> None:
        sample_rows(self._rows, self._job, self._texts, PairSamples.of(pairs, self._job), self._size)


def most_cells(job: Job) -> int:
    """Return the largest number of values and permutation results in a batch."""
    return _CELLS_ON_GPU if job.is_drawn_on_gpu else _MOST_CELLS


def first_draws(settings: Permutation, job: Job) -> int:
    """Return the number of permutations in a pair's first sample."""
    return first_size(job.alpha, settings.cap) if settings.is_adaptive else int(settings.n_resamples)


def sample_rows(
    rows: PairResults, job: Job, texts: TextNumbers, sample: PairSamples, size: int | None = None
) -> None:
    """Permute pairs up to `size` times (default: first sample), and write the results to their rows.

    Draws that rows were filled in from before are not made again.
    """
    done = max(int(rows.n_resamples[sample.at[0]]), 0)
    size = size or first_draws(sample.settings, job)
    figures = figures_of_draws(
        sample.draw(done, size - done),
        observed=sample.observed,
        slack=sample.slack,
        bound=sample.bound,
        exact_mean=sample.exact_mean,
        exact_std=sample.exact_std,
        levels=[1 - alpha for alpha in job.levels],
        is_paper_rule=sample.is_paper_rule,
    )
    _fill(rows, sample, _figures_of_rows(rows, sample.at).pooled(figures) if done else figures, job, texts)


def _figures_of_rows(rows: PairResults, at: NDArray[np.intp]) -> SampleFigures:
    observed = rows.observed[at]
    return SampleFigures(
        size=rows.n_resamples[at].astype(np.int64),
        exceedances=rows.exceedances[at].astype(np.int64),
        mean=rows.null_mean[at],
        std=rows.null_std[at],
        standardized_se=rows.standardized_se[at],
        quantiles=observed[:, np.newaxis] - np.column_stack([rows.adjusted_at[at], rows.swept[at]]),
        quantile_se=rows.adjusted_at_se[at],
        is_mean_exact=rows.has_exact_mean[at],
        is_std_exact=rows.has_exact_std[at],
    )


def _fill(
    rows: PairResults, sample: PairSamples, figures: SampleFigures, job: Job, texts: TextNumbers
) -> None:
    at, observed, bound, mean, std = sample.at, sample.observed, sample.bound, figures.mean, figures.std
    found = scores(observed, bound, mean, std, figures.mean_se)
    is_same = found.is_same
    p_value = np.where(is_same, 1.0, share_reached(figures.exceedances, figures.size))
    is_raised = np.zeros(len(at), dtype=np.bool_)
    for k in np.flatnonzero(p_value * sample.n_arrangements < 1).tolist():
        is_raised[k] = p_value[k] < (least_p := sample.least_p(k))
        p_value[k] = max(p_value[k], least_p)
    is_bound = (figures.exceedances == 0) & ~is_same & ~is_raised
    se = monte_carlo_se(figures.exceedances, figures.size)
    doubt = "" if sample.is_paper_rule else too_few_draws(int(figures.size[0]), job.alpha)
    beyond = f"{doubt}; {NO_QUANTILE}" if doubt else ""
    rows.put(
        at,
        figures.quantiles,
        **found.columns(),
        sign=sample.sign,
        n=sample.n,
        observed=observed,
        null_mean=mean,
        null_std=std,
        standardized_se=np.where(is_same, 0.0, figures.standardized_se),
        adjusted_at_se=figures.quantile_se,
        n_resamples=figures.size,
        exceedances=figures.exceedances,
        has_exact_mean=figures.is_mean_exact,
        has_exact_std=figures.is_std_exact,
        p_value=p_value,
        is_bound=is_bound,
        p_se=np.where(is_bound, np.nan, se),
        p_kind=PKind.SEQUENTIAL if sample.settings.is_adaptive else PKind.MONTE_CARLO,
        engine=texts["permutation"],
        still_follow=sample.still_follow or False,
        note=texts[beyond],
    )
    is_noted = is_same | ~(observed <= bound) | ~found.has_room | ~found.has_spread | bool(sample.notes)
    for k in np.flatnonzero(is_noted).tolist():
        notes = (
            sample.notes[k] if sample.notes else "",
            NO_OTHER if is_same[k] else "",
            bound_note(observed[k], mean[k], bound[k]),
            "" if found.has_spread[k] or is_same[k] else NO_SPREAD,
            beyond,
        )
        rows.note[at[k]] = texts["; ".join(filter(None, notes))]


def _sign(pair: Pair) -> int:
    sign = pair.sign
    return NO_SIGN if sign is None else sign


def _or_nan(values: Sequence[float | None]) -> Array:
    return np.array([np.nan if value is None else value for value in values])
