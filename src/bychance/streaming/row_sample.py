"""A uniform sample of rows that does not depend on how they come in batches, or on who reads them.

Every row has a random priority by its seed, its part and its place there; those of least priority are kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.streaming.common_types import joined

__all__ = ["MOST", "RowSample"]

MOST = np.uint64(2**64 - 1)
_ALL = np.True_

Numbers = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class RowSample:
    """Rows of least priority, at least `size` of them where there are so many, and at most twice that.

    `rows` is an Arrow table, `places` say where each stood (part, row); no row from `limit` on can stay.
    """

    size: int
    seed: int
    rows: Any = None
    priorities: Numbers = field(default_factory=lambda: np.zeros(0, np.uint64))
    places: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    limit: np.uint64 = MOST

    @classmethod
    def expecting(cls, n_rows: int | None, size: int, seed: int) -> RowSample:
        """An empty sample; of so many rows to come it looks only at those that have a chance to stay."""
        if n_rows is None or n_rows <= 4 * size:
            return cls(size, seed)
        # Ten standard deviations more than stay: fewer than `size` will never be among them.
        share = (size + 10 * math.sqrt(size) + 100) / n_rows
        return cls(size, seed, limit=MOST if share >= 1 else np.uint64(int(share * 2**64)))

    def holding(self, rows: Any, places: NDArray[np.int64]) -> RowSample:
        """The same sample with these rows, which stood at these places."""
        priorities = _priorities(self.seed, places[:, 0], places[:, 1])
        return replace(self, rows=rows, priorities=priorities, places=places)

    def add(
        self, rows: Any, part: int, first: int, is_wanted: NDArray[np.bool_] | np.bool_ = _ALL
    ) -> RowSample:
        """The same with a table of rows looked at: of this part, from this row on, those that are wanted."""
        numbers = np.arange(first, first + rows.num_rows, dtype=np.int64)
        priorities = _priorities(self.seed, np.int64(part), numbers)
        index = np.flatnonzero((priorities < self.limit) & is_wanted)
        if not len(index):
            return self
        picked = rows if len(index) == rows.num_rows else rows.take(index)
        places = np.column_stack([np.full(len(index), part, dtype=np.int64), numbers[index]])
        return self._with(picked, priorities[index], places)

    def merge(self, other: RowSample) -> RowSample:
        """That of the rows of both."""
        return self if other.rows is None else self._with(other.rows, other.priorities, other.places)

    def trimmed(self) -> RowSample:
        """The same without the rows that cannot stay."""
        if len(self.priorities) <= self.size:
            return self
        index = self._least()
        rows = self.rows.take(index).combine_chunks()
        priorities = self.priorities[index]
        return RowSample(self.size, self.seed, rows, priorities, self.places[index], priorities.max())

    def table(self) -> Any:
        """The rows in the order in which they stood."""
        index = self._least()
        return self.rows.take(index[np.lexsort(self.places[index].T[::-1])])

    def _least(self) -> NDArray[np.intp]:
        """Which rows can stay."""
        if len(self.priorities) <= self.size:
            return np.arange(len(self.priorities))
        return np.argpartition(self.priorities, self.size - 1)[: self.size]

    def _with(self, rows: Any, priorities: Numbers, places: NDArray[np.int64]) -> RowSample:
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


def _priorities(seed: int, part: Any, row: NDArray[np.int64]) -> Numbers:
    """By the places alone, so that these say which rows are in the sample."""
    with np.errstate(over="ignore"):
        priorities: Numbers = _mixed(
            row.astype(np.uint64)
            + _mixed(np.uint64(1) + np.asarray(part).astype(np.uint64) + np.uint64(seed % 2**64))
        )
    return priorities


def _mixed(numbers: Any) -> Any:
    """SplitMix64: one to one, and its results look random."""
    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
