"""SplitCriterion, and conversion of an estimator's parameters to the settings of one tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from numbers import Integral
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
from scipy.special import ndtri
from sklearn.base import BaseEstimator

from bychance.errors import BychanceError
from bychance.forest.features import Feature
from bychance.kinds import Kind
from bychance.validation import finite_number, number_within, one_of, whole_number

__all__ = [
    "GRID",
    "SHRINKAGES",
    "ClassCriterion",
    "GrowSettings",
    "NumberCriterion",
    "Shrinkage",
    "SplitCriterion",
    "criterion_of",
    "grow_settings",
    "shrinkages_of",
]

ClassCriterion = Literal["fair", "agini", "sgini", "gini", "entropy"]
NumberCriterion = Literal["fair", "adjusted", "standardized", "variance"]
Criterion = ClassCriterion | NumberCriterion

Shrinkage = Literal["none", "rows", "chance", "leaf5", "leaf10"]
SHRINKAGES: tuple[Shrinkage, ...] = get_args(Shrinkage)  # the first is kept unless another is better


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowSettings:
    """Settings for growing one tree.

    `max_features` columns are drawn at each node, and more until one has a usable split. With `random_cuts` a
    column has one cut per node, drawn at random. `max_depth` is 0 for no limit. `n_grow` rows grow the tree,
    `n_order` others order the categories, and the rest is out of bag. With `bootstrap` the first are drawn
    with replacement, and the others come from the rows not drawn. Without rows to order the categories, an
    "ordered" split is multiway. A finite `min_adjusted_gain` is the least score of a split.
    """

    criterion: Criterion
    alpha: float = 0.05
    null: Literal["moments", "multinomial"] = "moments"
    quantile: Literal["cantelli", "gamma"] = "cantelli"
    categorical_split: Literal["ordered", "multiway"] = "ordered"
    max_features: int
    max_depth: int = 0
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_adjusted_gain: float = -inf
    missing: Literal["majority", "best"] = "majority"
    n_grow: int
    n_order: int = 0
    bootstrap: bool = False
    has_out_of_bag: bool = False
    random_cuts: bool = False

    @property
    def deviation(self) -> float:
        """Standard deviations from null mean to quantile, by Cantelli's bound or the normal distribution."""
        if self.quantile == "cantelli":
            return sqrt((1 - self.alpha) / self.alpha)
        return float(ndtri(1 - self.alpha))


