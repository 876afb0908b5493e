"""q-values (Benjamini and Hochberg, or Yekutieli) of some pairs among all, and their exact range.

The q-value of the j-th smallest of m p-values is the least m·p_i/i of all i ≥ j. From only some of the
p-values it comes out as large or larger: a pair that is left out lowers no other's place. By how much those
left out could lower it is bounded by counts. Let all pairs with p ≤ t₀ be known, and let at most N_g have
p ≤ t_g on a grid t₀ < t₁ < … = 1. Then a pair with p in (t_g, t_(g+1)] has m·p/i > m·t_g/N_(g+1), so that
every q-value of at most min_g m·t_g/N_(g+1) is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.ranking.all_pairs.backend import N_BINS
from bychance.ranking.all_pairs.reach import Reach
from bychance.ranking.all_pairs.screen import Passed

__all__ = ["exact_up_to"]

_STEPS_PER_FACTOR = 12  # of the grid, for each factor of e
_MOST_STEPS = 200

Array = NDArray[np.float64]


def exact_up_to(
    screened: tuple[Passed, Reach, float] | None,
    others: Array,
    n_tested: int,
    n_screened: int,
    unknown: Array,
) -> float:
    """Return the largest q-value (before Yekutieli's factor) that no unknown p-value can lower.

    `screened` has what the screen found of complete columns, what its pairs reach, and how far the counted
    |r| is off. `others` are the p-values of all other pairs, and
    `unknown` those among them that count as not known.
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
