"""Nulls that are never paid for twice: (key, S, how to draw) → the first S draws of the key's stream.

They come from memory, from disk or from the kernel, in this order, and the answer never depends on which.
"""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import platformdirs
from numpy.typing import NDArray

from bychance.errors import BychanceWarning
from bychance.nulls.store_files import NullFiles
from bychance.nulls.store_key import NullKey
from bychance.sealed_files import DamagedFileError

__all__ = ["Extend", "NullKey", "NullStore", "default_store", "memory_store"]

Extend = Callable[[int, int], NDArray[np.float64]]

_FIRST_BLOCK = 16
_BLOCK_S = 1.0  # what a killed run loses, once blocks have grown to it
_COSTLY_S = 0.25  # work worth a file and an fsync of its own, which take milliseconds


class NullStore:
    """Samples of nulls, kept in memory while there is room and on disk.

    Draws that nobody has are computed in blocks, and each finished block is written at once: a run that is
    killed loses the block in flight, and the next one goes on from there. (Where the store chooses the
    blocks, those of a few milliseconds are written together.) Threads may share a store, and processes a
    directory. A disk that is full or can only be read costs one warning, not a result; so does a directory
    to which other users may write, which is not used.

    Parameters
    ----------
    directory : Path or None
        Where files go; None keeps all in memory.
    max_bytes : int
        Cap on the disk space used; the nulls unused for longest are removed.
    max_memory_bytes : int
        Cap on the memory used.
    block : int, optional
        Draws in a block; by default as many as take about a second.

    Examples
    --------
    >>> key = NullKey(measure="mic", n=60, seed=0, kernel_version=1)
    >>> def squares(first, count):
    ...     print(f"draws {first} to {first + count - 1}")
    ...     return np.arange(first, first + count) ** 2.0
    >>> store = NullStore(None)
    >>> store.draws(key, 4, squares)
    draws 0 to 3
    array([0., 1., 4., 9.])
    >>> store.draws(key, 5, squares)  # only what is missing is computed
    draws 4 to 4
    array([ 0.,  1.,  4.,  9., 16.])
    >>> store.draws(key, 3, squares)
    array([0., 1., 4.])
    """

    def __init__(
        self,
        directory: Path | None,
        *,
        max_bytes: int = 1_000_000_000,
        max_memory_bytes: int = 64_000_000,
        block: int | None = None,
    ) -> None:
        self.directory = None if directory is None else Path(directory).absolute()
        self._files = None if self.directory is None else NullFiles(self.directory, max_bytes=max_bytes)
        self._max_memory_bytes, self._block = max_memory_bytes, block
        self._memory: OrderedDict[str, NDArray[np.float64]] = OrderedDict()
        self._n_memory_bytes = 0
        self._reported: set[str] = set()
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[str, threading.Lock] = WeakValueDictionary()

    def __repr__(self) -> str:
        return f"NullStore({str(self.directory) if self.directory else None!r})"

    def draws(self, key: NullKey, size: int, extend: Extend) -> NDArray[np.float64]:
        """The first `size` draws of the key's null, read-only.

        Parameters
        ----------
        key : NullKey
            What the null depends on.
        size : int
            How many draws are wanted.
        extend : callable
            extend(first, count) gives the draws numbered first, …, first + count − 1 of the key's stream.
        """
        held = self._recall(key)
        if len(held) >= size:
            return held[:size]
        with self._lock:
            turn = self._turns.setdefault(key.digest, threading.Lock())
        with turn:  # one thread computes, others with the same key wait for it
            held = max(self._recall(key), self._load(key), key=len)
            if len(held) < size:
                held = self._compute(key, held, size, extend)
            self._remember(key, held)
        return held[:size]

    def sizes(self) -> list[int]:
        """How many bytes each null on disk takes."""
        return [] if self._files is None else self._files.sizes()

    def clear(self) -> int:
        """Forget everything, in memory and on disk, and say how many files were removed."""
        with self._lock:
            self._memory.clear()
            self._n_memory_bytes = 0
        return 0 if self._files is None else self._files.clear()

    def _recall(self, key: NullKey) -> NDArray[np.float64]:
        with self._lock:
            if key.digest not in self._memory:
                return np.empty(0)
            self._memory.move_to_end(key.digest)
            return self._memory[key.digest]

    def _remember(self, key: NullKey, draws: NDArray[np.float64]) -> None:
        draws.flags.writeable = False
        with self._lock:
            self._forget(key.digest)
            if draws.nbytes > self._max_memory_bytes:
                return
            self._memory[key.digest] = draws
            self._n_memory_bytes += draws.nbytes
            while self._n_memory_bytes > self._max_memory_bytes:
                self._forget(next(iter(self._memory)))

    def _forget(self, digest: str) -> None:
        if digest in self._memory:
            self._n_memory_bytes -= self._memory.pop(digest).nbytes

    def _load(self, key: NullKey) -> NDArray[np.float64]:
        if self._files is None:
            return np.empty(0)
        try:
            draws = self._files.read(key)
        except DamagedFileError as damage:
            self._files.discard(key)
            path = self._files.path(key.digest)
            self._report("damage", f"A stored null is damaged ({damage}) and computed anew: {path}.")
        except OSError as error:
            self._report("disk", f"Stored nulls cannot be read ({error}); they are computed anew.")
        else:
            return np.empty(0) if draws is None else draws
        return np.empty(0)

    def _compute(
        self, key: NullKey, held: NDArray[np.float64], size: int, extend: Extend
    ) -> NDArray[np.float64]:
        """The held draws and the missing ones after them, kept block by block."""
        sample = np.empty(size)
        sample[: len(held)] = held
        first, count, unsaved_s = len(held), self._block or _FIRST_BLOCK, 0.0
        while first < size:
            count = min(count, size - first)
            started = time.perf_counter()
            sample[first : first + count] = extend(first, count)
            seconds = time.perf_counter() - started
            first, unsaved_s = first + count, unsaved_s + seconds
            self._remember(key, sample[:first])
            if self._block or unsaved_s >= _COSTLY_S or first == size:
                self._save(key, sample[:first], is_costly=unsaved_s >= _COSTLY_S)
                unsaved_s = 0.0
            count = self._block or _next_count(count, seconds)
        return sample

    def _save(self, key: NullKey, draws: NDArray[np.float64], *, is_costly: bool) -> None:
        if self._files is None:
            return
        try:
            self._files.write(key, draws, is_costly=is_costly)
        except OSError as error:
            self._report("disk", f"Nulls cannot be stored ({error}); they are kept in memory only.")

    def _report(self, what: str, message: str) -> None:
        """Warn, but once for each kind of trouble: a bad disk would otherwise speak with every pair."""
        with self._lock:
            is_news = what not in self._reported
            self._reported.add(what)
        if is_news:
            warnings.warn(f"{message} This is reported once.", BychanceWarning, stacklevel=2)


