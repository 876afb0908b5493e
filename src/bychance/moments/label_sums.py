"""Sums by category and contingency tables, with categories numbered as they first occur in a stream.

In:  batches of codes, and of scaled values.
Out: records of sums. Two with the same numbers of categories add up to the sums over the rows of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.measures.structures import CellFunction

__all__ = ["CountedTable", "Dictionary", "GroupSums", "PairCounts", "add_to_groups"]

_MOST_DENSE = 1 << 22  # cells that are held whether or not a row has them

Codes = NDArray[np.int32]


class Dictionary:
    """Categories in the order of their first occurrence, each with its number."""

    def __init__(self, labels: Sequence[object] = ()) -> None:
        self._numbers: dict[object, int] = {}
        self.numbers(labels)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def labels(self) -> tuple[object, ...]:
        """All categories in the order of their numbers."""
        return tuple(self._numbers)

    def numbers(self, labels: Sequence[object]) -> Codes:
        """Return the numbers of these categories, and give new categories the next numbers."""
        known = self._numbers
        return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class GroupSums:
    """Row count of each category, with sums of scaled values and missing counts for every numeric column."""

    sizes: NDArray[np.int64]
    sums: NDArray[np.float64]  # (categories, numeric columns)
    missing: NDArray[np.int64]  # (categories, numeric columns)

    @classmethod
    def none(cls, n_numeric: int) -> GroupSums:
        """Return empty sums for this many numeric columns."""
        return cls(np.zeros(0, np.int64), np.zeros((0, n_numeric)), np.zeros((0, n_numeric), dtype=np.int64))

    def grown(self, n_labels: int) -> GroupSums:
        """Return the sums padded with zeros to this many categories."""
        if len(self.sizes) == n_labels:
            return self
        room = n_labels - len(self.sizes)
        return GroupSums(
            np.pad(self.sizes, (0, room)),
            np.pad(self.sums, ((0, room), (0, 0))),
            np.pad(self.missing, ((0, room), (0, 0))),
        )

    def renumbered(self, numbers: NDArray[np.integer], n_labels: int) -> GroupSums:
        """Return the sums with the categories renumbered among `n_labels`. Empty sums stay empty."""
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
        """Return the sums of a subset of the numeric columns."""
        return replace(self, sums=self.sums[:, numbers], missing=self.missing[:, numbers])

    def with_columns(self, tile: GroupSums, numbers: Sequence[int]) -> GroupSums:
        """Return the sums with the numeric columns `numbers` taken from `tile`, unless that is empty."""
        if not len(numbers) or not len(tile.sizes):
            return self
        grown = self.grown(len(tile.sizes))
        grown.sums[:, numbers], grown.missing[:, numbers] = tile.sums, tile.missing
        return replace(grown, sizes=tile.sizes)

    def merge(self, other: GroupSums) -> GroupSums:
        """Add the sums over other rows, with categories numbered alike."""
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
    """Contingency table of two categorical columns: dense if small, otherwise only its non-empty cells.

    Cells are keys x·2³² + y, ascending, each with its count.
    """

    table: NDArray[np.int64] | None
    keys: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def none(cls) -> PairCounts:
        """Return an empty table."""
        return cls(np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

    def add(self, x: Codes, y: Codes, shape: tuple[int, int]) -> PairCounts:
        """Return the table with a batch of rows added, enlarged to `shape` for new categories."""
        grown = self.grown(shape)
        if grown.table is not None:
            _native.add_table(x, y, grown.table)
            return grown
        is_shared = (x >= 0) & (y >= 0)
        keys = (x[is_shared].astype(np.int64) << 32) | y[is_shared]
        return grown._with(*np.unique(keys, return_counts=True))

    def grown(self, shape: tuple[int, int]) -> PairCounts:
        """Return the table enlarged to `shape` with empty cells."""
        if self.table is None or self.table.shape == shape:
            return self
        if shape[0] * shape[1] > _MOST_DENSE:
            return PairCounts(None, *self.cells())
        table = np.zeros(shape, dtype=np.int64)
        table[: self.table.shape[0], : self.table.shape[1]] = self.table
        return replace(self, table=table)

    def renumbered(self, x: Codes, y: Codes) -> PairCounts:
        """Return the table with the categories of x and y renumbered."""
        keys, counts = self.cells()
        keys = (x[keys >> 32].astype(np.int64) << 32) | y[keys & 0xFFFFFFFF]
        order = np.argsort(keys)
        return PairCounts(None, keys[order], counts[order])

    def merge(self, other: PairCounts, shape: tuple[int, int]) -> PairCounts:
        """Add the table of other rows, with categories numbered alike."""
        grown = self.grown(shape)
        keys, counts = other.cells()
        if grown.table is None:
            return grown._with(keys, counts)
        table = grown.table.copy()
        table[keys >> 32, keys & 0xFFFFFFFF] += counts
        return replace(grown, table=table)

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the keys and counts of the non-empty cells."""
        if self.table is None:
            return self.keys, self.counts
        x, y = np.nonzero(self.table)
        return (x.astype(np.int64) << 32) | y, self.table[x, y]

    def _with(self, keys: NDArray[np.int64], counts: NDArray[np.int64]) -> PairCounts:
        everything, places = np.unique(np.concatenate([self.keys, keys]), return_inverse=True)
        total = np.zeros(len(everything), dtype=np.int64)
        np.add.at(total, places, np.concatenate([self.counts, counts]))
        return PairCounts(None, everything, total)


