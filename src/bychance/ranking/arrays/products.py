"""Products of standardized columns on the CPU or a GPU, and a proven bound on their error.

Let c and d be two columns, centered and of unit norm, so that r = c·d. The screen holds them rounded to half
or single precision, ĉ and d̂ (after scaling by a power of two, which rounds nothing and is left out here),
and adds up the products of their entries in float32. The bound holds for any order of summation.

1. Rounding of the entries. ĉ·d̂ − c·d = (ĉ − c)·d̂ + c·(d̂ − d), and by Cauchy and Schwarz

       |ĉ·d̂ − r| ≤ ρ_c·(1 + ρ_d) + ρ_d,    ρ_c = ‖ĉ − c‖, ρ_d = ‖d̂ − d‖.

   ρ is not estimated but measured, in float64, for every column: underflow and outliers are in it.

2. Rounding of the sum. Products of two halves are exact in float32; those of two singles round by 2⁻²⁴. Every
   partial sum is at most S = Σ|ĉ_k·d̂_k| ≤ (1 + ρ_c)(1 + ρ_d) in size. An IEEE addition rounds by at most
   2⁻²⁴·S, so that a sum and its products, in any order, are off by less than 2·n·2⁻²⁴·S. Tensor cores align
   k products (k = 4, 8 or 16) and the sum so far to the largest exponent, cut each off below 24 bits, and cut
   the result: (k + 2)·2⁻²³·S for k products (Fasi, Higham, Mikaitis, Pranesh, PeerJ Comput. Sci. 2021), at
   most 1.5·2⁻²³·S per product. With 2⁻²²·S per product (`_UNIT`) both are covered:

       |computed − ĉ·d̂| ≤ m·2⁻²²·S + h·2⁻²³·S,

   for h chunks of at most m rows, added up in float32: the sum of one chunk only sees its own part of S, and
   these parts add up to S.

3. Rounding of c itself, by centering and scaling in float64: columns whose relative error may exceed 1e-10
   are odd (lines.py) and never screened; `_SLACK` covers the rest and that of the threshold to float32.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import IntArray
from bychance.gpu.device import DeviceError, cupy, gpu

__all__ = ["CHUNK_ROWS", "N_BINS", "Backend", "CudaBackend", "ScreenedTile", "rounding_bound"]

CHUNK_ROWS = 4096  # rows summed at a time in float32: fewer make the error bound smaller (taste)
_UNIT = 2.0**-22  # error per product, relative to the sum of all (proof above)
_SLACK = 1e-7  # error of r from float64 and of the threshold in float32 (proof above)

N_BINS = 1024
"""Bins of equal width in which |r| is counted, from 0 to 1; the last also has what rounding left above 1."""

_LEAST_COLUMNS, _MOST_COLUMNS = 256, 32768  # columns of a block on a GPU (speed)
# Shares of the GPU's free memory: correlations of a tile, float64 copies, kept columns (memory).
_TILE, _WORK, _KEPT = 0.15, 0.25, 0.5
_FLOATS_PER_VALUE = 8  # float64 arrays as large as a block while its columns are standardized (memory)
_FIRST_ROOM = 2**20  # entries of the first buffer of found pairs; it grows (memory)
_COPIERS = 4  # threads that fill the pinned buffer (speed)


def rounding_bound(n_rows: int, x_rounding: float, y_rounding: float) -> float:
    """Return a bound on the error of computed correlations, from the rounding errors of the columns.

    >>> rounding_bound(1000, 2.5e-4, 2.5e-4) < 1e-3
    True
    """
    size = (1 + x_rounding) * (1 + y_rounding)
    entries = x_rounding * (1 + y_rounding) + y_rounding
    n_chunks = math.ceil(n_rows / CHUNK_ROWS)
    return entries + size * (min(n_rows, CHUNK_ROWS) * _UNIT + n_chunks * _UNIT / 2) + _SLACK


class ScreenedTile(NamedTuple):
    """Correlations of a tile (x block × y block) with |r| above a threshold, and a histogram of |r|.

    `at` has their flat indices within the tile, or is None if more of them reach it than were asked for.
    """

    at: IntArray | None
    r: NDArray[np.float32]
    bins: IntArray | None


class Backend:
    """CPU backend: correlations by NumPy of standardized columns held in float32 (in tests float16).

    `xp` is the library of the arrays, and `dtype` the type of the standardized columns.
    """

    name = "cpu"
    xp: Any = np

    def __init__(self, dtype: Any = np.float32, block: int = 1024) -> None:
        self.dtype, self._block = dtype, block

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        """Release the memory of the device."""

    def block_columns(self, n_rows: int) -> int:
        """Return the number of columns per block for columns of `n_rows` rows."""
        return max(1, min(self._block, 2**25 // n_rows))

    def room(self) -> int:
        """Return the bytes of memory for standardized columns that are used again: 2 GiB."""
        return 2**31

    def put(self, values: Any) -> Any:
        """Return the array in main memory, copied from the GPU if it lies there."""
        return values if isinstance(values, np.ndarray) else values.get()

    def stream(self) -> AbstractContextManager[Any]:
        """Return a context manager for standardizing columns in another thread, empty on the CPU."""
        return nullcontext()

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Return scale·x·y' (correlations of the rows of x and y) in float32, summed in chunks."""
        total: Any = 0.0
        for start in range(0, x.shape[1], CHUNK_ROWS):
            rows = slice(start, start + CHUNK_ROWS)
            parts = (side[:, rows].astype(np.float32, copy=False) for side in (x, y))
            total = total + np.matmul(next(parts), next(parts).T)
        return total * np.float32(scale)

    def screened(self, r: Any, threshold: float, *, most: int | None, is_counted: bool) -> ScreenedTile:
        """Return the correlations with |r| ≥ threshold, unless they exceed `most`, and a histogram."""
        size = np.abs(r).ravel()
        at = np.flatnonzero(size >= np.float32(threshold))
        bins = None
        if is_counted:
            which = np.minimum(size * np.float32(N_BINS), N_BINS - 1).astype(np.int64)
            bins = np.bincount(which, minlength=N_BINS)
        if most is not None and len(at) > most:
            return ScreenedTile(None, r.ravel()[:0], bins)
        return ScreenedTile(at, r.ravel()[at], bins)


