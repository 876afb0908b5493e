"""Pairs of columns of a table, and the number of rows that each pair shares.

All pairs are never listed at once: a table of 5,000 columns has 12 million of them. `Pairs.tiles` cuts them
into rectangles (tiles), and `Pairs.within` lists the pairs of one tile.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, IndexArray, IntArray
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.table import sentence_on_sheets
from bychance.kinds import Kind
from bychance.messages import Call, Option, Sentence
from bychance.names import display_name

__all__ = [
    "ListedPairs",
    "Pairs",
    "Tile",
    "Ways",
    "WaysByKind",
    "choose_pairs",
    "n_shared",
    "n_shared_listed",
]

ROW_PAIRS_PER_CALL = 10**10  # rows times pairs of columns per call, about a twentieth of a second (Ctrl-C)


class Ways(IntEnum):
    """Number of orders (x, y) in which two columns are paired: none, one, or both."""

    NEVER = 0
    ONCE = 1
    BOTH = 2


WaysByKind = Mapping[tuple[Kind, Kind], Ways]
"""Ways by the kinds of the earlier and the later column. Kinds that are not listed are paired once."""


@dataclass(frozen=True, slots=True)
class Tile:
    """Block of pairs: a range of the x columns combined with a range of the y columns."""

    x: slice
    y: slice


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of column positions (x, y) in a table, in canonical order: by x, then by y.

    `x` and `y` are the positions that take part, every column of the table on both sides if `is_all`. All x
    are paired with all y. Two columns that are among both are paired once, the earlier position as x, or in
    both directions, as `ways` says for their kinds. Kinds that are never paired are left out, and no column
    is paired with itself.
    """

    x: IndexArray
    y: IndexArray
    is_all: bool
    is_labels: BoolArray  # of every column of the table, whether it is categorical
    ways: NDArray[np.int8]  # 2 × 2, by whether x and whether y is categorical

    @cached_property
    def starts(self) -> IntArray:
        """Position of each x's first pair in canonical order, and at the end the number of all pairs."""
        return np.concatenate([[0], np.cumsum(self.counts(self.x, self.y))])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def within(self, tile: Tile) -> tuple[IndexArray, IndexArray]:
        """Return the column positions x and y of a tile's pairs, in canonical order.

        >>> from bychance.io import read_table
        >>> pairs = choose_pairs(read_table({"a": [1, 2], "b": [3, 4], "c": [5, 6]}))
        >>> x, y = pairs.within(Tile(slice(0, 2), slice(0, 3)))
        >>> x.tolist(), y.tolist()
        ([0, 0, 1], [1, 2, 2])
        """
        first, second = self.places_within(tile)
        return self.x[tile.x][first], self.y[tile.y][second]

    def places_within(self, tile: Tile) -> tuple[IndexArray, IndexArray]:
        """Return a tile's pairs as indices into the tile's slices of x and y."""
        x, y = self.x[tile.x], self.y[tile.y]
        if (self.counts(x, y) == len(y)).all():
            return _all_places(len(x), len(y))
        labels = self.is_labels.astype(np.intp)
        ways = self.ways[labels[x][:, None], labels[y][None, :]]
        is_paired: BoolArray = (ways != Ways.NEVER) & (x[:, None] != y[None, :])
        is_twice = self._is_on_both_sides[x][:, None] & self._is_on_both_sides[y][None, :]
        is_paired &= (ways == Ways.BOTH) | ~is_twice | (x[:, None] < y[None, :])
        first, second = np.nonzero(is_paired)
        return first, second

    def columns_within(self, tile: Tile) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
        """Return the column positions x and y of a tile, and its pairs as indices into these."""
        return self.x[tile.x], self.y[tile.y], *self.places_within(tile)

    def numbers(self, tile: Tile) -> IntArray:
        """Return the position of each of a tile's pairs in the canonical order of all pairs."""
        first, _ = self.places_within(tile)
        counts = self.counts(self.x[tile.x], self.y[tile.y])
        earlier = np.cumsum(counts) - counts  # pairs of the tile
        numbers: IntArray = (self.first_numbers(tile) - earlier)[first] + np.arange(len(first))
        return numbers

    def first_numbers(self, tile: Tile) -> IntArray:
        """Return the position, among all pairs, of the first pair of each x column in a tile."""
        first: IntArray = self.starts[:-1][tile.x]
        return first + self.counts(self.x[tile.x], self.y[: tile.y.start])

    def tiles(self, size: int) -> Iterator[Tile]:
        """Yield tiles of at most `size` pairs that together cover all pairs, by x and then by y."""
        height = min(len(self.x), max(math.isqrt(size), size // max(len(self.y), 1), 1))
        width = max(size // max(height, 1), 1)
        for top in range(0, len(self.x), height):
            for left in range(0, len(self.y), width):
                tile = Tile(slice(top, top + height), slice(left, left + width))
                if self.counts(self.x[tile.x], self.y[tile.y]).any():
                    yield tile

    def counts(self, x: IndexArray, y: IndexArray) -> IntArray:
        """Return the number of columns in `y` that each column in `x` is paired with."""
        totals = np.zeros(len(x), dtype=np.int64)
        for labels in (False, True):
            partners = np.sort(y[self.is_labels[y] == labels])
            if len(partners) == 0:
                continue
            ways = self.ways[self.is_labels[x].astype(np.intp), int(labels)]
            found = partners[np.minimum(np.searchsorted(partners, x), len(partners) - 1)] == x
            others = len(partners) - found.astype(np.int64)
            before = np.searchsorted(partners[self._is_on_both_sides[partners]], x)
            once = others - np.where(self._is_on_both_sides[x], before, 0)
            totals += np.where(ways == Ways.BOTH, others, np.where(ways == Ways.ONCE, once, 0))
        return totals

    @cached_property
    def _is_on_both_sides(self) -> BoolArray:
        """Mask of the columns listed both as x and as y, whose pairs would otherwise come twice."""
        is_x, is_y = np.zeros((2, len(self.is_labels)), dtype=np.bool_)
        is_x[self.x], is_y[self.y] = True, True
        return is_x & is_y


class ListedPairs(Pairs):
    """Pairs given one by one: `x` and `y` have the positions of each pair's columns.

    They are numbered in the order of the list, and a tile is a range of it.
    """

    @classmethod
    def of(cls, table: Table, x: IndexArray, y: IndexArray) -> ListedPairs:
        """Create the list of pairs from two arrays of column positions, x[k] with y[k]."""
        return cls(x, y, False, _are_labels(table), np.full((2, 2), Ways.BOTH, dtype=np.int8))

    def __len__(self) -> int:
        return len(self.x)

    def tiles(self, size: int) -> Iterator[Tile]:
        """Yield consecutive ranges of at most `size` pairs of the list, as tiles."""
        for start in range(0, len(self.x), size):
            some = slice(start, min(start + size, len(self.x)))
            yield Tile(some, some)

    def columns_within(self, tile: Tile) -> tuple[IndexArray, IndexArray, IndexArray, IndexArray]:
        """Return the columns used, as x and as y, and the range's pairs as indices into them."""
        x, y = self.x[tile.x], self.y[tile.x]
        used = np.union1d(x, y)
        return used, used, np.searchsorted(used, x), np.searchsorted(used, y)

    def numbers(self, tile: Tile) -> IntArray:
        """Return the positions of a range's pairs in the list."""
        return np.arange(tile.x.start, tile.x.stop)


def _are_labels(table: Table) -> BoolArray:
    return np.array([column.kind is Kind.CATEGORICAL for column in table.columns], dtype=np.bool_)


@lru_cache(maxsize=4)
def _all_places(n_x: int, n_y: int) -> tuple[IndexArray, IndexArray]:
    """Return the x and y indices of all n_x · n_y combinations. Cached, since most tiles have one shape."""
    first, second = np.repeat(np.arange(n_x), n_y), np.tile(np.arange(n_y), n_x)
    first.flags.writeable = second.flags.writeable = False
    return first, second


def choose_pairs(
    table: Table,
    *,
    target: str | None = None,
    x: str | Iterable[str] | None = None,
    y: str | Iterable[str] | None = None,
    ways: WaysByKind | None = None,
) -> Pairs:
    """Return the pairs of columns that `target`, `x` and `y` select, after checking their names.

    Parameters
    ----------
    table
        Table whose columns are paired.
    target
        Pair every other column, as x, with this one.
    x, y
        Columns to pair, each `x` with each `y`. If only one is given, the other is all remaining columns.
    ways
        Kinds whose pairs come in both directions, or never. Otherwise pairs come once.

    Examples
    --------
    >>> from bychance.io import read_table
    >>> table = read_table({"a": [1, 2], "b": [3, 4], "c": ["u", "v"]})
    >>> len(choose_pairs(table))
    3
    >>> len(choose_pairs(table, ways={(Kind.NUMERIC, Kind.CATEGORICAL): Ways.BOTH}))
    5
    >>> x, y = choose_pairs(table, target="b").within(Tile(slice(2), slice(1)))
    >>> [table.names[k] for k in x]
    ['a', 'c']
    """
    if target is not None and (x is not None or y is not None):
        both = Option("y", (Call("target", "target"),))
        raise BychanceError(Option("target") + " must stand alone: it is short for " + both + ".", "target")
    if len(table.columns) < 2:
        raise BychanceError(_too_few_columns(table))
    everything = np.arange(len(table.columns))
    is_labels = _are_labels(table)
    known, kinds = {} if ways is None else ways, (Kind.NUMERIC, Kind.CATEGORICAL)
    found = [[known.get((a, b), known.get((b, a), Ways.ONCE)) for b in kinds] for a in kinds]
    by_kind = np.array(found, dtype=np.int8)
    if x is None and y is None and target is None:
        return Pairs(everything, everything, True, is_labels, by_kind)
    first, second = everything, everything
    if x is not None:
        first = _positions(table, x, "x")
    if target is not None:
        second = _positions(table, target, "target")
    elif y is not None:
        second = _positions(table, y, "y")
    if x is None:
        first = np.setdiff1d(everything, second)
    elif y is None:
        second = np.setdiff1d(everything, first)
    if not np.any(first[:, None] != second[None, :]):
        raise BychanceError(
            Option("x") + " and " + Option("y") + " must name at least two different columns between them.",
            "x",
            "y",
        )
    return Pairs(first, second, False, is_labels, by_kind)


def _too_few_columns(table: Table) -> Sentence:
    names = ", ".join(display_name(name) for name in table.names)
    told = Sentence((f"Pairs need two columns, got {len(table.columns)} ({names}).",))
    asides = [note for note in table.notes if note.is_set_aside]
    for k, note in enumerate(asides[:_LISTED_NOTES]):
        told = told + ("; " if k else " ") + replace(note.sentence, width=_NOTE_WIDTH)
    more = f"; and {len(asides) - _LISTED_NOTES:,} more" if len(asides) > _LISTED_NOTES else ""
    return told + (f"{more}." if asides else "") + sentence_on_sheets(table.notes)


_LISTED_NOTES, _NOTE_WIDTH = 3, 160  # notes that an error repeats, and characters of each (taste)


def n_shared(first: Sequence[Column], second: Sequence[Column] | None = None) -> IntArray:
    """Count the rows in which both columns of a pair have a value, for all pairs.

    If one of two columns is complete, the other's count is the answer. Columns with missing values are
    counted together.

    >>> from bychance.io import read_table
    >>> table = read_table({"a": [1, None, 3], "b": [None, None, 6.0], "c": ["u", "v", "u"]})
    >>> n_shared(table.columns).tolist()
    [[2, 1, 2], [1, 1, 1], [2, 1, 3]]
    """
    second = first if second is None else second
    if not first or not second:
        return np.zeros((len(first), len(second)), dtype=np.int64)
    n_first, n_second, n_rows = _n_present(first), _n_present(second), len(first[0])
    counts = np.minimum(n_first[:, None], n_second[None, :])
    incomplete = np.ix_(n_first < n_rows, n_second < n_rows)
    if counts[incomplete].size:
        counts[incomplete] = _counted(_masks(first), None if second is first else _masks(second))
    return counts


def n_shared_listed(
    x: Sequence[Column], y: Sequence[Column], first: IndexArray, second: IndexArray
) -> IntArray:
    """Count the rows that x[first[k]] and y[second[k]] share, for a short list of pairs.

    >>> from bychance.io import read_table
    >>> columns = read_table({"a": [1, None, 3], "b": [None, None, 6.0]}).columns
    >>> n_shared_listed(columns, columns, np.array([0, 0]), np.array([0, 1])).tolist()
    [2, 1]
    """
    n_rows = len(x[0].values)
    n_x, n_y = _n_present(x)[first], _n_present(y)[second]
    counts = np.minimum(n_x, n_y)
    both = np.flatnonzero((n_x < n_rows) & (n_y < n_rows))
    x_missing, y_missing = (
        {int(k): side[k].is_missing for k in np.unique(places[both])}
        for side, places in ((x, first), (y, second))
    )
    for k in both.tolist():
        counts[k] = n_rows - np.count_nonzero(x_missing[int(first[k])] | y_missing[int(second[k])])
    return counts


def _n_present(columns: Sequence[Column]) -> IntArray:
    n_missing = [0 if c.is_missing is None else np.count_nonzero(c.is_missing) for c in columns]
    return len(columns[0].values) - np.array(n_missing, dtype=np.int64)


def _counted(masks: list[BoolArray], others: list[BoolArray] | None) -> IntArray:
    """Count the rows in which neither column of a pair is missing, in batches so that Ctrl-C works."""
    counts = np.zeros((len(masks), len(masks if others is None else others)), dtype=np.int64)
    step = max(1, ROW_PAIRS_PER_CALL // counts.size)
    for start in range(0, len(masks[0]), step):
        rows = slice(start, start + step)
        few = [mask[rows] for mask in masks]
        _native.add_shared_counts(few, few if others is None else [mask[rows] for mask in others], counts)
    return counts


def _masks(columns: Sequence[Column]) -> list[BoolArray]:
    """Return the masks of columns with missing values."""
    return [
        column.is_missing for column in columns if column.is_missing is not None and column.is_missing.any()
    ]


def _positions(table: Table, names: str | Iterable[str], argument: str) -> IndexArray:
    listed = [names] if isinstance(names, str) else [str(name) for name in names]
    if not listed:
        raise BychanceError(Option(argument) + " must name at least one column, got none.", argument)
    positions = [table.position(name, argument) for name in listed]
    if len(set(positions)) < len(positions):
        repeated = next(name for name in listed if listed.count(name) > 1)
        raise BychanceError(
            Option(argument) + f" must name each column once, got {repeated!r} twice.", argument
        )
    return np.array(positions)
