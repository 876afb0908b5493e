"""Base class of selectors, which return the selected columns of X as the same type of frame or array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from bychance.array_types import BoolArray
from bychance.estimators import checked_input
from bychance.io import is_frame, pick_columns

__all__ = ["ColumnSelector"]


class ColumnSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """A scikit-learn selector whose `fit` sets `support_`: one bool per column of X."""

    support_: BoolArray

    _accepts_sparse = False

    def transform(self, X: Any) -> Any:
        """Return the selected columns of X, as the same kind of frame or array.

        Parameters
        ----------
        X : frame or array of shape (n_samples, n_features)
            The columns that `fit` saw, in their order.

        Returns
        -------
        frame or array of shape (n_samples, n_selected)
        """
        check_is_fitted(self)
        X = checked_input(self, X, reset=False, accept_sparse=self._accepts_sparse)
        if not self.support_.any():
            # scikit-learn's wording, so that warning filters for its selectors match this one too.
            message = (
                "No features were selected: either the data is too noisy or the selection test too strict."
            )
            warnings.warn(message, UserWarning, stacklevel=3)
        picked = np.flatnonzero(self.support_)
        if not is_frame(X):
            return X[:, picked]
        library = _get_output_config("transform", self)["dense"]
        return pick_columns(X, picked.tolist(), None if library == "default" else library)

    def _get_support_mask(self) -> BoolArray:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.sparse = self._accepts_sparse
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
