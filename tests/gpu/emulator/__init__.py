"""A GPU for tests on machines without one: the kernels' sources, compiled for this processor."""

from __future__ import annotations

import ctypes
import hashlib
import os
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
        """Compile a kernel, which stays in the folder until its sources change."""
        folder.mkdir(parents=True, exist_ok=True)
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
        command += ["-I", str(HERE), "-I", str(SOURCES), str(HERE / "kernels.cpp")]
        library = self.folder / f"{name}-{_digest_of(command)}.so"
        if not library.exists():
            own = library.with_suffix(f".{os.getpid()}")
            subprocess.run([*command, "-o", str(own)], check=True)
            own.replace(library)  # whole or not there: another process may compile the same
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


def _digest_of(command):
    """Hash all sources of the library."""
    digest = hashlib.sha256("\0".join(command).encode())
    for path in sorted(path for folder in (HERE, SOURCES) for path in folder.rglob("*") if path.is_file()):
        if path.suffix != ".pyc":
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _as_c(value):
    if isinstance(value, np.ndarray):
        return ctypes.c_void_p(value.ctypes.data)
    if isinstance(value, np.floating):
        return ctypes.c_double(value)
    return ctypes.c_uint64(int(value)) if isinstance(value, (np.uint64, np.int64)) else ctypes.c_int(value)
