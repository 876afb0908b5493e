"""The Null protocol: the distribution of a measure under independence; and the three adjustments by it.

quantile(p) is inf{x: F₀(x) ≥ p}, at p = 0 the lower end of the support; sf(d) is P(D₀ ≥ d), a p-value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DegenerateNull",
    "Moments",
    "Null",
    "PValue",
    "Value",
    "adjust_at",
    "quantify",
    "standardize",
    "tolerance",
]

Value = TypeVar("Value", float, NDArray[np.float64])


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, variance and third central moment; NaN where it was not computed."""

    mean: float
    variance: float
    third: float = float("nan")

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(max(self.variance, 0.0)))

    @property
    def skew(self) -> float:
        """Skewness; NaN where the third moment is unknown."""
        return float(self.third / (self.variance * self.std))

    def scaled(self, scale: float, offset: float = 0.0) -> Moments:
        """Those of offset + scale · D."""
        return Moments(
            offset + scale * self.mean, scale * scale * self.variance, scale * scale * scale * self.third
        )


class PValue(NamedTuple):
    """A p-value, what kind of number it is, and the standard error of its log10 (NaN where not known).

    The kinds, from the strongest guarantee to the weakest: "exact", "monte carlo", "sequential", "splitting",
    "matched".
    """

    value: float
    kind: str
    se: float


@dataclass(frozen=True, kw_only=True)
class Null(ABC):
    """A null distribution.

    `engine` says how it was made, `reason` why that way, `caveat` in a few words why its level is only
    approximate (empty where it can be trusted), `n_resamples` how many draws it stands on (None where there
    was no sampling, and then every standard error is 0). `holds_to` is the smallest p down to which the null
    was shown to hold: 0 where it holds however small p is (exact laws, samples within their reach, bounds),
    1 where its level is only approximate. `device` says where it was sampled.
    """

    mean: float
    std: float
    engine: str
    reason: str = ""
    caveat: str = ""
    n_resamples: int | None = None
    holds_to: float = 0.0
    device: str = "cpu"

    @property
    def is_degenerate(self) -> bool:
        """Whether every permutation gives one value."""
        return self.std == 0

    @abstractmethod
    def quantile(self, p: float) -> float:
        """The smallest value that D₀ stays at or below with probability p."""

    @abstractmethod
    def sf(self, observed: float) -> float:
        """The chance of a value at least as large as the observed one."""

    @abstractmethod
    def p_value(self, observed: float) -> PValue:
        """The same with what kind of number it is, and how precise."""

    def doubt_at(self, alpha: float) -> str:
        """Why the (1 − alpha)-quantile is not known; empty where it is."""
        return ""

    @property
    def mean_se(self) -> float:
        """Standard error of the mean."""
        return 0.0

    @property
    def std_se(self) -> float:
        """Standard error of the standard deviation."""
        return 0.0

    def quantile_se(self, p: float) -> float:
        """Standard error of a quantile."""
        return 0.0

    def standardized_se(self, observed: float) -> float:
        """Standard error of (observed − mean)/std."""
        return 0.0


@dataclass(frozen=True, kw_only=True)
class DegenerateNull(Null):
    """A degenerate null: all permutations give this one value, which is every quantile, and p = 1."""

    std: float = 0.0
    engine: str = "degenerate"

    def quantile(self, p: float) -> float:
        """The one value."""
        return self.mean

    def sf(self, observed: float) -> float:
        """1."""
        return 1.0

    def p_value(self, observed: float) -> PValue:
        """1, exactly."""
        return PValue(1.0, "exact", 0.0)


def tolerance(observed: Value, std: Value) -> Value:
    """How much below the observed value still counts as equal to it.

    The same pairing summed in another order differs in its last digits; without this, ties between the
    observed value and the null would fall on either side by accident. Many measures are squares of sums, so
    that a small value has the rounding of its root.
    """
    size = abs(observed)
    allowed: Value = 1e-10 * std + 1e-12 * size + 1e-13 * np.sqrt(size)
    return allowed


def quantify(observed: Value, mean: Value, bound: Value) -> Value:
    """The share of the way from chance to the bound (Romano et al. 2016, Definition 3.1).

    0 is what independent variables give on average, 1 is the bound. Values below chance are negative and
    are kept: clipping them would bias the average upward.

    >>> round(quantify(0.30, 0.10, 1.0), 4)  # r² of 11 rows
    0.2222
    """
    return (observed - mean) / (bound - mean)


def standardize(observed: Value, mean: Value, std: Value) -> Value:
    """The distance from chance in null standard deviations (Definition 4.1)."""
    return (observed - mean) / std


def adjust_at(observed: Value, quantile: Value) -> Value:
    """The excess over the null's (1 − alpha)-quantile (Definition 4.2).

    A small alpha penalizes estimates from few rows or many categories; a large one lets them through.
    """
    return observed - quantile
