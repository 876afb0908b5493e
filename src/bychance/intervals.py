"""Confidence limits of an adjusted estimate: in closed form if there is one, otherwise by half-samples.

The limits are for the value of the measure in the population, as a share of its maximum, which `adjusted`
estimates. 95% limits contain it in about 95 of 100 samples (docs/validation.md has the coverage).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import chndtrinc, ndtri, stdtrit

from bychance.array_types import FloatArray
from bychance.columns import coded
from bychance.errors import MeasureError
from bychance.influence import (
    MOST_ROWS,
    Error,
    ShareEstimate,
    distance_correlation_error,
    has_closed_error,
    kendall_error,
    share_estimate,
)
from bychance.kinds import Role
from bychance.measures import Measure
from bychance.measures.base import Values
from bychance.measures.dcor import DistanceCorrelation
from bychance.measures.hsic import HSIC
from bychance.measures.mic import MIC
from bychance.measures.ranks import Kendall, Xi
from bychance.scores import quantify

__all__ = [
    "N_HALVES",
    "Sample",
    "Shares",
    "closed_shares",
    "half_sample_limits",
    "limits_of_pairs",
    "limits_of_shares",
]

N_HALVES = 200
"""Number of half-samples for confidence limits without a closed form."""

_ALMOST_ONE = 1 - 1e-12  # a share from which on a relation counts as perfect (rounding)
_ALMOST_NONE = 1e-9  # a confidence limit below this is 0 (rounding)
_FEW = 5  # rows that the independence error counts for: its weight is at least 5/(n + 5) (taste)
_ROUNDING = 1e-9  # relative error of shares and bounds (rounding)
_FAR = 100  # multiple of the null's degrees of freedom beyond which an estimate is far from 0 (taste)
_LONGEST_STEP = 700.0  # largest step on the scale log(1 − adjusted): e to this power is still a float
_NO_ERROR = 1e-300  # least variance: all leave-one-out values of a perfect relation are equal
_DISTANCES_DF = 1.5  # degrees of freedom of the χ² with the skewness of dcor's null (eigenvalues 1/k²)
_GROUP_SIZE = 3  # rows per distinct x from which on ξ compares groups (taste)
_ONE_ROW = 0.15  # acceleration if one row holds nine tenths of the squared error (about 0.9^1.5 / 6)
_FROM_ZERO = Xi, HSIC, MIC  # measures whose population value is never below 0


class Shares(NamedTuple):
    """Inputs of confidence limits, for one pair or many: estimated shares, errors and null moments.

    `error` is the standard error of atanh √share (`Error`). Null moments are in units of the maximum. Fields
    are numbers for one pair, and arrays for many, with a row of `error` per pair.
    """

    share: Any
    error: Any
    null_mean: Any
    null_std: Any
    scale: Any = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Values of two variables, with methods that compute confidence limits of a measure of them."""

    measure: Measure[Any]
    x: Values
    y: Values
    seed: int

    @property
    def has_closed_form(self) -> bool:
        """True if the measure's standard error has a closed form, so that no half-samples are needed."""
        return has_closed_error(self.measure, self.x, self.y)

    @property
    def share_estimate(self) -> ShareEstimate:
        """Measure as a share of its maximum, with its standard error, if these have a closed form."""
        return share_estimate(self.measure, self.x, self.y)

    def limits(
        self,
        *,
        observed: float,
        adjusted: float,
        null_mean: float,
        null_std: float,
        bound: float,
        p_value: float,
        level: float,
    ) -> tuple[float, float]:
        """Compute confidence limits of the measure adjusted for chance, or NaN if data are too few."""
        room = bound - null_mean
        if not null_std > 0 or not room > 0:
            return math.nan, math.nan
        if self.has_closed_form:
            shares = closed_shares(
                self,
                self.share_estimate,
                observed=observed,
                null_mean=null_mean,
                null_std=null_std,
                bound=bound,
            )
        elif (null_df := self._null_df()) is None:
            low, high = half_sample_limits(self, adjusted=adjusted, room=room, level=level, null_std=null_std)
            return float(limits_agreeing_with_p(np.array(low), np.array(p_value), level)), high
        else:
            # The mean that a χ² of this spread has: below it √R would be steep and its error without end.
            chance = null_std / room * math.sqrt(null_df / 2)
            inside = min(max(adjusted, chance), _ALMOST_ONE)
            error = self._error(inside).times(1 / room / (2 * math.sqrt(inside) * (1 - inside)))
            if math.isnan(adjusted + error.size):
                return math.nan, math.nan
            shares = Shares(adjusted * (1 - chance) + chance, error, chance, null_std / room)
        limits = limits_of_pairs([shares], np.array([len(self.x)]), np.array([p_value]), level)
        low, high = (float(limit[0]) for limit in limits)
        return (math.sqrt(low), math.sqrt(high)) if self.measure.is_root else (low, high)

    def _null_df(self) -> float | None:
        """Return the degrees of freedom of the scaled χ² that approximates the measure's null, or None.

        Such measures behave like r² near independence. The null of the distance correlation has the skewness
        of a χ² with about 1.5 degrees of freedom, from the eigenvalues 1/k² of distances. If many rows have
        the same x, ξ compares as many groups as x has values.
        """
        if isinstance(self.measure, Kendall):
            return 1.0
        if isinstance(self.measure, DistanceCorrelation):
            return _DISTANCES_DF
        if isinstance(self.measure, Xi) and len(self.x) >= _GROUP_SIZE * (n_groups := len(np.unique(self.x))):
            return float(n_groups - 1)
        return None

    def _error(self, share: float) -> Error:
        """Compute the measure's standard error by a jackknife over pairs of rows, or from random halves."""
        are_numbers = self.x.dtype == self.y.dtype == np.float64
        if are_numbers and len(self.x) <= MOST_ROWS and isinstance(self.measure, DistanceCorrelation):
            return distance_correlation_error(self.x, self.y)
        if len(self.x) <= MOST_ROWS and isinstance(self.measure, Kendall):
            return kendall_error(self.x, self.y).times(2 * math.sqrt(share) * (1 - share))
        values = [value for value in _halves(self) if math.isfinite(value)]
        return Error(float(np.std(values)) if values else math.nan)


