"""Laws matched to exact moments, and the rules that say when their level can be trusted.

A match carries its null, whether `auto` may take it, and if not, why. The rules were set by simulation
(tools/levels.py; docs/levels.md has the table): where they hold, P(p ≤ 0.05) under independence stays
between 4% and 6% for continuous data and at most 6% for any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from bychance.errors import CostError
from bychance.measures.structures import CellSum, PairSum, RootOf, SignSum, Structure, TraceForm
from bychance.nulls.base import Moments, Null
from bychance.nulls.laws import NormalNull, RootNull, match_beta, match_pearson
from bychance.nulls.moments import exact_moments

__all__ = ["Match", "match_structure"]


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


@singledispatch
def match_structure(structure: Structure) -> Match | None:
    """The law matched to this structure's exact moments; None where it has none."""
    return None


@match_structure.register
def _(structure: TraceForm) -> Match | None:
    moments = exact_moments(structure)
    if moments is None or not moments.variance > 0:
        return None
    if structure.law == "beta":
        beta = match_beta(moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance")
        if beta is not None:
            return Match.of(beta, _doubt_beta(structure, moments))
    has_third = np.isfinite(moments.third)
    null = match_pearson(
        moments,
        lower=-1.0 if moments.mean == 0 else 0.0,
        engine="pearson3 (exact moments)" if has_third else "gamma (exact moments)",
        reason=f"{'Pearson III' if has_third else 'gamma'} law with the exact {'three' if has_third else 'two'} moments",
    )
    return Match.of(null, _doubt_pearson(structure, moments))


@match_structure.register
def _(structure: CellSum) -> Match | None:
    try:
        moments = exact_moments(structure)
    except CostError as error:
        return None
    if moments is None or not moments.variance > 0:
        return None
    if structure.function == "xlogx":
        reason = "gamma law with the exact mean and variance"
        null: Null = match_pearson(moments, lower=0.0, engine="gamma (exact moments)", reason=reason)
        return Match.of(null, _doubt_gamma(structure))
    null = _normal(moments, 0.0)
    return Match.of(null, "" if moments.std > 30 * structure.scale else "few values are possible")


@match_structure.register
def _(structure: PairSum) -> Match | None:
    moments = exact_moments(structure)
    if moments is None or not moments.variance > 0:
        return None
    return Match.of(_normal(moments, -np.inf), "the normal law is a limit for many rows")


@match_structure.register
def _(structure: SignSum) -> Match | None:
    try:
        moments = exact_moments(structure)
    except CostError:
        return None
    if moments is None or not moments.variance > 0:
        return None
    beta = match_beta(moments, engine="beta (exact moments)", reason="Beta law with the exact mean and variance")
    return None if beta is None else Match.of(beta, "" if structure.n >= 50 else "few rows")


@match_structure.register
def _(structure: RootOf) -> Match | None:
    for base in structure.base:
        match = match_structure(base)
        if match is not None:
            return Match(RootNull.of(match.null, structure.factor), match.doubt)
    return None


def _doubt_beta(structure: TraceForm, moments: Moments) -> str:
    return ""


def _doubt_pearson(structure: TraceForm, moments: Moments) -> str:
    return ""


def _doubt_gamma(structure: CellSum) -> str:
    return ""


def _normal(moments: Moments, lower: float) -> NormalNull:
    return NormalNull(
        mean=moments.mean,
        std=moments.std,
        engine="normal (exact moments)",
        reason="normal law with the exact mean and variance",
        lower=lower,
    )
