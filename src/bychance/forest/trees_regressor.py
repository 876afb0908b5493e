"""Trees that predict numbers: means of leaves, and quantiles from the training rows that share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_is_fitted

from bychance import _native
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.forest.base import Sample, TreesEstimator, check_size
from bychance.forest.grow import by_blocks
from bychance.forest.settings import NumberCriterion
from bychance.forest.tree import Tree

__all__ = ["TreesRegressor"]


class TreesRegressor(RegressorMixin, TreesEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A regressor that averages its trees; subclasses implement `fit`."""

    _criteria = get_args(NumberCriterion)
    _numbers: NDArray[np.float64]
    _row_weights: NDArray[np.float64] | None

    def predict(self, X: Any, quantiles: Sequence[float] | float | None = None) -> NDArray[np.float64]:
        """The mean over trees of the mean where each row ends; or quantiles of what was seen there.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.
        quantiles : sequence of float or float, optional
            Levels from 0 to 1. A training row weighs, in each tree, its share of the rows in the leaf that
            the new row falls into; the quantile is the least y with at least that much of the weight up to
            it (Meinshausen 2006). `[0.05, 0.95]` is a 90% prediction interval.

        Returns
        -------
        array of shape (n_samples,), or (n_samples, n_quantiles) where `quantiles` is a sequence
        """
        if quantiles is None:
            return self._answers(X, 1)[:, 0]
        check_is_fitted(self)
        levels = _levels(quantiles)
        trees = [tree.native for tree in self._trees]
        order = np.argsort(self._numbers, kind="stable")
        ranks = np.empty(len(order), dtype=np.uint32)
        ranks[order] = np.arange(len(order), dtype=np.uint32)
        ranked = self._numbers[order], ranks, self._row_weights

        def at_levels(block: list[Column]) -> NDArray[np.float64]:
            rows = self._encoder.encode(block)
            return _native.leaf_quantiles(trees, rows, *ranked, levels)

        found: NDArray[np.float64] = by_blocks(at_levels, self._seen(X), self.n_jobs)
        return found[:, 0] if np.ndim(quantiles) == 0 else found

    def _checked_y(self, values: NDArray[Any], /) -> NDArray[Any]:
        try:
            numbers = values.astype(np.float64)
        except (TypeError, ValueError):
            raise BychanceError(f"y must hold numbers, got {values.tolist()[0]!r}.") from None
        if values.dtype.kind in "mM":
            raise BychanceError(f"y must hold numbers, got values of dtype {values.dtype}.")
        with np.errstate(over="ignore", invalid="ignore"):  # it adds them up
            assert_all_finite(numbers, input_name="y")
        check_size(numbers, "y")
        return numbers

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        return np.empty(0), y

    def _keep(self, sample: Sample, trees: list[Tree]) -> Self:
        self._numbers = sample.training.y
        self._row_weights = sample.training.weights
        return super()._keep(sample, trees)


def _levels(quantiles: Any) -> list[float]:
    levels = np.atleast_1d(np.asarray(quantiles, dtype=np.float64))
    if levels.ndim != 1 or not len(levels) or not ((levels >= 0) & (levels <= 1)).all():
        raise BychanceError(f"`quantiles` must be numbers from 0 to 1, got {quantiles!r}.")
    return [float(level) for level in levels]
