"""What columns matter: what they tell of out-of-bag rows, with p-values, from one forest or permutations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import choice_step, in_parts
from bychance.forest.rare_flags import p_values_of_rare_flags
from bychance.forest.root_importance import (
    response_variances,
    responses_of,
    root_importances,
)
from bychance.forest.squares import Squares, p_values_of_z
from bychance.forest.tree import Training, Tree
from bychance.io import make_frame
from bychance.names import count_of, display_name
from bychance.parallel import on_threads
from bychance.seeding import stream_key

__all__ = ["ImportanceTest", "Importances", "false_discovery_rates", "importances_of", "permuted"]


@dataclass(frozen=True, slots=True, eq=False)
class Importances:
    """The mean over trees of each column's importance, its standard error over trees, and its z-score.

    The z-score is over rows: the importance over its standard error, were rows independent. `freedom` is the
    number of degrees of freedom of what the column fits (of categories, half of those at the root and half of
    the mean over splits) times the number of responses (of several classes, as many of one variance as are
    as skewed); 0 for a column that fits nothing, as a constant one. `exact` has the p-values of rare flags,
    NaN for other columns.
    """

    means: NDArray[np.float64]
    errors: NDArray[np.float64]
    z_scores: NDArray[np.float64]
    freedom: NDArray[np.float64]
    exact: NDArray[np.float64]

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The probability of so large a z-score where the column says nothing.

        The rows that fit a tree's functions and those that judge them change places from tree to tree, so
        that an importance is a quadratic form in the responses: a sum of squares, less its mean. As many as
        `freedom` says fit forests on noise. Rare flags have their exact law.
        """
        p_values = p_values_of_z(self.z_scores, self.freedom)
        return np.where(np.isnan(self.exact) | np.isnan(p_values), p_values, self.exact)

    @property
    def q_values(self) -> NDArray[np.float64]:
        """The least false discovery rate at which each column is selected (Benjamini and Hochberg)."""
        return false_discovery_rates(self.p_values)


