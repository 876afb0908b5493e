"""Interface of every dependency measure, and the algebraic forms in which measures can be stated.

In:  one array per variable, free of missing values: float64 (numeric) or int32 codes (categorical).
Out: prepared variables, an estimate, the largest value it can take, and its values over many permutations,
     by a C++ `Statistic` for the measures of this package and by `resample` for others.

`prepare` saves most of the time: everything that depends on one variable is computed once and shared by all
its pairs and all permutations. The algebraic forms of a measure (structures.py) decide which nulls it has. A
measure that is stated as a `Trace` or as `Information` is computed for whole tables at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import unknown_name
from bychance.kinds import Kind, PairKind, Role
from bychance.measures.structures import Structure

__all__ = [
    "LINES",
    "Algebra",
    "CountedGroups",
    "CountedValues",
    "Information",
    "Limit",
    "Matrix",
    "Measure",
    "Prepared",
    "Trace",
    "Unit",
    "Values",
    "is_built_in",
]

Values = NDArray[np.float64] | NDArray[np.int32]


class Prepared(Protocol):
    """Column after a measure's `prepare`, which computes everything that depends on it alone."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> NDArray[Any]:
        """One label per row. Exchanging rows with equal labels leaves the measure unchanged."""

    @property
    def is_degenerate(self) -> bool:
        """True if all permutations give the same value of the measure, as with a constant column."""


