"""Which pairs of columns, and how many rows each pair shares: table → pairs, named or numbered.

Pairs are never listed: a table of 5,000 columns has 12 million of them. `Pairs.block` makes any stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.table import Table

__all__ = ["Pairs", "choose_pairs", "n_shared"]

BLOCK_CELLS = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of positions (x, y) in a table, in canonical order: by x, then by y.

    `x` and `y` are the positions that take part; `is_triangle` means each unordered pair once, the earlier
    position as x. A column is never paired with itself.
    """

    x: NDArray[np.intp]
    y: NDArray[np.intp]
    is_triangle: bool

    def __len__(self) -> int:
        return int(self._starts()[-1])

    def block(self, start: int, stop: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The positions of x and of y of the pairs start, …, stop - 1.

        >>> from bychance.table import read_table
        >>> pairs = choose_pairs(read_table({"a": [1, 2], "b": [3, 4], "c": [5, 6]}))
        >>> x, y = pairs.block(1, 3)
        >>> x.tolist(), y.tolist()
        ([0, 1], [2, 2])
        """
        numbers = np.arange(max(start, 0), min(stop, len(self)))
        starts = self._starts()
        rows = np.searchsorted(starts, numbers, side="right") - 1
        offsets = numbers - starts[rows]
        if self.is_triangle:
            return self.x[rows], self.y[rows + 1 + offsets]
        # Past its own place among the y, each x skips one.
        return self.x[rows], self.y[offsets + (offsets >= self._own_places()[rows])]

    def _starts(self) -> NDArray[np.int64]:
        """The number of the first pair of each x, and one past the last pair of all."""
        if self.is_triangle:
            lengths = np.arange(len(self.x) - 1, -1, -1)
        else:
            lengths = len(self.y) - (self._own_places() < len(self.y))
        return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    def _own_places(self) -> NDArray[np.int64]:
        """Where each x stands among the y; past the end where it does not."""
        places = {int(position): k for k, position in enumerate(self.y)}
        return np.array([places.get(int(position), len(self.y)) for position in self.x], dtype=np.int64)


def choose_pairs(
    table: Table,
    *,
    target: str | None = None,
    x: str | Iterable[str] | None = None,
    y: str | Iterable[str] | None = None,
    is_directed: bool = False,
) -> Pairs:
    """The pairs that were asked for, their names checked.

    Parameters
    ----------
    table
        Whose columns are paired.
    target
        Pair every other column, as x, with this one.
    x, y
        Pair these columns with those; where only one is given, the other is every column not among it.
    is_directed
        Without a target, x or y: each pair in both directions.

    Examples
    --------
    >>> from bychance.table import read_table
    >>> table = read_table({"a": [1, 2], "b": [3, 4], "c": [5, 6]})
    >>> len(choose_pairs(table)), len(choose_pairs(table, is_directed=True))
    (3, 6)
    >>> positions = choose_pairs(table, target="b").block(0, 2)
    >>> [table.names[k] for k in positions[0]]
    ['a', 'c']
    """
    if target is not None and (x is not None or y is not None):
        raise BychanceError("`target` must stand alone: it is short for y=[target].")
    if len(table.columns) < 2:
        raise BychanceError(f"Pairs need two columns, got {len(table.columns)} ({', '.join(table.names)}).")
    everything = np.arange(len(table.columns))
    if target is not None:
        position = table.position(target, "target")
        return Pairs(np.delete(everything, position), np.array([position]), is_triangle=False)
    if x is None and y is None:
        return Pairs(everything, everything, is_triangle=not is_directed)
    first = everything if x is None else _positions(table, x, "x")
    second = everything if y is None else _positions(table, y, "y")
    if x is None:
        first = np.setdiff1d(everything, second)
    if y is None:
        second = np.setdiff1d(everything, first)
    pairs = Pairs(first, second, is_triangle=False)
    if not len(pairs):
        raise BychanceError("`x` and `y` must name at least two different columns between them.")
    return pairs


def n_shared(first: Sequence[Column], second: Sequence[Column] | None = None) -> NDArray[np.int64]:
    """How many rows each of the first columns shares with each of the second (of the first themselves).

    One matrix product of masks, over blocks of rows that keep it small.

    >>> from bychance.table import read_table
    >>> table = read_table({"a": [1, None, 3], "b": [None, None, 6.0], "c": ["u", "v", "u"]})
    >>> n_shared(table.columns).tolist()
    [[2, 1, 2], [1, 1, 1], [2, 1, 3]]
    """
    second = first if second is None else second
    counts = np.zeros((len(first), len(second)), dtype=np.int64)
    if not first or not second:
        return counts
    n_rows = len(first[0])
    # float32 counts exactly up to 2**24, and a block has no more rows than that.
    step = max(1, BLOCK_CELLS // max(len(first), len(second)))
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        mask = _presence(first, rows)
        counts += (mask @ (mask if second is first else _presence(second, rows)).T).astype(np.int64)
    return counts


def _positions(table: Table, names: str | Iterable[str], argument: str) -> NDArray[np.intp]:
    listed = [names] if isinstance(names, str) else [str(name) for name in names]
    if not listed:
        raise BychanceError(f"`{argument}` must name at least one column, got none.")
    positions = [table.position(name, argument) for name in listed]
    if len(set(positions)) < len(positions):
        repeated = next(name for name in listed if listed.count(name) > 1)
        raise BychanceError(f"`{argument}` must name each column once, got {repeated!r} twice.")
    return np.array(positions)


def _presence(columns: Sequence[Column], rows: slice) -> NDArray[np.float32]:
    """One row per column: 1 where it has a value, 0 where it is missing."""
    mask = np.ones((len(columns), rows.stop - rows.start), dtype=np.float32)
    for k, column in enumerate(columns):
        if column.is_missing is not None:
            mask[k] = ~column.is_missing[rows]
    return mask
