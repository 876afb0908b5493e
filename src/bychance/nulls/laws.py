"""Laws matched to moments: Beta, Pearson III, normal, and Cantelli's bound, each as a Null."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy import special

from bychance.nulls.base import Moments, Null, tolerance

__all__ = ["BetaNull", "CantelliNull", "NormalNull", "PearsonNull", "RootNull", "match_beta", "match_pearson"]

# Below this skewness a Pearson III law is the normal law to all digits of a float.
_NO_SKEW = 1e-7


@dataclass(frozen=True, kw_only=True)
class LawNull(Null):
    """A continuous law: sf allows for rounding of the observed value."""

    def sf(self, observed: float) -> float:
        """The upper tail from the observed value on."""
        return self._upper_tail(observed - tolerance(observed, self.std))

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
        total = a + b
        std = float(np.sqrt(a * b / (total + 1))) / total
        return cls(mean=a / total, std=std, engine=engine, reason=reason, a=a, b=b)

    def quantile(self, p: float) -> float:
        """Inverse of the incomplete beta function."""
        return float(special.betaincinv(self.a, self.b, p))

    def _upper_tail(self, value: float) -> float:
        return float(special.betaincc(self.a, self.b, min(max(value, 0.0), 1.0)))


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
            shape = 4 / self.skew**2
            g = special.gammaincinv(shape, p) if self.skew > 0 else special.gammainccinv(shape, p)
            z = (float(g) - shape) * self.skew / 2
        return _clipped(self.mean + self.std * z, self.support)

    def _upper_tail(self, value: float) -> float:
        z = (value - self.mean) / self.std
        if abs(self.skew) < _NO_SKEW:
            return float(special.ndtr(-z))
        shape = 4 / self.skew**2
        g = max(shape + 2 * z / self.skew, 0.0)
        tail = special.gammaincc(shape, g) if self.skew > 0 else special.gammainc(shape, g)
        return float(tail)


@dataclass(frozen=True, kw_only=True)
class CantelliNull(Null):
    """Mean and variance only: Cantelli's bound in place of the quantile (Romano et al. 2016, §4).

    The bound holds for every law with these moments, so it is larger than the quantile and α is not a level.
    As in the paper it is the mean at α = 1 and may exceed the measure's maximum.
    """

    def quantile(self, p: float) -> float:
        """E + √(p/(1 − p))·SD; infinite at p = 1."""
        return float("inf") if p >= 1 else self.mean + float(np.sqrt(p / (1 - p))) * self.std

    def sf(self, observed: float) -> float:
        """Cantelli's bound on the upper tail: 1/(1 + z²) above the mean."""
        z = (observed - self.mean) / self.std
        return 1 / (1 + z**2) if z > 0 else 1.0


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
        return cls(mean=mean, std=std, engine=base.engine, reason=base.reason, base=base, factor=factor)

    def quantile(self, p: float) -> float:
        """The root of the base's quantile."""
        return float(np.sqrt(max(self.base.quantile(p), 0.0) * self.factor))

    def sf(self, observed: float) -> float:
        """The base's tail at the squared value."""
        return self.base.sf(observed**2 / self.factor)


def match_beta(moments: Moments, *, engine: str, reason: str) -> BetaNull | None:
    """The Beta law on [0, 1] with this mean and variance; None where there is none."""
    mean, variance = moments.mean, moments.variance
    total = mean * (1 - mean) / variance - 1
    if not (0 < mean < 1 and total > 0):
        return None
    return BetaNull(
        mean=mean, std=moments.std, engine=engine, reason=reason, a=mean * total, b=(1 - mean) * total
    )


def match_pearson(moments: Moments, *, support: tuple[float, float], engine: str, reason: str) -> PearsonNull:
    """The Pearson III law with these moments; without a third one, the gamma law from the support's start."""
    skew = moments.skew
    if not np.isfinite(skew):
        skew = 2 * moments.std / (moments.mean - support[0])
    return PearsonNull(
        mean=moments.mean, std=moments.std, engine=engine, reason=reason, skew=float(skew), support=support
    )


def _clipped(value: float, support: tuple[float, float]) -> float:
    return min(max(value, support[0]), support[1])