class SplitCriterion(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Criterion by which trees compare splits, with its parameters.

    A name alone stands for the criterion with its defaults. In `GridSearchCV` the settings have names such as
    `criterion__alpha`.

    Parameters
    ----------
    name : str
        For classes "fair", "agini", "sgini", "gini" or "entropy". For numbers "fair", "adjusted",
        "standardized" or "variance".
    alpha : float or "oob"
        The level of "agini" and "adjusted", in (0, 1]. Small values favor splits into few, large children.
        For forests, "oob" tries eight levels from 0.005 to 1, and takes the one with the least loss out of
        bag. `fit` then takes eight times as long.
    null : {"moments", "multinomial"}
        Source of the null mean and variance: all permutations of the node's classes, or the multinomial model
        of the paper. "fair" and numbers always use permutations.
    quantile : {"cantelli", "gamma"}
        Quantile of "agini" and "adjusted" from mean and variance: a bound that holds for every distribution
        (the paper's), or the quantile of a matched gamma distribution, which is sharper.
    min_adjusted_gain : float, optional
        Least score of a split. With 0, nodes stay leaves if chance explains more than their best split. By
        default the criterion only ranks splits and does not stop growth, as in the paper, since stopping
        costs accuracy. Scores of "adjusted" and "variance" are shares of the variance of the node.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> stopping = bc.SplitCriterion("agini", alpha=0.1, min_adjusted_gain=0)
    >>> bc.DecisionTreeClassifier(criterion=stopping).fit(X, y).get_n_leaves()
    6
    """

    def __init__(
        self,
        name: str = "fair",
        *,
        alpha: float | str = 0.05,
        null: str = "moments",
        quantile: str = "cantelli",
        min_adjusted_gain: float | None = None,
    ) -> None:
        self.name = name
        self.alpha = alpha
        self.null = null
        self.quantile = quantile
        self.min_adjusted_gain = min_adjusted_gain


def criterion_of(criterion: str | SplitCriterion) -> SplitCriterion:
    """Convert a criterion's name to a `SplitCriterion`. Scikit-learn's names are accepted.

    >>> criterion_of("gini").name, criterion_of("squared_error").name
    ('gini', 'variance')
    """
    found = criterion if isinstance(criterion, SplitCriterion) else SplitCriterion(criterion)
    name: Any = found.name
    if not isinstance(name, str) or name not in _SAME | _INSTEAD:
        return found
    if name in _INSTEAD:
        raise BychanceError(f"`criterion` has no {name!r}: {_INSTEAD[name]}.", "criterion")
    return SplitCriterion(**{**found.get_params(), "name": _SAME[name]})


# Scikit-learn's names of the same criteria, and replacements of its other criteria.
_SAME = {"squared_error": "variance", "log_loss": "entropy"}
_INSTEAD = {
    "friedman_mse": 'use "variance", the reduction of squared errors',
    "absolute_error": 'use "variance"; `predict(X, quantiles=[0.5])` gives medians',
    "poisson": 'use "variance", or the logarithm of the counts as y',
}


# The levels that the paper tries.
GRID = (0.005, 0.01, 0.05, 0.1, 0.3, 0.5, 0.7, 1.0)


def grow_settings(
    given: Mapping[str, Any], criteria: tuple[str, ...], features: Sequence[Feature], n_rows: int
) -> GrowSettings:
    """Convert an estimator's parameters to the settings of one tree, for `n_rows` training rows.

    `given` holds an estimator's parameters by their public names. Settings without a parameter have defaults.
    """
    criterion = criterion_of(given["criterion"])
    values = {**criterion.get_params(), **given, "criterion": criterion.name}
    names: dict[str, Any] = {
        argument: one_of(values[argument], argument, known)
        for argument, known in {"criterion": criteria, **_NAMES}.items()
    }
    if "variance" in criteria and criterion.null != "moments":
        raise BychanceError(f'`null` of numbers is "moments", got {criterion.null!r}.')
    n_grow = _n_grow(given["max_samples"], n_rows)
    bootstrap = bool(given.get("bootstrap", False))
    # "fair" counts each row that was drawn once.
    n_counted = n_rows - _n_out_of_bag(n_rows, n_grow, bootstrap) if names["criterion"] == "fair" else n_grow
    n_order = 0
    if names["categorical_split"] == "ordered" and _has_order(features):
        n_order = _n_out_of_bag(n_rows, n_grow, bootstrap) // 2
    max_depth, least_gain = given["max_depth"], criterion.min_adjusted_gain
    return GrowSettings(
        **names,
        alpha=_starting_alpha(criterion.alpha, criterion.name),
        max_features=_n_features(given["max_features"], len(features)),
        max_depth=0 if max_depth is None else whole_number(max_depth, "max_depth"),
        min_samples_split=_n_samples(given["min_samples_split"], "min_samples_split", 2, n_counted),
        min_samples_leaf=_n_samples(given["min_samples_leaf"], "min_samples_leaf", 1, n_counted),
        min_adjusted_gain=-inf if least_gain is None else finite_number(least_gain, "min_adjusted_gain"),
        n_grow=n_grow,
        n_order=n_order,
        bootstrap=bootstrap,
        has_out_of_bag=bootstrap or n_grow + n_order < n_rows,
    )


def shrinkages_of(shrinkage: object) -> tuple[Shrinkage, ...]:
    """Return the names of the shrinkage rules that the parameter `shrinkage` allows, all for "oob".

    >>> shrinkages_of("oob"), shrinkages_of("rows")
    (('none', 'rows', 'chance', 'leaf5', 'leaf10'), ('rows',))
    """
    name: Any = one_of(shrinkage, "shrinkage", ("oob", *SHRINKAGES))
    return SHRINKAGES if name == "oob" else (name,)


_NAMES: dict[str, tuple[str, ...]] = {
    argument: get_args(get_type_hints(GrowSettings)[argument])
    for argument in ("null", "quantile", "categorical_split", "missing")
}


def _starting_alpha(alpha: object, criterion: str) -> float:
    """Check alpha and return it, or for "oob" the smallest value of the grid."""
    if isinstance(alpha, str):
        if alpha != "oob":
            raise BychanceError(f'`alpha` must lie in (0, 1] or be "oob", got {alpha!r}.')
        if criterion not in ("agini", "adjusted"):
            raise BychanceError(
                f'`alpha` belongs to criterion="agini" or "adjusted": "oob" tunes nothing for {criterion!r}.'
            )
        return GRID[0]
    return number_within(alpha, "alpha", 1)


def _n_grow(share: Any, n_rows: int) -> int:
    if share is None:
        return n_rows
    if isinstance(share, Integral) and not isinstance(share, bool):
        if not 1 <= int(share) <= n_rows:
            raise BychanceError(f"`max_samples` must be in 1 to n_samples={n_rows}, got {share!r}.")
        return int(share)
    return max(1, round(number_within(share, "max_samples", 1) * n_rows))


def _n_out_of_bag(n_rows: int, n_grow: int, bootstrap: bool) -> int:
    """Return the (expected) number of rows that a tree is not grown on."""
    return int(n_rows * (1 - 1 / n_rows) ** n_grow) if bootstrap else n_rows - n_grow


def _has_order(features: Sequence[Feature]) -> bool:
    """Return True if a categorical column has more than two categories, so that ordering them matters."""
    return any(feature.kind is Kind.CATEGORICAL and len(feature.labels) > 2 for feature in features)


def _n_features(max_features: object, n_features: int) -> int:
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        share = _SHARES[one_of(max_features, "max_features", _SHARES)]
        return min(n_features, max(1, int(share(n_features))))
    if isinstance(max_features, Integral) and not isinstance(max_features, bool):
        return min(n_features, whole_number(max_features, "max_features"))
    return max(1, int(number_within(max_features, "max_features", 1) * n_features))


_SHARES: dict[str, Callable[[int], float]] = {
    "auto": lambda m: round(math.sqrt(m + 2)),
    "sqrt": math.sqrt,
    "log2": math.log2,
}


def _n_samples(value: object, argument: str, least: int, n_counted: int) -> int:
    """Convert a parameter that is a number or a fraction of rows to a number of rows."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and value >= least:
        return int(value)
    if isinstance(value, float | np.floating) and 0 < value < 1:
        return max(least, math.ceil(float(value) * n_counted))
    raise BychanceError(
        f"`{argument}` must be an integer of at least {least} or a share in (0, 1), got {value!r}."
    )
