"""Closed-form null distributions of many pairs: Beta, Pearson III, normal, hypergeometric, Cantelli's bound.

In:  one entry per pair: mean, standard deviation, parameters and support.
Out: quantiles and upper tails as arrays, one entry as a `Null`, and sentences on why its level may be off.

The rules of validity, which give the codes of these sentences, are in src/native/distributions/validity.cpp,
with all their limits. They were set on the kinds of data of studies/levels/fit_data.py and judged on those of
judge_data.py, after which some were tightened (docs/validation.md has the tables). If they hold, P(p ≤ a)
under independence is at most 1.25·a for a = 0.05, 0.01 and 0.001, and at least 0.8·a for continuous data,
within the limits of the simulation. Down to `holds_to` it is about 1.5·a at most on average.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.nulls.base import DegenerateNull, Null, PValue
from bychance.scores import standardize, tolerance

__all__ = [
    "CAVEATS",
    "ENGINES",
    "Codes",
    "Engine",
    "EngineText",
    "MatchedNull",
    "NullDistributions",
    "as_null",
    "once",
]

Codes = NDArray[np.int8]


# The caveat in a few words, and the sentence with its number (the last one if that is 1), by the code that
# src/native/distributions/validity.hpp gives it.
_SENTENCES = (
    ("", ""),
    ("few values are possible", "few values are possible"),
    ("few rows", "few rows"),
    ("outliers", "outliers make the variance {:.2f} times that of normal data"),
    ("skewness unlike the distribution's", "the skewness is {:.2f} times that of the distribution"),
    ("small expected counts", "a cell expects only {:.1f} rows"),
    (
        "a very common value",
        "only {:.0f} rows differ from the most common value",
        "only 1 row differs from the most common value",
    ),
    ("unknown skewness", "the skewness is not known"),
    ("few distinct values", "the normal distribution is a limit for many values"),
    ("variance unlike the distribution's", "the variance is {:.2f} times that of a squared normal"),
    ("unknown variance", "unknown variance"),
    ("rare values", "rare values leave no smooth distribution"),
    ("skewness unlike the distribution's", "the skewness {:.2f} is not that of squares"),
    ("categories mostly distinct", "only {:.0f} rows repeat a category", "only 1 row repeats a category"),
    (
        "both variables are skewed",
        "the skewness of both variables moves the tail (third cumulants {:.2f})",
    ),
    (
        "extreme values in small groups",
        "extreme values that share a small group move the tail (fourth cumulants {:.2f})",
    ),
)
CAVEATS = tuple(caveat for caveat, *_ in _SENTENCES)


def _doubt_text(caveat: int, caveat_value: float) -> str:
    """Return the sentence of a caveat with its number, such as "only 3 rows repeat a category", or "".

    >>> _doubt_text(6, 1.0), _doubt_text(13, 3.0)
    ('only 1 row differs from the most common value', 'only 3 rows repeat a category')
    """
    _, many, *one = _SENTENCES[caveat]
    return one[0] if one and round(caveat_value) == 1 else many.format(caveat_value)


class Engine(IntEnum):
    """Code of the method behind a null: a family of distributions, and the moments it is matched to."""

    UNDECIDED = 0
    DEGENERATE = 1
    BETA = 2
    NORMAL_THEORY = 3
    PEARSON = 4
    GAMMA = 5
    NORMAL = 6
    CANTELLI = 7
    MULTINOMIAL = 8
    PAPER_CANTELLI = 9
    FOURFOLD = 10
    FOURFOLD_INFORMATION = 11


# The codes as numpy scalars: comparing an array with a member of an enum would convert it first (speed).
_UNDECIDED, _DEGENERATE = np.int8(Engine.UNDECIDED), np.int8(Engine.DEGENERATE)
_FOURFOLD, _FOURFOLD_INFORMATION = np.int8(Engine.FOURFOLD), np.int8(Engine.FOURFOLD_INFORMATION)
_NO_SKEW = 1e-7  # skewness below which Pearson III equals the normal distribution in float64 (rounding)


@dataclass(frozen=True, eq=False)
class NullDistributions:
    """Closed-form null distributions of many pairs, as arrays with one entry per pair.

    `engine` holds codes into ENGINES. `caveat` holds codes into CAVEATS, 0 if its p-values are valid,
    and `caveat_value` the number that its sentence quotes. An undecided pair has no quantiles and tails.
    `holds_to` is the smallest p down to which a null was shown to hold: 0 for exact nulls and bounds, 1 if
    its level is in doubt. No tail falls below exp(`log_floor`), the probability of a single arrangement.
    """

    mean: FloatArray
    std: FloatArray
    engine: Codes
    caveat: Codes
    caveat_value: FloatArray
    holds_to: FloatArray
    first: FloatArray  # a of Beta, the skewness of Pearson III, the rows of one value of x
    second: FloatArray  # b of Beta, the rows of one value of y
    low: FloatArray  # quantiles of Pearson III, normal nulls and bounds stay within low and high
    high: FloatArray
    n: IntArray  # 0 if the shape does not need it
    log_floor: FloatArray

    @classmethod
    def of(
        cls,
        engine: Engine,
        mean: FloatArray,
        std: FloatArray,
        *,
        first: FloatArray | float = np.nan,
        second: FloatArray | float = np.nan,
        support: tuple[FloatArray | float, FloatArray | float] = (0.0, 1.0),
    ) -> NullDistributions:
        """Create null distributions of one `Engine` for many pairs, without caveats.

        A null without variance is degenerate.
        """
        low, high, first, second, caveat_value, holds_to, log_floor = (
            np.full(mean.shape, value, dtype=np.float64)
            for value in (*support, first, second, np.nan, 0.0, -np.inf)
        )
        return cls(
            mean=mean,
            std=std,
            engine=np.where(std > 0, np.int8(engine), _DEGENERATE),
            caveat=np.zeros(mean.shape, dtype=np.int8),
            caveat_value=caveat_value,
            holds_to=holds_to,
            first=first,
            second=second,
            low=low,
            high=high,
            n=np.zeros(mean.shape, dtype=np.int64),
            log_floor=log_floor,
        )

    @property
    def is_degenerate(self) -> BoolArray:
        """Flag nulls for which all permutations give the same value."""
        return np.equal(self.engine, _DEGENERATE)

    @property
    def is_matched(self) -> BoolArray:
        """Flag nulls with a closed-form distribution or bound: neither degenerate nor undecided."""
        return np.greater(self.engine, _DEGENERATE)

    @property
    def is_undecided(self) -> BoolArray:
        """Flag nulls without a closed form here, which must be computed pair by pair."""
        return np.equal(self.engine, _UNDECIDED)

    @property
    def is_valid(self) -> BoolArray:
        """Flag nulls without a caveat on their p-values, so that `auto` may use them."""
        return np.equal(self.caveat, 0)

    @property
    def is_exact(self) -> BoolArray:
        """Flag nulls that are exact: hypergeometric distributions of 2 × 2 tables."""
        is_exact: BoolArray = np.equal(self.engine, _FOURFOLD)
        return is_exact | np.equal(self.engine, _FOURFOLD_INFORMATION)

    def pick(self, rows: IntArray | BoolArray | slice) -> NullDistributions:
        """Return the distributions of the pairs at positions `rows`."""
        return NullDistributions(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def quantile(self, p: float) -> FloatArray:
        """Return the p-quantile of each null distribution."""
        values = np.full(len(self.mean), np.nan)
        for shape, rows, nulls in self._by_engine():
            values[rows] = shape.quantile(nulls, p)
        return values

    def sf(self, observed: FloatArray) -> FloatArray:
        """Return the upper-tail probability of each pair, of values at least as large as the observed one."""
        tails = np.full(len(self.mean), np.nan)
        values = observed - tolerance(observed, self.std)
        for shape, rows, nulls in self._by_engine():
            tails[rows] = shape.tail(nulls, (observed if shape.is_bound else values)[rows])
        np.maximum(tails, np.exp(once(self.log_floor)), out=tails)
        np.minimum(tails, 1.0, out=tails)
        return tails

    def _by_engine(self) -> Iterator[tuple[DistributionShape, IndexArray | slice, NullDistributions]]:
        """Yield the functions of each distribution family in use, with positions and nulls of its pairs."""
        is_one = len(self.engine) == 1 or bool((self.engine == self.engine[:1]).all())
        for code in (self.engine[:1] if is_one else np.unique(self.engine)).tolist():
            rows = slice(None) if is_one else np.flatnonzero(self.engine == code)
            if (shape := ENGINES[code].shape) is not None:
                yield shape, rows, self if is_one else self.pick(rows)

    def doubt(self, k: int) -> str:
        """Return a sentence on why the p-values of pair k may be inaccurate, or an empty string."""
        return _doubt_text(int(self.caveat[k]), float(self.caveat_value[k]))


def once(values: NDArray[Any]) -> NDArray[Any]:
    """Return one entry of an array that np.broadcast_to made from one value, other arrays unchanged.

    >>> once(np.broadcast_to(7, 5)).tolist(), once(np.array([7, 7])).tolist()
    ([7], [7, 7])
    """
    return values[:1] if values.strides == (0,) else values


def _pearson_quantile(nulls: NullDistributions, p: float) -> FloatArray:
    skew = nulls.first
    z = np.full_like(skew, special.ndtri(p))
    signs = (skew >= _NO_SKEW, special.gammaincinv), (skew <= -_NO_SKEW, special.gammainccinv)
    for is_skewed, inverse in signs:
        if is_skewed.any():
            part = skew[is_skewed]
            shape = 4 / (part * part)
            z[is_skewed] = (inverse(shape, p) - shape) * part / 2
    return np.minimum(np.maximum(nulls.mean + nulls.std * z, nulls.low), nulls.high)


def _pearson_tail(nulls: NullDistributions, values: FloatArray) -> FloatArray:
    skew, z = nulls.first, standardize(values, nulls.mean, nulls.std)
    is_above, is_below = skew >= _NO_SKEW, skew <= -_NO_SKEW
    if is_above.all():
        return _gamma_tail(skew, z, special.gammaincc)
    tail = np.asarray(special.ndtr(-z))
    for is_skewed, of_gamma in (is_above, special.gammaincc), (is_below, special.gammainc):
        tail[is_skewed] = _gamma_tail(skew[is_skewed], z[is_skewed], of_gamma)
    return tail


def _gamma_tail(skew: FloatArray, z: FloatArray, of_gamma: np.ufunc) -> FloatArray:
    shape = 4 / (skew * skew)
    return np.asarray(of_gamma(shape, np.maximum(shape + 2 * z / skew, 0.0)))


def _fourfold_quantile(nulls: NullDistributions, p: float) -> FloatArray:
    totals, scale, function = _fourfold_tables(nulls)
    return scale * _native.fourfold_quantiles(*totals, p, function)


def _fourfold_tail(nulls: NullDistributions, values: FloatArray) -> FloatArray:
    totals, scale, function = _fourfold_tables(nulls)
    return _native.fourfold_tails(*totals, values / scale, function)


def _fourfold_tables(
    nulls: NullDistributions,
) -> tuple[tuple[IntArray, IntArray, IntArray], FloatArray, Literal["information", "contingency"]]:
    """Return what the C++ functions need of 2 × 2 tables: totals, scale of the measure, cell function."""
    totals = nulls.n, nulls.first.astype(np.int64), nulls.second.astype(np.int64)
    if nulls.engine[0] == _FOURFOLD_INFORMATION:
        return totals, np.ones(len(nulls.n)), "information"
    return totals, nulls.mean * (nulls.n - 1), "contingency"  # the mean of φ² is 1/(n − 1)


def _cantelli_quantile(nulls: NullDistributions, p: float) -> FloatArray:
    """Return E + √(p/(1 − p))·SD, Cantelli's upper bound on quantiles (Romano et al. 2016, §4)."""
    deviation = np.inf if p >= 1 else float(np.sqrt(p / (1 - p)))
    return np.minimum(nulls.mean + deviation * nulls.std, nulls.high)


