"""Collector of all blocks' results: the kept rows with ranks and q-values among all pairs.

All rows stay in memory or on disk, or only the best are kept. The p-value of every pair stays at hand:
q-values count them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import MeasureError
from bychance.parallel import n_threads_of
from bychance.ranking.best import Best, Cut, Tally
from bychance.ranking.block import Block, measure_block
from bychance.ranking.candidates import Candidates, put_together
from bychance.ranking.closed_testing import Hull
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import (
    Floor,
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

__all__ = ["Collected", "Collector", "Standing"]

_MANY_CANDIDATES = 1 << 15  # pairs whose rows are waited for
_ROUNDING = 1e-9  # of scores, which kernels find in other steps than the rows

Numbers = NDArray[np.int64]
Scores = tuple[NDArray[np.float64], NDArray[np.float32] | None]


@dataclass(frozen=True, slots=True, eq=False)
class Collected:
    """Kept rows in canonical order, with their ranks and q-values among all pairs.

    `n_found` counts the q-values below the job's `fdr_level`, of all pairs; `best_q` is the least of them,
    NaN where nothing was tested. `n_open` counts pairs whose p-values leave open if they are discoveries.
    `hull` is the hull of all p-values if not all rows are kept.
    """

    rows: PairResults
    place: NDArray[np.uint32]
    q_value: NDArray[np.float64]
    n_tested: int
    n_found: int
    n_duplicates: int
    best_q: float
    floor: Floor
    n_open: int = 0
    hull: Hull | None = None

    @classmethod
    def of(
        cls,
        rows: PairResults,
        job: Job,
        *,
        top: int | None = None,
        others: NDArray[np.float64] | None = None,
        n_tested: int | None = None,
    ) -> Collected:
        """Return all rows, or the `top` best with and without near-duplicates, with their ranks.

        `others` are p-values of further pairs, and `n_tested` counts all tests, also those without a p-value.
        """
        p_values = p_values_of_tests(rows)
        known = p_values if others is None else np.concatenate([p_values, others])
        standing = Standing.of(job, known, lambda: scores_of(rows, job.by), n_tested=n_tested)
        chosen: NDArray[np.intp] | slice = slice(None)
        if top is not None:
            originals = standing.order[~rows.is_duplicate[standing.order]]
            chosen = np.union1d(standing.order[:top], originals[:top]).astype(np.intp)
        picked = rows if top is None else rows.pick(chosen)
        return cls(
            picked,
            standing.place[chosen],
            q_values(standing.rates[: len(rows)][chosen], picked),
            standing.n_tested,
            standing.n_found,
            int(rows.is_duplicate.sum()),
            standing.best_q,
            Floor().add(rows),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Order, rank and false discovery rate of every pair, by pair number."""

    order: NDArray[np.uint32]
    place: NDArray[np.uint32]
    rates: NDArray[np.float64]
    n_tested: int
    n_found: int
    best_q: float

    @classmethod
    def of(
        cls,
        job: Job,
        p_values: NDArray[np.float64],
        scores: Callable[[], Scores],
        save: Callable[[str, NDArray[Any]], NDArray[Any]] = lambda name, array: array,
        n_tested: int | None = None,
    ) -> Standing:
        """Compute order, ranks and false discovery rates from scores and p-values (overwritten by rates).

        `n_tested` counts further tests, too: q-values without their p-values are upper bounds.
        """
        n_known = int(np.count_nonzero(p_values < np.inf))
        n_tested = n_known if n_tested is None else n_tested
        factor = fdr_factor(job.fdr, n_tested) * (max(n_tested, 1) / max(n_known, 1))
        _native.false_discovery_rates(p_values, factor)
        best_q = float(np.nanmin(p_values)) if n_known else float("nan")
        n_found = int(np.count_nonzero(p_values < job.fdr_level))
        rates = save("rates", p_values)
        del p_values
        order = save("order", _native.descending_order(*scores()))
        return cls(order, save("place", places(order)), rates, n_tested, n_found, best_q)


