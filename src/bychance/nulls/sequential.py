"""Sequential Monte Carlo tests: rounds of draws for many pairs, Besag and Clifford's rule for one.

In:  how many of the first S draws of each pair's null reach its observed value.
Out: which pairs need more draws or splitting, and p-values with their kinds.

In a ranking, a pair stops once it is decided if it is a discovery: Clopper–Pearson limits of every
p-value, and Benjamini–Hochberg over the lower and over the upper ones. If both agree the decision is made
(after Gandy and Hahn 2014). Decisions fall between rounds only, so that they depend neither on threads nor
on blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from bychance.array_types import BoolArray, FloatArray, IntArray
from bychance.nulls.base import Null, PValue
from bychance.nulls.draws import draw_many, is_drawn_on_gpu, shared_ranks, slack_of
from bychance.nulls.exact import log_fewest_arrangements
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import SampleNull, monte_carlo_p
from bychance.pair import Pair
from bychance.scores import standardize, tolerance

__all__ = [
    "ENOUGH",
    "FEW_EXCEEDANCES",
    "SamplePlan",
    "Stated",
    "discovery_threshold",
    "first_size",
    "least_p_of",
    "limits_of_p",
    "needs_tail",
    "next_size",
    "sample_null",
    "sample_until_known",
    "sample_until_precise",
    "undecided",
]


ENOUGH = 999  # draws per pair: calibrated, their quantile is worth 3,400 draws (studies/quantiles.py)
FEW_EXCEEDANCES = 10  # draws that reach the observed value, below which p is refined (taste)
_FIRST, _PER_TAIL = 199, 10  # least draws of the first round, and draws expected above the quantile (taste)
_FIRST_PRECISE, _LAST_PRECISE = 99, 102_399  # first and last number of draws S if precision decides (taste)
_ERROR = 0.1 / 7  # error rate of limits of p in one of seven rounds, together 0.1 (Bonferroni; taste)
_MATCHED_ERROR = 100.0  # factor by which p below its end may be off: 50 for 95% of WHO pairs at 1e-6 (fit)


def first_size(alpha: float, cap: int) -> int:
    """Return the number of draws of the first round, with at least ten expected above the quantile.

    >>> first_size(0.05, 9_999), first_size(0.01, 9_999), first_size(0.001, 999)
    (199, 999, 999)
    """
    return min(cap, max(_FIRST, math.ceil(round(_PER_TAIL / alpha, 9)) - 1))


def next_size(size: int, cap: int) -> int:
    """Return the number of draws after the next round: S + 1 doubles up to the cap.

    >>> next_size(199, 9_999), next_size(6_399, 9_999)
    (399, 9999)
    """
    return min(2 * size + 1, cap)


def limits_of_p(exceedances: IntArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Compute Clopper–Pearson confidence limits of Monte Carlo p-values.

    >>> low, high = limits_of_p(np.array([0, 10]), np.array([199, 199]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.02], [0.0245, 0.1015])
    """
    # Many pairs have the same counts.
    counts, of_pair = np.unique(exceedances + sizes * 1j, return_inverse=True)
    k, size = counts.real, counts.imag
    low = special.betaincinv(np.maximum(k, 1), size - k + 1, _ERROR / 2)
    high = special.betaincinv(k + 1, np.maximum(size - k, 1), 1 - _ERROR / 2)
    return np.where(k == 0, 0.0, low)[of_pair], np.where(k == size, 1.0, high)[of_pair]


@dataclass(frozen=True, slots=True, eq=False)
class Stated:
    """Reported p-values of many pairs, with the draws or the matched tail probability behind each.

    `matched` is the matched distribution's p below its end, if `value` is the bound there, else NaN.
    `size` is the number of draws and `exceedances` how many of them reach the observed value. Both are
    negative if nothing was sampled.
    """

    value: FloatArray
    matched: FloatArray
    exceedances: IntArray
    size: IntArray

    @property
    def has_end(self) -> BoolArray:
        """Flag p-values reported as a bound: the smallest p to which their matched distribution is valid."""
        return ~np.isnan(self.matched)

    @property
    def can_be_finer(self) -> BoolArray:
        """Flag p-values that multilevel splitting can refine: bounds, or those from few exceedances."""
        is_coarse: BoolArray = (self.exceedances >= 0) & (self.exceedances < FEW_EXCEEDANCES)
        return is_coarse | self.has_end

    def limits(self) -> tuple[FloatArray, FloatArray]:
        """Return lower and upper confidence limits of the p-values.

        They are Clopper–Pearson's for samples, the matched p and its bound for bounds, and p itself
        otherwise.
        """
        low, high = np.where(self.has_end, self.matched, self.value), self.value.copy()
        at = np.flatnonzero(self.exceedances >= 0)
        low[at], high[at] = limits_of_p(self.exceedances[at], self.size[at])
        is_no_test = np.isnan(self.value)
        low[is_no_test] = high[is_no_test] = np.nan
        return low, high


