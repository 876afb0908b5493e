"""Exact moments of many pairs → the laws that fit them, and what there is to doubt.

In:  one entry per pair; none is degenerate by its columns alone (constant, all distinct, under three rows).
Out: Laws. A single pair is an array of one (matched.py).

`others` counts the rows that differ from the most common value of x and of y. In whole tables they are only
known to be at least so many (`is_whole_table`): there a pair that may have rare values is undecided.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.laws import Engine, Laws, beta_moments, beta_parameters, beta_skew
from bychance.nulls.moments import trace_moments
from bychance.nulls.multinomial import gain_moments
from bychance.nulls.trust import (
    DENSE_REACH,
    NORMAL_REACH,
    Caveat,
    Codes,
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
    reach_of_beta,
    reach_of_gamma,
    reach_of_information,
)
from bychance.nulls.uniform import ends, once, spread

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

# How near the invariants of a column must be to those of a line, and of two values.
_TWO_VALUES = 1e-7


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
    picked = (slice(None), slice(None)) if at is None else at
    sides = _Side(x_invariants, picked[0]), _Side(y_invariants, picked[1])
    std = np.sqrt(variance)
    safe = std if variance.all() else np.where(variance == 0, 1.0, std)
    skew = third / (safe * safe * safe)
    x_distinct, y_distinct = once(x_distinct), once(y_distinct)
    data = _Data(n=once(n), distinct=(x_distinct, y_distinct), others=(once(others[0]), once(others[1])))

    def pearson(caveat: Codes, figure: Array, reach: Array | float) -> Laws:
        support, holds_to = (np.where(mean == 0, -1.0, 0.0), upper), _reach(caveat, reach)
        return Laws.of(
            Engine.PEARSON,
            mean,
            std,
            first=skew,
            support=support,
            caveat=caveat,
            figure=figure,
            holds_to=holds_to,
        )

    if law == "pearson3":
        judgment = distrust_squares(**data, third=_third(data["n"], *sides), skew=skew)
        return _without_rare(pearson(*judgment, DENSE_REACH), data, skew, upper, is_whole_table)
    rank = np.maximum(_rank(sides[0], x_distinct), _rank(sides[1], y_distinct))

    def gamma() -> Laws:
        size = _Size(rank=rank, third=_third(data["n"], *sides))
        judgment = distrust_gamma(**data, **size, skew=skew, skew_ratio=skew / (2 * safe / mean))
        return pearson(*judgment, reach_of_gamma(n=data["n"], **size))

    if law == "beta":
        a, b = beta_parameters(mean, safe * safe)
        is_beta = (a > 0) & (b > 0)
        if not is_beta.all():
            a, b = np.where(is_beta, a, 1.0), np.where(is_beta, b, 2.0)
        law_skew = beta_skew(a, b)
        skew_ratio = np.divide(skew, law_skew, out=np.full_like(a, np.inf), where=law_skew != 0)
        caveat, figure, reach = _judge_beta(data, rank, sides, variance_ratio, skew_ratio)
        laws = Laws.of(
            Engine.BETA, mean, std, first=a, second=b, caveat=caveat, figure=figure, holds_to=reach
        )
        laws = laws if is_beta.all() else laws.where(is_beta, gamma())
    else:
        laws = gamma()
    laws = _without_rare(laws, data, skew, upper, is_whole_table)
    has_two = np.equal(x_distinct, 2) & np.equal(y_distinct, 2)
    ones = _rarer_rows(data["n"], sides[0]), _rarer_rows(data["n"], sides[1])
    # Invariants of very rare values may be too coarse to count them.
    is_counted = (ones[0] > 0) & (ones[1] > 0)
    if is_whole_table:
        may_have_two = is_counted != has_two
        if may_have_two.any():
            laws = laws.undecided(may_have_two & ~laws.is_degenerate, Caveat.FEW_VALUES)
    has_two = has_two & is_counted
    if not has_two.any():
        return laws
    fourfold = Laws.of(Engine.FOURFOLD, mean, std, first=ones[0], second=ones[1], n=n)
    return fourfold.where(has_two, laws)


class _Data(TypedDict):
    """What the rules of trust ask of the data."""

    n: Counts
    distinct: Others
    others: Others


class _Size(TypedDict):
    """What they ask of the matrices; see `reach_of_beta`."""

    rank: Array
    third: Array


class _Side(NamedTuple):
    """The invariants of matrices, and which of them each pair has on this side."""

    invariants: Array
    at: NDArray[np.intp] | slice

    def is_line(self) -> NDArray[np.bool_]:
        """Whether a matrix has one direction: numbers, ranks, or labels of two groups."""
        squared_trace = self.invariants[:, 0] ** 2
        off = np.abs(self.invariants[:, 1] - squared_trace)
        is_line: NDArray[np.bool_] = off <= _TWO_VALUES * squared_trace
        return is_line

    def third(self) -> Array:
        """ΣA³ of each matrix at unit size."""
        third: Array = np.abs(self.invariants[:, 7]) / self.invariants[:, 1] ** 1.5
        return third


def _rank(side: _Side, distinct: Counts) -> Array:
    """How many directions a variable has: 1 for numbers, one less than its groups for labels."""
    is_line = side.is_line()
    return np.ones(1) if is_line.all() else np.where(is_line[side.at], 1.0, distinct - 1.0)


def _third(n: Counts, x: _Side, y: _Side) -> Array:
    """n·ΣA³·ΣB³ at unit size: the squared norm of the third cumulants of the sum that is squared."""
    third: Array = n * x.third()[x.at] * y.third()[y.at]
    return third


def _judge_beta(
    data: _Data, rank: Array, sides: tuple[_Side, _Side], variance_ratio: Array, skew_ratio: Array
) -> tuple[Codes | int, Array | float, Array | float]:
    """Caveats of Beta laws, the figures behind them, and the reach of the laws.

    Pairs of as many rows and directions differ only in figures that every rule allows a range of: if none
    breaks at the least and at the largest of each, none breaks at all.
    """

    def judge(
        data: _Data, third: Array, variance_ratio: Array, skew_ratio: Array
    ) -> tuple[Codes, Array, Array]:
        size = _Size(rank=rank, third=third)
        caveat, figure = distrust_beta(**data, **size, variance_ratio=variance_ratio, skew_ratio=skew_ratio)
        reach = reach_of_beta(n=data["n"], **size, variance_ratio=variance_ratio)
        return caveat, figure, _reach(caveat, reach)

    n = data["n"]
    if len(n) == len(rank) == 1 < len(variance_ratio):
        (x_distinct, y_distinct), (x_others, y_others) = data["distinct"], data["others"]
        extreme = _Data(
            n=n, distinct=(ends(x_distinct), ends(y_distinct)), others=(ends(x_others), ends(y_others))
        )
        with np.errstate(invalid="ignore"):  # of columns in no pair
            third = n * ends(sides[0].third()) * ends(sides[1].third())
        caveat, _, reach = judge(extreme, third, ends(variance_ratio), ends(skew_ratio))
        if not caveat.any() and reach[0] == reach[1]:
            return Caveat.NONE, np.nan, float(reach[0])
    return judge(data, _third(n, *sides), variance_ratio, skew_ratio)


def _rarer_rows(n: Counts, side: _Side) -> Counts:
    """How many rows have the rarer of two values; 0 where the invariants are not those of two values.

    Only two values have a kurtosis of one more than the squared skewness. That is (1 − 2p)²/(p(1 − p)).
    """
    (v, at), trace = side, side.invariants[:, 0]
    figures = v[:, 7] / trace**3, v[:, 3] / trace**2, side.is_line()
    if len(n) != 1:
        figures, at = (figures[0][at], figures[1][at], figures[2][at]), slice(None)
    with np.errstate(invalid="ignore"):  # of columns in no pair
        squared_skew, kurtosis = n * figures[0], n * figures[1]
        has_two = figures[2] & (np.abs(kurtosis - squared_skew - 1) <= _TWO_VALUES * kurtosis)
        if not has_two.any():
            return np.zeros(1, dtype=np.int64)
        share = 2 / (squared_skew + 4) / (1 + np.sqrt(np.maximum(squared_skew, 0) / (squared_skew + 4)))
        return spread(np.where(has_two, np.rint(n * share), 0).astype(np.int64), at)


def _reach(caveat: Codes, reach: Array | float) -> Array:
    """The reach of a trusted law, 1 where its level is in doubt."""
    return np.where(caveat == Caveat.NONE, reach, 1.0)


def _without_rare(laws: Laws, data: _Data, skew: Array, upper: float | Array, is_whole_table: bool) -> Laws:
    """No smooth law where values are rare: undecided in whole tables, else Cantelli's bound."""
    n, others = data["n"], data["others"]
    if is_whole_table:
        may_be_rare = has_rare_values(n, *others) | has_few_others(n, others)
        if not may_be_rare.any():
            return laws
        return laws.undecided(may_be_rare & ~laws.is_degenerate, Caveat.RARE_VALUES)
    return _bounded(laws, has_no_law(n, others, data["distinct"], skew), upper)


