"""The GPU as kernels see it: arrays there and back, CUDA sources compiled by NVRTC, errors as a sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from importlib import resources
from threading import Lock
from typing import Any, Protocol

from numpy.typing import NDArray

from bychance.gpu.device import DeviceError, cupy
from bychance.messages import Option
from bychance.names import first_line

__all__ = ["Cuda", "Gpu", "Launch", "gpu", "gpu_errors"]

Launch = Callable[[int, int, int, Sequence[Any]], None]
"""Blocks, threads per block, bytes of shared memory and arguments → runs the kernel."""

_INCLUDE = re.compile(r'#include "(.*)"')
_SHARED = """
#define EXTERN_SHARED(T, name)                            \\
  extern __shared__ __align__(16) unsigned char name##_raw[]; \\
  T* name = reinterpret_cast<T*>(name##_raw)
"""


class Gpu(Protocol):
    """What kernels run on: a GPU, or in tests an emulator of one."""

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