def default_store() -> NullStore:
    """The store that this process shares, in the user's cache directory.

    The environment variable BYCHANCE_CACHE names another directory; "off" keeps nulls in memory only.

    Examples
    --------
    >>> default_store() is default_store()
    True
    """
    # A forked process gets its own store: a lock that one of the parent's threads held would stay locked.
    name = (os.getpid(), os.environ.get("BYCHANCE_CACHE", platformdirs.user_cache_dir("bychance")))
    if name not in _DEFAULT_STORES:
        _DEFAULT_STORES.setdefault(name, NullStore(_directory(name[1])))
    return _DEFAULT_STORES[name]


def memory_store(owner: type) -> NullStore:
    """A store in memory for a class of the user's own, whose code no key knows; it goes with the class."""
    return _MEMORY_STORES.setdefault(owner, {}).setdefault(os.getpid(), NullStore(None))


_MEMORY_STORES: WeakKeyDictionary[type, dict[int, NullStore]] = WeakKeyDictionary()
_DEFAULT_STORES: dict[tuple[int, str], NullStore] = {}


def _directory(cache: str) -> Path | None:
    return None if cache.strip().lower() in ("", "off") else Path(cache).expanduser() / "nulls"


def _next_count(count: int, seconds: float) -> int:
    """Draws of the next block: up to four times as many, but no more than take about a second."""
    return 4 * count if 4 * seconds <= _BLOCK_S else max(1, int(count * _BLOCK_S / seconds))
