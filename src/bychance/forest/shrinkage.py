"""Out-of-bag votes → how the trees are shrunk, where that tells the classes apart better."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.forest.auc import auc_and_influence
from bychance.forest.grow import Training, Votes

__all__ = ["best_layer"]

_DIGITS = 9  # of shares; sums of equal ones may differ in the last


def best_layer(votes: Votes, training: Training, is_used: NDArray[np.bool_] | None = None) -> int:
    """The layer of the votes with the best AUC on the rows in use, less an error.

    That is the standard error of the difference from the first layer: others must be better by more than it.
    """
    if len(votes.shrinkages) == 1:
        return 0
    has_votes = votes.n_trees > 0 if is_used is None else is_used & (votes.n_trees > 0)
    y, n_trees = training.y[has_votes], votes.n_trees[has_votes, None]
    weights = np.ones(len(y)) if training.weights is None else training.weights[has_votes]
    values, influences = zip(
        *(
            auc_and_influence(y, np.round(shares[has_votes] / n_trees, _DIGITS), weights)
            for shares in votes.shares
        ),
        strict=True,
    )
    errors = np.sqrt(np.square(np.array(influences) - influences[0]) @ weights)
    return int(np.argmax(np.array(values) - values[0] - errors))
