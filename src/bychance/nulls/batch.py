"""The nulls of many pairs at once, as arrays: the laws, moments and rules of trust of the nulls of one pair.

In:  one entry a pair; none is degenerate by its columns alone (constant, all distinct, under three rows).
Out: a NullBatch, its entries what `choose_null` answers pair by pair.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.nulls.base import DegenerateNull, tolerance
from bychance.nulls.choose import CANTELLI_ENGINE, MULTINOMIAL_ENGINE, NORMAL_ENGINE
from bychance.nulls.laws import (
    beta_moments,
    beta_parameters,
    beta_skew,
    cantelli_deviation,
    cantelli_tail,
    pearson_quantile,
    pearson_tail,
)
from bychance.nulls.matched import BETA_ENGINE, GAMMA_ENGINE, PEARSON_ENGINE
from bychance.nulls.moments import normal_variance, snapped
from bychance.nulls.multinomial import gain_moments
from bychance.nulls.trust import (
    MAX_LAW_SKEW,
    Caveat,
    Codes,
    distrust_beta,
    distrust_gamma,
    distrust_information,
    effective_rows,
    may_have_rare_values,
)

__all__ = [
    "ENGINES",
    "NullBatch",
    "cantelli_gains",
    "match_information",
    "match_traces",
    "multinomial_gains",
    "normal_theory",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

ENGINES = (
    "",
    DegenerateNull.engine,
    BETA_ENGINE,
    NORMAL_ENGINE,
    PEARSON_ENGINE,
    GAMMA_ENGINE,
    MULTINOMIAL_ENGINE,
    CANTELLI_ENGINE,
)
_UNDECIDED, _DEGENERATE, _BETA, _NORMAL, _PEARSON, _GAMMA, _MULTINOMIAL, _CANTELLI = range(len(ENGINES))


@dataclass(frozen=True, eq=False, kw_only=True)
class NullBatch:
    """Null distributions, one entry a pair.

    `engine` holds codes into ENGINES, `caveat` codes into trust.CAVEATS, 0 where the level can be trusted.
    A pair whose engine is 0 is undecided: no law serves here, and its quantiles and tails are unknown.
    """

    mean: Array
    std: Array
    engine: Codes
    caveat: Codes
    first: Array  # a of a Beta law, the skewness of a Pearson III law
    second: Array  # b of a Beta law, the end of the support of a Pearson III law

    @property
    def is_degenerate(self) -> NDArray[np.bool_]:
        """Whether every re-pairing gives one value."""
        return np.equal(self.engine, _DEGENERATE)

    @property
    def is_undecided(self) -> NDArray[np.bool_]:
        """Whether the null must be found pair by pair."""
        return np.equal(self.engine, _UNDECIDED)

    @property
    def is_trusted(self) -> NDArray[np.bool_]:
        """Whether `auto` may take it."""
        return np.equal(self.caveat, Caveat.NONE)

    def pick(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> NullBatch:
        """The nulls of some of the pairs."""
        return NullBatch(**{f.name: getattr(self, f.name)[rows] for f in fields(self)})

    def quantile(self, p: float) -> Array:
        """The smallest value that each D₀ stays at or below with probability p."""
        values = np.where(self.is_undecided, np.nan, self.mean)
        for law in _LAWS:
            rows = np.flatnonzero(np.isin(self.engine, law.engines))
            values[rows] = law.quantile(self.pick(rows), p)
        return values

    def sf(self, observed: Array) -> Array:
        """The chance of a value at least as large as each observed one."""
        tails = np.where(self.is_undecided, np.nan, 1.0)
        for law in _LAWS:
            rows = np.flatnonzero(np.isin(self.engine, law.engines))
            tails[rows] = law.tail(self.pick(rows), observed[rows])
        return tails


class _Law(Protocol):
    """One shape of null: which engines have it, its quantiles and its tails."""

    engines: ClassVar[tuple[int, ...]]

    @staticmethod
    def quantile(nulls: NullBatch, p: float) -> Array: ...

    @staticmethod
    def tail(nulls: NullBatch, observed: Array) -> Array: ...


class _BetaLaw:
    engines: ClassVar[tuple[int, ...]] = (_BETA, _NORMAL)

    @staticmethod
    def quantile(nulls: NullBatch, p: float) -> Array:
        return _native.beta_quantiles(nulls.first, nulls.second, p)

    @staticmethod
    def tail(nulls: NullBatch, observed: Array) -> Array:
        values = observed - tolerance(observed, nulls.std)
        return _native.beta_tails(nulls.first, nulls.second, values)


class _PearsonLaw:
    engines: ClassVar[tuple[int, ...]] = (_PEARSON, _GAMMA, _MULTINOMIAL)

    @staticmethod
    def quantile(nulls: NullBatch, p: float) -> Array:
        values = nulls.mean + nulls.std * pearson_quantile(nulls.first, p)
        return np.clip(values, 0.0, nulls.second)

    @staticmethod
    def tail(nulls: NullBatch, observed: Array) -> Array:
        values = observed - tolerance(observed, nulls.std)
        return pearson_tail(nulls.first, (values - nulls.mean) / nulls.std)


class _CantelliLaw:
    engines: ClassVar[tuple[int, ...]] = (_CANTELLI,)

    @staticmethod
    def quantile(nulls: NullBatch, p: float) -> Array:
        return nulls.mean + cantelli_deviation(p) * nulls.std

    @staticmethod
    def tail(nulls: NullBatch, observed: Array) -> Array:
        return cantelli_tail((observed - nulls.mean) / nulls.std)


_LAWS: tuple[type[_Law], ...] = (_BetaLaw, _PearsonLaw, _CantelliLaw)


def match_traces(
    *,
    n: Counts,
    x_invariants: Array,
    y_invariants: Array,
    x_distinct: Counts,
    y_distinct: Counts,
    scale: float | Array,
    law: Literal["beta", "gamma"],
    upper: float | Array,
) -> NullBatch:
    """The laws matched to the exact moments of scale · tr(A·B), with one row of invariants a pair.

    `upper` is the end of the support. Distinct values need to be counted up to 5 only.
    """
    moments = _trace_moments(n.astype(np.float64), x_invariants, y_invariants, scale)
    data = {"n": n, "x_distinct": x_distinct, "y_distinct": y_distinct}
    nulls = _match_pearson(moments, np.broadcast_to(upper, n.shape), data)
    if law == "beta":
        nulls = _match_beta(moments, data, otherwise=nulls)
    rows = effective_rows(x_invariants), effective_rows(y_invariants)
    is_rare = may_have_rare_values(n, *rows) & (moments.skew > MAX_LAW_SKEW)
    return _with_degenerate(_undecided(nulls, is_rare, Caveat.RARE_VALUES), moments.is_degenerate)


def match_information(
    *,
    mean: Array,
    variance: Array,
    upper: Array,
    x_distinct: Counts,
    y_distinct: Counts,
    min_expected: Array,
) -> NullBatch:
    """Gamma laws with the exact mean and variance of mutual information, in its units.

    A pair whose `variance` is NaN, because it is unknown, is undecided; so is one with rare values.
    """
    caveat = distrust_information(x_distinct=x_distinct, y_distinct=y_distinct, min_expected=min_expected)
    nulls = _gamma_laws(_GAMMA, mean, variance, upper, np.asarray(caveat))
    nulls = _undecided(nulls, nulls.first > MAX_LAW_SKEW, Caveat.RARE_VALUES)
    return _undecided(nulls, np.isnan(variance), Caveat.UNKNOWN_VARIANCE)


def normal_theory(*, df_explained: Counts, df_residual: Counts) -> NullBatch:
    """Beta(df_explained/2, df_residual/2): the normal model of shares of variance."""
    a, b = df_explained / 2, df_residual / 2
    mean, std = beta_moments(a, b)
    return NullBatch(
        mean=mean, std=std, engine=_codes(_NORMAL, a), caveat=_codes(Caveat.NONE, a), first=a, second=b
    )


def multinomial_gains(
    *,
    n: Counts,
    x_groups: Counts,
    x_invariants: Array,
    y_invariants: Array,
    scale: float | Array,
    upper: float | Array,
) -> NullBatch:
    """Gamma laws with Dobra and Gehrke's moments of scale · tr(A·B), x a projector and y an indicator."""
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    return _gamma_laws(
        _MULTINOMIAL, mean, variance, np.broadcast_to(upper, n.shape), _codes(Caveat.NONE, mean)
    )


