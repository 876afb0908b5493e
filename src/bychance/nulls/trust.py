"""When the level of a matched law can be trusted, and down to which p: rules over arrays of pairs.

In:  figures of the data and of the moments, one entry per pair.
     An array of one entry stands for all pairs.
Out: codes into CAVEATS, 0 where the level can be trusted, and the figure behind each; the reach of a law: the
     smallest p down to which it was shown to hold.

The rules were set on the kinds of data of tools/levels/fit_data.py and judged on those of judge_data.py,
after which some were tightened (docs/levels.md says which, and has the tables). Where they hold, P(p ≤ a)
under independence is at most 1.25·a for a = 0.05, 0.01 and 0.001, and at least 0.8·a for continuous data,
within the limits of the simulation; down to the reach it is about 1.5·a at most on average.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CAVEATS",
    "DENSE_REACH",
    "FEW_ROWS",
    "NORMAL_REACH",
    "Caveat",
    "distrust_beta",
    "distrust_gamma",
    "distrust_information",
    "distrust_kendall",
    "distrust_squares",
    "doubt_text",
    "has_few_others",
    "has_no_law",
    "has_rare_values",
    "has_rather_rare_values",
    "reach_of_beta",
    "reach_of_gamma",
    "reach_of_information",
]

_VARIANCE_RATIO = (0.9, 1.1)  # of the exact variance to the normal model's
_SKEW_RATIO = (0.8, 1.25)  # of the exact skewness to that of the law with two moments
_MAX_SKEW = 2.9  # a single squared normal has √8
_NEAR_NORMAL = 0.3  # skewness below which every law of three moments is nearly the normal one
_MIN_EXPECTED = 5.0  # rows in the emptiest cell
_ENOUGH_ROWS = 25  # for groups: with fewer the laws say too large a p
_FEWEST_ROWS = 12  # per direction, from which a Beta law is trusted with fewer rows
_ENOUGH_REPEATS = 50  # rows beyond the first of their label: fewer are a null of a few meetings
# Third cumulants of both variables together: for a Beta law, a Pearson III law of tables, of dense matrices.
_MAX_THIRD = (0.03, 0.3, 0.06)
_SOME_ROWS = 40  # from which the permutation law of a dense matrix is smooth enough
_SOME_OTHERS = 30  # rows that differ from the most common value
FEW_ROWS, _FEW_CELLS = 200, 9  # so few distinct values a side that the null is a handful of atoms
_MANY_OTHERS = 100  # the same, where nothing is known of the skewness
_MAX_LAW_SKEW = 4.0  # with rare values and more than that, most of the null is one atom and no law fits it

DENSE_REACH = 1e-2  # of dcor and hsic: at 1e-3 their laws are 1.25 times too small already
_LEAST_REACH = 1e-3  # of every other law that is trusted
NORMAL_REACH = 1e-4  # of Kendall's S, ξ and agreement, which are nearly normal

# p, rows per direction, third cumulants for a Beta and for a Pearson III law, variance ratio of a Beta law.
# A tail of p lies z = √2·erfc⁻¹(p) deviations out, and third cumulants κ raise it by about cosh(κz³/6).
_STEPS = (
    (1e-4, 16, 0.01, 0.1, 1.05),
    (1e-6, 30, 0.003, 0.006, 1.015),
    (1e-8, 50, 0.001, 0.002, 1.005),
)
_INFORMATION_STEPS = ((1e-4, 5.0), (1e-6, 10.0), (1e-8, 20.0))  # p, rows in the emptiest cell

Array = NDArray[np.float64]
Counts = NDArray[np.int64]
Codes = NDArray[np.int8]
Condition = NDArray[np.bool_]
Others = tuple[Counts, Counts]
"""How many rows differ from the most common value of x, and of y."""
Judgment = tuple[Codes, Array]
"""Caveats, and the figure that each is about."""


class Caveat(IntEnum):
    """Why a level is only approximate."""

    NONE = 0
    FEW_VALUES = 1
    FEW_ROWS = 2
    OUTLIERS = 3
    SKEWNESS = 4
    SMALL_COUNTS = 5
    COMMON_VALUE = 6
    UNKNOWN_SKEWNESS = 7
    FEW_DISTINCT = 8
    VARIANCE = 9
    UNKNOWN_VARIANCE = 10
    RARE_VALUES = 11
    NO_SUM_OF_SQUARES = 12
    MOSTLY_DISTINCT = 13
    BOTH_SKEWED = 14


CAVEATS = (
    "",
    "few values are possible",
    "few rows",
    "outliers",
    "skewness unlike the law's",
    "small expected counts",
    "a very common value",
    "unknown skewness",
    "few distinct values",
    "variance unlike the law's",
    "unknown variance",
    "rare values",
    "skewness unlike the law's",
    "labels mostly distinct",
    "both variables are skewed",
)

_DOUBTS = {
    Caveat.OUTLIERS: "outliers make the variance {:.2f} times that of normal data",
    Caveat.SKEWNESS: "the skewness is {:.2f} times that of the law",
    Caveat.SMALL_COUNTS: "a cell expects only {:.1f} rows",
    Caveat.COMMON_VALUE: "only {:.0f} rows differ from the most common value",
    Caveat.UNKNOWN_SKEWNESS: "the skewness is not known",
    Caveat.FEW_DISTINCT: "the normal law is a limit for many values",
    Caveat.VARIANCE: "the variance is {:.2f} times that of a squared normal",
    Caveat.RARE_VALUES: "rare values leave no smooth law",
    Caveat.NO_SUM_OF_SQUARES: "the skewness {:.2f} is not that of squares",
    Caveat.MOSTLY_DISTINCT: "only {:.0f} rows repeat a label",
    Caveat.BOTH_SKEWED: "the skewness of both variables moves the tail (third cumulants {:.2f})",
}


def doubt_text(caveat: int, figure: float) -> str:
    """A caveat in words, with its figure; empty where there is none."""
    return _DOUBTS.get(Caveat(caveat), CAVEATS[caveat]).format(figure)


def distrust_beta(
    *,
    n: Counts,
    distinct: Others,
    others: Others,
    rank: Array,
    third: Array,
    variance_ratio: Array,
    skew_ratio: Array,
) -> Judgment:
    """A Beta law needs tails like the normal model's, and more than a handful of possible values.

    The ratios are of the exact variance to the normal model's, of the exact skewness to the law's. `rank` and
    `third` are those of `reach_of_beta`.
    """
    return _first_broken(
        (_has_many_values(n, distinct, others), Caveat.FEW_VALUES, n),
        ((_rows_per_direction(n, rank) >= _FEWEST_ROWS) | (n >= _ENOUGH_ROWS), Caveat.FEW_ROWS, n),
        (_has_repeats(n, rank), Caveat.MOSTLY_DISTINCT, n - 1 - rank),
        (_is_within(variance_ratio, _VARIANCE_RATIO), Caveat.OUTLIERS, variance_ratio),
        (_is_within(skew_ratio, _SKEW_RATIO), Caveat.SKEWNESS, skew_ratio),
        (third <= _MAX_THIRD[0], Caveat.BOTH_SKEWED, third),
    )


def distrust_gamma(
    *,
    n: Counts,
    distinct: Others,
    others: Others,
    rank: Array,
    third: Array,
    skew: Array,
    skew_ratio: Array,
) -> Judgment:
    """A Pearson III law for a table needs a skewness like that of a gamma law from zero, or little."""
    is_near_normal = _is_within(skew, (-_NEAR_NORMAL, _NEAR_NORMAL))
    return _first_broken(
        (_has_many_values(n, distinct, others), Caveat.FEW_VALUES, n),
        (n >= _ENOUGH_ROWS, Caveat.FEW_ROWS, n),
        (_has_repeats(n, rank), Caveat.MOSTLY_DISTINCT, n - 1 - rank),
        (is_near_normal | _is_within(skew_ratio, _SKEW_RATIO), Caveat.SKEWNESS, skew_ratio),
        (third <= _MAX_THIRD[1], Caveat.BOTH_SKEWED, third),
    )


def distrust_squares(*, n: Counts, distinct: Others, others: Others, third: Array, skew: Array) -> Judgment:
    """A Pearson III law for dense matrices needs some rows and a skewness like a sum of squares'."""
    return _first_broken(
        (_has_many_values(n, distinct, others), Caveat.FEW_VALUES, n),
        (n >= _SOME_ROWS, Caveat.FEW_ROWS, n),
        ((skew > 0) & (skew <= _MAX_SKEW), Caveat.NO_SUM_OF_SQUARES, skew),
        (third <= _MAX_THIRD[2], Caveat.BOTH_SKEWED, third),
    )


