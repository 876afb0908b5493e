"""Typed column, its values as numbers or category codes, and the rows that two columns share.

A Column has numbers or categories, and a mask of missing values. read_column.py makes one. Memory caches what
is computed once per column, or list of columns, and used for many pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, Int32Array, IntArray
from bychance.errors import ColumnError
from bychance.kinds import Kind
from bychance.messages import Code, remark
from bychance.ticks import Clock

__all__ = [
    "TAKE_ANY",
    "Column",
    "Memory",
    "are_complete",
    "are_distinct",
    "as_number",
    "coded",
    "codes_of",
    "column_of_floats",
    "columns_of_kind",
    "crossed",
    "distinct_masks",
    "is_binary",
    "log_ties",
    "most_alike",
    "numbers_of",
    "rows_alike",
    "shared_codes_of",
    "shared_rows",
]


TAKE_ANY = "`explained`, `shape`, `dcor` and `hsic`"
"""Names, for messages, of the measures that take columns of any kinds."""

_FLOAT64 = np.dtype(np.float64)
_FEW_ROWS = 5_000  # rows up to which counts of equal values are exact: sorting takes half a millisecond
_FIRST_ROWS = 100  # rows that are searched for a third distinct value before all rows are (taste)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A typed column: numbers, or categories as codes into `labels`, with a mask of missing values.

    Booleans are categories too, kept as booleans so that they can be read as 0 and 1. The codes of ordered
    categories (`is_ordered`) are the numbers of their levels, and can be read as numbers too. Dates, times
    and durations are whole ticks counted from the earliest, in the unit of `clock`. Integers that float64
    cannot distinguish stay integers. `precision` is the dtype of the input floats, which may be shorter than
    float64.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    is_missing: BoolArray | None
    labels: tuple[object, ...] = ()
    clock: Clock | None = None
    precision: np.dtype[Any] = _FLOAT64
    is_ordered: bool = False

    def __len__(self) -> int:
        return len(self.values)

    @property
    def has_order(self) -> bool:
        """True if the values can be read as numbers: numbers, booleans or ordered categories."""
        return self.kind is Kind.NUMERIC or self.is_ordered or self.values.dtype.kind == "b"

    @property
    def present(self) -> NDArray[Any]:
        """Values that are not missing."""
        return self.values if self.is_missing is None else self.values[~self.is_missing]

    def at(self, rows: NDArray[Any] | slice) -> Column:
        """Return the column restricted to `rows`, a mask, indices or a slice."""
        is_missing = None if self.is_missing is None else self.is_missing[rows]
        return replace(self, values=self.values[rows], is_missing=is_missing)


def column_of_floats(floats: NDArray[Any], name: str, is_masked: BoolArray | None = None) -> Column:
    """Create a numeric column that may keep the given array of floats. NaN marks a missing value."""
    array = floats.astype(np.float64, copy=False)
    is_short = floats.dtype.itemsize < _FLOAT64.itemsize
    precision = floats.dtype.newbyteorder("=") if is_short else _FLOAT64
    if np.isfinite(array).all():
        return Column(name, Kind.NUMERIC, array, None, precision=precision)
    is_missing = np.isnan(array)
    is_infinite = ~np.isfinite(array) & ~is_missing
    if is_masked is not None:
        is_infinite &= ~is_masked
    if is_infinite.any():
        index = int(np.flatnonzero(is_infinite)[0])
        place = f"at row {index} (counting from 0)"
        raise ColumnError(
            name, remark(Code.MUST_BE_FINITE, argument=name, number=str(array[index]), place=place)
        )
    return Column(name, Kind.NUMERIC, array, is_missing if is_missing.any() else None, precision=precision)


def as_number(column: Column) -> Column:
    """Convert booleans to 0 and 1, and ordered categories to level numbers. Other columns stay unchanged.

    >>> from bychance.read_column import read_column
    >>> as_number(read_column([True, False], "x")).values.tolist()
    [1.0, 0.0]
    """
    if column.kind is Kind.NUMERIC or not column.has_order:
        return column
    values = column.values.astype(np.float64)
    return replace(column, kind=Kind.NUMERIC, values=values, labels=(), is_ordered=False)


def is_binary(column: Column) -> bool:
    """Return True if the values that are not missing are one or two distinct ones."""
    if _has_third(column.at(slice(_FIRST_ROWS)).present):
        return False
    values = column.present
    return len(values) > 0 and not _has_third(values)


def _has_third(values: NDArray[Any]) -> bool:
    """Return True if there are three distinct values or more: one between the smallest and the largest."""
    return len(values) > 0 and not ((values == values.min()) | (values == values.max())).all()


def most_alike(column: Column) -> int:
    """Return how often the column's most common value occurs, or an upper bound beyond 5,000 rows.

    >>> from bychance.read_column import read_column
    >>> most_alike(read_column(["a", "a", "b"], "x")), most_alike(read_column([1, 2, 3], "x"))
    (2, 1)
    """
    present, middle = column.present, len(column.present) // 2
    if len(present) == 0:
        return 0
    if len(present) <= _FEW_ROWS:
        return 1 if are_distinct(present) else int(np.unique(present, return_counts=True)[1].max())
    if are_distinct(present):
        return middle
    return max(int(np.count_nonzero(present == np.partition(present, middle)[middle])), middle)


def rows_alike(columns: Sequence[Column]) -> IntArray:
    """Return an upper bound on the count of the most common value, one entry per column."""
    return np.array([most_alike(column) for column in columns], dtype=np.int64)


def log_ties(column: Column) -> float:
    """Return Σ log t! over the counts t of equal values: log number of permutations that change nothing.

    It is 0 for more than 5,000 rows, which have too many permutations for ties to limit any p-value.

    >>> from bychance.read_column import read_column
    >>> round(np.exp(log_ties(read_column(["a", "a", "b", "a"], "x"))))
    6
    """
    present = column.present
    if len(present) > _FEW_ROWS or are_distinct(present):
        return 0.0
    return float(special.gammaln(np.unique(present, return_counts=True)[1] + 1).sum())


def columns_of_kind(columns: Sequence[Column], kind: Kind) -> tuple[Sequence[Column], IndexArray]:
    """Return the columns of a kind, and each column's index among them (−1 if of another kind)."""
    is_of = np.array([column.kind is kind for column in columns], dtype=np.bool_)
    those = columns if is_of.all() else [columns[k] for k in np.flatnonzero(is_of).tolist()]
    return those, np.where(is_of, np.cumsum(is_of) - 1, -1)


