"""The whole law of r² between two samples of evenly spaced values: Spearman's ρ² without ties.

Σ k·π(k) over all n! permutations is counted row by row: ways[mask, s] is the number of ways to give the first
rows the values in the mask with sum s. 2ⁿ masks, so for few rows only.
"""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.discrete import DiscreteNull

__all__ = ["MAX_RANK_LAW_N", "is_evenly_spaced", "rank_null"]

MAX_RANK_LAW_N = 12  # a few hundredths of a second, once


def is_evenly_spaced(variable: Any) -> bool:
    """Whether the sorted values of a numeric variable all lie one step apart, as untied ranks do."""
    values = variable.labels
    if values.dtype.kind != "f":
        return False
    steps = np.diff(np.sort(values))
    return bool(steps.min() > 0 and np.ptp(steps) <= 1e-9 * steps.max())


@lru_cache(maxsize=MAX_RANK_LAW_N)
def rank_null(n: int) -> DiscreteNull:
    """The law of ρ² for n rows without ties.

    >>> null = rank_null(10)
    >>> round(null.sf(1.0) * 3628800, 9)
    2.0
    """
    counts = _sum_counts(n)
    highest, lowest = len(counts) - 1, (n - 2) * (n - 1) * n // 6
    distance = np.abs(2 * np.arange(lowest, highest + 1) - highest - lowest)
    atoms = np.bincount(distance, weights=counts[lowest:])
    possible = np.flatnonzero(atoms)
    return DiscreteNull.of(
        (possible / (highest - lowest)) ** 2,
        atoms[possible] / factorial(n),
        engine="exact permutations",
        reason="few rows without ties: the law of ranks is known",
    )


def _sum_counts(n: int) -> NDArray[np.float64]:
    """How many permutations have Σ k·π(k) = s, k and π(k) from 0, for each s."""
    highest = (n - 1) * n * (2 * n - 1) // 6
    masks = np.arange(1 << n)
    sizes = sum((masks >> bit) & 1 for bit in range(n))
    ways = np.zeros((1 << n, highest + 1))
    ways[0, 0] = 1
    for row in range(n):
        taken = masks[sizes == row]
        for value in range(n):
            free = taken[(taken >> value) & 1 == 0]
            shift = row * value
            ways[free | (1 << value), shift:] += ways[free, : highest + 1 - shift]
    counts: NDArray[np.float64] = ways[-1]
    return counts
