"""Parts shared by the scikit-learn estimators: X as a frame or an array, and seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from numbers import Integral, Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.validation import validate_data

from bychance.errors import BychanceError
from bychance.io import is_frame
from bychance.io.frames import from_memory, in_memory

__all__ = ["RandomState", "checked_input", "checked_target", "seed_of"]

RandomState = int | np.random.RandomState | None


def checked_input(estimator: Any, X: Any, *, reset: bool, accept_sparse: bool = False) -> Any:
    """Return X unchanged if it is a frame, else as a dense two-dimensional array.

    With `reset` the estimator stores the number and names of the columns, otherwise it compares them with the
    stored ones.
    """
    if is_frame(X):
        X = in_memory(X)
        try:
            return validate_data(estimator, X, reset=reset, skip_check_array=True)
        except ValueError:
            from_memory(X, None)  # says which columns share a name, if that is what is wrong
            raise
    _check_dimensions(X, "X", "a frame or a two-dimensional array")
    formats = "csr" if accept_sparse else False
    # Strings and missing values may pass.
    passing: dict[str, Any] = dict(accept_sparse=formats, dtype=None, ensure_all_finite="allow-nan")
    X = validate_data(estimator, _with_whole_strings(X), reset=reset, **passing)
    return X.toarray() if isinstance(X, csr_array | csr_matrix) else X


def checked_target(y: Any) -> NDArray[Any]:
    """Return the target as a one-dimensional array.

    >>> checked_target(["a", "a\\0"]).tolist(), checked_target(["a", None]).tolist()
    (['a', 'a\\x00'], ['a', None])
    """
    _check_dimensions(y, "y", "an array of one value per row")
    values: Any = _with_whole_strings(y)
    shape = np.asarray(values).shape
    if len(shape) == 2 and shape[1] > 1:
        raise BychanceError(
            f"`y` must have one value per row, got {shape[1]} columns: fit one estimator for each.", "y"
        )
    values = column_or_1d(values, warn=True)
    kinds = list(set(map(type, values))) if values.dtype.kind == "O" else []
    # Objects that are numbers or booleans, all of one type, are an array of these.
    return np.array(values.tolist()) if len(kinds) == 1 and issubclass(kinds[0], Number) else values


def _check_dimensions(values: Any, name: str, expected: str) -> None:
    """Raise an error that names the argument if the input is not an array."""
    if issparse(values):
        return
    rows = values if isinstance(values, list | tuple) else ()
    if isinstance(values, np.ndarray) and values.dtype.names is not None:
        got = "a structured array: pandas.DataFrame makes it a frame"
    elif isinstance(values, Mapping) or (rows and all(isinstance(row, Mapping) for row in rows)):
        what = "dict" if isinstance(values, Mapping) else "list of dicts"
        got = f"a {what}" + (": pandas.DataFrame makes it a frame" if name == "X" else "")
    elif lengths := _unequal_lengths(rows):
        got = f"rows of {lengths[0]} and {lengths[1]} values"
    elif hasattr(values, "__array__") or rows or _n_dimensions(values):
        return
    else:
        is_value = values is None or isinstance(values, str | bytes | Number)
        got = f"{values!r:.60}" if is_value else f"a {type(values).__name__}"
    raise BychanceError(f"`{name}` must be {expected}, got {got}.")


def _unequal_lengths(rows: Sequence[Any]) -> tuple[int, ...]:
    """Return the first two different row lengths of a nested list, or an empty tuple."""
    lengths = [_n_values(row) for row in rows if not isinstance(row, str | bytes)]
    return (lengths[0], next(n for n in lengths if n != lengths[0])) if len(set(lengths)) > 1 else ()


def _n_values(row: Any) -> int:
    """Return the length of a row, or 0 for a single number."""
    return len(row) if isinstance(row, Sized) and getattr(row, "ndim", 1) != 0 else 0


def _n_dimensions(values: Any) -> int:
    try:
        return np.asarray(values).ndim
    except ValueError:  # as parts of a table by a column's categories
        return 0


def _with_whole_strings(values: Any) -> Any:
    """Convert lists of strings to object arrays, because NumPy's own strings would change them.

    NumPy strings lose trailing null characters, and turn numbers and missing values beside them into text.
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
    """Return `random_state` itself if it is an integer, otherwise draw an integer seed from it."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))
