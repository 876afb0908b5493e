"""Sums by category, and contingency tables, over categories that grow in number from batch to batch.

In:  batches of codes, and of scaled values.
Out: records of which two, their categories numbered alike, add up to those of both lots of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = ["Dictionary", "GroupSums", "PairCounts", "add_to_groups"]

_MOST_DENSE = 1 << 22  # cells that are held whether or not a row has them

Codes = NDArray[np.int32]


class Dictionary:
    """Categories in the order in which they came, each with its number."""

    def __init__(self, labels: Sequence[object] = ()) -> None:
        self._numbers: dict[object, int] = {}
        self.numbers(labels)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def labels(self) -> tuple[object, ...]:
        """All categories, in order."""
        return tuple(self._numbers)

    def numbers(self, labels: Sequence[object]) -> Codes:
        """The numbers of these categories; new ones get the next."""
        known = self._numbers
        return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class GroupSums:
    """Per category: its rows, the sums of every numeric column's z there, and how many rows that misses."""

    sizes: NDArray[np.int64]
    sums: NDArray[np.float64]  # (categories, numeric columns)
    missing: NDArray[np.int64]  # the same

    @classmethod
    def none(cls, n_numeric: int) -> GroupSums:
        """Those of no rows."""
        return cls(np.zeros(0, np.int64), np.zeros((0, n_numeric)), np.zeros((0, n_numeric), dtype=np.int64))

    def grown(self, n_labels: int) -> GroupSums:
        """The same with room for so many categories."""
        if len(self.sizes) == n_labels:
            return self
        room = n_labels - len(self.sizes)
        return GroupSums(
            np.pad(self.sizes, (0, room)),
            np.pad(self.sums, ((0, room), (0, 0))),
            np.pad(self.missing, ((0, room), (0, 0))),
        )

    def renumbered(self, numbers: NDArray[np.integer], n_labels: int) -> GroupSums:
        """The same for renumbered categories, among more of them; what was never summed stays empty."""
        if not len(self.sizes):
            return self
        if len(self.sizes) == n_labels and np.array_equal(numbers, np.arange(n_labels)):
            return self
        sizes = np.zeros(n_labels, dtype=np.int64)
        sums = np.zeros((n_labels, self.sums.shape[1]))
        missing = np.zeros((n_labels, self.sums.shape[1]), dtype=np.int64)
        sizes[numbers], sums[numbers], missing[numbers] = self.sizes, self.sums, self.missing
        return GroupSums(sizes, sums, missing)

    def of_columns(self, numbers: Sequence[int]) -> GroupSums:
        """Those of some of the numeric columns."""
        return replace(self, sums=self.sums[:, numbers], missing=self.missing[:, numbers])

    def with_columns(self, tile: GroupSums, numbers: Sequence[int]) -> GroupSums:
        """Write the sums of some of the numeric columns; what was never summed stays empty."""
        if not len(numbers) or not len(tile.sizes):
            return self
        grown = self.grown(len(tile.sizes))
        grown.sums[:, numbers], grown.missing[:, numbers] = tile.sums, tile.missing
        return replace(grown, sizes=tile.sizes)

    def merge(self, other: GroupSums) -> GroupSums:
        """Those of both lots of rows, whose categories are numbered alike."""
        n_labels = max(len(self.sizes), len(other.sizes))
        a, b = (each.grown(n_labels) for each in (self, other))
        return GroupSums(a.sizes + b.sizes, a.sums + b.sums, a.missing + b.missing)


def add_to_groups(
    groups: Sequence[GroupSums],
    codes: Sequence[Codes],
    z: NDArray[np.float64],
    is_missing: Sequence[NDArray[np.bool_]],
) -> None:
    """Add a batch of rows to the sums of each categorical column, in place."""
    totals = ([group.sums for group in groups], [g.missing for g in groups], [g.sizes for g in groups])
    _native.add_group_sums(list(codes), z, list(is_missing), *totals)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Rows of every two categories: a whole table while that is small, else the cells that have rows.

    Cells are keys x·2³² + y, ascending, each with its count.
    """

    table: NDArray[np.int64] | None
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> PairCounts:
        """Those of no rows."""
        return cls(np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

    def add(self, x: Codes, y: Codes, shape: tuple[int, int]) -> PairCounts:
        """The same with a batch of rows more, for categories as many as the shape says."""
        grown = self.grown(shape)
        if grown.table is not None:
            _native.add_table(x, y, grown.table)
            return grown
        is_shared = (x >= 0) & (y >= 0)
        keys = (x[is_shared].astype(np.int64) << 32) | y[is_shared]
        return grown._with(*np.unique(keys, return_counts=True))

    def grown(self, shape: tuple[int, int]) -> PairCounts:
        """The same with room for so many categories."""
        if self.table is None or self.table.shape == shape:
            return self
        if shape[0] * shape[1] > _MOST_DENSE:
            return PairCounts(None, *self.cells())
        table = np.zeros(shape, dtype=np.int64)
        table[: self.table.shape[0], : self.table.shape[1]] = self.table
        return replace(self, table=table)

    def renumbered(self, x: Codes, y: Codes) -> PairCounts:
        """The same for categories with other numbers."""
        keys, counts = self.cells()
        keys = (x[keys >> 32].astype(np.int64) << 32) | y[keys & 0xFFFFFFFF]
        order = np.argsort(keys)
        return PairCounts(None, keys[order], counts[order])

    def merge(self, other: PairCounts, shape: tuple[int, int]) -> PairCounts:
        """Those of both lots of rows, whose categories are numbered alike."""
        grown = self.grown(shape)
        keys, counts = other.cells()
        if grown.table is None:
            return grown._with(keys, counts)
        table = grown.table.copy()
        table[keys >> 32, keys & 0xFFFFFFFF] += counts
        return replace(grown, table=table)

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The keys of the cells that have rows, and how many."""
        if self.table is None:
            return self.keys, self.counts
        x, y = np.nonzero(self.table)
        return (x.astype(np.int64) << 32) | y, self.table[x, y]

    def _with(self, keys: NDArray[np.int64], counts: NDArray[np.int64]) -> PairCounts:
        everything, places = np.unique(np.concatenate([self.keys, keys]), return_inverse=True)
        total = np.zeros(len(everything), dtype=np.int64)
        np.add.at(total, places, np.concatenate([self.counts, counts]))
        return PairCounts(None, everything, total)