def match_information(
    *,
    n: Counts,
    mean: Array,
    variance: Array,
    upper: Array,
    distinct: Others,
    smallest: Others,
    others: Others,
    is_whole_table: bool = False,
) -> Laws:
    """Gamma laws with the exact mean and variance of mutual information, in bits; exact for 2 × 2 tables.

    `smallest` holds the sizes of the smallest groups. A pair whose `variance` is NaN, because it is unknown,
    is undecided.
    """
    min_expected = smallest[0] * smallest[1] / n
    caveat, figure = distrust_information(min_expected=min_expected)
    reach = _reach(caveat, reach_of_information(min_expected=min_expected))
    is_unknown = np.isnan(variance)
    variance = np.where(is_unknown, 1.0, variance)
    laws = _gamma_laws(Engine.GAMMA, mean, variance, upper, (caveat, figure), reach)
    is_rare = has_rare_values(n, *others) & ~laws.is_degenerate
    laws = laws.undecided(is_rare, Caveat.RARE_VALUES) if is_whole_table else _bounded(laws, is_rare, upper)
    laws = laws.undecided(is_unknown, Caveat.UNKNOWN_VARIANCE)
    has_two = np.equal(distinct[0], 2) & np.equal(distinct[1], 2) & ~is_unknown
    first, second = smallest
    fourfold = Laws.of(Engine.FOURFOLD_INFORMATION, mean, np.sqrt(variance), first=first, second=second, n=n)
    return fourfold.where(has_two, laws) if has_two.any() else laws


