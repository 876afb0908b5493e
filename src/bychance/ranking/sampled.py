"""Results of pairs with sampled nulls: batches of permutations, pooled with earlier rounds.

In:  prepared pairs, or columns side by side, and which of their draws to make.
Out: the pairs' figures in their rows. Draws are not kept: moments, quantiles and exceedances of two chunks of
     draws are pooled by their sizes, which is as precise as if all draws were in hand.

Many pairs of numbers are prepared in one native call: of measures that are r² of values or of midranks, and,
on a GPU, of measures whose nulls depend on ranks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column
from bychance.estimate import NO_OTHER, NO_QUANTILE, NO_SPREAD
from bychance.kinds import Role
from bychance.measures import CallableMeasure, Measure
from bychance.measures.base import is_built_in
from bychance.measures.mic import KERNEL_VERSION, MIC
from bychance.measures.structures import LINES, Matrix, SharedRanks, Trace
from bychance.moments.complete import exact_numbers
from bychance.moments.ties import least_p_of_columns
from bychance.nulls.cache import NullKey
from bychance.nulls.choose import MANY_ROWS
from bychance.nulls.draws import (
    draw_many,
    draw_ranked,
    draw_statistics,
    is_drawn_on_gpu,
    or_on_cpu,
    shared_key,
    shared_pair,
    slack_of,
)
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import (
    SampleSummary,
    monte_carlo_se,
    share_reached,
    summary_of_draws,
    too_few_draws,
)
from bychance.nulls.sequential import SamplePlan, first_size, least_p_of
from bychance.pair import Pair
from bychance.parallel import current_stop
from bychance.ranking.options import Job
from bychance.ranking.results import NO_SIGN, PairResults, PKind, TextNumbers, sign_code
from bychance.scores import scores
from bychance.seeding import stream_key
from bychance.wording import bound_note

__all__ = ["Columns", "PairSamples", "SampledPair", "Waiting", "sample_rows", "samples_together"]

Columns = tuple[Sequence[Column], Sequence[Column]]

# Values and permutation results of a batch: two megabytes, which caches hold; on a GPU 256 megabytes (speed).
_MOST_CELLS, _CELLS_ON_GPU = 1 << 18, 1 << 25
_PAPER = Permutation(10_000)  # null "paper"
_MOST_RANKED = 1 << 11  # pairs of a batch of MIC on a GPU (speed)
_FEW_VALUES = 4  # distinct values that are counted: with four, 100 rows have some million permutations
_MOST_RANKED_DRAWS = 1 << 25  # permutation results of a batch of MIC: a quarter of a gigabyte (memory)


@dataclass(frozen=True, eq=False, slots=True)
class SampledPair:
    """Pair whose null is sampled by permutations, with the index of its row in the results."""

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

    at: IndexArray
    n: IntArray
    sign: NDArray[np.int8]
    observed: FloatArray
    bound: FloatArray
    moments: FloatArray
    settings: Permutation
    draw: Callable[[int, int], FloatArray]
    least_p: Callable[[int], float]
    n_arrangements: FloatArray
    notes: Sequence[str] = ()
    still_follow: Sequence[bool] = ()
    is_paper_rule: bool = False
    slack: Any = 0.0  # how far draws may lie from the CPU's

    @classmethod
    def of(cls, sampled: Sequence[SampledPair], job: Job) -> PairSamples:
        """Return the batch of prepared pairs, which must share their settings."""
        plans, pairs = [each.plan for each in sampled], [each.pair for each in sampled]
        drawn_from = [plan.part or pair for plan, pair in zip(plans, pairs, strict=True)]

        def draw(first: int, count: int) -> FloatArray:
            draws, used = draw_many(drawn_from, plans[0].settings, first, count, job.device)
            job.used_devices.add(used)
            for k, plan in enumerate(plans):
                if plan.scale != 1.0 or plan.offset != 0.0:
                    draws[k] = plan.offset + plan.scale * draws[k]
            return draws

        return cls(
            at=np.array([each.row for each in sampled]),
            n=np.array([pair.n for pair in pairs]),
            sign=np.array([sign_code(pair.sign) for pair in pairs], dtype=np.int8),
            observed=np.array([pair.observed for pair in pairs]),
            bound=np.array([pair.bound for pair in pairs]),
            moments=np.array([(plan.exact_mean, plan.exact_std) for plan in plans], dtype=np.float64).T,
            settings=plans[0].settings,
            draw=draw,
            least_p=lambda k: least_p_of(pairs[k]),
            n_arrangements=np.array([float(pair.n) for pair in pairs]),  # rows are not all alike
            notes=[pair.note for pair in pairs] if any(pair.note for pair in pairs) else (),
            still_follow=[pair.given is not None and pair.given.still_follow for pair in pairs],
            is_paper_rule=plans[0].is_paper_rule,
        )


class Waiting:
    """Queue of pairs whose permutations are drawn in one batch, limited by memory.

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
        self._n_cells += sampled.pair.n + (self._size or _first_draws(settings, self._job))
        if self._n_cells > _most_cells(self._job):
            self.flush()

    def flush(self) -> None:
        """Sample all queued pairs."""
        if self._pairs:
            self._sample(self._pairs)
        self._pairs, self._n_cells = [], 0

    def _sample(self, pairs: Sequence[SampledPair]) -> None:
        sample_rows(self._rows, self._job, self._texts, PairSamples.of(pairs, self._job), self._size)


