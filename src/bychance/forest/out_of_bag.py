"""Out-of-bag votes → class shares, a score and losses."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bychance.forest.base import Sample
from bychance.forest.grow import Votes

__all__ = ["log_losses", "oob_score", "oob_shares"]


def oob_shares(votes: NDArray[np.float64], n_trees: NDArray[np.int64]) -> NDArray[np.float64]:
    """The class shares of each row from their sums over trees; NaN where there is no tree, with a warning."""
    if not n_trees.all():
        message = (
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates."
        )
        warnings.warn(message, UserWarning, stacklevel=4)
    with np.errstate(invalid="ignore"):
        return np.asarray(votes / n_trees[:, None])


def oob_score(shares: NDArray[np.float64], sample: Sample, score: bool | Callable[..., float]) -> float:
    """Accuracy, or what the function makes of classes and predictions, on the rows that have shares."""
    has_shares = ~np.isnan(shares[:, 0])
    y, predicted = sample.training.y[has_shares], np.argmax(shares[has_shares], axis=1)
    if callable(score):
        return score(sample.classes[y], sample.classes[predicted])
    return float(np.mean(y == predicted)) if len(y) else np.nan


def log_losses(votes: Votes, y: NDArray[np.int32]) -> NDArray[np.float64]:
    """The log loss of each row in the first layer, with one vote shared by all classes added: no share is 0.

    >>> votes = Votes(("none",), np.array([[[3.0, 0.0], [0.0, 0.0]]]), np.array([3, 0]))
    >>> log_losses(votes, np.array([1, 0], dtype=np.int32)).round(3).tolist()
    [2.079, 0.693]
    """
    own = votes.shares[0, np.arange(len(y)), y]
    smoothed: NDArray[np.float64] = (own + 1 / votes.shares.shape[2]) / (votes.n_trees + 1)
    return -np.log(smoothed)
