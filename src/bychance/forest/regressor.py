"""RandomForestRegressor, and the base of regressors that average trees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import BychanceError
from bychance.estimators import RandomState
from bychance.forest.base import Forest, TrainingSample, TreesEstimator, check_size
from bychance.forest.features import CategoricalFeatures
from bychance.forest.parameters import NumberCriterion, SplitCriterion

__all__ = ["RandomForestRegressor", "TreesRegressor"]


class TreesRegressor(RegressorMixin, TreesEstimator):  # type: ignore[misc] # scikit-learn has no types
    """Base of regressors that average their trees."""

    _criteria = get_args(NumberCriterion)
    _numbers: FloatArray
    _row_weights: FloatArray | None

    def predict(self, X: Any, quantiles: Sequence[float] | float | None = None) -> FloatArray:
        """Predict the leaf mean averaged over trees, or quantiles of the training values in the leaves.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.
        quantiles : sequence of float or float, optional
            Levels from 0 to 1. In each tree a training row has as weight its share of the rows in the leaf of
            the new row. The quantile is the least y with at least that much weight up to it (Meinshausen
            2006). `[0.05, 0.95]` is a 90% prediction interval.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_quantiles) if `quantiles` is a sequence
        """
        if quantiles is None:
            return self._predicted(self._answers(X))
        check_is_fitted(self)
        levels = _levels(quantiles)
        order = np.argsort(self._numbers, kind="stable")
        ranks = np.empty(len(order), dtype=np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        ranked = self._numbers[order], ranks, self._row_weights

        found: FloatArray = self._apply_by_blocks(
            X, lambda rows: _native.leaf_quantiles(self._trees, rows, *ranked, levels)
        )
        return found[:, 0] if np.ndim(quantiles) == 0 else found

    def _predicted(self, answers: FloatArray) -> NDArray[Any]:
        return answers[:, 0]

    def _checked_y(self, values: NDArray[Any], /) -> NDArray[Any]:
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError):
            raise BychanceError(f"y must hold numbers, got {values.tolist()[0]!r}.") from None
        if values.dtype.kind in "mM":
            raise BychanceError(f"y must hold numbers, got values of dtype {values.dtype}.")
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums the numbers
            assert_all_finite(numbers, input_name="y")
        check_size(numbers, "y")
        return numbers

    def _class_codes(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.empty(0), y

    def _store_fit(self, sample: TrainingSample, trees: list[_native.Tree]) -> Self:
        self._numbers = sample.training.y
        self._row_weights = sample.training.weights
        return super()._store_fit(sample, trees)


def _levels(quantiles: Any) -> FloatArray:
    levels: FloatArray = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    if levels.ndim != 1 or not len(levels) or not ((levels >= 0) & (levels <= 1)).all():
        raise BychanceError(f"`quantiles` must be numbers from 0 to 1, got {quantiles!r}.")
    return levels


class RandomForestRegressor(Forest, TreesRegressor):
    """Random forest regressor that chooses splits by gain beyond chance, compatible with scikit-learn.

    The reduction of variance of a split is judged against its own distribution over all permutations of the
    node's numbers. Categories and missing values are taken as they are. `predict` also gives quantiles.

    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {"fair", "adjusted", "standardized", "variance"} or SplitCriterion
        Criterion of splits. "fair" chooses the column with the largest mean reduction of variance over all
        its cuts, as a z-score, so that every column has about the same chance under independence, and then
        the cut of that column with the largest reduction. The others compare columns by their best cuts.
        "standardized" is the reduction less its null mean, in null standard deviations. "adjusted" is the
        reduction less the (1 − alpha)-quantile of its null, as the paper has it for the Gini gain. Both nulls
        are those of a split fixed in advance. "variance" is the raw reduction. `alpha` and other settings are
        those of a `SplitCriterion`.
    categorical_split : {"ordered", "multiway"}
        "ordered" takes the best cut of the categories in the order of their means, learned on rows that the
        tree is not grown on. Without such rows it is "multiway", with one child per category.
    shrinkage : {"oob", "rows", "chance", "leaf5", "leaf10", "none"}
        Shrinkage of the mean of a node towards those of the nodes above it, as for `RandomForestClassifier`.
        "oob" takes the method with the least squared error out of bag, if it beats "none" by half a standard
        error.
    oob_score : bool or callable
        Compute `oob_score_`: R², or a function of true and predicted numbers.
    categorical_features, max_features, max_depth, min_samples_split, min_samples_leaf, max_samples, \
bootstrap, missing, n_jobs, random_state, warm_start, verbose
        As for `RandomForestClassifier`.

    Attributes
    ----------
    feature_importances_ : array of shape (n_features,)
        Mean over trees of the importance of each column on the tree's out-of-bag rows, as for
        `RandomForestClassifier`, in shares of the variance of y. Importances do not add up to 1.
    feature_importances_se_, feature_importances_p_, feature_importances_q_, estimators_, shrinkage_, \
n_features_in_, feature_names_in_
        As for `RandomForestClassifier`, but trees have no `predict_proba`.
    alpha_, alpha_grid_, alpha_losses_
        The level used. With alpha="oob", the levels tried and their mean squared errors out of bag.
    oob_score_ : float
        The out-of-bag score, with `oob_score`.
    oob_prediction_ : array of shape (n_samples,)
        The out-of-bag predictions of the score, NaN for rows that were never out of bag.

    Notes
    -----
    Weights are frequencies, as for `RandomForestClassifier`.

    References
    ----------
    Romano, Vinh, Bailey and Verspoor, *A Framework to Adjust Dependency Measure Estimates for Chance*, SDM
    2016. Meinshausen, *Quantile Regression Forests*, JMLR 2006.

    Examples
    --------
    >>> import bychance as bc
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = bc.RandomForestRegressor(n_estimators=200, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.4
    True
    >>> low, high = forest.predict(X[:1], quantiles=[0.05, 0.95])[0]
    >>> bool(low < forest.predict(X[:1])[0] < high)
    True
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str | SplitCriterion = "fair",
        categorical_split: str = "ordered",
        categorical_features: CategoricalFeatures = "from_dtype",
        max_features: int | float | str | None = 0.5,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        max_samples: int | float | None = 0.632,
        bootstrap: bool = False,
        missing: str = "best",
        n_jobs: int | None = None,
        random_state: RandomState = None,
        shrinkage: str = "oob",
        oob_score: bool | Callable[..., float] = False,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        """Keep the parameters."""

    @staticmethod
    def _score(y: NDArray[Any], predicted: NDArray[Any]) -> float:
        spread = float(np.sum((y - np.mean(y)) ** 2)) if len(y) else 0.0
        return 1 - float(np.sum((y - predicted) ** 2)) / spread if spread > 0 else np.nan

    def _store_out_of_bag(self, answers: FloatArray) -> None:
        self.oob_prediction_ = answers[:, 0]