def _cantelli_tail(nulls: NullDistributions, values: FloatArray) -> FloatArray:
    """Return Cantelli's bound on the upper tail, 1/(1 + z²) above the mean."""
    return 1 / (1 + np.square(np.maximum(standardize(values, nulls.mean, nulls.std), 0.0)))


class DistributionShape(NamedTuple):
    """Functions for the quantiles and upper tails of one family of distributions."""

    quantile: Callable[[NullDistributions, float], FloatArray]
    tail: Callable[[NullDistributions, FloatArray], FloatArray]
    is_bound: bool = False  # a bound is continuous, so that rounding of the observed value does not matter


_CONSTANT = DistributionShape(
    quantile=lambda nulls, p: nulls.mean,
    tail=lambda nulls, values: np.ones_like(values),
)
_BETA = DistributionShape(
    quantile=lambda nulls, p: _native.beta_quantiles(nulls.first, nulls.second, p),
    tail=lambda nulls, values: _native.beta_tails(nulls.first, nulls.second, values),
)
_NORMAL = DistributionShape(
    quantile=lambda nulls, p: np.clip(nulls.mean + nulls.std * special.ndtri(p), nulls.low, nulls.high),
    tail=lambda nulls, values: np.asarray(special.ndtr((nulls.mean - values) / nulls.std)),
)
_PEARSON = DistributionShape(_pearson_quantile, _pearson_tail)
_FOURFOLD_TABLE = DistributionShape(_fourfold_quantile, _fourfold_tail)
_CANTELLI = DistributionShape(_cantelli_quantile, _cantelli_tail, is_bound=True)


