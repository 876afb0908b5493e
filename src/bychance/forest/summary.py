"""A fitted forest → one sentence: how well it predicts rows it was not grown on, and which columns matter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.forest.auc import auc_and_influence
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.regressor import RandomForestRegressor
from bychance.names import count_of, display_name
from bychance.wording import percents

__all__ = ["OutOfBagScore", "forest_in_words", "out_of_bag_score"]

_LIMITS, _ONE_SIDED = 1.96, 1.645  # standard errors: 95% between two limits, and above one
_FDR_LEVEL = 0.05
_NAME = 50
_UNSEEN = "rows that trees were not grown on"


@dataclass(frozen=True, slots=True)
class OutOfBagScore:
    """AUC or R² on rows that trees were not grown on, its standard error over rows, and what chance gives."""

    name: str
    value: float
    error: float
    chance: float

    @property
    def limits(self) -> tuple[float, float]:
        """Between which it lies with 95%, were other rows drawn."""
        return self.value - _LIMITS * self.error, min(self.value + _LIMITS * self.error, 1.0)

    @property
    def is_beyond_chance(self) -> bool:
        """Whether chance alone would give as much in fewer than one of twenty samples."""
        return self.value - _ONE_SIDED * self.error > self.chance


def out_of_bag_score(forest: RandomForestClassifier | RandomForestRegressor, y: Any) -> OutOfBagScore:
    """The AUC, or R², of a forest that was fitted to y with `oob_score=True`.

    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = bc.RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> score = out_of_bag_score(forest, y)
    >>> score.name, score.value > 0.95, score.error < 0.02
    ('AUC', True, True)
    """
    y = np.asarray(y)
    if isinstance(forest, RandomForestRegressor):
        return _r2(np.asarray(y, dtype=np.float64), forest.oob_prediction_)
    shares = forest.oob_decision_function_
    has_shares = ~np.isnan(shares[:, 0])
    codes = np.searchsorted(forest.classes_, y[has_shares])
    value, influence = auc_and_influence(codes, shares[has_shares], np.ones(len(codes)))
    return OutOfBagScore("AUC", float(value), float(np.sqrt(influence @ influence)), 0.5)


def _r2(y: NDArray[np.float64], predicted: NDArray[np.float64]) -> OutOfBagScore:
    """R² is 1 − Σe²/Σd²: a row moves it by how far its own e² is from what its d² lets expect."""
    has_prediction = ~np.isnan(predicted)
    y, predicted = y[has_prediction], predicted[has_prediction]
    errors, spreads = (y - predicted) ** 2, (y - y.mean()) ** 2
    left = errors.sum() / spreads.sum()
    influence = (left * spreads - errors) / spreads.sum()
    return OutOfBagScore("R²", float(1 - left), float(np.sqrt(influence @ influence)), 0.0)


def forest_in_words(forest: RandomForestClassifier | RandomForestRegressor, y: Any, target: str) -> str:
    """How well the columns predict the target, and how many of them are related to it.

    >>> import bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X[:, 1] + rng.normal(size=300)
    >>> forest = bc.RandomForestRegressor(100, oob_score=True, random_state=0).fit(X, y)
    >>> print(forest_in_words(forest, y, "y"))
    The 4 columns explain 37% of the variation of y (95% limits: 30% to 44%) in rows that trees were not
    grown on. 1 of 4 columns is related to y, namely x1.
    """
    name = display_name(target, _NAME)
    score, n_columns = out_of_bag_score(forest, y), forest.n_features_in_
    what, s = ("The column", "s") if n_columns == 1 else (f"The {n_columns:,} columns", "")
    does_not = "does not" if n_columns == 1 else "do not"
    low, high = score.limits
    figures = f"{score.name} is {score.value:.2f} (95% limits: {low:.2f} to {high:.2f}) on {_UNSEEN}"
    if score.name == "AUC":
        tells = f"tell{s}" if score.is_beyond_chance else f"{does_not} tell"
        told = f"{what} {tells} the classes of {name} apart: {figures}, and 0.5 by chance."
    elif score.is_beyond_chance:
        share, least, most = percents(score.value, low, high)
        limits = f"(95% limits: {least} to {most})"
        told = f"{what} explain{s} {share} of the variation of {name} {limits} in {_UNSEEN}."
    else:
        told = f"{what} {does_not} predict {name} better than its mean: {figures}."
    return f"{told} {_related(forest, name)}"


def _related(forest: RandomForestClassifier | RandomForestRegressor, target: str) -> str:
    """How many columns have to do with the target, at a false discovery rate, and which matters most."""
    is_found = forest.feature_importances_q_ < _FDR_LEVEL
    n_found, of_all = int(is_found.sum()), count_of(len(is_found), "column")
    if not n_found:
        return f"None of {of_all} is related to {target}."
    first = int(np.argmax(np.where(is_found, forest.feature_importances_, -np.inf)))
    most = display_name(forest._features[first].name, _NAME)
    if n_found == 1:
        return f"1 of {of_all} is related to {target}, namely {most}."
    return f"{n_found:,} of {of_all} are related to {target}; {most} matters most."
