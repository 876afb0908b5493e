"""An exact null law: ordered keys without rounding error, each with its value and its weight.

A key is an integer (or any exact number) that grows with the measure, so that ties are ties and not luck.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

NEAR = 1e-9  # of the law's scale: what doubles need not tell apart where values span 600 orders of magnitude


@dataclass(frozen=True, eq=False)
class Law:
    """Atoms in ascending order: keys, values and integer weights."""

    keys: list
    values: np.ndarray
    weights: list[int]
    near: float = NEAR

    @classmethod
    def of(
        cls, keys: Iterable, value: Callable, weights: Iterable[int] | None = None, near: float = NEAR
    ) -> Law:
        """Make the law of these keys, equal ones merged. `value` turns a key into the measure."""
        if weights is None:
            merged = Counter(keys.tolist() if isinstance(keys, np.ndarray) else keys)
        else:
            merged = Counter()
            for key, weight in zip(keys, weights, strict=True):
                merged[key] += weight
        ordered = sorted(merged)
        return cls(ordered, np.array([float(value(k)) for k in ordered]), [merged[k] for k in ordered], near)

    @classmethod
    def of_floats(cls, draws: np.ndarray) -> Law:
        """Make the law of values known in doubles only, with one atom for values within rounding."""
        ordered = np.sort(draws)
        starts = np.flatnonzero(np.r_[True, np.diff(ordered) > 1e-12 * max(np.abs(ordered).max(), 1e-300)])
        counts = np.diff(np.append(starts, len(ordered)))
        return cls(ordered[starts].tolist(), ordered[starts], counts.tolist())

    @property
    def is_degenerate(self) -> bool:
        return len(self.keys) == 1

    @cached_property
    def total(self) -> int:
        return sum(self.weights)

    @cached_property
    def scale(self) -> float:
        """The size of the values, by which errors are judged."""
        return max(float(np.abs(self.values).max()), 1e-300)

    @cached_property
    def shares(self) -> np.ndarray:
        return np.array([w / self.total for w in self.weights])

    @cached_property
    def tails(self) -> list[float]:
        """P(D₀ ≥ atom), each correctly rounded."""
        tails, left = [], self.total
        for weight in self.weights:
            tails.append(left / self.total)
            left -= weight
        return tails

    @cached_property
    def mean(self) -> float:
        return math.fsum(self.shares * self.values)

    @cached_property
    def std(self) -> float:
        return math.sqrt(math.fsum(self.shares * (self.values - self.mean) ** 2))

    def p_value(self, index: int) -> float:
        """Compute P(D₀ ≥ the atom of this index)."""
        return self.tails[index]

    def lenient_p(self, index: int) -> float:
        """Compute the p-value with atoms below by less than `near` counted too."""
        first = int(np.searchsorted(self.values, self.values[index] - self.near * self.scale))
        return self.tails[min(first, index)]

    def index_of(self, key: object) -> int:
        return self.keys.index(key)

    def index_near(self, value: float) -> int:
        """Find the atom closest to a value, for laws known in doubles only."""
        return int(np.argmin(np.abs(self.values - value)))

    def quantile(self, p: float) -> float:
        """Find the smallest atom whose distribution function reaches p."""
        wanted, below = Fraction(p) * self.total, 0
        for value, weight in zip(self.values, self.weights, strict=True):
            below += weight
            if below >= wanted:
                return float(value)
        return float(self.values[-1])
