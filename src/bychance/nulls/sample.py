"""Monte Carlo nulls: moments, quantiles and p-values from values of a measure under permutations.

In:  one row of draws per pair, and the null's exact moments if known.
Out: moments, quantiles, exceedances and standard errors as arrays. `SampleNull` is one entry as a Null.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.nulls.base import Null, PValue
from bychance.scores import tolerance

__all__ = [
    "SampleNull",
    "SampleSummary",
    "monte_carlo_p",
    "monte_carlo_se",
    "share_reached",
    "summary_of_draws",
    "too_few_draws",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleSummary:
    """Null moments, quantiles and exceedance counts estimated from permutations, one entry per pair."""

    size: IntArray
    exceedances: IntArray
    mean: FloatArray
    std: FloatArray
    standardized_se: FloatArray
    quantiles: FloatArray  # one column per level
    quantile_se: FloatArray  # of the first level
    is_mean_exact: BoolArray
    is_std_exact: BoolArray

    @property
    def mean_se(self) -> FloatArray:
        """Standard error of the mean, SD/√S, or 0 if the mean is exact."""
        return np.where(self.is_mean_exact, 0.0, self.std / np.sqrt(self.size))

    def pooled(self, other: SampleSummary) -> SampleSummary:
        """Pool the estimates of two permutation samples by their sizes."""
        total = self.size + other.size
        a, b = self.size / total, other.size / total
        mean = np.where(self.is_mean_exact, self.mean, a * self.mean + b * other.mean)
        spread = a * (self.std**2 + (self.mean - mean) ** 2) + b * (other.std**2 + (other.mean - mean) ** 2)
        return replace(
            self,
            size=total,
            exceedances=self.exceedances + other.exceedances,
            mean=mean,
            std=np.where(self.is_std_exact, self.std, np.sqrt(spread)),
            standardized_se=np.hypot(a * self.standardized_se, b * other.standardized_se),
            quantiles=a[:, np.newaxis] * self.quantiles + b[:, np.newaxis] * other.quantiles,
            quantile_se=np.hypot(a * self.quantile_se, b * other.quantile_se),
        )


def summary_of_draws(
    draws: FloatArray,
    *,
    observed: FloatArray,
    bound: FloatArray,
    exact_mean: FloatArray,
    exact_std: FloatArray,
    levels: Sequence[float],
    is_paper_rule: bool = False,
    slack: Any = 0.0,
) -> SampleSummary:
    """Estimate null moments, quantiles and exceedance counts of many pairs, one per row of `draws`.

    The p-quantile is the ⌈p(S+1)⌉-th draw, so that a fresh draw exceeds it with probability at most 1 − p.
    Beyond the sample it is the bound. With `is_paper_rule` it is the ⌈pS⌉-th, as in the paper. An exact mean
    or standard deviation replaces the sample's and has no standard error. If both are exact, they calibrate
    the quantiles (src/native/distributions/sample.hpp). GPU draws may differ from the CPU's by `slack`: a
    draw that is lower than the observed value by at most that still counts as reaching it.
    """
    is_exact = ~np.isnan(exact_mean), ~np.isnan(exact_std)
    mean, std = _moments(draws, exact_mean, exact_std)
    ascending, least = np.sort(draws, axis=1), observed - tolerance(observed, std) - slack
    figures, quantiles = _native.sample_summaries(
        ascending, least, observed, bound, mean, std, *is_exact, np.asarray(levels), is_paper_rule
    )
    values, errors = np.moveaxis(quantiles.reshape(len(draws), -1, 2), 2, 0)
    return SampleSummary(
        size=np.full(len(draws), draws.shape[1]),
        exceedances=figures[:, 0].astype(np.int64),
        mean=mean,
        std=std,
        standardized_se=figures[:, 2],
        quantiles=values,
        quantile_se=errors[:, 0],
        is_mean_exact=is_exact[0],
        is_std_exact=is_exact[1],
    )


def _moments(
    draws: FloatArray, exact_mean: FloatArray, exact_std: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return each null's mean and standard deviation, from its draws unless exact ones are given."""
    if not np.isnan([exact_mean, exact_std]).any():
        return exact_mean, exact_std
    has_spread = np.ptp(draws, axis=1) > tolerance(draws[:, 0], np.zeros(len(draws)))
    std = np.std(draws, axis=1, ddof=1) if draws.shape[1] > 1 else np.zeros(len(draws))
    known_std = np.where(np.isnan(exact_std), np.where(has_spread, std, 0.0), exact_std)
    return np.where(np.isnan(exact_mean), np.mean(draws, axis=1), exact_mean), known_std


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleNull(Null):
    """Monte Carlo null of one pair: its draws, and its p-value if sampling stopped early.

    The p-value is (1 + #{draws ≥ observed})/(S + 1), never 0, unless `found` has one from sequential
    sampling. None is below `least_p`, the probability of a single arrangement. `slack` is that of
    `summary_of_draws`.
    """

    draws: FloatArray = field(repr=False)  # ascending
    bound: float
    is_mean_exact: bool
    is_std_exact: bool
    is_paper_rule: bool = False
    found: PValue | None = None
    least_p: float = 0.0
    slack: float = 0.0

    @classmethod
    def of(
        cls,
        draws: FloatArray,
        *,
        exact_mean: float | None = None,
        exact_std: float | None = None,
        engine: str = "permutation",
        **settings: Any,
    ) -> SampleNull:
        """Create a null from draws, in any order, and its exact moments if they are known."""
        exact = [math.nan if moment is None else moment for moment in (exact_mean, exact_std)]
        mean, std = _moments(draws[np.newaxis], *(np.array([moment]) for moment in exact))
        return cls(
            mean=float(mean[0]),
            std=float(std[0]),
            engine=engine,
            n_resamples=len(draws),
            draws=np.sort(draws),
            is_mean_exact=exact_mean is not None,
            is_std_exact=exact_std is not None,
            **settings,
        )

    def quantile(self, p: float) -> float:
        """Return the p-quantile: an order statistic, calibrated if both moments are exact."""
        return float(self._figures(p=p)[1][0, 0])

    def doubt_at(self, alpha: float) -> str:
        """Return a sentence if draws are too few for the (1 − alpha)-quantile, or an empty string."""
        return "" if self.is_paper_rule else too_few_draws(len(self.draws), alpha)

    def sf(self, observed: float) -> float:
        """Return the p-value (1 + #{draws ≥ observed})/(S + 1)."""
        return max(float(share_reached(self.exceedances(observed), len(self.draws))), self.least_p)

    def p_value(self, observed: float) -> PValue:
        """Return the p-value of sequential sampling, or of a fixed number of draws."""
        found = self.found or monte_carlo_p(self.exceedances(observed), len(self.draws))
        if found.value >= self.least_p:
            return found
        se = monte_carlo_se(self.exceedances(observed), len(self.draws))
        return PValue(self.least_p, "monte carlo", float(se))

    def exceedances(self, observed: float) -> int:
        """Count the draws that are at least as large as the observed value."""
        least = observed - tolerance(observed, self.std) - self.slack
        return len(self.draws) - int(np.searchsorted(self.draws, least))

    @property
    def mean_se(self) -> float:
        """Standard error of the mean, SD/√S, or 0 if the mean is exact."""
        return 0.0 if self.is_mean_exact else self.std / math.sqrt(len(self.draws))

    @property
    def std_se(self) -> float:
        """Standard error of the standard deviation, SD·√((κ − 1)/4S) with κ the kurtosis of the draws."""
        return float(self._figures()[0][0, 1])

    def standardized_se(self, observed: float) -> float:
        """Return the standard error of (observed − mean)/std."""
        return float(self._figures(observed)[0][0, 2])

    def quantile_se(self, p: float) -> float:
        """Return the standard error of the p-quantile, NaN if draws are too few for it."""
        return math.nan if self.doubt_at(1 - p) else float(self._figures(p=p)[1][0, 1])

    def _figures(self, observed: float = 0.0, p: float = 0.5) -> tuple[FloatArray, FloatArray]:
        at, bound, mean, std, level = np.array([[observed], [self.bound], [self.mean], [self.std], [p]])
        has_mean, has_std = np.array([[self.is_mean_exact], [self.is_std_exact]])
        draws, rule = self.draws[np.newaxis], self.is_paper_rule
        return _native.sample_summaries(draws, at, at, bound, mean, std, has_mean, has_std, level, rule)