def closed_shares(
    sample: Sample,
    estimate: ShareEstimate,
    *,
    observed: float,
    null_mean: float,
    null_std: float,
    bound: float,
) -> Shares:
    """Convert a closed-form error and the null's moments to `Shares`, from which limits are computed.

    A measure that is the root of a share (Cramér's V) is squared: the mean of its null follows from both
    moments, the variance is that of a χ². The bound may differ from the share's maximum, which values near 0
    do not determine.
    """
    if sample.measure.is_root:
        df = int(sample.x.max()) * int(sample.y.max())
        observed, bound, null_mean = observed**2, bound**2, null_mean**2 + null_std**2
        null_std = null_mean * math.sqrt(2 / df)
    is_told = estimate.share > _ROUNDING and observed > _ROUNDING * bound
    maximum = observed / estimate.share if is_told else bound
    scale = maximum / bound
    scale = 1.0 if abs(scale - 1) < _ROUNDING else scale
    return Shares(estimate.share, estimate.error, null_mean / maximum, null_std / maximum, scale)


def limits_agreeing_with_p(low: FloatArray, p_value: FloatArray, level: float) -> FloatArray:
    """Reduce lower confidence limits to at most 0 if p is above 1 − level, to agree with the test.

    >>> limits_agreeing_with_p(np.array([0.97, 0.97, -0.2]), np.array([0.68, 0.01, 0.68]), 0.95).tolist()
    [0.0, 0.97, -0.2]
    """
    return np.where(p_value > 1 - level, np.minimum(low, 0.0), low)


