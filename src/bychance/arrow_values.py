"""Arrow arrays ↔ NumPy arrays and strings, buffer by buffer.

pyarrow's own conversions import pandas where it is installed, and lose a Ctrl-C that comes meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["null_mask", "numpy_of", "strings_of"]


def numpy_of(array: Any) -> NDArray[Any]:
    """The values of an array of integers, floats or booleans; where one is null it may be anything.

    >>> import pyarrow as pa
    >>> numpy_of(pa.array([1, 2, 3]).slice(1)).tolist(), numpy_of(pa.array([True, False])).tolist()
    ([2, 3], [True, False])
    """
    data, rows = array.buffers()[1], slice(array.offset, array.offset + len(array))
    if array.type.bit_width == 1:
        bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little", count=rows.stop)
        return bits[rows].astype(np.bool_)
    dtype = np.dtype(array.type.to_pandas_dtype())
    values: NDArray[Any] = np.frombuffer(data, dtype, count=rows.stop)[rows]
    return values


def null_mask(array: Any) -> NDArray[np.bool_]:
    """Where an array of any type is null.

    >>> import pyarrow as pa
    >>> null_mask(pa.array(["a", None])).tolist()
    [False, True]
    """
    return numpy_of(array.is_null())


def strings_of(texts: Iterable[str]) -> Any:
    """An Arrow array of these strings.

    >>> strings_of(["ä", ""]).to_pylist()
    ['ä', '']
    """
    import pyarrow as pa

    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)
