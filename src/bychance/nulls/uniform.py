"""Arrays of one entry per pair whose entries are all the same: views that hold one number.

What is known of columns is often the same for all of them: their rows, their ties. Such an array takes no
memory, and what follows from it is worked out once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ends", "once", "spread"]


def once(values: NDArray[Any]) -> NDArray[Any]:
    """The one entry of an array of equal ones, as far as it shows; any other array as it is.

    >>> once(np.broadcast_to(7, 5)).tolist(), once(np.array([7, 7])).tolist()
    ([7], [7, 7])
    """
    return values[:1] if values.strides == (0,) else values


def spread(values: NDArray[Any], at: NDArray[np.intp] | slice) -> NDArray[Any]:
    """values[at], as a view of one number where all values are the same.

    >>> at = np.array([0, 1, 1])
    >>> spread(np.array([3, 3]), at).strides, spread(np.array([3, 4]), at).tolist()
    ((0,), [3, 4, 4])
    """
    if isinstance(at, slice) or len(values) == 0 or not (values == values[0]).all():
        return values[at]
    return np.broadcast_to(values[0], at.shape)


def ends(values: NDArray[Any]) -> NDArray[Any]:
    """The least and the largest of them; NaN where any is."""
    return np.array([values.min(), values.max()])