class CudaBackend(Backend):
    """GPU backend: correlations of half-precision columns by tensor cores, and selection of large ones.

    Sums are in float32 (cuBLAS's compute type), and so is the product: with a half-precision one, cuBLAS may
    add up partial sums in half precision.
    """

    name = "cuda"

    def __init__(self) -> None:
        super().__init__(np.float16)
        self.xp = cupy()
        self._kernel = gpu().request("screen.cu", "screen")
        self._copies = self.xp.cuda.Stream(non_blocking=True)
        self._pinned: Any = None
        self._copiers = ThreadPoolExecutor(_COPIERS)
        self._free = int(self.xp.cuda.runtime.memGetInfo()[0])
        self._count = self.xp.zeros(1, dtype=np.uint64)
        self._bins = self.xp.zeros(N_BINS, dtype=np.uint64)
        self._make_room(_FIRST_ROOM)

    def __exit__(self, *error: object) -> None:
        """Release the memory of the device."""
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
        """Return the bytes of GPU memory for standardized columns that are used again."""
        return int(_KEPT * self._free)

    def put(self, values: Any) -> Any:
        """Copy the array to the GPU through a pinned buffer, or return it if it lies there."""
        if not isinstance(values, np.ndarray):
            return values
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

    def product(self, x: Any, y: Any, scale: float) -> Any:
        """Return scale·x·y' (correlations of the rows of x and y), computed by tensor cores."""
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
        """Return the correlations with |r| ≥ threshold, unless they exceed `most`, and a histogram."""
        n_hits = self._launch(r, threshold, is_counted)
        bins = self._bins.get().astype(np.int64) if is_counted else None
        if most is not None and n_hits > most:
            return ScreenedTile(None, np.empty(0, dtype=np.float32), bins)
        if n_hits > len(self._at):
            self._make_room(n_hits)
            n_hits = self._launch(r, threshold, False)
        return ScreenedTile(self._at[:n_hits].get().astype(np.int64), self._value[:n_hits].get(), bins)

    def _launch(self, r: Any, threshold: float, is_counted: bool) -> int:
        for counts in (self._count, self._bins):
            counts.data.memset_async(0, counts.nbytes)
        arguments = (
            r,
            np.uint64(r.size),
            np.float32(threshold),
            np.uint64(len(self._at)),
            self._count,
            self._at,
            self._value,
            self._bins,
            np.int32(is_counted),
        )
        self._kernel.result()(8 * gpu().n_multiprocessors, 256, 4 * N_BINS, arguments)
        return int(self._count.get()[0])

    def _make_room(self, n_entries: int) -> None:
        self._at = self.xp.empty(n_entries, dtype=np.uint64)
        self._value = self.xp.empty(n_entries, dtype=np.float32)
