"""What is kept of the blocks as they come: all rows, or the best of them with a few bytes of every pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import BychanceError
from bychance.ranking.job import Job
from bychance.ranking.order import best_first, fdr_factor, p_values_of_tests, places, q_values, scores_of
from bychance.ranking.pair_rows import Rows, join_rows
from bychance.ranking.plan import Plan
from bychance.validation import whole_number

__all__ = ["Floor", "Keep", "KeepAll", "KeepTop", "Kept"]

_CHUNK = 1 << 20


@dataclass(slots=True)
class Floor:
    """How coarse sampled p-values are: the least there can be, and how many pairs have it."""

    n_draws: int = 0
    n_at_floor: int = 0

    @classmethod
    def of(cls, blocks: Iterable[Rows]) -> Floor:
        """The floor of all these rows."""
        floor = cls()
        for rows in blocks:
            floor.add(rows)
        return floor

    def add(self, rows: Rows) -> None:
        """Count the rows of a block."""
        is_sampled = rows.n_resamples > 0
        if is_sampled.any():
            least = 1 / (rows.n_resamples[is_sampled] + 1.0)
            self.n_draws = max(self.n_draws, int(rows.n_resamples.max()))
            self.n_at_floor += int(np.sum(rows.p_value[is_sampled] <= least * (1 + 1e-9)))


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Rows in canonical order with their places and q-values among all pairs.

    `n_found` counts the q-values below the job's `fdr_level`, of all pairs; `best_q` is the least of them,
    NaN where nothing was tested.
    """

    rows: Rows
    place: NDArray[np.uint32]
    q_value: NDArray[np.float64]
    n_tested: int
    n_found: int
    n_duplicates: int
    best_q: float
    floor: Floor

    @classmethod
    def all_of(cls, rows: Rows, job: Job) -> Kept:
        """All rows, with the places and q-values that the job asks for."""
        rates = p_values_of_tests(rows)
        n_tested = int(np.sum(~np.isnan(rates)))
        _native.false_discovery_rates(rates, fdr_factor(job.fdr, n_tested))
        place = places(best_first(*scores_of(rows, job.by)))
        best_q = float(np.nanmin(rates)) if n_tested else float("nan")
        n_found = int(np.sum(rates < job.fdr_level))
        n_duplicates = int(rows.is_duplicate.sum())
        floor = Floor.of([rows])
        return cls(rows, place, q_values(rates, rows), n_tested, n_found, n_duplicates, best_q, floor)


class Keep(Protocol):
    """Takes the rows of each block, in whatever order, and in the end gives what it kept."""

    def add(self, number: int, rows: Rows) -> None:
        """Take the rows of a block."""

    def finish(self) -> Kept:
        """What was kept, once all blocks are in."""


class KeepAll:
    """All rows."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._parts: dict[int, Rows] = {}

    def add(self, number: int, rows: Rows) -> None:
        """Take the rows of a block."""
        self._parts[number] = rows

    def finish(self) -> Kept:
        """All rows, in canonical order."""
        order = np.argsort(np.concatenate([self._plan.numbers(number) for number in self._parts]))
        return Kept.all_of(join_rows(list(self._parts.values())).pick(order), self._plan.job)


class KeepTop:
    """The best rows, with and without near-duplicates, and 16 bytes of every other pair.

    Every pair's p-value and score are needed in the end for q-values and places.
    """

    def __init__(self, plan: Plan, size: int) -> None:
        self._plan, self._size = plan, whole_number(size, "top")
        n_pairs, by_p = len(plan.pairs), plan.job.by == "p_value"
        self._p_values = np.full(n_pairs, np.nan)
        self._scores = None if by_p else np.full(n_pairs, np.nan)
        self._ties = np.full(n_pairs, np.nan, dtype=np.float32) if by_p else None
        self._best: Rows | None = None
        self._numbers = np.empty(0, dtype=np.int64)
        self._n_duplicates = 0
        self._floor = Floor()

    def add(self, number: int, rows: Rows) -> None:
        """Take the rows of a block, and keep those that are still among the best."""
        numbers = self._plan.numbers(number)
        score, ties = scores_of(rows, self._plan.job.by)
        self._p_values[numbers] = p_values_of_tests(rows)
        if self._scores is not None:
            self._scores[numbers] = score
        if self._ties is not None:
            self._ties[numbers] = ties
        self._n_duplicates += int(rows.is_duplicate.sum())
        self._floor.add(rows)
        if self._best is not None:
            rows = join_rows([self._best, rows])
            numbers = np.concatenate([self._numbers, numbers])
        in_order = np.argsort(numbers)
        rows, numbers = rows.pick(in_order), numbers[in_order]
        best = best_first(*scores_of(rows, self._plan.job.by)).astype(np.intp)
        originals = best[~rows.is_duplicate[best]]
        chosen = np.union1d(best[: self._size], originals[: self._size])
        self._best, self._numbers = rows.pick(chosen), numbers[chosen]

    def finish(self) -> Kept:
        """The best rows, in canonical order."""
        if self._best is None:
            raise BychanceError("There are no pairs to rank.")
        rows, job = self._best, self._plan.job
        own = p_values_of_tests(rows)
        if self._scores is None:
            order = best_first(np.negative(self._p_values, out=self._p_values), self._ties)
            np.negative(self._p_values, out=self._p_values)
        self._p_values.sort()
        n_tested = int(np.searchsorted(self._p_values, np.inf))
        found = np.searchsorted(self._p_values[:n_tested], own)
        _native.false_discovery_rates_sorted(self._p_values, fdr_factor(job.fdr, n_tested))
        rates = self._p_values[np.minimum(found, len(self._p_values) - 1)]
        q_value = q_values(np.where(np.isnan(own), np.nan, rates), rows)
        best_q = float(self._p_values[0]) if n_tested else float("nan")
        n_found = int(np.searchsorted(self._p_values[:n_tested], job.fdr_level))
        self._p_values = np.empty(0)
        if self._scores is not None:
            order = best_first(self._scores)
        place = _places_of(self._numbers, order)
        return Kept(rows, place, q_value, n_tested, n_found, self._n_duplicates, best_q, self._floor)


def _places_of(numbers: NDArray[np.int64], order: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The places of some pairs, numbers ascending, in the order of all."""
    found = np.zeros(len(numbers), dtype=np.uint32)
    for start in range(0, len(order), _CHUNK):
        chunk = order[start : start + _CHUNK]
        at = np.minimum(np.searchsorted(numbers, chunk), len(numbers) - 1)
        is_ours = numbers[at] == chunk
        found[at[is_ours]] = start + 1 + np.flatnonzero(is_ours)
    return found