def distrust_information(*, min_expected: Array) -> Judgment:
    """Without a third moment a gamma law is trusted where the χ² limit is near."""
    return _first_broken((min_expected >= _MIN_EXPECTED, Caveat.SMALL_COUNTS, min_expected))


def distrust_kendall(*, n: Counts, n_others: Counts, variance_ratio: Array) -> Judgment:
    """A Beta law of τ² needs S near normal: enough rows that differ from the most common value."""
    return _first_broken(
        (n >= _SOME_ROWS, Caveat.FEW_ROWS, n),
        (n_others >= _SOME_OTHERS, Caveat.COMMON_VALUE, n_others),
        (_is_within(variance_ratio, _VARIANCE_RATIO), Caveat.VARIANCE, variance_ratio),
    )


def reach_of_beta(*, n: Counts, rank: Array, third: Array, variance_ratio: Array) -> Array:
    """Down to which p a trusted Beta law holds.

    `rank` is how many directions the variable with more of them has: 1 for numbers, one less than its groups
    for labels. `third` is the size of the third cumulants that the sum has beside its variance, which a law
    of squares cannot see: γₓ²γᵧ²/n for two numeric variables of skewness γ.
    """
    rows = _rows_per_direction(n, rank)
    steps = ((p, (rows >= r) & (third <= t) & (variance_ratio <= v)) for p, r, t, _, v in _STEPS)
    return _last_step(steps)


