"""Laws matched to exact moments, and whether their level can be trusted.

A match carries its null, whether `auto` may take it, and if not, why: the rules are in trust.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    PairSum,
    RootOf,
    SignSum,
    Structure,
    TogetherSum,
    TraceForm,
)
from bychance.nulls.base import DegenerateNull, Moments, Null
from bychance.nulls.laws import (
    BetaNull,
    CantelliNull,
    NormalNull,
    RootNull,
    beta_skew,
    match_beta,
    match_pearson,
)
from bychance.nulls.moments import exact_moments, normal_variance
from bychance.nulls.trust import (
    CAVEATS,
    MAX_LAW_SKEW,
    Caveat,
    Codes,
    distrust_beta,
    distrust_gamma,
    distrust_information,
    distrust_kendall,
    distrust_squares,
    has_rare_values,
)

__all__ = ["BETA_ENGINE", "CANTELLI_ENGINE", "GAMMA_ENGINE", "PEARSON_ENGINE", "Match", "match_structure"]

BETA_ENGINE = "beta (exact moments)"
PEARSON_ENGINE = "pearson3 (exact moments)"
GAMMA_ENGINE = "gamma (exact moments)"
CANTELLI_ENGINE = "cantelli (exact moments)"

_MANY_GROUPS = 100  # distinct values a side from which ξ is near its normal limit


@dataclass(frozen=True, slots=True)
class Match:
    """A matched law; `doubt` says why its level may be off, and is empty where it can be trusted."""

    null: Null
    doubt: str = ""

    @property
    def is_trusted(self) -> bool:
        """Whether `auto` may take it."""
        return not self.null.caveat

    @classmethod
    def of(cls, null: Null, caveat: int | Codes, doubts: Mapping[Caveat, str] | None = None) -> Match:
        """The match, its null telling of the caveat; `doubts` say it with figures."""
        code = Caveat(int(caveat))
        if code is Caveat.NONE:
            return cls(null)
        doubt = (doubts or {}).get(code, CAVEATS[code])
        reason = f"{null.reason}; its level is approximate: {doubt}"
        return cls(replace(null, reason=reason, caveat=CAVEATS[code]), doubt)


def match_structure(structure: Structure, upper: float) -> Match | None:
    """The law matched to a structure's exact moments, `upper` the end of its support.

    None where it has none; a CostError where its moments are too costly, or where the root of a bound would
    be needed.
    """
    if isinstance(structure, RootOf):
        match = next(
            filter(None, (match_structure(base, upper**2 / structure.factor) for base in structure.base))
        )
        if isinstance(match.null, CantelliNull):
            raise CostError("rare values leave no smooth law")
        if match.null.is_degenerate:
            root = float(np.sqrt(match.null.mean * structure.factor))
            return Match(replace(match.null, mean=root))
        return Match(RootNull.of(match.null, structure.factor), match.doubt)
    moments = exact_moments(structure)
    if moments is None:
        return None
    if moments.variance == 0:
        return Match(DegenerateNull(mean=moments.mean, reason="every re-pairing gives the same value"))
    return _match(structure, moments, upper) if _has_law(structure, moments) else _bound(moments, upper)


def _has_law(structure: Structure, moments: Moments) -> bool:
    """Whether a continuous law can stand for the null: not where rare values make most of it one atom."""
    return not has_rare_values(*_rows_and_others(structure)) or _skew(structure, moments) <= MAX_LAW_SKEW


def _rows_and_others(structure: Structure) -> tuple[int, int, int]:
    """Rows, and how many of them differ from the most common value of either variable."""
    if isinstance(structure, TraceForm | PairSum):
        return structure.n, structure.x.n_others, structure.y.n_others
    if isinstance(structure, SignSum):
        totals = np.array(structure.x_ties), np.array(structure.y_ties)
    elif isinstance(structure, CellSum | TogetherSum):
        totals = structure.rows, structure.columns
    else:
        raise TypeError(f"{type(structure).__name__} has no moments")
    n = int(totals[0].sum())
    return n, n - int(totals[0].max()), n - int(totals[1].max())


def _skew(structure: Structure, moments: Moments) -> float:
    """The skewness: exact where it is known, that of a gamma law from zero, or unknown and so infinite."""
    if not np.isnan(moments.third):
        return moments.skew
    starts_at_zero = isinstance(structure, SignSum) or (
        isinstance(structure, CellSum) and structure.function == "information"
    )
    return 2 * moments.std / moments.mean if starts_at_zero else np.inf


def _bound(moments: Moments, upper: float) -> Match:
    """Cantelli's bound, which holds for every law with these moments, and is near a law of two atoms."""
    null = CantelliNull(
        mean=moments.mean,
        std=moments.std,
        engine=CANTELLI_ENGINE,
        reason="Cantelli's bound with the exact mean and variance",
        upper=upper,
    )
    return Match.of(null, Caveat.RARE_VALUES, {Caveat.RARE_VALUES: "rare values leave no smooth law"})


@singledispatch
def _match(structure: Structure, moments: Moments, upper: float) -> Match | None:
    return None


