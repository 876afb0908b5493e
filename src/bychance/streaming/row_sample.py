"""Uniform sample of a stream's rows that does not depend on batch sizes or the order of reading.

Every row has a random priority, a hash of the seed, its part and its position there. The sample consists
of the rows with the smallest priorities.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray, IndexArray, IntArray
from bychance.streaming.parts import joined

__all__ = ["MOST", "RowSample"]

MOST = np.uint64(2**64 - 1)  # largest priority, a limit that skips no row
_ALL = np.True_

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """Sample of the rows with the smallest random priorities.

    It holds all rows if there are at most `size`, else between `size` and twice as many. `rows` is an
    Arrow table, and `places` holds the part and position of each row. No further row with a priority of at
    least `limit` can stay.
    """

    size: int
    seed: int
    rows: Any = None
    priorities: Numbers = field(default_factory=lambda: np.zeros(0, np.uint64))
    places: IntArray = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    limit: np.uint64 = MOST

    @classmethod
    def expecting(cls, n_rows: int | None, size: int, seed: int) -> RowSample:
        """Create an empty sample for `n_rows` expected rows, most of which a limit on priority skips."""
        if n_rows is None or n_rows <= 4 * size:
            return cls(size, seed)
        # The expected number exceeds `size` by ten standard deviations, so that fewer rows never pass.
        share = (size + 10 * math.sqrt(size) + 100) / n_rows
        return cls(size, seed, limit=MOST if share >= 1 else np.uint64(int(share * 2**64)))

    def holding(self, rows: Any, places: IntArray) -> RowSample:
        """Return the sample with exactly these rows, given their part numbers and positions."""
        priorities = _priorities(self.seed, places[:, 0], places[:, 1])
        return replace(self, rows=rows, priorities=priorities, places=places)

    def add(self, rows: Any, part: int, first: int, is_wanted: BoolArray | np.bool_ = _ALL) -> RowSample:
        """Sample from the wanted rows of a table that starts at row `first` of a part."""
        numbers = np.arange(first, first + rows.num_rows, dtype=np.int64)
        priorities = _priorities(self.seed, np.int64(part), numbers)
        index = np.flatnonzero((priorities < self.limit) & is_wanted)
        if not len(index):
            return self
        picked = rows if len(index) == rows.num_rows else rows.take(index)
        places = np.column_stack([np.full(len(index), part, dtype=np.int64), numbers[index]])
        return self._with(picked, priorities[index], places)

    def merge(self, other: RowSample) -> RowSample:
        """Merge with a sample of other rows of the same source."""
        return self if other.rows is None else self._with(other.rows, other.priorities, other.places)

    def trimmed(self) -> RowSample:
        """Return the sample cut to the `size` rows with the smallest priorities."""
        if len(self.priorities) <= self.size:
            return self
        index = self._least()
        rows = self.rows.take(index).combine_chunks()
        priorities = self.priorities[index]
        return RowSample(self.size, self.seed, rows, priorities, self.places[index], priorities.max())

    def table(self) -> Any:
        """Return the sampled rows in the order of the source."""
        index = self._least()
        return self.rows.take(index[np.lexsort(self.places[index].T[::-1])])

    def _least(self) -> IndexArray:
        """Return the indices of the `size` rows with the smallest priorities."""
        if len(self.priorities) <= self.size:
            return np.arange(len(self.priorities))
        return np.argpartition(self.priorities, self.size - 1)[: self.size]

    def _with(self, rows: Any, priorities: Numbers, places: IntArray) -> RowSample:
        if self.rows is not None:
            rows = joined([self.rows, rows])
        both = RowSample(
            self.size,
            self.seed,
            rows,
            np.concatenate([self.priorities, priorities]),
            np.concatenate([self.places, places]),
            self.limit,
        )
        return both.trimmed() if len(both.priorities) > 2 * self.size else both


def _priorities(seed: int, part: Any, row: IntArray) -> Numbers:
    """Compute random priorities of rows as a hash of seed, part and row number."""
    with np.errstate(over="ignore"):
        priorities: Numbers = _mixed(
            row.astype(np.uint64)
            + _mixed(np.uint64(1) + np.asarray(part).astype(np.uint64) + np.uint64(seed % 2**64))
        )
    return priorities


def _mixed(numbers: Any) -> Any:
    """Hash integers by SplitMix64, a bijection whose results look random."""
    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
