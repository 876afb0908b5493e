"""Laws matched to moments: Beta, Pearson III, normal, and Cantelli's bound, each as a Null.

The functions at the end serve many laws at once, too.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.nulls.base import Moments, Null, Value, tolerance

__all__ = [
    "BetaNull",
    "CantelliNull",
    "NormalNull",
    "PearsonNull",
    "RootNull",
    "beta_moments",
    "beta_parameters",
    "beta_skew",
    "cantelli_deviation",
    "cantelli_tail",
    "match_beta",
    "match_pearson",
    "pearson_quantile",
    "pearson_tail",
]

Array = NDArray[np.float64]

# Below this skewness a Pearson III law is the normal law to all digits of a float.
_NO_SKEW = 1e-7


@dataclass(frozen=True, kw_only=True)
class LawNull(Null):
    """A continuous law: sf allows for rounding of the observed value."""

    def sf(self, observed: float) -> float:
        """The upper tail from the observed value on."""
        return min(max(self._upper_tail(observed - tolerance(observed, self.std)), 0.0), 1.0)

    @abstractmethod
    def _upper_tail(self, value: float) -> float: ...


@dataclass(frozen=True, kw_only=True)
class BetaNull(LawNull):
    """Beta(a, b) on [0, 1].

    >>> null = BetaNull.of(0.5, 9.0, engine="beta", reason="an example")
    >>> round(null.quantile(0.95), 10)
    0.1969259546
    """

    a: float
    b: float

    @classmethod
    def of(cls, a: float, b: float, *, engine: str, reason: str) -> BetaNull:
        """The law with these parameters."""
        mean, std = beta_moments(a, b)
        return cls(mean=mean, std=float(std), engine=engine, reason=reason, a=a, b=b)

    def quantile(self, p: float) -> float:
        """Inverse of the incomplete beta function."""
        return float(_native.beta_quantiles(np.array([self.a]), np.array([self.b]), p)[0])

    def _upper_tail(self, value: float) -> float:
        return float(_native.beta_tails(np.array([self.a]), np.array([self.b]), np.array([value]))[0])


@dataclass(frozen=True, kw_only=True)
class NormalNull(LawNull):
    """Normal with the given mean and standard deviation; quantiles stay within the support."""

    support: tuple[float, float]

    def quantile(self, p: float) -> float:
        """Normal quantile."""
        return _clipped(self.mean + self.std * float(special.ndtri(p)), self.support)

    def _upper_tail(self, value: float) -> float:
        return float(special.ndtr((self.mean - value) / self.std))


@dataclass(frozen=True, kw_only=True)
class PearsonNull(LawNull):
    """Pearson III: a shifted gamma law, its skewness of either sign; quantiles stay within the support."""

    skew: float
    support: tuple[float, float]

    def quantile(self, p: float) -> float:
        """Shifted gamma quantile."""
        if abs(self.skew) < _NO_SKEW:
            z = float(special.ndtri(p))
        else:
            shape = 4 / (self.skew * self.skew)
            g = special.gammaincinv(shape, p) if self.skew > 0 else special.gammainccinv(shape, p)
            z = (float(g) - shape) * self.skew / 2
        return _clipped(self.mean + self.std * z, self.support)

    def _upper_tail(self, value: float) -> float:
        z = (value - self.mean) / self.std
        if abs(self.skew) < _NO_SKEW:
            return float(special.ndtr(-z))
        shape = 4 / (self.skew * self.skew)
        g = max(shape + 2 * z / self.skew, 0.0)
        tail = special.gammaincc(shape, g) if self.skew > 0 else special.gammainc(shape, g)
        return float(tail)


@dataclass(frozen=True, kw_only=True)
class CantelliNull(Null):
    """Mean and variance only: Cantelli's bound in place of the quantile (Romano et al. 2016, §4).

    The bound holds for every law with these moments, so it is larger than the quantile and α is not a level.
    As in the paper it is the mean at α = 1 and may exceed the measure's maximum, unless `upper` is given.
    """

    upper: float = float("inf")

    def quantile(self, p: float) -> float:
        """E + √(p/(1 − p))·SD; infinite at p = 1."""
        return min(self.mean + cantelli_deviation(p) * self.std, self.upper)

    def sf(self, observed: float) -> float:
        """Cantelli's bound on the upper tail: 1/(1 + z²) above the mean."""
        return float(cantelli_tail(np.asarray((observed - self.mean) / self.std)))


