"""Bias-corrected distance correlation (`dcor`), of numbers in O(n log n).

Categories have the discrete metric: rows are at distance 1 if their categories differ, else 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import FloatArray, Int32Array
from bychance.errors import CostError
from bychance.kinds import PairKind, Role
from bychance.measures.base import CountedGroups, CountedValues, Measure, Values
from bychance.measures.structures import Structure, TraceForm

__all__ = ["Differences", "DistanceCorrelation", "Distances", "scaled_to_unit", "without_outer_gaps"]

_MAX_N = 5_000  # rows of a pair with categories: an n × n matrix of 200 MB per variable (memory; taste)
_MAX_GROUPS = 2_000  # categories up to which matrices of this size are multiplied (time; taste)


@dataclass(frozen=True, eq=False)
class Distances(CountedValues):
    """Numeric column prepared for `dcor`: its U-centered distance matrix, kept as values and row sums."""

    values: FloatArray  # extremes moved to their neighbors
    order: Int32Array
    row_sums: FloatArray
    squared_norm: float
    is_degenerate: bool

    @cached_property
    def positions(self) -> Int32Array:
        """Position of each row in the sorted order."""
        positions = np.empty(self.n, dtype=np.int32)
        positions[self.order] = np.arange(self.n, dtype=np.int32)
        return positions

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums over the matrix at unit norm that permutations do not change, for the null's moments."""
        return _native.distance_invariants(self.values[self.order])

    @property
    def matrix(self) -> FloatArray:
        """U-centered distances between all pairs of rows."""
        return _u_centered(np.abs(self.values[:, np.newaxis] - self.values))


@dataclass(frozen=True, eq=False)
class Differences(CountedGroups):
    """Categorical column prepared for `dcor`: its U-centered matrix of 0/1 distances, as group sizes."""

    @property
    def is_degenerate(self) -> bool:
        """True if U-centering leaves zeros, because rows are all equal, all but one, or all different."""
        return self.n < 4 or self.n_others < 2 or len(self.sizes) == self.n

    @cached_property
    def squared_norm(self) -> float:
        """Sum of squares of the U-centered matrix."""
        return float(self._sums[0])

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums over the matrix at unit norm that permutations do not change, for the null's moments."""
        square, triple, cubes = self._sums
        return np.array([0.0, 1.0, triple / square**1.5, 0.0, 0.0, 0.0, 0.0, cubes / square**1.5])

    @cached_property
    def _sums(self) -> tuple[float, float, float]:
        """Σ u², tr U³ and Σ u³ over the entries u of the U-centered matrix U, from group sizes."""
        n, sizes = self.n, self.sizes.astype(np.float64)
        rows = n - sizes
        total = float(sizes @ rows)
        if len(sizes) > _MAX_GROUPS:
            return math.nan, math.nan, math.nan
        between = 1 - (rows[:, np.newaxis] + rows) / (n - 2) + total / ((n - 1) * (n - 2))
        np.fill_diagonal(between, between.diagonal() - 1)
        pairs = sizes[:, np.newaxis] * sizes - np.diag(sizes)  # numbers of ordered pairs of different rows
        diagonal = between.diagonal()
        product = between * sizes  # the diagonal of U is 0: its terms are subtracted below
        twice = product @ product
        triple = float(np.sum(twice * product.T))
        triple -= 3 * float(np.sum(sizes * diagonal * np.sum(between * between * sizes, axis=1)))
        triple += 2 * float(np.sum(sizes * diagonal**3))
        return float(np.sum(pairs * between**2)), triple, float(np.sum(pairs * between**3))

    @property
    def matrix(self) -> FloatArray:
        """U-centered 0/1 distances between all pairs of rows."""
        return _u_centered((self.codes[:, np.newaxis] != self.codes).astype(np.float64))


Prepared = Distances | Differences


