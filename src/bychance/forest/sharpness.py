"""Out-of-bag votes → the power that class shares are raised to, where that predicts them better."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from bychance.forest.grow import Votes
from bychance.forest.tree import Training

__all__ = ["best_sharpness", "sharpened"]

_LEAST, _MOST = 0.25, 4.0
_CAUTION = 0.5  # standard errors that the log loss must be lower by
_DIGITS = 3  # more say nothing, and sums of votes in another order may differ in the last


def sharpened(shares: NDArray[np.float64], sharpness: float) -> NDArray[np.float64]:
    """Class shares raised to a power, each row's sum as it was.

    >>> sharpened(np.array([[0.8, 0.2], [3.0, 1.0], [0.0, 0.0]]), 2).round(3).tolist()
    [[0.941, 0.059], [3.6, 0.4], [0.0, 0.0]]
    """
    if sharpness == 1:
        return shares
    totals = shares.sum(axis=1, keepdims=True)
    scale = np.where(totals > 0, totals, 1.0)  # rows without votes stay as they are
    raised = (shares / scale) ** sharpness
    return np.asarray(raised * scale / np.where(totals > 0, raised.sum(axis=1, keepdims=True), 1.0))


def best_sharpness(
    votes: Votes, layer: int, training: Training, is_used: NDArray[np.bool_] | None = None
) -> float:
    """The power with the least log loss of the rows in use; 1 if that is no lower by half a standard error.

    Trees agree less on a class than its odds say, since each knows only a part: the mean of their shares is
    drawn towards the middle. One vote shared by all classes is added, so that no share is 0.
    """
    has_votes = votes.n_trees > 0 if is_used is None else is_used & (votes.n_trees > 0)
    judged = training.every(votes.step)
    y = judged.y[has_votes]
    if not len(y):
        return 1.0
    odds = _log_odds(votes.shares[layer, has_votes], y)
    weights = np.ones(len(y)) if judged.weights is None else judged.weights[has_votes]
    weights = weights / weights.sum()

    def losses(sharpness: float) -> NDArray[np.float64]:
        return np.asarray(np.log1p(np.exp(sharpness * odds).sum(axis=0)))

    def mean_of(values: NDArray[np.float64]) -> float:
        return float(np.sum(values * weights))  # a product by BLAS would wake its threads

    found = minimize_scalar(
        lambda sharpness: mean_of(losses(sharpness)), bounds=(_LEAST, _MOST), method="bounded"
    )
    best = round(float(found.x), _DIGITS)
    gains = losses(1.0) - losses(best)
    mean = mean_of(gains)
    return best if mean > _CAUTION * np.sqrt(mean_of((gains - mean) ** 2 * weights)) else 1.0


def _log_odds(sums: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.float64]:
    """Of the other classes against a row's own, one line per other class."""
    logs = np.log(sums + 1 / sums.shape[1])
    is_own = np.arange(sums.shape[1]) == y[:, None]
    others = logs[~is_own].reshape(len(y), -1) - logs[is_own][:, None]
    return np.ascontiguousarray(others.T)
