"""Rare flags: two-valued columns of which hardly any row is expected in the rarer of two classes.

An importance of such a column is one of a few numbers, and no spread over rows tells how likely they are. How
many rows of the flag are in the class is hypergeometric under independence: its p-value is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom

from bychance.forest.tree import Training

__all__ = ["p_values_of_rare_flags"]

_FEW = 5  # rows expected of the rarer value in the rarer class
_ROUNDING = 1e-7


def p_values_of_rare_flags(training: Training) -> NDArray[np.float64]:
    """Fisher's exact p-value of each column that is such a flag, NaN for all others.

    Two-sided: all counts as far from the expected one, or farther.
    """
    p_values = np.full(training.features.n_features, np.nan)
    if training.n_classes != 2 or training.weights is not None:
        return p_values
    native = training.features.native
    for k, is_categorical in enumerate(training.features.is_categorical):
        labels = training.features.encoder.labels[k]
        if len(labels or ()) != 2 if is_categorical else len(native.values(k)) != 2:
            continue
        codes = native.codes(k)
        is_known = codes >= 0
        is_flagged, is_first = codes[is_known] == 1, training.y[is_known] == 1
        p_values[k] = _p_value(len(is_first), is_flagged, is_first)
    return p_values


def _p_value(n: int, is_flagged: NDArray[np.bool_], is_first: NDArray[np.bool_]) -> float:
    n_flagged, n_first = int(is_flagged.sum()), int(is_first.sum())
    if min(n_flagged, n - n_flagged) * min(n_first, n - n_first) >= _FEW * n:
        return np.nan
    counts = np.arange(max(0, n_flagged + n_first - n), min(n_flagged, n_first) + 1)
    distances = np.abs(counts - n_flagged * n_first / n)
    observed = distances[int(np.sum(is_flagged & is_first)) - counts[0]]
    law = hypergeom(n, n_first, n_flagged)
    return float(min(1.0, law.pmf(counts[distances >= observed - _ROUNDING]).sum()))
