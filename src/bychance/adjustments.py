"""The paper's three adjustments: (observed, null, bound) → a number on an honest scale.

In:  an estimate of a dependency measure, its null distribution, and the largest value it can take.
Out: zero where the variables are independent (on average), whatever the sample size.
Degenerate nulls never come here: estimate.py answers them from the table in docs/conventions.md.
"""

from __future__ import annotations

from bychance.nulls.base import Null

__all__ = ["adjust_at", "quantify", "standardize"]


def quantify(observed: float, null: Null, bound: float) -> float:
    """The share of the way from chance to the bound (Romano et al. 2016, Definition 3.1).

    0 is what independent variables give on average, 1 is the bound. Values below chance are negative and
    are kept: clipping them would bias the average upward.

    >>> from bychance.nulls.laws import BetaNull
    >>> null = BetaNull.of(0.5, 4.5, engine="beta", reason="r² of 11 rows")
    >>> round(quantify(0.30, null, bound=1.0), 4)
    0.2222
    """
    return (observed - null.mean) / (bound - null.mean)


def standardize(observed: float, null: Null) -> float:
    """The distance from chance in null standard deviations (Definition 4.1)."""
    return (observed - null.mean) / null.std


def adjust_at(observed: float, null: Null, alpha: float) -> float:
    """The excess over the null's (1 − alpha)-quantile (Definition 4.2).

    A small alpha penalizes estimates from few rows or many categories; a large one lets them through.
    """
    return observed - null.quantile(1 - alpha)
