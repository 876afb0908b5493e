"""A measure on two columns as particles that swap rows: what tails.py needs to find its true tail."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.stats
from numpy.typing import NDArray

from studies.levels.tails import GroupSums, Lines, Swaps, Tables

__all__ = ["HAVE_ORACLE", "oracle"]

HAVE_ORACLE = ("r2", "spearman", "eta2", "explained", "goodman_kruskal", "phi2", "mi")


def oracle(
    measure: str, x: NDArray[Any], y: NDArray[Any], permutations: NDArray[np.int64]
) -> tuple[Swaps, float]:
    """Return the particles, and what to add to their values to have the measure's."""
    is_number = [column.dtype.kind == "f" for column in (x, y)]
    if all(is_number):
        if measure == "spearman":
            x, y = scipy.stats.rankdata(x), scipy.stats.rankdata(y)
        return Lines(x, y, permutations), 0.0
    if any(is_number):
        labels, numbers = (y, x) if is_number[0] else (x, y)
        codes, sizes = _codes(labels)
        shares = sizes / sizes.sum()
        # η² weighs the squared sum of a group by its size; the share of classes that a line explains not.
        even = np.full(len(sizes), 1 / (sizes.sum() * (1 - np.sum(shares**2))))
        weights = even if measure == "explained" and is_number[0] else 1 / sizes
        return GroupSums(codes, numbers, weights, permutations), 0.0
    return _table(measure, x, y, permutations)


def _table(
    measure: str, x: NDArray[Any], y: NDArray[Any], permutations: NDArray[np.int64]
) -> tuple[Swaps, float]:
    (rows, a), (columns, b) = _codes(x), _codes(y)
    n, counts = len(x), np.arange(len(x) + 2.0)
    if measure == "mi":
        entropies = sum(float(np.sum(t * np.log2(t))) for t in (a, b)) / n
        bits = counts * np.log2(np.maximum(counts, 1)) / n
        return Tables(rows, columns, np.ones((len(a), len(b))), bits, permutations), np.log2(n) - entropies
    if measure == "phi2":
        return Tables(rows, columns, 1 / np.outer(a, b), counts**2, permutations), -1.0
    alike = float(np.sum((b / n) ** 2))
    weights = np.repeat(1 / a[:, np.newaxis], len(b), axis=1) / (n * (1 - alike))
    return Tables(rows, columns, weights, counts**2, permutations), -alike / (1 - alike)


def _codes(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return labels as whole numbers, and the rows of each."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    return codes.reshape(-1), sizes
