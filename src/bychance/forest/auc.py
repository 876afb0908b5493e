"""AUC: how often a row of a class scores higher for it than another row, and how much each row moves that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance import _native

__all__ = ["auc", "auc_and_influence"]


def auc(codes: NDArray[np.integer], shares: NDArray[np.float64]) -> float:
    """The AUC of class shares: of the second class, or of each against the rest weighted by its rows.

    >>> auc(np.array([0, 1, 0, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5]]))
    0.875
    """
    return auc_and_influence(codes, shares, np.ones(len(codes)))[0]


def auc_and_influence(
    codes: NDArray[np.integer], shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    """The AUC, and by how much it would move were there more of each row, the shares of classes unchanged.

    A weight says how many rows each row stands for. With weights w and influences u, the variance of the
    AUC is about Σwu², and that of the difference of two on the same rows has the difference of their
    influences for u (DeLong, DeLong and Clarke-Pearson 1988). Classes that no row, or every row, has are
    left out.

    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5]])
    >>> value, influence = auc_and_influence(np.array([0, 1, 0, 1]), scores, np.ones(4))
    >>> value, influence.tolist()
    (0.875, [0.0625, 0.0625, -0.0625, -0.0625])
    """
    n_classes = shares.shape[1]
    total, value, influence = weights.sum(), 0.0, np.zeros(len(codes))
    for k in range(n_classes) if n_classes > 2 else (n_classes - 1,):
        is_own = codes == k
        n_own = weights[is_own].sum()
        if not 0 < n_own < total:
            continue
        share = n_own / total if n_classes > 2 else 1.0
        beaten = _beaten(is_own, shares[:, k], weights)
        one = float(np.average(beaten[is_own], weights=weights[is_own]))
        value += share * one
        influence += share * (beaten - one) / np.where(is_own, n_own, total - n_own)
    return value, influence


def _beaten(
    is_own: NDArray[np.bool_], scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For a row of the class, the share of the others that score lower; for another, of the class higher.

    Ties count by half.
    """
    group = _dense_ranks(scores)
    own, others = (np.bincount(group, weights=np.where(of, weights, 0.0)) for of in (is_own, ~is_own))
    lower, lower_own = (np.cumsum(part) - part / 2 for part in (others, own))
    beaten = np.where(is_own, lower[group] / others.sum(), 1 - lower_own[group] / own.sum())
    return np.asarray(beaten)


def _dense_ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Equal scores have one number, from 0 for the least on."""
    order, sizes = _native.ascending_order(np.ascontiguousarray(scores))
    ranks = np.empty(len(scores), dtype=np.intp)
    ranks[order] = np.repeat(np.arange(len(sizes)), sizes)
    return ranks
