"""Out-of-bag votes → how the trees are shrunk, where that predicts better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.forest.auc import auc_and_influence
from bychance.forest.grow import Votes
from bychance.forest.out_of_bag import squared_errors
from bychance.forest.threads import on_threads
from bychance.forest.tree import Training

__all__ = ["best_layer"]

_DIGITS = 9  # of shares; sums of equal ones may differ in the last
_CAUTION = 0.5  # standard errors that a layer must be better by


def best_layer(
    votes: Votes, training: Training, is_used: NDArray[np.bool_] | None = None, n_jobs: int | None = None
) -> int:
    """The layer of the votes with the best AUC, or least squared error, on the rows in use.

    Half the standard error of the difference from the first layer is taken off: others must be better by
    more than it.
    """
    if len(votes.shrinkages) == 1:
        return 0
    has_votes = votes.n_trees > 0 if is_used is None else is_used & (votes.n_trees > 0)
    judged = training.every(votes.step)
    if not training.n_classes:
        return _least_errors(squared_errors(votes, training)[:, has_votes], judged.weights, has_votes)
    y, n_trees = judged.y[has_votes], votes.n_trees[has_votes, None]
    weights = np.ones(len(y)) if judged.weights is None else judged.weights[has_votes]

    def judged_layer(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        return auc_and_influence(y, _judged_shares(shares[has_votes], n_trees), weights)

    values, influences = zip(*on_threads(judged_layer, votes.shares, n_jobs), strict=True)
    errors = np.sqrt(np.square(np.array(influences) - influences[0]) @ weights)
    return int(np.argmax(np.array(values) - values[0] - _CAUTION * errors))


def _judged_shares(sums: NDArray[np.float64], n_trees: NDArray[np.int64]) -> NDArray[np.float64]:
    """Rounded class shares; of two classes the second alone, which says all."""
    first = 1 if sums.shape[1] == 2 else 0
    shares = np.zeros_like(sums)
    shares[:, first:] = np.round(sums[:, first:] / n_trees, _DIGITS)
    return shares


def _least_errors(
    errors: NDArray[np.float64], weights: NDArray[np.float64] | None, is_used: NDArray[np.bool_]
) -> int:
    if not errors.shape[1]:
        return 0
    shares = np.ones(errors.shape[1]) if weights is None else weights[is_used]
    shares = shares / shares.sum()
    gains = errors[0] - errors
    means = gains @ shares
    return int(np.argmax(means - _CAUTION * np.sqrt((gains - means[:, None]) ** 2 @ shares**2)))
