"""When the level of a matched law can be trusted: rules over one pair or many.

In:  figures of the data and of the moments, a number each or one entry a pair.
Out: codes into CAVEATS, 0 where the level can be trusted.

The rules were set by simulation (tools/levels.py; docs/levels.md has the table): where they hold,
P(p ≤ 0.05) under independence stays between 4% and 6% for continuous data and at most 6% for any.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CAVEATS",
    "MAX_LAW_SKEW",
    "Caveat",
    "distrust_beta",
    "distrust_gamma",
    "distrust_information",
    "distrust_kendall",
    "distrust_squares",
    "effective_rows",
    "has_rare_values",
    "may_have_rare_values",
]

_VARIANCE_RATIO = (0.9, 1.3)  # of the exact variance to the normal model's
_SKEW_RATIO = (0.8, 1.25)  # of the exact skewness to that of the law with two moments
_MAX_SKEW = 2.9  # a single squared normal has √8
_NEAR_NORMAL = 0.3  # skewness below which every law of three moments is nearly the normal one
_MANY_LABELS = 30  # a side, from which mutual information is a sum of many cells
_MIN_EXPECTED = 5.0  # rows in the emptiest cell
_SOME_ROWS = 40  # from which the permutation law of a dense matrix is smooth enough
_SOME_OTHERS = 30  # rows that differ from the most common value
_FEW_ROWS, _FEW_CELLS = 200, 9  # so few distinct values a side that the null is a handful of atoms
_RARE_ROWS = 10  # rows that differ from the most common value, up to which they are single events
MAX_LAW_SKEW = 4.0  # with rare values and more than that, most of the null is one atom and no law fits it

Figures = float | NDArray[np.float64] | NDArray[np.int64]
Codes = NDArray[np.int8]
Condition = bool | NDArray[np.bool_]


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
)


def distrust_beta(
    *, n: Figures, x_distinct: Figures, y_distinct: Figures, variance_ratio: Figures, skew_ratio: Figures
) -> int | Codes:
    """A Beta law needs tails like the normal model's, and more than a handful of possible values.

    The ratios are of the exact variance to the normal model's, of the exact skewness to the law's.
    """
    return _first_broken(
        (_has_many_values(n, x_distinct, y_distinct), Caveat.FEW_VALUES),
        (_is_within(variance_ratio, _VARIANCE_RATIO), Caveat.OUTLIERS),
        (_is_within(skew_ratio, _SKEW_RATIO), Caveat.SKEWNESS),
    )


def distrust_gamma(
    *, n: Figures, x_distinct: Figures, y_distinct: Figures, skew: Figures, skew_ratio: Figures
) -> int | Codes:
    """A Pearson III law for a table needs a skewness like that of a gamma law from zero, or little."""
    is_near_normal = _is_within(skew, (-_NEAR_NORMAL, _NEAR_NORMAL))
    return _first_broken(
        (_has_many_values(n, x_distinct, y_distinct), Caveat.FEW_VALUES),
        (is_near_normal | _is_within(skew_ratio, _SKEW_RATIO), Caveat.SKEWNESS),
    )


def distrust_squares(
    *, n: Figures, x_distinct: Figures, y_distinct: Figures, n_others: Figures, skew: Figures
) -> int | Codes:
    """A Pearson III law for dense matrices needs some rows and a skewness like a sum of squares'.

    `n_others` is how many rows differ from the most common value of either variable, whichever has fewer.
    """
    has_many_values = (x_distinct * y_distinct > _FEW_CELLS) | ((n > _FEW_ROWS) & (n_others >= _SOME_OTHERS))
    return _first_broken(
        (has_many_values, Caveat.FEW_VALUES),
        (n >= _SOME_ROWS, Caveat.FEW_ROWS),
        ((skew > 0) & (skew <= _MAX_SKEW), Caveat.SKEWNESS),
    )


def distrust_information(*, x_distinct: Figures, y_distinct: Figures, min_expected: Figures) -> int | Codes:
    """Without a third moment a gamma law is trusted where the χ² limit is near, or a sum of many cells."""
    has_many_labels = (x_distinct >= _MANY_LABELS) & (y_distinct >= _MANY_LABELS)
    return _first_broken((has_many_labels | (min_expected >= _MIN_EXPECTED), Caveat.SMALL_COUNTS))


def distrust_kendall(*, n: Figures, n_others: Figures, variance_ratio: Figures) -> int | Codes:
    """A Beta law of τ² needs S near normal: enough rows that differ from the most common value."""
    return _first_broken(
        (n >= _SOME_ROWS, Caveat.FEW_ROWS),
        (n_others >= _SOME_OTHERS, Caveat.COMMON_VALUE),
        (_is_within(variance_ratio, _VARIANCE_RATIO), Caveat.VARIANCE),
    )


def has_rare_values(n: Figures, x_others: Figures, y_others: Figures) -> Condition:
    """Whether so few rows differ from the most common value that their meetings are single events."""
    return (np.minimum(x_others, y_others) <= _RARE_ROWS) | (x_others * y_others < n)


def may_have_rare_values(n: Figures, x_rows: Figures, y_rows: Figures) -> Condition:
    """The same from effective rows (`effective_rows`): true wherever it is, and in some places more."""
    return (np.minimum(x_rows, y_rows) <= 2 * _RARE_ROWS) | (x_rows * y_rows < 4 * n)


def effective_rows(invariants: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many rows carry a variable: (Σd)²/Σd² over the diagonal of its matrix, one row of invariants each.

    About as many as differ from the most common value where these are few.
    """
    rows: NDArray[np.float64] = invariants[:, 0] ** 2 / invariants[:, 3]
    return rows


def _has_many_values(n: Figures, x_distinct: Figures, y_distinct: Figures) -> Condition:
    return (n > _FEW_ROWS) | (x_distinct * y_distinct > _FEW_CELLS)


def _is_within(figure: Figures, limits: tuple[float, float]) -> Condition:
    return (figure >= limits[0]) & (figure <= limits[1])


def _first_broken(*rules: tuple[Condition, Caveat]) -> int | Codes:
    """The caveat of the first rule that does not hold, for one pair or for each."""
    codes: int | Codes = Caveat.NONE
    for holds, caveat in reversed(rules):
        if isinstance(holds, np.ndarray):
            codes = np.where(holds, codes, caveat).astype(np.int8)
        elif not holds:
            codes = caveat
    return codes