def monte_carlo_p(exceedances: int, size: int) -> PValue:
    """Return the p-value (k + 1)/(S + 1), marked as a bound if no draw reaches the observed value.

    >>> monte_carlo_p(0, 199).kind, monte_carlo_p(1, 199).value
    ('bound', 0.01)
    """
    p = share_reached(exceedances, size)
    if not exceedances:
        return PValue.bound(p)
    return PValue(p, "monte carlo", float(monte_carlo_se(exceedances, size)))


def share_reached(exceedances: Any, size: Any) -> Any:
    """Return the Monte Carlo p-value (k + 1)/(S + 1) if k of S draws reach the observed value."""
    return (exceedances + 1) / (size + 1)


def monte_carlo_se(exceedances: Any, size: Any) -> Any:
    """Return the standard error of log10 p for a Monte Carlo p-value.

    It is √((1 − p)/(k + 1))/ln 10 with p = (k + 1)/(S + 1).

    >>> round(float(monte_carlo_se(99, 9_999)), 3)
    0.043
    """
    p = share_reached(exceedances, size)
    return np.sqrt((1 - p) / (exceedances + 1)) / math.log(10)


def too_few_draws(n_resamples: int, alpha: float) -> str:
    """Return a sentence if the draws are too few for a (1 − alpha)-quantile, or an empty string.

    >>> too_few_draws(199, 0.001), too_few_draws(199, 0.005)
    ('199 permutations are too few for alpha = 0.001: it takes 999', '')
    """
    if math.ceil(round((1 - alpha) * (n_resamples + 1), 9)) <= n_resamples:
        return ""
    needed = np.ceil(round(1 / alpha, 9)) - 1
    return f"{n_resamples:,} permutations are too few for alpha = {alpha:g}: it takes {needed:,.0f}"
