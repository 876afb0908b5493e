"""The GPU: choice by `device=`, array copies, compiled kernels, errors, and random permutations.

CuPy is imported only when a GPU is asked for.
"""

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import FloatArray
from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.names import first_line
from bychance.parallel import raise_if_stopped
from bychance.validation import one_of

__all__ = [
    "DEVICES",
    "DeviceError",
    "Gpu",
    "Launch",
    "check_device",
    "cupy",
    "draw_in_parts",
    "gpu",
    "gpu_errors",
    "most_pairings",
    "n_threads_for",
    "shuffled",
    "what_is_missing",
]

DEVICES = ("cpu", "cuda", "auto")

_EXTRAS = "`pip install bychance[gpu-cuda12]`, or [gpu-cuda13] where the driver has CUDA 13"
_LEAST_BYTES = 1 << 24  # least bytes of permutations held at a time, however little memory is free (taste)
_WARP = 32  # threads that run in step on a GPU (hardware)
_INCLUDE = re.compile(r'#include "(.*)"')
_SHARED = """
#define EXTERN_SHARED(T, name)                            \\
  extern __shared__ __align__(16) unsigned char name##_raw[]; \\
  T* name = reinterpret_cast<T*>(name##_raw)
"""

Launch = Callable[[int, int, int, Sequence[Any]], None]
"""Blocks, threads per block, bytes of shared memory and arguments → runs the kernel."""


class DeviceError(BychanceError):
    """Error raised if no GPU can be used, or if the GPU fails."""


def check_device(device: str, *, has_covariates: bool = False) -> str:
    """Check the `device` option: "cuda" raises an error without a usable GPU, "auto" falls back to the CPU.

    >>> check_device("cpu")
    'cpu'
    """
    if one_of(device, "device", DEVICES) == "cpu":
        return "cpu"
    is_required, missing = device == "cuda", what_is_missing()
    if missing and is_required:
        raise DeviceError(Option("device", "cuda") + f" needs {missing}", "device")
    if has_covariates and is_required:
        raise DeviceError(
            Option("device", "cuda")
            + " cannot look beyond covariates; leave "
            + Option("given")
            + " or "
            + Option("device")
            + " out.",
            "device",
        )
    return "cpu" if missing or has_covariates else device


@cache
def what_is_missing() -> str:
    """Return a phrase that names the missing software or hardware for a GPU, or "" if nothing is missing."""
    try:
        import cupy
    except ImportError:
        return f"CuPy, which is not installed: {_EXTRAS}."
    except Exception as error:  # a broken installation raises whatever its libraries raise
        return f"CuPy, which does not load here ({first_line(error)})."
    try:
        n_devices = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"an NVIDIA GPU, which CuPy does not find here ({first_line(error)})."
    return "" if n_devices else "an NVIDIA GPU, which CuPy does not find here."


def cupy() -> Any:
    """Import and return CuPy, so that only a GPU run needs it."""
    import cupy

    return cupy


@contextmanager
def gpu_errors() -> Iterator[None]:
    """Turn errors of CuPy and CUDA into a DeviceError with a one-sentence message."""
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


class Gpu:
    """NVIDIA GPU of this process, accessed through CuPy. Tests replace it by an emulator.

    A block of threads may have `shared_bytes` of shared memory.
    """

    def __init__(self) -> None:
        attributes = cupy().cuda.Device().attributes
        self.n_multiprocessors = int(attributes["MultiProcessorCount"])
        self.shared_bytes = int(attributes["MaxSharedMemoryPerBlockOptin"])
        self._compilers, self._lock = ThreadPoolExecutor(os.cpu_count()), Lock()
        self._kernels: dict[tuple[object, ...], Future[Launch]] = {}

    def request(self, source: str, name: str, **defines: object) -> Future[Launch]:
        """Compile a CUDA kernel of this package in the background, and return its future.

        CuPy caches compiled kernels on disk.
        """
        with self._lock:
            key = (source, name, *defines.items())
            if key not in self._kernels:
                self._kernels[key] = self._compilers.submit(_compiled, source, name, defines)
            return self._kernels[key]

    def put(self, array: NDArray[Any]) -> Any:
        """Copy a NumPy array to the GPU and return the GPU array."""
        return cupy().asarray(array)

    def empty(self, size: int, dtype: Any) -> Any:
        """Allocate an uninitialized GPU array of `size` elements."""
        return cupy().empty(size, dtype)

    def get(self, array: Any, out: NDArray[Any]) -> None:
        """Copy a GPU array into the NumPy array `out`, after all pending work on it."""
        if out.flags.c_contiguous:
            array.get(out=out.reshape(-1))
        else:
            out[...] = array.get().reshape(out.shape)

    def free_bytes(self) -> int:
        """Return the driver's free memory plus the unused memory in CuPy's pool, in bytes."""
        pool = cupy().get_default_memory_pool()
        return int(cupy().cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())

    @contextmanager
    def session(self) -> Iterator[None]:
        """Open a CUDA stream for this thread, and turn CUDA errors into a DeviceError."""
        with gpu_errors(), cupy().cuda.Stream(non_blocking=True):
            yield


@cache
def gpu() -> Gpu:
    """Return the GPU of this process, opened once."""
    with gpu_errors():
        return Gpu()


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


def draw_in_parts(
    device: Gpu, out: FloatArray, first: int, most: int, draw: Callable[[slice, int, int], Any]
) -> None:
    """Fill `out` (pairs × permutations) by calls of `draw`, each for at most `most` values of the statistic.

    `draw` takes a slice of the pairs, the number of the first draw and the count, and returns a device array.
    """
    n_pairs, count = out.shape
    size = max(1, min(count, most))
    n_together = max(1, most // size)
    for pair in range(0, n_pairs, n_together):
        for start in range(0, count, size):
            raise_if_stopped()
            part, stop = slice(pair, pair + n_together), min(start + size, count)
            device.get(draw(part, first + start, stop - start), out[part, start:stop])


def most_pairings(device: Gpu, most_n: int, most_bytes: int) -> int:
    """Return how many permutations of `most_n` rows fit in a quarter of the free GPU memory."""
    n_bytes = max(_LEAST_BYTES, min(most_bytes, device.free_bytes() // 4))
    return max(1, n_bytes // (2 * most_n))


def n_threads_for(n_bytes: int) -> int:
    """Return the number of threads per CUDA block if each thread needs `n_bytes` of shared memory."""
    return max(_WARP, min(128, 65_536 // n_bytes // _WARP * _WARP))


def shuffled(device: Gpu, keys: NDArray[np.uint64], n_of: Any, most_n: int, numbers: tuple[int, int]) -> Any:
    """Return random permutations of the n rows of each pair, drawn on the GPU from the pair's random key.

    `numbers` are the first permutation and the count.
    """
    first, count = numbers
    pairings = device.empty(len(keys) * count * most_n, np.uint16)
    n_threads = n_threads_for(2 * most_n)
    n_bytes = 2 * most_n * (n_threads + 2)
    name = "shuffles"
    if n_bytes > device.shared_bytes:
        name, n_bytes = "long_shuffles", 0
    arguments = [device.put(keys), n_of, np.uint64(first), np.int32(count), np.int32(most_n), pairings]
    kernel = device.request("draws.cu", name).result()
    kernel(len(keys) * ceil(count / n_threads), n_threads, n_bytes, arguments)
    return pairings
