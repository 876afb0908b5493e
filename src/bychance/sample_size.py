"""rows_needed(): the number of rows needed to detect an effect of a given size.

In:  an effect, a measure, the kinds of both columns, alpha and power.
Out: the smallest number of rows at which p falls below alpha with at least that power.

The threshold is the quantile of the null with the exact moments, for columns with normal scores or categories
of equal frequency. The measure's distribution under dependence is noncentral: F with a numeric column, chi²
with two categorical ones.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bychance.array_types import FloatArray
from bychance.errors import BychanceError
from bychance.estimate import adjust
from bychance.validation import number_within, one_of, whole_number

__all__ = ["rows_needed"]

_MEASURES = ("explained", "r2", "eta2", "goodman_kruskal", "phi2")
_FEWEST = 10  # rows, as `min_n` of rank
_MOST = 10_000_000  # rows above which no sample size is searched: two columns take 160 MB (taste)
_PER_CELL = 5  # rows for each combination of categories, below which chi² is a poor approximation
_N_VARIANCES = 64  # quantiles of the variance of a normal column, over which the power is averaged (taste)

Kinds = tuple[str | int, str | int]


def rows_needed(
    effect: float,
    measure: str = "explained",
    kinds: Kinds = ("numeric", "numeric"),
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int:
    """Return the number of rows needed to detect an effect of this size with a given power.

    Parameters
    ----------
    effect : float
        The value of the measure in the population, between 0 and 1. For "explained" it is the share of the
        variation of y that x explains.
    measure : {"explained", "r2", "eta2", "goodman_kruskal", "phi2"}
        The measure.
    kinds : tuple
        Kinds of x and y, each "numeric" for a normal column, or a number of equally frequent categories.
    alpha : float
        The p-value up to which the effect counts as detected. For m pairs in a ranking of which few are
        related, about 0.05/m.
    power : float
        The probability of detecting it.

    Returns
    -------
    int
        Number of rows in which both columns have a value.

    Examples
    --------
    >>> import bychance as bc
    >>> bc.rows_needed(0.09)  # a correlation of 0.3
    84
    >>> bc.rows_needed(0.09, kinds=(4, "numeric"))
    115
    """
    number_within(power, "power", 1)
    number_within(effect, "effect", 1)
    one_of(measure, "measure", _MEASURES)
    categories, y = _categories(kinds), kinds[1]
    number_within(alpha, "alpha", 1)
    # Effects count as sums of squared canonical correlations of both columns. A share of the variation of y
    # with m categories is this sum over m − 1.
    factor = 1 if isinstance(y, str) or measure == "phi2" else y - 1
    most = min(categories) - 1 if len(categories) == 2 else 1
    if not alpha < power < 1:
        raise BychanceError(
            f"`power` must lie between `alpha` and 1, got power={power!r}, alpha={alpha!r}.", "power"
        )
    if not effect * factor < most:
        raise BychanceError(
            f"`effect` must be below {most / factor:.3g} for kinds={kinds!r}, got {effect!r}.", "effect"
        )

    def has_power(n: int) -> bool:
        columns = [_column(kind, n) for kind in kinds]
        threshold = adjust(measure, *columns, null="moments").null.quantile(1 - alpha)
        return _power(n, categories, effect * factor, threshold * factor) >= power

    high = max(_FEWEST, _PER_CELL * prod(categories))
    low = high - 1
    while not has_power(high):
        low, high = high, 2 * high
        if low > _MOST:
            raise BychanceError(f"More than {_MOST:,} rows are needed for effect={effect!r}.", "effect")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if has_power(middle) else (middle, high)
    return high


def _categories(kinds: object) -> list[int]:
    """Check the kinds, and return the number of categories of each categorical column."""
    if not isinstance(kinds, tuple | list) or len(kinds) != 2:
        raise BychanceError(f'`kinds` must be two, as in ("numeric", 3), got {kinds!r}.', "kinds")
    for kind in kinds:
        if isinstance(kind, str):
            one_of(kind, "kinds", ("numeric",))
        elif whole_number(kind, "kinds") < 2:
            raise BychanceError(f'`kinds` must be "numeric" or at least 2 categories, got {kind!r}.', "kinds")
    return [kind for kind in kinds if not isinstance(kind, str)]


def _power(n: int, categories: list[int], effect: float, threshold: float) -> float:
    """Return the probability that the measure on n rows exceeds the test's threshold.

    Effect and threshold are sums of squared canonical correlations.
    """
    degrees = prod(count - 1 for count in categories)
    if len(categories) == 2:
        return float(stats.ncx2.sf((n - 1) * threshold, degrees, (n - 1) * effect))
    if threshold >= 1:
        return 0.0
    residual = n - 1 - degrees
    ratio = threshold / (1 - threshold) * residual / degrees
    size = np.array([n]) if categories else _variances(n)
    return float(np.mean(stats.ncf.sf(ratio, degrees, residual, size * effect / (1 - effect))))


def _column(kind: str | int, n: int) -> NDArray[Any]:
    """Return n values that stand for a column: normal scores, or equally frequent categories."""
    if isinstance(kind, str):
        return np.asarray(stats.norm.ppf((np.arange(n) + 0.5) / n))
    return np.array([f"c{k}" for k in range(kind)])[np.arange(n) % kind]


def _variances(n: int) -> FloatArray:
    """Return 64 equally spaced quantiles of χ² with n − 1 degrees of freedom."""
    return np.asarray(stats.chi2.ppf((np.arange(_N_VARIANCES) + 0.5) / _N_VARIANCES, n - 1))
