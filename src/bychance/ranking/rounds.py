"""Rounds of further permutations for the pairs of a table until every decision is made.

The first pass over all pairs leaves a first sample of permutations for each null without a closed form.
Between rounds the p-values of all pairs, known and sampled, say which decisions at the false discovery rate
are still open (nulls/sequential.py); these pairs get as many permutations again. The permutations of a pair
depend on nothing but the pair and the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from bychance.array_types import BoolArray, IndexArray, IntArray
from bychance.columns import Memory
from bychance.kinds import Kind
from bychance.nulls.sequential import ENOUGH, discovery_threshold, next_size, undecided
from bychance.ranking.by_pair import measure_by_pair
from bychance.ranking.collector import Collector
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import (
    PairResults,
    PKind,
    TextNumbers,
    join_results,
    p_values_of_tests,
    stated_of,
)
from bychance.ranking.sampled import Columns

__all__ = ["PairTask", "draw_until_decided"]


# Rows times permutations of a task: from ten milliseconds to some tenths of a second (speed).
_FEWEST_CELLS, _MOST_CELLS = 1 << 22, 1 << 26
_MANY_TASKS = 64  # tasks that keep all threads busy to the end (speed)
_ON_GPU = 1 << 10  # pairs of a task on a GPU (speed)
_FIRST_ROWS = 1_000  # best pairs of a ranking, whose quantiles are always made precise (taste)
_SLOW = 256  # times the work of a permutation if a null has no exact moments, as of MIC (taste, speed only)


def draw_until_decided(plan: Plan, collector: Collector) -> None:
    """Permute pairs further until each is surely a discovery or surely not, and update their results."""
    numbers, rows = collector.open_rows()
    rounds = _Rounds(plan, collector, numbers, rows)
    numbers = numbers[rows.p_kind == PKind.SEQUENTIAL]
    rounds.decide()
    collector.update(numbers, rounds.rows)
    if rounds.make_precise(np.isin(numbers, collector.leading(_FIRST_ROWS))):
        collector.update(numbers, rounds.rows)


class _Rounds:
    """Rounds of further permutations for pairs with sampled nulls, with their results so far."""

    def __init__(self, plan: Plan, collector: Collector, numbers: IntArray, rows: PairResults) -> None:
        self._plan = plan
        self._cap = plan.job.sampling.cap
        self._known, self._factor = collector.other_tests(numbers)
        is_sampled = rows.p_kind == PKind.SEQUENTIAL
        self.rows = rows.pick(np.flatnonzero(is_sampled))
        self._ended = stated_of(rows.pick(np.flatnonzero(~is_sampled)))

    def decide(self) -> None:
        """Permute pairs further until each is surely a discovery or not, or has the most permutations."""
        level = self._plan.job.fdr_level
        while True:
            size = int(self.rows.n_resamples.max())
            limits = zip(stated_of(self.rows).limits(), self._ended.limits(), strict=True)
            low, high = (np.concatenate(both) for both in limits)
            is_open = undecided(low, high, self._known, level, self._factor)[: len(self.rows)]
            # A pair with fewer draws stopped earlier, and never opens again.
            is_open &= self.rows.n_resamples == size
            if size >= self._cap or not is_open.any():
                return
            self._extend(np.flatnonzero(is_open), next_size(size, self._cap))

    def make_precise(self, is_first: BoolArray) -> bool:
        """Permute discoveries further for precise quantiles, and return True if any needed it.

        Without exact moments permutations cost more and add less precision. So only pairs in the first rows
        of the ranking are then made precise.
        """
        p_values = p_values_of_tests(self.rows)
        everything = np.concatenate([p_values, self._ended.value, self._known])
        threshold = discovery_threshold(everything, self._plan.job.fdr_level, self._factor)
        enough = min(ENOUGH, self._cap)
        is_coarse = (p_values <= threshold) & (self.rows.n_resamples < enough)
        is_coarse &= self.rows.has_exact_std | is_first
        for size in np.unique(self.rows.n_resamples[is_coarse]):
            self._extend(np.flatnonzero(is_coarse & (self.rows.n_resamples == size)), enough)
        return bool(is_coarse.any())

    def _extend(self, picked: IndexArray, size: int) -> None:
        """Permute the picked pairs further, in parallel tasks, until each has `size` permutations."""
        parts = list(self._parts(picked, size))
        tasks = {k: partial(self._task, part, size) for k, part in enumerate(parts)}
        done = dict(self._plan.run(tasks, f"pairs up to {size:,} permutations", len(picked)))
        found = join_results([done[k] for k in range(len(parts))])
        self.rows = self.rows.replaced(np.concatenate(parts), found)

    def _parts(self, picked: IndexArray, size: int) -> Iterator[IndexArray]:
        """Divide the picked pairs into tasks of about equal work, or of 1,024 pairs for a GPU."""
        if self._plan.job.is_drawn_on_gpu:
            yield from (picked[k : k + _ON_GPU] for k in range(0, len(picked), _ON_GPU))
            return
        slowness = np.where(self.rows.has_exact_std[picked], 1, _SLOW)
        cells = np.cumsum(self.rows.n[picked] * slowness * (size - self.rows.n_resamples[picked]))
        step = min(_MOST_CELLS, max(_FEWEST_CELLS, int(cells[-1]) // _MANY_TASKS))
        ends = np.searchsorted(cells, np.arange(step, cells[-1] + step, step))
        yield from np.split(picked, np.unique(ends[ends < len(picked)]))

    def _task(self, part: IndexArray, size: int) -> _Extension:
        return _Extension.of(self._plan, self.rows.pick(part), size=size)


@dataclass(frozen=True, eq=False)
class PairTask:
    """Parallel task on some pairs, with their columns and results so far."""

    columns: Columns
    rows: PairResults
    job: Job
    memory: Memory

    @classmethod
    def of(cls, plan: Plan, rows: PairResults, **more: Any) -> Self:
        """Return the task for these rows, with their columns."""
        columns = plan.columns_at(rows.x.astype(np.intp)), plan.columns_at(rows.y.astype(np.intp))
        return cls(columns, rows, plan.job, plan.memory, **more)


@dataclass(frozen=True, eq=False)
class _Extension(PairTask):
    """Parallel task that draws further permutations, up to `size`, for pairs with equally many so far."""

    size: int

    def run(self, tick: Callable[[int], None]) -> PairResults:
        """Draw the further permutations, and return the rows updated with them."""
        texts, rows, (x, y) = TextNumbers.of(self.rows.texts), self.rows, self.columns
        moments = np.where([rows.has_exact_mean, rows.has_exact_std], [rows.null_mean, rows.null_std], np.nan)
        of_kinds: dict[tuple[Kind, Kind], list[int]] = {}
        for k in range(len(rows)):
            of_kinds.setdefault((x[k].kind, y[k].kind), []).append(k)
        for kinds, places in of_kinds.items():
            at = np.array(places)
            columns = [x[k] for k in places], [y[k] for k in places]
            how = columns, moments[:, at], texts, tick, self.size
            measure_by_pair(self.job.measures[kinds], self.job, self.memory, rows, at, *how)
        return replace(rows, texts=tuple(texts))
