"""Standard error of a measure from its leave-one-out values, and the reliability of that error.

An error is itself an estimate. If it comes mostly from few rows, as with skewed columns, it has few degrees
of freedom, and it errs to one side: samples without the rare row that would lower the measure give too high a
value with too small an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Error", "error_of_pulls", "jackknife_error", "recompute_without"]

Floats = NDArray[np.float64]

_MOST_DF = 1e9  # largest degrees of freedom: the error counts as known
_LITTLE_LEFT = 1e-3  # share of a column's variation below which a difference of sums has too few digits


class Error(NamedTuple):
    """A standard error, its degrees of freedom, and the acceleration of the estimate (Efron 1987).

    The acceleration is below 0 if rare rows lower the estimate, and above 0 if they raise it: the
    error then changes with the estimate. The degrees of freedom are those of a χ² whose variance is that of
    the squared error (Satterthwaite 1946) less the part that the acceleration explains. `exception` is the
    loss by one exceptional row of a perfect relation, in units of 1/n.
    """

    size: float
    df: float = _MOST_DF
    acceleration: float = 0.0
    exception: float = 1.0

    def times(self, factor: float) -> Error:
        """Return the error multiplied by a factor."""
        return self._replace(size=self.size * factor)


def jackknife_error(without: Floats, weights: Floats | None = None, *, sign: float = 1.0) -> Error:
    """Compute a measure's standard error from its values with each row, or one row per cell, left out.

    If the measure is the absolute value of a signed one, such as a correlation, `sign` is the sign.
    """
    n = len(without) if weights is None else float(weights.sum())
    pulls = sign * (np.average(without, weights=weights) - without)
    return error_of_pulls(pulls, weights).times(math.sqrt((n - 1) * n))


def error_of_pulls(pulls: Floats, weights: Floats | None = None) -> Error:
    """Compute the standard error of an estimate from each row's influence on it. Influences average 0.

    >>> error_of_pulls(np.array([-1.0, 1.0, -1.0, 1.0])).size
    0.5
    """
    n = len(pulls) if weights is None else float(weights.sum())
    squares = pulls**2
    weighted = squares if weights is None else weights * squares
    second, third, fourth = (
        float(sum_) / n for sum_ in (weighted.sum(), weighted @ pulls, weighted @ squares)
    )
    if not (second > 0 and math.isfinite(fourth) and fourth > 0):
        return Error(math.sqrt(second / n) if second >= 0 else math.nan)
    skewness = third / second**1.5
    # For two values alone the skewness gives the kurtosis: 1 + skewness².
    rest = fourth / second**2 - 1 - skewness**2
    return Error(math.sqrt(second / n), 2 * n / max(rest, 2 * n / _MOST_DF), skewness / (6 * math.sqrt(n)))


def recompute_without(
    without: Floats, left: Floats, measure: Callable[[Any, Any], float], x: NDArray[Any], y: NDArray[Any]
) -> None:
    """Recompute a measure's leave-one-out value for rows that hold nearly all of a column's variation.

    `left` is the share of its variation that a column keeps without each row. For such a row
    differences of sums lose all digits. If a column is constant without the row, the measure is 0.
    """
    for k in np.flatnonzero(left < _LITTLE_LEFT):
        rest = np.delete(x, k), np.delete(y, k)
        without[k] = measure(*rest) if min(map(np.ptp, rest)) > 0 else 0.0