def false_discovery_rates(p_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Benjamini and Hochberg's q-values.

    >>> false_discovery_rates(np.array([0.01, 0.5, 0.04])).tolist()
    [0.03, 0.5, 0.06]
    """
    order = np.argsort(p_values)[::-1]
    n = len(p_values)
    rates = np.minimum.accumulate(p_values[order] * n / np.arange(n, 0, -1))
    q_values = np.empty(n)
    q_values[order] = np.minimum(rates, 1)
    return q_values


def importances_of(trees: Sequence[Tree], training: Training, n_jobs: int | None) -> Importances:
    """What the splits on each column tell of rows out of bag; NaN where the trees leave none.

    Beside its splits, each column counts as if a few of the roots were split on it.
    """
    n_features = training.features.n_features
    parts = in_parts(trees, len(training.y))
    n_blocks = _n_blocks(training)
    by_tree, freedom, by_block = [], np.zeros((2, n_features)), np.zeros((n_blocks, n_features))
    first = partial(root_importances, training, n_blocks)  # long, and beside the trees
    tasks: list[Callable[[], Any]] = [first, *(partial(_importances, part, training) for part in parts)]
    measured = on_threads(lambda task: task(), tasks, n_jobs, ahead=inf)
    root, share = next(measured), min(1, _ROOTS / n_features)
    for of_trees, of_splits, of_blocks in measured:
        by_tree.append(of_trees)
        freedom += of_splits
        by_block += of_blocks.T
    freedom[:, freedom[0] == 0] = 1
    gains = np.concatenate(by_tree) + share * root.means
    if not np.any(trees[0].roles == _OUT_OF_BAG):
        gains[:] = np.nan
    unit = _units(gains)
    spread = unit * (gains / unit).std(axis=0, ddof=1) if len(trees) > 1 else np.full(n_features, np.nan)
    is_categorical = np.asarray(training.features.is_categorical)
    squares = np.where(is_categorical, (freedom[1] / freedom[0] + root.freedom) / 2, root.freedom)
    by_block += len(trees) * share * root.by_block
    gains, by_block, spread = (values / _scale(training) for values in (gains, by_block, spread))
    fits_something = np.any(by_block != 0, axis=0)
    return Importances(
        means=gains.mean(axis=0),
        errors=spread / np.sqrt(len(trees)),
        z_scores=_z_scores(gains.sum(axis=0), by_block) / root.understated,
        freedom=fits_something * _n_responses(training) * squares,
        exact=p_values_of_rare_flags(training),
    )


def _scale(training: Training) -> float:
    """Return the variance of numbers, of which importances are shares; 1 for classes."""
    if training.n_classes:
        return 1.0
    mean = np.average(training.y, weights=training.weights)
    return float(np.average((training.y - mean) ** 2, weights=training.weights)) or 1.0


def _n_responses(training: Training) -> float:
    some = training.every(choice_step(len(training.y)))
    weights = np.ones(len(some.y)) if some.weights is None else some.weights
    return Squares.of(response_variances(responses_of(some)[0], weights)).skewed


def _z_scores(sums: NDArray[np.float64], by_block: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums over rows in their standard errors; 0 for columns that fit nothing."""
    unit = _units(by_block)
    errors = np.sqrt(np.sum((by_block / unit) ** 2, axis=0))
    return np.asarray(np.where(errors > 0, sums / unit / np.where(errors > 0, errors, 1), sums * 0))


def _units(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Per column a power of two, in which squares are within the range of floats whatever the target's."""
    return np.asarray(np.ldexp(1.0, np.frexp(np.abs(values).max(axis=0))[1]))


def _n_blocks(training: Training) -> int:
    """Rows are added up in so many blocks: enough for a standard error, few enough for memory."""
    return min(len(training.y), max(64, min(1024, 4_000_000 // training.features.n_features)))


def _importances(trees: Sequence[Tree], training: Training) -> tuple[NDArray[np.float64], ...]:
    n_features = training.features.n_features
    by_tree, freedom = np.zeros((len(trees), n_features)), np.zeros((2, n_features))
    by_block = np.zeros((n_features, _n_blocks(training)))
    for tree, importance in zip(trees, by_tree, strict=True):
        tree.add_importances(training, importance, freedom, by_block)
    return by_tree, freedom, by_block


def permuted(training: Training, root: int, number: int) -> Training:
    """The same rows with their classes permuted; number 0 is as it is."""
    if number == 0:
        return training
    key = np.array(stream_key(root, "importance", str(number)), dtype=np.uint64)
    order = np.random.Generator(np.random.Philox(key=key)).permutation(len(training.y))
    # Weights are those of classes here, and go with them.
    weights = None if training.weights is None else training.weights[order]
    return replace(training, y=training.y[order], weights=weights)


@dataclass(frozen=True, slots=True, eq=False)
class ImportanceTest:
    """What `importance_test` finds.

    Attributes
    ----------
    names : tuple of str
        The columns.
    importances : array of shape (n_features,)
        Their importances.
    null : array of shape (n_permutations, n_features)
        Their importances in the forests that were grown on permuted classes.
    p_values : array of shape (n_features,)
        (1 + #{null ≥ importance}) / (1 + n_permutations).
    """

    names: tuple[str, ...]
    importances: NDArray[np.float64] = field(repr=False)
    null: NDArray[np.float64] = field(repr=False)
    library: str = field(default="pyarrow", repr=False)

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The p-value of each column."""
        n_reached = np.sum(self.null >= self.importances, axis=0)
        return np.asarray((1 + n_reached) / (1 + len(self.null)))

    def to_frame(self) -> Any:
        """Columns with importance, mean and standard deviation under permutation and p-value; best first."""
        # Equal p-values are common, so the importance decides between them.
        order = np.lexsort((-self.importances, self.p_values))
        columns = {
            "column": [self.names[k] for k in order],
            "importance": self.importances[order],
            "null_mean": self.null.mean(axis=0)[order],
            "null_std": self.null.std(axis=0, ddof=1)[order],
            "p_value": self.p_values[order],
        }
        return make_frame(columns, self.library)

    def __repr__(self) -> str:
        order = np.lexsort((-self.importances, self.p_values))[:20]
        names = [display_name(self.names[k], 40) for k in order]
        width = max(map(len, names))
        lines = [
            f"{name:<{width}}  {self.importances[k]:+.4f}  p = {self.p_values[k]:.3g}"
            for name, k in zip(names, order, strict=True)
        ]
        return "\n".join(
            [f"{count_of(len(self.names), 'column')}, {count_of(len(self.null), 'permutation')}", *lines]
        )


_OUT_OF_BAG = 2
# As many of a forest's roots, for each column, as there are columns: fewer add to the noise of which trees
# chose the column, more drown what it tells together with others.
_ROOTS = 4
