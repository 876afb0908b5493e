"""NumPy under CuPy's name, for the lines of all pairs that call it."""

from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np


class There(np.ndarray):
    """An array of the emulated GPU."""

    @property
    def data(self):
        return SimpleNamespace(memset_async=lambda value, n_bytes: self.fill(value))

    def get(self):
        return np.array(self)

    def set(self, values, stream):
        self[...] = values


class Stream(nullcontext):
    def __init__(self, non_blocking):
        super().__init__()

    def synchronize(self):
        pass


class Failure(RuntimeError):
    pass


class OutOfMemory(MemoryError):
    pass


class FakeCupy:
    """NumPy under CuPy's name, and what CuPy has beside it."""

    def __init__(self, free):
        self.cuda = SimpleNamespace(
            Stream=Stream,
            get_current_stream=lambda: None,
            alloc_pinned_memory=bytearray,
            runtime=SimpleNamespace(memGetInfo=lambda: (free, free), CUDARuntimeError=Failure),
            driver=SimpleNamespace(CUDADriverError=Failure),
            compiler=SimpleNamespace(CompileException=Failure),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemory),
        )
        self.n_frees = 0

    def __getattr__(self, name):
        return getattr(np, name)

    def zeros(self, *arguments, **options):
        return np.zeros(*arguments, **options).view(There)

    def empty(self, *arguments, **options):
        return np.empty(*arguments, **options).view(There)

    def asnumpy(self, array):
        return np.array(array)

    def get_default_memory_pool(self):
        self.n_frees += 1
        return SimpleNamespace(free_all_blocks=lambda: None)
