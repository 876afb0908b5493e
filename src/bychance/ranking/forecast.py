"""forecast(): a plan → how many pairs, which engines and about how long, from a sample of a second or two."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from secrets import randbits

import numpy as np

from bychance.measures import MIC
from bychance.nulls import Permutation
from bychance.nulls.choose import Auto
from bychance.pairs import Tile
from bychance.ranking.block import measure_block
from bychance.ranking.execute import one_blas_thread
from bychance.ranking.job import are_of_kinds
from bychance.ranking.pair_rows import Rows
from bychance.ranking.plan import Plan

__all__ = ["Forecast", "forecast"]

_PATIENCE_S = 1.0  # a larger sample is begun only where it will probably end by then
_FEW, _SOME = 9, 99  # draws of a null, to tell what many would take
_PAPER_DRAWS = 10_000.0


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a ranking will do, and about how long it will take.

    `engines` say in words how each kind of pair is measured, and `sampled` on how many pairs that and the
    seconds were found out. `may_share` marks measures whose nulls serve many pairs and are stored: with them
    it takes the less, the more columns are free of ties.
    """

    n_pairs: int
    n_blocks: int
    n_workers: int
    engines: tuple[str, ...]
    seconds: float
    sampled: int
    may_share: bool = False

    def __str__(self) -> str:
        workers = "1 thread" if self.n_workers == 1 else f"{self.n_workers} workers"
        sample = "all pairs" if self.sampled == self.n_pairs else f"{self.sampled:,} of them"
        less = "; less where nulls are shared or stored" if self.may_share else ""
        blocks = f"{self.n_blocks:,} block{'s' if self.n_blocks > 1 else ''}"
        return "\n".join(
            [
                f"{self.n_pairs:,} pairs in {blocks}",
                *self.engines,
                f"about {_in_words(self.seconds)} on {workers}, judging by {sample}{less}",
            ]
        )


def forecast(plan: Plan, n_jobs: int = 1) -> Forecast:
    """What the plan will do: evenly spaced columns are paired and measured, more of them while it is quick.

    Where nulls are sampled, a few draws tell what whole ones would take if none were stored.

    >>> from bychance.ranking.run import plan_ranking
    >>> told = forecast(plan_ranking({"a": np.arange(20.0), "b": np.arange(20.0) ** 2}, measure="r2"))
    >>> told.n_pairs, told.sampled, told.engines
    (1, 1, ('numeric and numeric: r2, null: beta (exact moments)',))
    """
    import joblib

    n_pairs, n_blocks = len(plan.pairs), len(plan.tiles)
    n_workers = max(1, min(int(joblib.effective_n_jobs(n_jobs)), n_blocks))
    with one_blas_thread():
        rows, seconds = _sample(plan)
    return Forecast(
        n_pairs=n_pairs,
        n_blocks=n_blocks,
        n_workers=n_workers,
        engines=tuple(_engines(plan, rows)),
        seconds=seconds / len(rows) * n_pairs / n_workers,
        sampled=len(rows),
        may_share=any(isinstance(measure, MIC) for measure in plan.job.measures.values()),
    )


def _sample(plan: Plan) -> tuple[Rows, float]:
    """Rows of evenly spaced pairs, as many as are quick, and the seconds that whole nulls take for them."""
    rows, seconds = _timed(_with_draws(plan, _FEW), 2)
    side = 2
    if (rows.n_resamples > 0).any():
        if seconds > _PATIENCE_S / 4:
            return rows, seconds * _mean_draws(plan, rows) / _FEW
        side, rows, seconds = _sample_draws(plan)
        if seconds > _PATIENCE_S:
            return rows, seconds
    rows, seconds = _timed(plan, side)
    while len(rows) < len(plan.pairs) and 4 * seconds < _PATIENCE_S:
        side *= 2
        rows, seconds = _timed(plan, side)
    return rows, seconds


def _sample_draws(plan: Plan) -> tuple[int, Rows, float]:
    """The same with two numbers of draws, from which the time of all of them follows."""
    side, few_s, some_s = 2, 0.0, 0.0
    while True:
        rows, few_s = _timed(_with_draws(plan, _FEW), side)
        rows, some_s = _timed(_with_draws(plan, _SOME), side)
        if len(rows) == len(plan.pairs) or 4 * (few_s + some_s) > _PATIENCE_S / 2:
            break
        side *= 2
    draw_s = max(some_s - few_s, 0.0) / (_SOME - _FEW)
    return side, rows, few_s + draw_s * max(_mean_draws(plan, rows) - _FEW, 0.0)


def _timed(plan: Plan, side: int) -> tuple[Rows, float]:
    """The rows of about `side`² evenly spaced pairs, and the seconds they took."""
    tile = _evenly_spaced(plan, side)
    start = time.perf_counter()
    rows = measure_block(plan.block_of(tile))
    return rows, time.perf_counter() - start


def _evenly_spaced(plan: Plan, side: int) -> Tile:
    n_x, n_y = len(plan.pairs.x), len(plan.pairs.y)
    width = min(n_y, side)
    height = min(n_x, math.ceil(side * side / width))
    tile = Tile(slice(0, n_x, max(1, n_x // height)), slice(0, n_y, max(1, n_y // width)))
    return tile if len(plan.pairs.within(tile)[0]) else plan.tiles[0]


def _with_draws(plan: Plan, draws: int) -> Plan:
    """The plan with few draws where it is known to sample, under a seed of which no null is stored."""
    null = plan.job.null
    if isinstance(null, Permutation) and not null.is_adaptive:
        null = replace(null, n_resamples=min(draws, int(null.n_resamples)))
    elif isinstance(null, Auto) or null == "auto":
        null = Auto(draws)
    elif null == "paper" and any(m.paper_null == "permutation" for m in plan.job.measures.values()):
        null = Permutation(draws)
    return replace(plan, job=replace(plan.job, null=null, root=randbits(63)))


def _mean_draws(plan: Plan, rows: Rows) -> float:
    """How many draws a whole null takes, where it samples."""
    null, n = plan.job.null, rows.n[rows.n_resamples > 0]
    if isinstance(null, Permutation):
        return float(_SOME if null.is_adaptive else null.n_resamples)
    if null == "paper":
        return _PAPER_DRAWS
    auto = null if isinstance(null, Auto) else Auto()
    return float(np.mean([auto.resamples_for(int(rows)) for rows in n]))


def _engines(plan: Plan, rows: Rows) -> list[str]:
    """By the kinds of x and y, the measure and the engines of its nulls, the most frequent first."""
    is_labels = plan.pairs.is_labels
    engines, described = rows.text("engine"), []
    for (x, y), measure in plan.job.measures.items():
        of_kind = are_of_kinds(is_labels, rows.x, rows.y, (x, y))
        found = Counter(engine for engine in engines[of_kind].tolist() if engine)
        if of_kind.any():
            described.append(f"{x.value} and {y.value}: {measure.name}, null: {_shares(found)}")
    return described


def _shares(found: Counter[str]) -> str:
    if len(found) <= 1:
        return next(iter(found), "none in the sample")
    return ", ".join(f"{engine} ({count / found.total():.0%})" for engine, count in found.most_common(3))


def _in_words(seconds: float) -> str:
    """A length of time to two digits.

    >>> [_in_words(s) for s in (0.2, 42.2, 610, 9000, 400_000)]
    ['1 second', '42 seconds', '10 minutes', '2.5 hours', '4.6 days']
    """
    if seconds < 1.5:
        return "1 second"
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"