def discovery_threshold(p_values: FloatArray, level: float, factor: float) -> float:
    """Return the p-value up to which tests are discoveries at a false discovery rate of `level`.

    NaN p-values are not tests. Of m tests with R discoveries it is level·R/(factor·m), R at least 1.
    `factor` is 1 for Benjamini–Hochberg and Σ 1/k for Benjamini–Yekutieli.
    """
    n_tests = int(np.count_nonzero(~np.isnan(p_values)))
    step = level / (factor * max(n_tests, 1))
    ordered = np.sort(p_values[p_values <= level])
    passed = np.flatnonzero(ordered <= step * np.arange(1, len(ordered) + 1))
    return step * (int(passed[-1]) + 1 if len(passed) else 1)


def undecided(low: FloatArray, high: FloatArray, known: FloatArray, level: float, factor: float) -> BoolArray:
    """Flag pairs that are discoveries by their lower confidence limits for p, but not by the upper ones.

    `known` are the p-values of pairs that need no draws.
    """
    lower, upper = _thresholds(low, high, known, level, factor)
    is_undecided: BoolArray = (low <= lower) & (high > upper)
    return is_undecided


def needs_tail(stated: Stated, known: FloatArray, level: float, factor: float, cap: int) -> BoolArray:
    """Flag pairs whose small p-value must be refined by splitting to decide if they are discoveries.

    A matched p-value below its end is decided if the bound is small enough for a discovery, or if the
    matched p is more than a hundred times too large for one. A sampled pair is first drawn up to the
    `cap`. If ten exceedances there are few enough for a discovery, the draws have decided. `known` are the
    p-values of all other pairs.
    """
    low, high = stated.limits()
    lower, upper = _thresholds(low, high, known, level, factor)
    at_hand = discovery_threshold(np.concatenate([stated.value, known]), level, factor)
    is_open = stated.has_end & (low <= _MATCHED_ERROR * lower)
    if at_hand < FEW_EXCEEDANCES / (cap + 1):
        is_open |= (stated.size >= cap) & (low <= lower)
    is_open &= stated.can_be_finer & (high > upper)
    return is_open


def _thresholds(
    low: FloatArray, high: FloatArray, known: FloatArray, level: float, factor: float
) -> tuple[float, float]:
    """Return the discovery thresholds if all p-values are at their lower, or at their upper, limits."""
    lower, upper = (
        discovery_threshold(np.concatenate([limit, known]), level, factor) for limit in (low, high)
    )
    return lower, upper


def sample_until_known(
    source: Callable[[int], FloatArray], observed: float, std: float | None, cap: int, alpha: float
) -> tuple[FloatArray, PValue]:
    """Draw permutations of one pair until ten reach the observed value, and return draws and p-value.

    If ten or more of the first S₀ = 999 draws (more for a small alpha) reach it, p = (k + 1)/(S₀ + 1).
    Otherwise drawing continues to the tenth that does, at draw T: p = 10/T (Besag and Clifford 1991), or
    to the cap. Either way P(p ≤ a) ≤ a under independence. `std` is that of the null, if known exactly.
    """
    size = min(cap, max(ENOUGH, first_size(alpha, cap)))
    draws = source(size)
    least = observed - tolerance(observed, float(np.std(draws)) if std is None else std)
    count = int(np.sum(draws >= least))
    is_first = True
    while count < FEW_EXCEEDANCES and size < cap:
        size, is_first = next_size(size, cap), False
        draws = source(size)
        count = int(np.sum(draws >= least))
    if is_first or count < FEW_EXCEEDANCES:
        return draws, monte_carlo_p(count, size)
    last = int(np.flatnonzero(draws >= least)[FEW_EXCEEDANCES - 1]) + 1
    return draws, PValue(FEW_EXCEEDANCES / last, "monte carlo", 1 / math.log(10) / math.sqrt(FEW_EXCEEDANCES))


