"""What forests and single trees share, whatever they predict: X → training rows, rows → answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from bychance.columns import Column
from bychance.errors import BychanceError, BychanceWarning
from bychance.estimators import checked_input, checked_target
from bychance.forest.features import FeatureEncoder, FeatureTable
from bychance.forest.fitted_tree import FittedTree
from bychance.forest.grow import answers_of, leaves_of
from bychance.forest.importance import Importances, importances_of
from bychance.forest.inputs import CategoricalFeatures, Feature, feature_readers, read_like
from bychance.forest.parameters import grow_settings
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Training, Tree

__all__ = ["Sample", "TreesEstimator", "check_size", "has_out_of_bag"]

_LEAST_SIZE = 1e-60
_FAR_FROM_ONE = 10.0  # a mean of weights that hardly are frequencies


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What `fit` is given, read: the rows that weigh something, and which those are.

    `classes` is empty for a target of numbers.
    """

    training: Training
    features: tuple[Feature, ...]
    classes: NDArray[Any]
    is_kept: NDArray[np.bool_]


class TreesEstimator(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """An estimator that averages its trees; subclasses implement `fit` and read y."""

    _criteria: ClassVar[tuple[str, ...]]
    _random_cuts: ClassVar[bool] = False
    categorical_features: CategoricalFeatures
    n_jobs: int | None = None
    _trees: list[Tree]
    _features: tuple[Feature, ...]
    _encoder: FeatureEncoder
    _training: Training | None
    _measured: Importances

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _refusing(cls.__init__)  # type: ignore[method-assign]

    def _checked_y(self, values: NDArray[Any], /) -> NDArray[Any]:
        """The target as categories or as float64."""
        raise NotImplementedError

    def _coded(self, y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The classes and each row's number among them; for numbers no classes, and y."""
        raise NotImplementedError

    @property
    def estimators_(self) -> list[FittedTree]:
        """The trees."""
        return [FittedTree(tree.native, self) for tree in self._trees]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """The importance of each column; measured when first asked for."""
        check_is_fitted(self)
        return self._importances.means

    @property
    def _importances(self) -> Importances:
        if self._training is not None:
            self._measured = importances_of(self._trees, self._training, self.n_jobs)
            self._training = None
        return self._measured

    def __getstate__(self) -> dict[str, Any]:
        if getattr(self, "_training", None) is not None:
            # Importances need the training rows, which a copy is not to carry.
            _ = self._importances
        return dict(super().__getstate__())

    def _seen(self, X: Any) -> list[Column]:
        return read_like(checked_input(self, X, reset=False, accept_sparse=True), self._features)

    def _answers(self, X: Any, n_outputs: int) -> NDArray[np.float64]:
        check_is_fitted(self)
        return answers_of(self._trees, self._seen(X), self._encoder, n_outputs, self.n_jobs)

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        check_is_fitted(self)
        return leaves_of(self._trees, self._seen(X), self._encoder, self.n_jobs)

    def _read(self, X: Any, y: Any, sample_weight: Any, *, reset: bool = True) -> Sample:
        """X, y and weights as the grower takes them."""
        if y is None:
            raise BychanceError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        X = checked_input(self, X, reset=reset, accept_sparse=True)
        y = checked_target(y)
        check_consistent_length(X, y)
        readers = feature_readers(X, self.categorical_features)
        target = self._checked_y(y)
        weights, is_kept = self._weights(target, sample_weight)
        classes, codes = self._coded(target[is_kept])
        kept = None if is_kept.all() else is_kept
        table, features = FeatureTable.read(readers, len(codes), kept, self.n_jobs)
        return Sample(Training(table, codes, len(classes), weights), features, classes, is_kept)

    def _settings(self, features: Sequence[Feature], n_rows: int) -> GrowSettings:
        settings = grow_settings(self.get_params(deep=False), self._criteria, features, n_rows)
        return replace(settings, random_cuts=self._random_cuts)

    def _weights(
        self, y: NDArray[Any], sample_weight: Any
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.bool_]]:
        """The weights of the rows that have one (None where all are 1), and which those are."""
        is_kept = np.ones(len(y), dtype=np.bool_)
        if sample_weight is None:
            return None, is_kept
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
        check_size(weights, "sample_weight")
        is_kept = weights > 0
        if not is_kept.any():
            raise BychanceError("Sample weights must contain at least one non-zero number.")
        weights = weights[is_kept]
        mean = float(weights.mean())
        if (mean < 1 / _FAR_FROM_ONE or mean > _FAR_FROM_ONE) and (weights != np.rint(weights)).any():
            message = (
                f"`sample_weight` has mean {mean:.3g}, and weights are frequencies: a row of weight 3 counts "
                "as three. If they only say how much rows matter, divide them by their mean."
            )
            warnings.warn(message, BychanceWarning, stacklevel=4)
        return None if (weights == 1).all() else weights, is_kept

    def _keep(self, sample: Sample, trees: list[Tree]) -> Self:
        """Take over what predictions need."""
        self._features, self._encoder = sample.features, sample.training.features.encoder
        self._trees, self._training = trees, sample.training
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def check_size(numbers: NDArray[np.float64], name: str) -> None:
    """An error where fourth powers of these numbers, summed over rows, leave the floats."""
    largest = float(np.max(np.abs(numbers), initial=0))
    if largest and not _LEAST_SIZE <= largest <= 1 / _LEAST_SIZE:
        raise BychanceError(
            f"`{name}` must be at most {1 / _LEAST_SIZE:.0e} and not all below {_LEAST_SIZE:.0e} in size, "
            f"got {largest:.3g}: multiply it by a constant."
        )


def has_out_of_bag(settings: GrowSettings, n_rows: int) -> bool:
    """Whether trees leave rows that they neither grow on nor order categories by."""
    return settings.bootstrap or settings.n_grow + settings.n_order < n_rows


def _refusing(init: Callable[..., None]) -> Callable[..., None]:
    """Let an `__init__` say in a sentence what to use for parameters that only scikit-learn has."""

    @wraps(init)
    def refusing(self: Any, *args: Any, **options: Any) -> None:
        for name in sorted(options.keys() & _REFUSED.keys()):
            raise TypeError(f"{type(self).__name__} has no `{name}`: {_REFUSED[name]}.")
        init(self, *args, **options)

    return refusing


_REFUSED = {
    "ccp_alpha": "trees are shrunk by `shrinkage` instead of pruned",
    "max_leaf_nodes": "trees grow depth first, and `max_depth` or `min_samples_leaf` makes them smaller",
    "alpha": "it is a setting of `SplitCriterion`",
    "min_adjusted_gain": "it is a setting of `SplitCriterion`",
    "min_impurity_decrease": "`min_adjusted_gain` of `SplitCriterion` is the least score of a split",
    "min_weight_fraction_leaf": "`min_samples_leaf` takes a share of the rows",
    "monotonic_cst": "predictions cannot be made to rise with a column",
    "splitter": "`ExtraTreesClassifier` and `ExtraTreesRegressor` draw their cuts at random",
}
