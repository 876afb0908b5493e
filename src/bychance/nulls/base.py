"""Null distribution of one pair: base class, degenerate, discrete and square-root nulls, pictures.

quantile(p) is inf{x: F₀(x) ≥ p}, at p = 0 the lower end of the support. sf(d) is P(D₀ ≥ d), a p-value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import NamedTuple

import numpy as np

from bychance.array_types import BoolArray, FloatArray
from bychance.scores import tolerance

__all__ = [
    "DegenerateNull",
    "DiscreteNull",
    "Moments",
    "Null",
    "NullBins",
    "PValue",
    "RootNull",
    "null_bins",
    "null_svg",
]


_BINS = 60  # bars of the histogram (taste)
_TAIL = 5e-4  # probability beyond either end of the picture (taste)
_WIDTH, _HEIGHT, _LINE = 360, 90, 14  # pixels of the picture, and of a line of text under it (taste)
_CHANCE, _REACHED, _OBSERVED = "#cccccc", "#e0a070", "#d55e00"  # those of bychance.plots


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

    def scaled(self, scale: float, offset: float = 0.0) -> Moments:
        """Return the moments of offset + scale · D for a variable D with these moments."""
        return Moments(
            offset + scale * self.mean, scale * scale * self.variance, scale * scale * scale * self.third
        )


class PValue(NamedTuple):
    """P-value with the way it was found (`kind`) and the standard error of its log10, NaN if unknown.

    The kinds are "exact", "monte carlo", "sequential", "splitting", "matched", and "bound" for a number
    that p is at most.
    """

    value: float
    kind: str
    se: float

    @classmethod
    def bound(cls, value: float) -> PValue:
        """Create a p-value of kind "bound", which p is at most, with unknown error."""
        return cls(value, "bound", float("nan"))


@dataclass(frozen=True, kw_only=True)
class Null(ABC):
    """Null distribution of one pair: the values of the measure if its two columns were independent.

    `engine` says how it was made, `reason` why that way, `caveat` in a few words and `doubt` in a sentence
    why its level is only approximate (empty if it is valid). `has_exact_moments` is False if mean and
    standard deviation are integrals of quantiles, or those of a ratio. `n_resamples` is the number of its
    draws, None without sampling, when every standard error is 0. `holds_to` is the smallest p down to which
    the null was shown to hold: 0 if it holds however small p is (exact distributions, samples, bounds), 1 if
    its level is only approximate. `ends_at` is the p below which results state this bound in place of digits,
    0 if never. `device` is the device that sampled it.
    """

    mean: float
    std: float
    engine: str
    reason: str = ""
    caveat: str = ""
    doubt: str = ""
    has_exact_moments: bool = True
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

    def doubt_at(self, alpha: float) -> str:
        """Return a sentence on why the (1 − alpha)-quantile is unknown, or an empty string."""
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

    values: FloatArray = field(repr=False)
    tails: FloatArray = field(repr=False)

    @classmethod
    def of(cls, values: FloatArray, probabilities: FloatArray, *, engine: str, reason: str) -> DiscreteNull:
        """Create the distribution from values, in any order, and their probabilities."""
        order = np.argsort(values, kind="stable")
        values, probabilities = values[order], probabilities[order] / probabilities.sum()
        mean = float(probabilities @ values)
        std = float(np.sqrt(probabilities @ (values - mean) ** 2)) if len(values) > 1 else 0.0
        tails = np.cumsum(probabilities[::-1])[::-1]
        return cls(mean=mean, std=std, engine=engine, reason=reason, values=values, tails=tails)

    @classmethod
    def folded(cls, values: FloatArray, weights: FloatArray, *, engine: str, reason: str) -> DiscreteNull:
        """Create the distribution from weighted values. Values that differ only by rounding become one.

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
    """Null distribution of a measure √(factor · D), from the null distribution `base` of D.

    Quantiles and tails carry over, mean and standard deviation are integrals of quantiles.
    """

    base: Null
    factor: float

    @classmethod
    def of(cls, base: Null, factor: float) -> RootNull:
        """Create the distribution of √(factor · D) from that of D, with moments by numeric integration."""
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
            doubt=base.doubt,
            has_exact_moments=False,
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
def _nodes_and_weights() -> tuple[FloatArray, FloatArray]:
    """Return 64 Gauss–Legendre nodes on [0, 1], moved closer to both ends, and their adjusted weights."""
    nodes, weights = np.polynomial.legendre.leggauss(64)
    # The square of the node's coordinate crowds the ends, where quantiles bend most.
    u = (nodes + 1) / 2
    return u**2 * (3 - 2 * u), weights / 2 * 6 * u * (1 - u)


@dataclass(frozen=True, slots=True, eq=False)
class NullBins:
    """Histogram of a null distribution. `is_reached` marks bins at or above the observed value."""

    edges: FloatArray
    density: FloatArray
    is_reached: BoolArray


def null_bins(null: Null, observed: float) -> NullBins:
    """Compute the histogram of a non-degenerate null, with a bin edge at the observed value."""
    low, high = null.quantile(_TAIL), null.quantile(1 - _TAIL)
    width = (max(high, observed) - min(low, observed)) / _BINS
    # Bins start at the observed value, so that they are whole on either side of it.
    first, last = np.floor((low - observed) / width), np.ceil((high - observed) / width)
    edges = observed + width * np.arange(first, last + 2)
    # The first bin starts at the null's start, which often has most of the density.
    start = max(null.quantile(0), edges[0])
    edges = np.append(start, edges[edges > start + width / 2])
    tails = np.array([null.sf(edge) for edge in edges])
    density = (tails[:-1] - tails[1:]) / np.diff(edges)
    return NullBins(edges, density, edges[:-1] >= observed - width / 2)


def null_svg(null: Null, observed: float, measure: str) -> str:
    """Draw the null's histogram and a line at the observed value as SVG text, empty if degenerate."""
    if null.is_degenerate or not np.isfinite(null.mean):
        return ""
    bins = null_bins(null, observed)
    left, right = min(bins.edges[0], observed), max(bins.edges[-1], observed)
    across = _WIDTH / (right - left)
    highest = bins.density.max()
    bars = []
    for start, end, density, is_reached in zip(
        bins.edges[:-1], bins.edges[1:], bins.density, bins.is_reached, strict=True
    ):
        height = density / highest * _HEIGHT
        bars.append(
            f'<rect x="{(start - left) * across:.1f}" y="{_HEIGHT - height:.1f}" '
            f'width="{(end - start) * across:.1f}" height="{height:.1f}" '
            f'fill="{_REACHED if is_reached else _CHANCE}"/>'
        )
    at = (observed - left) * across
    text = f"grey: {measure} by chance alone; line: observed"
    return (
        f'<svg role="img" width="{_WIDTH}" height="{_HEIGHT + _LINE}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT + _LINE}"><title>{escape(text)}</title>{"".join(bars)}'
        f'<line x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{_HEIGHT}" stroke="{_OBSERVED}" stroke-width="2"/>'
        f'<text x="0" y="{_HEIGHT + _LINE - 3}" font-size="11" fill="currentColor">{escape(text)}</text>'
        "</svg>"
    )
