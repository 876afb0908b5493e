"""The GPU as kernels see it: arrays there and back, compiled sources, errors as a sentence, permutations."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import resources
from math import ceil
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bychance.gpu.device import DeviceError, cupy
from bychance.messages import Option
from bychance.names import first_line

__all__ = [
    "Cuda",
    "Gpu",
    "Launch",
    "gpu",
    "gpu_errors",
    "in_parts",
    "most_pairings",
    "n_threads_for",
    "shuffled",
]

_LEAST_BYTES = 1 << 24  # of permutations in hand
_WARP = 32

Launch = Callable[[int, int, int, Sequence[Any]], None]
"""Blocks, threads per block, bytes of shared memory and arguments → runs the kernel."""

_INCLUDE = re.compile(r'#include "(.*)"')
_SHARED = """
#define EXTERN_SHARED(T, name)                            \\
  extern __shared__ __align__(16) unsigned char name##_raw[]; \\
  T* name = reinterpret_cast<T*>(name##_raw)
"""


class Gpu(Protocol):
    """Device of the kernels: a GPU, or in tests an emulator of one."""

    n_multiprocessors: int
    shared_bytes: int  # that a block may have

    def request(self, source: str, name: str, **defines: object) -> Future[Launch]:
        """Compile a kernel of this package's source file with these constants, in the background."""

    def put(self, array: NDArray[Any]) -> Any:
        """Copy the array to the device."""

    def empty(self, size: int, dtype: Any) -> Any:
        """Allocate memory on the device."""

    def get(self, array: Any, out: NDArray[Any]) -> None:
        """Copy the array here, once all work on it is done."""

    def free_bytes(self) -> int:
        """Return how much memory the device has left."""

    def session(self) -> Any:
        """Return a context for this thread's work, whose errors are one sentence."""


class Cuda:
    """An NVIDIA GPU, through CuPy."""

    def __init__(self) -> None:
        attributes = cupy().cuda.Device().attributes
        self.n_multiprocessors = int(attributes["MultiProcessorCount"])
        self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self._compilers, self._lock = ThreadPoolExecutor(os.cpu_count()), Lock()
        self._kernels: dict[tuple[object, ...], Future[Launch]] = {}

    def request(self, source: str, name: str, **defines: object) -> Future[Launch]:
        """Compile in the background. CuPy keeps what it compiled on disk, by source and options."""
        with self._lock:
            key = (source, name, *defines.items())
            if key not in self._kernels:
                self._kernels[key] = self._compilers.submit(_compiled, source, name, defines)
            return self._kernels[key]

    def put(self, array: NDArray[Any]) -> Any:
        """Copy the array to the device."""
        return cupy().asarray(array)

    def empty(self, size: int, dtype: Any) -> Any:
        """Allocate memory on the device."""
        return cupy().empty(size, dtype)

    def get(self, array: Any, out: NDArray[Any]) -> None:
        """Copy straight into `out` if it is contiguous."""
        if out.flags.c_contiguous:
            array.get(out=out.reshape(-1))
        else:
            out[...] = array.get().reshape(out.shape)

    def free_bytes(self) -> int:
        """Return the driver's free memory and the unused memory that CuPy holds."""
        pool = cupy().get_default_memory_pool()
        return int(cupy().cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())

    @contextmanager
    def session(self) -> Iterator[None]:
        """Open a stream for this thread. CUDA's errors become a DeviceError."""
        with gpu_errors(), cupy().cuda.Stream(non_blocking=True):
            yield


@contextmanager
def gpu_errors() -> Iterator[None]:
    """Turn CuPy's errors of memory, kernels and the GPU into one sentence."""
    cuda = cupy().cuda
    failures = (
        cuda.runtime.CUDARuntimeError,
        cuda.driver.CUDADriverError,
        cuda.compiler.CompileException,
    )
    try:
        yield
    except cuda.memory.OutOfMemoryError as error:
        raise DeviceError(
            f"The GPU has too little memory left ({first_line(error)}); "
            + Option("device", "cpu")
            + " needs none.",
            "device",
        ) from None
    except Exception as error:
        # cuBLAS has no class of errors that CuPy shows.
        if not isinstance(error, failures) and type(error).__name__ != "CUBLASError":
            raise
        raise DeviceError(
            f"The GPU failed ({first_line(error)}); " + Option("device", "cpu") + " gives the same answer.",
            "device",
        ) from None


def _compiled(source: str, name: str, defines: dict[str, object]) -> Launch:
    text = _SHARED + _INCLUDE.sub(lambda included: _text(included[1]), _text(source))
    options = ("-std=c++17", "--fmad=false", *(f"-D{key}={value}" for key, value in defines.items()))
    kernel = cupy().RawModule(code=text, options=options).get_function(name)

    def launch(n_blocks: int, n_threads: int, n_bytes: int, arguments: Sequence[Any]) -> None:
        if n_bytes > kernel.max_dynamic_shared_size_bytes:
            kernel.max_dynamic_shared_size_bytes = n_bytes
        kernel((n_blocks,), (n_threads,), tuple(arguments), shared_mem=n_bytes)

    return launch


def _text(name: str) -> str:
    return (resources.files("bychance.gpu") / name).read_text(encoding="utf-8")


@cache
def gpu() -> Gpu:
    """Return the GPU of this process."""
    with gpu_errors():
        return Cuda()


def in_parts(n_pairs: int, count: int, most: int) -> Iterator[tuple[slice, int, int]]:
    """Yield pairs with their first draw and number of draws, at most this many draws at a time."""
    size = max(1, min(count, most))
    n_together = max(1, most // size)
    for pair in range(0, n_pairs, n_together):
        for start in range(0, count, size):
            yield slice(pair, pair + n_together), start, min(size, count - start)


def most_pairings(device: Gpu, most_n: int, most_bytes: int) -> int:
    """Return how many permutations fit in a quarter of the free memory."""
    n_bytes = max(_LEAST_BYTES, min(most_bytes, device.free_bytes() // 4))
    return max(1, n_bytes // (2 * most_n))


def n_threads_for(n_bytes: int) -> int:
    """Return the threads of a block that each need this much shared memory."""
    return max(_WARP, min(128, 65_536 // n_bytes // _WARP * _WARP))


def shuffled(device: Gpu, keys: NDArray[np.uint64], n_of: Any, most_n: int, numbers: tuple[int, int]) -> Any:
    """Return permutations of n rows for each key, numbered first to first + count − 1."""
    first, count = numbers
    pairings = device.empty(len(keys) * count * most_n, np.uint16)
    n_threads = n_threads_for(2 * most_n)
    n_bytes = 2 * most_n * (n_threads + 2)
    name = "shuffles"
    if n_bytes > device.shared_bytes:
        name, n_bytes = "long_shuffles", 0
    arguments = [device.put(keys), n_of, np.uint64(first), np.int32(count), np.int32(most_n), pairings]
    kernel = device.request("shuffles.cu", name).result()
    kernel(len(keys) * ceil(count / n_threads), n_threads, n_bytes, arguments)
    return pairings
