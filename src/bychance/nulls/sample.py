"""Monte Carlo nulls: samples of a measure under random permutations, for many pairs at once.

In:  one row of draws per pair, and the null's exact moments if known.
Out: quantiles, exceedances and standard errors as arrays. `SampleNull` is one entry as a Null.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.base import Null, PValue
from bychance.nulls.calibration import sharpened_quantiles
from bychance.scores import standardize, tolerance

__all__ = ["SampleNull", "Samples", "monte_carlo_p", "monte_carlo_se", "share_reached", "too_few_draws"]

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Samples:
    """Permutation draws of many pairs, in ascending order, one row per pair.

    The p-quantile is the ⌈p(S+1)⌉-th draw, so that a fresh draw exceeds it with probability at most 1 − p.
    Beyond the sample it is the bound. With `is_paper_rule` it is the ⌈pS⌉-th, as in the paper. An exact
    mean or standard deviation replaces the sample's and has no standard error. If both are exact,
    quantiles are calibrated by them (calibration.py). GPU draws may differ from the CPU's by `slack`: a
    draw that is lower than the observed value by at most that still counts as reaching it.
    """

    draws: Array
    bound: Array
    mean: Array
    std: Array
    is_mean_exact: NDArray[np.bool_]
    is_std_exact: NDArray[np.bool_]
    is_paper_rule: bool = False
    slack: Any = 0.0

    @classmethod
    def of(
        cls,
        draws: Array,
        *,
        bound: Array,
        exact_mean: Array | None = None,
        exact_std: Array | None = None,
        is_paper_rule: bool = False,
        slack: Any = 0.0,
    ) -> Samples:
        """Make the samples from draws. An exact moment is NaN if unknown."""
        unknown = np.full(len(draws), np.nan)
        exact_mean = unknown if exact_mean is None else exact_mean
        exact_std = unknown if exact_std is None else exact_std
        has_spread = np.ptp(draws, axis=1) > tolerance(draws[:, 0], np.zeros(len(draws)))
        sampled_std = np.std(draws, axis=1, ddof=1) if draws.shape[1] > 1 else np.zeros(len(draws))
        is_mean_exact, is_std_exact = ~np.isnan(exact_mean), ~np.isnan(exact_std)
        return cls(
            draws=np.sort(draws, axis=1),
            bound=bound,
            mean=np.where(is_mean_exact, exact_mean, np.mean(draws, axis=1)),
            std=np.where(is_std_exact, exact_std, np.where(has_spread, sampled_std, 0.0)),
            is_mean_exact=is_mean_exact,
            is_std_exact=is_std_exact,
            is_paper_rule=is_paper_rule,
            slack=slack,
        )

    @property
    def size(self) -> int:
        """Number of draws of each null."""
        return int(self.draws.shape[1])

    def exceedances(self, observed: Array) -> NDArray[np.int64]:
        """Count the draws that are at least as large as each observed value."""
        least = observed - tolerance(observed, self.std) - self.slack
        counts: NDArray[np.int64] = np.sum(self.draws >= least[:, np.newaxis], axis=1, dtype=np.int64)
        return counts

    def quantile(self, p: float) -> Array:
        """Return the p-quantiles: order statistics, calibrated if both moments are exact."""
        return self.quantile_with_se(p)[0]

    def quantile_se(self, p: float) -> Array:
        """Return standard errors of the p-quantiles, NaN if draws are too few for this level."""
        return self.quantile_with_se(p)[1]

    @property
    def mean_se(self) -> Array:
        """Standard error of the mean, SD/√S, or 0 if the mean is exact."""
        return np.where(self.is_mean_exact, 0.0, self.std / math.sqrt(self.size))

    @property
    def std_se(self) -> Array:
        """Standard error of the standard deviation, SD·√((κ − 1)/4S) with κ the kurtosis of the draws."""
        spread = np.sqrt(np.maximum(self._shape[1] - 1, 0.0) / (4 * self.size))
        return np.where(self.is_std_exact, 0.0, self.std * spread)

    def standardized_se(self, observed: Array) -> Array:
        """Return the standard error of the standardized score z.

        It is √((1 + zγ + z²(κ − 1)/4)/S), γ and κ the skewness and kurtosis of the draws.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            z = standardize(observed, self.mean, self.std)
            from_std = np.abs(z) * self.std_se / self.std
            skew, kurtosis = self._shape
            from_both = np.sqrt(np.maximum(1 + z * skew + z**2 * (kurtosis - 1) / 4, 0.0) / self.size)
        return np.where(self.std > 0, np.where(self.is_mean_exact, from_std, from_both), np.nan)

    def quantile_with_se(self, p: float) -> tuple[Array, Array]:
        """Return the p-quantiles and their standard errors."""
        size = self.size
        # Rounding to nine digits keeps 0.95 · 1000 from being 950.0000000001.
        rank = math.ceil(round(p * (size if self.is_paper_rule else size + 1), 9))
        if rank > size:
            return self.bound.copy(), np.full(len(self.draws), np.nan)
        values = self.draws[:, max(rank, 1) - 1].copy()
        errors = self._rank_error(p, 1)
        known = np.flatnonzero(self.is_mean_exact & self.is_std_exact & (self.std > 0))
        if len(known) and not self.is_paper_rule and 0 < p < 1:  # the ends of a sample have no density
            values[known], errors[known] = sharpened_quantiles(
                self.draws[known],
                self.mean[known],
                self.std[known],
                self.bound[known],
                p,
                values[known],
                self._rank_error(p, 2)[known],
            )
            values[known] = np.clip(values[known], self.draws[known, 0], self.bound[known])
        return values, errors

    def _rank_error(self, p: float, width: int) -> Array:
        """Return the standard error of the p-quantile, from order statistics around it.

        They are `width` standard errors of rank away on either side.
        """
        step = width * math.sqrt(self.size * p * (1 - p))
        ranks = (min(max(p * (self.size + 1) + sign * step, 1), self.size) for sign in (-1, 1))
        low, high = (self._between(rank - 1) for rank in ranks)
        return (high - low) / (2 * width)

    def _between(self, position: float) -> Array:
        """Return order statistics interpolated at a fractional position, counted from 0."""
        below = int(position)
        share, above = position - below, min(below + 1, self.size - 1)
        return np.asarray((1 - share) * self.draws[:, below] + share * self.draws[:, above])

    @cached_property
    def _shape(self) -> tuple[Array, Array]:
        """Skewness and kurtosis of the draws."""
        std = np.where(self.std > 0, self.std, 1.0)
        z = standardize(self.draws, self.mean[:, np.newaxis], std[:, np.newaxis])
        squares = z * z
        has_spread = self.std > 0
        skew, kurtosis = np.mean(squares * z, axis=1), np.mean(squares * squares, axis=1)
        return np.where(has_spread, skew, 0.0), np.where(has_spread, kurtosis, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleNull(Null):
    """Sampled null of one pair, with its p-value if sampling stopped early.

    The p-value is (1 + #{draws ≥ observed})/(S + 1), never 0, unless `found` has one from sequential
    sampling. None is below `least_p`, the probability of a single arrangement.
    """

    samples: Samples = field(repr=False)
    found: PValue | None = None
    least_p: float = 0.0

    @classmethod
    def of(
        cls,
        draws: Array,
        *,
        bound: float,
        reason: str,
        engine: str = "permutation",
        is_paper_rule: bool = False,
        exact_mean: float | None = None,
        exact_std: float | None = None,
        found: PValue | None = None,
        slack: float = 0.0,
        device: str = "cpu",
    ) -> SampleNull:
        """Make a null from its draws and its exact moments, if known."""
        samples = Samples.of(
            draws[np.newaxis],
            bound=np.array([bound]),
            exact_mean=None if exact_mean is None else np.array([exact_mean]),
            exact_std=None if exact_std is None else np.array([exact_std]),
            is_paper_rule=is_paper_rule,
            slack=slack,
        )
        return cls(
            mean=float(samples.mean[0]),
            std=float(samples.std[0]),
            engine=engine,
            reason=reason,
            n_resamples=len(draws),
            samples=samples,
            found=found,
            device=device,
        )

    @property
    def draws(self) -> Array:
        """Draws in ascending order."""
        return np.asarray(self.samples.draws[0])

    def quantile(self, p: float) -> float:
        """Return the p-quantile, as Samples does."""
        return float(self.samples.quantile(p)[0])

    def doubt_at(self, alpha: float) -> str:
        """Return why the (1 − alpha)-quantile is the bound and not a draw, or an empty string."""
        return "" if self.samples.is_paper_rule else too_few_draws(self.samples.size, alpha)

    def sf(self, observed: float) -> float:
        """Return the p-value (1 + #{draws ≥ observed})/(S + 1)."""
        return max(float(share_reached(self.exceedances(observed), self.samples.size)), self.least_p)

    def p_value(self, observed: float) -> PValue:
        """Return the p-value of sequential sampling, or of a fixed number of draws."""
        found = self.found or monte_carlo_p(self.exceedances(observed), self.samples.size)
        if found.value >= self.least_p:
            return found
        se = monte_carlo_se(self.exceedances(observed), self.samples.size)
        return PValue(self.least_p, "monte carlo", float(se))

    def exceedances(self, observed: float) -> int:
        """Count the draws that are at least as large as the observed value."""
        return int(self.samples.exceedances(np.array([observed]))[0])

    @property
    def mean_se(self) -> float:
        """Standard error of the mean, SD/√S, or 0 if the mean is exact."""
        return float(self.samples.mean_se[0])

    @property
    def std_se(self) -> float:
        """Standard error of the standard deviation, SD·√((κ − 1)/4S) with κ the kurtosis of the draws."""
        return float(self.samples.std_se[0])

    def quantile_se(self, p: float) -> float:
        """Return the standard error of the p-quantile, NaN if draws are too few for it."""
        return math.nan if self.doubt_at(1 - p) else float(self.samples.quantile_se(p)[0])

    def standardized_se(self, observed: float) -> float:
        """Return the standard error of (observed − mean)/std."""
        return float(self.samples.standardized_se(np.array([observed]))[0])


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
