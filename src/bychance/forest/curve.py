"""alpha_curve(): how well AGini forests predict at each level of their adjustment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.evaluate import MakeModel, ScoreTable, compare_auc
from bychance.forest.parameters import GRID
from bychance.forest.regressor import RandomForestRegressor
from bychance.progress import Progress
from bychance.table import is_frame, make_frame
from bychance.table.frames import from_memory
from bychance.validation import Seed, number_within, root_seed, whole_number

__all__ = ["AlphaCurve", "agini_makers", "alpha_curve", "with_changes"]

Forest = TypeVar("Forest", RandomForestClassifier, RandomForestRegressor)


@dataclass(frozen=True, slots=True, eq=False)
class AlphaCurve:
    """AUC against alpha.

    Attributes
    ----------
    alphas : tuple of float
        The levels.
    table : ScoreTable
        The AUC of every repetition: one column per level, then "gini" and "sgini" on the same folds.
    """

    alphas: tuple[float, ...]
    table: ScoreTable = field(repr=False)
    library: str = field(default="pyarrow", repr=False)

    @property
    def auc(self) -> NDArray[np.float64]:
        """The mean AUC at each level."""
        return self.table.mean[: len(self.alphas)]

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Its standard error over repetitions."""
        return self.table.standard_error[: len(self.alphas)]

    @property
    def best(self) -> float:
        """The α with the largest AUC. Its AUC is the best of several, and so optimistic."""
        return self.alphas[int(np.argmax(self.auc))]

    def to_frame(self) -> Any:
        """One row per α: AUC, how much it exceeds Gini's on the same folds, and their standard errors."""
        differences = [self.table.difference(name, "gini") for name in self.table.names[: len(self.alphas)]]
        columns = {
            "alpha": np.array(self.alphas),
            "auc": self.auc,
            "auc_se": self.standard_error,
            "over_gini": np.array([mean for mean, _ in differences]),
            "over_gini_se": np.array([error for _, error in differences]),
        }
        return make_frame(columns, self.library)

    def plot(self, ax: Any = None) -> Any:
        """The curve with its standard errors, beside raw Gini and SGini.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib Axes
        """
        from bychance.plots.forests import plot_alpha_curve

        return plot_alpha_curve(self, ax=ax)


def alpha_curve(
    X: Any,
    y: Any,
    *,
    alphas: Sequence[float] = GRID,
    n_repeats: int = 10,
    forest: RandomForestClassifier | None = None,
    rng: Seed = 0,
    progress: bool = False,
) -> AlphaCurve:
    """AUC of AGini(α) forests against α, by repeated stratified 2-fold cross-validation.

    It shows how much α matters. To choose α and judge the choice on the same curve is optimistic:
    `RandomForestClassifier(criterion="agini", alpha="oob")` chooses inside `fit`.

    Parameters
    ----------
    X : frame or array of shape (n_samples, n_features)
        The columns.
    y : array-like of shape (n_samples,)
        The classes.
    alphas : sequence of float
        The values of α, in (0, 1].
    n_repeats : int
        How many times the rows are cut into two folds. Standard errors are over these: how much other folds
        would change the AUC, not other rows.
    forest : RandomForestClassifier, optional
        Whose settings to use, all but criterion, alpha and seed; by default the paper's with 200 trees.
    rng : int, SeedSequence, Generator or None
        Same seed, same curve; None draws anew in every call.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    AlphaCurve

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestClassifier.from_paper(n_estimators=20)
    >>> curve = bc.alpha_curve(X, y, alphas=[0.05, 0.5], n_repeats=3, forest=forest)
    >>> bool((curve.auc > 0.95).all())
    True
    """
    levels = tuple(dict.fromkeys(number_within(alpha, "alphas", 1) for alpha in alphas))
    if not levels:
        raise BychanceError("`alphas` must hold at least one value.")
    n_repeats = whole_number(n_repeats, "n_repeats")
    if forest is None:
        forest = RandomForestClassifier.from_paper(n_estimators=200)
    makers = agini_makers(forest, levels)
    with Progress("forests", total=2 * n_repeats * len(makers), enabled=progress) as bar:
        table = compare_auc(makers, X, y, n_repeats=n_repeats, seed=root_seed(rng), tick=bar.advance)
    library = from_memory(X, None).library if is_frame(X) else "pyarrow"
    return AlphaCurve(levels, table, library)


def agini_makers(forest: RandomForestClassifier, alphas: Sequence[float]) -> dict[str, MakeModel]:
    """Forests with these settings at each level, by its number, and with Gini and SGini, by their names."""
    changes: dict[str, dict[str, Any]] = {
        repr(alpha): {"criterion": "agini", "alpha": alpha} for alpha in alphas
    }
    changes |= {name: {"criterion": name, "alpha": 0.05} for name in ("gini", "sgini")}
    return {name: partial(with_changes, forest, change) for name, change in changes.items()}


def with_changes(forest: Forest, changes: dict[str, Any], seed: int) -> Forest:
    """A new forest with the same settings but these, and a seed."""
    from sklearn.base import clone

    made: Forest = clone(forest).set_params(**changes, random_state=seed)
    return made
