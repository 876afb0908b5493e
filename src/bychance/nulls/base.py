"""The Null protocol: the distribution of a measure under independence.

quantile(p) is inf{x: F₀(x) ≥ p}, at p = 0 the lower end of the support; sf(d) is P(D₀ ≥ d), a p-value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["DegenerateNull", "Moments", "Null", "PValue"]


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
    """A p-value, what kind of number it is, and the standard error of its log10 (NaN if not known).

    The kinds: "exact", "monte carlo", "sequential", "splitting", "matched", and "bound" for a number that p
    is at most.
    """

    value: float
    kind: str
    se: float

    @classmethod
    def bound(cls, value: float) -> PValue:
        """Return a bound, whose distance from p is not known."""
        return cls(value, "bound", float("nan"))


@dataclass(frozen=True, kw_only=True)
class Null(ABC):
    """A null distribution.

    `engine` says how it was made, `reason` why that way, `caveat` in a few words why its level is only
    approximate (empty where it can be trusted), `n_resamples` how many draws it stands on (None where there
    was no sampling, and then every standard error is 0). `holds_to` is the smallest p down to which the null
    was shown to hold: 0 where it holds however small p is (exact laws, samples within their reach, bounds),
    1 where its level is only approximate. `ends_at` is the p below which `stated_p` gives this bound in place
    of digits, 0 if never. `device` says where it was sampled.
    """

    mean: float
    std: float
    engine: str
    reason: str = ""
    caveat: str = ""
    n_resamples: int | None = None
    holds_to: float = 0.0
    ends_at: float = 0.0
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

    def stated_p(self, observed: float) -> PValue:
        """Return the p-value, or the bound `ends_at` if it is smaller."""
        p = self.p_value(observed)
        return PValue.bound(self.ends_at) if p.value < self.ends_at else p

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
