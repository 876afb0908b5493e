"""A GPU for tests where there is none: the kernels' own sources, compiled for this processor."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from concurrent.futures import Future
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

import bychance

HERE = Path(__file__).parent
SOURCES = Path(bychance.__file__).parent / "gpu"


class Emulator:
    n_multiprocessors = 2
    shared_bytes = 227 * 1024

    def __init__(self, folder):
        self.folder, self.memory = folder, 1 << 30
        self.n_launches = 0
        self._lock = Lock()  # compiled kernels keep their fibers in global variables

    @staticmethod
    def compiler():
        return shutil.which("c++") or shutil.which("g++")

    def request(self, source, name, **defines):
        with self._lock:
            return self._compiled(name, **defines)

    @cache  # noqa: B019 tests are short
    def _compiled(self, name, **defines):
        library = self.folder / f"{name}-{len(list(self.folder.iterdir()))}.so"
        options = [f"-D{key}={value}" for key, value in {name.upper(): 1, **defines}.items()]
        command = [
            self.compiler(),
            "-std=c++17",
            "-O1",
            "-ffp-contract=off",
            "-shared",
            "-fPIC",
            "-Wno-unknown-pragmas",
            *options,
        ]
        command += ["-I", str(HERE), "-I", str(SOURCES), "-o", str(library), str(HERE / "kernels.cpp")]
        subprocess.run(command, check=True)
        run = ctypes.CDLL(str(library)).run

        def launch(n_blocks, n_threads, n_bytes, arguments):
            with self._lock:
                self.n_launches += 1
                run(n_blocks, n_threads, n_bytes, *map(_as_c, arguments))

        kernel = Future()
        kernel.set_result(launch)
        return kernel

    def put(self, array):
        return np.ascontiguousarray(array)

    def empty(self, size, dtype):
        return np.full(size, 0xAB, dtype=np.uint8).repeat(np.dtype(dtype).itemsize).view(dtype)

    def get(self, array, out):
        out[...] = array.reshape(out.shape)

    def free_bytes(self):
        return self.memory

    def session(self):
        return nullcontext()


def _as_c(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, np.floating):
        return ctypes.c_double(value)
    return ctypes.c_uint64(int(value)) if isinstance(value, (np.uint64, np.int64)) else ctypes.c_int(value)
