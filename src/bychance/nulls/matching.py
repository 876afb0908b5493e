"""Exact moments of many pairs → the laws that fit them, and what there is to doubt.

In:  one entry per pair; none is degenerate by its columns alone (constant, all distinct, under three rows).
Out: Laws. A single pair is an array of one (matched.py).

`others` counts the rows that differ from the most common value of x and of y. In whole tables they are only
known to be at least so many (`is_whole_table`): there a pair that may have rare values is undecided.
"""

from __future__ import annotations

from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.laws import Engine, Laws, beta_moments, beta_parameters, beta_skew
from bychance.nulls.moments import trace_moments
from bychance.nulls.multinomial import gain_moments
from bychance.nulls.trust import (
    Caveat,
    Others,
    distrust_beta,
    distrust_gamma,
    distrust_information,
    distrust_kendall,
    distrust_squares,
    has_few_others,
    has_no_law,
    has_rare_values,
    has_rather_rare_values,
)

__all__ = [
    "cantelli_gains",
    "match_information",
    "match_normal",
    "match_signs",
    "match_traces",
    "multinomial_gains",
    "normal_theory",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


class _Data(TypedDict):
    """What the rules of trust ask of the data."""

    n: Counts
    x_distinct: Counts
    y_distinct: Counts
    others: Others


def match_traces(
    *,
    n: Counts,
    x_invariants: Array,
    y_invariants: Array,
    x_distinct: Counts,
    y_distinct: Counts,
    scale: float | Array,
    law: Literal["beta", "gamma", "pearson3"],
    upper: float | Array,
    others: Others,
    at: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None,
    is_whole_table: bool = False,
) -> Laws:
    """Laws of scale · tr(A·B), with one row of invariants per matrix, of which `at` makes pairs.

    `upper` is the end of the support. In whole tables distinct values need to be counted up to 5 only.
    """
    mean, variance, third, variance_ratio = trace_moments(n, x_invariants, y_invariants, scale, at)
    is_degenerate = variance == 0
    std = np.sqrt(variance)
    safe = np.where(is_degenerate, 1.0, std)
    skew = third / (safe * safe * safe)
    data = _Data(n=n, x_distinct=x_distinct, y_distinct=y_distinct, others=others)

    def pearson() -> Laws:
        if law == "pearson3":
            caveat, figure = distrust_squares(**data, skew=skew)
        else:
            caveat, figure = distrust_gamma(**data, skew=skew, skew_ratio=skew / (2 * safe / mean))
        support = (np.where(mean == 0, -1.0, 0.0), upper)
        return Laws.of(Engine.PEARSON, mean, std, first=skew, support=support, caveat=caveat, figure=figure)

    if law == "beta":
        a, b = beta_parameters(mean, safe * safe)
        is_beta = (a > 0) & (b > 0)
        a, b = np.where(is_beta, a, 1.0), np.where(is_beta, b, 2.0)
        law_skew = beta_skew(a, b)
        skew_ratio = np.divide(skew, law_skew, out=np.full_like(a, np.inf), where=law_skew != 0)
        caveat, figure = distrust_beta(**data, variance_ratio=variance_ratio, skew_ratio=skew_ratio)
        laws = Laws.of(Engine.BETA, mean, std, first=a, second=b, caveat=caveat, figure=figure)
        laws = laws if is_beta.all() else laws.where(is_beta, pearson())
    else:
        laws = pearson()
    if is_whole_table:
        may_be_rare = has_rare_values(n, *others) | has_few_others(n, others)
        return laws.undecided(may_be_rare & ~is_degenerate, Caveat.RARE_VALUES)
    return _bounded(laws, has_no_law(n, others, (x_distinct, y_distinct), skew), upper)


def match_information(
    *,
    n: Counts,
    mean: Array,
    variance: Array,
    upper: Array,
    x_distinct: Counts,
    y_distinct: Counts,
    min_expected: Array,
    others: Others,
    is_whole_table: bool = False,
) -> Laws:
    """Gamma laws with the exact mean and variance of mutual information, in its units.

    A pair whose `variance` is NaN, because it is unknown, is undecided.
    """
    caveat, figure = distrust_information(
        x_distinct=x_distinct, y_distinct=y_distinct, min_expected=min_expected
    )
    is_unknown = np.isnan(variance)
    laws = _gamma_laws(Engine.GAMMA, mean, np.where(is_unknown, 1.0, variance), upper, (caveat, figure))
    is_rare = has_rare_values(n, *others) & ~laws.is_degenerate
    laws = laws.undecided(is_rare, Caveat.RARE_VALUES) if is_whole_table else _bounded(laws, is_rare, upper)
    return laws.undecided(is_unknown, Caveat.UNKNOWN_VARIANCE)


def match_signs(
    *, n: Counts, mean: Array, variance: Array, distinct: Others, others: Others, upper: Array
) -> Laws:
    """Beta laws of Kendall's τ²; undecided where none has these moments."""
    std, n_others = np.sqrt(variance), np.minimum(*others)
    a, b = beta_parameters(mean, np.where(variance == 0, 1.0, variance))
    caveat, figure = distrust_kendall(n=n, n_others=n_others, variance_ratio=variance / (2 * mean**2))
    laws = Laws.of(Engine.BETA, mean, std, first=a, second=b, caveat=caveat, figure=figure)
    laws = _bounded(laws, has_no_law(n, others, distinct, 2 * std / mean), upper)
    return laws.undecided(np.equal(laws.engine, Engine.BETA) & ~((a > 0) & (b > 0)), Caveat.VARIANCE)


def match_normal(
    *,
    n: Counts,
    mean: Array,
    variance: Array,
    others: Others,
    support: tuple[float, float],
    caveat: Caveat,
) -> Laws:
    """Normal laws of sums whose skewness is not known."""
    laws = Laws.of(Engine.NORMAL, mean, np.sqrt(variance), support=support, caveat=caveat)
    return _bounded(laws, has_rather_rare_values(n, *others), support[1])


def normal_theory(*, df_explained: Counts, df_residual: Counts) -> Laws:
    """Beta(df_explained/2, df_residual/2): the normal model of shares of variance."""
    a, b = df_explained / 2, df_residual / 2
    return Laws.of(Engine.NORMAL_THEORY, *beta_moments(a, b), first=a, second=b)


def multinomial_gains(
    *,
    n: Counts,
    x_groups: Counts,
    x_invariants: Array,
    y_invariants: Array,
    scale: float | Array,
    upper: float | Array,
) -> Laws:
    """Gamma laws with Dobra and Gehrke's moments of scale · tr(A·B), x a projector and y an indicator."""
    moments = _gains(n, x_groups, x_invariants, y_invariants, scale)
    return _gamma_laws(Engine.MULTINOMIAL, *moments, upper)


def cantelli_gains(
    *, n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> Laws:
    """Cantelli's bound on Dobra and Gehrke's moments: the paper's null of Gini gain.

    As in the paper it may exceed the measure's maximum.
    """
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    std = np.sqrt(np.maximum(variance, 0.0))
    return Laws.of(Engine.PAPER_CANTELLI, mean, std, support=(-np.inf, np.inf))


def _bounded(laws: Laws, is_rare: NDArray[np.bool_], upper: float | Array) -> Laws:
    """Cantelli's bound where rare values make most of a null one atom, so that no smooth law fits it.

    It holds for every law with these moments, and is near a law of two atoms.
    """
    if not is_rare.any():
        return laws
    bound = Laws.of(Engine.CANTELLI, laws.mean, laws.std, support=(-np.inf, upper), caveat=Caveat.RARE_VALUES)
    return laws.where(~is_rare, bound)


def _gamma_laws(
    engine: Engine,
    mean: Array,
    variance: Array,
    upper: float | Array,
    judgment: tuple[NDArray[np.int8] | int, Array | float] = (Caveat.NONE, np.nan),
) -> Laws:
    """Gamma laws from zero."""
    std = np.sqrt(np.maximum(variance, 0.0))
    skew = 2 * std / np.where(std == 0, 1.0, mean)
    caveat, figure = judgment
    return Laws.of(engine, mean, std, first=skew, support=(0.0, upper), caveat=caveat, figure=figure)


def _gains(
    n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> tuple[Array, Array]:
    """Dobra and Gehrke's moments in the units of the measure."""
    rows = n.astype(np.float64)
    mean, variance = gain_moments(rows, x_groups, x_invariants, y_invariants)
    factor = scale * rows
    return factor * mean, factor * factor * variance
