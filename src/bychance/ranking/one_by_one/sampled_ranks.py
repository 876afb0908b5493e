"""Sampled pairs of numeric columns whose nulls depend on ranks alone, drawn on a GPU: no Python per row.

In:  columns side by side and the rows that they fill.
Out: batches whose observed values the CPU computes and whose draws the GPU makes, all pairs at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Role
from bychance.measures.base import Measure
from bychance.measures.mic import KERNEL_VERSION, MIC
from bychance.measures.structures import SharedRanks
from bychance.moments.ties import least_p_of_columns
from bychance.nulls.cache_files import NullKey
from bychance.nulls.draws import draw_ranked, is_drawn_on_gpu, or_on_cpu, shared_key, shared_pair, slack_of
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.nulls.permutation import Permutation
from bychance.ranking.job import Job
from bychance.ranking.one_by_one.sampled import Batch, first_draws
from bychance.ranking.one_by_one.sampled_lines import (
    Columns,
    are_lines,
    are_plain,
    columns_of_pairs,
    line_batches,
    pick_columns,
)
from bychance.ranking.results import NO_SIGN
from bychance.stopping import current_stop

__all__ = ["sampled_together"]

_PAPER = Permutation(10_000)
_MOST_PAIRS = 1 << 11
_MOST_DRAWS = 1 << 25  # in hand: a quarter of a gigabyte


def sampled_together(
    measure: Measure[Any],
    columns: Columns,
    n: NDArray[np.int64],
    at: NDArray[np.intp],
    moments: NDArray[np.float64],
    job: Job,
    n_draws: int | None = None,
) -> Iterator[Batch]:
    """Those of the pairs that can be drawn together: of lines, and of ranks on a GPU.

    `at` says where their rows are; `moments` are exact means and standard deviations, NaN where none is.
    By default they have as many draws as a first sample.
    """
    is_line = are_lines(measure, columns, n, job)
    if n_draws is None and job.null == "auto":  # without moments there may be a law
        is_line &= ~np.isnan(moments[0])
    if len(lines := np.flatnonzero(is_line)):
        count = first_draws(job.sampling, job) if n_draws is None else n_draws
        some = pick_columns(columns, lines)
        yield from line_batches(measure, some, at[lines], moments[:, lines], job, count)
    if len(ranks := np.flatnonzero(are_ranks(measure, columns, n, job, n_draws))):
        yield from rank_batches(measure, pick_columns(columns, ranks), at[ranks], job, n_draws)


def are_ranks(
    measure: Measure[Any], columns: Columns, n: NDArray[np.int64], job: Job, n_draws: int | None = None
) -> NDArray[np.bool_]:
    """Which of these pairs are drawn on the GPU; by default as many draws as a first sample has."""
    nothing = np.zeros(len(n), dtype=np.bool_)
    settings = _settings(job)
    if not len(n) or settings is None or settings.is_restricted or settings.follows_precision:
        return nothing
    n_draws = first_draws(settings, job) if n_draws is None else n_draws
    if job.covariates is not None or not is_drawn_on_gpu(job.device, measure, n, n_draws):
        return nothing
    is_exact = n <= MOST_ENUMERATED if job.null == "auto" else nothing
    return are_plain(columns) & ~is_exact


def rank_batches(
    measure: Measure[Any], columns: Columns, at: NDArray[np.intp], job: Job, n_draws: int | None = None
) -> Iterator[Batch]:
    """The pairs in batches that memory holds, less those that have a law or a constant column.

    `at` says where their rows are.
    """
    if n_draws is None and (settings := _settings(job)) is not None:
        n_draws = first_draws(settings, job)
    size = max(1, min(_MOST_PAIRS, _MOST_DRAWS // (n_draws or 1)))
    for start in range(0, len(at), size):
        part = slice(start, start + size)
        batch = _batch(measure, (columns[0][part], columns[1][part]), at[part], job)
        if len(batch.at):
            yield batch


def _settings(job: Job) -> Permutation | None:
    """How these pairs are sampled; None where the null asked for is no sample of MIC."""
    if isinstance(job.null, Permutation) or job.null == "auto":
        return job.sampling
    return _PAPER if job.null == "paper" else None


def _batch(measure: Measure[Any], columns: Columns, at: NDArray[np.intp], job: Job) -> Batch:
    settings = _settings(job)
    if not isinstance(measure, MIC) or settings is None:
        raise TypeError("only MIC and its relatives are drawn here")
    values, is_missing, first, second, named = columns_of_pairs(columns)
    like = measure.prepare(np.arange(3.0), Role.X).kernel
    x, y, observed = _native.mic_pairs(values, is_missing, first, second, like)
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

    def draw(number: int, count: int) -> NDArray[np.float64]:
        def on_cpu() -> NDArray[np.float64]:
            return _drawn_on_cpu(measure, keys, number, count)

        on_gpu = partial(draw_ranked, measure, pairs, streams, number, count)
        draws, used = or_on_cpu(job.device, on_gpu, on_cpu)
        job.used_devices.add(used)
        return draws

    return Batch(
        at=at[kept],
        n=np.array([one.n for one, _ in pairs]),
        sign=np.full(len(kept), NO_SIGN, dtype=np.int8),
        observed=observed[kept],
        bound=bound,
        exact_mean=np.full(len(kept), np.nan),
        exact_std=np.full(len(kept), np.nan),
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, [named[k] for k in kept]),
        is_paper_rule=job.null == "paper",
        slack=slack_of(measure, bound),
    )


def _is_sampled(ranks: SharedRanks, job: Job) -> bool:
    """Whether a pair with these tie groups is sampled: no column is constant, no law is known."""
    n_x, n_y = len(ranks.x_tie_groups), len(ranks.y_tie_groups)
    return min(n_x, n_y) > 1 and not (job.null == "auto" and n_x == n_y == 2)


def _drawn_on_cpu(measure: MIC, keys: Sequence[NullKey], first: int, count: int) -> NDArray[np.float64]:
    sides = [shared_pair(measure, key) for key in keys]
    return _native.draw_block(
        [_native.Statistic.mic(x.kernel, y.kernel) for x, y in sides],
        [_native.Repairings.free(key.stream, key.n) for key in keys],
        first,
        count,
        current_stop(),
    )
