"""The paper's three adjustments: estimates, their nulls and bounds → numbers on an honest scale.

In:  estimates of a dependency measure with what is known of their nulls, of one pair or of many.
Out: zero where the variables are independent (on average), whatever the sample size.
Degenerate nulls never come here: estimate.py answers them from the table in docs/conventions.md.
"""

from __future__ import annotations

from bychance.nulls.base import Value

__all__ = ["adjust_at", "quantify", "standardize"]


def quantify(observed: Value, mean: Value, bound: Value) -> Value:
    """The share of the way from chance to the bound (Romano et al. 2016, Definition 3.1).

    0 is what independent variables give on average, 1 is the bound. Values below chance are negative and
    are kept: clipping them would bias the average upward.

    >>> round(quantify(0.30, 0.10, 1.0), 4)  # r² of 11 rows
    0.2222
    """
    return (observed - mean) / (bound - mean)


def standardize(observed: Value, mean: Value, std: Value) -> Value:
    """The distance from chance in null standard deviations (Definition 4.1)."""
    return (observed - mean) / std


def adjust_at(observed: Value, quantile: Value) -> Value:
    """The excess over the null's (1 − alpha)-quantile (Definition 4.2).

    A small alpha penalizes estimates from few rows or many categories; a large one lets them through.
    """
    return observed - quantile
