"""Base classes of dependency measures and of columns prepared for them.

In:  one array per variable, free of missing values: float64 (numeric) or int32 codes (categorical).
Out: prepared variables, an estimate, the largest value it can take, and its values over many permutations,
     by a C++ `Statistic` for the measures of this package and by `resample` for others.

`prepare` saves most of the time: everything that depends on one variable is computed once and shared by all
its pairs and all permutations. The algebraic forms of a measure (structures.py) decide which nulls it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import FloatArray, Int32Array, IntArray
from bychance.errors import unknown_name
from bychance.kinds import Kind, PairKind, Role
from bychance.measures.structures import Algebra, Structure

__all__ = [
    "Counted",
    "CountedGroups",
    "CountedValues",
    "Measure",
    "NamedBounds",
    "Ordering",
    "Prepared",
    "Values",
    "is_built_in",
    "order_values",
]

T = TypeVar("T", bound=np.generic)
Values = FloatArray | Int32Array


class Prepared(Protocol):
    """Interface of a column prepared for a measure: what all its pairs share is computed once."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> NDArray[Any]:
        """One label per row. Exchanging rows with equal labels leaves the measure unchanged."""

    @property
    def is_degenerate(self) -> bool:
        """True if permuting the column cannot change the measure, as with a constant column."""


class Counted:
    """Base class of columns prepared for a measure, with counts of the rows of each distinct value."""

    @property
    @abstractmethod
    def labels(self) -> NDArray[Any]:
        """One label per row. Exchanging rows with equal labels leaves the measure unchanged."""

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows with each distinct value."""
        labels = self.labels
        if labels.dtype == np.float64 and _native.are_distinct(labels):
            return np.ones(len(labels), dtype=np.int64)
        return np.unique(labels, return_counts=True)[1].astype(np.int64, copy=False)

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.sizes)

    @property
    def n_others(self) -> int:
        """Number of rows that differ from the most common value."""
        return self.n - int(self.sizes.max())

    @property
    def n_outside(self) -> int:
        """Number of rows outside the largest cluster of close values, here of equal ones."""
        return self.n_others


class CountedValues(Counted):
    """Base class of columns prepared for a measure that keep one value per row."""

    values: NDArray[Any]

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def labels(self) -> NDArray[Any]:
        """Value of each row."""
        return self.values


@dataclass(frozen=True, eq=False)
class CountedGroups(Counted):
    """Base class of categorical columns prepared for a measure: group number of each row, group sizes."""

    codes: Int32Array
    sizes: IntArray = field()  # given, in place of the counts of the base class

    @classmethod
    def of(cls, values: NDArray[Any], **own: Any) -> Self:
        """Create the column from the group number of each row, and count the groups."""
        codes = np.asarray(values, dtype=np.int32)
        return cls(codes, np.bincount(codes).astype(np.int64), **own)

    @property
    def labels(self) -> Int32Array:
        """Group number of each row."""
        return self.codes

    @property
    def is_degenerate(self) -> bool:
        """True if all rows are in one group, or each row is a group."""
        return len(self.sizes) in (1, self.n)


@dataclass(frozen=True, eq=False)
class Ordering(Counted):
    """Sorted column: row numbers in ascending order of value, and sizes of groups of equal values."""

    order: Int32Array
    sizes: IntArray = field()  # given, in place of the counts of the base class

    @property
    def is_degenerate(self) -> bool:
        """True if all values tie."""
        return self.n_distinct == 1

    @property
    def has_ties(self) -> bool:
        """True if any two values tie."""
        return self.n_distinct < self.n

    @property
    def labels(self) -> Int32Array:
        """Number of the group of equal values of each row."""
        return self.codes

    @cached_property
    def codes(self) -> Int32Array:
        """Number of the group of equal values of each row, 0 for the smallest value."""
        return self._by_row(np.arange(self.n_distinct)).astype(np.int32)

    @cached_property
    def midranks(self) -> FloatArray:
        """Average rank of each row's tie group, counting from 1."""
        if not self.has_ties:
            return self._by_row(np.arange(1.0, self.n + 1))
        ends = np.cumsum(self.sizes)
        return self._by_row(ends - (self.sizes - 1) / 2)

    @cached_property
    def max_ranks(self) -> Int32Array:
        """Number of values at most as large as the value of each row."""
        return self._by_row(np.cumsum(self.sizes)).astype(np.int32)

    @cached_property
    def rank_spread(self) -> float:
        """Divisor 2Σ l_i(n − l_i) of Chatterjee's ξ: l_i counts values at least as large as that of row i."""
        groups = self.sizes.astype(np.float64)
        at_least = self.n - groups.cumsum() + groups
        return 2 * float((groups * at_least * (self.n - at_least)).sum())

    def _by_row(self, by_group: NDArray[T]) -> NDArray[T]:
        by_row = np.empty(self.n, dtype=by_group.dtype)
        by_row[self.order] = np.repeat(by_group, self.sizes) if self.has_ties else by_group
        return by_row


