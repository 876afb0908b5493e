"""Very small p-values by rare-event simulation (multilevel splitting), for pairs whose discovery needs them.

Splitting (nulls/splitting.py) finds them for pairs whose decision is open, the smallest p-values first, as
far as a budget of rows goes. `Ranking.refine` finds those of the first rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from bychance.array_types import BoolArray, IndexArray
from bychance.kinds import Kind
from bychance.nulls.sequential import discovery_threshold, needs_tail
from bychance.nulls.splitting import (
    MOST_ROWS,
    N_RUNS,
    Run,
    Tail,
    can_be_quick,
    pooled_tail,
    split_runs,
    tail_pair,
)
from bychance.ranking.by_pair import pair_of_row
from bychance.ranking.collector import Collector
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults, PKind, TextNumbers, p_values_of_tests, stated_of
from bychance.ranking.rounds import PairTask

__all__ = ["find_tails", "with_tails"]


# Sum of rows over the pairs that are split by default: ten minutes of one core at most (taste).
_MOST_ROWS_SPLIT = 2_000_000
_PAIRS_PER_TASK, _MANY_TASKS = 8, 64  # quick pairs of a task at most, and tasks to keep threads busy (speed)


def find_tails(plan: Plan, collector: Collector, limit: float = 0.0, *, is_whole: bool = True) -> int:
    """Refine small p-values that decide discoveries by splitting, and return how many decisions stay open.

    Decisions are those at the false discovery rate, and if p is at most the `limit`. Unless `is_whole`, no
    p-value is split if some decisions would stay open.
    """
    tails = plan.job.tails
    numbers, rows = collector.open_rows()
    stated = stated_of(rows)
    low, _ = stated.limits()
    if tails == "open":
        known, factor = collector.other_tests(numbers)
        is_wanted = needs_tail(stated, known, plan.job.fdr_level, factor, plan.job.sampling.cap)
        is_wanted |= stated.can_be_finer & (stated.value > limit) & (low <= limit) & (limit > 0)
    else:
        is_wanted = stated.can_be_finer & ~np.isnan(stated.value) & (tails == "all")
    wanted = np.flatnonzero(is_wanted)
    # Of a stream there are not all rows to exchange.
    picked = wanted[:0] if plan.job.sums is not None else wanted
    if tails == "open":
        picked = picked[np.argsort(low[picked], kind="stable")]
        picked = np.sort(picked[np.cumsum(rows.n[picked]) <= _MOST_ROWS_SPLIT])
    n_open = len(wanted) - len(picked)
    if not len(picked) or (n_open and not is_whole):
        return n_open
    found = with_tails(plan, rows.pick(picked))
    collector.update(numbers[picked], found)
    others, factor = collector.other_tests(numbers[picked])
    p_values = p_values_of_tests(found)
    threshold = discovery_threshold(np.concatenate([p_values, others]), plan.job.fdr_level, factor)
    return n_open + int(np.count_nonzero(found.is_bound & (p_values > threshold)))


def with_tails(plan: Plan, rows: PairResults) -> PairResults:
    """Return pairs' results with small p-values refined by multilevel splitting (rare-event simulation)."""
    parts = list(_parts(_are_quick(plan, rows)))
    tasks = {
        k: partial(_TailTask.of, plan, rows.pick(part), runs=runs) for k, (part, runs) in enumerate(parts)
    }
    done = dict(plan.run(tasks, "tails", N_RUNS * len(rows)))
    runs_of: dict[int, list[Run]] = {}
    for k, (part, runs) in enumerate(parts):
        for place, run in enumerate(done[k]):
            runs_of.setdefault(int(part[place // len(runs)]), []).append(run)
    texts = TextNumbers.of(rows.texts)
    for k, runs_of_pair in runs_of.items():
        _put(rows, k, pooled_tail(runs_of_pair), texts)
    return replace(rows, texts=tuple(texts))


def _put(rows: PairResults, k: int, tail: Tail, texts: TextNumbers) -> None:
    """Write a p-value from splitting to row k if it is more precise than the row's own."""
    rows.matched_p[k], p = np.nan, tail.p_value
    if not tail.is_finer(rows.p_value[k]):
        return
    rows.p_value[k], rows.p_se[k], rows.is_bound[k] = p.value, p.se, p.kind == "bound"
    rows.p_kind[k] = PKind.SPLITTING
    rows.note[k] = texts.joined(tuple(texts)[rows.note[k]], tail.caveat)


def _parts(are_quick: BoolArray) -> Iterator[tuple[IndexArray, range]]:
    """Yield tasks as (pairs, run numbers): all runs of several quick pairs, or one run of a slow pair."""
    quick = np.flatnonzero(are_quick)
    size = min(_PAIRS_PER_TASK, max(1, len(quick) // _MANY_TASKS))
    for start in range(0, len(quick), size):
        yield quick[start : start + size], range(N_RUNS)
    for pair in np.flatnonzero(~are_quick):
        for run in range(N_RUNS):
            yield np.array([pair]), range(run, run + 1)


def _are_quick(plan: Plan, rows: PairResults) -> BoolArray:
    """Flag pairs whose multilevel splitting takes a fraction of a second."""
    measures = {measure.name: measure for measure in plan.job.measures.values()}
    by_text = [text in measures and can_be_quick(measures[text], MOST_ROWS) for text in rows.texts]
    are_quick: BoolArray = np.array(by_text, dtype=np.bool_)[rows.measure] & (rows.n <= MOST_ROWS)
    if plan.job.covariates is None:
        return are_quick
    # Beyond covariates the kernels know two numbers within cells.
    is_number = np.array([column.kind is Kind.NUMERIC for column in plan.table.columns])
    are_quick &= is_number[rows.x] & is_number[rows.y] & plan.job.covariates.makes_only_cells
    return are_quick


@dataclass(frozen=True, eq=False)
class _TailTask(PairTask):
    """Parallel task that computes small p-values of some pairs by some runs of multilevel splitting."""

    runs: range

    def run(self, tick: Callable[[int], None]) -> list[Run]:
        """Return the runs of multilevel splitting, pair by pair."""
        pairs = []
        for k, (x, y) in enumerate(zip(*self.columns, strict=True)):
            plain = pair_of_row(self.job.measures[x.kind, y.kind], x, y, self.memory, self.job)
            pair = tail_pair(plain, self.job.sampling, float(self.rows.null_std[k]))
            pairs.append(
                replace(pair, permutations=[pair.permutations[run] for run in self.runs], numbers=self.runs)
            )
        found = split_runs(pairs)
        tick(len(found))
        return found
