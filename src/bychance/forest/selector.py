"""ForestSelector: a transformer that keeps every column which a forest finds to matter, in one fit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target

from bychance.errors import BychanceError
from bychance.estimators import RandomState, checked_input, checked_target
from bychance.forest.classifier import RandomForestClassifier
from bychance.forest.forest import Forest
from bychance.forest.regressor import RandomForestRegressor
from bychance.selection.kept_columns import ColumnSelector
from bychance.validation import number_within

__all__ = ["ForestSelector"]

_FEW_ROWS = 5  # per class: numbers with fewer are predicted as numbers


class ForestSelector(ColumnSelector):
    """Selection of all columns that matter to a forest, at a false discovery rate: a scikit-learn selector.

    One forest is grown, and the p-values of its importances become q-values. Unlike a test of each column
    alone, this finds columns that matter only together with others.

    Parameters
    ----------
    estimator : RandomForestClassifier or RandomForestRegressor, optional
        The forest. By default 500 trees on half of the rows each, which try two columns per node, so that
        no column crowds out another: a regressor for numbers with fewer than five rows per value, otherwise
        a classifier.
    fdr_level : float
        Keep the columns with a q-value of at most this.
    n_jobs : int, optional
        Number of threads of the default forest.
    random_state : int, RandomState or None
        Seed of the default forest.

    Attributes
    ----------
    estimator_ : forest
        The fitted forest.
    importances_, pvalues_, qvalues_ : array of shape (n_features,)
        Its importances with their p- and q-values.
    support_ : array of bool of shape (n_features,)
        Whether a column is kept.
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
        self.estimator_ = self._forest(y).fit(X, y)
        self.importances_ = self.estimator_.feature_importances_
        self.pvalues_ = self.estimator_.feature_importances_p_
        self.qvalues_ = self.estimator_.feature_importances_q_
        self.support_ = self.qvalues_ <= level
        return self

    def _forest(self, y: Any) -> Forest:
        if self.estimator is not None:
            return clone(self.estimator)  # type: ignore[no-any-return] # scikit-learn has no types
        labels = checked_target(y)
        is_of_numbers = labels.dtype.kind in "iuf" and (
            type_of_target(labels) not in ("binary", "multiclass")
            or len(labels) < _FEW_ROWS * len(np.unique(labels))
        )
        kind = RandomForestRegressor if is_of_numbers else RandomForestClassifier
        return kind(
            500,
            max_features=2,
            max_samples=0.5,
            shrinkage="none",
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
