"""Several targets: a y of more than one column → a classifier of its own for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, clone

from bychance.errors import BychanceError
from bychance.estimators import seed_of
from bychance.table import is_frame
from bychance.table.frames import from_memory

__all__ = ["fit_each", "side_by_side", "targets_of"]

Classifier = TypeVar("Classifier", bound=BaseEstimator)


def targets_of(y: Any) -> list[Any]:
    """The columns of y where there are several; otherwise y as it is, alone.

    >>> len(targets_of([0, 1, 1])), len(targets_of([[0, 1], [1, 1], [1, 0]]))
    (1, 2)
    """
    if issparse(y):
        raise BychanceError("`y` must be dense, got a sparse matrix: give y.toarray().")
    if is_frame(y):
        columns = list(from_memory(y, None).columns.values())
    else:
        values = np.asarray(y)
        columns = list(values.T) if values.ndim == 2 else [y]
    return columns if len(columns) > 1 else [y]


def fit_each(
    classifier: Classifier,
    earlier: Sequence[Classifier],
    X: Any,
    targets: Sequence[Any],
    sample_weight: Any,
) -> list[Classifier]:
    """A classifier like this one for each target, all with the same seed; `earlier` ones are fitted on."""
    settings = classifier.get_params(deep=False)
    settings["random_state"] = seed_of(classifier.random_state)
    fitted = list(earlier) or [clone(classifier) for _ in targets]
    weights = _class_weights(classifier.class_weight, len(targets))
    for one, target, class_weight in zip(fitted, targets, weights, strict=True):
        one.set_params(**{**settings, "class_weight": class_weight}).fit(X, target, sample_weight)
        # The rows are the same for all: one copy of them is kept.
        one._training = replace(one._training, features=fitted[0]._training.features)
    return fitted


def side_by_side(columns: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """One column a target; objects where numbers stand beside strings, so that each stays what it is.

    >>> side_by_side([np.array([1, 2]), np.array(["a", "b"])]).tolist()
    [[1, 'a'], [2, 'b']]
    """
    if len({column.dtype.kind for column in columns}) > 1:
        columns = [column.astype(object) for column in columns]
    return np.column_stack(columns)


def _class_weights(class_weight: Any, n_targets: int) -> list[Any]:
    if not isinstance(class_weight, list | tuple):
        return [class_weight] * n_targets
    if len(class_weight) != n_targets:
        raise BychanceError(
            f"`class_weight` as a list must have one entry for each of {n_targets} targets, "
            f"got {len(class_weight)}."
        )
    return list(class_weight)
