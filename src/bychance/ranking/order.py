"""Scores and p-values of all pairs → their order, and q-values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.ranking.pair_rows import Rows

__all__ = [
    "Floor",
    "best_first",
    "fdr_factor",
    "is_hopeless",
    "p_values_of_tests",
    "places",
    "q_values",
    "scores_of",
]

Numbers = NDArray[np.float64]


@dataclass(slots=True)
class Floor:
    """The smallest attainable Monte Carlo p-value, and how many pairs have it."""

    n_draws: int = 0
    n_at_floor: int = 0

    def add(self, rows: Rows) -> Floor:
        """Count these rows too."""
        is_sampled = rows.n_resamples > 0
        if is_sampled.any():
            least = 1 / (rows.n_resamples[is_sampled] + 1.0)
            self.n_draws = max(self.n_draws, int(rows.n_resamples.max()))
            self.n_at_floor += int(np.sum(rows.p_value[is_sampled] <= least * (1 + 1e-9)))
        return self


def best_first(score: Numbers, ties: NDArray[np.float32] | None = None) -> NDArray[np.uint32]:
    """The pairs' numbers from the largest score to the smallest; those without a score come last.

    Equal scores are ordered by `ties`, where given, and then as they came.
    """
    return _native.descending_order(score, ties)


def places(order: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The place of each pair in the order, 1 the best.

    >>> places(np.array([2, 0, 1], dtype=np.uint32)).tolist()
    [2, 3, 1]
    """
    place = np.empty(len(order), dtype=np.uint32)
    place[order] = np.arange(1, len(order) + 1, dtype=np.uint32)
    return place


def scores_of(rows: Rows, by: str) -> tuple[Numbers, NDArray[np.float32] | None]:
    """What rows are ordered by, larger first, and what equal ones are ordered by.

    Monte Carlo gives many equal p-values: the standardized score decides between them. A pair with a
    degenerate null has no score: ranked at 0 it would outrank noise with negative scores.
    """
    if by == "p_value":
        return -p_values_of_tests(rows), rows.standardized.astype(np.float32)
    return np.where(is_hopeless(rows), np.nan, getattr(rows, by)), None


def p_values_of_tests(rows: Rows) -> Numbers:
    """The p-values; NaN for pairs with a degenerate null, which q-values leave out."""
    return np.where(is_hopeless(rows), np.nan, rows.p_value)


def is_hopeless(rows: Rows) -> NDArray[np.bool_]:
    """Pairs with a degenerate null: every re-pairing gives the same value."""
    same: NDArray[np.bool_] = (rows.null_std == 0) & (rows.p_value == 1)
    return same


def q_values(rates: Numbers, rows: Rows) -> Numbers:
    """The q-values of rows: their false discovery rates, and the p-value as it is where there was no test."""
    return np.where(np.isnan(rates), rows.p_value, rates)


def fdr_factor(fdr: str, n_tests: int) -> float:
    """What q-values are larger by: nothing for Benjamini–Hochberg ("bh"), Σ 1/k for Yekutieli's ("by").

    >>> fdr_factor("bh", 3), round(fdr_factor("by", 3), 3)
    (1.0, 1.833)
    """
    return 1.0 if fdr == "bh" else float(np.sum(1 / np.arange(1, n_tests + 1)))
