"""Mergeable sums over the rows of a stream, from which measures and null moments are computed.

In:  batches of typed rows.
Out: RowSums. `a.merge(b)` equals the sums of one run over the rows of both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array, IntArray
from bychance.columns import distinct_masks
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.moments.bent_sums import N_SLOT_COLUMNS, Bends, places_of, with_slots
from bychance.moments.sums_of_pairs import (
    Dictionary,
    GivenSums,
    GroupSums,
    PairCounts,
    Regressor,
    add_to_groups,
)
from bychance.names import display_name

__all__ = ["Batch", "RowSums", "Wanted"]

N_POWERS = 6  # powers of values that are summed: the null's third moment needs the sixth (proof)
FEW_VALUES = 10  # distinct values of a column that are counted; validity rules ask for no more
_FEW_ROWS = 1 << 12  # rows of a batch that are added at a time: they stay in the processor's cache (speed)
Few = frozenset[float] | None
# Axes of arrays of sums: numeric columns (k), with their slot columns (s), all columns by their masks (m),
# powers (p).
_AXES = {"counts": "mm", "powers": "mps", "cross": "ks", "zeros": "k"}
_MOST_LABEL_SUMS = 1 << 24  # categories times numeric columns with sums: a quarter of a gigabyte (memory)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Selection of the sums to make of a stream: cross products, sums by category, contingency tables.

    With a target, only sums for pairs with the target are made. Rows without a value of any column in
    `given` are left out. If `is_linear`, products of the columns with these covariates are summed. With
    `bends`, so are piecewise linear functions of the numeric columns. It is empty until bends are known.
    """

    lines: bool = True
    groups: bool = True
    tables: bool = True
    target: str | None = None
    given: tuple[str, ...] = ()
    is_linear: bool = False
    bends: Mapping[str, Bends] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Batch of typed rows: numbers of numeric columns, codes of categorical ones (−1 if missing), and masks.

    `labels` are the categories that the codes of each categorical column number. `is_missing` has the
    numeric columns first.
    """

    n_rows: int
    numbers: list[FloatArray]
    is_missing: list[BoolArray]
    codes: list[Int32Array]
    labels: list[tuple[object, ...]]

    def at(self, rows: BoolArray) -> Batch:
        """Select a subset of the rows."""
        return Batch(
            int(rows.sum()),
            [numbers[rows] for numbers in self.numbers],
            [mask[rows] for mask in self.is_missing],
            [codes[rows] for codes in self.codes],
            self.labels,
        )


@dataclass(frozen=True, slots=True, eq=False)
class RowSums:
    """Sums over the rows of a stream: counts, power sums, cross products and tables of its columns.

    The K numeric columns come first among all M columns. `scalings` give the scaled values z =
    (number·before − center)·after. `counts[a, b]` counts the rows that two columns share. `powers[m, p,
    i]` is Σ z^(p+1) of numeric column i over the rows that column m has, and `cross[i, j]` is Σ z_i·z_j.
    With bends, the slot columns of all numeric columns follow these in `powers`, `cross` and `groups`.
    `zeros` counts the rows at a column's center. `few` holds a column's distinct numbers, or None from ten
    on. `tables[a, b]` counts categories of two columns, a before b.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    scalings: FloatArray
    wanted: Wanted
    n_rows: int
    counts: IntArray
    powers: FloatArray
    cross: FloatArray
    zeros: IntArray
    few: tuple[Few, ...]
    dictionaries: tuple[Dictionary, ...]
    groups: tuple[GroupSums, ...]
    tables: dict[tuple[int, int], PairCounts]
    given: GivenSums | None = None
    n_left_out: int = 0  # rows without a value of what is given
    closer: dict[frozenset[str], RowSums] = field(default_factory=dict)  # of two columns, about their means

    @classmethod
    def none(
        cls,
        numeric: tuple[str, ...],
        labels: tuple[str, ...],
        scalings: FloatArray,
        wanted: Wanted | None = None,
    ) -> RowSums:
        """Return sums of no rows for the given numeric and categorical columns."""
        wanted = Wanted() if wanted is None else wanted
        k, n_masks = len(numeric), len(numeric) + len(labels)
        n_summed = k * (1 + N_SLOT_COLUMNS) if wanted.bends else k
        return cls(
            names=(numeric, labels),
            scalings=scalings,
            wanted=wanted,
            n_rows=0,
            counts=np.zeros((n_masks, n_masks), dtype=np.int64),
            powers=np.zeros((n_masks, N_POWERS, n_summed)),
            cross=np.zeros((k, n_summed)),
            zeros=np.zeros(k, dtype=np.int64),
            few=(frozenset(),) * k,
            dictionaries=tuple(Dictionary() for _ in labels),
            groups=tuple(GroupSums.none(n_summed) for _ in labels) if wanted.groups else (),
            tables={pair: PairCounts.none() for pair in _label_pairs(labels, wanted, numeric)},
            given=GivenSums.none(k) if wanted.is_linear else None,
        )

    @property
    def distinct(self) -> IntArray:
        """Number of distinct values of each numeric column. 10 stands for ten or more."""
        counts = [FEW_VALUES if values is None else len(values) for values in self.few]
        return np.array(counts, dtype=np.int64)

    def add(self, batch: Batch) -> RowSums:
        """Return the sums with a batch of rows added. The arrays of `self` are modified."""
        has_given = self.has_given(batch)
        if not has_given.all():
            n_left_out = self.n_left_out + int(np.count_nonzero(~has_given))
            return replace(self, n_left_out=n_left_out).add(batch.at(has_given))
        _native.add_shared_counts(batch.is_missing, batch.is_missing, self.counts)
        codes = [
            _renumbered(codes, dictionary.numbers(labels))
            for codes, dictionary, labels in zip(batch.codes, self.dictionaries, batch.labels, strict=True)
        ]
        sizes = [len(dictionary) for dictionary in self.dictionaries]
        self._check_labels(sizes)
        summed = self._summed_labels
        groups = tuple(g.grown(sizes[k]) if k in summed else g for k, g in enumerate(self.groups))
        few, given = self.few, self.given
        if batch.numbers and (self.wanted.lines or self.wanted.groups):
            given = self._add_numbers(batch, codes, groups)
            known = zip(self.few, batch.numbers, batch.is_missing, strict=False)
            few = tuple(_some_distinct(*column) for column in known)
        tables = {
            (a, b): table.add(codes[a], codes[b], (sizes[a], sizes[b]))
            for (a, b), table in self.tables.items()
        }
        n_rows = self.n_rows + batch.n_rows
        return replace(self, n_rows=n_rows, few=few, groups=groups, tables=tables, given=given)

    def has_given(self, batch: Batch) -> BoolArray:
        """Flag the rows of a batch in which no covariate is missing."""
        everything = (*self.names[0], *self.names[1])
        has_given = np.ones(batch.n_rows, dtype=np.bool_)
        for name in self.wanted.given:
            if name in everything:
                has_given &= ~batch.is_missing[everything.index(name)]
        return has_given

    def _check_labels(self, sizes: list[int]) -> None:
        """Raise an error if a column has too many categories for sums by category to fit in memory."""
        for name, size in zip(self.names[1], sizes, strict=True):
            if size * max(self.powers.shape[2], 1) > _MOST_LABEL_SUMS:
                raise BychanceError(
                    f"{display_name(name)!r} has more than {size - 1:,} categories, too many to sum within "
                    "each: "
                    + Option("drop", (name,))
                    + " leaves it out, "
                    + Option("stream", False)
                    + " reads the whole table."
                )

    @property
    def _target(self) -> int | None:
        """Position of the target among all columns, or None without a target."""
        numeric, labels = self.names
        everything = (*numeric, *labels)
        return everything.index(self.wanted.target) if self.wanted.target in everything else None

    @property
    def _summed_labels(self) -> range:
        """Positions of the categorical columns that need sums by category."""
        target, n_numeric = self._target, len(self.names[0])
        if not self.groups or target is None or target < n_numeric:
            return range(len(self.groups))
        return range(target - n_numeric, target - n_numeric + 1)

    def _add_numbers(
        self, batch: Batch, codes: list[Int32Array], groups: tuple[GroupSums, ...]
    ) -> GivenSums | None:
        """Add a batch to the sums of numeric columns, in small parts that stay in the processor's cache."""
        n_numeric, summed = len(batch.numbers), self._summed_labels
        given, regressors = self.given, self._regressors(codes)
        of_mask, mask_of = distinct_masks(batch.is_missing[:n_numeric]) if given is not None else ([], None)
        self.zeros[...] += [np.count_nonzero(~mask) for mask in batch.is_missing[:n_numeric]]
        for start in range(0, batch.n_rows, _FEW_ROWS):
            few = slice(start, min(start + _FEW_ROWS, batch.n_rows))
            masks = [mask[few] for mask in batch.is_missing]
            z = np.empty((few.stop - few.start, n_numeric))
            _native.scaled_rows(
                [values[few] for values in batch.numbers], masks[:n_numeric], self.scalings, z
            )
            self.zeros[...] -= np.count_nonzero(z, axis=0)
            summed_columns, of_columns = z, masks[:n_numeric]
            if self.wanted.bends:
                summed_columns = with_slots(
                    z, of_columns, [self.wanted.bends[name] for name in self.names[0]]
                )
                of_columns = [*of_columns, *(mask for mask in of_columns for _ in range(N_SLOT_COLUMNS))]
            self._add_scaled(summed_columns, masks)
            if groups:
                some = [groups[k] for k in summed]
                add_to_groups(some, [codes[k][few] for k in summed], summed_columns, of_columns)
            if given is not None and mask_of is not None and regressors:
                values = [
                    z[:, k] if label is None else (codes[k][few] == label).astype(np.float64)
                    for k, label in regressors.values()
                ]
                own = [masks[k] for k in of_mask]
                given = given.add(z, own, mask_of, list(regressors), np.column_stack(values))
        return given

    def _add_scaled(self, z: FloatArray, masks: list[BoolArray]) -> None:
        """Add power sums and cross products of scaled values. With a target, sum only pairs with it."""
        target, n_numeric = self._target, len(self.names[0])
        if target is None:
            _native.add_power_sums(z, masks, self.powers)
            if self.wanted.lines:
                self.cross[...] += z[:, :n_numeric].T @ z
            return
        _native.add_power_sums(z, [masks[target]], self.powers[target : target + 1])
        if target >= n_numeric:
            return
        own, others = self.summed([target]), np.arange(len(masks)) != target
        column, of_others = z[:, own], [mask for k, mask in enumerate(masks) if k != target]
        powers = np.zeros((len(of_others), N_POWERS, len(own)))
        _native.add_power_sums(column, of_others, powers)
        self.powers[np.ix_(others, range(N_POWERS), own)] += powers
        self.cross[:, own] += z[:, :n_numeric].T @ column
        products = z.T @ z[:, target]
        products[own] = 0.0
        self.cross[target] += products

    def _regressors(self, codes: list[Int32Array]) -> dict[Regressor, tuple[int, int | None]]:
        """Map each covariate, or each of its categories, to its column's position and its code."""
        found: dict[Regressor, tuple[int, int | None]] = {}
        for name in self.wanted.given if self.given is not None else ():
            if name in self.names[0]:
                found[(name,)] = self.names[0].index(name), None
            elif name in self.names[1]:
                k = self.names[1].index(name)
                labels = self.dictionaries[k].labels
                found |= {(name, labels[code]): (k, code) for code in np.unique(codes[k]).tolist()}
        return found

    def merge(self, other: RowSums) -> RowSums:
        """Return the sums over the rows of `self` and `other`, whose categories keep their order."""
        if not self.n_rows and not self.n_left_out:
            return other
        dictionaries = tuple(Dictionary(each.labels) for each in self.dictionaries)
        numbers = [d.numbers(o.labels) for d, o in zip(dictionaries, other.dictionaries, strict=True)]
        sizes = [len(dictionary) for dictionary in dictionaries]
        groups = tuple(
            a.merge(b, own, size)
            for a, b, own, size in zip(self.groups, other.groups, numbers, sizes, strict=bool(self.groups))
        )
        tables = {
            (a, b): table.merge(other.tables[a, b], numbers[a], numbers[b], (sizes[a], sizes[b]))
            for (a, b), table in self.tables.items()
        }
        arrays: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in _AXES}
        few = (
            None if a is None or b is None else _fewer(a | b)
            for a, b in zip(self.few, other.few, strict=True)
        )
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            few=tuple(few),
            dictionaries=dictionaries,
            groups=groups,
            tables=tables,
            given=None if self.given is None or other.given is None else self.given.merge(other.given),
            n_left_out=self.n_left_out + other.n_left_out,
            **arrays,
        )

    def only(self, names: Container[str]) -> RowSums:
        """Return the sums restricted to the columns in `names`."""
        numeric, labels = ([k for k, name in enumerate(side) if name in names] for side in self.names)
        places = self._places(numeric, labels)
        arrays: dict[str, Any] = {name: getattr(self, name)[at] for name, at in places.items()}
        return replace(
            self,
            names=(tuple(self.names[0][k] for k in numeric), tuple(self.names[1][k] for k in labels)),
            scalings=self.scalings[numeric],
            few=tuple(self.few[k] for k in numeric),
            dictionaries=tuple(self.dictionaries[k] for k in labels),
            groups=tuple(self.groups[k].of_columns(self.summed(numeric)) for k in labels)
            if self.groups
            else (),
            tables={
                (labels.index(a), labels.index(b)): table
                for (a, b), table in self.tables.items()
                if a in labels and b in labels
            },
            given=None if self.given is None else self.given.of_columns(numeric),
            closer={pair: sums for pair, sums in self.closer.items() if all(name in names for name in pair)},
            **arrays,
        )

    def with_tiles(self, tiles: Sequence[RowSums]) -> RowSums:
        """Fill empty sums from `tiles`: sums over the same rows, each of a subset of the columns."""
        few, dictionaries = list(self.few), list(self.dictionaries)
        groups, tables = list(self.groups), dict(self.tables)
        for tile in tiles:
            own, own_labels = (
                [names.index(name) for name in some]
                for names, some in zip(self.names, tile.names, strict=True)
            )
            for name, at in self._places(own, own_labels).items():
                getattr(self, name)[at] = getattr(tile, name)
            for k, values in zip(own, tile.few, strict=True):
                few[k] = values
            for k, dictionary in zip(own_labels, tile.dictionaries, strict=True):
                dictionaries[k] = dictionary
            for k, group in zip(own_labels, tile.groups, strict=bool(tile.groups)):
                groups[k] = groups[k].with_columns(group, self.summed(own))
            for (a, b), table in tile.tables.items():
                tables[own_labels[a], own_labels[b]] = table
        return replace(
            self,
            n_rows=tiles[0].n_rows,
            few=tuple(few),
            dictionaries=tuple(dictionaries),
            groups=tuple(groups),
            tables=tables,
        )

    def summed(self, numbers: Sequence[int]) -> list[int]:
        """Return positions of numeric columns and their piecewise linear functions among summed columns."""
        return places_of(numbers, len(self.names[0])) if self.wanted.bends else list(numbers)

    def _places(self, numeric: Sequence[int], labels: Sequence[int]) -> dict[str, Any]:
        """Return an index per array of sums that selects the given numeric and categorical columns."""
        masks = [*numeric, *(len(self.names[0]) + k for k in labels)]
        at = {"k": numeric, "s": self.summed(numeric), "m": masks, "p": range(N_POWERS)}
        return {name: np.ix_(*(at[axis] for axis in axes)) for name, axes in _AXES.items()}

    def digest(self) -> bytes:
        """Return a hash of the sums, to identify their data."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.names, self.n_rows, [d.labels for d in self.dictionaries])).encode())
        for array in (self.scalings, self.counts, self.powers, self.cross):
            digest.update(np.ascontiguousarray(array).tobytes())
        for group in self.groups:
            digest.update(group.sums.tobytes())
        for table in self.tables.values():
            for array in table.cells():
                digest.update(array.tobytes())
        return digest.digest()


def _label_pairs(
    labels: tuple[str, ...], wanted: Wanted, numeric: tuple[str, ...]
) -> Iterator[tuple[int, int]]:
    """Yield the pairs of categorical columns for which a contingency table is needed."""
    if not wanted.tables or wanted.target in numeric:
        return
    for a, b in combinations(range(len(labels)), 2):
        if wanted.target not in labels or wanted.target in (labels[a], labels[b]):
            yield a, b


def _renumbered(codes: Int32Array, numbers: Int32Array) -> Int32Array:
    if not len(numbers):
        return codes
    return np.where(codes < 0, np.int32(-1), numbers[np.maximum(codes, 0)])


def _some_distinct(known: Few, values: FloatArray, is_missing: BoolArray) -> Few:
    if known is None:
        return None
    is_new = ~is_missing
    for value in known:
        is_new &= values != value
    new = values[is_new]
    # A few of them tell most columns at once.
    found = _fewer(known | frozenset(new[:100].tolist()))
    if found is None or len(new) <= 100:
        return found
    return _fewer(found | frozenset(np.unique(new).tolist()))


def _fewer(values: Few) -> Few:
    return None if values is None or len(values) >= FEW_VALUES else values
