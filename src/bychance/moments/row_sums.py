"""Everything that closed forms need of a table's rows: sums that add up, whoever read which rows.

In:  batches of typed rows.
Out: RowSums; `a.merge(b)` is what one run over the rows of both would have given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import distinct_masks
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.moments.label_sums import Dictionary, GroupSums, PairCounts, add_to_groups
from bychance.moments.linear_sums import GivenSums, Regressor
from bychance.moments.number_sums import LineSums
from bychance.names import display_name

__all__ = ["Batch", "RowSums", "Wanted"]

_FEW_ROWS = 1 << 12
_MOST_LABEL_SUMS = 1 << 24  # categories times numeric columns: a quarter of a gigabyte


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sums the measures need: between numbers, of numbers within groups, between categories.

    With a target, only those of pairs that it is in. Rows without a value of what is `given` are left out;
    where that is taken out linearly, its products with the columns are summed.
    """

    lines: bool = True
    groups: bool = True
    tables: bool = True
    target: str | None = None
    given: tuple[str, ...] = ()
    is_linear: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Typed rows: numbers of numeric columns, codes of categorical columns (−1 where missing), and masks.

    `labels` are what the codes of each categorical column number. `is_missing` has the numeric columns first.
    """

    n_rows: int
    numbers: list[NDArray[np.float64]]
    is_missing: list[NDArray[np.bool_]]
    codes: list[NDArray[np.int32]]
    labels: list[tuple[object, ...]]

    def at(self, rows: NDArray[np.bool_]) -> Batch:
        """Some of the rows."""
        return Batch(
            int(rows.sum()),
            [numbers[rows] for numbers in self.numbers],
            [mask[rows] for mask in self.is_missing],
            [codes[rows] for codes in self.codes],
            self.labels,
        )


@dataclass(frozen=True, slots=True, eq=False)
class RowSums:
    """Sums over rows of some numeric and some categorical columns.

    `scalings` are how numbers become z: (number·before − center)·after. `counts[a, b]` are the rows that two
    columns share, the numeric ones first; `tables[a, b]` those of two categorical columns, a before b.
    """

    names: tuple[tuple[str, ...], tuple[str, ...]]
    scalings: NDArray[np.float64]
    wanted: Wanted
    n_rows: int
    counts: NDArray[np.int64]
    lines: LineSums
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
        scalings: NDArray[np.float64],
        wanted: Wanted | None = None,
    ) -> RowSums:
        """Those of no rows."""
        wanted = Wanted() if wanted is None else wanted
        n_masks = len(numeric) + len(labels)
        return cls(
            (numeric, labels),
            scalings,
            wanted,
            0,
            np.zeros((n_masks, n_masks), dtype=np.int64),
            LineSums.none(n_masks, len(numeric)),
            tuple(Dictionary() for _ in labels),
            tuple(GroupSums.none(len(numeric)) for _ in labels) if wanted.groups else (),
            {pair: PairCounts.none() for pair in _label_pairs(labels, wanted, numeric)},
            GivenSums.none(len(numeric)) if wanted.is_linear else None,
        )

    def add(self, batch: Batch) -> RowSums:
        """The same with a batch of rows more; what it held may change, so that only the result counts."""
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
        lines, given = self.lines, self.given
        if batch.numbers and (self.wanted.lines or self.wanted.groups):
            given = self._add_numbers(batch, codes, groups)
            lines = lines.with_values(batch.numbers, batch.is_missing)
        tables = {
            (a, b): table.add(codes[a], codes[b], (sizes[a], sizes[b]))
            for (a, b), table in self.tables.items()
        }
        n_rows = self.n_rows + batch.n_rows
        return replace(self, n_rows=n_rows, lines=lines, groups=groups, tables=tables, given=given)

    def has_given(self, batch: Batch) -> NDArray[np.bool_]:
        """Which rows have a value of all that is given."""
        everything = (*self.names[0], *self.names[1])
        has_given = np.ones(batch.n_rows, dtype=np.bool_)
        for name in self.wanted.given:
            if name in everything:
                has_given &= ~batch.is_missing[everything.index(name)]
        return has_given

    def _check_labels(self, sizes: list[int]) -> None:
        """An error where a column has so many categories that sums for each would fill the memory."""
        for name, size in zip(self.names[1], sizes, strict=True):
            if size * max(len(self.names[0]), 1) > _MOST_LABEL_SUMS:
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
        """The place of the target among all masks; None where all pairs count."""
        numeric, labels = self.names
        everything = (*numeric, *labels)
        return everything.index(self.wanted.target) if self.wanted.target in everything else None

    @property
    def _summed_labels(self) -> range:
        """The categorical columns whose groups are summed: of a target that has categories, only its own."""
        target, n_numeric = self._target, len(self.names[0])
        if not self.groups or target is None or target < n_numeric:
            return range(len(self.groups))
        return range(target - n_numeric, target - n_numeric + 1)

    def _add_numbers(
        self, batch: Batch, codes: list[NDArray[np.int32]], groups: tuple[GroupSums, ...]
    ) -> GivenSums | None:
        """Few rows at a time, so that what is made of them stays in a core's cache."""
        n_numeric, target, summed = len(batch.numbers), self._target, self._summed_labels
        given, regressors = self.given, self._regressors(codes)
        of_mask, mask_of = distinct_masks(batch.is_missing[:n_numeric]) if given is not None else ([], None)
        for start in range(0, batch.n_rows, _FEW_ROWS):
            few = slice(start, min(start + _FEW_ROWS, batch.n_rows))
            masks = [mask[few] for mask in batch.is_missing]
            z = np.empty((few.stop - few.start, n_numeric))
            _native.scaled_rows(
                [values[few] for values in batch.numbers], masks[:n_numeric], self.scalings, z
            )
            self.lines.add(z, masks, has_products=self.wanted.lines, target=target)
            if groups:
                some = [groups[k] for k in summed]
                add_to_groups(some, [codes[k][few] for k in summed], z, masks[:n_numeric])
            if given is not None and mask_of is not None and regressors:
                values = [
                    z[:, k] if label is None else (codes[k][few] == label).astype(np.float64)
                    for k, label in regressors.values()
                ]
                own = [masks[k] for k in of_mask]
                given = given.add(z, own, mask_of, list(regressors), np.column_stack(values))
        return given

    def _regressors(self, codes: list[NDArray[np.int32]]) -> dict[Regressor, tuple[int, int | None]]:
        """What is given as columns: where each number is, or the labels of a batch and their codes."""
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
        """Those of the rows of both; categories keep the order of `self`, then of `other`."""
        if not self.n_rows and not self.n_left_out:
            return other
        dictionaries = tuple(Dictionary(each.labels) for each in self.dictionaries)
        numbers = [d.numbers(o.labels) for d, o in zip(dictionaries, other.dictionaries, strict=True)]
        sizes = [len(dictionary) for dictionary in dictionaries]
        groups = tuple(
            a.merge(b.renumbered(own, size))
            for a, b, own, size in zip(self.groups, other.groups, numbers, sizes, strict=bool(self.groups))
        )
        tables = {
            (a, b): table.merge(other.tables[a, b].renumbered(numbers[a], numbers[b]), (sizes[a], sizes[b]))
            for (a, b), table in self.tables.items()
        }
        return replace(
            self,
            n_rows=self.n_rows + other.n_rows,
            counts=self.counts + other.counts,
            lines=self.lines.merge(other.lines),
            dictionaries=dictionaries,
            groups=groups,
            tables=tables,
            given=None if self.given is None or other.given is None else self.given.merge(other.given),
            n_left_out=self.n_left_out + other.n_left_out,
        )

    def only(self, names: Container[str]) -> RowSums:
        """Those of some of the columns."""
        numeric, labels = ([k for k, name in enumerate(side) if name in names] for side in self.names)
        masks = [*numeric, *(len(self.names[0]) + k for k in labels)]
        return replace(
            self,
            names=(tuple(self.names[0][k] for k in numeric), tuple(self.names[1][k] for k in labels)),
            scalings=self.scalings[numeric],
            counts=self.counts[np.ix_(masks, masks)],
            lines=self.lines.of_columns(masks, numeric),
            dictionaries=tuple(self.dictionaries[k] for k in labels),
            groups=tuple(self.groups[k].of_columns(numeric) for k in labels) if self.groups else (),
            tables={
                (labels.index(a), labels.index(b)): table
                for (a, b), table in self.tables.items()
                if a in labels and b in labels
            },
            given=None if self.given is None else self.given.of_columns(numeric),
            closer={pair: sums for pair, sums in self.closer.items() if all(name in names for name in pair)},
        )

    def with_tiles(self, tiles: Sequence[RowSums]) -> RowSums:
        """Put together the sums of tiles of the columns over the same rows; `self` is of no rows."""
        numeric, labels = self.names
        counts, lines = self.counts.copy(), self.lines
        dictionaries, groups, tables = list(self.dictionaries), list(self.groups), dict(self.tables)
        for tile in tiles:
            own = [numeric.index(name) for name in tile.names[0]]
            own_labels = [labels.index(name) for name in tile.names[1]]
            masks = [*own, *(len(numeric) + k for k in own_labels)]
            counts[np.ix_(masks, masks)] = tile.counts
            lines = lines.with_columns(tile.lines, masks, own)
            for k, dictionary in zip(own_labels, tile.dictionaries, strict=True):
                dictionaries[k] = dictionary
            for k, group in zip(own_labels, tile.groups, strict=bool(tile.groups)):
                groups[k] = groups[k].with_columns(group, own)
            for (a, b), table in tile.tables.items():
                tables[own_labels[a], own_labels[b]] = table
        return replace(
            self,
            n_rows=tiles[0].n_rows,
            counts=counts,
            lines=lines,
            dictionaries=tuple(dictionaries),
            groups=tuple(groups),
            tables=tables,
        )

    def digest(self) -> bytes:
        """What tells these sums from others."""
        digest = hashlib.blake2b(digest_size=16)
        digest.update(repr((self.names, self.n_rows, [d.labels for d in self.dictionaries])).encode())
        for array in (self.scalings, self.counts, self.lines.powers, self.lines.cross):
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
    """The pairs of categorical columns that are counted."""
    if not wanted.tables or wanted.target in numeric:
        return
    for a, b in combinations(range(len(labels)), 2):
        if wanted.target not in labels or wanted.target in (labels[a], labels[b]):
            yield a, b


def _renumbered(codes: NDArray[np.int32], numbers: NDArray[np.int32]) -> NDArray[np.int32]:
    if not len(numbers):
        return codes
    return np.where(codes < 0, np.int32(-1), numbers[np.maximum(codes, 0)])
