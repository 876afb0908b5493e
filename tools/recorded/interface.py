"""The interface as the recorded calls see it: a renamed option is followed here, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bychance as bc

__all__ = ["adaptive", "grow_paper_forest", "permutation", "ranked", "ranked_to_file", "selector", "trees_of"]


def permutation(n_resamples: int | str, **settings: Any) -> Any:
    """A Monte Carlo null of so many permutations."""
    return bc.Permutation(n_resamples=n_resamples, **settings)


def adaptive(**settings: Any) -> Any:
    """A Monte Carlo null that stops when it is precise."""
    return permutation("auto", **settings)


def ranked(source: Any, *, fdr: str = "bh", **options: Any) -> Any:
    """`bc.rank`; `fdr` is the method of the q-values."""
    return bc.rank(source, fdr=fdr, **options)


def ranked_to_file(source: Any, path: Any, **options: Any) -> Any:
    """`bc.rank_to_file`."""
    return bc.rank_to_file(source, path, **options)


def selector(*args: Any, **options: Any) -> Any:
    """A ChanceSelector; `fdr_level` is the largest q-value that it keeps."""
    return bc.ChanceSelector(*args, **options)


def grow_paper_forest(X: Any, y: Any, **options: Any) -> Any:
    """The paper's forest, grown."""
    return bc.RandomForestClassifier.from_paper(**options).fit(X, y)


def trees_of(forest: Any) -> Sequence[Any]:
    """The trees of a forest, each with `n_nodes`, `n_leaves` and `depth`."""
    trees: Sequence[Any] = forest.estimators_
    return trees
