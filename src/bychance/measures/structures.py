"""The algebra of a measure on one pair: records by which a measure tells the nulls what it is made of.

A structure holds totals, sizes and invariants, never the pairing itself: it is the same for every
permutation, so that whatever is derived from it is a property of the null.
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
    """A matrix with zero row sums, known by its eight invariants (src/native/nulls/trace_moments.hpp)."""

    @property
    def invariants(self) -> NDArray[np.float64]:
        """T, T2, T3, S2, S3, B1, R, U; NaN where too costly."""

    @property
    def n_distinct(self) -> int:
        """How many distinct values the variable has."""

    @property
    def n_others(self) -> int:
        """How many rows differ from the most common value."""

    @property
    def n_apart(self) -> int:
        """How many rows are outside the largest lump of values; up to 200 rows, beyond that `n_others`."""


@dataclass(frozen=True, slots=True)
class TraceForm:
    """The measure is scale · tr(A·B): r², ρ², η², φ², Gini gain, distance correlation, HSIC.

    `law` is the shape to match: "beta" for shares of a numeric variable, "gamma" for tables (a gamma law
    from zero, its skewness corrected), "pearson3" for dense matrices, where the start of the law is free.
    """

    n: int
    x: HasInvariants
    y: HasInvariants
    scale: float
    law: Literal["beta", "gamma", "pearson3"]


@dataclass(frozen=True, slots=True)
class CellSum:
    """The measure is offset + scale · Σ f(n_ij) over the cells of a table with these totals.

    The functions are those of src/native/nulls/tables.hpp.
    """

    function: CellFunction
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scale: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class PairInvariants:
    """Of a symmetric matrix with zero diagonal: its sum, its sum of squares, its squared row sums' sum."""

    n_distinct: int
    n_others: int
    total: float
    squares: float
    row_squares: float


@dataclass(frozen=True, slots=True)
class PairSum:
    """The measure is offset + scale · Σ_{k≠l} W_kl·V_kl with symmetric W and V: ξ."""

    n: int
    x: PairInvariants
    y: PairInvariants
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class TogetherSum:
    """The measure is offset + scale · Σ n_ij²: pairs of rows that both labelings keep together."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    scale: float
    offset: float


@dataclass(frozen=True, slots=True)
class SignSum:
    """The measure is scale · S², S the concordant minus the discordant pairs: Kendall's τ_b²."""

    n: int
    x_ties: tuple[int, ...]
    y_ties: tuple[int, ...]
    scale: float


@dataclass(frozen=True, slots=True)
class NormalTheory:
    """With one margin normal the measure is Beta(df_explained/2, df_residual/2)."""

    df_explained: int
    df_residual: int


@dataclass(frozen=True, slots=True)
class SharedRanks:
    """The measure sees ranks alone, so its null depends on these tie groups and is shared by all such pairs.

    `kernel_version` is raised whenever the kernel's values change, so that stored nulls are not mixed.
    """

    x_tie_groups: tuple[int, ...]
    y_tie_groups: tuple[int, ...]
    kernel_version: int


@dataclass(frozen=True, slots=True)
class RootOf:
    """The measure is √(factor · base), where base has structures too: Cramér's V."""

    base: tuple[CellSum | TraceForm, ...]
    factor: float


Structure = TraceForm | CellSum | PairSum | TogetherSum | SignSum | NormalTheory | RootOf | SharedRanks
