"""Closed testing: lower bound on the true discoveries in any selection, from all p-values.

A set of i tests is rejected if p_(j) <= j·alpha/c_i for one of its sorted p-values: c_i = i by Simes'
inequality, i·(1 + 1/2 + … + 1/i) under any dependence (Hommel 1983). A selection holds at least as many true
discoveries as it has members beyond its largest part within a set that is not rejected. Two results make
that quick (Goeman, Meijer, Krebs and Solari 2019, Biometrika 106:841; Meijer, Krebs and Goeman 2019): only
the size h of the largest set that is not rejected counts, and only the lower convex hull of the points
(k, p_(k)) is needed to find it at any alpha.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import digamma

from bychance import _native
from bychance.array_types import FloatArray, IntArray

__all__ = ["Hull", "Threshold"]

_CHUNK = 1 << 16  # set sizes that are tested at once, to bound memory


class Threshold(NamedTuple):
    """Simes-type rejection rule: reject a set if, for some rank i, weight·p_(i) <= i·alpha."""

    weight: float
    alpha: float

    def discoveries(self, p_values: FloatArray) -> int:
        """Return a lower bound on the true discoveries among tests with these p-values.

        It is the largest 1 - u + #{weight·p <= u·alpha} of all u.

        >>> Threshold(weight=4.0, alpha=0.05).discoveries(np.array([0.001, 0.01, 0.02, 0.9]))
        2
        """
        weighted = self.weight * p_values
        weighted = weighted[weighted <= len(p_values) * self.alpha]
        if not len(weighted):
            return 0
        places = (weighted / self.alpha).astype(np.intp)
        places += weighted > places * self.alpha
        counts = np.cumsum(np.bincount(places, minlength=2))
        return int((counts - np.arange(len(counts)))[1:].max()) + 1


@dataclass(frozen=True, slots=True, eq=False)
class Hull:
    """Number of tests and lower convex hull of their sorted p-values, from which bounds are computed.

    `ranks` are the places of the corners among the sorted p-values, and `p_values` the corners' own.
    """

    n_tests: int
    ranks: IntArray
    p_values: FloatArray

    @classmethod
    def of(cls, p_values: FloatArray, n_threads: int = 1) -> Hull:
        """Compute the lower convex hull of the sorted p-values, ignoring NaN.

        >>> Hull.of(np.array([0.4, 0.02, np.nan, 0.3, 0.01])).ranks.tolist()
        [1, 2, 4]
        """
        return cls(*_native.lower_hull(p_values, n_threads))

    def threshold(self, alpha: float, *, is_robust: bool) -> Threshold:
        """Return the rejection rule that holds for all selections at once with probability 1 - alpha."""
        largest = self.largest(alpha, is_robust=is_robust)
        return Threshold(float(_weights(np.array([largest]), is_robust=is_robust)[0]), alpha)

    def largest(self, alpha: float, *, is_robust: bool) -> int:
        """Return h, the size of the largest set of tests that is not rejected at alpha.

        The worst set of size i has the i largest p-values. Its test is decided by the corner with the least
        slope from (m - i, 0), and this corner moves to the right as i falls.
        """
        if not self.n_tests:
            return 0
        slopes = np.diff(self.p_values) / np.diff(self.ranks)
        crossings = self.ranks[:-1] - self.p_values[:-1] / slopes
        for start in range(0, self.n_tests, _CHUNK):
            n_left_out = np.arange(start, min(start + _CHUNK, self.n_tests))
            at = np.searchsorted(crossings, n_left_out, side="right")
            weights = _weights(self.n_tests - n_left_out, is_robust=is_robust)
            is_kept = weights * self.p_values[at] > (self.ranks[at] - n_left_out) * alpha
            if is_kept.any():
                return int(self.n_tests - n_left_out[np.argmax(is_kept)])
        return 0


def _weights(sizes: IntArray, *, is_robust: bool) -> FloatArray:
    """Return c_i per set size i, for the rule that rejects i tests if some p_(j) <= j·alpha/c_i."""
    return sizes * (digamma(sizes + 1.0) + np.euler_gamma) if is_robust else sizes.astype(np.float64)
