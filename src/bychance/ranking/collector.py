"""Collector of all blocks' results: the kept rows with ranks and q-values among all pairs.

All rows stay in memory or on disk, or only the best are kept. The p-value of every pair stays at hand:
q-values count them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.errors import MeasureError
from bychance.parallel import n_threads_of
from bychance.ranking.block import Block
from bychance.ranking.candidates import Candidates, put_together
from bychance.ranking.closed_testing import Hull
from bychance.ranking.limits_of_work import check_memory
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import (
    Cut,
    Measured,
    PairResults,
    PKind,
    fdr_factor,
    join_results,
    p_values_of_tests,
    places,
    q_values,
    scores_of,
)
from bychance.ranking.resume import Parts

__all__ = ["Collected", "Collector", "RowsInMemory", "Standing", "merged", "picked"]

FEW_PAIRS = 10_000  # pairs up to which memory is not checked: their rows take less than Python itself
_MANY_CANDIDATES = 1 << 15  # candidate pairs that are collected before they are measured (speed)
_MANY_ROWS = 1 << 12  # new rows that are collected before the best are selected (speed)
_ROUNDING = 1e-9  # relative difference between a kernel's score and that of the row (rounding)

Part = tuple[IntArray, PairResults]
"""Rows, and the numbers of their pairs among all pairs."""
Scores = tuple[FloatArray, NDArray[np.float32] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Order, rank and false discovery rate of every pair, by pair number.

    `n_found` counts the rates below the job's `fdr_level`.
    """

    order: NDArray[np.uint32]
    place: NDArray[np.uint32]
    rates: FloatArray
    n_tested: int
    n_found: int

    @classmethod
    def of(
        cls,
        job: Job,
        p_values: FloatArray,
        scores: Callable[[], Scores],
        save: Callable[[str, NDArray[Any]], NDArray[Any]] = lambda name, array: array,
        n_tested: int | None = None,
    ) -> Standing:
        """Compute order, ranks and false discovery rates from scores and p-values (overwritten by rates).

        `n_tested` counts further tests, too: q-values without their p-values are upper bounds.
        """
        n_known = int(np.count_nonzero(p_values < np.inf))
        n_tested = n_known if n_tested is None else n_tested
        _native.false_discovery_rates(p_values, fdr_factor(job.fdr, n_known, n_tested))
        n_found = int(np.count_nonzero(p_values < job.fdr_level))
        rates = save("rates", p_values)
        del p_values
        order = save("order", _native.descending_order(*scores()))
        return cls(order, save("place", places(order)), rates, n_tested, n_found)

    def best(self, is_duplicate: BoolArray, top: int | None) -> IndexArray:
        """Return the sorted numbers of the `top` best pairs and of the `top` best non-duplicates."""
        originals = self.order[~is_duplicate[self.order]]
        return np.union1d(self.order[:top], originals[:top]).astype(np.intp)

    def collected(
        self, rows: PairResults, chosen: IndexArray | slice, n_duplicates: int, hull: Hull | None = None
    ) -> Collected:
        """Return the rows of the chosen pairs with their ranks and q-values."""
        q_value = q_values(self.rates[: len(self.order)][chosen], rows)
        counts = self.n_tested, self.n_found, n_duplicates
        return Collected(rows, self.place[chosen], q_value, *counts, hull=hull)


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Kept result rows, sorted by x and y, with their ranks and q-values among all pairs.

    `n_found` counts the q-values of all pairs below the job's `fdr_level`.
    `n_at_floor` pairs have a Monte Carlo p-value as small as their number of draws allows, `n_draws` at most.
    `n_open` counts pairs whose p-values leave open if they are discoveries. `hull` is the hull of all
    p-values if not all rows are kept.
    """

    rows: PairResults
    place: NDArray[np.uint32]
    q_value: FloatArray
    n_tested: int
    n_found: int
    n_duplicates: int
    hull: Hull | None = None
    n_draws: int = 0
    n_at_floor: int = 0
    n_open: int = 0
    standing: Standing | None = None  # of all pairs, if their rows are on disk

    @classmethod
    def of(
        cls,
        rows: PairResults,
        job: Job,
        *,
        top: int | None = None,
        n_tested: int | None = None,
    ) -> Collected:
        """Rank all rows, and keep the `top` best and the `top` best without near-duplicates (default: all).

        `n_tested` counts all tests, also those without a p-value.
        """
        p_values = p_values_of_tests(rows)
        standing = Standing.of(job, p_values, lambda: scores_of(rows, job.by), n_tested=n_tested)
        n_duplicates = int(rows.is_duplicate.sum())
        if top is None:
            return standing.collected(rows, slice(None), n_duplicates)
        chosen = standing.best(rows.is_duplicate, top)
        return standing.collected(rows.pick(chosen), chosen, n_duplicates)


class Collector:
    """Collector of block results that arrive in any order, which returns all rows or the `top` best.

    Without `top` it gives all rows, with it the `top` best, with and without near-duplicates. With `parts`,
    all rows are stored there, beside rows of an interrupted run. `n_others` counts the tests among pairs that
    are not in the plan: none of them counts as a discovery.
    """

    def __init__(
        self, plan: Plan, *, top: int | None = None, parts: Parts | None = None, n_others: int = 0
    ) -> None:
        if plan.n_pairs > FEW_PAIRS:
            check_memory(plan, keeps_all=top is None and parts is None, to_file=parts is not None)
        self._plan, self._top, self._parts, self._n_others = plan, top, parts, n_others
        self.keeps_best = parts is None and top is not None  # so that not all rows are wanted
        self._in_memory = RowsInMemory(plan.job.by, top if self.keeps_best else None)
        self._candidates: list[Candidates] = []
        self._leaders = None if top is None else _native.Leaders(top)
        # P-values of all pairs, NaN if untested. They mean nothing before their block is added: NaN would be
        # written by one thread while all wait.
        self.p_values = np.empty(plan.n_pairs)
        self._failure, self._has_measured = "", False
        self._n_draws, self._n_at_floor = 0, 0
        self.has_sampled_rows, self.has_open_rows = False, False
        self.finished: frozenset[int] = frozenset() if parts is None else parts.finished()
        for number in self.finished:
            numbers, rows = self._stored(number)
            self.p_values[numbers] = p_values_of_tests(rows)
            self._count(rows)

    def cut(self) -> Cut:
        """Return the filter (size, least score) that rows must pass to be among the best so far."""
        return replace(self._in_memory.cut, p_values=self.p_values, leaders=self._leaders)

    def open_rows(self) -> Part:
        """Return the numbers and results of pairs whose p-values may still change."""
        blocks = [self._in_memory.latest()] if self._parts is None else self._blocks()
        return merged([picked(part, part[1].is_open) for part in blocks])

    def other_tests(self, numbers: IntArray) -> tuple[FloatArray, float]:
        """Return the p-values of pairs not in `numbers`, and the factor that multiplies all q-values."""
        others = self.p_values.copy()
        n_known = int(np.count_nonzero(~np.isnan(others)))
        others[numbers] = np.nan
        factor = fdr_factor(self._plan.job.fdr, n_known, n_known + self._n_others)
        return others[~np.isnan(others)], factor

    def leading(self, k: int) -> IntArray:
        """Return the numbers of the k currently best pairs, without pairs of near-duplicate columns."""
        if self._parts is None:
            numbers, rows = self._in_memory.latest()
            best = _native.descending_order(*scores_of(rows, self._plan.job.by)).astype(np.intp)
            return numbers[best[~rows.is_duplicate[best]][:k]]
        order = _native.descending_order(*self._scores()).astype(np.int64)
        leaders: IntArray = order[~self._gather(_is_duplicate, np.bool_)[order]][:k]
        return leaders

    def add(self, number: int, measured: Measured | Candidates) -> None:
        """Add the results of a block, or its candidates to be measured later."""
        if isinstance(measured, Candidates):
            self._has_measured = True
            self._candidates.append(measured)
            if sum(map(len, self._candidates)) > _MANY_CANDIDATES:
                self.settle()
            return
        self._add(self._plan.numbers(number), measured)
        if self._parts is not None:
            self._parts.write(number, measured.rows)

    def settle(self) -> None:
        """Measure the remaining candidates of all blocks, and add their results."""
        waiting, self._candidates = self._candidates, []
        assert self._leaders is not None
        least = self._leaders.least
        left = [some for each in waiting if len(some := each.above(least - _ROUNDING * abs(least)))]
        if left:
            candidates, memory = put_together(left, self._plan.memory)
            (x_columns, x), (y_columns, y) = candidates.x, candidates.y
            places = x_columns, y_columns, x, y, candidates.first, candidates.second
            how = self._plan.job, self._in_memory.cut, memory
            block = Block(*places, *how, is_listed=True, known=candidates.statistics)
            self._add(candidates.numbers, block.measured())

    def _add(self, numbers: IntArray, measured: Measured) -> None:
        self._failure = self._failure or measured.failure
        self.p_values[numbers] = measured.p_values
        self._count(measured.rows)
        if self._parts is None:
            self._in_memory.add(numbers[measured.at], measured.rows)

    def _count(self, rows: PairResults) -> None:
        """Count new rows in which no permutation reaches the observed value, and note changeable p-values."""
        is_open, is_sampled = rows.is_open, rows.n_resamples > 0
        self.has_open_rows |= bool(is_open.any())
        self.has_sampled_rows |= bool((rows.p_kind[is_open] == PKind.SEQUENTIAL).any())
        self._has_measured |= not np.isnan(rows.observed).all()
        if is_sampled.any():
            least = 1 / (rows.n_resamples[is_sampled] + 1.0)
            self._n_draws = max(self._n_draws, int(rows.n_resamples.max()))
            self._n_at_floor += int(np.sum(rows.p_value[is_sampled] <= least * (1 + _ROUNDING)))

    def update(self, numbers: IntArray, rows: PairResults) -> None:
        """Replace the results of the pairs `numbers`. With `top`, only rows in `open_rows` may change."""
        self.p_values[numbers] = p_values_of_tests(rows)
        if self._parts is None:
            self._in_memory.put(numbers, rows)
            return
        for number, (own, block) in enumerate(self._blocks()):
            _, at, found = np.intersect1d(own, numbers, assume_unique=True, return_indices=True)
            if len(at):
                self._parts.replace(number, block.replaced(at, rows.pick(found)))

    def finish(self) -> Collected:
        """Return the kept rows, sorted by x and then by y, with ranks and q-values."""
        if self._failure and not self._has_measured:
            if self._parts is not None:
                self._parts.remove()
            raise MeasureError(self._failure)
        self._plan.forget()
        job, parts = self._plan.job, self._parts
        if parts is None and not self.keeps_best:
            found = Collected.of(self.rows(), job)
        else:
            n_threads = n_threads_of(self._plan.workers.n_jobs)
            # Released as soon as they are sorted or stored.
            p_values, self.p_values = self.p_values, np.empty(0)
            hull = Hull.of(p_values, n_threads)
            if parts is None:
                found = self._in_memory.finish(job, p_values, hull, n_threads)
            else:
                standing = Standing.of(job, p_values, self._scores, parts.save)
                is_duplicate = self._gather(_is_duplicate, np.bool_)
                chosen = standing.best(is_duplicate, self._top)
                _, rows = merged([picked(part, np.isin(part[0], chosen)) for part in self._blocks()])
                found = standing.collected(rows, chosen, int(is_duplicate.sum()), hull)
                found = replace(found, standing=standing)
        return replace(found, n_draws=self._n_draws, n_at_floor=self._n_at_floor)

    def rows(self) -> PairResults:
        """Return all rows, sorted by x and then by y."""
        self._plan.forget()
        return (self._in_memory.latest() if self._parts is None else merged(list(self._blocks())))[1]

    def _blocks(self) -> Iterator[Part]:
        """Yield the rows of all stored blocks."""
        return map(self._stored, range(len(self._plan.tiles)))

    def _stored(self, number: int) -> Part:
        assert self._parts is not None
        return self._plan.numbers(number), self._parts.read(number)

    def _scores(self) -> Scores:
        by = self._plan.job.by
        score = self._gather(lambda rows: scores_of(rows, by)[0], np.float64)
        if by != "p_value":
            return score, None
        return score, self._gather(lambda rows: scores_of(rows, by)[1], np.float32)

    def _gather(self, value_of: Callable[[PairResults], Any], dtype: Any) -> NDArray[Any]:
        """Return an array, one entry per pair number, of values that `value_of` computes from stored rows."""
        gathered = np.empty(self._plan.n_pairs, dtype=dtype)
        for numbers, rows in self._blocks():
            gathered[numbers] = value_of(rows)
        return gathered


class RowsInMemory:
    """Result rows held in memory: of all pairs, or of the best `size` with and without near-duplicates.

    Only the scores of near-duplicates ranked in between are kept, too, since they count for the ranks. All
    rows whose p-values may still change are kept, and compared at the end.
    """

    def __init__(self, by: str, size: int | None) -> None:
        self._by, self._size = by, size
        self.cut = Cut(size or 0, -np.inf)
        self._n_duplicates, self._n_compared = 0, 0
        self._parts: list[Part] = []
        self._passed: list[tuple[IntArray, FloatArray, NDArray[np.float32]]] = []

    def add(self, numbers: IntArray, rows: PairResults) -> None:
        """Add the rows of new pairs."""
        self._n_duplicates += int(rows.is_duplicate.sum())
        self.put(numbers, rows)
        n_waiting = sum(len(each) for each, _ in self._parts)
        if self._size is not None and n_waiting > 2 * self._n_compared + _MANY_ROWS:
            self.compare()

    def put(self, numbers: IntArray, rows: PairResults) -> None:
        """Add rows, which replace earlier ones of the same pairs."""
        self._parts.append((numbers, rows))

    def latest(self) -> Part:
        """Return the latest rows in the order of their numbers."""
        self._parts = [merged(self._parts)]
        return self._parts[0]

    def finish(self, job: Job, p_values: FloatArray, hull: Hull, n_threads: int) -> Collected:
        """Return the best rows, sorted by x and then by y, with ranks and q-values among all pairs."""
        self.compare(is_last=True)
        numbers, rows = self.latest()
        own = numbers, *self._scores(rows)
        all_numbers, *keys = (np.concatenate(arrays) for arrays in zip(own, *self._passed, strict=True))
        ascending = np.argsort(all_numbers)
        place = np.empty(len(ascending), dtype=np.uint32)
        place[ascending] = places(_native.descending_order(*(key[ascending] for key in keys)))
        tests = _native.Tests(p_values, n_threads)
        rates = p_values_of_tests(rows)
        n_found = _native.some_false_discovery_rates(
            p_values, tests, fdr_factor(job.fdr, tests.count), job.fdr_level, rates, n_threads
        )
        counts = tests.count, n_found, self._n_duplicates
        return Collected(rows, place[: len(numbers)], q_values(rates, rows), *counts, hull=hull)

    def compare(self, *, is_last: bool = False) -> None:
        """Keep the best of the rows so far, and those whose p-values may still change unless `is_last`."""
        numbers, rows = self.latest()
        is_kept = np.zeros(len(rows), dtype=np.bool_) if is_last else rows.is_open
        score, ties = self._scores(rows)
        best = _native.descending_order(score, ties).astype(np.intp)
        best = best[~is_kept[best]]
        originals = best[~rows.is_duplicate[best]]
        if self._size is not None and len(originals) >= self._size:
            self.cut = Cut(self._size, float(np.nan_to_num(score[originals[self._size - 1]], nan=-np.inf)))
        is_passed = rows.is_duplicate & ~(score < self.cut.least) & ~is_kept
        is_kept[best[: self._size]] = is_kept[originals[: self._size]] = True
        is_passed &= ~is_kept
        self._passed.append((numbers[is_passed], score[is_passed], ties[is_passed]))
        self._parts = [picked((numbers, rows), is_kept)]
        self._n_compared = len(self._parts[0][0])

    def _scores(self, rows: PairResults) -> tuple[FloatArray, NDArray[np.float32]]:
        score, ties = scores_of(rows, self._by)
        return score, np.zeros(len(rows), dtype=np.float32) if ties is None else ties


def merged(parts: Sequence[Part]) -> Part:
    """Merge rows in the order of their numbers, keeping the last row of each pair."""
    numbers = np.concatenate([some for some, _ in parts])
    rows = parts[0][1] if len(parts) == 1 else join_results([rows for _, rows in parts])
    if (np.diff(numbers) > 0).all():
        return numbers, rows
    ascending = np.argsort(numbers, kind="stable")
    latest = ascending[np.append(np.diff(numbers[ascending]) > 0, True)]
    return numbers[latest], rows.pick(latest)


def picked(part: Part, is_wanted: BoolArray) -> Part:
    """Return the wanted rows, flagged by a mask, with their numbers."""
    numbers, rows = part
    index = np.flatnonzero(is_wanted)
    return numbers[index], rows.pick(index)


def _is_duplicate(rows: PairResults) -> BoolArray:
    return rows.is_duplicate
