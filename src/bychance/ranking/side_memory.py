"""What is computed once for a column or for those of one side, and shared by all blocks; gaps and ties."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.columns import Column, log_ties, most_alike
from bychance.kinds import Kind, Role
from bychance.measures import Measure
from bychance.measures.base import is_built_in
from bychance.pair import Memory

__all__ = [
    "BlockMemory",
    "SideMemory",
    "Ties",
    "are_complete",
    "log_fewest_arrangements",
    "rows_alike",
    "ties_of",
]

_SORTED_ROWS = 5_000
_SORTED_AT_ONCE = 1 << 16  # values: half a megabyte, which a core's cache holds
_SHORT_RUN = 4
_LOG_MANY_ARRANGEMENTS = 750.0
_ROOM = 2**28  # bytes of arrays as large as the table, and of prepared columns

Fact = TypeVar("Fact")
Side = TypeVar("Side", Column, Sequence[Column])


@dataclass(eq=False, repr=False)
class SideMemory:
    """Facts about columns and lists of them; threads share it, and no process gets another's.

    Where two threads miss a fact at once, one finds it out and the other waits.

    >>> from bychance.read_column import read_column
    >>> memory, columns = SideMemory(), [read_column([1.0, 2.0], "a"), read_column([3.0, 4.0], "b")]
    >>> memory.of("names", columns, lambda side: [column.name for column in side])
    ['a', 'b']
    >>> memory.of("names", columns, lambda side: 1 / 0)
    ['a', 'b']
    """

    # The column or list itself is kept: the number that names it could become another's.
    _known: dict[tuple[Hashable, int], tuple[Any, Any]] = field(default_factory=dict)
    _sides: dict[bytes, tuple[Column, ...]] = field(default_factory=dict)
    _search: dict[tuple[Hashable, int], Lock] = field(default_factory=dict)
    _n_bytes: int = 0  # of large facts
    _counting: Lock = field(default_factory=Lock)

    def side(self, columns: Sequence[Column], positions: NDArray[np.intp]) -> tuple[Column, ...]:
        """The columns at these positions: one and the same list for all blocks that have them."""
        key = positions.tobytes()
        if key not in self._sides:
            self._sides.setdefault(key, tuple(columns[k] for k in positions))  # another thread may be first
        return self._sides[key]

    def of(
        self,
        what: Hashable,
        side: Side,
        find: Callable[[Side], Fact],
        *,
        n_bytes: int = 0,
    ) -> Fact:
        """The fact of this name about one or more columns; a large one is not kept once there is no room."""
        key = what, id(side)
        if key not in self._known:
            if self._n_bytes + n_bytes > _ROOM:
                return find(side)
            with self._search.setdefault(key, Lock()):
                if key not in self._known:
                    self._known[key] = side, find(side)
                    with self._counting:
                        self._n_bytes += n_bytes
        fact: Fact = self._known[key][1]
        return fact

    def knows(self, what: Hashable, side: Column | Sequence[Column]) -> bool:
        """Whether the fact was kept."""
        return (what, id(side)) in self._known

    def forget(self) -> None:
        """Give back the memory, once there are no more blocks."""
        self._known.clear()
        self._search.clear()
        self._sides.clear()
        self._n_bytes = 0

    def __reduce__(self) -> tuple[type[SideMemory], tuple[()]]:
        return SideMemory, ()


class BlockMemory(Memory):
    """What the pairs of a block prepare; variables on all rows that their column has serve all blocks."""

    def __init__(self, memory: SideMemory, kinds: tuple[Kind, Kind]) -> None:
        super().__init__()
        self._memory, self._kinds = memory, kinds

    def prepared(
        self,
        measure: Measure[Any],
        column: Column,
        role: Role,
        as_numbers: bool,
        rows: NDArray[np.bool_] | None,
    ) -> Any:
        """The variable, made ready for the measure on these rows."""
        find = partial(super().prepared, measure, role=role, as_numbers=as_numbers, rows=rows)
        n_missing = 0 if column.is_missing is None else np.count_nonzero(column.is_missing)
        has_all_rows = rows is None or np.count_nonzero(rows) + n_missing >= len(rows)
        # How much memory a measure that users wrote takes is a guess.
        if not (has_all_rows and is_built_in(type(measure))):
            return find(column)
        what = self._kinds, None if measure.is_same_on_both_sides else role, as_numbers
        return self._memory.of(what, column, find, n_bytes=measure.n_bytes(len(column)))


def are_complete(columns: Sequence[Column]) -> bool:
    """Whether no column misses anything."""
    return all(column.is_missing is None for column in columns)


def rows_alike(columns: Sequence[Column]) -> NDArray[np.int64]:
    """At most how many rows of each column have one value. Those without long ties need no second look."""
    alike = np.ones(len(columns), dtype=np.int64)
    whole = [
        k
        for k, column in enumerate(columns)
        if column.is_missing is None and len(column.values) <= _SORTED_ROWS
    ]
    is_tied = np.ones(len(columns), dtype=np.bool_)
    if whole and all(columns[k].values.dtype == np.float64 for k in whole):
        step = max(1, _SORTED_AT_ONCE // max(len(columns[0].values), 1))
        for some in (whole[start : start + step] for start in range(0, len(whole), step)):
            ordered = np.sort(np.array([columns[k].values for k in some]), axis=1)
            alike[some], is_tied[some] = _short_runs(ordered)
    for k in np.flatnonzero(is_tied).tolist():
        alike[k] = most_alike(columns[k])
    return alike


def _short_runs(ordered: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The longest run of equal numbers in each sorted row, and in which rows it is longer than looked for."""
    longest = np.ones(len(ordered), dtype=np.int64)
    is_run = ordered[:, 1:] == ordered[:, :-1]
    for _ in range(_SHORT_RUN):
        longest += is_run.any(axis=1)
        is_run = is_run[:, 1:] & is_run[:, :-1]
    return longest, is_run.any(axis=1)


class Ties(NamedTuple):
    """Of each column: log of how many arrangements its ties make one, and whether it is complete."""

    log_ties: NDArray[np.float64]
    is_complete: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[Ties]) -> Ties:
        """Those of all columns one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def ties_of(side: Sequence[Column], memory: SideMemory) -> Ties:
    """The ties of these columns; 0 where their arrangements are too many for any p-value to show."""
    alike = memory.of("alike", side, rows_alike)
    return memory.of("ties", side, lambda columns: _ties(columns, alike))


def _ties(columns: Sequence[Column], alike: NDArray[np.int64]) -> Ties:
    n = np.array([len(column) for column in columns])
    may_be_few = log_fewest_arrangements(n, alike) < _LOG_MANY_ARRANGEMENTS
    ties = [log_ties(c) if few else 0.0 for c, few in zip(columns, may_be_few, strict=True)]
    return Ties(np.array(ties), np.array([column.is_missing is None for column in columns]))


def log_fewest_arrangements(n: NDArray[np.int64], most_alike: NDArray[np.int64]) -> NDArray[np.float64]:
    """At least how many arrangements n rows have, at most so many of them alike, as a logarithm.

    The logarithm is convex, so that ties are most where all groups are of the largest size.
    """
    t = np.maximum(most_alike, 1)
    return np.asarray(special.gammaln(n + 1.0) - n / t * special.gammaln(t + 1.0))