class EngineText(NamedTuple):
    """Name of a null's method (`Engine`), its family of distributions, and the reason shown to users."""

    name: str
    shape: DistributionShape | None
    reason: str


_TWO_VALUES = "both variables have two values: the hypergeometric distribution"
ENGINES = (
    EngineText("", None, ""),
    EngineText(DegenerateNull.engine, _CONSTANT, "every permutation gives the same value"),
    EngineText("beta (exact moments)", _BETA, "Beta distribution with the exact mean and variance"),
    EngineText("beta (normal)", _BETA, "normal theory: one margin is taken as normal"),
    EngineText("pearson3 (exact moments)", _PEARSON, "Pearson III distribution with the exact three moments"),
    EngineText("gamma (exact moments)", _PEARSON, "gamma distribution with the exact mean and variance"),
    EngineText("normal (exact moments)", _NORMAL, "normal distribution with the exact mean and variance"),
    EngineText("cantelli (exact moments)", _CANTELLI, "Cantelli's bound with the exact mean and variance"),
    EngineText("gamma (multinomial)", _PEARSON, "Dobra–Gehrke mean and variance, gamma distribution"),
    EngineText(
        "cantelli (multinomial)",
        _CANTELLI,
        "the paper's: Dobra–Gehrke mean and variance, Cantelli's bound",
    ),
    EngineText("exact tables", _FOURFOLD_TABLE, _TWO_VALUES),
    EngineText("exact tables", _FOURFOLD_TABLE, _TWO_VALUES),
)


