"""What `fit` chooses out of bag: alpha, shrinkage, calibration; and votes that had no say in the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bychance.forest.calibration import Calibration, calibrated
from bychance.forest.grow import Grown, Votes
from bychance.forest.out_of_bag import losses_of, squared_errors
from bychance.forest.settings import Shrinkage
from bychance.forest.tree import Training
from bychance.parallel import on_threads
from bychance.seeding import stream_key

__all__ = ["Tuned", "best_layer", "tune"]

_DIGITS = 9  # of log losses; those of equal votes may differ in the last
_CAUTION = 0.5  # standard errors that a layer must be better by


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The forest of the chosen level, how to shrink it, and how votes become class probabilities.

    All choices are made on all rows, by log loss; with numbers there is no calibration, and the others are
    made by squared error. What every level lost, and the votes it had, are there unless nothing was to be
    chosen and no votes were taken.
    """

    alpha: float
    shrinkage: Shrinkage
    grown: Grown
    calibration: Calibration | None = None
    losses: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    votes: tuple[Votes, ...] = ()

    def honest_votes(self, training: Training, root: int) -> NDArray[np.float64]:
        """The answers for each row, summed over trees, by choices that were not made on its own response.

        The rows are cut into two random halves, and each half takes the votes of the level, the shrinkage and
        the calibration that the other half would have chosen.
        """
        n_rows = len(training.y)
        weights = np.ones(n_rows) if training.weights is None else training.weights
        rng = np.random.Generator(np.random.Philox(key=np.array(stream_key(root, "alpha"), dtype=np.uint64)))
        is_first = np.zeros(n_rows, dtype=np.bool_)
        is_first[rng.permutation(n_rows)[: n_rows // 2]] = True
        shares = np.empty((n_rows, training.n_outputs))
        for half in (is_first, ~is_first):
            votes = self.votes[int(np.argmin(self.losses[:, half] @ weights[half]))]
            layer, calibration = best_layer(votes, training, half)
            shares[~half] = votes.shares[layer, ~half]
            if calibration is not None:
                shares[~half] = calibration.probabilities(shares[~half]) * votes.n_trees[~half, None]
        return shares


def tune(
    training: Training, grow: Callable[[float], Grown], alphas: Sequence[float], n_jobs: int | None = None
) -> Tuned:
    """The best of these levels; `grow` makes the forest of one, with its out-of-bag votes."""
    best, losses, votes = None, [], []
    for alpha in alphas:
        grown = grow(alpha)
        losses.append(losses_of(grown.votes, training))
        votes.append(grown.votes)
        weights = training.every(grown.votes.step).weights
        means = np.array([np.average(loss, weights=weights) for loss in losses])
        if best is None or means[-1] < means[:-1].min():
            best = grown
    assert best is not None
    layer, calibration = best_layer(best.votes, training, n_jobs=n_jobs)
    shrinkage = best.votes.shrinkages[layer]
    return Tuned(alphas[int(np.argmin(means))], shrinkage, best, calibration, np.array(losses), tuple(votes))


def best_layer(
    votes: Votes, training: Training, is_used: NDArray[np.bool_] | None = None, n_jobs: int | None = None
) -> tuple[int, Calibration | None]:
    """Find the layer with the least log loss of the rows in use, calibrated, or squared error.

    Half the standard error of the difference from the first layer is added: others must be better by more
    than it. A single layer was not to be chosen, and is not calibrated.
    """
    has_votes = votes.n_trees > 0 if is_used is None else is_used & (votes.n_trees > 0)
    if len(votes.shrinkages) == 1 or not has_votes.any():
        return 0, None
    judged = training.every(votes.step)
    weights = np.ones(len(judged.y)) if judged.weights is None else judged.weights
    if not training.n_classes:
        return _least(squared_errors(votes, training)[:, has_votes], weights[has_votes]), None
    n_classes = training.n_classes
    calibrate = partial(calibrated, y=judged.y[has_votes], weights=weights[has_votes], n_classes=n_classes)
    layers = (shares[has_votes] for shares in votes.shares)
    calibrations, losses = zip(*on_threads(calibrate, layers, n_jobs), strict=True)
    layer = _least(np.array(losses).round(_DIGITS), weights[has_votes])
    return layer, calibrations[layer]


def _least(losses: NDArray[np.float64], weights: NDArray[np.float64]) -> int:
    weights = weights / weights.sum()
    gains = losses[0] - losses
    means = gains @ weights
    return int(np.argmax(means - _CAUTION * np.sqrt((gains - means[:, None]) ** 2 @ weights**2)))
