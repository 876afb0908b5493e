"""Out-of-bag votes → class shares and a score."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bychance.forest.base import Sample
from bychance.forest.grow import Votes

__all__ = ["oob_score", "oob_shares"]


def oob_shares(votes: Votes) -> NDArray[np.float64]:
    """The class shares of each row; NaN where no tree has it out of bag, with a warning."""
    if not votes.n_trees.all():
        message = (
            "Some inputs do not have OOB scores. This probably means too few trees were used to compute "
            "any reliable OOB estimates."
        )
        warnings.warn(message, UserWarning, stacklevel=4)
    with np.errstate(invalid="ignore"):
        return np.asarray(votes.shares / votes.n_trees[:, None])


def oob_score(shares: NDArray[np.float64], sample: Sample, score: bool | Callable[..., float]) -> float:
    """Accuracy, or what the function makes of classes and predictions, on the rows that have shares."""
    has_shares = ~np.isnan(shares[:, 0])
    y, predicted = sample.training.y[has_shares], np.argmax(shares[has_shares], axis=1)
    if callable(score):
        return score(sample.classes[y], sample.classes[predicted])
    return float(np.mean(y == predicted)) if len(y) else np.nan
