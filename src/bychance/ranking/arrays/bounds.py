"""Bounds that relate r² and p-value and hold for every pair of two sets of columns.

The null of a pair is Beta(μm, (1 − μ)m) with mean μ = 1/(n − 1) and the exact variance, which fixes m. The
variance is linear in Σc⁴ of x and in Σc⁴ of y (src/native/moments/trace_moments.hpp), so that it is least and
largest at corners of their ranges. The range of m between is cut into cells. Within a cell, from m₀ to m₁,
every Beta distribution has a ≥ μm₀ and b ≤ (1 − μ)m₁, and a Beta variable grows with a and shrinks with b:
the tail of Beta(μm₀, (1 − μ)m₁) is at most the tail of each distribution of the cell. So if it is above p, no
pair of the cell has a p-value of p or less. (What raises p-values further, the floor of one arrangement and
the tolerance for rounding, only helps.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from bychance import _native
from bychance.array_types import FloatArray
from bychance.nulls.matching import beta_parameters
from bychance.ranking.arrays.products import N_BINS
from bychance.ranking.arrays.tiles import Passed

__all__ = ["Reach", "exact_up_to"]

_CELL = 2e-3  # relative growth of m (see above) within a cell: how sharp the bound is (taste)
_MOST_CELLS = 1024  # cells of m, however wide its range (speed)
_SLACK = 1e-9  # relative error that variances and inverse tails may have (rounding)
_STEPS_PER_FACTOR = 12  # steps of the grid of p-values for each factor of e (taste)
_MOST_STEPS = 200  # steps of the grid of p-values (speed)


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Lower bound on the p-value at each r², over all pairs of two sets of columns."""

    a: FloatArray
    b: FloatArray
    mean: float
    std: float  # the least of any pair

    @classmethod
    def of(cls, n_rows: int, x_fourth: FloatArray, y_fourth: FloatArray) -> Reach:
        """Compute lower bounds on p-values at each r² from the Σc⁴ of x and y (c: standardized values)."""
        x, y = (_invariants(np.array([fourth.min(), fourth.max()])) for fourth in (x_fourth, y_fourth))
        at = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
        mean, variance, _, _ = _native.trace_moments(x, y, np.full(4, float(n_rows)), *at)
        least, largest = variance.min() * (1 - _SLACK), variance.max() * (1 + _SLACK)
        a, b = beta_parameters(mean[:2], np.array([largest, least]))
        low, high = a + b
        n_cells = int(np.clip(np.ceil(np.log(high / low) / _CELL), 1, _MOST_CELLS))
        ends, share = np.geomspace(low, high, n_cells + 1), float(mean[0])
        return cls(share * ends[:-1], (1 - share) * ends[1:], share, float(np.sqrt(least)))

    def least_r2(self, p: float) -> float:
        """Return the smallest r² that any pair with a p-value of at most p can have.

        >>> fourth = np.array([0.003])
        >>> round(Reach.of(1000, fourth, fourth).least_r2(1e-10), 3)
        0.041
        """
        if p >= 1:
            return 0.0
        tail = max(p, float(np.finfo(np.float64).tiny))
        high: FloatArray = np.asarray(special.betainccinv(self.a, self.b, tail), dtype=np.float64) * (
            1 - _SLACK
        )
        low = np.zeros_like(high)
        is_under = _native.beta_tails(self.a, self.b, high) <= p
        # Where the inverse is not exact, halving finds a point whose tail is above p.
        for _ in range(64 if is_under.any() else 0):
            middle = (low + high) / 2
            is_above = _native.beta_tails(self.a, self.b, middle) > p
            low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
        return float(np.where(is_under, low, high).min())

    def least_p(self, r2: float) -> float:
        """Return the smallest p-value that any pair with less than this r² can have."""
        return float(_native.beta_tails(self.a, self.b, np.array([r2])).min())


def _invariants(fourth: FloatArray) -> FloatArray:
    """Return the eight permutation-invariant sums of cc' for each standardized column c, from its Σc⁴."""
    invariants = np.ones((len(fourth), 8))
    invariants[:, 3] = invariants[:, 5] = fourth
    return invariants


def exact_up_to(
    screened: tuple[Passed, Reach, float] | None,
    others: FloatArray,
    n_tested: int,
    n_screened: int,
    unknown: FloatArray,
) -> float:
    """Return the level up to which computed q-values are exact although some pairs' p-values are unknown.

    The q-value of the j-th smallest of m p-values is the least m·p_i/i of all i ≥ j. If it is computed from
    some of the p-values only, it is as large or larger. Counts bound how much the others could lower it. Let
    all pairs with p ≤ t₀ be known, and let at most N_g have p ≤ t_g on a grid t₀ < t₁ < … = 1. A pair with p
    in (t_g, t_(g+1)] has m·p/i > m·t_g/N_(g+1). So all q-values up to min_g m·t_g/N_(g+1) are exact.

    `screened` has what the screen found of complete columns, what its pairs reach, and how far the counted
    |r| is off. `others` are the p-values of all other pairs, and `unknown` those among them that count as not
    known.
    """
    least, counts = float(unknown.min(initial=1.0)), None
    if screened is not None:
        found, reach, bound = screened
        counts = found.counts
        least = min(least, reach.least_p(found.reach**2) if found.reach > 0 else 1.0)
    if least >= 1 or (screened is not None and counts is None):
        return least
    n_steps = int(np.clip(np.ceil(-np.log(max(least, 1e-300)) * _STEPS_PER_FACTOR), 2, _MOST_STEPS))
    grid = np.geomspace(max(least, 1e-300), 1.0, n_steps)
    n_below = np.searchsorted(np.sort(others[~np.isnan(others)]), grid, side="right")
    if counts is not None:
        above = np.append(np.cumsum(counts[::-1])[::-1], 0)
        r = np.array([np.sqrt(reach.least_r2(float(p))) for p in grid])
        bins = np.clip(np.floor((r - bound) * N_BINS), 0, N_BINS).astype(np.intp)
        n_below = n_below + np.minimum(above[bins], n_screened)
    return float(min(1.0, np.min(n_tested * grid[:-1] / np.maximum(n_below[1:], 1))))
