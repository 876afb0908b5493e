"""Sums of pairs of columns: numbers by category, contingency tables, products with linear covariates.

In:  batches of codes, numbered as categories first occur in a stream, and of scaled values.
Out: records of sums. Those of two lots of rows add up to the sums over all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, Int32Array, IntArray
from bychance.errors import BychanceError
from bychance.measures.structures import CellFunction
from bychance.messages import Option

__all__ = [
    "CountedTable",
    "Dictionary",
    "GivenSums",
    "GroupSums",
    "PairCounts",
    "Regressor",
    "add_to_groups",
]

_MOST_DENSE = 1 << 22  # cells up to which a contingency table stores empty cells, too (memory)
_MOST_SUMS = 1 << 24  # sums of products with covariates: 128 MB (memory)

Regressor = tuple[object, ...]
"""A numeric covariate by its name, or the rows of one of a covariate's labels by both."""


class Dictionary:
    """Map from categories to consecutive integer codes, in the order of first occurrence."""

    def __init__(self, labels: Sequence[object] = ()) -> None:
        self._numbers: dict[object, int] = {}
        self.numbers(labels)

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def labels(self) -> tuple[object, ...]:
        """All categories in the order of their codes."""
        return tuple(self._numbers)

    def numbers(self, labels: Sequence[object]) -> Int32Array:
        """Return the codes of the categories `labels`, and assign the next codes to new categories."""
        known = self._numbers
        return np.array([known.setdefault(label, len(known)) for label in labels], dtype=np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class GroupSums:
    """Row count of each category, with sums of scaled values and missing counts for every numeric column."""

    sizes: IntArray
    sums: FloatArray  # (categories, numeric columns)
    missing: IntArray  # (categories, numeric columns)

    @classmethod
    def none(cls, n_numeric: int) -> GroupSums:
        """Return empty sums for this many numeric columns."""
        return cls(np.zeros(0, np.int64), np.zeros((0, n_numeric)), np.zeros((0, n_numeric), dtype=np.int64))

    def grown(self, n_labels: int) -> GroupSums:
        """Return the sums padded with zeros to `n_labels` categories."""
        room = n_labels - len(self.sizes)
        if not room:
            return self
        sizes, *others = (np.pad(a, [(0, room), (0, 0)][: a.ndim]) for a in self._arrays)
        return GroupSums(sizes, others[0], others[1])

    @property
    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.sizes, self.sums, self.missing

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

    def merge(self, other: GroupSums, numbers: Int32Array, n_labels: int) -> GroupSums:
        """Return the sums over both sets of rows. `numbers` maps categories of `other` to codes here."""
        if not len(other.sizes):
            return self
        merged = deepcopy(self.grown(n_labels))
        for total, own in zip(merged._arrays, other._arrays, strict=True):
            total[numbers] += own
        return merged


def add_to_groups(
    groups: Sequence[GroupSums],
    codes: Sequence[Int32Array],
    z: FloatArray,
    is_missing: Sequence[BoolArray],
) -> None:
    """Add a batch's row counts and sums of scaled values to the sums by category, in place."""
    totals = ([group.sums for group in groups], [g.missing for g in groups], [g.sizes for g in groups])
    _native.add_group_sums(list(codes), z, list(is_missing), *totals)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Contingency table of two categorical columns: dense if small, otherwise only its non-empty cells.

    Cells are keys x·2³² + y, ascending, each with its count.
    """

    table: IntArray | None
    keys: IntArray
    counts: IntArray

    @classmethod
    def none(cls) -> PairCounts:
        """Return an empty table."""
        return cls(np.zeros((0, 0), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64))

    def add(self, x: Int32Array, y: Int32Array, shape: tuple[int, int]) -> PairCounts:
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

    def merge(self, other: PairCounts, x: Int32Array, y: Int32Array, shape: tuple[int, int]) -> PairCounts:
        """Return the table with the counts of `other` added. `x` and `y` map its categories to codes here."""
        grown, (keys, counts) = self.grown(shape), other.cells()
        first, second = x[keys >> 32].astype(np.int64), y[keys & 0xFFFFFFFF]
        if grown.table is None:
            return grown._with((first << 32) | second, counts)
        table = grown.table.copy()
        table[first, second] += counts
        return replace(grown, table=table)

    def cells(self) -> tuple[IntArray, IntArray]:
        """Return the non-empty cells: keys that encode both categories, and counts."""
        if self.table is None:
            return self.keys, self.counts
        x, y = np.nonzero(self.table)
        return (x.astype(np.int64) << 32) | y, self.table[x, y]

    def _with(self, keys: IntArray, counts: IntArray) -> PairCounts:
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
        """Sum a function of cell counts and totals over the table, for example for mutual information.

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


def _totals(groups: IndexArray, values: NDArray[Any], n_groups: int) -> NDArray[Any]:
    # Sums of counts stay far below 2⁵³, so that floats hold them.
    return np.bincount(groups, values, n_groups).astype(values.dtype)


@dataclass(frozen=True, slots=True, eq=False)
class GivenSums:
    """Sums of products of numeric columns z and linear covariates w, over the shared rows of each pair.

    `products[i, j]` is Σ vv' over the rows that columns i and j both have, with v = (z_i, 1, w_1, …, w_q).
    """

    regressors: tuple[Regressor, ...]
    products: FloatArray  # (K, K, q + 2, q + 2)

    @classmethod
    def none(cls, n_numeric: int) -> GivenSums:
        """Return empty sums for this many numeric columns."""
        return cls((), np.zeros((n_numeric, n_numeric, 2, 2)))

    def add(
        self,
        z: FloatArray,
        is_missing: Sequence[BoolArray],
        mask_of: IndexArray,
        regressors: Sequence[Regressor],
        values: FloatArray,
    ) -> GivenSums:
        """Return the sums with a batch of rows added.

        Missing masks are given once each, and `mask_of` gives the mask of each column.
        """
        grown = self._with_regressors(regressors)
        present = np.stack([~mask for mask in is_missing], axis=1).astype(np.float64)
        w, at = np.column_stack([np.ones(len(z)), np.ones(len(z)), values]), grown._places(regressors)
        for a, b in combinations_with_replacement(range(len(at)), 2):
            weights = (w[:, a] * w[:, b])[:, np.newaxis]
            if a == 0:
                found = (z * (z if b == 0 else weights)).T @ present
            else:  # depends on the masks alone
                found = ((present * weights).T @ present)[mask_of]
            found = found[:, mask_of]
            grown.products[:, :, at[a], at[b]] += found
            if a != b:
                grown.products[:, :, at[b], at[a]] += found
        return grown

    def merge(self, other: GivenSums) -> GivenSums:
        """Return the sums over the rows of `self` and `other`."""
        a, b = self._with_regressors(other.regressors), other._with_regressors(self.regressors)
        at = b._places(a.regressors)
        return GivenSums(a.regressors, a.products + b.products[:, :, at][..., at])

    def of_columns(self, numbers: Sequence[int]) -> GivenSums:
        """Return the sums of a subset of the numeric columns."""
        return GivenSums(self.regressors, self.products[np.ix_(numbers, numbers)])

    def _places(self, regressors: Sequence[Regressor]) -> list[int]:
        """Return the positions of a column, the intercept and `regressors` in a matrix of products."""
        return [0, 1, *(2 + self.regressors.index(each) for each in regressors)]

    def _with_regressors(self, regressors: Sequence[Regressor]) -> GivenSums:
        """Return the sums enlarged for new regressors. A new category had no rows before."""
        new = [each for each in regressors if each not in self.regressors]
        if not new:
            return self
        q, width = len(self.regressors) + len(new), len(self.products)
        if (q * q + 3 * q + 1) * width * width > _MOST_SUMS:
            raise BychanceError(
                Option("given")
                + " with "
                + Option("control", "linear")
                + f" makes {q:,} columns of its categories, too many for sums "
                "over all rows of a stream; "
                + Option("control", "smooth")
                + ' and "strata" use a sample of the rows.',
                "given",
            )
        room = (0, 0), (0, 0), (0, len(new)), (0, len(new))
        return GivenSums((*self.regressors, *new), np.pad(self.products, room))
