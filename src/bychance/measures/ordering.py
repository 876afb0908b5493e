"""Sorted order of a numeric column, with its ranks and groups of ties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = ["Ordering", "order_values"]

T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Ordering:
    """Row numbers in ascending order of value, and the sizes of the groups of equal values in that order."""

    order: NDArray[np.int32]
    tie_groups: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.order)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rows with each distinct value."""
        return self.tie_groups

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.tie_groups)

    @property
    def n_others(self) -> int:
        """Number of rows that differ from the most common value."""
        return self.n - int(self.tie_groups.max())

    @property
    def is_degenerate(self) -> bool:
        """True if all values tie."""
        return self.n_distinct == 1

    @property
    def has_ties(self) -> bool:
        """True if any two values tie."""
        return self.n_distinct < self.n

    @property
    def labels(self) -> NDArray[np.int32]:
        """Tie group number of each row."""
        return self.codes

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """Tie group number of each row, 0 for the smallest value."""
        return self._by_row(np.arange(self.n_distinct)).astype(np.int32)

    @cached_property
    def midranks(self) -> NDArray[np.float64]:
        """Average rank of each row's tie group, counting from 1."""
        if not self.has_ties:
            return self._by_row(np.arange(1.0, self.n + 1))
        ends = np.cumsum(self.tie_groups)
        return self._by_row(ends - (self.tie_groups - 1) / 2)

    @cached_property
    def max_ranks(self) -> NDArray[np.int32]:
        """Number of values at most as large as the value of each row."""
        return self._by_row(np.cumsum(self.tie_groups)).astype(np.int32)

    @cached_property
    def rank_spread(self) -> float:
        """2Σ l_i(n − l_i), the divisor of ξ: l_i counts values at least as large as row i's."""
        groups = self.tie_groups.astype(np.float64)
        at_least = self.n - groups.cumsum() + groups
        return 2 * float((groups * at_least * (self.n - at_least)).sum())

    def _by_row(self, by_group: NDArray[T]) -> NDArray[T]:
        by_row = np.empty(self.n, dtype=by_group.dtype)
        by_row[self.order] = np.repeat(by_group, self.tie_groups) if self.has_ties else by_group
        return by_row


def order_values(values: NDArray[np.float64]) -> Ordering:
    """Sort the rows of a column by value.

    >>> order_values(np.array([3.0, 1.0, 3.0])).midranks
    array([2.5, 1. , 2.5])
    """
    return Ordering(*_native.ascending_order(values))