def _most_cells(job: Job) -> int:
    """Return the most numbers that a batch may hold: column values plus permutation results."""
    return _CELLS_ON_GPU if job.is_drawn_on_gpu else _MOST_CELLS


def _first_draws(settings: Permutation, job: Job) -> int:
    """Return the number of permutations of each pair in the first round of sampling."""
    return first_size(job.alpha, settings.cap) if settings.is_adaptive else int(settings.n_resamples)


def sample_rows(
    rows: PairResults, job: Job, texts: TextNumbers, sample: PairSamples, size: int | None = None
) -> None:
    """Permute pairs until each has `size` draws (default: as in the first round), and update their results.

    Draws that rows were filled in from before are not made again.
    """
    done = max(int(rows.n_resamples[sample.at[0]]), 0)
    size = size or _first_draws(sample.settings, job)
    figures = summary_of_draws(
        sample.draw(done, size - done),
        observed=sample.observed,
        slack=sample.slack,
        bound=sample.bound,
        exact_mean=sample.moments[0],
        exact_std=sample.moments[1],
        levels=[1 - alpha for alpha in job.levels],
        is_paper_rule=sample.is_paper_rule,
    )
    _fill(rows, sample, _figures_of_rows(rows, sample.at).pooled(figures) if done else figures, job, texts)