def order_values(values: FloatArray) -> Ordering:
    """Sort a column, and return its row numbers in ascending order with the sizes of tie groups.

    >>> order_values(np.array([3.0, 1.0, 3.0])).midranks
    array([2.5, 1. , 2.5])
    """
    return Ordering(*_native.ascending_order(values))


P = TypeVar("P", bound=Prepared)
NamedBounds = Mapping[str, Callable[[Any, Any, Any], float]]


class Measure(ABC, Generic[P]):
    """Base class of dependency measures: functions of two columns, larger for more dependence.

    `structures`, `forms`, `is_same_on_both_sides`, `has_grid` (True if `mic_grid` shows the grid behind the
    values) and `is_root` (True for the root of φ² over its maximum) hold only for the class that defines
    them. A user's subclass that overrides `prepare`, `estimate` or `resample` does not inherit them. It
    defines them again, or its null is sampled.
    """

    name: str
    summary: str
    kinds: PairKind
    symmetric: bool
    needs_shared_labels: ClassVar[bool] = False
    min_n: ClassVar[int] = 3
    paper_null: ClassVar[str | None] = None
    has_multinomial_model: ClassVar[bool] = False
    has_quick_swaps: ClassVar[bool] = False  # True if a swap of two rows is cheap to update
    is_same_on_both_sides: ClassVar[bool] = False  # True if `prepare` ignores the role
    has_grid: ClassVar[bool] = False
    bends_levels: ClassVar[bool] = False  # True if the numbers of ordered levels stand for x
    is_root: ClassVar[bool] = False
    bounds: ClassVar[NamedBounds] = {}  # bounds that a caller can name
    # Algebra that computes whole tables, by the kinds of x and y. Other kinds are computed pair by pair.
    forms: ClassVar[Mapping[tuple[Kind, Kind], Algebra]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        homes = {name: _position_of(cls, name) for name in (*_COMPUTED, *_STATED)}
        for stated in _STATED:
            if any(
                homes[name] < homes[stated] and not is_built_in(cls.__mro__[homes[name]])
                for name in _COMPUTED
            ):
                setattr(cls, stated, getattr(Measure, stated))

    @abstractmethod
    def prepare(self, values: Values, role: Role) -> P:
        """Prepare a column as x or y of many pairs: compute all that does not depend on the other column."""

    @abstractmethod
    def estimate(self, x: P, y: P) -> float:
        """Compute the measure's raw value, not adjusted for chance, from two prepared columns."""

    def resample(self, x: P, y: P, permutations: _native.Permutations, first: int, count: int) -> FloatArray:
        """Compute the measure under `count` random permutations of y, from permutation number `first` on.

        `permutations.rows(first, count)` lists them: row k of x is paired with row `rows[k]` of y.
        """
        statistic = self._statistic(x, y)
        if statistic is None:
            raise NotImplementedError(f"{type(self).__name__} must define `resample`.")
        return statistic.draw(permutations, first, count)

    def statistic(self, x: P, y: P) -> _native.Statistic | None:
        """Return a C++ object that computes the measure under permutations, None if only `resample` can."""
        return self._statistic(x, y) if type(self).resample is Measure.resample else None

    def _statistic(self, x: P, y: P) -> _native.Statistic | None:
        """Return the C++ object for the default `resample`, or None if a subclass overrides `resample`."""
        return None

    def bound(self, x: P, y: P, which: str | None = None) -> float:
        """Return the measure's largest value: the default bound, or a named alternative from `bounds`."""
        if which is None:
            return self.default_bound(x, y)
        if which not in self.bounds:
            raise unknown_name("bound", which, self.bounds)
        return self.bounds[which](self, x, y)

    def default_bound(self, x: P, y: P) -> float:
        """Return the measure's largest value, used if the caller names no bound."""
        return 1.0

    def sign(self, x: P, y: P) -> int | None:
        """Return the direction of the relation, +1, −1 or 0, or None if the measure has none."""
        return None

    def structures(self, x: P, y: P) -> tuple[Structure, ...]:
        """Return algebraic forms of the measure, such as tr(A·B), from which its null is derived."""
        return ()

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Return True if exchanging columns of these kinds leaves the measure's value unchanged."""
        return self.symmetric

    def n_bytes(self, n: int) -> int:
        """Estimate the memory of a prepared variable of n rows, in bytes."""
        return 64 * n

    @property
    def settings(self) -> Mapping[str, Any]:
        """Constructor arguments of the measure by name."""
        return {}

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v!r}" for k, v in self.settings.items())
        return f"{type(self).__name__}({settings})"


def is_built_in(measure: type) -> bool:
    """Return True if the class belongs to this package, so that its name and settings identify it."""
    return measure.__module__.partition(".")[0] == __name__.partition(".")[0]


_COMPUTED = ("prepare", "estimate", "resample")
_STATED = ("structures", "forms", "is_same_on_both_sides", "has_grid", "is_root")


def _position_of(measure: type, name: str) -> int:
    """Return the place in the method resolution order of the class that defines `name`."""
    return next(k for k, parent in enumerate(measure.__mro__) if name in vars(parent))
