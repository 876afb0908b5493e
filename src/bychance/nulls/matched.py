"""Laws matched to exact moments, and the rules that say when their level can be trusted.

A match carries its null, whether `auto` may take it, and if not, why. The rules were set by simulation
(tools/levels.py; docs/levels.md has the table): where they hold, P(p ≤ 0.05) under independence stays
between 4% and 6% for continuous data and at most 6% for any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from bychance.measures.structures import CellSum, PairSum, RootOf, SignSum, Structure, TraceForm
from bychance.nulls.base import DegenerateNull, Moments, Null
from bychance.nulls.laws import BetaNull, NormalNull, RootNull, match_beta, match_pearson
from bychance.nulls.moments import exact_moments, normal_variance

__all__ = ["Match", "match_structure"]

_VARIANCE_RATIO = (0.9, 1.3)  # of the exact variance to the normal model's
_SKEW_RATIO = (0.8, 1.25)  # of the exact skewness to that of the law with two moments
_MAX_SKEW = 2.9  # a single squared normal has √8
_MIN_EXPECTED = 5.0  # rows in the emptiest cell
_SOME_ROWS = 40  # from which the permutation law of a dense matrix is smooth enough
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


def match_structure(structure: Structure) -> Match | None:
    """The law matched to a structure's exact moments; None where it has none, CostError where too dear."""
    if isinstance(structure, RootOf):
        match = next(filter(None, map(match_structure, structure.base)), None)
        return None if match is None else Match(RootNull.of(match.null, structure.factor), match.doubt)
    moments = exact_moments(structure)
    if moments is None:
        return None
    if moments.variance == 0:
        return Match(DegenerateNull(mean=moments.mean, reason="every re-pairing gives the same value"), "")
    return _match(structure, moments)


@singledispatch
def _match(structure: Structure, moments: Moments) -> Match | None:
    return None


@_match.register
def _(structure: TraceForm, moments: Moments) -> Match | None:
    if structure.law == "beta":
        beta = match_beta(
            moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance"
        )
        if beta is not None:
            return Match.of(beta, _doubt_beta(structure, moments, beta))
    law, count = ("pearson3", "three") if np.isfinite(moments.third) else ("gamma", "two")
    null = match_pearson(
        moments,
        lower=-1.0 if moments.mean == 0 else 0.0,
        engine=f"{law} (exact moments)",
        reason=f"{law} law with the exact {count} moments",
    )
    return Match.of(null, _doubt_pearson(structure, moments))


@_match.register
def _(structure: CellSum, moments: Moments) -> Match | None:
    if structure.function == "xlogx":
        reason = "gamma law with the exact mean and variance"
        null: Null = match_pearson(moments, lower=0.0, engine="gamma (exact moments)", reason=reason)
        return Match.of(null, _doubt_gamma(structure))
    null = _normal(moments, 0.0)
    return Match.of(null, "" if moments.std > 30 * structure.scale else "few values are possible")


@_match.register
def _(structure: PairSum, moments: Moments) -> Match | None:
    fewest = min(structure.x.n_distinct, structure.y.n_distinct)
    doubt = (
        "" if structure.is_sparse and fewest >= _MANY_GROUPS else "the normal law is a limit for many rows"
    )
    return Match.of(_normal(moments, -np.inf), doubt)


@_match.register
def _(structure: SignSum, moments: Moments) -> Match | None:
    beta = match_beta(
        moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance"
    )
    return None if beta is None else Match.of(beta, "" if structure.n >= _SOME_ROWS else "few rows")


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
    if not np.isfinite(moments.third):
        return "the third moment is too costly at this size"
    if structure.n <= _FEW_ROWS and structure.x.n_distinct * structure.y.n_distinct <= _FEW_CELLS:
        return "few values are possible"
    if structure.law == "pearson3":
        if structure.n < _SOME_ROWS:
            return "few rows"
        return (
            "" if 0 < moments.skew <= _MAX_SKEW else f"the skewness {moments.skew:.2f} is not that of squares"
        )
    ratio = moments.skew / (2 * moments.std / moments.mean)
    if not _SKEW_RATIO[0] <= ratio <= _SKEW_RATIO[1]:
        return f"the skewness is {ratio:.2f} times that of a gamma law"
    return ""


def _doubt_gamma(cells: CellSum) -> str:
    """Without a third moment a gamma law is trusted only where the χ² limit is near."""
    n = float(cells.rows.sum())
    expected = float(cells.rows.min()) * float(cells.columns.min()) / n
    return "" if expected >= _MIN_EXPECTED else f"a cell expects only {expected:.1f} rows"


def _normal(moments: Moments, lower: float) -> NormalNull:
    return NormalNull(
        mean=moments.mean,
        std=moments.std,
        engine="normal (exact moments)",
        reason="normal law with the exact mean and variance",
        lower=lower,
    )
