"""Exact discrete laws: all values that the permutations give, with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.base import Null, PValue
from bychance.nulls.laws import tolerance

__all__ = ["DiscreteNull"]


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscreteNull(Null):
    """Values in ascending order and their probabilities.

    >>> null = DiscreteNull.of(np.array([0.0, 1.0]), np.array([0.75, 0.25]), engine="exact", reason="")
    >>> null.quantile(0.75), null.quantile(0.76), null.sf(1.0)
    (0.0, 1.0, 0.25)
    """

    values: NDArray[np.float64] = field(repr=False)
    tails: NDArray[np.float64] = field(repr=False)

    @classmethod
    def of(
        cls, values: NDArray[np.float64], probabilities: NDArray[np.float64], *, engine: str, reason: str
    ) -> DiscreteNull:
        """The law with these values (in any order) and probabilities."""
        order = np.argsort(values, kind="stable")
        values, probabilities = values[order], probabilities[order] / probabilities.sum()
        mean = float(probabilities @ values)
        std = float(np.sqrt(probabilities @ (values - mean) ** 2)) if len(values) > 1 else 0.0
        tails = np.cumsum(probabilities[::-1])[::-1]
        return cls(mean=mean, std=std, engine=engine, reason=reason, values=values, tails=tails)

    @classmethod
    def folded(
        cls, values: NDArray[np.float64], weights: NDArray[np.float64], *, engine: str, reason: str
    ) -> DiscreteNull:
        """The law of values of which some differ by rounding alone: these share one weight.

        The largest of them stands for all: no observed value among them is above it.
        """
        order = np.argsort(values, kind="stable")
        ordered, weights = values[order], weights[order]
        gaps = np.diff(ordered) > tolerance(float(np.abs(ordered).max()), 0.0)
        ends = np.flatnonzero(np.append(gaps, True))
        totals = np.add.reduceat(weights, np.append(0, ends[:-1] + 1))
        return cls.of(ordered[ends], totals, engine=engine, reason=reason)

    def quantile(self, p: float) -> float:
        """The smallest value whose distribution function reaches p; rounding of the sums is forgiven."""
        above = np.append(self.tails[1:], 0.0)
        return float(self.values[np.argmax(above <= 1 - p + 1e-12)])

    def sf(self, observed: float) -> float:
        """The probability of the values from the observed one on."""
        first = int(np.searchsorted(self.values, observed - tolerance(observed, self.std)))
        return 0.0 if first == len(self.values) else float(min(self.tails[first], 1.0))

    def p_value(self, observed: float) -> PValue:
        """The same, exactly."""
        return PValue(self.sf(observed), "exact", 0.0)