def reach_of_gamma(*, n: Counts, rank: Array, third: Array) -> Array:
    """The same of a Pearson III law, whose skewness is exact, so that third cumulants move it less."""
    rows = _rows_per_direction(n, rank)
    return _last_step((p, (rows >= r) & (third <= t)) for p, r, _, t, _ in _STEPS)


def reach_of_information(*, min_expected: Array) -> Array:
    """The same of the gamma law of mutual information."""
    return _last_step((p, min_expected >= rows) for p, rows in _INFORMATION_STEPS)


def _rows_per_direction(n: Counts, rank: Array) -> Array:
    """Rows for each coefficient, the mean's among them, as if there were two of these: n for numbers."""
    rows: Array = 2 * n / (1 + rank)
    return rows


def _last_step(steps: Iterable[tuple[float, Condition]]) -> Array:
    """The p of the last step before one fails."""
    reach, holds = np.array(_LEAST_REACH), np.array(True)
    for p, condition in steps:
        holds = holds & condition
        reach = np.where(holds, p, reach)
    return reach


def has_rare_values(n: Counts, x_others: Counts, y_others: Counts) -> Condition:
    """Whether so few rows differ from the most common value that their meetings are single events.

    With fewer others the answer never changes to no, so that it can be asked of lower bounds.
    """
    return _has_fewer_others(n, x_others, y_others, _SOME_OTHERS)


def has_rather_rare_values(n: Counts, x_others: Counts, y_others: Counts) -> Condition:
    """The same with a wider margin, for sums whose skewness is not known."""
    return _has_fewer_others(n, x_others, y_others, _MANY_OTHERS)


def _has_fewer_others(n: Counts, x_others: Counts, y_others: Counts, least: int) -> Condition:
    fewest = np.minimum(x_others, y_others)
    is_rare: Condition = ((fewest < least) & (4 * fewest < n)) | (x_others * y_others < n)
    return is_rare


def has_no_law(
    n: Counts, others: tuple[Counts, Counts], distinct: tuple[Counts, Counts], skew: Array
) -> Condition:
    """Whether rare values leave no smooth law: most of the null is one atom, or both variables have ties."""
    has_ties = 2 * np.maximum(*distinct) <= n
    return has_rare_values(n, *others) & (has_ties | (skew > _MAX_LAW_SKEW))


def _has_many_values(n: Counts, distinct: Others, others: Others) -> Condition:
    """Whether more than a handful of values is possible."""
    return np.where(n > FEW_ROWS, ~has_few_others(n, others), distinct[0] * distinct[1] > _FEW_CELLS)


def has_few_others(n: Counts, others: Others) -> Condition:
    """Whether, among many rows, few differ from the most common value of either variable."""
    is_few: Condition = (n > FEW_ROWS) & (np.minimum(*others) < _SOME_OTHERS)
    return is_few


def _has_repeats(n: Counts, rank: Array) -> Condition:
    """Whether enough rows are left beside one per label."""
    left = n - 1 - rank
    return (3 * left >= 2 * n) | (left >= _ENOUGH_REPEATS)


def _is_within(figure: Array, limits: tuple[float, float]) -> Condition:
    return (figure >= limits[0]) & (figure <= limits[1])


def _first_broken(*rules: tuple[Condition, Caveat, NDArray[np.generic]]) -> Judgment:
    """The caveat of the first rule that does not hold, and its figure, for each pair."""
    codes, figures = np.array(Caveat.NONE, dtype=np.int8), np.array(np.nan)
    for holds, caveat, figure in reversed(rules):
        codes, figures = np.where(holds, codes, np.int8(caveat)), np.where(holds, figures, figure)
    return codes, figures
