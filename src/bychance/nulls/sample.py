"""Monte Carlo nulls: a sample of the measure over random re-pairings, with its own standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.base import Null, tolerance

__all__ = ["SampleNull", "too_few_draws"]


@dataclass(frozen=True, kw_only=True, eq=False)
class SampleNull(Null):
    """Draws of the null in ascending order.

    quantile(p) is the ⌈p(S+1)⌉-th of them, so that a fresh draw exceeds it with probability at most
    1 − p; beyond the sample it is the bound. With `is_paper_rule` it is the ⌈pS⌉-th, as in the paper.
    The p-value is (1 + #{draws ≥ observed})/(S + 1), never 0. Where algebra knows the mean or the standard
    deviation it is used instead of the sample's, and has no standard error.
    """

    draws: NDArray[np.float64] = field(repr=False)
    bound: float
    is_paper_rule: bool = False
    is_mean_exact: bool = False
    is_std_exact: bool = False

    @classmethod
    def of(
        cls,
        draws: NDArray[np.float64],
        *,
        bound: float,
        reason: str,
        engine: str = "permutation",
        is_paper_rule: bool = False,
        exact_mean: float | None = None,
        exact_std: float | None = None,
    ) -> SampleNull:
        """The null that these draws are a sample of, with what is known of it exactly."""
        has_spread = float(np.ptp(draws)) > tolerance(float(draws[0]), 0.0)
        sampled_std = float(np.std(draws, ddof=1)) if has_spread else 0.0
        return cls(
            mean=float(np.mean(draws)) if exact_mean is None else exact_mean,
            std=sampled_std if exact_std is None else exact_std,
            is_mean_exact=exact_mean is not None,
            is_std_exact=exact_std is not None,
            engine=engine,
            reason=reason,
            n_resamples=len(draws),
            draws=np.sort(draws),
            bound=bound,
            is_paper_rule=is_paper_rule,
        )

    def quantile(self, p: float) -> float:
        """An order statistic; see the class."""
        size = len(self.draws)
        # Rounding to nine digits keeps 0.95 · 1000 from being 950.0000000001.
        rank = math.ceil(round(p * (size if self.is_paper_rule else size + 1), 9))
        return self.bound if rank > size else float(self.draws[max(rank, 1) - 1])

    def doubt_at(self, alpha: float) -> str:
        """Why the quantile is the bound and no draw; empty where it is one of the draws."""
        return "" if self.is_paper_rule else too_few_draws(len(self.draws), alpha)

    def sf(self, observed: float) -> float:
        """(1 + #{draws ≥ observed})/(S + 1)."""
        first = int(np.searchsorted(self.draws, observed - tolerance(observed, self.std)))
        return (1 + len(self.draws) - first) / (len(self.draws) + 1)

    @property
    def mean_se(self) -> float:
        """SD/√S."""
        return 0.0 if self.is_mean_exact else self.std / math.sqrt(len(self.draws))

    @property
    def std_se(self) -> float:
        """SD·√((κ − 1)/4S), κ the kurtosis of the draws."""
        if self.is_std_exact:
            return 0.0
        return self.std * math.sqrt(max(self._shape[1] - 1, 0.0) / (4 * len(self.draws)))

    def quantile_se(self, p: float) -> float:
        """Half the distance between the order statistics one standard error of rank away; NaN beyond them."""
        if self.doubt_at(1 - p):
            return math.nan
        size = len(self.draws)
        step = math.sqrt(size * p * (1 - p))
        low, high = (min(max(p * (size + 1) + sign * step, 1), size) for sign in (-1, 1))
        ranks = np.arange(1, size + 1)
        return float(np.interp(high, ranks, self.draws) - np.interp(low, ranks, self.draws)) / 2

    def standardized_se(self, observed: float) -> float:
        """√((1 + zγ + z²(κ − 1)/4)/S), γ and κ the skewness and kurtosis of the draws."""
        z = (observed - self.mean) / self.std
        if self.is_mean_exact:
            return abs(z) * self.std_se / self.std
        skew, kurtosis = self._shape
        return math.sqrt(max(1 + z * skew + z**2 * (kurtosis - 1) / 4, 0.0) / len(self.draws))

    @cached_property
    def _shape(self) -> tuple[float, float]:
        if self.std == 0:
            return 0.0, 1.0
        z = (self.draws - self.mean) / self.std
        squares = z * z
        return float(squares @ z) / len(z), float(squares @ squares) / len(z)


def too_few_draws(n_resamples: int, alpha: float) -> str:
    """Why so many draws have no (1 − alpha)-quantile; empty where they have one.

    >>> too_few_draws(199, 0.001), too_few_draws(199, 0.005)
    ('199 permutations are too few for alpha = 0.001: it takes 999', '')
    """
    if math.ceil(round((1 - alpha) * (n_resamples + 1), 9)) <= n_resamples:
        return ""
    needed = np.ceil(round(1 / alpha, 9)) - 1
    return f"{n_resamples:,} permutations are too few for alpha = {alpha:g}: it takes {needed:,.0f}"