def _figures_of_rows(rows: PairResults, at: IndexArray) -> SampleSummary:
    observed = rows.observed[at]
    return SampleSummary(
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
    rows: PairResults, sample: PairSamples, figures: SampleSummary, job: Job, texts: TextNumbers
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
        rows.note[at[k]] = texts.joined(
            sample.notes[k] if sample.notes else "",
            NO_OTHER if is_same[k] else "",
            bound_note(observed[k], mean[k], bound[k]),
            "" if found.has_spread[k] or is_same[k] else NO_SPREAD,
            beyond,
        )


def samples_together(
    measure: Measure[Any],
    columns: Columns,
    rows: PairResults,
    at: IndexArray,
    moments: FloatArray,
    job: Job,
    size: int | None = None,
) -> Iterator[PairSamples]:
    """Yield batches of those pairs that C++ or GPU kernels can permute together, without constant columns.

    `at` gives the positions of their rows. `moments` are exact null means and standard deviations, or NaN.
    With a `size` the pairs were sampled before, and get permutations up to it. By default they get a first
    sample.
    """
    settings = _settings(job)
    if not len(at) or settings is None or job.covariates is not None:
        return
    if settings.is_restricted or settings.follows_precision:
        return
    n = rows.n[at]
    count = _first_draws(settings, job) if size is None else size - int(rows.n_resamples[at[0]])
    are_lines = _are_lines(measure, columns, n, job)
    if size is None and job.null == "auto":  # without moments there may be a distribution
        are_lines &= ~np.isnan(moments[0])
    are_ranks = _are_ranks(measure, n, job, count)
    if not (are_lines | are_ranks).any():
        return
    are_plain = _are_plain(columns)
    line_size = max(1, _most_cells(job) // (count + len(columns[0][0])))
    rank_size = max(1, min(_MOST_RANKED, _MOST_RANKED_DRAWS // count))
    for of_kind, n_pairs, make in ((are_lines, line_size, _of_lines), (are_ranks, rank_size, _of_ranks)):
        places = np.flatnonzero(of_kind & are_plain)
        for part in (places[start : start + n_pairs] for start in range(0, len(places), n_pairs)):
            some = [columns[0][k] for k in part.tolist()], [columns[1][k] for k in part.tolist()]
            sample = make(measure, some, at[part], moments[:, part], job)
            if len(sample.at):
                yield sample


def _settings(job: Job) -> Permutation | None:
    """Return the permutation settings, or None if the null is not sampled."""
    if isinstance(job.null, Permutation) or job.null == "auto":
        return job.sampling
    return _PAPER if job.null == "paper" else None


def _are_lines(measure: Measure[Any], columns: Columns, n: IntArray, job: Job) -> BoolArray:
    """Flag pairs that a kernel permutes for r² of values or midranks, with all rows in memory."""
    form = measure.forms.get((columns[0][0].kind, columns[1][0].kind))
    is_lines = isinstance(form, Trace) and form.x in LINES and form.y in LINES
    is_lines &= job.null != "paper" and job.sums is None and is_built_in(type(measure))
    return is_lines & ((n <= MANY_ROWS) | (not job.sampling.is_adaptive))


def _are_ranks(measure: Measure[Any], n: IntArray, job: Job, n_draws: int) -> BoolArray:
    """Flag pairs whose statistic of ranks (MIC) is permuted on the GPU."""
    if not is_drawn_on_gpu(job.device, measure, n, n_draws):
        return np.zeros(len(n), dtype=np.bool_)
    return np.asarray(n > MOST_ENUMERATED if job.null == "auto" else n > 0)


def _are_plain(columns: Columns) -> BoolArray:
    """Flag pairs of columns whose values are all exact in float64."""
    plain = {id(column): _is_plain(column) for side in columns for column in _distinct(side)}
    return np.array([plain[id(x)] and plain[id(y)] for x, y in zip(*columns, strict=True)])


def _columns_of_pairs(
    columns: Columns,
) -> tuple[list[Any], list[Any], IntArray, IntArray, list[tuple[Column, Column]]]:
    """Return distinct columns as values and masks, column indices of each pair, and the pairs.

    Both columns of a pair stand in the order of their names.
    """
    pairs = [(x, y) if x.name <= y.name else (y, x) for x, y in zip(*columns, strict=True)]
    used = _distinct([*columns[0], *columns[1]])
    places = {id(column): k for k, column in enumerate(used)}
    first, second = (np.array([places[id(pair[side])] for pair in pairs]) for side in (0, 1))
    nothing = np.zeros(len(used[0]), dtype=np.bool_)
    values = [np.ascontiguousarray(column.values, dtype=np.float64) for column in used]
    return values, [nothing if c.is_missing is None else c.is_missing for c in used], first, second, pairs


def _of_lines(
    measure: Measure[Any], columns: Columns, at: IndexArray, moments: FloatArray, job: Job
) -> PairSamples:
    form = measure.forms.get((columns[0][0].kind, columns[1][0].kind))
    is_ranked = isinstance(form, Trace) and form.x is Matrix.RANKS
    values, is_missing, first, second, pairs = _columns_of_pairs(columns)
    statistics, products = _native.line_statistics(values, is_missing, first, second, is_ranked)
    distinct = _native.distinct_pairs(values, is_missing, first, second, _FEW_VALUES)
    is_some = np.array([statistic is not None for statistic in statistics])
    made = [statistic for statistic in statistics if statistic is not None]
    settings, n = job.sampling, np.array([statistic.n for statistic in made])
    kept = [pair for pair, some in zip(pairs, is_some, strict=True) if some]
    keys = [stream_key(job.root, "pair", x.name, y.name) for x, y in kept]

    def draw(first: int, count: int) -> FloatArray:
        permutations = [_native.Permutations.free(key, one.n) for key, one in zip(keys, made, strict=True)]
        draws, used = draw_statistics(job.device, made, permutations, first, count)
        job.used_devices.add(used)
        return draws

    products = products[is_some]
    return PairSamples(
        at=at[is_some],
        n=n,
        sign=np.sign(products).astype(np.int8),
        observed=np.minimum(products * products, 1.0),
        bound=np.ones(len(n)),
        moments=moments[:, is_some],
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, kept),
        n_arrangements=_least_arrangements(distinct[is_some], n),
    )


def _of_ranks(
    measure: Measure[Any], columns: Columns, at: IndexArray, moments: FloatArray, job: Job
) -> PairSamples:
    settings = _settings(job)
    assert isinstance(measure, MIC)
    assert settings is not None
    values, is_missing, first, second, named = _columns_of_pairs(columns)
    like = measure.prepare(np.arange(3.0), Role.X).kernel
    x, y, observed = _native.mic_pairs(values, is_missing, first, second, like)
    distinct = _native.distinct_pairs(values, is_missing, first, second, _FEW_VALUES)
    ranks = [
        SharedRanks(tuple(one.tie_groups.tolist()), tuple(other.tie_groups.tolist()), KERNEL_VERSION)
        for one, other in zip(x, y, strict=True)
    ]
    kept = [k for k, own in enumerate(ranks) if _is_sampled(own, job)]
    pairs = [(x[k], y[k]) for k in kept]
    keys = [shared_key(measure, x[k].n, ranks[k], job.root) for k in kept]
    streams = [key.stream for key in keys]
    # The kernel's orderings have what a bound asks of prepared variables, their sizes, and no other field.
    bound = np.array([measure.default_bound(one, other) for one, other in pairs])  # type: ignore[arg-type] # see above

    def draw(number: int, count: int) -> FloatArray:
        def on_cpu() -> FloatArray:
            return _drawn_on_cpu(measure, keys, number, count)

        on_gpu = partial(draw_ranked, measure, pairs, streams, number, count)
        draws, used = or_on_cpu(job.device, on_gpu, on_cpu)
        job.used_devices.add(used)
        return draws

    return PairSamples(
        at=at[kept],
        n=np.array([one.n for one, _ in pairs]),
        sign=np.full(len(kept), NO_SIGN, dtype=np.int8),
        observed=observed[kept],
        bound=bound,
        moments=np.full((2, len(kept)), np.nan),
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, [named[k] for k in kept]),
        n_arrangements=_least_arrangements(distinct[kept], np.array([one.n for one, _ in pairs])),
        is_paper_rule=job.null == "paper",
        slack=slack_of(measure, bound),
    )


def _least_arrangements(distinct: IntArray, n: IntArray) -> FloatArray:
    """Return n(n − 1)…(n − d + 2): so many orders, at least, have n rows with d distinct values."""
    others = distinct.min(axis=1)[:, np.newaxis] - 1
    k = np.arange(_FEW_VALUES - 1)
    return np.asarray(np.prod(np.where(k < others, n[:, np.newaxis] - k, 1.0), axis=1))


def _is_sampled(ranks: SharedRanks, job: Job) -> bool:
    """Return True if permutations are needed: no column is constant, and no null distribution is known."""
    n_x, n_y = len(ranks.x_tie_groups), len(ranks.y_tie_groups)
    return min(n_x, n_y) > 1 and not (job.null == "auto" and n_x == n_y == 2)


def _drawn_on_cpu(measure: MIC, keys: Sequence[NullKey], first: int, count: int) -> FloatArray:
    sides = [shared_pair(measure, key) for key in keys]
    return _native.draw_block(
        [_native.Statistic.mic(x.kernel, y.kernel) for x, y in sides],
        [_native.Permutations.free(key.stream, key.n) for key in keys],
        first,
        count,
        current_stop(),
    )


def _distinct(columns: Sequence[Column]) -> list[Column]:
    return list({id(column): column for column in columns}.values())


def _is_plain(column: Column) -> bool:
    """Return True if all values of the column are exact in float64."""
    return column.values.dtype.kind in "fiub" and exact_numbers(column) is column.values
