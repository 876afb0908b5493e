"""ChanceSelector, a transformer that keeps the columns of X that are related to y beyond chance."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from bychance.array_types import BoolArray
from bychance.errors import BychanceError
from bychance.estimators import checked_input
from bychance.nulls.choose import NullSpec
from bychance.ranking.api import DEFAULTS
from bychance.ranking.options import BY, MeasureChoice
from bychance.selection.base import ColumnSelector
from bychance.selection.column_scores import ColumnScores, scores_of_columns, scores_of_source
from bychance.validation import answers_expected_words, finite_number, number_within, one_of, whole_number

__all__ = ["ChanceSelector"]

_FDR_LEVEL = DEFAULTS["fdr_level"]  # if none of `k`, `threshold` and `fdr_level` is given


class ChanceSelector(ColumnSelector):
    """Scikit-learn transformer that keeps the columns of X that are related to y beyond chance.

    Every column of X is ranked by what it says about y, as `bc.rank` does it: on the rows that both have,
    numbers and categories on one scale, each against its own null. Columns with a q-value of at most 0.05 are
    kept, unless one of `k`, `threshold` and `fdr_level` is given.

    Parameters
    ----------
    measure : str, Measure, callable or dict
        As for `bc.rank`. "auto" is the share of y's variation that the column explains.
    by : {"adjusted_at", "adjusted", "standardized", "observed", "p_value"}
        The score. "p_value" scores by −p, so that larger is better here too.
    alpha : float
        The alpha of `adjusted_at`: small values favor columns with many rows and few categories.
    k : int, optional
        Number of best columns to keep.
    threshold : float, optional
        Keep the columns with a score above this. For `adjusted_at`, 0 keeps what exceeds the null's
        (1 − alpha)-quantile: of columns that have nothing to do with y, about a share alpha is kept.
    fdr_level : float, optional
        Keep the columns with a q-value of at most this: the expected share of kept columns that are
        independent of y. It is 0.05 if none of the three is given.
    fdr : {"bh", "by"}
        q-values by Benjamini and Hochberg, or Benjamini and Yekutieli.
    given : str, list of str or Given, optional
        Columns of X to control for, by name (x0, x1, … in an array): the others are scored by what they say
        about y beyond these. They have no score and are never kept.
    null
        As for `bc.rank`. "moments" takes milliseconds, without permutations. A measure without exact moments,
        such as "mic", needs "auto".
    min_n : int
        Columns with fewer values on the rows with y are not measured.
    target_kind : {"auto", "categorical", "numeric"}
        Kind of y. With "auto", strings, booleans and categories are classes. So are numbers that
        `type_of_target` of scikit-learn calls binary, and numbers that it calls multiclass if there are at
        least five rows per class. Other numbers are numeric, and so are all numbers for measures that take
        nothing else.
    n_jobs : int, optional
        Number of threads. None is 1, or the number set by `joblib.parallel_config`.
    random_state : int, RandomState or None
        Seed of sampled nulls. With an integer every fit on the same data gives the same answer.

    Attributes
    ----------
    scores_ : array of shape (n_features,)
        The score of each column, or NaN for columns without a score.
    pvalues_, qvalues_ : array of shape (n_features,)
        The p-value and q-value of each column.
    support_ : array of bool of shape (n_features,)
        True for columns that are kept.
    ranking_ : Ranking
        All results, with the columns that were set aside and the reasons. A pickled selector keeps it without
        the data.
    n_features_in_ : int
        Number of columns seen in `fit`.
    feature_names_in_ : array of str
        Names of these columns, if all are strings.

    Notes
    -----
    X may be a pandas, polars or pyarrow frame with missing values, strings and categories, or an array.
    `transform` returns the same type, or the type set by `set_output`. Rows without y are not used.

    A column that cannot be judged has no score and is never kept, not even among the k best: a constant
    column, one whose categories are all different, strings that `bc.read_table` sets aside as identifiers or
    free text, a column with fewer than `min_n` rows, and one of a kind that the measure does not take.

    Each column is judged alone. If several columns carry the same information, all of them are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> import bychance as bc
    >>> from bychance.datasets import make_demo
    >>> X = pd.DataFrame(make_demo())
    >>> y = X.pop("yield")
    >>> selector = bc.ChanceSelector().fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['rainfall', 'soil', 'sunshine']
    >>> selector.transform(X).head(2)
       rainfall  soil  sunshine
    0 ...
    """

    @answers_expected_words()
    def __init__(
        self,
        measure: MeasureChoice = "auto",
        *,
        by: str = "adjusted_at",
        alpha: float = 0.05,
        k: int | None = None,
        threshold: float | None = None,
        fdr_level: float | None = None,
        fdr: str = "bh",
        given: Any = None,
        null: NullSpec = "moments",
        min_n: int = 10,
        target_kind: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.measure = measure
        self.by = by
        self.alpha = alpha
        self.k = k
        self.threshold = threshold
        self.fdr_level = fdr_level
        self.fdr = fdr
        self.given = given
        self.null = null
        self.min_n = min_n
        self.target_kind = target_kind
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> ChanceSelector:
        """Score every column of X against y.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns.
        y : array-like of shape (n_samples,), or str
            The target: classes or numbers. If X is a source that `bc.rank` reads in batches (a directory or
            glob of files, a dataset, a Dask DataFrame), the name of its target column.

        Returns
        -------
        self
        """
        self._check_choice()
        if isinstance(y, str):
            names, found = scores_of_source(X, y, self)
            self.n_features_in_, self.feature_names_in_ = len(names), np.array(names, dtype=object)
            return self._keep(found)
        if y is None:
            raise BychanceError("ChanceSelector requires y to be passed, but the target y is None.")
        return self._keep(scores_of_columns(checked_input(self, X, reset=True), y, self))

    def _keep(self, found: ColumnScores) -> ChanceSelector:
        self.scores_, self.pvalues_, self.qvalues_ = found.scores, found.p_values, found.q_values
        self.ranking_ = found.ranking
        self.support_ = self._chosen(found)
        return self

    def _check_choice(self) -> None:
        given = {name: getattr(self, name) for name in ("k", "threshold", "fdr_level")}
        named = [f"{name}={value!r}" for name, value in given.items() if value is not None]
        if len(named) > 1:
            raise BychanceError(
                f"Only one of `k`, `threshold` and `fdr_level` may be given, got {', '.join(named)}."
            )
        one_of(self.by, "by", BY)
        if self.k is not None:
            whole_number(self.k, "k")
        if self.threshold is not None:
            finite_number(self.threshold, "threshold")
        if self.fdr_level is not None:
            number_within(self.fdr_level, "fdr_level", 1)

    def _chosen(self, found: ColumnScores) -> BoolArray:
        has_score = ~np.isnan(found.scores)
        if self.threshold is not None:
            return found.scores > self.threshold
        if self.k is None:
            level = _FDR_LEVEL if self.fdr_level is None else self.fdr_level
            return has_score & (found.q_values <= level)
        n_scores = int(has_score.sum())
        if self.k > n_scores:
            message = f"k={self.k} is greater than n_features={len(has_score)}"
            if n_scores < len(has_score):
                message = (
                    f"k={self.k} is greater than the {n_scores} of {len(has_score)} features with a score"
                )
            warnings.warn(f"{message}. All of them are kept.", UserWarning, stacklevel=3)
        is_chosen = np.zeros(len(has_score), dtype=np.bool_)
        is_chosen[found.best_first[: self.k]] = True
        return is_chosen & has_score

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "ranking_" in state:
            state["ranking_"] = state["ranking_"].without_data()
        return state
