"""Permutation samples of many numeric pairs at a time, on the CPU or GPU.

In:  columns side by side and the rows that they fill.
Out: samples whose observed values the CPU computes: of measures that are r² of values or of midranks, whose
     statistics the kernels make from the columns, and of measures whose nulls depend on ranks alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.kinds import Role
from bychance.measures import Measure
from bychance.measures.base import is_built_in
from bychance.measures.mic import KERNEL_VERSION, MIC
from bychance.measures.structures import LINES, Matrix, SharedRanks, Trace
from bychance.moments.complete import exact_numbers
from bychance.moments.ties import least_p_of_columns
from bychance.nulls.cache_files import NullKey
from bychance.nulls.choose import MANY_ROWS
from bychance.nulls.draws import (
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
from bychance.parallel import current_stop
from bychance.ranking.options import Job
from bychance.ranking.results import NO_SIGN
from bychance.ranking.samples import PairSamples, first_draws, most_cells
from bychance.seeding import stream_key

__all__ = ["Columns", "samples_together"]

Array = NDArray[np.float64]
Columns = tuple[Sequence[Column], Sequence[Column]]
Flags = NDArray[np.bool_]
Places = NDArray[np.int64]

_PAPER = Permutation(10_000)
_MOST_RANKED = 1 << 11  # pairs that a GPU draws at a time
_FEW_VALUES = 4  # with so many in both columns a hundred rows have a million arrangements
_MOST_RANKED_DRAWS = 1 << 25  # their draws in hand: a quarter of a gigabyte


def samples_together(
    measure: Measure[Any],
    columns: Columns,
    n: NDArray[np.int64],
    at: NDArray[np.intp],
    moments: Array,
    job: Job,
    n_draws: int | None = None,
) -> Iterator[PairSamples]:
    """Yield permutation samples of the pairs that can be computed in batches, omitting constant columns.

    `at` gives the positions of their rows. `moments` are exact null means and standard deviations, or NaN. By
    default pairs get as many permutations as a first sample.
    """
    settings = _settings(job)
    if not len(n) or settings is None or job.covariates is not None:
        return
    if settings.is_restricted or settings.follows_precision:
        return
    count = first_draws(settings, job) if n_draws is None else n_draws
    are_lines = _are_lines(measure, columns, n, job)
    if n_draws is None and job.null == "auto":  # without moments there may be a law
        are_lines &= ~np.isnan(moments[0])
    are_ranks = _are_ranks(measure, n, job, count)
    if not (are_lines | are_ranks).any():
        return
    are_plain = _are_plain(columns)
    line_size = max(1, most_cells(job) // (count + len(columns[0][0])))
    rank_size = max(1, min(_MOST_RANKED, _MOST_RANKED_DRAWS // count))
    for of_kind, size, make in ((are_lines, line_size, _of_lines), (are_ranks, rank_size, _of_ranks)):
        places = np.flatnonzero(of_kind & are_plain)
        for part in (places[start : start + size] for start in range(0, len(places), size)):
            some = [columns[0][k] for k in part.tolist()], [columns[1][k] for k in part.tolist()]
            sample = make(measure, some, at[part], moments[:, part], job)
            if len(sample.at):
                yield sample


def _settings(job: Job) -> Permutation | None:
    """Return the permutation settings, or None if the null is not sampled."""
    if isinstance(job.null, Permutation) or job.null == "auto":
        return job.sampling
    return _PAPER if job.null == "paper" else None


def _are_lines(measure: Measure[Any], columns: Columns, n: NDArray[np.int64], job: Job) -> Flags:
    """Flag pairs whose measure is r² of values or midranks, with all rows in memory."""
    form = measure.forms.get((columns[0][0].kind, columns[1][0].kind))
    is_lines = isinstance(form, Trace) and form.x in LINES and form.y in LINES
    is_lines &= job.null != "paper" and job.sums is None and is_built_in(type(measure))
    return is_lines & ((n <= MANY_ROWS) | (not job.sampling.is_adaptive))


def _are_ranks(measure: Measure[Any], n: NDArray[np.int64], job: Job, n_draws: int) -> Flags:
    """Flag pairs whose permutations of ranks run on the GPU."""
    if not is_drawn_on_gpu(job.device, measure, n, n_draws):
        return np.zeros(len(n), dtype=np.bool_)
    return np.asarray(n > MOST_ENUMERATED if job.null == "auto" else n > 0)


def _are_plain(columns: Columns) -> Flags:
    """Flag pairs whose values are all exactly representable in float64."""
    plain = {id(column): _is_plain(column) for side in columns for column in _distinct(side)}
    return np.array([plain[id(x)] and plain[id(y)] for x, y in zip(*columns, strict=True)])


def _columns_of_pairs(
    columns: Columns,
) -> tuple[list[Any], list[Any], Places, Places, list[tuple[Column, Column]]]:
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
    measure: Measure[Any], columns: Columns, at: NDArray[np.intp], moments: NDArray[np.float64], job: Job
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

    def draw(first: int, count: int) -> Array:
        repairings = [_native.Repairings.free(key, one.n) for key, one in zip(keys, made, strict=True)]
        draws, used = draw_statistics(job.device, made, repairings, first, count)
        job.used_devices.add(used)
        return draws

    products = products[is_some]
    return PairSamples(
        at=at[is_some],
        n=n,
        sign=np.sign(products).astype(np.int8),
        observed=np.minimum(products * products, 1.0),
        bound=np.ones(len(n)),
        exact_mean=moments[0, is_some],
        exact_std=moments[1, is_some],
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, kept),
        n_arrangements=_least_arrangements(distinct[is_some], n),
    )


def _of_ranks(
    measure: Measure[Any], columns: Columns, at: NDArray[np.intp], moments: Array, job: Job
) -> PairSamples:
    settings = _settings(job)
    if not isinstance(measure, MIC) or settings is None:
        raise TypeError("only MIC and its relatives are drawn here")
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

    def draw(number: int, count: int) -> Array:
        def on_cpu() -> Array:
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
        exact_mean=np.full(len(kept), np.nan),
        exact_std=np.full(len(kept), np.nan),
        settings=settings,
        draw=draw,
        least_p=partial(least_p_of_columns, [named[k] for k in kept]),
        n_arrangements=_least_arrangements(distinct[kept], np.array([one.n for one, _ in pairs])),
        is_paper_rule=job.null == "paper",
        slack=slack_of(measure, bound),
    )


def _least_arrangements(distinct: Places, n: NDArray[np.int64]) -> Array:
    """Return n(n − 1)…(n − d + 2), the fewest distinct permutations of n rows with d distinct values."""
    others = distinct.min(axis=1)[:, np.newaxis] - 1
    k = np.arange(_FEW_VALUES - 1)
    return np.asarray(np.prod(np.where(k < others, n[:, np.newaxis] - k, 1.0), axis=1))


def _is_sampled(ranks: SharedRanks, job: Job) -> bool:
    """Return True if permutations are needed: no column is constant, and no null distribution is known."""
    n_x, n_y = len(ranks.x_tie_groups), len(ranks.y_tie_groups)
    return min(n_x, n_y) > 1 and not (job.null == "auto" and n_x == n_y == 2)


def _drawn_on_cpu(measure: MIC, keys: Sequence[NullKey], first: int, count: int) -> Array:
    sides = [shared_pair(measure, key) for key in keys]
    return _native.draw_block(
        [_native.Statistic.mic(x.kernel, y.kernel) for x, y in sides],
        [_native.Repairings.free(key.stream, key.n) for key in keys],
        first,
        count,
        current_stop(),
    )


def _distinct(columns: Sequence[Column]) -> list[Column]:
    return list({id(column): column for column in columns}.values())


def _is_plain(column: Column) -> bool:
    """Return True if all values of the column are exactly representable in float64."""
    return column.values.dtype.kind in "fiub" and exact_numbers(column) is column.values
