"""A whole forest: the first trees as a trial of how many columns to try, then the others as it turned out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import chain

import numpy as np

from bychance.forest.grow import Grown, Votes, choice_step, grow_trees, in_parts, votes_of
from bychance.forest.out_of_bag import losses_of
from bychance.forest.settings import GrowSettings, Shrinkage
from bychance.forest.tree import Training, Tree
from bychance.progress import Progress

__all__ = ["after_trial", "grow_forest"]

# Of the losses with many and with few columns, below which many are taken. On noisy classes many columns may
# lower the log loss a little and still rank worse; numbers have one loss.
_CLEAR_CLASSES, _CLEAR_NUMBERS = 0.8, 0.98
_RANDOM_CUTS_COST = 1.4  # of the time of trees with searched ones, which have fewer levels


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
    """So many trees under this root, of which the earlier are there already; each `step`th row has votes.

    Threads that find no more trees of the trial to grow go on with those that follow, as if the trial were to
    change nothing; where it does, these are called off and grown anew.
    """
    grow = partial(grow_trees, training, root=root, shrinkages=shrinkages, step=step, n_jobs=n_jobs)
    votes = votes_of(earlier, training, shrinkages, step, n_jobs)
    trees = dict(enumerate(earlier))
    counted = _Counted()
    n_trial = min(n_trees, max(len(earlier), settings.turns.n_trial if settings.turns else 0))
    told = after_trial(training, settings, earlier, n_jobs)

    def take(parts: Iterable[tuple[Sequence[int], Grown]]) -> None:
        for numbers, part in parts:
            trees.update(zip(numbers, part.trees, strict=True))
            votes.add(part.votes)
            if numbers[0] < n_trial:
                counted.add(told, numbers, part.votes, len(training.y))
            progress.advance(len(numbers))

    trial = _parts(told, range(len(earlier), n_trial))
    others = _parts(told, range(n_trial, n_trees))
    order, after = _longest_first(told, others), told
    ahead = (others[place] for place in order if after is told)
    with closing(grow(told, chain(trial, ahead), n_urgent=len(trial))) as growing:
        take(zip(trial, growing, strict=False))
        if trial:
            after = after_trial(training, told, [trees[k] for k in range(n_trial)], n_jobs, counted)
        if after is told:
            take(zip(others, _put_back(order, growing), strict=True))
        else:
            growing.close()
            others = _parts(after, range(n_trial, n_trees))
            order = _longest_first(after, others)
            growing = grow(after, [others[place] for place in order])
            take(zip(others, _put_back(order, growing), strict=True))
    return Grown([trees[k] for k in range(n_trees)], votes)


def _parts(settings: GrowSettings, numbers: Sequence[int]) -> list[Sequence[int]]:
    """Trees in parts, in the order in which their votes are added."""
    by_columns = sorted(numbers, key=lambda number: -settings.turn_of(number).max_features)
    return in_parts(by_columns, settings.n_grow)


def _longest_first(settings: GrowSettings, parts: Sequence[Sequence[int]]) -> list[int]:
    """The places of the parts as they are begun, so that no thread is left with a long one in the end."""

    def cost(place: int) -> float:
        turns = map(settings.turn_of, parts[place])
        return sum(turn.max_features * (_RANDOM_CUTS_COST if turn.random_cuts else 1) for turn in turns)

    return sorted(range(len(parts)), key=cost, reverse=True)


def _put_back(places: Sequence[int], grown: Iterable[Grown]) -> Iterator[Grown]:
    """Parts that come in the order of these places, each as soon as all before its place are there."""
    waiting: dict[int, Grown] = {}
    n_taken = 0
    for place, part in zip(places, grown, strict=True):
        waiting[place] = part
        while n_taken in waiting:
            yield waiting.pop(n_taken)
            n_taken += 1


class _Counted:
    """Votes of the trial that were taken when its trees were grown: by turn, and of which trees."""

    def __init__(self) -> None:
        self.by_turn: dict[int, Votes] = {}
        self.numbers: set[int] = set()

    def add(self, settings: GrowSettings, numbers: Sequence[int], votes: Votes, n_rows: int) -> None:
        """The votes of these trees, if all take one turn and have votes as they were grown."""
        n_turns = len(settings.turns.trial) if settings.turns else 0
        if not n_turns or votes.shrinkages[:1] != ("none",) or len({k % n_turns for k in numbers}) > 1:
            return
        turn, added = numbers[0] % n_turns, votes.of_choice(n_rows)
        if turn in self.by_turn:
            self.by_turn[turn].add(added)
        else:
            self.by_turn[turn] = added
        self.numbers.update(numbers)


def after_trial(
    training: Training,
    settings: GrowSettings,
    trees: Sequence[Tree],
    n_jobs: int | None = None,
    counted: _Counted | None = None,
) -> GrowSettings:
    """The settings of further trees: as they are, or those for clear classes once a trial has shown them.

    A trial compares the out-of-bag log loss of its first turn, of few columns, with that of its second.
    """
    turns, counted = settings.turns, counted or _Counted()
    if turns is None or not turns.trial or len(trees) < turns.n_trial:
        return settings
    step = choice_step(len(training.y))
    losses = []
    for turn in range(len(turns.trial)):
        numbers = [k for k in range(turn, turns.n_trial, len(turns.trial)) if k not in counted.numbers]
        votes = votes_of([trees[k] for k in numbers], training, ("none",), step, n_jobs)
        if turn in counted.by_turn:
            votes.add(counted.by_turn[turn])
        losses.append(np.average(losses_of(votes, training), weights=training.every(step).weights))
    few, many = losses
    is_clear = many < (_CLEAR_CLASSES if training.n_classes else _CLEAR_NUMBERS) * few
    return replace(settings, turns=turns._replace(usual=turns.clear)) if is_clear else settings
