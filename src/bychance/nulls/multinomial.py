"""Dobra and Gehrke's multinomial model of Gini gain: counts of x fixed, y drawn with its observed shares."""

from __future__ import annotations

import numpy as np

from bychance.measures.structures import CellSum
from bychance.nulls.base import Moments

__all__ = ["dobra_gehrke_moments"]


def dobra_gehrke_moments(cells: CellSum) -> Moments:
    """Mean and variance of the gain (Romano et al. 2016, supplement A.2), in the units of the measure.

    Exact for known shares of y; with the observed ones plugged in, the mean is low by (n − 1)/n on average.
    """
    n, r = float(cells.columns.sum()), len(cells.rows)
    shares = cells.columns / n
    p2, p3 = float(np.sum(shares**2)), float(np.sum(shares**3))
    inverse_sizes = float(np.sum(1 / cells.rows)) - 2 * r / n + 1 / n
    mean = (r - 1) / n * (1 - p2)
    spread = (r - 1) * (2 * p2 + 2 * p2**2 - 4 * p3) + inverse_sizes * (-2 * p2 - 6 * p2**2 + 8 * p3)
    # The cells' scale is 1/n for the gain itself, and 1/(n·max) for its share of the maximum.
    return Moments(mean, spread / n**2).scaled(cells.scale * n)
