"""Bias-corrected distance correlation (`dcor`), in O(n log n)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import PairKind, Role
from bychance.measures.base import CountedValues, Measure, Values
from bychance.measures.matrices import scaled_to_unit
from bychance.measures.structures import Structure, TraceForm

__all__ = ["DistanceCorrelation", "Distances"]

# tr A³ walks all pairs of distinct values: 0.3 s here. Beyond, as many evenly spaced order statistics stand
# for all rows, which moves the skewness by about 1%, by a few with heavy tails; everything else stays exact.
_MAX_EXACT_VALUES = 10_000


@dataclass(frozen=True, eq=False)
class Distances(CountedValues):
    """A variable's distance matrix, U-centered and at unit norm, kept as what O(n log n) needs of it."""

    values: NDArray[np.float64]  # extremes moved to their neighbors
    order: NDArray[np.int32]
    row_sums: NDArray[np.float64]
    squared_norm: float
    is_degenerate: bool

    @cached_property
    def positions(self) -> NDArray[np.int32]:
        """The place of each row in the sorted order."""
        positions = np.empty(self.n, dtype=np.int32)
        positions[self.order] = np.arange(self.n, dtype=np.int32)
        return positions

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """The eight invariants; beyond 10,000 distinct values tr A³ comes from a part of the rows."""
        if self.n_distinct <= _MAX_EXACT_VALUES:
            return _native.distance_invariants(*self.value_counts)
        ascending = self.values[self.order]
        spaced = ascending[np.linspace(0, self.n - 1, _MAX_EXACT_VALUES).round().astype(np.intp)]
        invariants = _native.distance_invariants(spaced, np.ones(len(spaced), dtype=np.int64))
        invariants[7] = _sum_of_cubes(ascending, self.row_sums[self.order]) / self.squared_norm**1.5
        return invariants


class DistanceCorrelation(Measure[Distances]):
    """Bias-corrected (squared) distance correlation of Székely and Rizzo; 0 on average for independence.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 21)
    >>> round(bc.measure("dcor", x, x**2), 3), round(bc.measure("r2", x, x**2), 3)
    (0.12, 0.0)
    """

    name = "dcor"
    summary = "bias-corrected distance correlation"
    kinds = PairKind.NUMERIC
    symmetric = True
    min_n = 4
    is_same_on_both_sides = True

    def prepare(self, values: Values, role: Role) -> Distances:
        """Sort, center, scale and sum the distances of each row."""
        numbers = np.asarray(values, dtype=np.float64)
        order = np.argsort(numbers, kind="stable").astype(np.int32)
        trimmed = _without_outer_gaps(numbers, order)
        largest, smallest = trimmed[order[-1]], trimmed[order[0]]
        if len(numbers) < 4 or largest == smallest:
            zeros = np.zeros(len(numbers))
            return Distances(zeros, order, zeros, 0.0, is_degenerate=True)
        # Less a value that occurs and over powers of two: whole numbers stay exact, and so do their sums.
        scaled = scaled_to_unit(trimmed)
        scaled = scaled_to_unit(scaled - scaled[order[len(order) // 2]])
        row_sums = _distance_row_sums(scaled, order)
        n = len(scaled)
        squares = 2 * n * float(scaled @ scaled) - 2 * float(scaled.sum()) ** 2
        norm = _u_centered(squares, row_sums, row_sums)
        return Distances(scaled, order, row_sums, norm, is_degenerate=False)

    def estimate(self, x: Distances, y: Distances) -> float:
        """The inner product of the two matrices over their norms."""
        if x.is_degenerate or y.is_degenerate:
            return 0.0
        return self._statistic(x, y).value()

    def _statistic(self, x: Distances, y: Distances) -> _native.Statistic:
        finish = _native.Finish(divisor=math.sqrt(x.squared_norm * y.squared_norm), low=-1.0, high=1.0)
        first, second = (x.order, x.values, x.row_sums), (y.positions, y.values, y.row_sums)
        return _native.Statistic.distances(*first, *second, finish)

    def structures(self, x: Distances, y: Distances) -> tuple[Structure, ...]:
        """A trace form of U-centered matrices at unit norm."""
        return (TraceForm(x.n, x, y, 1.0, "pearson3"),)


def _without_outer_gaps(values: NDArray[np.float64], order: NDArray[np.int32]) -> NDArray[np.float64]:
    """The extremes moved to their neighbors, which leaves the U-centered matrix exactly as it is.

    A gap that separates one row from all others adds the same number to every distance of that row, and
    U-centering removes such a number. Without this an outlier would drown the digits of all other rows.
    """
    if len(values) < 4:
        return values
    trimmed = values.copy()
    trimmed[order[0]], trimmed[order[-1]] = values[order[1]], values[order[-2]]
    return trimmed


def _distance_row_sums(values: NDArray[np.float64], order: NDArray[np.int32]) -> NDArray[np.float64]:
    """Σ_l |x_k − x_l| for every row k, from running sums over the sorted values."""
    n, ascending = len(values), values[order]
    below = np.cumsum(ascending) - ascending
    index = np.arange(n)
    sums = (2 * index - n + 1) * ascending - 2 * below + ascending.sum() - ascending
    by_row = np.empty(n)
    by_row[order] = sums
    return by_row


def _sum_of_cubes(ascending: NDArray[np.float64], row_sums: NDArray[np.float64]) -> float:
    """Σ of the cubed entries of the U-centered matrix, from running sums.

    For k < l an entry is p_l − q_k, with p and q one number per row. An outlier makes it most of the third
    moment, so no part of the rows may stand for all of them here.
    """
    n = len(ascending)
    means = row_sums / (n - 2)
    p = ascending - means + row_sums.sum() / ((n - 1) * (n - 2))
    q = ascending + means
    below1, below2, below3 = (np.cumsum(q**power) - q**power for power in (1, 2, 3))
    return 2 * float(np.sum(np.arange(n) * p**3 - 3 * p**2 * below1 + 3 * p * below2 - below3))


def _u_centered(product: float, first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    """The inner product of two U-centered matrices, from that of the distances and their row sums."""
    n = len(first)
    return (
        product
        - 2 / (n - 2) * float(first @ second)
        + float(first.sum() * second.sum()) / ((n - 1) * (n - 2))
    )
