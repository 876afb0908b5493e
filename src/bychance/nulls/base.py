"""Null distribution of one pair: the interface, with degenerate, discrete and square-root distributions.

quantile(p) is inf{x: F₀(x) ≥ p}, at p = 0 the lower end of the support. sf(d) is P(D₀ ≥ d), a p-value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bychance.scores import tolerance

__all__ = ["DegenerateNull", "DiscreteNull", "Moments", "Null", "PValue", "RootNull"]


@dataclass(frozen=True, slots=True)
class Moments:
    """Mean, variance and third central moment of a null distribution, NaN if not computed."""

    mean: float
    variance: float
    third: float = float("nan")

    @property
    def std(self) -> float:
        """Standard deviation."""
        return float(np.sqrt(max(self.variance, 0.0)))

    @property
    def skew(self) -> float:
        """Skewness, NaN if the third moment is unknown."""
        return float(self.third / (self.variance * self.std))

    def scaled(self, scale: float, offset: float = 0.0) -> Moments:
        """Return the moments of offset + scale · D, given those of D."""
        return Moments(
            offset + scale * self.mean, scale * scale * self.variance, scale * scale * scale * self.third
        )


class PValue(NamedTuple):
    """P-value with its kind and the standard error of its log10 (NaN if unknown).

    The kinds are "exact", "monte carlo", "sequential", "splitting", "matched", and "bound" for a number
    that p is at most.
    """

    value: float
    kind: str
    se: float

    @classmethod
    def bound(cls, value: float) -> PValue:
        """Return an upper bound on p, with unknown error."""
        return cls(value, "bound", float("nan"))


@dataclass(frozen=True, kw_only=True)
class Null(ABC):
    """Null distribution of one pair.

    `engine` says how it was made, `reason` why that way, `caveat` in a few words why its level is only
    approximate (empty if it is valid). `n_resamples` is the number of its draws, None without sampling,
    when every standard error is 0. `holds_to` is the smallest p down to which the null was shown to hold:
    0 if it holds however small p is (exact distributions, samples, bounds), 1 if its level is only
    approximate. `ends_at` is the p below which `stated_p` gives this bound in place of digits, 0 if never.
    `device` is the device that sampled it.
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
        """True if all permutations give the same value."""
        return self.std == 0

    @abstractmethod
    def quantile(self, p: float) -> float:
        """Return the smallest value whose cumulative probability is at least p."""

    @abstractmethod
    def sf(self, observed: float) -> float:
        """Return the probability of a value at least as large as the observed one."""

    @abstractmethod
    def p_value(self, observed: float) -> PValue:
        """Return the p-value with its kind and standard error."""

    def stated_p(self, observed: float) -> PValue:
        """Return the p-value, or the bound `ends_at` if it is smaller."""
        p = self.p_value(observed)
        return PValue.bound(self.ends_at) if p.value < self.ends_at else p

    def doubt_at(self, alpha: float) -> str:
        """Return why the (1 − alpha)-quantile is unknown, or an empty string."""
        return ""

    @property
    def mean_se(self) -> float:
        """Standard error of the null's mean."""
        return 0.0

    @property
    def std_se(self) -> float:
        """Standard error of the null's standard deviation."""
        return 0.0

    def quantile_se(self, p: float) -> float:
        """Return the standard error of the p-quantile."""
        return 0.0

    def standardized_se(self, observed: float) -> float:
        """Return the standard error of (observed − mean)/std."""
        return 0.0


@dataclass(frozen=True, kw_only=True)
class DegenerateNull(Null):
    """Null distribution with a single value, which is every quantile. Its p-value is 1."""

    std: float = 0.0
    engine: str = "degenerate"

    def quantile(self, p: float) -> float:
        """Return the single value."""
        return self.mean

    def sf(self, observed: float) -> float:
        """Return 1, the probability of a value at least as large as any observed one."""
        return 1.0

    def p_value(self, observed: float) -> PValue:
        """Return 1, an exact p-value."""
        return PValue(1.0, "exact", 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class DiscreteNull(Null):
    """Discrete null distribution: values in ascending order, and the upper tail at each.

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
        """Make the distribution from values, in any order, and their probabilities."""
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
        """Make the distribution from weighted values, merging values that differ only by rounding.

        The largest of them represents all: no observed value among them is above it.
        """
        order = np.argsort(values, kind="stable")
        ordered, weights = values[order], weights[order]
        gaps = np.diff(ordered) > tolerance(float(np.abs(ordered).max()), 0.0)
        ends = np.flatnonzero(np.append(gaps, True))
        totals = np.add.reduceat(weights, np.append(0, ends[:-1] + 1))
        return cls.of(ordered[ends], totals, engine=engine, reason=reason)

    def quantile(self, p: float) -> float:
        """Return the smallest value whose cumulative probability is at least p, up to rounding."""
        above = np.append(self.tails[1:], 0.0)
        return float(self.values[np.argmax(above <= 1 - p + 1e-12)])

    def sf(self, observed: float) -> float:
        """Return the probability of a value at least as large as the observed one."""
        first = int(np.searchsorted(self.values, observed - tolerance(observed, self.std)))
        return 0.0 if first == len(self.values) else float(min(self.tails[first], 1.0))

    def p_value(self, observed: float) -> PValue:
        """Return the exact p-value."""
        return PValue(self.sf(observed), "exact", 0.0)


@dataclass(frozen=True, kw_only=True)
class RootNull(Null):
    """Null distribution of √(factor · D₀), from the distribution `base` of D₀.

    Quantiles and tails carry over, mean and standard deviation are integrals of quantiles.
    """

    base: Null
    factor: float

    @classmethod
    def of(cls, base: Null, factor: float) -> RootNull:
        """Make the distribution of the root, with moments by Gauss–Legendre quadrature over quantiles."""
        p, w = _nodes_and_weights()
        roots = np.sqrt(np.maximum([base.quantile(float(q)) for q in p], 0.0) * factor)
        mean = float(np.sum(w * roots))
        std = float(np.sqrt(np.sum(w * (roots - mean) ** 2)))
        return cls(
            mean=mean,
            std=std,
            engine=base.engine,
            reason=base.reason,
            caveat=base.caveat,
            holds_to=base.holds_to,
            base=base,
            factor=factor,
        )

    def quantile(self, p: float) -> float:
        """Return √(factor · q) of the quantile q of `base`."""
        return float(np.sqrt(max(self.base.quantile(p), 0.0) * self.factor))

    def sf(self, observed: float) -> float:
        """Return the upper tail of `base` at the squared value."""
        return self.base.sf(observed**2 / self.factor)

    def p_value(self, observed: float) -> PValue:
        """Return the p-value of `base` at the squared value."""
        return self.base.p_value(observed**2 / self.factor)


@cache
def _nodes_and_weights() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Gauss–Legendre probabilities and weights on [0, 1], denser at both ends."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    # The square of the node's coordinate crowds the ends, where quantiles bend most.
    u = (nodes + 1) / 2
    return u**2 * (3 - 2 * u), weights / 2 * 6 * u * (1 - u)
