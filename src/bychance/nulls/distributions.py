"""Continuous and 2 × 2 null distributions of many pairs: Beta, Pearson III, normal, hypergeometric, Cantelli.

In:  one entry per pair: mean, standard deviation, parameters and support.
Out: quantiles and upper tails as arrays, and one entry as a `Null`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.nulls.base import DegenerateNull, Null, PValue
from bychance.nulls.validity import CAVEATS, Caveat, Codes, doubt_text
from bychance.scores import standardize, tolerance

__all__ = [
    "ENGINES",
    "LAW_OF_ENGINE",
    "Engine",
    "EngineText",
    "Law",
    "MatchedNull",
    "NullDistributions",
    "as_null",
    "once",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Scalar = TypeVar("Scalar", bound=np.generic)


class Law(IntEnum):
    """The shape of a null."""

    UNKNOWN = 0
    CONSTANT = 1
    BETA = 2
    PEARSON = 3
    NORMAL = 4
    CANTELLI = 5
    FOURFOLD = 6
    FOURFOLD_INFORMATION = 7


class Engine(IntEnum):
    """Distribution and kind of moments. ENGINES has its name, its shape and its reason."""

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


class EngineText(NamedTuple):
    """Name, shape and reason of an engine, as users read them."""

    name: str
    law: Law
    reason: str


_TWO_VALUES = "both variables have two values: the hypergeometric law"
ENGINES = (
    EngineText("", Law.UNKNOWN, ""),
    EngineText(DegenerateNull.engine, Law.CONSTANT, "every permutation gives the same value"),
    EngineText("beta (exact moments)", Law.BETA, "Beta law with the exact mean and variance"),
    EngineText("beta (normal)", Law.BETA, "normal theory: one margin is taken as normal"),
    EngineText("pearson3 (exact moments)", Law.PEARSON, "Pearson III law with the exact three moments"),
    EngineText("gamma (exact moments)", Law.PEARSON, "gamma law with the exact mean and variance"),
    EngineText("normal (exact moments)", Law.NORMAL, "normal law with the exact mean and variance"),
    EngineText("cantelli (exact moments)", Law.CANTELLI, "Cantelli's bound with the exact mean and variance"),
    EngineText("gamma (multinomial)", Law.PEARSON, "Dobra–Gehrke mean and variance, gamma law"),
    EngineText(
        "cantelli (multinomial)",
        Law.CANTELLI,
        "the paper's: Dobra–Gehrke mean and variance, Cantelli's bound",
    ),
    EngineText("exact tables", Law.FOURFOLD, _TWO_VALUES),
    EngineText("exact tables", Law.FOURFOLD_INFORMATION, _TWO_VALUES),
)
LAW_OF_ENGINE = np.array([engine.law for engine in ENGINES], dtype=np.int8)

# As the codes lie in arrays: comparing with a member of an enum converts it first.
_UNDECIDED, _DEGENERATE = np.int8(Engine.UNDECIDED), np.int8(Engine.DEGENERATE)
_FOURFOLD, _FOURFOLD_INFORMATION = np.int8(Engine.FOURFOLD), np.int8(Engine.FOURFOLD_INFORMATION)
# Below this skewness a Pearson III law is the normal law to all digits of a float.
_NO_SKEW = 1e-7


@dataclass(frozen=True, eq=False, kw_only=True)
class NullDistributions:
    """Null distributions, one entry per pair.

    `engine` holds codes into ENGINES, `caveat` codes into trust.CAVEATS, 0 where the level can be trusted,
    and `figure` what that caveat is about. An undecided pair has no quantiles and no tails. `holds_to` is the
    smallest p down to which a law was shown to hold: 0 for exact laws and bounds, 1 where the level itself is
    in doubt. No tail falls below exp(`log_floor`), the chance of a single arrangement.
    """

    mean: Array
    std: Array
    engine: Codes
    caveat: Codes
    figure: Array
    holds_to: Array
    first: Array  # a of a Beta law, the skewness of a Pearson III law, the rows of one value of x
    second: Array  # b of a Beta law, the rows of one value of y
    low: Array  # quantiles of Pearson III and normal laws and of the bound stay within low and high
    high: Array
    n: Counts  # 0 where the law does not need it
    log_floor: Array

    @classmethod
    def of(
        cls,
        engine: Engine,
        mean: Array,
        std: Array,
        *,
        first: Array | float = np.nan,
        second: Array | float = np.nan,
        support: tuple[Array | float, Array | float] = (0.0, 1.0),
    ) -> NullDistributions:
        """Make distributions of one engine without caveats. A number stands for all pairs.

        A null without variance is degenerate.
        """
        low, high, first, second, figure, holds_to, log_floor = (
            _for_all(value, mean.shape, np.float64)
            for value in (*support, first, second, np.nan, 0.0, -np.inf)
        )
        return cls(
            mean=mean,
            std=std,
            engine=np.where(std > 0, np.int8(engine), _DEGENERATE),
            caveat=_for_all(Caveat.NONE, mean.shape, np.int8),
            figure=figure,
            holds_to=holds_to,
            first=first,
            second=second,
            low=low,
            high=high,
            n=_for_all(0, mean.shape, np.int64),
            log_floor=log_floor,
        )

    @property
    def is_degenerate(self) -> NDArray[np.bool_]:
        """Flag nulls for which every permutation gives one value."""
        return np.equal(self.engine, _DEGENERATE)

    @property
    def has_law(self) -> NDArray[np.bool_]:
        """Flag nulls with the quantiles and tails of a distribution."""
        return np.greater(self.engine, _DEGENERATE)

    @property
    def is_undecided(self) -> NDArray[np.bool_]:
        """Flag nulls that must be found pair by pair."""
        return np.equal(self.engine, _UNDECIDED)

    @property
    def is_trusted(self) -> NDArray[np.bool_]:
        """Flag nulls that `auto` may take."""
        return np.equal(self.caveat, Caveat.NONE)

    @property
    def is_exact(self) -> NDArray[np.bool_]:
        """Flag exact distributions, those of 2 × 2 tables."""
        is_exact: NDArray[np.bool_] = np.equal(self.engine, _FOURFOLD)
        return is_exact | np.equal(self.engine, _FOURFOLD_INFORMATION)

    def pick(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> NullDistributions:
        """Return the nulls of some of the pairs."""
        return NullDistributions(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def quantile(self, p: float) -> Array:
        """Return the smallest value that each D₀ stays at or below with probability p."""
        values = np.full(len(self.mean), np.nan)
        for law, rows, laws in self._by_law():
            values[rows] = _QUANTILES[law](laws, p)
        return values

    def sf(self, observed: Array) -> Array:
        """Return the probability of a value at least as large as each observed one."""
        tails = np.full(len(self.mean), np.nan)
        values = observed - tolerance(observed, self.std)
        for law, rows, laws in self._by_law():
            exact = law is Law.CANTELLI  # a bound, which jumps nowhere
            tails[rows] = _TAILS[law](laws, observed[rows] if exact else values[rows])
        np.maximum(tails, np.exp(once(self.log_floor)), out=tails)
        np.minimum(tails, 1.0, out=tails)
        return tails

    def _by_law(self) -> list[tuple[Law, NDArray[np.intp] | slice, NullDistributions]]:
        if len(self.engine) == 1 or (len(self.engine) and (self.engine == self.engine[0]).all()):
            law = Law(LAW_OF_ENGINE[self.engine[0]])
            return [(law, slice(None), self)] if law in _TAILS else []
        laws = LAW_OF_ENGINE[self.engine]
        found = [(law, np.flatnonzero(laws == law)) for law in _TAILS]
        return [(law, rows, self.pick(rows)) for law, rows in found if len(rows)]

    def doubt(self, k: int) -> str:
        """Return why the level of one null may be off, with the figure, or an empty string."""
        return doubt_text(int(self.caveat[k]), float(self.figure[k]))


def once(values: NDArray[Any]) -> NDArray[Any]:
    """Return the one entry of a broadcast view, and any other array as it is.

    >>> once(np.broadcast_to(7, 5)).tolist(), once(np.array([7, 7])).tolist()
    ([7], [7, 7])
    """
    return values[:1] if values.strides == (0,) else values


def _for_all(value: Any, shape: tuple[int, ...], dtype: type[Scalar]) -> NDArray[Scalar]:
    """Return the value as one entry per pair, without a copy if it is a number."""
    array = np.asarray(value, dtype=dtype)
    return array.reshape(shape) if shape == (1,) else np.broadcast_to(array, shape)


def _constant_quantile(laws: NullDistributions, p: float) -> Array:
    return laws.mean


def _constant_tail(laws: NullDistributions, values: Array) -> Array:
    return np.ones_like(values)


def _beta_quantile(laws: NullDistributions, p: float) -> Array:
    return _native.beta_quantiles(laws.first, laws.second, p)


def _beta_tail(laws: NullDistributions, values: Array) -> Array:
    return _native.beta_tails(laws.first, laws.second, values)


def _pearson_quantile(laws: NullDistributions, p: float) -> Array:
    skew = laws.first
    z = np.full_like(skew, special.ndtri(p))
    signs = (skew >= _NO_SKEW, special.gammaincinv), (skew <= -_NO_SKEW, special.gammainccinv)
    for is_skewed, inverse in signs:
        if is_skewed.any():
            part = skew[is_skewed]
            shape = 4 / (part * part)
            z[is_skewed] = (inverse(shape, p) - shape) * part / 2
    return np.minimum(np.maximum(laws.mean + laws.std * z, laws.low), laws.high)


def _pearson_tail(laws: NullDistributions, values: Array) -> Array:
    skew, z = laws.first, standardize(values, laws.mean, laws.std)
    is_above, is_below = skew >= _NO_SKEW, skew <= -_NO_SKEW
    if is_above.all():
        return _gamma_tail(skew, z, special.gammaincc)
    tail = np.asarray(special.ndtr(-z))
    for is_skewed, of_gamma in (is_above, special.gammaincc), (is_below, special.gammainc):
        tail[is_skewed] = _gamma_tail(skew[is_skewed], z[is_skewed], of_gamma)
    return tail


def _gamma_tail(skew: Array, z: Array, of_gamma: np.ufunc) -> Array:
    shape = 4 / (skew * skew)
    return np.asarray(of_gamma(shape, np.maximum(shape + 2 * z / skew, 0.0)))


def _normal_quantile(laws: NullDistributions, p: float) -> Array:
    return np.clip(laws.mean + laws.std * special.ndtri(p), laws.low, laws.high)


def _normal_tail(laws: NullDistributions, values: Array) -> Array:
    return np.asarray(special.ndtr((laws.mean - values) / laws.std))


def _fourfold_quantile(laws: NullDistributions, p: float) -> Array:
    totals, scale, function = _fourfold_tables(laws)
    return scale * _native.fourfold_quantiles(*totals, p, function)


def _fourfold_tail(laws: NullDistributions, values: Array) -> Array:
    totals, scale, function = _fourfold_tables(laws)
    return _native.fourfold_tails(*totals, values / scale, function)


def _fourfold_tables(
    laws: NullDistributions,
) -> tuple[tuple[Counts, Counts, Counts], Array, Literal["information", "contingency"]]:
    """Return the totals of 2 × 2 tables, the measure's scale, and its sum over cells."""
    totals = laws.n, laws.first.astype(np.int64), laws.second.astype(np.int64)
    if laws.engine[0] == _FOURFOLD_INFORMATION:
        return totals, np.ones(len(laws.n)), "information"
    return totals, laws.mean * (laws.n - 1), "contingency"  # the mean of φ² is 1/(n − 1)


