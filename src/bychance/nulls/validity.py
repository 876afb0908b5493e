"""Sentences that say why the level of a matched null distribution may be off.

In:  codes into CAVEATS, 0 if the level can be trusted, and the number that each sentence quotes.
Out: sentences.

The rules that give the codes are in src/native/distributions/trust.cpp, with all their limits. They were
set on the kinds of data of studies/levels/fit_data.py and judged on those of judge_data.py, after which
some were tightened (docs/validation.md has the tables). If they hold, P(p ≤ a) under independence is at
most 1.25·a for a = 0.05, 0.01 and 0.001, and at least 0.8·a for continuous data, within the limits of the
simulation. Down to `holds_to` it is about 1.5·a at most on average.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

__all__ = ["CAVEATS", "Caveat", "Codes", "Others", "doubt_text"]

Codes = NDArray[np.int8]
Others = tuple[NDArray[np.int64], NDArray[np.int64]]
"""How many rows differ from the most common value of x, and of y."""


class Caveat(IntEnum):
    """Reason why the level of a null distribution is only approximate."""

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
    """Return the sentence of a caveat with its number, or an empty string.

    >>> doubt_text(Caveat.COMMON_VALUE, 1.0), doubt_text(Caveat.MOSTLY_DISTINCT, 3.0)
    ('only 1 row differs from the most common value', 'only 3 rows repeat a category')
    """
    if caveat in _DOUBTS_OF_ONE and round(figure) == 1:
        return _DOUBTS_OF_ONE[Caveat(caveat)]
    return _DOUBTS.get(Caveat(caveat), CAVEATS[caveat]).format(figure) if caveat else ""