@dataclass(frozen=True, kw_only=True)
class RootNull(Null):
    """The law of √(factor · D₀): quantiles and tails carry over, mean and std are integrals of quantiles."""

    base: Null
    factor: float

    @classmethod
    def of(cls, base: Null, factor: float) -> RootNull:
        """The root of a null, its moments by Gauss–Legendre over the base's quantiles."""
        nodes, weights = np.polynomial.legendre.leggauss(64)
        # The square of the node's coordinate crowds the ends, where quantiles bend most.
        u = (nodes + 1) / 2
        p, w = u**2 * (3 - 2 * u), weights / 2 * 6 * u * (1 - u)
        roots = np.sqrt(np.maximum([base.quantile(float(q)) for q in p], 0.0) * factor)
        mean = float(np.sum(w * roots))
        std = float(np.sqrt(np.sum(w * (roots - mean) ** 2)))
        return cls(
            mean=mean,
            std=std,
            engine=base.engine,
            reason=base.reason,
            caveat=base.caveat,
            base=base,
            factor=factor,
        )

    def quantile(self, p: float) -> float:
        """The root of the base's quantile."""
        return float(np.sqrt(max(self.base.quantile(p), 0.0) * self.factor))

    def sf(self, observed: float) -> float:
        """The base's tail at the squared value."""
        return self.base.sf(observed**2 / self.factor)


def match_beta(moments: Moments, *, engine: str, reason: str) -> BetaNull | None:
    """The Beta law on [0, 1] with this mean and variance; None where there is none."""
    a, b = beta_parameters(moments.mean, moments.variance)
    if not (a > 0 and b > 0):
        return None
    return BetaNull(mean=moments.mean, std=moments.std, engine=engine, reason=reason, a=a, b=b)


def match_pearson(moments: Moments, *, support: tuple[float, float], engine: str, reason: str) -> PearsonNull:
    """The Pearson III law with these moments; without a third one, the gamma law from the support's start."""
    skew = moments.skew
    if not np.isfinite(skew):
        skew = 2 * moments.std / (moments.mean - support[0])
    return PearsonNull(
        mean=moments.mean, std=moments.std, engine=engine, reason=reason, skew=float(skew), support=support
    )


def beta_parameters(mean: Value, variance: Value) -> tuple[Value, Value]:
    """The parameters of the Beta law with these moments; not both positive where there is none."""
    total = mean * (1 - mean) / variance - 1
    return mean * total, (1 - mean) * total


def beta_moments(a: Value, b: Value) -> tuple[Value, Value]:
    """Mean and standard deviation of Beta(a, b)."""
    total = a + b
    return a / total, np.sqrt(a * b / (total + 1)) / total


def beta_skew(a: Value, b: Value) -> Value:
    """Skewness of Beta(a, b)."""
    total = a + b
    skew: Value = 2 * (b - a) * np.sqrt(total + 1) / ((total + 2) * np.sqrt(a * b))
    return skew


def pearson_quantile(skew: Array, p: float) -> Array:
    """Quantiles of many Pearson III laws with mean 0 and standard deviation 1."""
    z = np.full_like(skew, special.ndtri(p))
    signs = (skew >= _NO_SKEW, special.gammaincinv), (skew <= -_NO_SKEW, special.gammainccinv)
    for is_skewed, inverse in signs:
        part = skew[is_skewed]
        shape = 4 / (part * part)
        z[is_skewed] = (inverse(shape, p) - shape) * part / 2
    return z


def pearson_tail(skew: Array, z: Array) -> Array:
    """Upper tails of many Pearson III laws with mean 0 and standard deviation 1."""
    tail = np.asarray(special.ndtr(-z))
    for is_skewed, of_gamma in (skew >= _NO_SKEW, special.gammaincc), (skew <= -_NO_SKEW, special.gammainc):
        part = skew[is_skewed]
        shape = 4 / (part * part)
        tail[is_skewed] = of_gamma(shape, np.maximum(shape + 2 * z[is_skewed] / part, 0.0))
    return tail


def cantelli_deviation(p: float) -> float:
    """By how many standard deviations Cantelli's bound exceeds the mean."""
    return float("inf") if p >= 1 else float(np.sqrt(p / (1 - p)))


def cantelli_tail(z: Array) -> Array:
    """Cantelli's bound on the upper tail at z standard deviations above the mean."""
    return 1 / (1 + np.square(np.maximum(z, 0.0)))


def _clipped(value: float, support: tuple[float, float]) -> float:
    return min(max(value, support[0]), support[1])
