"""When the level of a matched law can be trusted, and down to which p: rules over arrays of pairs.

In:  figures of the data and of the moments, one entry per pair.
Out: codes into CAVEATS, 0 where the level can be trusted, and the figure behind each; the reach of a law: the
     smallest p down to which it was shown to hold.

The rules themselves are in src/native/nulls/trust.cpp; here are their words, and the way to them from arrays.
They were set on the kinds of data of studies/levels/fit_data.py and judged on those of judge_data.py, after
which some were tightened (docs/levels.md says which, and has the tables). Where they hold, P(p ≤ a) under
independence is at most 1.25·a for a = 0.05, 0.01 and 0.001, and at least 0.8·a for continuous data, within
the limits of the simulation; down to the reach it is about 1.5·a at most on average.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = [
    "CAVEATS",
    "FEW_ROWS",
    "NORMAL_REACH",
    "Caveat",
    "distrust_beta",
    "distrust_gamma",
    "distrust_kendall",
    "doubt_text",
    "has_no_law",
    "has_rather_rare_values",
    "reach_of_beta",
]

FEW_ROWS = 200  # up to which distinct values are counted: with few a side the null is a handful of atoms
NORMAL_REACH = 1e-4  # of Kendall's S, ξ and agreement, which are nearly normal

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
    EXTREMES_IN_GROUPS = 15


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
    "categories mostly distinct",
    "both variables are skewed",
    "extreme values in small groups",
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
    Caveat.MOSTLY_DISTINCT: "only {:.0f} rows repeat a category",
    Caveat.BOTH_SKEWED: "the skewness of both variables moves the tail (third cumulants {:.2f})",
    Caveat.EXTREMES_IN_GROUPS: "extreme values that share a small group move the tail "
    "(fourth cumulants {:.2f})",
}
_DOUBTS_OF_ONE = {
    Caveat.COMMON_VALUE: "only 1 row differs from the most common value",
    Caveat.MOSTLY_DISTINCT: "only 1 row repeats a category",
}


def doubt_text(caveat: int, figure: float) -> str:
    """A caveat in words, with its figure; empty where there is none.

    >>> doubt_text(Caveat.COMMON_VALUE, 1.0), doubt_text(Caveat.MOSTLY_DISTINCT, 3.0)
    ('only 1 row differs from the most common value', 'only 3 rows repeat a category')
    """
    if caveat in _DOUBTS_OF_ONE and round(figure) == 1:
        return _DOUBTS_OF_ONE[Caveat(caveat)]
    return _DOUBTS.get(Caveat(caveat), CAVEATS[caveat]).format(figure) if caveat else ""


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
    return _native.judge_beta(_rows(n, *distinct, *others, rank, third, variance_ratio, skew_ratio))


def distrust_gamma(
    *,
    n: Counts,
    distinct: Others,
    others: Others,
    rank: Array,
    third: Array,
    fourth: Array,
    skew: Array,
    skew_ratio: Array,
) -> Judgment:
    """A Pearson III law for a table needs a skewness like that of a gamma law from zero, or little.

    `fourth` is what single pairs of rows add to the excess kurtosis of a number's sum over all pairs of rows
    that share a label: κ²/m for m pairs and a number of kurtosis κ.
    """
    return _native.judge_gamma(_rows(n, *distinct, *others, rank, third, fourth, skew, skew_ratio))


def distrust_kendall(*, n: Counts, n_others: Counts, variance_ratio: Array) -> Judgment:
    """A Beta law of τ² needs S near normal: enough rows that differ from the most common value."""
    return _native.judge_kendall(_rows(n, n_others, variance_ratio))


def reach_of_beta(*, n: Counts, rank: Array, third: Array, variance_ratio: Array) -> Array:
    """Down to which p a trusted Beta law holds.

    `rank` is how many directions the variable with more of them has: 1 for numbers, one less than its groups
    for categories. `third` is the size of the third cumulants that the sum has beside its variance, which a
    law of squares cannot see: γₓ²γᵧ²/n for two numeric variables of skewness γ.
    """
    return _native.reach_of_beta(_rows(n, rank, third, variance_ratio))


def has_rather_rare_values(n: Counts, x_others: Counts, y_others: Counts) -> Condition:
    """Whether few rows differ from the most common value, with a margin for sums of unknown skewness."""
    return _native.rather_rare_values(_rows(n, x_others, y_others)) > 0


def has_no_law(n: Counts, others: Others, distinct: Others, skew: Array) -> Condition:
    """Whether rare values leave no smooth law: most of the null is one atom, or both variables have ties."""
    return _native.no_law(_rows(n, *distinct, *others, skew)) > 0


def _rows(*figures: NDArray[Any]) -> Array:
    """One row per figure, as the kernels take them."""
    shapes = {figure.shape for figure in figures}
    return np.array(figures if len(shapes) == 1 else np.broadcast_arrays(*figures), dtype=np.float64)