class Collector:
    """Collector of block results, in any order, that returns all rows or the best.

    Without `top` it gives all rows, with it the `top` best, with and without near-duplicates. With `parts`,
    all rows are stored there, beside rows of an interrupted run, and `standing` covers all pairs. `n_others`
    counts the tests among pairs that are not in the plan: none of them counts as a discovery.
    """

    standing: Standing

    def __init__(
        self, plan: Plan, *, top: int | None = None, parts: Parts | None = None, n_others: int = 0
    ) -> None:
        self._plan, self._top, self._parts, self._n_others = plan, top, parts, n_others
        self._best = Best(plan.job.by, top) if parts is None and top is not None else None
        self.keeps_best = self._best is not None  # so that not all rows are wanted
        self._in_memory: dict[int, PairResults] = {}
        self._candidates: list[Candidates] = []
        self._n_candidates = 0
        self._tally: Tally | None = None
        self._p_values = np.empty(plan.n_pairs)  # NaN would be written by one thread while all wait
        self._unknown = set(range(len(plan.tiles)))  # blocks whose p-values mean nothing yet
        if self._best is not None and top is not None:
            self._tally = Tally(self._p_values, _native.Leaders(top))
        self._failure, self._has_measured = "", False
        self.has_sampled_rows, self.has_open_rows = False, False
        self.finished: frozenset[int] = frozenset() if parts is None else parts.finished()
        for number in self.finished:
            rows = self._read(number)
            self._p_values[plan.numbers(number)] = p_values_of_tests(rows)
            self._unknown.discard(number)
            self._has_measured |= not np.isnan(rows.observed).all()
            self._note_open(rows)

    def cut(self) -> Cut:
        """Return the filter that rows must pass to be among the best."""
        assert self._best is not None
        return replace(self._best.cut, tally=self._tally)

    def p_values(self) -> NDArray[np.float64]:
        """Return the p-value of every pair by its number, NaN if untested or not yet known."""
        for number in self._unknown:
            self._p_values[self._plan.numbers(number)] = np.nan
        return self._p_values

    def open_rows(self) -> tuple[Numbers, PairResults]:
        """Return the indices and results of pairs whose p-values may still change."""
        if self._best is not None:
            return self._best.open_rows()
        found = []
        for number in range(len(self._plan.tiles)):
            rows = self._read(number)
            index = np.flatnonzero(rows.is_open)
            found.append((self._plan.numbers(number)[index], rows.pick(index)))
        numbers, parts = zip(*found, strict=True)
        order = np.argsort(np.concatenate(numbers))
        return np.concatenate(numbers)[order], join_results(parts).pick(order)

    def other_tests(self, numbers: Numbers) -> tuple[NDArray[np.float64], float]:
        """Return the p-values of all pairs outside `numbers`, and the factor of q-values over all tests."""
        others = self.p_values().copy()
        n_known = int(np.count_nonzero(~np.isnan(others)))
        n_tested = n_known + self._n_others
        factor = fdr_factor(self._plan.job.fdr, n_tested) * max(n_tested, 1) / max(n_known, 1)
        others[numbers] = np.nan
        return others[~np.isnan(others)], factor

    def leading(self, k: int) -> Numbers:
        """Return the indices (among all pairs) of the k currently best pairs, skipping near-duplicates."""
        if self._best is not None:
            return self._best.leading(k)
        is_duplicate = self._gather(lambda rows: rows.is_duplicate, np.bool_)
        order = _native.descending_order(*self._scores()).astype(np.int64)
        leaders: Numbers = order[~is_duplicate[order]][:k]
        return leaders

    def add(self, number: int, measured: Measured | Candidates) -> None:
        """Add the results of a block, or its candidates to be measured later."""
        self._unknown.discard(number)
        if isinstance(measured, Candidates):
            self._has_measured = True
            self._candidates.append(measured)
            self._n_candidates += len(measured)
            if self._n_candidates > _MANY_CANDIDATES:
                self.settle()
            return
        numbers, is_open = self._plan.numbers(number), self._note_open(measured.rows)
        self._p_values[numbers] = measured.p_values
        self._failure = self._failure or measured.failure
        self._has_measured |= not np.isnan(measured.rows.observed).all()
        if self._best is not None:
            self._best.add(numbers[measured.at], measured.rows, is_open)
        elif self._parts is not None:
            self._parts.write(number, measured.rows)
        else:
            self._in_memory[number] = measured.rows

    def _note_open(self, rows: PairResults) -> NDArray[np.bool_]:
        """Return flags of the p-values that may still change, and record if there are any."""
        is_open = rows.is_open
        self.has_open_rows |= bool(is_open.any())
        self.has_sampled_rows |= bool((rows.p_kind[is_open] == PKind.SEQUENTIAL).any())
        return is_open

    def settle(self) -> None:
        """Measure the remaining candidates of all blocks, and add their results."""
        waiting, self._candidates, self._n_candidates = self._candidates, [], 0
        if self._best is None or self._tally is None:
            return
        least = self._tally.leaders.least
        left = [some for each in waiting if len(some := each.above(least - _ROUNDING * abs(least)))]
        if left:
            candidates, memory = put_together(left, self._plan.memory)
            block = Block.listed(candidates, self._plan.job, self._best.cut, memory)
            measured, numbers = measure_block(block), candidates.numbers
            self._p_values[numbers] = measured.p_values
            self._best.add(numbers[measured.at], measured.rows, self._note_open(measured.rows))

    def update(self, numbers: Numbers, rows: PairResults) -> None:
        """Replace the rows of these pairs. With `top`, their p-values must have been undecided."""
        ascending = np.argsort(numbers)
        numbers, rows = numbers[ascending], rows.pick(ascending)
        self._p_values[numbers] = p_values_of_tests(rows)
        if self._best is not None:
            self._best.update(numbers, rows)
            return
        for number in range(len(self._plan.tiles)):
            low, high = np.searchsorted(numbers, self._plan.span(number))
            if low == high:
                continue
            own = self._plan.numbers(number)
            at = np.searchsorted(own, numbers[low:high])
            found = np.flatnonzero(own[np.minimum(at, len(own) - 1)] == numbers[low:high])
            if len(found):
                block = self._read(number).replaced(at[found], rows.pick(low + found))
                if self._parts is not None:
                    self._parts.replace(number, block)
                else:
                    self._in_memory[number] = block

    def finish(self) -> Collected:
        """Return the kept rows with ranks and q-values, in canonical order."""
        self._plan.memory.forget()
        if self._failure and not self._has_measured:
            if self._parts is not None:
                self._parts.remove()
            raise MeasureError(self._failure)
        if self._best is not None:
            return self._finish_best(self._best, self._n_threads)
        if self._parts is not None:
            p_values = self._taken()
            hull = Hull.of(p_values, self._n_threads)
            self.standing = Standing.of(self._plan.job, p_values, self._scores, self._parts.save)
            return self._finish_parts(self.standing, hull)
        return Collected.of(self.rows(), self._plan.job)

    @property
    def _n_threads(self) -> int:
        return n_threads_of(self._plan.workers.n_jobs)

    def rows(self) -> PairResults:
        """Return all rows in canonical order."""
        blocks = [self._read(number) for number in range(len(self._plan.tiles))]
        if len(blocks) == 1:
            return blocks[0]
        numbers = np.concatenate([self._plan.numbers(number) for number in range(len(blocks))])
        rows = join_results(blocks)
        return rows if (np.diff(numbers) > 0).all() else rows.pick(np.argsort(numbers))

    def _finish_parts(self, standing: Standing, hull: Hull) -> Collected:
        is_duplicate = self._gather(lambda rows: rows.is_duplicate, np.bool_)
        originals = standing.order[~is_duplicate[standing.order]]
        chosen = np.union1d(standing.order[: self._top], originals[: self._top]).astype(np.intp)
        rows, floor = self._rows_of(chosen), Floor()
        for number in range(len(self._plan.tiles)):
            floor.add(self._read(number))
        return Collected(
            rows,
            standing.place[chosen],
            q_values(standing.rates[chosen], rows),
            standing.n_tested,
            standing.n_found,
            int(is_duplicate.sum()),
            standing.best_q,
            floor,
            hull=hull,
        )

    def _finish_best(self, best: Best, n_threads: int) -> Collected:
        p_values, (rows, place) = self._taken(), best.finish()
        tests = _native.Tests(p_values, n_threads)
        job, n_tested = self._plan.job, tests.count
        factor = fdr_factor(job.fdr, n_tested)
        rates = np.append(p_values_of_tests(rows), tests.least if n_tested else np.nan)
        n_found = _native.some_false_discovery_rates(p_values, tests, factor, job.fdr_level, rates, n_threads)
        q_value, best_q = q_values(rates[:-1], rows), float(rates[-1])
        hull = Hull.of(p_values, n_threads)
        return Collected(
            rows, place, q_value, n_tested, n_found, best.n_duplicates, best_q, best.floor, hull=hull
        )

    def _taken(self) -> NDArray[np.float64]:
        """Return the p-values and release them here, since the caller sorts or stores them."""
        p_values, self._p_values = self._p_values, np.empty(0)
        return p_values

    def _read(self, number: int) -> PairResults:
        return self._in_memory[number] if self._parts is None else self._parts.read(number)

    def _scores(self) -> Scores:
        by = self._plan.job.by
        score = self._gather(lambda rows: scores_of(rows, by)[0], np.float64)
        if by != "p_value":
            return score, None
        return score, self._gather(lambda rows: scores_of(rows, by)[1], np.float32)

    def _gather(self, figure: Callable[[PairResults], Any], dtype: Any) -> NDArray[Any]:
        """Return one value per pair, by pair number."""
        gathered = np.empty(self._plan.n_pairs, dtype=dtype)
        for number in range(len(self._plan.tiles)):
            gathered[self._plan.numbers(number)] = figure(self._read(number))
        return gathered

    def _rows_of(self, chosen: NDArray[np.intp]) -> PairResults:
        found = []
        for number in range(len(self._plan.tiles)):
            numbers = self._plan.numbers(number)
            index = np.flatnonzero(np.isin(numbers, chosen))
            if len(index):
                found.append((self._read(number).pick(index), numbers[index]))
        rows, numbers = join_results([rows for rows, _ in found]), np.concatenate([some for _, some in found])
        return rows.pick(np.argsort(numbers))
