"""ForestSelector: feature selection by the q-values of forest importances."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bychance.array_types import FloatArray
from bychance.errors import BychanceError
from bychance.estimators import RandomState, checked_input, checked_target
from bychance.forest.base import Forest
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.conditional_importance import conditional_p_values
from bychance.forest.features import FeatureTable
from bychance.forest.importance import false_discovery_rates
from bychance.forest.parameters import GrowSettings
from bychance.forest.regressor import RandomForestRegressor
from bychance.selection.base import ColumnSelector
from bychance.selection.column_scores import check_varies
from bychance.validation import answers_expected_words, number_within

__all__ = ["ForestSelector"]

_FEW_ROWS = 5  # rows per distinct number: with fewer, y is a numeric target
_LARGEST_EXPONENT = 200
_CONDITIONAL_WEIGHT = 3 / 4  # weight of conditional tests, which have more power if effects of columns add up


class ForestSelector(ColumnSelector):
    """Feature selector that keeps columns with small importance q-values, compatible with scikit-learn.

    Each column has two p-values. The first is that of its importance in a forest of all columns, which finds
    columns that matter only together with others. The second tests the column against the residuals of a
    small forest without it and without columns that correlate with it. It finds weak columns if others
    explain much. There are up to ten small forests, of the columns with a first p-value up to .05. The
    p-values of harmonic means of both become q-values. A constant column has a p-value of 1.

    If most of a numeric target is 0 and the rest has a long tail, `bc.rank` finds more columns. Ranks of the
    target help if columns predict zeros. The user guide has found.

    Parameters
    ----------
    estimator : RandomForestClassifier or RandomForestRegressor, optional
        The forest. By default 500 trees on half of the rows each, which try two columns per node, so that
        no column crowds out another: a regressor for numbers with fewer than five rows per value, otherwise
        a classifier. The small forests have its settings and 50 trees each.
    fdr_level : float
        Keep the columns with a q-value of at most this.
    n_jobs : int, optional
        Number of threads of the default forest.
    random_state : int, RandomState or None
        Seed of the default forest.

    Attributes
    ----------
    estimator_ : forest
        The fitted forest of all columns. If the largest number of y is beyond 1e-60 or 1e60, it is fitted to
        y in units of a power of two.
    importances_ : array of shape (n_features,)
        The importances of this forest.
    pvalues_, qvalues_ : array of shape (n_features,)
        P- and q-values of the columns, from the importance and the conditional test together.
    support_ : array of bool of shape (n_features,)
        Flags of the columns that are kept.
    n_features_in_, feature_names_in_
        Number and names of the columns seen in `fit`.

    Examples
    --------
    >>> import pandas as pd
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> X = pd.DataFrame(make_demo())
    >>> y = X.pop("yield")
    >>> bc.ForestSelector(random_state=0).fit(X, y).get_feature_names_out().tolist()
    ['rainfall', 'soil', 'sunshine']
    """

    _accepts_sparse = True

    @answers_expected_words()
    def __init__(
        self,
        estimator: Forest | None = None,
        *,
        fdr_level: float = 0.05,
        n_jobs: int | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.fdr_level = fdr_level
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest and test its importances.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns.
        y : array-like of shape (n_samples,)
            The target: classes or numbers.

        Returns
        -------
        self
        """
        level = number_within(self.fdr_level, "fdr_level", 1)
        if y is None:
            raise BychanceError("ForestSelector requires y to be passed, but the target y is None.")
        if self.estimator is not None and not isinstance(self.estimator, Forest):
            raise BychanceError(f"`estimator` must be a forest of this library, got {self.estimator!r}.")
        X = checked_input(self, X, reset=True, accept_sparse=True)
        y = _scaled_within_range(checked_target(y))
        if len(y):  # otherwise `fit` raises the error on missing rows
            check_varies(y)
        self.estimator_ = self._forest(y).fit(X, y)
        self.pvalues_ = self._p_values(self.estimator_)
        self.importances_ = self.estimator_.feature_importances_
        self.qvalues_ = false_discovery_rates(self.pvalues_)
        self.support_ = self.qvalues_ <= level
        return self

    def _p_values(self, forest: Forest) -> FloatArray:
        """Combine the marginal and conditional importance p-values of each column."""
        training = forest._training  # None once the importances are measured
        alone = forest.feature_importances_p_
        if training is None or np.isnan(alone).any():  # no rows out of bag
            return alone

        def settings_of(table: FeatureTable) -> GrowSettings:
            return replace(forest._settings(table), alpha=forest.alpha_)

        return _harmonic_mean_p(
            alone, conditional_p_values(training, alone, settings_of, forest._root, forest.n_jobs)
        )

    def _forest(self, y: NDArray[Any]) -> Forest:
        if self.estimator is not None:
            return clone(self.estimator)  # type: ignore[no-any-return] # scikit-learn has no types
        is_of_numbers = y.dtype.kind in "iuf" and ((y != np.rint(y)).any() or _has_few_rows_per_value(y))
        if not is_of_numbers:
            _check_classes(y)
        kind = RandomForestRegressor if is_of_numbers else RandomForestClassifier
        return kind(
            500,
            max_features=2,
            max_samples=0.5,
            shrinkage="none",
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )


def _has_few_rows_per_value(y: NDArray[Any]) -> bool:
    return len(y) < _FEW_ROWS * len(np.unique(y))


def _check_classes(y: NDArray[Any]) -> None:
    """Raise an error if the classes are numbers written as strings, or dates."""
    if y.dtype.kind in "mM":
        got = f"dates or times such as {y[0]!s}"
    elif y.dtype.kind in "UO" and all(isinstance(label, str) for label in y) and _are_numbers(y):
        got = f"numbers as strings such as {str(y[0])!r}"
    else:
        return
    if _has_few_rows_per_value(y):
        raise BychanceError(
            f"`y` must hold numbers, or classes of {_FEW_ROWS} rows or more on average, got {got}: make them "
            "numbers, or give a classifier as `estimator`."
        )


def _are_numbers(strings: NDArray[Any]) -> bool:
    try:
        return bool(np.isfinite(strings.astype(np.float64)).all())
    except ValueError:
        return False


def _scaled_within_range(y: NDArray[Any]) -> NDArray[Any]:
    """Return the target, scaled by a power of two if its fourth powers overflow or underflow.

    >>> _scaled_within_range(np.array([1e-200, -3e-200])).round(3).tolist()
    [0.191, -0.574]
    """
    if y.dtype.kind != "f":
        return y
    largest = np.max(np.abs(y), initial=0, where=np.isfinite(y))
    exponent = int(np.frexp(largest)[1])
    return y if abs(exponent) <= _LARGEST_EXPONENT else np.ldexp(y, -exponent)


def _harmonic_mean_p(importance: FloatArray, conditional: FloatArray) -> FloatArray:
    """Combine two p-values by their weighted harmonic mean, with weight 3 for the second.

    The result is P(u/U + v/V ≥ 1/h) for uniform U and V and weights u + v = 1.

    >>> _harmonic_mean_p(np.array([0.02, 1.0]), np.array([0.02, 0.01])).round(4).tolist()
    [0.0207, 0.0136]
    """
    least = np.finfo(float).tiny
    v = _CONDITIONAL_WEIGHT
    u = 1 - v
    h = 1 / (u / np.maximum(importance, least) + v / np.maximum(conditional, least))
    share = v * h / (1 - u * h)
    tail = h**2 * (np.log1p(-u * h) + np.log1p(-v * h) - 2 * np.log(h) - np.log(u * v))
    return np.asarray(share + u * h * (1 - share) + u * v * tail)
