"""Trees that predict classes: categories → class numbers, answers → probabilities."""

from __future__ import annotations

import warnings
from typing import Any, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bychance.errors import BychanceError, BychanceWarning
from bychance.forest.base import Sample, TreesEstimator
from bychance.forest.settings import ClassCriterion
from bychance.forest.tree import Tree
from bychance.io.frames import as_arrow

__all__ = ["TreesClassifier"]

_MANY_NUMBERS = 30  # of classes that are numbers: beyond, they look like a target to regress on


class TreesClassifier(ClassifierMixin, TreesEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A classifier that averages its trees; subclasses implement `fit`."""

    _criteria = get_args(ClassCriterion)
    class_weight: Any
    classes_: NDArray[Any]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities: the mean, over trees, of the class shares where the row ends.

        With `shrinkage="oob"` those of a forest are calibrated by the rows out of bag.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        check_is_fitted(self)
        return self._answers(X, len(self.classes_))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of `predict_proba`; −inf for a probability of 0.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples, n_classes)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest probability; of equal ones, the first of `classes_`.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        array of shape (n_samples,)
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[np.argmax(shares, axis=1)])

    def _checked_y(self, labels: NDArray[Any], /) -> NDArray[Any]:
        if labels.dtype.kind == "f":
            assert_all_finite(labels, input_name="y")
        if labels.dtype.kind == "O" and getattr(as_arrow(labels), "null_count", 0) > 0:
            raise BychanceError("Input y contains NaN.")
        regressor = type(self).__name__.replace("Classifier", "Regressor")
        try:
            with np.errstate(invalid="ignore"):  # it casts numbers to integers, also those beyond 2^63
                check_classification_targets(labels)
        except (TypeError, ValueError) as error:
            kinds = sorted({type(label).__name__.rstrip("_") for label in labels})
            if isinstance(error, ValueError) and len(kinds) == 1:
                raise BychanceError(f"{error} `{regressor}` predicts numbers.") from None
            rule = "labels of one type" if len(kinds) > 1 else "strings, numbers or booleans"
            raise BychanceError(f"y must hold {rule}, got {' and '.join(kinds)}.") from None
        return labels

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        classes, codes = np.unique(y, return_inverse=True)
        if classes.dtype.kind in "iuf" and len(classes) > _MANY_NUMBERS:
            regressor = type(self).__name__.replace("Classifier", "Regressor")
            message = (
                f"y has {len(classes)} different numbers, and each becomes a class: to predict numbers, use "
                f"`{regressor}`; for classes that are numbers, give them as strings."
            )
            warnings.warn(message, BychanceWarning, stacklevel=4)
        return classes, codes.astype(np.int32)

    def _weights(
        self, y: NDArray[Any], sample_weight: Any
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
        weights, is_kept = super()._weights(y, sample_weight)
        if self.class_weight is not None:
            of_classes = compute_sample_weight(self.class_weight, y[is_kept])
            weights = of_classes if weights is None else weights * of_classes
            weights = None if (weights == 1).all() else weights
        return weights, is_kept

    def _keep(self, sample: Sample, trees: list[Tree]) -> Self:
        self.classes_, self.n_classes_ = sample.classes, len(sample.classes)
        return super()._keep(sample, trees)
