"""forecast(): a plan → how many pairs, which nulls and about how long, from a sample of a second or two."""

from __future__ import annotations

import math
import time
from collections import Counter
from dataclasses import dataclass, replace
from secrets import randbits

from bychance.names import count_of
from bychance.nulls import Permutation
from bychance.nulls.choose import FixedAuto
from bychance.pairs import Tile
from bychance.parallel import jobs_of, one_blas_thread
from bychance.progress import duration
from bychance.ranking.block import measure_block
from bychance.ranking.planning.plan import Plan
from bychance.ranking.results import PairResults

__all__ = ["Forecast", "forecast"]

_PATIENCE_S = 0.25  # a larger sample is begun only where the last one was quicker
_FEW, _SOME = 9, 99  # draws of a null, to tell what many would take
_PAPER_DRAWS = 10_000.0
_ADAPTIVE_DRAWS = 900.0  # of a sampled pair, on average over a table with some hundred discoveries


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a ranking will do, and about how long it will take.

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
    """What the plan will do: evenly spaced columns are paired and measured, more of them while it is quick.

    >>> from bychance.ranking.run import plan_ranking
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
    """Rows of evenly spaced pairs, as many as are quick, and the seconds that whole nulls take for them.

    Where nulls are sampled, few draws and some more tell what all of them would take if none were stored.
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
    """The rows of about `side`² evenly spaced pairs, and the seconds they took."""
    n_x, n_y = len(plan.pairs.x), len(plan.pairs.y)
    width = min(n_y, side)
    height = min(n_x, math.ceil(side * side / width))
    tile = Tile(slice(0, n_x, max(1, n_x // height)), slice(0, n_y, max(1, n_y // width)))
    block = plan.block(tile if len(plan.pairs.within(tile)[0]) else plan.tiles[0])
    start = time.perf_counter()
    rows = measure_block(block).rows
    return rows, time.perf_counter() - start


def _with_draws(plan: Plan, draws: int) -> Plan:
    """The plan with few draws where it is known to sample, under a seed of which no null is stored."""
    null = plan.job.null
    if isinstance(null, Permutation) and isinstance(null.n_resamples, int):
        null = replace(null, n_resamples=min(draws, int(null.n_resamples)))
    elif null == "auto":
        null = FixedAuto(draws)
    elif null == "paper" and any(m.paper_null == "permutation" for m in plan.job.measures.values()):
        null = Permutation(draws)
    return replace(plan, job=replace(plan.job, null=null, root=randbits(63)))


def _mean_draws(plan: Plan) -> float:
    """About how many draws each null takes, where it is sampled."""
    if plan.job.null == "paper":
        return _PAPER_DRAWS
    asked = plan.job.sampling.n_resamples
    return _ADAPTIVE_DRAWS if isinstance(asked, str) else asked
