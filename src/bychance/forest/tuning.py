"""alpha="oob": the level with the least out-of-bag log loss, and votes that had no say in its choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import Grown, Training, Votes
from bychance.forest.out_of_bag import log_losses
from bychance.seeding import stream_key

__all__ = ["Tuned", "tune_alpha"]


@dataclass(frozen=True, slots=True, eq=False)
class Tuned:
    """The forest of the chosen level, the loss of every level tried, and honest out-of-bag votes.

    The level is chosen on all rows. For the votes the rows are cut into two random halves, and each half
    takes the votes of the level that the other half would have chosen: no row is judged at a level that was
    chosen on its own class.
    """

    alpha: float
    grown: Grown
    losses: NDArray[np.float64]
    votes: Votes


def tune_alpha(
    training: Training, grow: Callable[[float], Grown], alphas: tuple[float, ...], root: int
) -> Tuned:
    """The best of these levels; `grow` makes the forest of one, with its out-of-bag votes."""
    best, losses, votes = None, [], []
    for alpha in alphas:
        grown = grow(alpha)
        assert grown.votes is not None
        losses.append(log_losses(grown.votes, training.y))
        votes.append(grown.votes)
        means = np.array([np.average(loss, weights=training.weights) for loss in losses])
        if best is None or means[-1] < means[:-1].min():
            best = grown
    assert best is not None
    chosen = _level_of_the_other_half(np.array(losses), training, root)
    shares = np.array([each.shares for each in votes])[chosen, np.arange(len(chosen))]
    # Which trees a row is out of bag for does not depend on the level.
    return Tuned(alphas[int(np.argmin(means))], best, means, Votes(shares, votes[0].n_trees))


def _level_of_the_other_half(losses: NDArray[np.float64], training: Training, root: int) -> NDArray[np.intp]:
    """For each row the number of the level that the half without it would choose."""
    n_rows = losses.shape[1]
    weights = np.ones(n_rows) if training.weights is None else training.weights
    rng = np.random.Generator(np.random.Philox(key=np.array(stream_key(root, "alpha"), dtype=np.uint64)))
    is_first = np.zeros(n_rows, dtype=np.bool_)
    is_first[rng.permutation(n_rows)[: n_rows // 2]] = True
    chosen = np.empty(n_rows, dtype=np.intp)
    for half in (is_first, ~is_first):
        chosen[~half] = np.argmin(losses[:, half] @ weights[half])
    return chosen
