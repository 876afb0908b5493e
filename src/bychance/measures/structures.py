"""Algebraic forms of a measure on one pair, such as tr(A·B), from which its nulls are derived.

A form holds totals, group sizes and sums that no permutation changes, but not the pairing of rows, so that
everything derived from it is a property of the null.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CellFunction",
    "CellSum",
    "HasInvariants",
    "NormalTheory",
    "PairInvariants",
    "PairSum",
    "RootOf",
    "SharedRanks",
    "SignSum",
    "Structure",
    "TogetherSum",
    "TraceForm",
]


CellFunction = Literal["gain", "contingency", "information", "together", "diagonal"]


class HasInvariants(Protocol):
    """Matrix with zero row sums, given by eight sums that permutations do not change (trace_moments.hpp)."""

    @property
    def invariants(self) -> NDArray[np.float64]:
        """The sums T, T2, T3, S2, S3, B1, R, U, with NaN for those too costly to compute."""

    @property
    def n_distinct(self) -> int:
        """Number of distinct values of the column."""

    @property
    def n_others(self) -> int:
        """Number of rows that differ from the most common value."""

    @property
    def n_apart(self) -> int:
        """Number of rows outside the largest cluster of values. Above 200 rows it equals `n_others`."""


@dataclass(frozen=True, slots=True)
class TraceForm:
    """Measure as scale · tr(A·B), such as r², ρ², η², φ², Gini gain, distance correlation and HSIC.

    `law` is the distribution to match: "beta" for shares of a numeric variable, "gamma" for tables (on
    values from 0, with corrected skewness), and "pearson3" for dense matrices (with a free location).
    """

    n: int
    x: HasInvariants
    y: HasInvariants
    scale: float
    law: Literal["beta", "gamma", "pearson3"]


@dataclass(frozen=True, slots=True)
class CellSum:
    """Measure as offset + scale · Σ f(n_ij) over the cells of a table with these row and column totals.

    The functions are those of src/native/moments/cells.hpp.
    """

    function: CellFunction
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scale: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class PairInvariants:
    """Sum, sum of squares and sum of squared row sums of a symmetric matrix with zero diagonal."""

    n_distinct: int
    n_others: int
    total: float
    squares: float
    row_squares: float


@dataclass(frozen=True, slots=True)
class PairSum:
    """Measure as offset + scale · Σ_{k≠l} W_kl·V_kl, with symmetric W from x and V from y, as in ξ."""

    n: int
    x: PairInvariants
    y: PairInvariants
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class TogetherSum:
    """Measure as offset + scale · Σ n_ij², a count of pairs of rows that both labelings keep together."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class SignSum:
    """Measure as scale · S², S the concordant minus the discordant pairs, as in Kendall's τ_b²."""

    ties: tuple[int, tuple[int, ...], tuple[int, ...]]  # rows, and sizes of the tie groups of x and of y
    scale: float


@dataclass(frozen=True, slots=True)
class NormalTheory:
    """Null distribution Beta(df_explained/2, df_residual/2) of a measure with one normal column."""

    df_explained: int
    df_residual: int


@dataclass(frozen=True, slots=True)
class SharedRanks:
    """Groups of ties of a rank measure, whose sampled null is shared by all pairs with these groups.

    `kernel_version` is raised whenever the kernel's values change, so that stored nulls are not mixed.
    """

    x_tie_groups: tuple[int, ...]
    y_tie_groups: tuple[int, ...]
    kernel_version: int


@dataclass(frozen=True, slots=True)
class RootOf:
    """Measure as √(factor · base), base another form, as in Cramér's V."""

    base: tuple[CellSum | TraceForm, ...]
    factor: float


Structure = TraceForm | CellSum | PairSum | TogetherSum | SignSum | NormalTheory | RootOf | SharedRanks
