"""What the forest and the single tree share: X and y → training rows, and rows → predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import assert_all_finite, check_consistent_length
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.estimators import checked_input, checked_target
from bychance.forest.features import FeatureEncoder, FeatureTable
from bychance.forest.grow import Training, leaves_of, probabilities
from bychance.forest.importance import Importances, importances_of
from bychance.forest.inputs import CategoricalFeatures, Feature, read_features, read_like
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Tree
from bychance.table.convert import as_arrow

__all__ = ["Sample", "TreesClassifier", "has_out_of_bag"]


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What `fit` is given, read: the rows that weigh something, and which those are."""

    training: Training
    features: tuple[Feature, ...]
    classes: NDArray[Any]
    is_kept: NDArray[np.bool_]


class TreesClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A classifier that averages the trees in `estimators_`; `fit` is its heirs' own."""

    categorical_features: CategoricalFeatures
    class_weight: Any
    n_jobs: int | None = None
    estimators_: list[Tree]
    classes_: NDArray[Any]
    _features: tuple[Feature, ...]
    _encoder: FeatureEncoder
    _training: Training | None
    _measured: Importances

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities: the mean, over trees, of the class shares where the row ends.

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
        columns = self._seen(X)
        return probabilities(self.estimators_, columns, self._encoder, len(self.classes_), self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """The logarithms of `predict_proba`; −inf for a class that no tree gives a share.

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

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The importance of each column; measured when first asked for."""
        check_is_fitted(self)
        return self._importances.means

    @property
    def _importances(self) -> Importances:
        if self._training is not None:
            self._measured = importances_of(self.estimators_, self._training, self.n_jobs)
            self._training = None
        return self._measured

    def __getstate__(self) -> dict[str, Any]:
        if getattr(self, "_training", None) is not None:
            # Importances need the training rows, which a copy is not to carry.
            _ = self._importances
        return dict(super().__getstate__())

    def _seen(self, X: Any) -> list[Column]:
        return read_like(checked_input(self, X, reset=False, accept_sparse=True), self._features)

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        check_is_fitted(self)
        return leaves_of(self.estimators_, self._seen(X), self._encoder, self.n_jobs)

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Sample:
        """X, y and weights as the grower takes them."""
        if y is None:
            raise BychanceError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = checked_input(self, X, reset=reset, accept_sparse=True)
        check_consistent_length(X, y)
        columns = read_features(X, self.categorical_features)
        labels = _labels(y)
        weights, is_kept = self._weights(labels, sample_weight)
        if not is_kept.all():
            columns = [column.at(is_kept) for column in columns]
        classes, codes = np.unique(labels[is_kept], return_inverse=True)
        training = Training(FeatureTable.of(columns), codes.astype(np.int32), len(classes), weights)
        return Sample(training, tuple(map(Feature.of, columns)), classes, is_kept)

    def _weights(
        self, y: NDArray[Any], sample_weight: Any
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
        """The weights of the rows that have one (None where all are 1), and which those are."""
        is_kept = np.ones(len(y), dtype=np.bool_)
        if sample_weight is None and self.class_weight is None:
            return None, is_kept
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        is_kept = weights > 0
        if not is_kept.any():
            raise BychanceError("Sample weights must contain at least one non-zero number.")
        weights = weights[is_kept]
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, y[is_kept])
        return None if (weights == 1).all() else weights, is_kept

    def _keep(self, sample: Sample, trees: list[Tree]) -> Self:
        """Take over what predictions need."""
        self.classes_, self.n_classes_ = sample.classes, len(sample.classes)
        self._features, self._encoder = sample.features, sample.training.features.encoder
        self.estimators_, self._training = trees, sample.training
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def has_out_of_bag(settings: GrowSettings, n_rows: int) -> bool:
    """Whether trees leave rows that they neither grow on nor order categories by."""
    return settings.bootstrap or settings.n_grow + settings.n_order < n_rows


def _labels(y: Any) -> NDArray[Any]:
    labels = checked_target(y)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if labels.dtype.kind == "O" and getattr(as_arrow(labels), "null_count", 0) > 0:
        raise BychanceError("Input y contains NaN.")
    check_classification_targets(labels)
    return labels
