"""Multilevel splitting: p-values far below one over the number of permutations drawn.

In:  pairs, each with a threshold and the permutations of its runs.
Out: log10 p, and its standard error from the runs.

A run climbs from level to level with swaps that stay at or above it
(src/native/permutations/splitting.hpp). Built-in measures run in the kernels. For other measures the same
run asks for values here. Pairs without ties share their null, and with it the curve of each run, which is
cached.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.measures.base import Measure, is_built_in
from bychance.nulls.base import PValue
from bychance.nulls.cache import NullKey, default_store
from bychance.nulls.draws import permutations_of, shared_key, shared_pair, shared_ranks
from bychance.nulls.exact import log_fewest_arrangements
from bychance.nulls.permutation import Permutation
from bychance.pair import Pair
from bychance.parallel import current_stop
from bychance.scores import tolerance
from bychance.seeding import stream_key

__all__ = [
    "DEPTHS",
    "END",
    "MOST_ROWS",
    "N_PARTICLES",
    "N_RUNS",
    "Run",
    "Tail",
    "TailCurve",
    "TailPair",
    "can_be_quick",
    "curve_reaching",
    "pooled_tail",
    "split_keys",
    "split_runs",
    "split_tail",
    "tail_pair",
]

N_RUNS, N_PARTICLES = 4, 128  # independent runs per pair, and permutations per run (studies/tails.py)
_VERSION = 2  # raised whenever runs change, so that cached tails of older runs are not used
_LARGE_SE = 0.3  # standard error of log10 p above which results have a caveat: a factor of 2 (taste)
MOST_ROWS = 5_000  # rows up to which a tail takes two seconds or less (time; taste)
END = 1e-12  # p at which a run ends, as strong relations would climb thousands of levels (time; taste)

DEPTHS = (-3.0, -6.0, -12.0)  # log10 p to which cached tail curves reach, the last is END (taste)


@dataclass(frozen=True, eq=False)
class TailPair:
    """Pair prepared for multilevel splitting, which estimates its small upper-tail probability.

    `threshold` is the observed value less the rounding tolerance (`scores.tolerance`), or infinity for the
    whole tail. `permutations` has one entry per run, each with its random key.
    """

    measure: Measure[Any]
    x: Any
    y: Any
    threshold: float
    permutations: Sequence[_native.Permutations]
    log_floor: float = -math.inf  # natural log of the probability of one arrangement, the least p
    numbers: Sequence[int] = range(N_RUNS)  # numbers of the runs
    shared: NullKey | None = None  # cache key of a null without ties, which other pairs share


@dataclass(frozen=True, eq=False)
class Run:
    """Result of one splitting run: log p, its lower limit (natural logs), and True if p is no bound."""

    log_p: float
    is_reached: bool
    log_floor: float


@dataclass(frozen=True)
class Tail:
    """Upper-tail probability estimated by splitting: of a value at or above the threshold.

    `se_log10` is the standard error of log10 p, from the differences of the runs, and at least that of
    runs with independent particles. p is only a bound if it ends at 1e-12, or if a run did not reach the
    threshold (`is_reached`).
    """

    log10_p: float
    se_log10: float
    is_reached: bool

    @property
    def p_value(self) -> PValue:
        """Return the estimated probability, or a bound of at least 1e-12."""
        p = max(math.pow(10.0, self.log10_p), END)
        return PValue(p, "splitting", self.se_log10) if self.is_reached and p > END else PValue.bound(p)

    def is_finer(self, p: float) -> bool:
        """Return True if the splitting estimate should replace p: it is no bound, or a smaller one."""
        return self.p_value.kind != "bound" or self.p_value.value < p

    @property
    def caveat(self) -> str:
        """Return a sentence if p has a large standard error, or an empty string."""
        if self.p_value.se > _LARGE_SE:
            return f"p is known within a factor of {10 ** (2 * self.se_log10):.0f} only: its runs differ"
        return ""


def split_keys(root: int, *parts: str) -> list[tuple[int, int]]:
    """Return the random (Philox) keys of the splitting runs, from the names of a pair or a cache key.

    >>> len(set(split_keys(0, "a", "b"))), split_keys(0, "a", "b") == split_keys(1, "a", "b")
    (4, False)
    """
    return [stream_key(root, "split", str(_VERSION), *parts, str(run)) for run in range(N_RUNS)]


def can_be_quick(measure: Measure[Any], n: int) -> bool:
    """Return True if splitting takes a fraction of a second: few rows, and swaps update quickly."""
    return measure.has_quick_swaps and is_built_in(type(measure)) and n <= MOST_ROWS


def tail_pair(pair: Pair, settings: Permutation, std: float) -> TailPair:
    """Prepare a pair for multilevel splitting: observed value as threshold, random keys and cache key.

    If its null depends on ranks only, it is prepared from the ranks. Without ties many pairs are likely to
    share that null, so its tail is cached. `std` is the null's standard deviation, which sets the rounding
    tolerance.
    """
    ranks = shared_ranks(pair, settings)
    key = None if ranks is None else shared_key(pair.measure, pair.n, ranks, pair.root)
    if key is None:
        x, y, parts = pair.x, pair.y, tuple(sorted(pair.names))
    else:
        (x, y), parts = shared_pair(pair.measure, key), key.parts
    return TailPair(
        measure=pair.measure,
        x=x,
        y=y,
        threshold=pair.observed - tolerance(pair.observed, std),
        permutations=[permutations_of(pair, settings, key) for key in split_keys(pair.root, *parts)],
        log_floor=-log_fewest_arrangements(pair.x, pair.y) if pair.cells is None else -math.inf,
        shared=None if key is None or key.has_ties or not is_built_in(type(pair.measure)) else key,
    )


def split_tail(pair: TailPair, *, n_particles: int = N_PARTICLES) -> Tail:
    """Estimate the tail probability of one pair by splitting."""
    return pooled_tail(split_runs([pair], n_particles=n_particles), n_particles=n_particles)


def split_runs(pairs: Sequence[TailPair], *, n_particles: int = N_PARTICLES) -> list[Run]:
    """Run multilevel splitting for each pair, and return all runs of the first pair, then of the next."""
    found: list[Run] = []
    for pair in pairs:
        statistic = pair.measure.statistic(pair.x, pair.y)
        for number, permutations in zip(pair.numbers, pair.permutations, strict=False):
            if statistic is None:
                run = _run_by_calls(pair, permutations, n_particles)
            elif pair.shared is None or n_particles != N_PARTICLES:
                run = statistic.split(
                    permutations, pair.threshold, n_particles, math.log(END), current_stop()
                )
            else:
                found.append(_run_of_curve(pair, pair.shared, statistic, number, permutations))
                continue
            found.append(Run(run.log_p, run.is_reached, pair.log_floor))
    return found


def _run_of_curve(
    pair: TailPair,
    key: NullKey,
    statistic: _native.Statistic,
    number: int,
    permutations: _native.Permutations,
) -> Run:
    """Return one splitting run of a shared null, interpolated from its cached tail curve."""

    def run(depth: float) -> TailCurve:
        made = statistic.split(permutations, math.inf, N_PARTICLES, math.log(10) * depth, current_stop())
        return TailCurve(made.levels, made.log_tail / math.log(10))

    curve = curve_reaching(pair.threshold, key, number, _VERSION, run)
    return Run(math.log(10) * curve.at(pair.threshold), curve.reaches(pair.threshold), pair.log_floor)


def _run_by_calls(pair: TailPair, permutations: _native.Permutations, n_particles: int) -> _native.TailRun:
    run = _native.Splitting(permutations, pair.threshold, n_particles, math.log(END))
    while not run.is_done:
        listed = _native.Permutations.listed(run.pairings())
        run.feed(pair.measure.resample(pair.x, pair.y, listed, 0, n_particles))
    return run.result


def pooled_tail(runs: Sequence[Run], *, n_particles: int = N_PARTICLES) -> Tail:
    """Average p over the splitting runs of one pair, in logarithms, as small p would underflow."""
    logs = np.array([run.log_p for run in runs])
    log_floor = runs[0].log_floor
    log_p = max(min(float(np.logaddexp.reduce(logs)) - math.log(len(runs)), 0.0), log_floor)
    # A run whose particles are independent has a variance of one over their number for each halving of p.
    least = math.sqrt(-log_p / math.log(2) / n_particles / len(runs))
    seen = float(np.std(logs, ddof=1)) / math.sqrt(len(runs)) if len(runs) > 1 else 0.0
    return Tail(
        log10_p=log_p / math.log(10),
        se_log10=max(seen, least) / math.log(10),
        is_reached=all(run.is_reached for run in runs),
    )


@dataclass(frozen=True, eq=False)
class TailCurve:
    """Upper tail of a null from one splitting run: ascending thresholds and log10 P(value ≥ threshold)."""

    levels: FloatArray
    log10_p: FloatArray

    def reaches(self, threshold: float) -> bool:
        """Return True if the curve extends to the threshold."""
        return bool(len(self.levels)) and threshold <= self.levels[-1]

    def at(self, threshold: float) -> float:
        """Return log10 p at a threshold, interpolated between levels and constant beyond the last.

        >>> curve = TailCurve(np.array([1.0, 2.0, 4.0]), np.array([-0.25, -0.5, -1.0]))
        >>> [float(curve.at(threshold)) for threshold in (0.5, 2.0, 3.0, 9.0)]
        [0.0, -0.5, -0.75, -1.0]
        """
        if not len(self.levels):
            return 0.0
        return float(np.interp(threshold, self.levels, self.log10_p, left=0.0))


def curve_reaching(
    threshold: float, key: NullKey, number: int, version: int, run: Callable[[float], TailCurve]
) -> TailCurve:
    """Return the tail curve of a splitting run from the cache, computed as far as the threshold.

    `run` computes the curve down to a depth, which is log10 p.
    """
    curve = TailCurve(np.empty(0), np.empty(0))
    for depth in DEPTHS:
        settings = ("tail", str(version)), ("run", str(number)), ("depth", f"{depth:g}")
        kept = replace(key, settings=(*key.settings, *settings))

        def compute(depth: float = depth) -> FloatArray:
            made = run(depth)
            return np.concatenate([made.levels, made.log10_p])

        levels, log10_p = np.split(default_store().whole(kept, compute), 2)
        curve = TailCurve(levels, log10_p)
        if curve.reaches(threshold) or not len(levels) or log10_p[-1] > depth:  # no permutation is beyond
            break
    return curve