def cantelli_gains(
    *, n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> NullBatch:
    """Cantelli's bound on Dobra and Gehrke's moments: the paper's null of Gini gain."""
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    unused = np.full_like(mean, np.nan)
    nulls = NullBatch(
        mean=mean,
        std=np.sqrt(np.maximum(variance, 0.0)),
        engine=_codes(_CANTELLI, mean),
        caveat=_codes(Caveat.NONE, mean),
        first=unused,
        second=unused,
    )
    return _with_degenerate(nulls, variance <= 0)


@dataclass(frozen=True, eq=False)
class _TraceMoments:
    """Exact moments; a degenerate pair has a variance of 1 here, so that it can go along with the others."""

    mean: Array
    variance: Array
    third: Array
    variance_ratio: Array  # to the normal model's
    is_degenerate: NDArray[np.bool_]

    @cached_property
    def std(self) -> Array:
        return np.sqrt(self.variance)

    @cached_property
    def skew(self) -> Array:
        return self.third / (self.variance * self.std)


def _trace_moments(n: Array, x: Array, y: Array, scale: float | Array) -> _TraceMoments:
    mean, variance, third = _native.trace_moments_many(x, y, n)
    model = normal_variance(x, y, n)
    variance = scale * scale * snapped(variance, model)
    is_degenerate = variance == 0
    return _TraceMoments(
        mean=scale * mean,
        variance=np.where(is_degenerate, 1.0, variance),
        third=scale * scale * scale * third,
        variance_ratio=variance / (model * scale * scale),
        is_degenerate=is_degenerate,
    )


def _match_pearson(moments: _TraceMoments, upper: Array, data: dict[str, Counts]) -> NullBatch:
    skew_ratio = moments.skew / (2 * moments.std / moments.mean)
    return NullBatch(
        mean=moments.mean,
        std=moments.std,
        engine=_codes(_PEARSON, upper),
        caveat=np.asarray(distrust_gamma(**data, skew=moments.skew, skew_ratio=skew_ratio)),
        first=moments.skew,
        second=upper,
    )


def _match_beta(moments: _TraceMoments, data: dict[str, Counts], otherwise: NullBatch) -> NullBatch:
    """Beta laws where there is one with these moments."""
    a, b = beta_parameters(moments.mean, moments.variance)
    is_beta = (a > 0) & (b > 0)
    a, b = np.where(is_beta, a, 1.0), np.where(is_beta, b, 2.0)
    law_skew = beta_skew(a, b)
    skew_ratio = np.divide(moments.skew, law_skew, out=np.full_like(a, np.inf), where=law_skew != 0)
    caveat = distrust_beta(**data, variance_ratio=moments.variance_ratio, skew_ratio=skew_ratio)
    return replace(
        otherwise,
        engine=np.where(is_beta, np.int8(_BETA), otherwise.engine),
        caveat=np.where(is_beta, caveat, otherwise.caveat),
        first=np.where(is_beta, a, otherwise.first),
        second=np.where(is_beta, b, otherwise.second),
    )


def _gamma_laws(engine: int, mean: Array, variance: Array, upper: Array, caveat: Codes) -> NullBatch:
    std = np.sqrt(np.maximum(variance, 0.0))
    is_degenerate = std == 0
    skew = 2 * std / np.where(is_degenerate, 1.0, mean)
    nulls = NullBatch(
        mean=mean, std=std, engine=_codes(engine, mean), caveat=caveat, first=skew, second=upper
    )
    return _with_degenerate(nulls, is_degenerate)


def _gains(
    n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> tuple[Array, Array]:
    """Dobra and Gehrke's moments in the units of the measure."""
    rows = n.astype(np.float64)
    mean, variance = gain_moments(rows, x_groups, x_invariants, y_invariants)
    factor = scale * rows
    return factor * mean, factor * factor * variance


def _undecided(nulls: NullBatch, which: NDArray[np.bool_], caveat: Caveat) -> NullBatch:
    return replace(
        nulls,
        engine=np.where(which, np.int8(_UNDECIDED), nulls.engine),
        caveat=np.where(which, np.int8(caveat), nulls.caveat),
    )


def _with_degenerate(nulls: NullBatch, is_degenerate: NDArray[np.bool_]) -> NullBatch:
    return replace(
        nulls,
        std=np.where(is_degenerate, 0.0, nulls.std),
        engine=np.where(is_degenerate, np.int8(_DEGENERATE), nulls.engine),
        caveat=np.where(is_degenerate, np.int8(Caveat.NONE), nulls.caveat),
    )


def _codes(code: int, like: Array) -> Codes:
    return np.full(like.shape, code, dtype=np.int8)
