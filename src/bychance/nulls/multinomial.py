"""Dobra and Gehrke's multinomial model of Gini gain: counts of x fixed, y drawn with its observed shares."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def gain_moments(n: Array, n_groups: NDArray[np.int64], x: Array, y: Array) -> tuple[Array, Array]:
    """Mean and variance of the gain (Romano et al. 2016, supplement A.2), one row of invariants per pair.

    x is the projector on its groups, y the class indicator. Exact for known shares of y; with the observed
    ones plugged in, the mean is low by (n − 1)/n on average. With shares p_j of y, tr B = n·(1 − Σp_j²) and
    tr B² = n²·(Σp_j² + (Σp_j²)² − 2Σp_j³); with sizes n_i of x, Σ diag(A)² = Σ1/n_i − (2r − 1)/n. These are
    the sums of the supplement's formula.
    """
    impurity, pairs = y[..., 0] / n, y[..., 1] / (n * n)
    sizes = x[..., 3] * (2 * impurity * (1 - impurity) - 4 * pairs)
    return (n_groups - 1) / n * impurity, ((n_groups - 1) * 2 * pairs + sizes) / (n * n)