def as_null(nulls: NullDistributions) -> Null:
    """Convert the first of several null distributions to the null of a single pair."""
    name, _, reason = ENGINES[nulls.engine[0]]
    if nulls.is_degenerate[0]:
        return DegenerateNull(mean=float(nulls.mean[0]), reason=reason)
    doubt = nulls.doubt(0)
    return MatchedNull(
        mean=float(nulls.mean[0]),
        std=float(nulls.std[0]),
        engine=name,
        reason=f"{reason}; its level is approximate: {doubt}" if doubt else reason,
        caveat=CAVEATS[nulls.caveat[0]],
        doubt=doubt,
        holds_to=float(nulls.holds_to[0]),
        nulls=nulls,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchedNull(Null):
    """Closed-form null of one pair, held as a `NullDistributions` of one entry."""

    nulls: NullDistributions = field(repr=False)

    def quantile(self, p: float) -> float:
        """Return the p-quantile of the distribution."""
        return float(self.nulls.quantile(p)[0])

    def sf(self, observed: float) -> float:
        """Return the upper-tail probability of the observed value, with a tolerance for its rounding."""
        return float(self.nulls.sf(np.array([observed]))[0])

    def p_value(self, observed: float) -> PValue:
        """Return the upper-tail probability as a p-value, with unknown error unless the null is exact."""
        is_exact = bool(self.nulls.is_exact[0])
        return PValue(self.sf(observed), "exact" if is_exact else "matched", 0.0 if is_exact else np.nan)
