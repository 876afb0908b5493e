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

__all__ = ["DistanceCorrelation", "Distances", "without_outer_gaps"]


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
        """The eight invariants."""
        return _native.distance_invariants(self.values[self.order])


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
        trimmed = without_outer_gaps(numbers, order)
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
        total = float(row_sums.sum())
        norm = squares - 2 / (n - 2) * float(row_sums @ row_sums) + total * total / ((n - 1) * (n - 2))
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


def without_outer_gaps(values: NDArray[np.float64], order: NDArray[np.integer]) -> NDArray[np.float64]:
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
