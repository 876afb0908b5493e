"""Repeated 2-fold cross-validation with pooled predictions → AUC or R² with standard errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.forest.auc import auc
from bychance.seeding import stream_key
from bychance.table import is_frame
from bychance.table.frames import pick_rows

__all__ = ["MakeModel", "ScoreTable", "compare_auc", "compare_r2", "two_folds"]

MakeModel = Callable[[int], Any]
"""Makes an unfitted model from a seed."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """AUCs of several classifiers, or R² of regressors, on the same folds.

    Attributes
    ----------
    names : tuple of str
        The models.
    values : array of shape (n_repeats, n_models)
        The score of each repetition, from the predictions of both folds pooled.
    """

    names: tuple[str, ...]
    values: NDArray[np.float64] = field(repr=False)

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean over repetitions."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Of the mean, over repetitions: how much other folds and seeds would change it, not other rows."""
        return np.asarray(_standard_error(self.values))

    def difference(self, name: str, reference: str) -> tuple[float, float]:
        """How much larger the one's mean is than the other's, and its standard error from paired folds."""
        first, second = (self.values[:, self.names.index(which)] for which in (name, reference))
        return float((first - second).mean()), float(_standard_error(first - second))


def compare_auc(
    classifiers: Mapping[str, MakeModel],
    X: Any,
    y: Any,
    *,
    n_repeats: int = 10,
    seed: int = 0,
    tick: Callable[[int], None] = lambda steps: None,
) -> ScoreTable:
    """The AUC of each classifier in every repetition; all see the same folds.

    In each repetition the classes are dealt into two folds; each fold is predicted by a classifier fitted on
    the other, and one AUC is taken of all rows: that of the second class, or, with more than two classes,
    the mean of every class against the rest, weighted by its rows.

    Parameters
    ----------
    classifiers : mapping of str to callable
        Each makes an unfitted classifier from a seed.
    X : frame or array
        The columns.
    y : array of shape (n_samples,)
        The classes.
    n_repeats : int
        How many repetitions.
    seed : int
        Same seed, same folds.
    tick : callable
        Hears of every classifier that is fitted.

    Returns
    -------
    ScoreTable
    """
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) < 2:
        raise BychanceError("`y` must have at least two classes: AUC says how well they are told apart.")

    def shares(model: Any, rows: Any) -> NDArray[np.float64]:
        seen = model.predict_proba(rows)
        found = np.zeros((len(seen), len(classes)))
        found[:, np.searchsorted(classes, model.classes_)] = seen
        return found

    folds = _folds(codes, n_repeats, seed)
    return _compare(classifiers, X, classes[codes], folds, shares, partial(auc, codes), tick)


def compare_r2(
    regressors: Mapping[str, MakeModel],
    X: Any,
    y: NDArray[np.float64],
    *,
    n_repeats: int = 10,
    seed: int = 0,
    tick: Callable[[int], None] = lambda steps: None,
) -> ScoreTable:
    """The same for numbers: R² of all rows, each half predicted from the other."""

    def predict(model: Any, rows: Any) -> NDArray[np.float64]:
        return np.asarray(model.predict(rows))

    def r2(predicted: NDArray[np.float64]) -> float:
        return float(1 - np.sum((y - predicted) ** 2) / np.sum((y - y.mean()) ** 2))

    folds = _folds(np.zeros(len(y), dtype=np.intp), n_repeats, seed)
    return _compare(regressors, X, y, folds, predict, r2, tick)


def _compare(
    models: Mapping[str, MakeModel],
    X: Any,
    y: NDArray[Any],
    folds: Sequence[NDArray[np.bool_]],
    predict: Callable[[Any, Any], NDArray[np.float64]],
    score: Callable[[NDArray[np.float64]], float],
    tick: Callable[[int], None],
) -> ScoreTable:
    X = X if is_frame(X) else np.asarray(X)
    values = np.empty((len(folds), len(models)))
    for repeat, is_first in enumerate(folds):
        for k, make in enumerate(models.values()):
            halves = []
            for fold in (is_first, ~is_first):
                model = make(repeat).fit(rows_of(X, ~fold), y[~fold])
                halves.append(predict(model, rows_of(X, fold)))
                tick(1)
            predicted = np.empty((len(y), *halves[0].shape[1:]))
            predicted[is_first], predicted[~is_first] = halves
            values[repeat, k] = score(predicted)
    return ScoreTable(tuple(models), values)


def _folds(codes: NDArray[np.intp], n_repeats: int, seed: int) -> list[NDArray[np.bool_]]:
    keys = [np.array(stream_key(seed, "folds", str(k)), dtype=np.uint64) for k in range(n_repeats)]
    return [two_folds(codes, np.random.Generator(np.random.Philox(key=key))) for key in keys]


def two_folds(codes: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which rows are in the first of two folds: half of all, and half of every class.

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


def _standard_error(values: NDArray[np.float64]) -> Any:
    return values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else values[0] * np.nan


def rows_of(X: Any, is_picked: NDArray[np.bool_]) -> Any:
    """These rows of a frame or an array."""
    return pick_rows(X, np.flatnonzero(is_picked)) if is_frame(X) else X[is_picked]