def sample_until_precise(
    source: Callable[[int], FloatArray], settings: Permutation, observed: float, bound: float, reason: str
) -> SampleNull:
    """Return a null with as many draws as the requested precision needs, at most 102,399."""
    size = _FIRST_PRECISE
    while True:
        null = SampleNull.of(source(size), bound=bound, reason=reason)
        if null.std > 0 and _is_precise(null, settings, observed, bound):
            return null
        if null.is_degenerate and abs(observed - null.mean) <= tolerance(observed, 0.0):
            return null
        if size == _LAST_PRECISE:
            return SampleNull.of(source(size), bound=bound, reason=f"{reason}; the precision was not reached")
        size = 2 * size + 1


def _is_precise(null: SampleNull, settings: Permutation, observed: float, bound: float) -> bool:
    if null.doubt_at(settings.alpha):
        return False
    z = standardize(observed, null.mean, null.std)
    room = bound - null.mean
    share_error = abs(bound - observed) / room / math.sqrt(len(null.draws)) if room > 0 else 0.0
    quantile_error = null.quantile_se(1 - settings.alpha) / null.std
    standardized_error = null.standardized_se(observed) / max(1.0, abs(z))
    return max(share_error, quantile_error, standardized_error) <= settings.rtol


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplePlan:
    """Plan to sample a null by permutation: settings, reason, and exact moments if known.

    If rows are too many, `part` is the pair on some of them. With exact moments only the shape of the null
    comes from there: its draws become offset + scale · draw. Without, the part stands for the pair.
    """

    settings: Permutation
    reason: str
    is_paper_rule: bool = False
    exact_mean: float | None = None
    exact_std: float | None = None
    part: Pair | None = None
    scale: float = 1.0
    offset: float = 0.0

    @property
    def has_exact_moments(self) -> bool:
        """Return True if the exact mean and standard deviation are known."""
        return self.exact_mean is not None and self.exact_std is not None

    def pair_for(self, pair: Pair) -> Pair:
        """Return `pair`, or `part` (the pair on fewer rows) if the plan has one but no exact moments."""
        return pair if self.part is None or self.has_exact_moments else self.part


def sample_null(plan: SamplePlan, pair: Pair) -> Null:
    """Draw the Monte Carlo null of one pair. No p-value is below 1 over the number of arrangements."""
    return replace(_drawn(plan, pair), least_p=least_p_of(pair))


def least_p_of(pair: Pair) -> float:
    """Return the smallest possible p-value, 1 over the number of arrangements, or 0 given covariates."""
    return 0.0 if pair.given is not None else math.exp(-log_fewest_arrangements(pair.x, pair.y))


def _drawn(plan: SamplePlan, pair: Pair) -> SampleNull:
    drawn_from, settings, found = plan.part or pair, plan.settings, None
    held, device, slack = np.empty(0), "cpu", 0.0
    if is_drawn_on_gpu(pair.device, pair.measure, drawn_from.n, settings.most_draws):
        slack = float(slack_of(pair.measure, pair.bound)) if shared_ranks(drawn_from, settings) else 0.0

    def source(size: int) -> FloatArray:
        nonlocal held, device
        if (missing := size - len(held)) > 0:
            asked = (len(held), missing, pair.device)
            more, device = draw_many([drawn_from], settings, *asked, n_draws=settings.most_draws)
            held = np.concatenate([held, more[0]])
        return plan.offset + plan.scale * held[:size] if plan.scale != 1.0 else held[:size]

    if settings.follows_precision:
        null = sample_until_precise(source, settings, pair.observed, pair.bound, plan.reason)
        return replace(null, slack=slack, device=device)
    if settings.is_adaptive:
        least = pair.observed - slack
        draws, found = sample_until_known(source, least, plan.exact_std, settings.cap, settings.alpha)
    else:
        draws = source(int(settings.n_resamples))
    return SampleNull.of(
        draws,
        bound=pair.bound,
        reason=plan.reason,
        is_paper_rule=plan.is_paper_rule,
        exact_mean=plan.exact_mean,
        exact_std=plan.exact_std,
        found=found,
        slack=slack,
        device=device,
    )