def _cantelli_quantile(laws: NullDistributions, p: float) -> Array:
    """Return E + √(p/(1 − p))·SD, an upper bound on quantiles (Romano et al. 2016, §4)."""
    deviation = np.inf if p >= 1 else float(np.sqrt(p / (1 - p)))
    return np.minimum(laws.mean + deviation * laws.std, laws.high)


def _cantelli_tail(laws: NullDistributions, values: Array) -> Array:
    """Return Cantelli's bound on the upper tail, 1/(1 + z²) above the mean."""
    return 1 / (1 + np.square(np.maximum(standardize(values, laws.mean, laws.std), 0.0)))


_QUANTILES = {
    Law.CONSTANT: _constant_quantile,
    Law.BETA: _beta_quantile,
    Law.PEARSON: _pearson_quantile,
    Law.NORMAL: _normal_quantile,
    Law.CANTELLI: _cantelli_quantile,
    Law.FOURFOLD: _fourfold_quantile,
    Law.FOURFOLD_INFORMATION: _fourfold_quantile,
}
_TAILS = {
    Law.CONSTANT: _constant_tail,
    Law.BETA: _beta_tail,
    Law.PEARSON: _pearson_tail,
    Law.NORMAL: _normal_tail,
    Law.CANTELLI: _cantelli_tail,
    Law.FOURFOLD: _fourfold_tail,
    Law.FOURFOLD_INFORMATION: _fourfold_tail,
}