class CountedTable:
    """Non-empty cells of a contingency table, with only the occurring categories renumbered from 0."""

    def __init__(self, counts: PairCounts) -> None:
        keys, self.counts = counts.cells()
        self.x_labels, self.x = np.unique(keys >> 32, return_inverse=True)
        self.y_labels, self.y = np.unique(keys & 0xFFFFFFFF, return_inverse=True)
        self.rows = _totals(self.x, self.counts, len(self.x_labels))
        self.columns = _totals(self.y, self.counts, len(self.y_labels))

    @property
    def n(self) -> int:
        """Number of rows in which both columns have a value."""
        return int(self.counts.sum())

    @property
    def is_one_to_one(self) -> bool:
        """Return True if the categories of one column are those of the other, renamed."""
        return len(self.counts) == len(self.rows) == len(self.columns)

    def flipped(self) -> CountedTable:
        """Return the table with x and y exchanged."""
        other = CountedTable.__new__(CountedTable)
        other.counts = self.counts
        other.x, other.y, other.x_labels, other.y_labels = self.y, self.x, self.y_labels, self.x_labels
        other.rows, other.columns = self.columns, self.rows
        return other

    def sum(self, function: CellFunction) -> float:
        """Return the sum of a cell function over the table, as src/native/moments/cells.hpp defines it.

        For `diagonal`, count the rows whose two categories have the same number.
        """
        m, a, b, n = self.counts, self.rows[self.x], self.columns[self.y], self.n
        if function == "together":
            return float(np.sum(m.astype(np.float64) ** 2))
        if function == "diagonal":
            return float(m[self.x_labels[self.x] == self.y_labels[self.y]].sum())
        if function == "information":
            ratio = m.astype(np.float64) * n / (a.astype(np.float64) * b)
            return float(np.sum(m * np.log(ratio)))
        # n times the deviation from what a cell expects is a whole number; an empty one deviates by a·b.
        is_gain = function == "gain"
        above = (m * n - a * b).astype(np.float64) / n
        own = above**2 / a if is_gain else above**2 / (a.astype(np.float64) * b)
        weight = self.columns.astype(np.float64) ** 2 if is_gain else self.columns.astype(np.float64)
        filled = _totals(self.x, weight[self.y], len(self.rows))
        empty = np.sum(self.rows * np.maximum(weight.sum() - filled, 0.0)) / float(n) ** 2
        return float(own.sum() + empty)


def _totals(groups: NDArray[np.intp], values: NDArray[Any], n_groups: int) -> NDArray[Any]:
    # Sums of counts stay far below 2⁵³, so that floats hold them.
    return np.bincount(groups, values, n_groups).astype(values.dtype)
