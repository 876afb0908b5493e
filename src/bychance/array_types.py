"""Types of NumPy arrays by their elements, for annotations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IndexArray", "Int32Array", "IntArray"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
Int32Array = NDArray[np.int32]
IndexArray = NDArray[np.intp]