def are_complete(columns: Sequence[Column]) -> bool:
    """Return True if no column has a missing value."""
    return all(column.is_missing is None for column in columns)


def are_distinct(values: NDArray[Any]) -> bool:
    """Return True if the array holds floats and no value occurs twice. Faster than sorting."""
    return values.dtype == np.float64 and _native.are_distinct(values)


def shared_rows(x: Column, *others: Column) -> BoolArray | None:
    """Return a mask of the rows in which all columns have a value, or None if nothing is missing."""
    for y in others:
        if len(x) != len(y):
            raise ValueError(f"`{x.name}` and `{y.name}` must be of one length, got {len(x)} and {len(y)}.")
    masks = [column.is_missing for column in (x, *others) if column.is_missing is not None]
    return ~np.logical_or.reduce(masks) if masks else None


def numbers_of(column: Column, rows: BoolArray | None, wanted_by: str) -> FloatArray:
    """Return the column's values on these rows as float64, with booleans as 0/1 and levels as numbers."""
    if not column.has_order:
        raise ValueError(
            f"`{column.name}` must be numeric for measure {wanted_by!r}, got categories such as "
            f"{column.labels[0]!r}; {TAKE_ANY} take any columns."
        )
    picked = column.values if rows is None else column.values[rows]
    if picked.dtype.kind in "iu" and len(picked):
        smallest, largest = int(picked.min()), int(picked.max())
        if max(-smallest, largest) > 2**53:
            # Neighbors are one float64. Counted from the smallest they differ.
            steps = picked.astype(np.uint64) - np.uint64(smallest % 2**64)
            return steps.astype(np.float64) if largest - smallest <= 2**53 else _distinct_floats(steps)
    return np.ascontiguousarray(picked, dtype=np.float64)


