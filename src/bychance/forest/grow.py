"""Many trees and their out-of-bag votes, the same for any number of jobs.

Trees grow on threads, or, where `joblib.parallel_config` names a backend without shared memory, through it.

A tree's stream is keyed by the root seed and its number. Sums run over parts of fixed size in order, so that
neither the trees nor a last digit depend on which thread did what.

Signals reach the main thread alone: a kernel there asks for them now and then, and one on another thread ends
when the main thread says so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.forest.parameters import GrowSettings, Shrinkage
from bychance.forest.tree import Training
from bychance.parallel import jobs_of, on_joblib, on_threads
from bychance.progress import Progress
from bychance.seeding import stream_keys
from bychance.stopping import current_stop

__all__ = [
    "Grown",
    "Votes",
    "choice_step",
    "grow_forest",
    "in_parts",
    "shrink_trees",
]

_PART_ROWS, _PART_TREES = 50_000, 16
_CHOICE_ROWS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """For each row the sum of the class shares, or means, that trees give it out of bag, and how many did.

    The shares have one layer for each way of shrinking the trees; without any, no votes are taken. Of the
    training rows, each `step`th has votes.
    """

    shrinkages: tuple[Shrinkage, ...]
    shares: NDArray[np.float64]
    n_trees: NDArray[np.int64]
    step: int = 1

    @staticmethod
    def empty(training: Training, shrinkages: tuple[Shrinkage, ...], step: int) -> Votes:
        """Return the votes of no trees."""
        n_rows = -(-len(training.y) // step)
        shares = np.zeros((len(shrinkages), n_rows, training.n_outputs))
        return Votes(shrinkages, shares, np.zeros(n_rows, dtype=np.int64), step)

    def add(self, other: Votes) -> None:
        """Add the votes of other trees."""
        np.add(self.shares, other.shares, out=self.shares)
        np.add(self.n_trees, other.n_trees, out=self.n_trees)


@dataclass(frozen=True, slots=True, eq=False)
class Grown:
    """Trees, and the votes of their out-of-bag rows."""

    trees: list[_native.Tree]
    votes: Votes


def grow_forest(
    training: Training,
    settings: GrowSettings,
    earlier: Sequence[_native.Tree],
    n_trees: int,
    root: int,
    *,
    shrinkages: tuple[Shrinkage, ...],
    step: int,
    n_jobs: int | None,
    progress: Progress,
) -> Grown:
    """Grow trees under this root, beyond the earlier ones, with votes of each `step`th row."""
    trees, votes = list(earlier), Votes.empty(training, shrinkages, step)
    for tree in earlier if shrinkages else ():
        table, names = training.features.native, list(shrinkages)
        tree.add_out_of_bag(table, names, step, votes.shares, votes.n_trees)
    parts = in_parts(range(len(earlier), n_trees), settings.n_grow)
    grow_part = partial(_grow_part, _KernelInputs(training, settings), root, shrinkages, step)

    def take(grown: Iterable[Grown]) -> None:
        for part in grown:
            trees.extend(part.trees)
            votes.add(part.votes)
            progress.advance(len(part.trees))

    jobs = jobs_of(n_jobs)
    if jobs.share_memory or jobs.n == 1:
        with closing(on_threads(grow_part, parts, n_jobs)) as grown:
            take(grown)
    else:
        take(on_joblib(grow_part, zip(parts, strict=True), jobs.n, is_ordered=True))
    return Grown(trees, votes)


def shrink_trees(trees: list[_native.Tree], shrinkage: Shrinkage, n_earlier: int, n_jobs: int | None) -> None:
    """Shrink the answers of trees. The first `n_earlier` may be those of another forest, and are copied."""

    def shrink(k: int) -> None:
        if k < n_earlier:
            trees[k] = trees[k].copy()
        trees[k].shrink(shrinkage)

    if shrinkage != "none" or any(tree.is_shrunk for tree in trees):
        deque(on_threads(shrink, range(len(trees)), n_jobs), maxlen=0)


def choice_step(n_rows: int) -> int:
    """Return the step between rows that vote on choices, for about `_CHOICE_ROWS` rows."""
    return max(1, n_rows // _CHOICE_ROWS)


def in_parts(items: Sequence[Any], n_rows: int) -> list[Any]:
    """Part trees into tasks for threads, of a size that depends on the rows of a tree alone."""
    size = max(1, min(_PART_TREES, _PART_ROWS // n_rows))
    return [items[start : start + size] for start in range(0, len(items), size)]


class _KernelInputs:
    """What the kernel reads: made once, and anew in every process that it is sent to."""

    def __init__(self, training: Training, settings: GrowSettings) -> None:
        self.training, self.target, self.settings = training, training.target, settings.for_kernel()
        self._given = training, settings

    def __reduce__(self) -> tuple[Any, ...]:
        return _KernelInputs, self._given


def _grow_part(
    inputs: _KernelInputs,
    root: int,
    shrinkages: tuple[Shrinkage, ...],
    step: int,
    numbers: Sequence[int],
) -> Grown:
    key_of = stream_keys(root, "tree")
    keys = [key_of(str(number)) for number in numbers]
    training = inputs.training
    votes = Votes.empty(training, shrinkages, step)
    trees = _native.grow_trees(
        training.features.native,
        inputs.target,
        inputs.settings,
        keys,
        list(shrinkages),
        step,
        votes.shares,
        votes.n_trees,
        current_stop(),
    )
    return Grown(trees, votes)