def match_signs(
    *, n: Counts, mean: Array, variance: Array, distinct: Others, others: Others, upper: Array
) -> Laws:
    """Beta laws of Kendall's τ²; undecided where none has these moments."""
    std, n_others = np.sqrt(variance), np.minimum(*others)
    a, b = beta_parameters(mean, np.where(variance == 0, 1.0, variance))
    caveat, figure = distrust_kendall(n=n, n_others=n_others, variance_ratio=variance / (2 * mean**2))
    reach = _reach(caveat, NORMAL_REACH)
    laws = Laws.of(Engine.BETA, mean, std, first=a, second=b, caveat=caveat, figure=figure, holds_to=reach)
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
    reach = 1.0 if caveat else NORMAL_REACH
    laws = Laws.of(Engine.NORMAL, mean, np.sqrt(variance), support=support, caveat=caveat, holds_to=reach)
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
    holds_to: Array | float = 0.0,
) -> Laws:
    """Gamma laws from zero."""
    std = np.sqrt(np.maximum(variance, 0.0))
    skew = 2 * std / np.where(std == 0, 1.0, mean)
    caveat, figure = judgment
    return Laws.of(
        engine,
        mean,
        std,
        first=skew,
        support=(0.0, upper),
        caveat=caveat,
        figure=figure,
        holds_to=holds_to,
    )


def _gains(
    n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> tuple[Array, Array]:
    """Dobra and Gehrke's moments in the units of the measure."""
    rows = n.astype(np.float64)
    mean, variance = gain_moments(rows, x_groups, x_invariants, y_invariants)
    factor = scale * rows
    return factor * mean, factor * factor * variance
