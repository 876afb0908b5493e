"""Sums of squares for columns that say nothing of the target: variances of independent squares → p-values.

A sum of squares of unequal variances, less its mean and in units of its spread, has nearly the law of as many
equal squares as are as skewed (Pearson 1959). As many as vary as much (Satterthwaite 1946) have another tail.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2
from scipy.stats import f as f_law

__all__ = ["Squares", "p_value_of_ratio", "p_values_of_z"]


@dataclass(frozen=True, slots=True)
class Squares:
    """How many equal squares a sum of unequal ones stands for: by its variance, and by its skewness.

    >>> Squares.of(np.array([1.0, 0.5]))
    Squares(varying=1.8, skewed=1.543...)
    """

    varying: float
    skewed: float

    @classmethod
    def of(cls, variances: NDArray[np.float64]) -> Squares:
        """Those of a sum of squares of these variances, whatever their unit; 0 where nothing varies.

        >>> Squares.of(np.array([1e-200, 1e-200])), Squares.of(np.array([0.0]))
        (Squares(varying=2.0, skewed=2.0), Squares(varying=0.0, skewed=0.0))
        """
        largest = variances.max(initial=0.0)
        if not largest > 0:
            return cls(0.0, 0.0)
        parts = variances / largest
        first, second, third = (float(np.sum(parts**power)) for power in (1, 2, 3))
        return cls(first**2 / second, second**3 / third**2)

    def __mul__(self, other: Squares) -> Squares:
        """Those of the sum whose variances are all products of both sums' variances."""
        return Squares(self.varying * other.varying, self.skewed * other.skewed)


def p_values_of_z(z_scores: NDArray[np.float64], skewed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probability of so large a sum, less its mean, in units of its standard error from rows.

    Of m equal squares whose sum is x the standard error from rows is √x, so that z is (x − m)/√x. A sum of 0
    squares is a constant, whose p-value is 1.
    """
    m = np.where(skewed > 0, skewed, 1)
    root = (z_scores + np.sqrt(z_scores**2 + 4 * m)) / 2
    return np.asarray(np.where(skewed > 0, chi2.sf(root**2, m), 1 + 0 * root))


def p_value_of_ratio(ratio: float, squares: Squares, n_left: float) -> float:
    """The probability of so large a sum over its mean, where `n_left` other equal squares tell the mean."""
    scaled = 1 + (ratio - 1) * np.sqrt(squares.varying / squares.skewed)
    return float(f_law.sf(scaled, squares.skewed, n_left))