@_match.register
def _(structure: TraceForm, moments: Moments, upper: float) -> Match | None:
    if structure.law == "beta":
        beta = _match_beta(moments)
        if beta is not None:
            return _judge_beta(beta, structure, moments)
    null = match_pearson(
        moments,
        support=(-1.0 if moments.mean == 0 else 0.0, upper),
        engine=PEARSON_ENGINE,
        reason="Pearson III law with the exact three moments",
    )
    if structure.law == "pearson3":
        return _judge_squares(null, structure, moments)
    return _judge_gamma(null, structure, moments)


@_match.register
def _(structure: CellSum, moments: Moments, upper: float) -> Match | None:
    if structure.function == "information":
        reason = "gamma law with the exact mean and variance"
        null: Null = match_pearson(moments, support=(0.0, upper), engine=GAMMA_ENGINE, reason=reason)
        return _judge_information(null, structure)
    is_smooth = moments.std > 30 * structure.scale
    return Match.of(_normal(moments, (0.0, upper)), Caveat.NONE if is_smooth else Caveat.FEW_VALUES)


@_match.register
def _(structure: PairSum, moments: Moments, upper: float) -> Match | None:
    is_smooth = min(structure.x.n_distinct, structure.y.n_distinct) >= _MANY_GROUPS
    return Match.of(
        _normal(moments, (-np.inf, upper)),
        Caveat.NONE if is_smooth else Caveat.FEW_DISTINCT,
        {Caveat.FEW_DISTINCT: "the normal law is a limit for many values"},
    )


@_match.register
def _(structure: TogetherSum, moments: Moments, upper: float) -> Match | None:
    doubts = {Caveat.UNKNOWN_SKEWNESS: "the skewness is not known"}
    return Match.of(_normal(moments, (0.0, upper)), Caveat.UNKNOWN_SKEWNESS, doubts)


@_match.register
def _(structure: SignSum, moments: Moments, upper: float) -> Match | None:
    beta = _match_beta(moments)
    return None if beta is None else _judge_kendall(beta, structure, moments)


def _judge_beta(null: BetaNull, structure: TraceForm, moments: Moments) -> Match:
    x, y, scale = structure.x, structure.y, structure.scale
    model = float(normal_variance(x.invariants, y.invariants, structure.n))
    variance_ratio = moments.variance / (model * scale * scale)
    law_skew = float(beta_skew(null.a, null.b))
    skew_ratio = moments.skew / law_skew if law_skew else np.inf
    caveat = distrust_beta(
        n=structure.n,
        x_distinct=x.n_distinct,
        y_distinct=y.n_distinct,
        variance_ratio=variance_ratio,
        skew_ratio=skew_ratio,
    )
    doubts = {
        Caveat.OUTLIERS: f"outliers make the variance {variance_ratio:.2f} times that of normal data",
        Caveat.SKEWNESS: f"the skewness is {skew_ratio:.2f} times that of the Beta law",
    }
    return Match.of(null, caveat, doubts)


def _judge_gamma(null: Null, structure: TraceForm, moments: Moments) -> Match:
    skew_ratio = moments.skew / (2 * moments.std / moments.mean)
    caveat = distrust_gamma(
        n=structure.n,
        x_distinct=structure.x.n_distinct,
        y_distinct=structure.y.n_distinct,
        skew=moments.skew,
        skew_ratio=skew_ratio,
    )
    doubts = {Caveat.SKEWNESS: f"the skewness is {skew_ratio:.2f} times that of a gamma law"}
    return Match.of(null, caveat, doubts)


def _judge_squares(null: Null, structure: TraceForm, moments: Moments) -> Match:
    caveat = distrust_squares(
        n=structure.n,
        x_distinct=structure.x.n_distinct,
        y_distinct=structure.y.n_distinct,
        n_others=min(structure.x.n_others, structure.y.n_others),
        skew=moments.skew,
    )
    return Match.of(
        null, caveat, {Caveat.SKEWNESS: f"the skewness {moments.skew:.2f} is not that of squares"}
    )


def _judge_information(null: Null, cells: CellSum) -> Match:
    expected = float(cells.rows.min()) * float(cells.columns.min()) / float(cells.rows.sum())
    caveat = distrust_information(
        x_distinct=len(cells.rows), y_distinct=len(cells.columns), min_expected=expected
    )
    return Match.of(null, caveat, {Caveat.SMALL_COUNTS: f"a cell expects only {expected:.1f} rows"})


def _judge_kendall(null: Null, structure: SignSum, moments: Moments) -> Match:
    n_others = structure.n - max(max(structure.x_ties), max(structure.y_ties))
    variance_ratio = moments.variance / (2 * moments.mean**2)
    doubts = {
        Caveat.COMMON_VALUE: f"only {n_others} rows differ from the most common value",
        Caveat.VARIANCE: f"the variance is {variance_ratio:.2f} times that of a squared normal",
    }
    caveat = distrust_kendall(n=structure.n, n_others=n_others, variance_ratio=variance_ratio)
    return Match.of(null, caveat, doubts)


def _match_beta(moments: Moments) -> BetaNull | None:
    return match_beta(moments, engine=BETA_ENGINE, reason="Beta law with the exact mean and variance")


def _normal(moments: Moments, support: tuple[float, float]) -> NormalNull:
    return NormalNull(
        mean=moments.mean,
        std=moments.std,
        engine="normal (exact moments)",
        reason="normal law with the exact mean and variance",
        support=support,
    )
