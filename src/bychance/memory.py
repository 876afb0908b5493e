"""Cache of values that are computed once per column or list of columns and used for many pairs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column

__all__ = ["Memory"]

_ROOM = 2**28  # bytes of large cached values
_MOST_HELD = 1_024  # cached values on some of the rows

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
        """Return the cached value named `what` for these columns, or compute it with `find`.

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
        rows: NDArray[np.bool_] | None,
        find: Callable[[Side], Fact],
        *,
        n_bytes: int,
    ) -> Fact:
        """Return the cached value named `what` for these columns on these rows, or compute it with `find`."""
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

    def knows(self, what: Hashable, side: Column | Sequence[Column]) -> bool:
        """Return True if a value named `what` is cached for these columns."""
        return (what, id(side)) in self._known

    def forget(self) -> None:
        """Remove all cached values."""
        for kept in (self._known, self._held, self._search):
            kept.clear()
        self._n_bytes = 0

    def __reduce__(self) -> tuple[type[Memory], tuple[()]]:
        return Memory, ()
