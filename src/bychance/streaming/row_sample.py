"""A uniform sample of rows that does not depend on how they come in batches, or on who reads them.

Every row has a random priority by its seed, its part and its place there; those of least priority are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST", "RowSample"]

MOST = np.uint64(2**64 - 1)

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

    def add(self, rows: Any, part: int, first: int) -> RowSample:
        """The same with a table of rows looked at: of this part, from this row on."""
        numbers = np.arange(first, first + rows.num_rows, dtype=np.int64)
        priorities = _mixed(numbers.astype(np.uint64) + _mixed(np.uint64(part + 1) + _key(self.seed)))
        places = np.column_stack([np.full(len(numbers), part, dtype=np.int64), numbers])
        index = np.flatnonzero(priorities < self.limit)
        if not len(index):
            return self
        picked = rows if len(index) == rows.num_rows else rows.take(index)
        return self._with(picked, priorities[index], places[index])

    def merge(self, other: RowSample) -> RowSample:
        """That of the rows of both."""
        return self if other.rows is None else self._with(other.rows, other.priorities, other.places)

    def trimmed(self) -> RowSample:
        """The same without the rows that cannot stay."""
        if len(self.priorities) <= self.size:
            return self
        index = np.argpartition(self.priorities, self.size - 1)[: self.size]
        rows = self.rows.take(index).combine_chunks()
        priorities = self.priorities[index]
        return RowSample(self.size, self.seed, rows, priorities, self.places[index], priorities.max())

    def table(self) -> Any:
        """The rows in the order in which they stood."""
        kept = self.trimmed()
        return kept.rows.take(np.lexsort(kept.places.T[::-1]))

    def _with(self, rows: Any, priorities: Numbers, places: NDArray[np.int64]) -> RowSample:
        import pyarrow as pa

        if self.rows is not None:
            rows = pa.concat_tables([self.rows, rows], promote_options="permissive")
        joined = RowSample(
            self.size,
            self.seed,
            rows,
            np.concatenate([self.priorities, priorities]),
            np.concatenate([self.places, places]),
            self.limit,
        )
        return joined.trimmed() if len(joined.priorities) > 2 * self.size else joined


def _key(seed: int) -> np.uint64:
    return np.uint64(seed % 2**64)


def _mixed(numbers: Any) -> Any:
    """SplitMix64: one to one, and its results look random."""
    with np.errstate(over="ignore"):
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))
