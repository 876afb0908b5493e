"""A whole forest: the first trees as a trial of how many columns to try, then the others as it turned out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bychance.forest.grow import Grown, choice_step, grow_trees, votes_of
from bychance.forest.out_of_bag import losses_of
from bychance.forest.settings import GrowSettings, Shrinkage
from bychance.forest.tree import Training, Tree
from bychance.progress import Progress

__all__ = ["after_trial", "grow_forest"]

# Of the losses with many and with few columns, below which many are taken. On noisy classes many columns may
# lower the log loss a little and still rank worse; numbers have one loss.
_CLEAR_CLASSES, _CLEAR_NUMBERS = 0.8, 0.98


def grow_forest(
    training: Training,
    settings: GrowSettings,
    earlier: Sequence[Tree],
    n_trees: int,
    root: int,
    *,
    shrinkages: tuple[Shrinkage, ...],
    step: int,
    n_jobs: int | None,
    progress: Progress,
) -> Grown:
    """So many trees under this root, of which the earlier are there already; each `step`th row has votes."""
    grown = Grown(list(earlier), votes_of(earlier, training, shrinkages, step, n_jobs))
    n_trial = settings.turns.n_trial if settings.turns else 0
    for last in (min(n_trial, n_trees), n_trees):
        numbers = range(len(grown.trees), last)
        told = after_trial(training, settings, grown.trees, n_jobs)
        grown.add(
            grow_trees(
                training,
                told,
                numbers,
                root,
                shrinkages=shrinkages,
                step=step,
                n_jobs=n_jobs,
                progress=progress,
            )
        )
    return grown


def after_trial(
    training: Training, settings: GrowSettings, trees: Sequence[Tree], n_jobs: int | None = None
) -> GrowSettings:
    """The settings of further trees: as they are, or those for clear classes once a trial has shown them.

    A trial compares the out-of-bag log loss of its first turn, of few columns, with that of its second.
    """
    turns = settings.turns
    if turns is None or not turns.trial or len(trees) < turns.n_trial:
        return settings
    few, many = (
        _mean_loss(training, trees[turn : turns.n_trial : len(turns.trial)], n_jobs)
        for turn in range(len(turns.trial))
    )
    is_clear = many < (_CLEAR_CLASSES if training.n_classes else _CLEAR_NUMBERS) * few
    return replace(settings, turns=turns._replace(usual=turns.clear)) if is_clear else settings


def _mean_loss(training: Training, trees: Sequence[Tree], n_jobs: int | None) -> float:
    step = choice_step(len(training.y))
    losses = losses_of(votes_of(trees, training, ("none",), step, n_jobs), training)
    return float(np.average(losses, weights=training.every(step).weights))
