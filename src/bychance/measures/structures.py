"""Algebraic forms of measures, such as tr(A·B), from which exact null moments follow.

A `Structure` is the form of a measure on one pair. It holds totals, group sizes and sums that no permutation
changes, but not the pairing of rows, so it determines the null and not the value. A measure that is defined
by a `Trace` or by `Information` is computed for many pairs at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, Protocol

import numpy as np

from bychance.array_types import FloatArray, IntArray

__all__ = [
    "LINES",
    "Algebra",
    "CellFunction",
    "CellSum",
    "HasInvariants",
    "Information",
    "Limit",
    "Matrix",
    "NormalTheory",
    "PairInvariants",
    "PairSum",
    "RootOf",
    "SharedRanks",
    "SignSum",
    "Structure",
    "TogetherSum",
    "Trace",
    "TraceForm",
    "Unit",
]


CellFunction = Literal["gain", "contingency", "information", "together", "diagonal"]


class HasInvariants(Protocol):
    """Interface of a column's matrix A in tr(A·B), known by eight sums that permutations do not change."""

    @property
    def invariants(self) -> FloatArray:
        """Sums T, T2, T3, S2, S3, B1, R, U of trace_moments.hpp, NaN if too costly to compute."""

    @property
    def n_distinct(self) -> int:
        """Number of distinct values of the column."""

    @property
    def n_others(self) -> int:
        """Number of rows that differ from the most common value."""

    @property
    def n_outside(self) -> int:
        """Number of rows outside the largest cluster of values. Above 200 rows it equals `n_others`."""


@dataclass(frozen=True, slots=True)
class TraceForm:
    """Measure written as scale · tr(A·B), such as r², ρ², η², φ², Gini gain, distance correlation and HSIC.

    `distribution` is the one to match: "beta" for shares of a numeric variable, "gamma" for tables (on
    values from 0, with corrected skewness), and "pearson3" for dense matrices (with a free location).
    """

    n: int
    x: HasInvariants
    y: HasInvariants
    scale: float
    distribution: Literal["beta", "gamma", "pearson3"]


@dataclass(frozen=True, slots=True)
class CellSum:
    """Measure written as offset + scale · Σ f(n_ij) over contingency table cells, with the table's totals.

    The functions are those of src/native/moments/cells.hpp.
    """

    function: CellFunction
    rows: IntArray
    columns: IntArray
    scale: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class PairInvariants:
    """Symmetric matrix with zero diagonal, by its sum, sum of squares and sum of squared row sums."""

    n_distinct: int
    n_others: int
    total: float
    squares: float
    row_squares: float


@dataclass(frozen=True, slots=True)
class PairSum:
    """Measure written as offset + scale · Σ_{k≠l} W_kl·V_kl, symmetric W from x and V from y, as in ξ."""

    n: int
    x: PairInvariants
    y: PairInvariants
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class TogetherSum:
    """Measure written as offset + scale · Σ n_ij² over contingency table cells, as in the Rand index."""

    rows: IntArray
    columns: IntArray
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class SignSum:
    """Measure written as scale · S², S the concordant minus the discordant pairs, as in Kendall's τ_b²."""

    ties: tuple[int, tuple[int, ...], tuple[int, ...]]  # rows, and sizes of the tie groups of x and of y
    scale: float


@dataclass(frozen=True, slots=True)
class NormalTheory:
    """Degrees of freedom of a share of variance, whose null is a Beta distribution for normal data."""

    df_explained: int
    df_residual: int


@dataclass(frozen=True, slots=True)
class SharedRanks:
    """Sizes of tie groups of x and y, on which alone the null of a rank measure depends.

    `kernel_version` is raised whenever the kernel's values change, so that stored nulls are not mixed.
    """

    x_tie_groups: tuple[int, ...]
    y_tie_groups: tuple[int, ...]
    kernel_version: int


@dataclass(frozen=True, slots=True)
class RootOf:
    """Measure written as √(factor · base), with `base` another formula of this module, as for Cramér's V."""

    base: tuple[CellSum | TraceForm, ...]
    factor: float


Structure = TraceForm | CellSum | PairSum | TogetherSum | SignSum | NormalTheory | RootOf | SharedRanks


class Matrix(Enum):
    """Kind of matrix A or B that represents a column in a measure tr(A·B)."""

    LINE = "line"  # cc', c the centered values
    RANKS = "ranks"  # cc', c the centered midranks
    BENDS = "bends"  # projector on piecewise linear functions with knots at the quintiles
    RANK_BENDS = "bends of ranks"  # the same projector, from its midranks
    PROJECTOR = "projector"  # projector on the means of its groups
    INDICATOR = "indicator"  # 1 for two rows in one group, else 0


LINES = (Matrix.LINE, Matrix.RANKS)


class Unit(Enum):
    """Scale of a measure scale · tr(A·B): 1, 1/n, or 1 over the variation of y, tr(B)."""

    ONE = "one"
    ROWS = "rows"
    VARIATION = "variation"


class Limit(Enum):
    """Kind of upper bound of a measure: 1, Gini impurity of y, or the smaller number of groups minus 1."""

    ONE = "one"
    IMPURITY = "impurity"
    GROUPS = "groups"


@dataclass(frozen=True, slots=True)
class Trace:
    """Definition of a measure as scale · tr(A·B) for two kinds of columns x and y."""

    x: Matrix
    y: Matrix
    distribution: Literal["beta", "gamma"]
    unit: Unit = Unit.ONE
    limit: Limit = Limit.ONE

    def scale(self, n: Any, variation: Any) -> Any:
        """Return the factor of tr(A·B) from rows and variation of y, for one pair or for arrays of pairs."""
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
        return self.distribution == "beta" and self.x in (Matrix.LINE, Matrix.PROJECTOR, Matrix.BENDS)

    def df_explained(self, x_rank: Any, y_rank: Any) -> Any:
        """Return the degrees of freedom that x explains: the product of the ranks of both matrices."""
        return np.rint(x_rank * y_rank).astype(np.int64)


@dataclass(frozen=True, slots=True)
class Information:
    """Definition of a measure as mutual information in bits, at most the smaller entropy."""


Algebra = Trace | Information
