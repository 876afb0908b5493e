"""Best rows among successive blocks, their ranks among all pairs, and rows that may still become best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.ranking.results import Floor, PairResults, join_results, scores_of

__all__ = ["Best", "Cut", "Tally"]

_MANY = 1 << 12  # rows that wait until they are compared

Numbers = NDArray[np.int64]
Part = tuple[Numbers, PairResults]


@dataclass(frozen=True, eq=False)
class Tally:
    """P-values of all pairs, by pair index, and the best scores, shared by threads of one process."""

    p_values: NDArray[np.float64]
    leaders: _native.Leaders

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        """Pickle to None, since other processes cannot share it."""
        return _no_tally, ()


def _no_tally() -> None:
    return None


@dataclass(frozen=True, slots=True)
class Cut:
    """Filter that keeps the best `size` rows, and none with a score below `least`."""

    size: int
    least: float
    tally: Tally | None = None


class Best:
    """Accumulator of the best rows by score, with and without near-duplicates.

    Only the scores of near-duplicates ranked in between are kept, too, since they count for the ranks. All
    rows whose p-values may still change are kept, and compared at the end.
    """

    def __init__(self, by: str, size: int) -> None:
        self._by, self._size = by, size
        self.cut = Cut(size, -np.inf)
        self.n_duplicates, self.floor = 0, Floor()
        self._waiting: list[Part] = []
        self._n_waiting = 0
        self._open: list[Part] = []
        self._n_open = 0  # rows that were open when the last was replaced
        self._passed: list[tuple[Numbers, NDArray[np.float64], NDArray[np.float32]]] = []

    def add(self, numbers: Numbers, rows: PairResults, is_open: NDArray[np.bool_]) -> None:
        """Add the rows of a block."""
        if is_open.any():
            opened, settled = np.flatnonzero(is_open), np.flatnonzero(~is_open)
            self._open.append((numbers[opened], rows.pick(opened)))
            numbers, rows = numbers[settled], rows.pick(settled)
        self.n_duplicates += int(rows.is_duplicate.sum())
        self.floor.add(rows)
        self._waiting.append((numbers, rows))
        self._n_waiting += len(rows)
        if self._n_waiting > max(2 * self._size, _MANY):
            self.compare()

    def open_rows(self) -> Part:
        """Return the indices and results of pairs whose p-values may still change."""
        if self._open:
            return _latest(self._open)
        numbers, rows = self._waiting[0]
        return numbers[:0], rows.pick(slice(0))

    def update(self, numbers: Numbers, rows: PairResults) -> None:
        """Replace rows whose p-values could change, or add further ones."""
        self._open.append((numbers, rows))
        if sum(len(rows) for _, rows in self._open) > 2 * self._n_open:
            self._open = [_latest(self._open)]
            self._n_open = len(self._open[0][0])

    def leading(self, k: int) -> Numbers:
        """Return the indices (among all pairs) of the k best pairs, skipping near-duplicates."""
        numbers, rows = _latest([*self._waiting, *([_latest(self._open)] if self._open else [])])
        score, ties = self._scores(rows)
        best = _native.descending_order(score, ties).astype(np.intp)
        return numbers[best[~rows.is_duplicate[best]][:k]]

    def finish(self) -> tuple[PairResults, NDArray[np.uint32]]:
        """Return the best rows in canonical order, and their ranks among all pairs."""
        if self._open:
            numbers, rows = _latest(self._open)
            self.add(numbers, rows, np.zeros(len(rows), dtype=np.bool_))
        self.compare()
        ((numbers, rows),) = self._waiting
        score, ties = self._scores(rows)
        own = numbers, score, ties
        all_numbers, *keys = (np.concatenate(arrays) for arrays in zip(own, *self._passed, strict=True))
        ascending = np.argsort(all_numbers)
        order = _native.descending_order(*(key[ascending] for key in keys))
        place = np.empty(len(order), dtype=np.uint32)
        place[ascending[order]] = np.arange(1, len(order) + 1, dtype=np.uint32)
        return rows, place[: len(numbers)]

    def compare(self) -> None:
        """Keep only the best of the rows added since the last comparison."""
        numbers, rows = _latest(self._waiting)
        score, ties = self._scores(rows)
        best = _native.descending_order(score, ties).astype(np.intp)
        originals = best[~rows.is_duplicate[best]]
        if len(originals) >= self._size:
            self.cut = Cut(self._size, float(np.nan_to_num(score[originals[self._size - 1]], nan=-np.inf)))
        chosen = np.union1d(best[: self._size], originals[: self._size])
        is_passed = rows.is_duplicate & ~(score < self.cut.least)
        is_passed[chosen] = False
        self._passed.append((numbers[is_passed], score[is_passed], ties[is_passed]))
        self._waiting, self._n_waiting = [(numbers[chosen], rows.pick(chosen))], len(chosen)

    def _scores(self, rows: PairResults) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
        score, ties = scores_of(rows, self._by)
        return score, np.zeros(len(rows), dtype=np.float32) if ties is None else ties


def _latest(parts: list[Part]) -> Part:
    """Merge rows by pair index, keeping the last row of each pair."""
    numbers = np.concatenate([some for some, _ in parts])
    ascending = np.argsort(numbers, kind="stable")
    is_last = np.append(np.diff(numbers[ascending]) > 0, True)[: len(ascending)]
    latest = ascending[is_last]
    return numbers[latest], join_results([rows for _, rows in parts]).pick(latest)
