"""Parallel growth of trees with their out-of-bag votes, reproducible for any number of jobs.

Trees grow on threads, or through `joblib.parallel_config` if that names a backend without shared memory. The
random stream of a tree is keyed by the root seed and its number. Sums run over parts of fixed size in order,
so that results do not depend on threads, bit for bit. Signals reach the main thread alone: its kernel checks
for them, and kernels on other threads end when the main thread sets a flag.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IntArray
from bychance.forest.parameters import GrowSettings, Shrinkage
from bychance.forest.tree import Training
from bychance.parallel import current_stop, jobs_of, on_joblib, on_threads
from bychance.progress import Progress
from bychance.seeding import stream_keys

__all__ = [
    "GrownTrees",
    "Votes",
    "batches_of_trees",
    "choice_step",
    "grow_forest",
    "shrink_trees",
]

_PART_ROWS, _PART_TREES = 50_000, 16
_CHOICE_ROWS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """Out-of-bag predictions summed over trees, per row, and the number of trees per row.

    `shares` has one layer for each shrinkage. Without a shrinkage no votes are counted. Only each `step`th
    training row has votes.
    """

    shrinkages: tuple[Shrinkage, ...]
    shares: FloatArray
    n_trees: IntArray
    step: int = 1

    @staticmethod
    def empty(training: Training, shrinkages: tuple[Shrinkage, ...], step: int) -> Votes:
        """Return zero votes for every `step`th training row."""
        n_rows = -(-len(training.y) // step)
        shares = np.zeros((len(shrinkages), n_rows, training.n_outputs))
        return Votes(shrinkages, shares, np.zeros(n_rows, dtype=np.int64), step)

    def add(self, other: Votes) -> None:
        """Add the votes of further trees in place."""
        np.add(self.shares, other.shares, out=self.shares)
        np.add(self.n_trees, other.n_trees, out=self.n_trees)


@dataclass(frozen=True, slots=True, eq=False)
class GrownTrees:
    """Grown trees and their out-of-bag votes."""

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
    progress: Progress | None = None,
) -> GrownTrees:
    """Grow trees after the `earlier` ones in parallel, and return all trees with their out-of-bag votes."""
    trees, votes = list(earlier), Votes.empty(training, shrinkages, step)
    count = partial(_votes_of, training=training, shrinkages=shrinkages, step=step)
    for of_part in on_threads(
        count, batches_of_trees(earlier if shrinkages else [], len(training.y)), n_jobs
    ):
        votes.add(of_part)
    parts = batches_of_trees(range(len(earlier), n_trees), settings.n_grow)
    grow_part = partial(_grow_batch, training, settings, root, shrinkages, step)

    def take(grown: Iterable[GrownTrees]) -> None:
        for part in grown:
            trees.extend(part.trees)
            votes.add(part.votes)
            if progress is not None:
                progress.advance(len(part.trees))

    jobs = jobs_of(n_jobs)
    if jobs.share_memory or jobs.n == 1:
        with closing(on_threads(grow_part, parts, n_jobs)) as grown:
            take(grown)
    else:
        take(on_joblib(grow_part, zip(parts, strict=True), jobs.n, is_ordered=True))
    return GrownTrees(trees, votes)


def shrink_trees(trees: list[_native.Tree], shrinkage: Shrinkage, n_earlier: int, n_jobs: int | None) -> None:
    """Shrink the predictions of trees in the list, replacing the first `n_earlier` trees by shrunk copies."""

    def shrink(k: int) -> None:
        if k < n_earlier:
            trees[k] = trees[k].copy()
        trees[k].shrink(shrinkage)

    if shrinkage != "none" or any(tree.is_shrunk for tree in trees):
        deque(on_threads(shrink, range(len(trees)), n_jobs), maxlen=0)


def choice_step(n_rows: int) -> int:
    """Return a step k such that every k-th row gives at least 20,000 rows, or 1 if there are fewer."""
    return max(1, n_rows // _CHOICE_ROWS)


def batches_of_trees(items: Sequence[Any], n_rows: int) -> list[Any]:
    """Divide trees into batches for parallel tasks, of a size that depends only on the number of rows."""
    size = max(1, min(_PART_TREES, _PART_ROWS // n_rows))
    return [items[start : start + size] for start in range(0, len(items), size)]


def _votes_of(
    trees: Sequence[_native.Tree], training: Training, shrinkages: tuple[Shrinkage, ...], step: int
) -> Votes:
    votes = Votes.empty(training, shrinkages, step)
    for tree in trees:
        tree.add_out_of_bag(training.features.native, list(shrinkages), step, votes.shares, votes.n_trees)
    return votes


def _grow_batch(
    training: Training,
    settings: GrowSettings,
    root: int,
    shrinkages: tuple[Shrinkage, ...],
    step: int,
    numbers: Sequence[int],
) -> GrownTrees:
    key_of = stream_keys(root, "tree")
    votes = Votes.empty(training, shrinkages, step)
    trees = _native.grow_trees(
        training.features.native,
        training.target,
        _native.TreeSettings(settings),
        [key_of(str(number)) for number in numbers],
        list(shrinkages),
        step,
        votes.shares,
        votes.n_trees,
        current_stop(),
    )
    return GrownTrees(trees, votes)