class DistanceCorrelation(Measure[Prepared]):
    """Bias-corrected (squared) distance correlation of Székely and Rizzo. Its mean is 0 for independence.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 21)
    >>> round(bc.measure("dcor", x, x**2), 3), round(bc.measure("r2", x, x**2), 3)
    (0.12, 0.0)
    """

    name = "dcor"
    summary = "bias-corrected distance correlation; categories differ or not"
    kinds = PairKind.ANY
    symmetric = True
    min_n = 4
    is_same_on_both_sides = True

    def prepare(self, values: Values, role: Role) -> Prepared:
        """Center and scale the values and sum the distances of each row, or count categories."""
        if values.dtype == np.int32:
            return Differences.of(values)
        numbers = np.asarray(values, dtype=np.float64)
        order = np.argsort(numbers, kind="stable").astype(np.int32)
        trimmed = without_outer_gaps(numbers, order)
        largest, smallest = trimmed[order[-1]], trimmed[order[0]]
        if len(numbers) < 4 or largest == smallest:
            zeros = np.zeros(len(numbers))
            return Distances(zeros, order, zeros, 0.0, is_degenerate=True)
        # A present value is subtracted, and powers of two divide: whole numbers and their sums stay exact.
        scaled = scaled_to_unit(trimmed)
        scaled = scaled_to_unit(scaled - scaled[order[len(order) // 2]])
        row_sums = _distance_row_sums(scaled, order)
        n = len(scaled)
        squares = 2 * n * float(scaled @ scaled) - 2 * float(scaled.sum()) ** 2
        total = float(row_sums.sum())
        norm = squares - 2 / (n - 2) * float(row_sums @ row_sums) + total * total / ((n - 1) * (n - 2))
        return Distances(scaled, order, row_sums, norm, is_degenerate=False)

    def estimate(self, x: Prepared, y: Prepared) -> float:
        """Compute the cosine of both columns' U-centered distance matrices."""
        if x.is_degenerate or y.is_degenerate:
            return 0.0
        return self._statistic(x, y).value()

    def _statistic(self, x: Prepared, y: Prepared) -> _native.Statistic:
        finish = _native.Finish(divisor=math.sqrt(x.squared_norm * y.squared_norm), low=-1.0, high=1.0)
        if isinstance(x, Differences) or isinstance(y, Differences):
            if x.n > _MAX_N:
                raise CostError(
                    f"dcor of categories keeps n × n matrices and takes at most {_MAX_N:,} rows, got "
                    f"{x.n:,}; `shape` and `explained` take any number."
                )
            return _native.Statistic.matrices(x.matrix, y.matrix, finish)
        first, second = (x.order, x.values, x.row_sums), (y.positions, y.values, y.row_sums)
        return _native.Statistic.distances(*first, *second, finish)

    def structures(self, x: Prepared, y: Prepared) -> tuple[Structure, ...]:
        """Return the measure as tr(A·B) of U-centered matrices at unit norm."""
        return (TraceForm(x.n, x, y, 1.0, "pearson3"),)


def _u_centered(distances: FloatArray) -> FloatArray:
    """Return the U-centered distances of Székely and Rizzo: means subtracted, 0 on the diagonal."""
    n = len(distances)
    rows = distances.sum(axis=1)
    centered: FloatArray = distances - (rows[:, np.newaxis] + rows) / (n - 2)
    centered += rows.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(centered, 0.0)
    return centered


def without_outer_gaps(values: FloatArray, order: NDArray[np.integer]) -> FloatArray:
    """Replace the smallest and largest value by their neighbors, which leaves U-centered distances equal.

    The distance between an extreme and its neighbor is part of every distance of that row, and U-centering
    removes such a constant. If it stayed, an outlier would cost all other rows their
    precision.
    """
    if len(values) < 4:
        return values
    trimmed = values.copy()
    trimmed[order[0]], trimmed[order[-1]] = values[order[1]], values[order[-2]]
    return trimmed


def _distance_row_sums(values: FloatArray, order: Int32Array) -> FloatArray:
    """Compute Σ_l |x_k − x_l| for every row k, from running sums over the sorted values."""
    n, ascending = len(values), values[order]
    below = np.cumsum(ascending) - ascending
    index = np.arange(n)
    sums = (2 * index - n + 1) * ascending - 2 * below + ascending.sum() - ascending
    by_row = np.empty(n)
    by_row[order] = sums
    return by_row


def scaled_to_unit(values: FloatArray) -> FloatArray:
    """Divide values by a power of two so that none exceeds 1 in size. Distinct values stay distinct."""
    largest = max(abs(float(values.max())), abs(float(values.min())))
    return np.ldexp(values, -int(np.frexp(largest)[1]))
