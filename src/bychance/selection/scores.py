"""score_function(): f(X, y) → (scores, p-values), for the selectors that scikit-learn has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from bychance.estimators import AS_ARRAY
from bychance.nulls.choose import NullSpec
from bychance.ranking.job import MeasureChoice
from bychance.selection.figures import figures_of
from bychance.table import is_frame

__all__ = ["ScoreFunction", "score_function"]


def score_function(
    measure: MeasureChoice = "auto",
    *,
    by: str = "adjusted_at",
    alpha: float = 0.05,
    null: NullSpec = "auto",
    min_n: int = 10,
    target_kind: str = "auto",
    n_jobs: int | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> ScoreFunction:
    """A score function for scikit-learn's own selectors: `SelectKBest`, `SelectFdr` and their kin.

    Those take finite numbers only; `ChanceSelector` takes frames as they are.

    Parameters
    ----------
    measure, by, alpha, null, min_n, target_kind, n_jobs, random_state
        As for `ChanceSelector`.

    Returns
    -------
    ScoreFunction
        A callable f(X, y) that gives scores, of which more is better, and p-values. It can be pickled and
        cloned, and its settings can be searched over: `score_func__alpha`.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.feature_selection import SelectKBest
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = SelectKBest(bc.score_function(by="adjusted"), k=2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """
    return ScoreFunction(
        measure,
        by=by,
        alpha=alpha,
        null=null,
        min_n=min_n,
        target_kind=target_kind,
        n_jobs=n_jobs,
        random_state=random_state,
    )


class ScoreFunction(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """What `score_function` makes: f(X, y) → (scores, p-values), with its settings as parameters."""

    def __init__(
        self,
        measure: MeasureChoice = "auto",
        *,
        by: str = "adjusted_at",
        alpha: float = 0.05,
        null: NullSpec = "auto",
        min_n: int = 10,
        target_kind: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.measure = measure
        self.by = by
        self.alpha = alpha
        self.null = null
        self.min_n = min_n
        self.target_kind = target_kind
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __call__(self, X: Any, y: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The score and the p-value of each column of X; NaN where there is none."""
        figures = figures_of(X if is_frame(X) else check_array(X, **AS_ARRAY), y, self)
        return figures.scores, figures.p_values
