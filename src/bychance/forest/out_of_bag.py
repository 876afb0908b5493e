"""Out-of-bag votes → class shares or means, a score and losses."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.base import Sample
from bychance.forest.grow import Votes
from bychance.forest.tree import Training

__all__ = ["losses_of", "oob_accuracy", "oob_answers", "oob_r2", "squared_errors"]


def oob_answers(votes: NDArray[np.float64], n_trees: NDArray[np.int64]) -> NDArray[np.float64]:
    """The class shares, or mean, of each row from sums over trees; NaN, with a warning, where none is."""
    if not n_trees.all():
        message = (
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates."
        )
        warnings.warn(message, UserWarning, stacklevel=4)
    with np.errstate(invalid="ignore"):
        return np.asarray(votes / n_trees[:, None])


def oob_accuracy(shares: NDArray[np.float64], sample: Sample, score: bool | Callable[..., float]) -> float:
    """Accuracy, or what the function makes of classes and predictions, on the rows that have shares."""
    has_shares = ~np.isnan(shares[:, 0])
    y, predicted = sample.training.y[has_shares], np.argmax(shares[has_shares], axis=1)
    if callable(score):
        return score(sample.classes[y], sample.classes[predicted])
    return float(np.mean(y == predicted)) if len(y) else np.nan


def oob_r2(means: NDArray[np.float64], sample: Sample, score: bool | Callable[..., float]) -> float:
    """R², or what the function makes of numbers and predictions, on the rows that have a prediction."""
    has_mean = ~np.isnan(means)
    y, predicted = sample.training.y[has_mean], means[has_mean]
    if callable(score):
        return score(y, predicted)
    spread = float(np.sum((y - np.mean(y)) ** 2)) if len(y) else 0.0
    return 1 - float(np.sum((y - predicted) ** 2)) / spread if spread > 0 else np.nan


def losses_of(votes: Votes, training: Training) -> NDArray[np.float64]:
    """The loss of each row in the first layer: log loss, or squared error.

    For classes one vote shared by all of them is added, so that no share is 0. A row without votes is
    predicted by the mean of all rows.

    >>> votes = Votes(("none",), np.array([[[3.0, 0.0], [0.0, 0.0]]]), np.array([3, 0]))
    >>> training = Training(None, np.array([1, 0], dtype=np.int32), 2)
    >>> losses_of(votes, training).round(3).tolist()
    [2.079, 0.693]
    """
    if not training.n_classes:
        return np.asarray(squared_errors(votes, training)[0])
    return _log_losses(votes, training.every(votes.step).y)


def squared_errors(votes: Votes, training: Training) -> NDArray[np.float64]:
    """The squared errors of each row, one line per layer."""
    training = training.every(votes.step)
    mean = np.average(training.y, weights=training.weights)
    sums, n_trees = votes.shares[:, :, 0], np.maximum(votes.n_trees, 1)
    predicted = np.where(votes.n_trees > 0, sums / n_trees, mean)
    return np.asarray((training.y - predicted) ** 2)


def _log_losses(votes: Votes, y: NDArray[Any]) -> NDArray[np.float64]:
    own = votes.shares[0, np.arange(len(y)), y]
    smoothed: NDArray[np.float64] = (own + 1 / votes.shares.shape[2]) / (votes.n_trees + 1)
    return -np.log(smoothed)
