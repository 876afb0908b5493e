"""Variables given covariates, with the factor U of the matrix A = UU' of their residuals.

U has one column for a numeric variable, and at most one less than its categories for a categorical one, so
no n × n matrix is ever made. Sums over U give exact moments.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.covariates.cells import Cells
from bychance.covariates.design import MOST_VALUES, Design
from bychance.errors import CostError
from bychance.measures.base import CountedValues, Values
from bychance.measures.ranks import order_values
from bychance.names import count_of

__all__ = [
    "DETERMINED",
    "ControlledVariable",
    "Factor",
    "columns_of",
    "left_of",
    "ranks_given",
    "ranks_within",
]

Array = NDArray[np.float64]

DETERMINED = 1e-12  # the share of its sum of squares below which a variable does not vary given z
_MAX_CUBES = 5e7  # entries of U⊗U⊗U over all rows


@dataclass(frozen=True, eq=False)
class Factor:
    """Matrix U with A = UU', whose columns sum to zero in every cell."""

    cells: Cells
    u: Array  # (n, q)

    @property
    def rank(self) -> int:
        """Number of columns of U, 0 if the covariates determine the variable."""
        return int(self.u.shape[1])

    @cached_property
    def trace(self) -> float:
        return float(np.sum(self.u**2))

    @cached_property
    def diagonal(self) -> Array:
        return np.asarray(np.einsum("kq,kq->k", self.u, self.u))

    @cached_property
    def grams(self) -> Array:
        """Gram matrix G_h = U_h'U_h of each cell h."""
        return self.cells.products(self.u)

    @cached_property
    def weighted_grams(self) -> Array:
        """Sum of d_k·u_k u_k' over the rows k of each cell, with d the diagonal of A."""
        return self.cells.products(self.u, self.diagonal)

    @cached_property
    def weighted_sums(self) -> Array:
        """Sum of d_k·u_k over the rows k of each cell, with d the diagonal of A."""
        return self.cells.sums(self.u * self.diagonal[:, np.newaxis])

    @property
    def has_cubes(self) -> bool:
        """Return True if the third-order sums `cubes` fit in memory."""
        q = self.rank
        return len(self.u) * q * (q + 1) * (q + 2) / 6 <= _MAX_CUBES

    @cached_property
    def cubes(self) -> Array:
        """Sum of u_k⊗u_k⊗u_k over the rows k of each cell.

        Only distinct entries are kept, each times the square root of its multiplicity.
        """
        entries = list(combinations_with_replacement(range(self.rank), 3))
        i, j, k = (np.array([entry[axis] for entry in entries], dtype=np.intp) for axis in range(3))
        times = np.array([factorial(3) / _repeats(entry) for entry in entries])
        return np.asarray(self.cells.sums(self.u[:, i] * self.u[:, j] * self.u[:, k]) * np.sqrt(times))

    @cached_property
    def invariants(self) -> Array:
        """Eight permutation-invariant sums of each cell's block of A (native/moments/trace_moments.hpp)."""
        g, d, sums = self.grams, self.diagonal, self.cells.sums
        squares = g @ g
        u = np.einsum("ht,ht->h", self.cubes, self.cubes) if self.has_cubes else np.full(len(g), np.nan)
        columns = (
            np.einsum("hii->h", g),
            np.einsum("hij,hij->h", g, g),
            np.einsum("hij,hij->h", squares, g),
            sums(d**2),
            sums(d**3),
            np.einsum("hij,hij->h", self.weighted_grams, g),
            np.einsum("hi,hi->h", self.weighted_sums, self.weighted_sums),
            u,
        )
        return np.ascontiguousarray(np.column_stack(columns))


def _factor_of(columns: Array, design: Design, *, is_projector: bool) -> tuple[Factor, float]:
    """Factorize the matrix of the residuals of X, and return the share that covariates explain.

    X is a column of numbers, or has one indicator per category. With residuals MX, the matrix is MX(MX)',
    or the projector on MX.
    """
    residuals = design.residualize(columns)
    total = float(np.sum((columns - columns.mean(axis=0)) ** 2))
    values, vectors = np.linalg.eigh(residuals.T @ residuals)
    share = 1 - min(float(np.sum(np.maximum(values, 0.0))) / total, 1.0) if total > 0 else 1.0
    is_kept = values > DETERMINED * total
    turned = residuals @ vectors[:, is_kept]
    return Factor(design.cells, turned / np.sqrt(values[is_kept]) if is_projector else turned), share


def _repeats(entry: tuple[int, int, int]) -> int:
    """Return the product of the factorials of the multiplicities of an index triple in ascending order."""
    i, j, k = entry
    return 6 if i == j == k else 2 if i == j or j == k else 1


@dataclass(frozen=True, eq=False)
class ControlledVariable(CountedValues):
    """Values or category codes, with the share of their variation that the covariates explain."""

    values: Values
    design: Design
    share: float

    @property
    def is_numeric(self) -> bool:
        """Return True for numbers, False for codes of categories."""
        return self.values.dtype != np.int32

    @property
    def is_degenerate(self) -> bool:
        """Return True if the variable is constant in every cell."""
        return not bool(self.varies_in.any())

    @cached_property
    def varies_in(self) -> NDArray[np.bool_]:
        """Flag the cells in which the variable has two different values."""
        return self.design.cells.vary(self.values)


def left_of(values: Values, design: Design, *, is_projector: bool) -> tuple[Factor, float]:
    """Return the factor of a variable's residuals, and the share of variation that covariates explain."""
    if values.dtype == np.int32:
        k = len(np.unique(values))
        # Indicators by row, and their products in each cell.
        n_values = k * (len(values) + k * len(design.cells))
        if n_values > MOST_VALUES:
            raise CostError(
                f"beyond covariates, a column of {k:,} categories on {count_of(len(values), 'row')} in "
                f"{count_of(len(design.cells), 'cell')} would take {8 * n_values / 1e9:,.1f} GB, more than "
                f"{8 * MOST_VALUES / 1e9:.1f}; merge rare categories, or leave the column out."
            )
    return _factor_of(columns_of(values), design, is_projector=is_projector)


def columns_of(values: Values) -> Array:
    """Return numbers shifted and scaled to at most 1 in size, or one indicator per category."""
    if values.dtype == np.int32:
        return np.asarray(values[:, np.newaxis] == np.unique(values), dtype=np.float64)
    numbers: Any = values - values[0]
    largest = float(np.abs(numbers).max())
    return np.asarray((numbers / largest if largest > 0 else numbers)[:, np.newaxis])


def ranks_within(values: Array, cells: Cells) -> Array:
    """Return (midrank − (n_h + 1)/2)/(n_h + 1) within each cell h, so that rows of all cells weigh alike."""
    ranks = np.empty(len(values))
    for rows in cells.rows:
        ranks[rows] = (order_values(values[rows]).midranks - (len(rows) + 1) / 2) / (len(rows) + 1)
    return ranks


def ranks_given(values: Array, design: Design) -> Array:
    """Return midranks, taken within cells if the design has only cells."""
    return ranks_within(values, design.cells) if design.has_only_cells else order_values(values).midranks
