"""The three adjustments of an estimate for chance, with rules for degenerate nulls.

In:  observed values and bounds, and mean, standard deviation and quantiles of their nulls.
Out: Scores, one entry per pair. The formulas are those of Romano et al. (2016), and nowhere else in the code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from bychance.array_types import FloatArray

__all__ = ["Scores", "Value", "adjust_at", "bound_of", "quantify", "scores", "standardize", "tolerance"]

Value = TypeVar("Value", float, FloatArray)


def quantify(observed: Value, mean: Value, bound: Value) -> Value:
    """Return (observed − mean) / (bound − mean): 0 at chance, 1 at the bound (Definition 3.1).

    0 is what independent variables give on average, 1 is the bound. Values below chance are negative and
    are kept: clipping them would bias the average upward.

    >>> round(quantify(0.30, 0.10, 1.0), 4)  # r² of 11 rows
    0.2222
    """
    return (observed - mean) / (bound - mean)


def standardize(observed: Value, mean: Value, std: Value) -> Value:
    """Return (observed − mean) / std: distance from chance in null standard deviations (Definition 4.1)."""
    return (observed - mean) / std


def adjust_at(observed: Value, quantile: Value) -> Value:
    """Return the observed value minus the null's (1 − alpha)-quantile (Definition 4.2).

    A small alpha penalizes estimates from few rows or many categories. A large one lets them through.
    """
    return observed - quantile


def bound_of(observed: float, mean: float, adjusted: float) -> float:
    """Return the bound with which `adjusted` was computed from the observed value and the null's mean.

    >>> bound_of(0.5, 0.25, 0.5)
    0.75
    """
    return mean + (observed - mean) / adjusted


def tolerance(observed: Value, std: Value) -> Value:
    """Return the rounding tolerance within which a null value below the observed one counts as tied.

    One pairing summed in two orders differs in its last digits. Without a tolerance, ties between the
    observed value and the null would fall on either side by accident. Many measures are squares of sums, so
    that a small value has the rounding of its root.
    """
    size = abs(observed)
    allowed: Value = 1e-10 * std + 1e-12 * size + 1e-13 * np.sqrt(size)
    return allowed


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Adjusted and standardized values per pair, with flags of degenerate cases (docs/conventions.md).

    If every permutation gives the observed value (`is_same`), both are 0. If the bound does not exceed the
    null's mean (`has_room` is False), the adjusted value is 0. If all permutations give another value
    (`has_spread` is False), the standardized value is NaN.
    """

    adjusted: Any
    standardized: Any
    adjusted_se: Any
    is_same: Any
    has_room: Any
    has_spread: Any

    def columns(self) -> dict[str, Any]:
        """Return the scores as a dict by the column names of a ranking."""
        return {name: getattr(self, name) for name in ("adjusted", "standardized", "adjusted_se")}


def scores(observed: Any, bound: Any, mean: Any, std: Any, mean_se: Any = 0.0) -> Scores:
    """Compute adjusted and standardized values, for one pair or many, from the moments of their nulls.

    `mean_se` is the Monte Carlo standard error of the mean.

    >>> found = scores(np.array([0.3, 0.3]), np.array([1.0, 1.0]), np.array([0.1, 0.3]), np.array([0.1, 0.0]))
    >>> found.adjusted.round(3).tolist(), found.standardized.round(3).tolist(), found.is_same.tolist()
    ([0.222, 0.0], [2.0, 0.0], [False, True])
    """
    has_room, has_spread = bound > mean, std > 0
    if np.all(has_room & has_spread):
        adjusted, standardized = quantify(observed, mean, bound), standardize(observed, mean, std)
        adjusted_se = abs(observed - bound) / (bound - mean) ** 2 * mean_se
        return Scores(adjusted, standardized, adjusted_se, np.logical_not(has_spread), has_room, has_spread)
    observed, bound, mean, std = map(np.asarray, (observed, bound, mean, std))
    is_same = ~(std > 0) & (abs(observed - mean) <= tolerance(observed, 0.0))
    is_adjusted = (bound > mean) & ~is_same
    with np.errstate(divide="ignore", invalid="ignore"):
        adjusted = np.where(is_adjusted, quantify(observed, mean, bound), 0.0)
        standardized = np.where(std > 0, standardize(observed, mean, std), np.where(is_same, 0.0, np.nan))
        error = abs(observed - bound) / (bound - mean) ** 2 * mean_se
    return Scores(adjusted, standardized, np.where(is_adjusted, error, 0.0), is_same, bound > mean, std > 0)
