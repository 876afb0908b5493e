"""What `fit` chooses out of bag: alpha, shrinkage and sharpness; and votes that had no say in the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import Grown, Votes
from bychance.forest.out_of_bag import losses_of
from bychance.forest.settings import Shrinkage
from bychance.forest.sharpness import best_sharpness, sharpened
from bychance.forest.shrinkage import best_layer
from bychance.forest.tree import Training
from bychance.seeding import stream_key

__all__ = ["Tuned", "tune"]


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The forest of the chosen level, how to shrink it, and the power to raise its class shares to.

    All choices are made on all rows: the level and the power by log loss, the shrinkage by AUC; with numbers
    there is no power, and both are chosen by squared error. What every level lost, and the votes it had, are
    there unless nothing was to be chosen and no votes were taken.
    """

    alpha: float
    shrinkage: Shrinkage
    grown: Grown
    sharpness: float = 1.0
    losses: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    votes: tuple[Votes, ...] = ()

    def honest_votes(self, training: Training, root: int) -> NDArray[np.float64]:
        """The answers for each row, summed over trees, by choices that were not made on its own response.

        The rows are cut into two random halves, and each half takes the votes of the level, the shrinkage and
        the sharpness that the other half would have chosen.
        """
        n_rows = len(training.y)
        weights = np.ones(n_rows) if training.weights is None else training.weights
        rng = np.random.Generator(np.random.Philox(key=np.array(stream_key(root, "alpha"), dtype=np.uint64)))
        is_first = np.zeros(n_rows, dtype=np.bool_)
        is_first[rng.permutation(n_rows)[: n_rows // 2]] = True
        shares = np.empty((n_rows, training.n_outputs))
        for half in (is_first, ~is_first):
            votes = self.votes[int(np.argmin(self.losses[:, half] @ weights[half]))]
            layer, sharpness = _choice(votes, training, half)
            shares[~half] = sharpened(votes.shares[layer, ~half], sharpness)
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
    layer, sharpness = _choice(best.votes, training, n_jobs=n_jobs)
    shrinkage = best.votes.shrinkages[layer]
    return Tuned(alphas[int(np.argmin(means))], shrinkage, best, sharpness, np.array(losses), tuple(votes))


def _choice(
    votes: Votes, training: Training, is_used: NDArray[np.bool_] | None = None, n_jobs: int | None = None
) -> tuple[int, float]:
    """The layer and the sharpness that the rows in use choose; a given shrinkage is not sharpened."""
    layer = best_layer(votes, training, is_used, n_jobs)
    has_choice = training.n_classes > 1 and len(votes.shrinkages) > 1
    return layer, best_sharpness(votes, layer, training, is_used) if has_choice else 1.0