def limits_of_pairs(
    pairs: Sequence[Shares], n: NDArray[Any], p_value: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Compute confidence limits of many measures adjusted for chance, from their `Shares` and p-values."""
    share, error, null_mean, null_std, scale = map(np.array, zip(*pairs, strict=True))
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = limits_of_shares(share, error, n, null_mean, null_std, level)
    return limits_agreeing_with_p(low * scale, p_value, level), high * scale


def limits_of_shares(
    share: FloatArray,
    error: FloatArray,
    n: NDArray[Any],
    null_mean: FloatArray,
    null_std: FloatArray,
    level: float,
) -> tuple[FloatArray, FloatArray]:
    """Compute confidence limits of measures (shares of a maximum) from standard errors and null moments.

    `error` has a row per share (`Error`), on the scale atanh √R. On that scale, the estimate divided by its
    error is treated as the root of a noncentral χ² with the null's degrees of freedom, 2·mean²/variance. The
    lower limit is above 0 if a test at 1 − level would reject independence. For larger estimates both tails
    have equal probability. Near 0, and on few rows, the error is averaged with the error under independence.
    Elsewhere it is multiplied by the ratio of Student's quantile to the normal quantile z. On the side of the
    acceleration a, it is also multiplied by e^(2|a|z), which is the 1/(1 − az)² of BCa limits (Efron 1987)
    without its pole.
    """
    size, error_df, acceleration, exception = error.T
    adjusted = quantify(share, null_mean, np.ones_like(share))
    inside = np.arctanh(np.sqrt(np.clip(adjusted, 0, _ALMOST_ONE))) ** 2
    distance = np.where(adjusted < 0, adjusted, inside)
    df = 2 * (null_mean / null_std) ** 2
    of_rows = np.maximum(size**2, _NO_ERROR)
    of_null = null_std**2 / (2 * null_mean)
    tail = (1 - level) / 2
    z = -ndtri(tail)
    longer = of_rows * (stdtrit(error_df, 1 - tail) / z) ** 2

    # A null of rare large values has next to no degrees of freedom, by which one row that is extreme in both
    # columns would decide about the relation. It counts as at least one degree.
    rests_on_one = (acceleration > _ONE_ROW) & (of_rows * z**2 > inside)
    low_df = np.where(rests_on_one, np.maximum(df, 1.0), df)
    # The lower limit's error is that of the lowest value that a test would not reject, which is near 0 until
    # the estimate is far from it.
    least = _lower_noncentrality(np.minimum(distance / of_null, _FAR * low_df), low_df, tail) * of_null
    errors = []
    for value, lean, own in ((least, -acceleration, low_df), (inside, acceleration, df)):
        near = np.maximum(own / (own + value / of_rows), _FEW / (n + _FEW))
        away = longer * np.exp(4 * z * np.maximum(lean, 0))
        errors.append(near * np.maximum(of_rows, of_null) + (1 - near) * away)
    low = _lower_noncentrality(distance / errors[0], low_df, tail) * errors[0]
    high = chndtrinc(df + inside / errors[1], df, tail) * errors[1]
    low, high = (np.tanh(np.sqrt(side)) ** 2 for side in (low, np.where(high > 0, high, 0.0)))
    # Of n rows without an exception, at most 1 − tail^(1/n) of the population are exceptions.
    perfect = np.maximum(1 - exception * (1 - tail ** (1 / n)), 0)
    is_perfect = (share >= _ALMOST_ONE) & ~rests_on_one
    return np.where(is_perfect, perfect, low), np.where(is_perfect, 1.0, high)


def _lower_noncentrality(distance: FloatArray, df: FloatArray, tail: float) -> FloatArray:
    """Return the lower limit of a noncentral χ²'s noncentrality parameter, given the statistic minus df."""
    statistic = np.maximum(df + distance, 1e-9)
    turn = chndtrinc(df, df, tail)
    one_sided = chndtrinc(statistic, df, 1 - 2 * tail)
    two_sided = np.maximum(turn, chndtrinc(statistic, df, 1 - tail))
    low = np.where(one_sided >= turn, two_sided, one_sided)
    # Without a solution it is tiny or NaN.
    return np.where(low > _ALMOST_NONE, low, 0.0)


def half_sample_limits(
    sample: Sample,
    *,
    adjusted: float,
    room: float,
    level: float,
    null_std: float,
) -> tuple[float, float]:
    """Compute confidence limits from the measure's spread over random halves of the rows.

    `room` is the bound minus the null's mean. The spread over random halves is that of the whole sample (the
    delete-half jackknife). Unlike rows drawn with replacement, halves hold no ties that the data do not have,
    which ξ, MIC and ranks would take for dependence. The limits are of equal length on the scale log(1 −
    adjusted), so that none exceeds 1.
    """
    n = len(sample.x)
    if n < 2 * max(sample.measure.min_n, 5) or math.isnan(adjusted):
        return math.nan, math.nan
    if adjusted >= _ALMOST_ONE:
        return ((1 - level) / 2) ** (1 / n), adjusted
    values = [value for value in _halves(sample) if math.isfinite(value)]
    if len(values) < N_HALVES // 2:
        return math.nan, math.nan
    quantile = float(stdtrit(n - 1, (1 + level) / 2))
    variance = float(np.var(values))
    if isinstance(sample.measure, Xi):
        # Neighbors in a half are two apart on average: of the variance that independence gives, halves show
        # 5/3, which is 2 − Σ 4⁻ᵍ over the gaps g.
        variance = max(variance - 2 / 3 * (null_std * (1 - adjusted)) ** 2, 3 / 5 * variance)
    step = quantile * math.sqrt(variance) / room / (1 - adjusted)
    lowest = 0.0 if isinstance(sample.measure, _FROM_ZERO) else -math.inf
    low, high = (1 - (1 - adjusted) * math.exp(side) for side in (min(step, _LONGEST_STEP), -step))
    return max(low, lowest), max(high, lowest)


def _halves(sample: Sample) -> Iterator[float]:
    """Yield the measure on random halves of the rows, NaN if a user's function fails.

    A half may have another bound than all rows. Each value is rescaled from the bound of its half to the
    bound of all rows, so that all are shares of one maximum.
    """
    generator, measure = np.random.default_rng(sample.seed), sample.measure
    bound = measure.default_bound(*_prepared(measure, sample.x, sample.y))
    for _ in range(N_HALVES):
        rows = np.sort(generator.permutation(len(sample.x))[: len(sample.x) // 2])
        x, y = sample.x[rows], sample.y[rows]
        if not measure.needs_shared_labels:  # a half may lack some categories
            x, y = (coded(part) if part.dtype == np.int32 else part for part in (x, y))
        try:
            half = _prepared(measure, x, y)
            own = measure.default_bound(*half)
            yield float(measure.estimate(*half)) * (bound / own) if own > 0 else math.nan
        except MeasureError:
            yield math.nan


def _prepared(measure: Measure[Any], x: Values, y: Values) -> tuple[Any, Any]:
    return measure.prepare(x, Role.X), measure.prepare(y, Role.Y)
