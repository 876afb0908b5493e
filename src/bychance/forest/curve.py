"""Cross-validated AUC of AGini forests at each alpha, alpha_curve(), and AUC with influences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone

from bychance.array_types import BoolArray, FloatArray, IndexArray
from bychance.errors import BychanceError
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.parameters import GRID, criterion_of
from bychance.forest.regressor import RandomForestRegressor
from bychance.io import is_frame, make_frame
from bychance.io.frames import from_memory, pick_rows
from bychance.progress import Progress
from bychance.seeding import stream_key
from bychance.validation import Seed, answers_expected_words, number_within, root_seed, whole_number

__all__ = [
    "AlphaCurve",
    "MakeModel",
    "ScoreTable",
    "agini_makers",
    "alpha_curve",
    "auc",
    "auc_and_influence",
    "compare_auc",
    "cross_validate",
    "make_folds",
    "two_folds",
    "with_changes",
]


def auc(codes: NDArray[np.integer], shares: FloatArray) -> float:
    """Compute the AUC of predicted class shares, for several classes as the weighted one-vs-rest mean.

    >>> auc(np.array([0, 1, 0, 1]), np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5]]))
    0.875
    """
    return auc_and_influence(codes, shares)[0]


def auc_and_influence(codes: NDArray[np.integer], shares: FloatArray) -> tuple[float, FloatArray]:
    """Compute the AUC and the influence of each row on it, from which its standard error follows.

    The variance of the AUC is about the sum of squared influences (DeLong, DeLong and Clarke-Pearson 1988).
    Classes that no row, or every row, has are left out.

    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.5, 0.5]])
    >>> value, influence = auc_and_influence(np.array([0, 1, 0, 1]), scores)
    >>> value, influence.tolist()
    (0.875, [0.0625, 0.0625, -0.0625, -0.0625])
    """
    (n, n_classes), value, influence = shares.shape, 0.0, np.zeros(len(codes))
    for k in range(n_classes) if n_classes > 2 else (n_classes - 1,):
        is_own = codes == k
        n_own = int(is_own.sum())
        if not 0 < n_own < n:
            continue
        # Ranks among all rows less ranks within the class, or within the rest, count the others below.
        n_below = rankdata(shares[:, k])
        for is_side in (is_own, ~is_own):
            n_below[is_side] -= rankdata(shares[is_side, k])
        beaten = np.where(is_own, n_below / (n - n_own), 1 - n_below / n_own)
        share, one = n_own / n if n_classes > 2 else 1.0, float(beaten[is_own].mean())
        value += share * one
        influence += share * (beaten - one) / np.where(is_own, n_own, n - n_own)
    return value, influence


Forest = TypeVar("Forest", RandomForestClassifier, RandomForestRegressor)
MakeModel = Callable[[int], Any]
"""Makes an unfitted model from a seed."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Cross-validated AUC (or R²) of several models on the same folds.

    Attributes
    ----------
    names : tuple of str
        The models.
    values : array of shape (n_repeats, n_models)
        The score of each repetition, from the predictions of both folds pooled.
    """

    names: tuple[str, ...]
    values: FloatArray = field(repr=False)

    @property
    def mean(self) -> FloatArray:
        """Mean score of each model over repetitions."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of each mean over repetitions: the effect of folds and seeds, not of rows."""
        return np.asarray(_standard_error(self.values))

    def difference(self, name: str, reference: str) -> tuple[float, float]:
        """Return the difference of two models' mean scores, and its paired standard error."""
        first, second = (self.values[:, self.names.index(which)] for which in (name, reference))
        return float((first - second).mean()), float(_standard_error(first - second))


@dataclass(frozen=True, slots=True, eq=False)
class AlphaCurve:
    """Cross-validated AUC of random forests at each alpha of their split criterion.

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
    def auc(self) -> FloatArray:
        """Mean AUC at each alpha."""
        return self.table.mean[: len(self.alphas)]

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of each mean AUC over repetitions."""
        return self.table.standard_error[: len(self.alphas)]

    @property
    def best(self) -> float:
        """The alpha with the largest AUC. That AUC is optimistic, as the best of several."""
        return self.alphas[int(np.argmax(self.auc))]

    def to_frame(self) -> Any:
        """Return one row per alpha: AUC, its difference to Gini, and standard errors."""
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
        """Plot AUC against alpha with standard errors, beside forests that split by raw Gini or SGini gain.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on, by default of a new figure.

        Returns
        -------
        matplotlib Axes
        """
        from bychance.plots.forests import plot_alpha_curve

        return plot_alpha_curve(self, ax=ax)


