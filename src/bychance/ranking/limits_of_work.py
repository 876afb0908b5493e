"""Checks before a ranking starts: measurable pairs, required memory, and a forecast of the time."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import randbits

import numpy as np

from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.messages import OPEN, Option
from bychance.moments.from_sums import shared_counts
from bychance.names import count_of
from bychance.nulls import Permutation
from bychance.nulls.choose import FixedAuto
from bychance.pairs import Tile, n_shared
from bychance.parallel import jobs_of, one_blas_thread
from bychance.progress import duration
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults

__all__ = ["Forecast", "check_measurable", "check_memory", "check_sums", "forecast", "memory_of_process"]


def check_measurable(plan: Plan) -> None:
    """Raise an error if no two columns share enough rows.

    >>> from bychance.ranking.api import plan_ranking
    >>> check_measurable(plan_ranking({"a": [1, 2, 3, None], "b": [1, 2, None, 3]}))
    Traceback (most recent call last):
    bychance.errors.BychanceError: No pair can be measured: two columns share 2 rows at most; `min_n` is 10.
    """
    least = np.full((2, 2), plan.job.min_n)
    for kinds, measure in plan.job.measures.items():
        place = int(kinds[0] is Kind.CATEGORICAL), int(kinds[1] is Kind.CATEGORICAL)
        least[place] = max(plan.job.min_n, measure.min_n)
    columns, sums, is_labels = plan.table.columns, plan.job.sums, plan.pairs.is_labels.astype(np.intp)
    largest = 0
    for tile in plan.tiles:
        x, y = plan.pairs.within(tile)
        rows, first = np.unique(x, return_inverse=True)
        others, second = np.unique(y, return_inverse=True)
        sides = [columns[k] for k in rows], [columns[k] for k in others]
        counts = (n_shared(*sides) if sums is None else shared_counts(sums, *sides))[first, second]
        if np.any(counts >= least[is_labels[x], is_labels[y]]):
            return
        largest = max(largest, int(counts.max()))
    shared = f"share {largest} row{'s' if largest != 1 else ''} at most" if largest else "share no rows"
    raise BychanceError(
        f"No pair can be measured: two columns {shared}; " + Option("min_n") + f" is {least.min()}.", "min_n"
    )


_BEST = 8  # bytes per pair if only the best are kept: a p-value of every pair, for q-values
_ON_DISK = 16  # bytes per pair if rows are on disk: scores and secondary scores, for the ranks
_ROW, _LEVEL = 140, 8  # bytes of a result row, and more for each further alpha
_COPIES = 3  # copies of all rows in memory: collected, joined and sorted
_SUMS = 2 * 64  # bytes of the sums of two columns (count, six powers, product), twice during merges
_MOST_PAIRS = (1 << 32) - 1  # pairs of a ranking: ranks are 32-bit integers
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_GIB = 1 << 30  # bytes


def check_memory(plan: Plan, *, keeps_all: bool, to_file: bool = False) -> None:
    """Raise an error if the pairs of the plan need more memory than is available.

    `keeps_all` tells that whole rows are kept in memory, and not only the best of them; `to_file` that they
    are kept on disk.
    """
    n_pairs = plan.n_pairs
    way_out = "name a target, or x and y, to rank fewer"
    if n_pairs > _MOST_PAIRS:
        raise BychanceError(f"A ranking has at most {_MOST_PAIRS:,} pairs, got {n_pairs:,}: {way_out}.")
    n_bytes = _ON_DISK if to_file else _BEST
    if keeps_all:
        n_bytes = _COPIES * (_ROW + _LEVEL * (len(plan.job.levels) - 1))
    needed, there_is = n_pairs * n_bytes, memory_of_process()
    if there_is is not None and needed > there_is:
        rule = (
            f"{n_pairs:,} pairs take about {_in_gib(needed)} of memory ({n_bytes} bytes per pair), "
            f"and there is {_in_gib(there_is)}: {way_out}"
        )
        raise BychanceError(
            rule + ("; with " + Option("top", OPEN) + f" it is {_BEST}." if keeps_all else ".")
        )


def check_sums(n_columns: int, n_each: int = 1) -> None:
    """Raise an error if sums of this many columns, each expanded to `n_each`, exceed the memory."""
    needed, there_is = n_columns**2 * n_each * _SUMS, memory_of_process()
    if there_is is not None and needed > there_is:
        raise BychanceError(
            f"The sums of {n_columns:,} columns take up to {_in_gib(needed)} of memory, and there is "
            f"{_in_gib(there_is)}: " + Option("drop", OPEN) + " leaves columns out."
        )


def memory_of_process() -> int | None:
    """Return the bytes of memory available to this process, or None if unknown."""
    known = []
    with suppress(AttributeError, ValueError, OSError):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):
        known.append(int(_CGROUP.read_text()))
    with suppress(ImportError):
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        known += [] if limit == resource.RLIM_INFINITY else [limit]
    return min(known, default=None)


def _in_gib(n_bytes: int) -> str:
    return f"{n_bytes / _GIB:,.3g} GiB"


_PATIENCE_S = 0.25  # seconds; a larger sample of pairs is measured only if the last took less (taste)
_FEW, _SOME = 9, 99  # permutations that are timed, to forecast the time of many (taste)
_PAPER_DRAWS = 10_000.0  # permutations of a null "paper"
_ADAPTIVE_DRAWS = 900.0  # mean permutations of a sampled pair, in a table with some hundred discoveries


@dataclass(frozen=True, slots=True)
class Forecast:
    """Number of pairs, blocks and workers of a ranking, and a forecast of its time.

    `nulls` says in words where the nulls of the `sampled` pairs come from, from which `seconds` are
    extrapolated.
    """

    n_pairs: int
    n_blocks: int
    n_workers: int
    nulls: str
    seconds: float
    sampled: int

    def __str__(self) -> str:
        workers = "1 thread" if self.n_workers == 1 else f"{self.n_workers} workers"
        sample = "all pairs" if self.sampled == self.n_pairs else f"{self.sampled:,} of them"
        return (
            f"{count_of(self.n_pairs, 'pair')} in {count_of(self.n_blocks, 'block')}\n"
            f"nulls: {self.nulls}\n"
            f"about {duration(self.seconds)} on {workers}, judging by {sample}; less where nulls are stored"
        )


def forecast(plan: Plan, n_jobs: int = 1) -> Forecast:
    """Estimate the time of a ranking by measuring evenly spaced pairs.

    >>> from bychance.ranking.api import plan_ranking
    >>> told = forecast(plan_ranking({"a": range(20), "b": [k * k for k in range(20)]}, measure="r2"))
    >>> told.n_pairs, told.sampled, told.nulls
    (1, 1, 'beta (exact moments)')
    """
    n_pairs, n_blocks = len(plan.pairs), len(plan.tiles)
    n_workers = max(1, min(jobs_of(n_jobs).n, n_blocks))
    with one_blas_thread():
        rows, seconds = _sample(plan)
    found = Counter(engine for engine in rows.text("engine").tolist() if engine)
    shares = [f"{engine} ({n / found.total():.0%})" for engine, n in found.most_common(4)]
    nulls = next(iter(found)) if len(found) == 1 else ", ".join(shares) or "none in the sample"
    return Forecast(n_pairs, n_blocks, n_workers, nulls, seconds / len(rows) * n_pairs / n_workers, len(rows))


def _sample(plan: Plan) -> tuple[PairResults, float]:
    """Measure evenly spaced pairs. Return their results and the seconds with all permutations.

    If nulls are sampled, the times for 9 and 99 permutations are extrapolated to all, as if none were cached.
    """
    few, some = _with_draws(plan, _FEW), _with_draws(plan, _SOME)
    side = 2
    while True:
        rows, seconds = _timed(few, side)
        taken = seconds
        if few.job.null is not plan.job.null and (rows.n_resamples > 0).any():
            many = _mean_draws(plan)
            if side == 2 and seconds > _PATIENCE_S:
                return rows, seconds * many / _FEW
            _, some_s = _timed(some, side)
            taken += some_s
            seconds += max(some_s - seconds, 0.0) / (_SOME - _FEW) * max(many - _FEW, 0.0)
        if taken > _PATIENCE_S or len(rows) == len(plan.pairs):
            return rows, seconds
        side *= 2


def _timed(plan: Plan, side: int) -> tuple[PairResults, float]:
    """Measure about `side`² evenly spaced pairs, and return their results and the seconds taken."""
    n_x, n_y = len(plan.pairs.x), len(plan.pairs.y)
    width = min(n_y, side)
    height = min(n_x, math.ceil(side * side / width))
    tile = Tile(slice(0, n_x, max(1, n_x // height)), slice(0, n_y, max(1, n_y // width)))
    block = plan.block(tile if len(plan.pairs.within(tile)[0]) else plan.tiles[0])
    start = time.perf_counter()
    rows = block.measured().rows
    return rows, time.perf_counter() - start


def _with_draws(plan: Plan, draws: int) -> Plan:
    """Return the plan with few permutations, under a new seed so that no cached null is used."""
    null = plan.job.null
    if isinstance(null, Permutation) and isinstance(null.n_resamples, int):
        null = replace(null, n_resamples=min(draws, int(null.n_resamples)))
    elif null == "auto":
        null = FixedAuto(draws)
    elif null == "paper" and any(m.paper_null == "permutation" for m in plan.job.measures.values()):
        null = Permutation(draws)
    return replace(plan, job=replace(plan.job, null=null, root=randbits(63)))


def _mean_draws(plan: Plan) -> float:
    """Return the average number of permutations of a sampled null."""
    if plan.job.null == "paper":
        return _PAPER_DRAWS
    asked = plan.job.sampling.n_resamples
    return _ADAPTIVE_DRAWS if isinstance(asked, str) else asked
