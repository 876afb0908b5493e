"""How far values resemble those of the next row: numbers or categories in order, in series → a statistic."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bychance.measures.ordering import order_values

__all__ = [
    "FEWEST_OTHERS",
    "SHUFFLED",
    "agreement_of_steps",
    "correlation_of_steps",
    "neighbor_agreement",
    "neighbor_correlation",
    "without_means",
]

FEWEST_OTHERS = 10  # rows outside the most common category: fewer may meet by chance
_FEWEST_CHANGES = 10  # from row to row: with fewer, rows were put in groups
SHUFFLED = -0.5
"""The correlation of a step with the next for rows in any order: the row between is in both."""


def neighbor_correlation(values: NDArray[np.float64], series: NDArray[np.int64]) -> float:
    """The rank correlation of each value with the next one of its series; 0 for a constant.

    >>> one, rising = np.zeros(100, dtype=np.int64), np.arange(100.0)
    >>> neighbor_correlation(rising, one) > 0.9, neighbor_correlation(rising % 2, one) < -0.9
    (True, True)
    """
    ranks = without_means(order_values(values).midranks, series - series[0])
    whole = float(ranks @ ranks)
    is_within = series[1:] == series[:-1]
    return float((ranks[1:] * ranks[:-1])[is_within].sum()) / whole if whole > 0 else 0.0


def neighbor_agreement(codes: NDArray[np.int64], series: NDArray[np.int64]) -> float:
    """Cohen's κ of each category with the next one of its series; 0 where the rows were sorted by it.

    >>> one, days = np.zeros(90, dtype=np.int64), np.arange(90)
    >>> neighbor_agreement(days // 10 % 3, one) > 0.8, neighbor_agreement(days // 30, one)
    (True, 0.0)
    """
    n_runs = 1 + np.count_nonzero(np.diff(codes))
    counts = np.bincount(codes)
    if n_runs == np.count_nonzero(counts) or len(codes) - counts.max() < FEWEST_OTHERS:
        return 0.0
    is_within = series[1:] == series[:-1]
    n_equal = np.count_nonzero((codes[1:] == codes[:-1]) & is_within)
    sizes = np.unique(series, return_counts=True)[1]
    in_series = np.unique(np.column_stack([series, codes]), axis=0, return_counts=True)
    same = np.bincount(
        np.unique(in_series[0][:, 0], return_inverse=True)[1], in_series[1] * (in_series[1] - 1.0)
    )
    # A series of m rows has m − 1 neighbors, each equal with probability Σ c(c − 1) / m(m − 1).
    expected, n_neighbors = float((same / sizes).sum()), int(is_within.sum())
    return float(n_equal - expected) / (n_neighbors - expected) if expected < n_neighbors else 0.0


def correlation_of_steps(ranks: NDArray[np.float64], series: NDArray[np.int64]) -> float:
    """The correlation of each step from row to row with the next step, within series.

    It is −1/2 for rows in any order, and also for noise around levels or around a slow trend: so tables look
    that were sorted by a column, or by one that they lack. It is about 0 for a random walk, −(1 − φ)/2 for a
    series with the autocorrelation φ. NaN where too few rows change.

    >>> rng = np.random.default_rng(0)
    >>> noise, one = rng.normal(size=1000), np.zeros(1000, dtype=np.int64)
    >>> sorted_by_another = np.arange(1000) / 100 + noise
    >>> [round(correlation_of_steps(v, one), 1) for v in (noise, sorted_by_another, noise.cumsum())]
    [-0.5, -0.5, 0.0]
    """
    is_within = series[1:] == series[:-1]
    are_both = is_within[1:] & is_within[:-1]
    steps = np.diff(ranks)
    if np.count_nonzero(steps[is_within]) < _FEWEST_CHANGES or not are_both.any():
        return math.nan
    steps -= steps[is_within].mean()
    whole = float(np.mean(steps[is_within] ** 2))
    return float(np.mean((steps[1:] * steps[:-1])[are_both])) / whole if whole > 0 else math.nan


def agreement_of_steps(codes: NDArray[np.int64], series: NDArray[np.int64]) -> float:
    """What `correlation_of_steps` is for the indicators of all categories together.

    >>> coins = np.random.default_rng(0).integers(3, size=999)
    >>> round(agreement_of_steps(coins, np.zeros(999, dtype=np.int64)), 1)
    -0.5
    """
    is_within = series[1:] == series[:-1]
    are_both = is_within[1:] & is_within[:-1]
    is_change = codes[1:] != codes[:-1]
    n_changes = int(np.count_nonzero(is_change & is_within))
    if n_changes < _FEWEST_CHANGES or not are_both.any():
        return math.nan
    # (b − a)·(c − b) = b·c − 1 − a·c + a·b, each product 1 where two categories are the same.
    products = 0.0 + (codes[2:] != codes[:-2]) - is_change[1:] - is_change[:-1]
    return float(np.mean(products[are_both])) / (2 * n_changes / int(is_within.sum()))


def without_means(values: NDArray[np.float64], codes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The values less the mean of their group."""
    means = np.bincount(codes, values) / np.maximum(np.bincount(codes), 1)
    centered: NDArray[np.float64] = values - means[codes]
    return centered
