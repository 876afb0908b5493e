"""Screen of all pairs on a GPU: half-precision columns, their correlations by tensor cores, the large ones.

It is the twin of `NumpyBackend` and `lines_of`. Sums are in float32 (cuBLAS's compute type), and so is the
product: with a half-precision one, cuBLAS may add up partial sums in half precision. One kernel standardizes
the columns: CuPy would compile two dozen, one after the other, in the first call on a machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from math import ceil, sqrt
from typing import Any, Self

import numpy as np

from bychance.gpu.device import DeviceError, cupy
from bychance.gpu.launch import Launch, gpu
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.all_pairs.backend import N_BINS, ScreenedTile
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
from bychance.ranking.all_pairs.rounding import CHUNK_ROWS

__all__ = ["CudaBackend", "cuda_lines", "request_lines"]

_LEAST_COLUMNS, _MOST_COLUMNS = 256, 32768
_TILE, _WORK, _KEPT = 0.15, 0.25, 0.5  # shares of the free memory
_FLOATS_PER_VALUE = 8  # float64 arrays as large as a block while its lines are made
_FIRST_ROOM = 2**20  # entries
_COPIERS = 4  # threads that fill the pinned buffer


class CudaBackend:
    """Screen on an NVIDIA GPU through CuPy."""

    name = "cuda"
    dtype = np.float16

    def __init__(self) -> None:
        self.xp = cupy()
        self._kernel = gpu().request("screen.cu", "screen")
        self._clear = gpu().request("screen.cu", "clear_diagonal")
        self._copies = self.xp.cuda.Stream(non_blocking=True)
        self._pinned: Any = None
        self._copiers = ThreadPoolExecutor(_COPIERS)
        self._copiers.submit(self._warm_up)
        self._free = int(self.xp.cuda.runtime.memGetInfo()[0])
        self._n_blocks = 8 * gpu().n_multiprocessors
        self._make_room(_FIRST_ROOM)

    def _warm_up(self) -> None:
        """Compute one small product, so that cuBLAS loads while data are copied to the GPU."""
        with self.xp.cuda.Stream(non_blocking=True):
            lines = self.xp.zeros((_LEAST_COLUMNS, 64), dtype=self.dtype)
            self.product(lines, lines, 1.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._copiers.shutdown()
        self.xp.get_default_memory_pool().free_all_blocks()

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns per block, so that correlations and float64 copies fit on the GPU."""
        by_tile = int((_TILE * self._free / 4) ** 0.5)
        by_work = int(_WORK * self._free / (8 * _FLOATS_PER_VALUE * n_rows))
        n_columns = min(by_tile, by_work, _MOST_COLUMNS) // _LEAST_COLUMNS * _LEAST_COLUMNS
        if n_columns == 0:
            needed = _LEAST_COLUMNS * 8 * _FLOATS_PER_VALUE * n_rows / _WORK
            raise DeviceError(
                f"GPU memory is too small: columns of {n_rows:,} rows need about {needed / 2**30:.2g} GiB, "
                f"and {self._free / 2**30:.2g} GiB are free.",
                "device",
            )
        return n_columns

    def room(self) -> int:
        """Return the bytes of GPU memory for standardized columns."""
        return int(_KEPT * self._free)

    def put(self, values: Any) -> Any:
        """Copy the values to the GPU through a pinned buffer, unless they are there."""
        if not isinstance(values, np.ndarray):
            return values
        request_lines(values.dtype)
        if self._pinned is None or self._pinned.size < values.nbytes:
            memory = self.xp.cuda.alloc_pinned_memory(values.nbytes)
            self._pinned = np.frombuffer(memory, dtype=np.uint8, count=values.nbytes)
        staged = self._pinned[: values.nbytes].view(values.dtype).reshape(values.shape)
        steps = np.linspace(0, len(values), _COPIERS + 1).astype(int)
        parts = [slice(*ends) for ends in pairwise(steps)]
        list(self._copiers.map(lambda rows: np.copyto(staged[rows], values[rows]), parts))
        there = self.xp.empty(values.shape, dtype=values.dtype)
        there.set(staged, stream=self.xp.cuda.get_current_stream())
        return there

    @contextmanager
    def stream(self) -> Iterator[None]:
        """Open a second CUDA stream beside that of the products, and synchronize it at the end."""
        with self._copies:
            yield
            self._copies.synchronize()

    def lines(self, values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
        """Standardize a block of columns by one CUDA kernel."""
        return cuda_lines(values, is_ranked=is_ranked)

    def clear_diagonal(self, r: Any) -> None:
        """Set the correlation of each column with itself to 0."""
        self._clear.result()(-(-len(r) // 256), 256, 0, (r, np.uint64(len(r))))

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Compute scale · x·y' by tensor cores."""
        from cupy_backends.cuda.libs import cublas

        runtime, handle = self.xp.cuda.runtime, self.xp.cuda.device.get_cublas_handle()
        r = self.xp.empty((len(x), len(y)), dtype=np.float32)
        alpha, factors = np.array([scale], dtype=np.float32), np.array([0, 1], dtype=np.float32)
        width = x.shape[1]
        for start in range(0, width, CHUNK_ROWS):
            # To cuBLAS, which counts by columns, rows of x are columns, and r is transposed.
            cublas.gemmEx(
                handle,
                cublas.CUBLAS_OP_T,
                cublas.CUBLAS_OP_N,
                len(y),
                len(x),
                min(CHUNK_ROWS, width - start),
                alpha.ctypes.data,
                y.data.ptr + 2 * start,
                runtime.CUDA_R_16F,
                width,
                x.data.ptr + 2 * start,
                runtime.CUDA_R_16F,
                width,
                factors.ctypes.data + 4 * (start > 0),
                r.data.ptr,
                runtime.CUDA_R_32F,
                len(y),
                cublas.CUBLAS_COMPUTE_32F,
                cublas.CUBLAS_GEMM_DEFAULT,
            )
        return r

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Return the correlations with |r| of at least the threshold, and a histogram if asked for."""
        counted = self._bins if is_counted else None
        n_hits = self._launch(r, threshold, is_counted)
        bins = None if counted is None else counted.get().astype(np.int64)
        if most is not None and n_hits > most:
            return ScreenedTile(None, np.empty(0, dtype=np.float32), bins)
        if n_hits > len(self._at):
            self._make_room(n_hits)
            n_hits = self._launch(r, threshold, False)
        return ScreenedTile(self._at[:n_hits].get().astype(np.int64), self._value[:n_hits].get(), bins)

    def _launch(self, r: Any, threshold: float, is_counted: bool) -> int:
        for counts in (self._count, self._bins) if is_counted else (self._count,):
            counts.data.memset_async(0, counts.nbytes)
        capacity = np.uint64(len(self._at))
        arguments = (
            r,
            np.uint64(r.size),
            np.float32(threshold),
            capacity,
            self._count,
            self._at,
            self._value,
            self._bins,
            np.int32(is_counted),
        )
        self._kernel.result()(self._n_blocks, 256, 4 * N_BINS, arguments)
        return int(self._count.get()[0])

    def _make_room(self, n_entries: int) -> None:
        self._count = self.xp.zeros(1, dtype=np.uint64)
        self._bins = self.xp.zeros(N_BINS, dtype=np.uint64)
        self._at = self.xp.empty(n_entries, dtype=np.uint64)
        self._value = self.xp.empty(n_entries, dtype=np.float32)


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
    """Return the compiled kernel that standardizes columns of this dtype."""
    return gpu().request("columns.cu", "column_lines", VALUE=_TYPES.get(dtype.str[1:], "float"))


def cuda_lines(values: Any, *, is_ranked: bool) -> tuple[Any, Facts]:
    """Standardize the columns of a GPU array (rows × columns) in half precision, one output row each."""
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
