"""What is found out about single columns once, for all the blocks that they are in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

from bychance.columns import Column

__all__ = ["ColumnMemory"]

Fact = TypeVar("Fact")


class ColumnMemory:
    """Facts about columns by what they are; threads share it, and no process gets another's.

    Two threads that miss a fact at once both find it out: they need no lock, and find the same.

    >>> from bychance.columns import read_column
    >>> memory, columns = ColumnMemory(), [read_column([1.0, 2.0], "a"), read_column([3.0, 4.0], "b")]
    >>> memory.of("name", columns, lambda missing: [column.name for column in missing])
    ['a', 'b']
    >>> memory.of("name", columns, lambda missing: 1 / 0)
    ['a', 'b']
    """

    def __init__(self) -> None:
        # The column itself is kept: the number that names it could become another's.
        self._known: dict[tuple[Hashable, int], tuple[Column, Any]] = {}

    def of(
        self,
        what: Hashable,
        columns: Sequence[Column],
        find: Callable[[Sequence[Column]], Iterable[Fact]],
    ) -> list[Fact]:
        """The fact of this name about each column; `find` tells it of those where it is not known yet."""
        known, keys = self._known, [(what, id(column)) for column in columns]
        if missing := [column for key, column in zip(keys, columns, strict=True) if key not in known]:
            for column, fact in zip(missing, find(missing), strict=True):
                known[what, id(column)] = column, fact
        return [known[key][1] for key in keys]

    def __reduce__(self) -> tuple[type[ColumnMemory], tuple[()]]:
        return ColumnMemory, ()
