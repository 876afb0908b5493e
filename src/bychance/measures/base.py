"""The Measure protocol: what every dependency measure offers the stages after it.

In:  one array a variable, free of missing values: float64 (numeric) or int32 codes (categorical).
Out: prepared variables, an estimate, the largest value it can take, and its values over many permutations:
     natively, as a `Statistic` of the kernels, for the measures of this package, by `resample` for others.

`prepare` is where the speed comes from: what depends on one variable is computed once and shared by all
its pairs and all permutations. What algebra a measure has (see structures.py) decides which nulls it has; one
that is stated as a `Trace` or as `Information` is computed for whole tables at once.
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
    """One variable, made ready for a measure."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def labels(self) -> NDArray[Any]:
        """Equal entries for rows that may trade places without any change."""

    @property
    def is_degenerate(self) -> bool:
        """Whether every permutation gives the same value, as with a constant column."""


class CountedValues:
    """How often the values of a prepared variable occur: for those that hold one value per row."""

    values: NDArray[Any]

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.values)

    @property
    def labels(self) -> NDArray[Any]:
        """Equal entries for rows that may trade places without any change."""
        return self.values

    @cached_property
    def value_counts(self) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """The distinct values in ascending order, and how many rows have each."""
        values, counts = np.unique(self.values, return_counts=True)
        return values, counts.astype(np.int64, copy=False)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """How many rows have each distinct value."""
        if self.values.dtype == np.float64 and _native.are_distinct(self.values):
            return np.ones(self.n, dtype=np.int64)
        return self.value_counts[1]

    @property
    def n_distinct(self) -> int:
        """How many distinct values there are."""
        return len(self.sizes)

    @property
    def n_others(self) -> int:
        """How many rows differ from the most common value."""
        return int(self.n - self.sizes.max())

    @property
    def n_apart(self) -> int:
        """How many rows are outside the largest lump of values, which is one value if not said otherwise."""
        return self.n_others