def codes_of(column: Column, rows: BoolArray | None) -> Int32Array:
    """Encode the column's distinct values on these rows as integers 0, 1, … without gaps."""
    picked = column.values if rows is None else column.values[rows]
    is_numbered = column.kind is Kind.CATEGORICAL and picked.dtype.kind == "i" and len(picked) > 0
    steps = picked if is_numbered else _offsets_from_minimum(picked)
    if steps is None:
        return coded(picked)
    # Values that occur are numbered without sorting the rows.
    numbers: Int32Array = np.cumsum(np.bincount(steps) > 0, dtype=np.int32) - np.int32(1)
    return np.take(numbers, steps)


def coded(values: NDArray[Any]) -> Int32Array:
    """Encode distinct values as integers 0, 1, … in ascending order.

    >>> coded(np.array([7.0, 2.0, 7.0])).tolist()
    [1, 0, 1]
    """
    return np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int32)


def crossed(first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> IntArray:
    """Combine two codes per row to one code, equal only for equal pairs of codes.

    >>> crossed(np.array([0, 0, 1]), np.array([0, 2, 1])).tolist()
    [0, 2, 4]
    """
    return first.astype(np.int64) * (int(second.max()) + 1) + second


def distinct_masks(masks: Sequence[BoolArray]) -> tuple[list[int], IndexArray]:
    """Group equal masks. Return the first column of each group, and the group number of each column."""
    places: dict[bytes, int] = {}
    keys = (np.packbits(mask).tobytes() for mask in masks)
    mask_of = np.array([places.setdefault(key, len(places)) for key in keys], dtype=np.intp)
    return np.unique(mask_of, return_index=True)[1].tolist(), mask_of


def _offsets_from_minimum(values: NDArray[Any]) -> IntArray | None:
    """Return integers minus their minimum, or None if any is not whole or their range exceeds their count."""
    is_float = values.dtype.kind == "f"
    if not (is_float or values.dtype.kind == "i") or not len(values):
        return None
    smallest, largest = values.min().item(), values.max().item()
    if largest - smallest > len(values) or (is_float and max(-smallest, largest) > 2**53):
        return None
    whole = values.astype(np.int64, copy=False)
    return whole - int(smallest) if not is_float or (whole == values).all() else None


def shared_codes_of(x: Column, y: Column, rows: BoolArray | None) -> tuple[Int32Array, Int32Array]:
    """Encode two categorical columns so that equal categories in either column get equal codes."""
    if rows is not None and not rows.any():
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32)
    if (x.kind, _what(x)) != (y.kind, _what(y)):
        raise ValueError(
            f"`{x.name}` and `{y.name}` must hold the same kind of categories, got {_what(x)} and {_what(y)}."
        )
    numbers: dict[object, int] = {}
    first, second = (_codes_by_number(column, numbers) for column in (x, y))
    if rows is not None:
        first, second = first[rows], second[rows]
    codes = coded(np.concatenate([first, second]))
    return codes[: len(first)], codes[len(first) :]


def _distinct_floats(steps: NDArray[np.uint64]) -> FloatArray:
    """Convert unsigned integers to floats so that order and distinctness stay, even beyond 2**53.

    If k integers fall between two floats, each moves up by at most k units in the last place. Ranks do not
    change, and sums of squares change no more than by rounding.
    """
    distinct, codes = np.unique(steps, return_inverse=True)
    places = np.arange(len(distinct))
    # Floats from 0 on are ordered as the integers with the same bits.
    bits = distinct.astype(np.float64).view(np.int64)
    distinct_floats = (np.maximum.accumulate(bits - places) + places).view(np.float64)
    by_row: FloatArray = distinct_floats[codes.reshape(-1)]
    return by_row


