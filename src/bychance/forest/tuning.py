"""What `fit` chooses out of bag, alpha and shrinkage, and votes that had no say in the choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import Grown, Votes
from bychance.forest.out_of_bag import losses_of
from bychance.forest.settings import Shrinkage
from bychance.forest.shrinkage import best_layer
from bychance.forest.tree import Training
from bychance.seeding import stream_key

__all__ = ["Tuned", "tune"]


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The forest of the chosen level and how to shrink it; what every level lost, and the votes it had.

    Both choices are made on all rows: the level by log loss, the shrinkage by AUC; with numbers both by
    squared error. Where there was nothing to choose and no votes were taken, there are neither losses nor
    votes.
    """

    alpha: float
    shrinkage: Shrinkage
    grown: Grown
    losses: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    votes: tuple[Votes, ...] = ()

    def honest_votes(self, training: Training, root: int) -> NDArray[np.float64]:
        """The answers for each row, summed over trees, by choices that were not made on its own response.

        The rows are cut into two random halves, and each half takes the votes of the level and the shrinkage
        that the other half would have chosen.
        """
        n_rows = len(training.y)
        weights = np.ones(n_rows) if training.weights is None else training.weights
        rng = np.random.Generator(np.random.Philox(key=np.array(stream_key(root, "alpha"), dtype=np.uint64)))
        is_first = np.zeros(n_rows, dtype=np.bool_)
        is_first[rng.permutation(n_rows)[: n_rows // 2]] = True
        shares = np.empty((n_rows, training.n_outputs))
        for half in (is_first, ~is_first):
            votes = self.votes[int(np.argmin(self.losses[:, half] @ weights[half]))]
            shares[~half] = votes.shares[best_layer(votes, training, half), ~half]
        return shares


def tune(training: Training, grow: Callable[[float], Grown], alphas: Sequence[float]) -> Tuned:
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
    shrinkage = best.votes.shrinkages[best_layer(best.votes, training)]
    return Tuned(alphas[int(np.argmin(means))], shrinkage, best, np.array(losses), tuple(votes))