def as_null(laws: NullDistributions) -> Null:
    """Return the null of a single pair, the one entry."""
    name, _, reason = ENGINES[laws.engine[0]]
    if laws.is_degenerate[0]:
        return DegenerateNull(mean=float(laws.mean[0]), reason=reason)
    doubt = laws.doubt(0)
    return MatchedNull(
        mean=float(laws.mean[0]),
        std=float(laws.std[0]),
        engine=name,
        reason=f"{reason}; its level is approximate: {doubt}" if doubt else reason,
        caveat=CAVEATS[laws.caveat[0]],
        holds_to=float(laws.holds_to[0]),
        laws=laws,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchedNull(Null):
    """A matched law as a Null: one entry of NullDistributions."""

    laws: NullDistributions = field(repr=False)

    def quantile(self, p: float) -> float:
        """Return the distribution's quantile."""
        return float(self.laws.quantile(p)[0])

    def sf(self, observed: float) -> float:
        """Return the upper tail, with allowance for rounding of the observed value."""
        return float(self.laws.sf(np.array([observed]))[0])

    def p_value(self, observed: float) -> PValue:
        """Return the upper tail as a p-value. Its error is unknown for matched distributions."""
        is_exact = bool(self.laws.is_exact[0])
        return PValue(self.sf(observed), "exact" if is_exact else "matched", 0.0 if is_exact else np.nan)