class CountedValues:
    """Counts of distinct values, for prepared columns that hold one value per row."""

    values: NDArray[Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def labels(self) -> NDArray[Any]:
        """One label per row. Exchanging rows with equal labels leaves the measure unchanged."""
        return self.values

    @cached_property
    def value_counts(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Distinct values in ascending order and their counts."""
        values, counts = np.unique(self.values, return_counts=True)
        return values, counts.astype(np.int64, copy=False)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of rows with each distinct value."""
        if self.values.dtype == np.float64 and _native.are_distinct(self.values):
            return np.ones(self.n, dtype=np.int64)
        return self.value_counts[1]

    @property
    def n_distinct(self) -> int:
        """Number of distinct values."""
        return len(self.sizes)

    @property
    def n_others(self) -> int:
        """Number of rows that differ from the most common value."""
        return int(self.n - self.sizes.max())

    @property
    def n_apart(self) -> int:
        """Number of rows outside the largest cluster of nearby values, here of equal values."""
        return self.n_others


class CountedGroups:
    """Group number of each row and group sizes, for prepared categorical columns."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def labels(self) -> NDArray[np.int32]:
        """Group number of each row."""
        return self.codes

    @property
    def n_distinct(self) -> int:
        """Number of groups."""
        return len(self.sizes)


class Matrix(Enum):
    """Kind of matrix that represents a column in tr(A·B)."""

    LINE = "line"  # its centered values
    RANKS = "ranks"  # its centered midranks
    BENDS = "bends"  # projector on piecewise linear functions with knots at the quintiles
    RANK_BENDS = "bends of ranks"  # the same projector, from its midranks
    PROJECTOR = "projector"  # projector on the means of its groups
    INDICATOR = "indicator"  # 1 for two rows in one group, else 0


LINES = (Matrix.LINE, Matrix.RANKS)


class Unit(Enum):
    """Factor that turns tr(A·B) into a measure: 1, 1/n, or 1 over y's variation tr(B)."""

    ONE = "one"
    ROWS = "rows"
    VARIATION = "variation"


class Limit(Enum):
    """Largest value of a measure: 1, y's Gini impurity, or the smaller number of groups minus 1."""

    ONE = "one"
    IMPURITY = "impurity"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Trace:
    """Measure stated as scale · tr(A·B) for columns of two kinds, with A from x and B from y."""

    x: Matrix
    y: Matrix
    law: Literal["beta", "gamma"]
    unit: Unit = Unit.ONE
    limit: Limit = Limit.ONE

    def scale(self, n: Any, variation: Any) -> Any:
        """Return the factor of tr(A·B) in the measure, for one pair or for arrays of pairs."""
        if self.unit is Unit.ONE:
            return 1.0
        return 1 / n if self.unit is Unit.ROWS else 1 / variation

    def bound(self, n: Any, variation: Any, x_groups: Any, y_groups: Any) -> Any:
        """Return the largest value of the measure, for one pair or for arrays of pairs."""
        if self.limit is Limit.ONE:
            return 1.0
        return variation / n if self.limit is Limit.IMPURITY else np.minimum(x_groups, y_groups) - 1.0

    @property
    def has_normal_model(self) -> bool:
        """True if the measure is a share of variance whose null is known for normal data."""
        return self.law == "beta" and self.x in (Matrix.LINE, Matrix.PROJECTOR, Matrix.BENDS)

    def df_explained(self, x_rank: Any, y_rank: Any) -> Any:
        """Return the explained degrees of freedom: the product of both ranks (1 for a straight line)."""
        return np.rint(x_rank * y_rank).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Information:
    """Measure stated as mutual information in bits, bounded by the smaller entropy."""


Algebra = Trace | Information


P = TypeVar("P", bound=Prepared)


class Measure(ABC, Generic[P]):
    """A dependency measure: larger means more dependent.

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
    bounds: ClassVar[Mapping[str, str]] = {}
    # Algebra that computes whole tables, by the kinds of x and y. Other kinds are computed pair by pair.
    forms: ClassVar[Mapping[tuple[Kind, Kind], Algebra]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        homes = {name: _home(cls, name) for name in (*_COMPUTED, *_STATED)}
        for stated in _STATED:
            if any(
                homes[name] < homes[stated] and not is_built_in(cls.__mro__[homes[name]])
                for name in _COMPUTED
            ):
                setattr(cls, stated, getattr(Measure, stated))

    @abstractmethod
    def prepare(self, values: Values, role: Role) -> P:
        """Compute everything that depends on one column alone."""

    @abstractmethod
    def estimate(self, x: P, y: P) -> float:
        """Compute the raw value of the measure."""

    def resample(
        self, x: P, y: P, repairings: _native.Repairings, first: int, count: int
    ) -> NDArray[np.float64]:
        """Compute the measure under `count` permutations, from permutation number `first` on.

        `repairings.rows(first, count)` lists them: row k of x is paired with row `rows[k]` of y.
        """
        statistic = self._statistic(x, y)
        if statistic is None:
            raise NotImplementedError(f"{type(self).__name__} must define `resample`.")
        return statistic.draw(repairings, first, count)

    def statistic(self, x: P, y: P) -> _native.Statistic | None:
        """Return the C++ statistic that is permuted for this pair, or None if only `resample` can."""
        return self._statistic(x, y) if type(self).resample is Measure.resample else None

    def _statistic(self, x: P, y: P) -> _native.Statistic | None:
        """Return the C++ statistic of the default `resample`, or None if there is none."""
        return None

    def bound(self, x: P, y: P, which: str | None = None) -> float:
        """Return the measure's largest value: the default bound, or a named alternative from `bounds`."""
        if which is None:
            return self.default_bound(x, y)
        if which not in self.bounds:
            raise unknown_name("bound", which, self.bounds)
        value: float = getattr(self, self.bounds[which])(x, y)
        return value

    def default_bound(self, x: P, y: P) -> float:
        """Return the measure's largest value, used if the caller names no bound."""
        return 1.0

    def sign(self, x: P, y: P) -> int | None:
        """Return the direction of the relation, +1, −1 or 0, or None if the measure has none."""
        return None

    def structures(self, x: P, y: P) -> tuple[Structure, ...]:
        """Return algebraic forms of the measure on this pair, for nulls without sampling."""
        return ()

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Return True if exchanging columns of these kinds leaves the measure's value unchanged."""
        return self.symmetric

    def n_bytes(self, n: int) -> int:
        """Estimate the memory of a prepared variable of n rows, in bytes."""
        return 64 * n

    @property
    def settings(self) -> Mapping[str, Any]:
        """Constructor arguments by name."""
        return {}

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v!r}" for k, v in self.settings.items())
        return f"{type(self).__name__}({settings})"


def is_built_in(measure: type) -> bool:
    """Return True if the class belongs to this package, so that its name and settings identify it."""
    return measure.__module__.partition(".")[0] == __name__.partition(".")[0]


_COMPUTED = ("prepare", "estimate", "resample")
_STATED = ("structures", "forms", "is_same_on_both_sides", "has_grid", "is_root")


def _home(measure: type, name: str) -> int:
    """Return the position in the method resolution order of the class that defines the name."""
    return next(k for k, parent in enumerate(measure.__mro__) if name in vars(parent))
