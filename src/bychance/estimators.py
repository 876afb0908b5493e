"""What the scikit-learn estimators here share: X as a frame or an array, and seeds."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from narwhals.exceptions import DuplicateError
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.validation import validate_data

from bychance.table import is_frame
from bychance.table.frames import from_memory

__all__ = ["RandomState", "checked_input", "checked_target", "seed_of"]

RandomState = int | np.random.RandomState | None


def checked_input(estimator: Any, X: Any, *, reset: bool, accept_sparse: bool = False) -> Any:
    """Frames as they are, so that categories stay what they are; all else as a dense two-dimensional array.

    The number and the names of the columns are kept by the estimator (`reset`) or compared with those kept.
    """
    if is_frame(X):
        try:
            return validate_data(estimator, X, reset=reset, skip_check_array=True)
        except DuplicateError:
            from_memory(X, None)  # says which columns share a name
            raise
    formats = "csr" if accept_sparse else False
    # Strings and missing values may pass.
    passing: dict[str, Any] = dict(accept_sparse=formats, dtype=None, ensure_all_finite="allow-nan")
    X = validate_data(estimator, _with_whole_strings(X), reset=reset, **passing)
    return X.toarray() if isinstance(X, csr_array | csr_matrix) else X


def checked_target(y: Any) -> NDArray[Any]:
    """The target as a one-dimensional array.

    >>> checked_target(["a", "a\\0"]).tolist(), checked_target(["a", None]).tolist()
    (['a', 'a\\x00'], ['a', None])
    """
    values: NDArray[Any] = column_or_1d(_with_whole_strings(y), warn=True)
    return values


def _with_whole_strings(values: Any) -> Any:
    """Lists with strings as objects where an array of NumPy's strings would make others of them.

    Those lose the zeros at their ends, and hold numbers and missing values beside them as their text.
    """
    if not isinstance(values, list | tuple):
        return values
    array = np.asarray(values)
    if array.dtype.kind not in "US":
        return values
    objects = np.asarray(values, dtype=object)
    zeros = "\0", b"\0"
    has_others = any(not isinstance(v, str | bytes) or v[-1:] in zeros for v in objects.flat)
    return objects if has_others else values


def seed_of(random_state: Any) -> int:
    """A root seed: an integer as it is, so that functions give the same with it; otherwise one draw."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
