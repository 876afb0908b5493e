"""What columns matter: gains on out-of-bag rows, beside those of forests grown on permuted classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.grow import in_parts
from bychance.forest.tree import Training, Tree
from bychance.names import display_name
from bychance.seeding import stream_key
from bychance.table import make_frame

__all__ = ["ImportanceTest", "Importances", "importances_of", "permuted"]


@dataclass(frozen=True, slots=True, eq=False)
class Importances:
    """The mean over trees of each column's out-of-bag gain, and its standard error over trees."""

    means: NDArray[np.float64]
    errors: NDArray[np.float64]


def importances_of(trees: Sequence[Tree], training: Training, n_jobs: int | None) -> Importances:
    """What the splits on each column gain on rows out of bag, less what they would gain there by chance.

    NaN where the trees leave no rows out of bag.
    """
    from joblib import Parallel, delayed

    parts = in_parts(trees, len(training.y))
    gains = np.concatenate(
        Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(_gains)(part, training) for part in parts)
    )
    if not np.any(trees[0].roles == _OUT_OF_BAG):
        gains[:] = np.nan
    spread = gains.std(axis=0, ddof=1) if len(trees) > 1 else np.full(gains.shape[1], np.nan)
    return Importances(gains.mean(axis=0), spread / np.sqrt(len(trees)))


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
        The share of those that reach the importance, the forest itself counted in: never 0.
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
        return "\n".join([f"{len(self.names)} columns, {len(self.null)} permutations", *lines])


_OUT_OF_BAG = 2


def _gains(trees: Sequence[Tree], training: Training) -> NDArray[np.float64]:
    return np.array([tree.out_of_bag_gains(training) for tree in trees])
