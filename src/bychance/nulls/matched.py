"""Laws matched to exact moments, and the rules that say when their level can be trusted.

A match carries its null, whether `auto` may take it, and if not, why. The rules were set by simulation
(tools/levels.py; docs/levels.md has the table): where they hold, P(p ≤ 0.05) under independence stays
between 4% and 6% for continuous data and at most 6% for any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

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
from bychance.nulls.laws import BetaNull, NormalNull, RootNull, match_beta, match_pearson
from bychance.nulls.moments import exact_moments, normal_variance

__all__ = ["Match", "match_structure"]

_VARIANCE_RATIO = (0.9, 1.3)  # of the exact variance to the normal model's
_SKEW_RATIO = (0.8, 1.25)  # of the exact skewness to that of the law with two moments
_MAX_SKEW = 2.9  # a single squared normal has √8
_NEAR_NORMAL = 0.3  # skewness below which every law of three moments is nearly the normal one
_MANY_LABELS = 30  # a side, from which mutual information is a sum of many cells
_MIN_EXPECTED = 5.0  # rows in the emptiest cell
_SOME_ROWS = 40  # from which the permutation law of a dense matrix is smooth enough
_SOME_OTHERS = 30  # rows that differ from the most common value
_FEW_ROWS, _FEW_CELLS = 200, 9  # so few distinct values a side that the null is a handful of atoms
_MANY_GROUPS = 100  # distinct values a side from which ξ is near its normal limit


@dataclass(frozen=True, slots=True)
class Match:
    """A matched law; `doubt` says why its level may be off, and is empty where it can be trusted."""

    null: Null
    doubt: str

    @property
    def is_trusted(self) -> bool:
        """Whether `auto` may take it."""
        return not self.doubt

    @classmethod
    def of(cls, null: Null, doubt: str) -> Match:
        """The match, its null telling of the doubt."""
        level = f"; its level is approximate: {doubt}" if doubt else ""
        return cls(replace(null, reason=null.reason + level), doubt)


def match_structure(structure: Structure, upper: float) -> Match | None:
    """The law matched to a structure's exact moments, `upper` the end of its support.

    None where it has none; a CostError where its moments are too dear.
    """
    if isinstance(structure, RootOf):
        match = next(
            filter(None, (match_structure(base, upper**2 / structure.factor) for base in structure.base))
        )
        if match.null.is_degenerate:
            root = float(np.sqrt(match.null.mean * structure.factor))
            return Match(replace(match.null, mean=root), "")
        return Match(RootNull.of(match.null, structure.factor), match.doubt)
    moments = exact_moments(structure)
    if moments is None:
        return None
    if moments.variance == 0:
        return Match(DegenerateNull(mean=moments.mean, reason="every re-pairing gives the same value"), "")
    return _match(structure, moments, upper)


@singledispatch
def _match(structure: Structure, moments: Moments, upper: float) -> Match | None:
    return None


@_match.register
def _(structure: TraceForm, moments: Moments, upper: float) -> Match | None:
    if structure.law == "beta":
        beta = match_beta(
            moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance"
        )
        if beta is not None:
            return Match.of(beta, _doubt_beta(structure, moments, beta))
    null = match_pearson(
        moments,
        support=(-1.0 if moments.mean == 0 else 0.0, upper),
        engine="pearson3 (exact moments)",
        reason="Pearson III law with the exact three moments",
    )
    return Match.of(null, _doubt_pearson(structure, moments))


@_match.register
def _(structure: CellSum, moments: Moments, upper: float) -> Match | None:
    if structure.function == "xlogx":
        reason = "gamma law with the exact mean and variance"
        null: Null = match_pearson(
            moments, support=(0.0, upper), engine="gamma (exact moments)", reason=reason
        )
        return Match.of(null, _doubt_gamma(structure))
    null = _normal(moments, (0.0, upper))
    return Match.of(null, "" if moments.std > 30 * structure.scale else "few values are possible")


@_match.register
def _(structure: PairSum, moments: Moments, upper: float) -> Match | None:
    fewest = min(structure.x.n_distinct, structure.y.n_distinct)
    doubt = "" if fewest >= _MANY_GROUPS else "the normal law is a limit for many values"
    return Match.of(_normal(moments, (-np.inf, upper)), doubt)


@_match.register
def _(structure: TogetherSum, moments: Moments, upper: float) -> Match | None:
    return Match.of(_normal(moments, (0.0, upper)), "the skewness is not known")


@_match.register
def _(structure: SignSum, moments: Moments, upper: float) -> Match | None:
    beta = match_beta(
        moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance"
    )
    return None if beta is None else Match.of(beta, _doubt_kendall(structure, moments))


def _doubt_kendall(structure: SignSum, moments: Moments) -> str:
    """A Beta law needs S near normal: enough rows, of which enough differ from the most common value."""
    if structure.n < _SOME_ROWS:
        return "few rows"
    n_others = structure.n - max(max(structure.x_ties), max(structure.y_ties))
    if n_others < _SOME_OTHERS:
        return f"only {n_others} rows differ from the most common value"
    ratio = moments.variance / (2 * moments.mean**2)
    if not _VARIANCE_RATIO[0] <= ratio <= _VARIANCE_RATIO[1]:
        return f"the variance is {ratio:.2f} times that of a squared normal"
    return ""


def _doubt_beta(structure: TraceForm, moments: Moments, beta: BetaNull) -> str:
    """A Beta law needs tails like the normal model's, and more than a handful of possible values."""
    if structure.n <= _FEW_ROWS and structure.x.n_distinct * structure.y.n_distinct <= _FEW_CELLS:
        return "few values are possible"
    ratio = moments.variance / (normal_variance(structure) * structure.scale**2)
    if not _VARIANCE_RATIO[0] <= ratio <= _VARIANCE_RATIO[1]:
        return f"outliers make the variance {ratio:.2f} times that of normal data"
    skew = (
        2
        * (beta.b - beta.a)
        * np.sqrt(beta.a + beta.b + 1)
        / ((beta.a + beta.b + 2) * np.sqrt(beta.a * beta.b))
    )
    if not _SKEW_RATIO[0] <= moments.skew / skew <= _SKEW_RATIO[1]:
        return f"the skewness is {moments.skew / skew:.2f} times that of the Beta law"
    return ""