def _what(column: Column) -> str:
    return column.kind.value if column.clock is None else column.clock.what


def _codes_by_number(column: Column, numbers: dict[object, int]) -> IntArray:
    """Encode a column's values by the dict `numbers` from value to number, adding entries for new values.

    Keys are Python numbers, which compare exactly across types. Dates are keyed by their count in one unit.
    """
    codes = column.values
    if column.kind is Kind.NUMERIC:
        values, codes = np.unique(column.values, return_inverse=True)
        labels = values.tolist() if column.clock is None else column.clock.counts(values)
    else:
        labels = column.labels or (False, True)
    renumbered = np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
    by_row: IntArray = renumbered[codes.reshape(-1).astype(np.intp)]
    return by_row


_ROOM = 2**28  # bytes of large cached values: 256 MiB (taste)
_MOST_HELD = 1_024  # cached values of columns restricted to some rows (taste)

Fact = TypeVar("Fact")
Side = TypeVar("Side", Column, Sequence[Column])


@dataclass(eq=False, repr=False)
class Memory:
    """Cache of values computed from a column or a list of columns, shared by the threads of one process.

    If two threads need a value that is not cached yet, one computes it and the other waits.

    >>> from bychance.read_column import read_column
    >>> memory, columns = Memory(), [read_column([1.0, 2.0], "a"), read_column([3.0, 4.0], "b")]
    >>> memory.of("names", columns, lambda side: [column.name for column in side])
    ['a', 'b']
    >>> memory.of("names", columns, lambda side: 1 / 0)
    ['a', 'b']
    """

    # The column or list itself is kept: the number that names it could become another's.
    _known: dict[tuple[Hashable, int], tuple[Any, Any]] = field(default_factory=dict)
    _held: dict[tuple[Hashable, int, bytes], tuple[Any, Any]] = field(default_factory=dict)
    _search: dict[tuple[Hashable, int], Lock] = field(default_factory=dict)
    _n_bytes: int = 0  # of large cached values
    _counting: Lock = field(default_factory=Lock)

    def of(self, what: Hashable, side: Side, find: Callable[[Side], Fact], *, n_bytes: int = 0) -> Fact:
        """Return the value cached as `what` for a column or a column list, or compute it with `find`.

        A large value is kept for good while there is room, and otherwise like the values of `on_rows`.
        """
        key = what, id(side)
        if key not in self._known:
            if self._n_bytes + n_bytes > _ROOM:
                return self.on_rows(what, side, None, find, n_bytes=n_bytes)
            with self._search.setdefault(key, Lock()):
                if key not in self._known:
                    self._known[key] = side, find(side)
                    with self._counting:
                        self._n_bytes += n_bytes
        fact: Fact = self._known[key][1]
        return fact

    def on_rows(
        self,
        what: Hashable,
        side: Side,
        rows: BoolArray | None,
        find: Callable[[Side], Fact],
        *,
        n_bytes: int,
    ) -> Fact:
        """Return the value cached as `what` for columns on these rows, or compute it with `find`."""
        key = what, id(side), b"" if rows is None else np.packbits(rows).tobytes()
        held = self._held.get(key)
        if held is None:
            held = side, find(side)
        with self._counting:
            self._held.pop(key, None)
            while len(self._held) >= min(_MOST_HELD, max(2, _ROOM // max(n_bytes, 1))):
                del self._held[next(iter(self._held))]
            self._held[key] = held
        fact: Fact = held[1]
        return fact

    def forget(self) -> None:
        """Remove all cached values."""
        for kept in (self._known, self._held, self._search):
            kept.clear()
        self._n_bytes = 0

    def __reduce__(self) -> tuple[type[Memory], tuple[()]]:
        return Memory, ()
