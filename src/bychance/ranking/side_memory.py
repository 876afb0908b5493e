"""What is computed once for the columns of one side of a block, and shared by all blocks with this side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column

__all__ = ["SideMemory"]

_ROOM = 2**28  # bytes of arrays as large as the table

Fact = TypeVar("Fact")


class SideMemory:
    """Facts about lists of columns; threads share it, and no process gets another's.

    Where two threads miss a fact at once, one finds it out and the other waits.

    >>> from bychance.read_column import read_column
    >>> memory, columns = SideMemory(), [read_column([1.0, 2.0], "a"), read_column([3.0, 4.0], "b")]
    >>> memory.of("names", columns, lambda side: [column.name for column in side])
    ['a', 'b']
    >>> memory.of("names", columns, lambda side: 1 / 0)
    ['a', 'b']
    """

    def __init__(self, *, is_home: bool = True) -> None:
        self.is_home = is_home  # whether its blocks are still in the process that made them
        # The list itself is kept: the number that names it could become another's.
        self._known: dict[tuple[Hashable, int], tuple[Sequence[Column], Any]] = {}
        self._sides: dict[bytes, tuple[Column, ...]] = {}
        self._room = _ROOM
        self._search: dict[tuple[Hashable, int], Lock] = {}

    def side(self, columns: Sequence[Column], positions: NDArray[np.intp]) -> tuple[Column, ...]:
        """The columns at these positions: one and the same list for all blocks that have them."""
        key = positions.tobytes()
        if key not in self._sides:
            self._sides[key] = tuple(columns[k] for k in positions)
        return self._sides[key]

    def of(
        self,
        what: Hashable,
        side: Sequence[Column],
        find: Callable[[Sequence[Column]], Fact],
        *,
        n_bytes: int = 0,
    ) -> Fact:
        """The fact of this name about these columns; a large one is not kept once there is no room left."""
        key = what, id(side)
        if key not in self._known:
            if n_bytes > self._room:
                return find(side)
            with self._search.setdefault(key, Lock()):
                if key not in self._known:
                    self._room -= n_bytes
                    self._known[key] = side, find(side)
        fact: Fact = self._known[key][1]
        return fact

    def knows(self, what: Hashable, side: Sequence[Column]) -> bool:
        """Whether the fact was kept."""
        return (what, id(side)) in self._known

    def forget(self) -> None:
        """Give back the memory, once there are no more blocks."""
        self._known.clear()
        self._search.clear()
        self._sides.clear()
        self._room = _ROOM

    def __reduce__(self) -> tuple[Callable[..., SideMemory], tuple[()]]:
        return partial(SideMemory, is_home=False), ()
