"""A block of columns on a GPU → its lines there and what is known of each column: the twin of `lines_of`.

One kernel does it all: CuPy would compile two dozen, one after the other, in the first call on a machine.
"""

from __future__ import annotations

from concurrent.futures import Future
from math import ceil, sqrt
from typing import Any

import numpy as np

from bychance.gpu.device import cupy
from bychance.gpu.launch import Launch, gpu
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.all_pairs.lines import (
    MAX_ERROR,
    MAX_FOURTH,
    Facts,
    InfiniteError,
    classed,
    doubled_midranks,
    most_others,
    scale_of,
    width_of,
)

__all__ = ["cuda_lines", "request_lines"]

_TYPES = {
    "f4": "float",
    "f8": "double",
    "b1": "unsigned char",
    "u1": "unsigned char",
    "u2": "unsigned short",
    "u4": "unsigned int",
    "u8": "unsigned long long",
    "i1": "signed char",
    "i2": "short",
    "i4": "int",
    "i8": "long long",
}
_COLUMNS, _GROUPS = 32, 8  # of a block of threads
_SHARED_BYTES = 2 * 8 * _COLUMNS * _GROUPS + 2 * _COLUMNS * (_COLUMNS + 2)
_IS_ODD, _IS_INFINITE = 1, 2


def request_lines(dtype: np.dtype[Any]) -> Future[Launch]:
    """The kernel for values of this type, once it is compiled."""
    return gpu().request("columns.cu", "column_lines", VALUE=_TYPES.get(dtype.str[1:], "float"))


def cuda_lines(values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
    """The lines of an array on the GPU (rows × columns), in half precision, one per row."""
    xp = cupy()
    n, n_columns = values.shape
    if is_ranked:
        given = xp.ascontiguousarray(values.T).astype(np.float64)
        if bool(xp.isinf(given).any()):
            raise _infinite(int(xp.isinf(given).any(axis=1).argmax()), values)
        is_missing = xp.isnan(given).any(axis=1)
        ranks = doubled_midranks(given, xp)
        ranks[is_missing] = np.nan
        values = ranks.T
    elif values.dtype.str[1:] not in _TYPES:
        values = values.astype(np.float32)  # halves
    kernel = request_lines(values.dtype).result()
    lines = xp.empty((n_columns, width_of(n)), dtype=np.float16)
    facts, flags = xp.empty((3, n_columns), dtype=np.float64), xp.empty(n_columns, dtype=np.int32)
    row_step, column_step = (step // values.dtype.itemsize for step in values.strides)
    arguments = (
        values,
        np.int64(row_step),
        np.int64(column_step),
        np.int32(n_columns),
        np.int32(n),
        np.int32(width_of(n)),
        np.float64(scale_of(n)),
        np.float64(sqrt(n) * 2.0**-51 / MAX_ERROR),
        np.float64(MAX_FOURTH),
        np.int32(n - most_others(n)),
        np.int32(n <= MOST_ENUMERATED),
        lines,
        facts,
        flags,
    )
    kernel(ceil(n_columns / _COLUMNS), _COLUMNS * _GROUPS, _SHARED_BYTES, arguments)
    known = flags.get()
    if (known & _IS_INFINITE).any():
        raise _infinite(int((known & _IS_INFINITE).argmax()), values)
    third, fourth, off = facts.get()
    return lines, classed(n, (known & _IS_ODD) > 0, third, fourth, np.sqrt(off) / scale_of(n))


def _infinite(column: int, values: Any) -> InfiniteError:
    return InfiniteError(column, int(np.isinf(values[:, column].get()).argmax()))