@answers_expected_words()
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
    """Compute the AUC of AGini(α) forests against α, by repeated stratified 2-fold cross-validation.

    It shows how much α matters. To choose α and judge the choice on the same curve is optimistic:
    a forest with `SplitCriterion("agini", alpha="oob")` chooses inside `fit`.

    Parameters
    ----------
    X : frame or array of shape (n_samples, n_features)
        The columns.
    y : array-like of shape (n_samples,)
        The classes.
    alphas : sequence of float
        The values of α, in (0, 1].
    n_repeats : int
        Number of times that the rows are cut into two folds. Standard errors are over these repetitions:
        they show the effect of other folds, not of other rows.
    forest : RandomForestClassifier, optional
        Forest whose settings are used, except the name and alpha of its criterion and the seed. By default
        the paper's forest with 200 trees.
    rng : int, SeedSequence, Generator or None
        Seed. The same seed gives the same curve, None another curve in every call.
    progress : bool
        Show a progress bar.

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
    """Return functions that make a forest from a seed: one per alpha, one for "gini", one for "sgini"."""
    own = criterion_of(forest.criterion)

    def criterion(name: str, alpha: float) -> dict[str, Any]:
        return {"criterion": clone(own).set_params(name=name, alpha=alpha)}

    changes = {repr(alpha): criterion("agini", alpha) for alpha in alphas}
    changes |= {name: criterion(name, 0.05) for name in ("gini", "sgini")}
    return {name: partial(with_changes, forest, change) for name, change in changes.items()}


def with_changes(forest: Forest, changes: dict[str, Any], seed: int) -> Forest:
    """Return an unfitted copy of a forest with changed parameters and a new seed."""
    made: Forest = clone(forest).set_params(**changes, random_state=seed)
    return made


def compare_auc(
    classifiers: Mapping[str, MakeModel],
    X: Any,
    y: Any,
    *,
    n_repeats: int = 10,
    seed: int = 0,
    tick: Callable[[int], None] = lambda steps: None,
) -> ScoreTable:
    """Compute the cross-validated AUC of each classifier, on the same folds in every repetition.

    In each repetition the classes are dealt into two folds. Each fold is predicted by a classifier fitted on
    the other, and one AUC is taken of all rows: that of the second class, or, with more than two classes,
    the mean of every class against the rest, weighted by its rows. `tick` is called for every fitted
    classifier.
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise BychanceError("`y` must have at least two classes: AUC says how well they are told apart.")

    def shares(model: Any, rows: Any) -> FloatArray:
        seen = model.predict_proba(rows)
        found = np.zeros((len(seen), len(classes)))
        found[:, np.searchsorted(classes, model.classes_)] = seen
        return found

    folds = make_folds(codes, n_repeats, seed)
    return cross_validate(classifiers, X, classes[codes], folds, shares, partial(auc, codes), tick)


def cross_validate(
    models: Mapping[str, MakeModel],
    X: Any,
    y: NDArray[Any],
    folds: Sequence[BoolArray],
    predict: Callable[[Any, Any], FloatArray],
    score: Callable[[FloatArray], float],
    tick: Callable[[int], None],
) -> ScoreTable:
    """Score every model by 2-fold cross-validation on the same folds.

    `predict` maps a fitted model and rows to predictions, `score` the predictions of all rows to a score.
    """
    X = X if is_frame(X) else np.asarray(X)
    values = np.empty((len(folds), len(models)))
    for repeat, is_first in enumerate(folds):
        for k, make in enumerate(models.values()):
            halves = []
            for fold in (is_first, ~is_first):
                model = make(repeat).fit(_rows_of(X, ~fold), y[~fold])
                halves.append(predict(model, _rows_of(X, fold)))
                tick(1)
            predicted = np.empty((len(y), *halves[0].shape[1:]))
            predicted[is_first], predicted[~is_first] = halves
            values[repeat, k] = score(predicted)
    return ScoreTable(tuple(models), values)


def make_folds(codes: IndexArray, n_repeats: int, seed: int) -> list[BoolArray]:
    """Draw two random folds per repetition, and return a mask of the first fold of each."""
    keys = [np.array(stream_key(seed, "folds", str(k)), dtype=np.uint64) for k in range(n_repeats)]
    return [two_folds(codes, np.random.Generator(np.random.Philox(key=key))) for key in keys]


def two_folds(codes: IndexArray, rng: np.random.Generator) -> BoolArray:
    """Draw a mask of the first of two folds, with half of the rows of every class.

    >>> codes = np.array([0, 0, 0, 1, 1, 2])
    >>> is_first = two_folds(codes, np.random.default_rng(0))
    >>> int(is_first.sum()), np.bincount(codes[is_first], minlength=3).tolist()[1]
    (3, 1)
    """
    shuffled = rng.permutation(len(codes))
    dealt = shuffled[np.argsort(codes[shuffled], kind="stable")]
    is_first = np.zeros(len(codes), dtype=np.bool_)
    is_first[dealt[::2]] = True
    return is_first


def _standard_error(values: FloatArray) -> Any:
    return values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else values[0] * np.nan


def _rows_of(X: Any, is_picked: BoolArray) -> Any:
    """Return the flagged rows of a frame or an array."""
    return pick_rows(X, np.flatnonzero(is_picked)) if is_frame(X) else X[is_picked]