def _doubt_pearson(structure: TraceForm, moments: Moments) -> str:
    """A Pearson III law needs a skewness like a gamma law's from zero, or like a sum of squares'."""
    if structure.n <= _FEW_ROWS and structure.x.n_distinct * structure.y.n_distinct <= _FEW_CELLS:
        return "few values are possible"
    if structure.law == "pearson3":
        if structure.n < _SOME_ROWS:
            return "few rows"
        return (
            "" if 0 < moments.skew <= _MAX_SKEW else f"the skewness {moments.skew:.2f} is not that of squares"
        )
    if abs(moments.skew) <= _NEAR_NORMAL:
        return ""
    ratio = moments.skew / (2 * moments.std / moments.mean)
    if not _SKEW_RATIO[0] <= ratio <= _SKEW_RATIO[1]:
        return f"the skewness is {ratio:.2f} times that of a gamma law"
    return ""


def _doubt_gamma(cells: CellSum) -> str:
    """Without a third moment a gamma law is trusted where the χ² limit is near, or a sum of many cells."""
    n = float(cells.rows.sum())
    expected = float(cells.rows.min()) * float(cells.columns.min()) / n
    if min(len(cells.rows), len(cells.columns)) >= _MANY_LABELS:
        return ""
    return "" if expected >= _MIN_EXPECTED else f"a cell expects only {expected:.1f} rows"


def _normal(moments: Moments, support: tuple[float, float]) -> NormalNull:
    return NormalNull(
        mean=moments.mean,
        std=moments.std,
        engine="normal (exact moments)",
        reason="normal law with the exact mean and variance",
        support=support,
    )