class CountedGroups:
    """Rows by the number of their group, and the sizes of the groups: for prepared columns of categories."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @cached_property
    def n(self) -> int:
        """Number of rows."""
        return int(self.sizes.sum())

    @property
    def labels(self) -> NDArray[np.int32]:
        """The group of each row."""
        return self.codes

    @property
    def n_distinct(self) -> int:
        """How many groups there are."""
        return len(self.sizes)


class Matrix(Enum):
    """What a column is in tr(A·B)."""

    LINE = "line"  # its centered values
    RANKS = "ranks"  # its centered midranks
    BENDS = "bends"  # projector on lines that may bend at the quintiles of its values
    RANK_BENDS = "bends of ranks"  # the same of its midranks
    PROJECTOR = "projector"  # on the means of its groups
    INDICATOR = "indicator"  # of two rows in one group


LINES = (Matrix.LINE, Matrix.RANKS)


class Unit(Enum):
    """What turns a trace into a measure: 1, one over the rows, or one over tr(B), the variation of y."""

    ONE = "one"
    ROWS = "rows"
    VARIATION = "variation"


class Limit(Enum):
    """The largest value: 1, the chance that two draws of y differ, or one less than the fewer groups."""

    ONE = "one"
    IMPURITY = "impurity"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Trace:
    """A measure on columns of two kinds as scale · tr(A·B): all that one pair and whole tables need of it."""

    x: Matrix
    y: Matrix
    law: Literal["beta", "gamma"]
    unit: Unit = Unit.ONE
    limit: Limit = Limit.ONE

    def scale(self, n: Any, variation: Any) -> Any:
        """What tr(A·B) is multiplied by, for one pair or for arrays of them."""
        if self.unit is Unit.ONE:
            return 1.0
        return 1 / n if self.unit is Unit.ROWS else 1 / variation

    def bound(self, n: Any, variation: Any, x_groups: Any, y_groups: Any) -> Any:
        """The largest value of the measure, for one pair or for arrays of them."""
        if self.limit is Limit.ONE:
            return 1.0
        return variation / n if self.limit is Limit.IMPURITY else np.minimum(x_groups, y_groups) - 1.0

    @property
    def has_normal_model(self) -> bool:
        """Whether it is a share of variance, whose law is known for normal data."""
        return self.law == "beta" and self.x in (Matrix.LINE, Matrix.PROJECTOR, Matrix.BENDS)

    def df_explained(self, x_rank: Any, y_rank: Any) -> Any:
        """Degrees of freedom of what is explained: the rank of the projector, as that of a line is 1."""
        return np.rint(x_rank * y_rank).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Information:
    """Mutual information in bits, bounded by the smaller entropy, for one pair and for whole tables."""


Algebra = Trace | Information


P = TypeVar("P", bound=Prepared)


class Measure(ABC, Generic[P]):
    """A dependency measure: larger means more dependent.

    `structures`, `forms`, `is_same_on_both_sides`, `has_grid` (whether `mic_grid` shows the grid behind its
    values) and `is_root` (whether it is the root of φ² over its maximum) speak of what their own class
    computes. A class of the user's own that overrides `prepare`, `estimate` or `resample` does not inherit
    them: it states its own, or is sampled.
    """

    name: str
    summary: str
    kinds: PairKind
    symmetric: bool
    needs_shared_labels: ClassVar[bool] = False
    min_n: ClassVar[int] = 3
    paper_null: ClassVar[str | None] = None
    has_multinomial_model: ClassVar[bool] = False
    has_quick_swaps: ClassVar[bool] = False  # whether a swap of two rows changes it by little arithmetic
    is_same_on_both_sides: ClassVar[bool] = False  # whether `prepare` gives one variable whatever the role
    has_grid: ClassVar[bool] = False
    is_root: ClassVar[bool] = False
    bounds: ClassVar[Mapping[str, str]] = {}
    # By what columns are measured as a whole table, by the kinds of x and y; others are pair by pair.
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
        """What depends on one variable alone."""

    @abstractmethod
    def estimate(self, x: P, y: P) -> float:
        """The raw value of the measure."""

    def resample(
        self, x: P, y: P, repairings: _native.Repairings, first: int, count: int
    ) -> NDArray[np.float64]:
        """The raw value under permutations first, first + 1, …; `repairings.rows(first, count)` lists them.

        In a permutation, row k of x meets row pairing[k] of y.
        """
        statistic = self._statistic(x, y)
        if statistic is None:
            raise NotImplementedError(f"{type(self).__name__} must define `resample`.")
        return statistic.draw(repairings, first, count)

    def statistic(self, x: P, y: P) -> _native.Statistic | None:
        """The pair as the kernels draw it; None where only `resample` can, as with a user's own class."""
        return self._statistic(x, y) if type(self).resample is Measure.resample else None

    def _statistic(self, x: P, y: P) -> _native.Statistic | None:
        """What `resample` draws from where it is not overridden."""
        return None

    def bound(self, x: P, y: P, which: str | None = None) -> float:
        """The largest value: the measure's own, or one of the alternatives in `bounds` by name."""
        if which is None:
            return self.default_bound(x, y)
        if which not in self.bounds:
            raise unknown_name("bound", which, self.bounds)
        value: float = getattr(self, self.bounds[which])(x, y)
        return value

    def default_bound(self, x: P, y: P) -> float:
        """The bound that is used where none is asked for."""
        return 1.0

    def sign(self, x: P, y: P) -> int | None:
        """The direction of the relation, +1 or −1 (0 for none), where the measure has one."""
        return None

    def structures(self, x: P, y: P) -> tuple[Structure, ...]:
        """The algebra that this pair offers to the nulls; none means permutations only."""
        return ()

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Whether columns of these kinds give one value in either order."""
        return self.symmetric

    def n_bytes(self, n: int) -> int:
        """About how much memory a prepared variable of n rows takes."""
        return 64 * n

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the measure was made with, beyond its name."""
        return {}

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v!r}" for k, v in self.settings.items())
        return f"{type(self).__name__}({settings})"


def is_built_in(measure: type) -> bool:
    """Whether the class is of this package, so that its name and settings say what it computes."""
    return measure.__module__.partition(".")[0] == __name__.partition(".")[0]


_COMPUTED = ("prepare", "estimate", "resample")
_STATED = ("structures", "forms", "is_same_on_both_sides", "has_grid", "is_root")


def _home(measure: type, name: str) -> int:
    """Which class in the order of inheritance has the method: the first is the measure's own."""
    return next(k for k, parent in enumerate(measure.__mro__) if name in vars(parent))
