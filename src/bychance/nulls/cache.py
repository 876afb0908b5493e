"""Cache of Monte Carlo nulls: values of a measure under the first random permutations of each null.

Draws come from memory, from disk or from the kernel, in this order, and never depend on which.
"""

from __future__ import annotations

import json
import os
import threading
import time
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import platformdirs

from bychance.array_types import FloatArray
from bychance.errors import BychanceWarning
from bychance.nulls.cache_files import NullFiles
from bychance.parallel import JointSample
from bychance.sealed_files import DamagedFileError
from bychance.seeding import stream_key

__all__ = ["Extend", "ExtendMany", "NullKey", "NullStore", "default_store", "memory_store"]

Extend = Callable[[int, int], FloatArray]
ExtendMany = Callable[[Sequence[int], int, int], FloatArray]

_SAVE_S = 1.0  # seconds of work between writes, the most that a killed run loses (taste)
_COSTLY_S = 0.25  # seconds of work from which a write waits for an fsync of milliseconds (taste)
_QUICK_S = 0.001  # seconds of drawing up to which a null is not stored, as reading takes as long (taste)


@dataclass(frozen=True, kw_only=True)
class NullKey:
    """Cache key of a null: measure, number of rows, ties and seed. Nulls with equal keys have equal draws.

    Parameters
    ----------
    measure : str
        Name of the measure.
    settings : tuple of (name, value) pairs of str
        The measure's settings, values as their repr; the order in which they are given does not matter.
    n : int
        How many rows the pair shares.
    x_tie_groups, y_tie_groups : tuple of int
        Sizes of the groups of equal values, in ascending order of the values. Empty where nothing is
        tied; n groups of one are the same.
    seed : int
        The root seed.
    kernel_version : int
        Raised whenever the kernel's values change, so that stored nulls of the older kernel are not used.

    Examples
    --------
    >>> untied = NullKey(measure="mic", n=4, seed=0, kernel_version=1)
    >>> untied == NullKey(measure="mic", n=4, x_tie_groups=(1, 1, 1, 1), seed=0, kernel_version=1)
    True
    >>> tied = NullKey(measure="mic", n=4, x_tie_groups=(1, 3), seed=0, kernel_version=1)
    >>> tied.digest == untied.digest
    False
    """

    measure: str
    settings: tuple[tuple[str, str], ...] = ()
    n: int
    x_tie_groups: tuple[int, ...] = ()
    y_tie_groups: tuple[int, ...] = ()
    seed: int
    kernel_version: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", tuple(sorted((str(k), str(v)) for k, v in self.settings)))
        for name in ("n", "seed", "kernel_version"):
            object.__setattr__(self, name, int(getattr(self, name)))
        for name in ("x_tie_groups", "y_tie_groups"):
            object.__setattr__(self, name, _compact(getattr(self, name), self.n))

    @property
    def has_ties(self) -> bool:
        """True if any values of either column tie."""
        return bool(self.x_tie_groups or self.y_tie_groups)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """Six strings that, with the root seed, determine the random permutations of the null."""
        return (
            self.measure,
            json.dumps(self.settings),
            str(self.n),
            ",".join(map(str, self.x_tie_groups)),
            ",".join(map(str, self.y_tie_groups)),
            str(self.kernel_version),
        )

    @cached_property
    def stream(self) -> tuple[int, int]:
        """Key of the random number generator (Philox) that permutes the rows for this null."""
        return stream_key(self.seed, *self.parts)

    @property
    def digest(self) -> str:
        """Key of the random stream as 32 hexadecimal digits, which name the null's file."""
        first, second = self.stream
        return f"{first:016x}{second:016x}"


def _compact(tie_groups: tuple[int, ...], n: int) -> tuple[int, ...]:
    """Return the sizes of tie groups as a tuple, empty if no values tie."""
    return () if len(tie_groups) == n else tuple(map(int, tie_groups))


class NullStore:
    """Cache of null distributions in memory and on disk: the values of a measure under permutations.

    Draws that nobody has are computed in blocks, which threads that ask for the same null share among them
    (parallel.py). They are written every second: a run that is killed loses a second's work, and the next
    one goes on from there. Threads may share a store, and processes a directory. A disk that is full or can
    only be read costs one warning, not a result; so does a directory to which other users may write, which
    is not used.

    Parameters
    ----------
    directory : Path or None
        Where files go; None keeps all in memory.
    max_bytes : int
        Cap on the disk space used; the nulls unused for longest are removed.
    max_memory_bytes : int
        Cap on the memory used.
    block : int, optional
        Draws in a block, each of which is then written at once; by default blocks take ten milliseconds.

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
        self._memory: OrderedDict[str, FloatArray] = OrderedDict()
        self._n_memory_bytes = 0
        self._reported: set[str] = set()
        self._lock = threading.Lock()
        self._at_work: WeakValueDictionary[str, _Work] = WeakValueDictionary()

    def __repr__(self) -> str:
        return f"NullStore({str(self.directory) if self.directory else None!r})"

    def draws(self, key: NullKey, size: int, extend: Extend) -> FloatArray:
        """Return the null's first `size` draws as a read-only array, with missing ones computed by `extend`.

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
        while len(held) < size:
            with self._lock:
                work = self._at_work.setdefault(key.digest, _Work())
            with work.turn:  # the first to come looks at the disk
                sample = work.sample
                if sample is None or sample.n_whole == sample.size:
                    drawn = np.empty(0) if sample is None else sample.whole
                    found = max(self._known(key, size), drawn, key=len)
                    sample = work.start(JointSample(found, size, block=self._block))
            while sample.n_whole < min(size, sample.size):
                self._work_on(key, work, sample, size, extend)
            held = sample.whole
            self._remember(key, held)
        return held[:size]

    def draws_many(self, keys: Sequence[NullKey], size: int, extend: ExtendMany) -> FloatArray:
        """Return the first `size` draws of many nulls, one row per key.

        Missing draws are made in one call, extend(numbers, first, count), which gives the draws numbered
        first, …, first + count − 1 of the keys with these numbers. Nulls that are drawn as quickly as they
        are read are not written to disk.
        """
        draws = np.empty((len(keys), size))
        missing: dict[int, list[int]] = {}
        for k, key in enumerate(keys):
            held = self._known(key, size)
            draws[k, : len(held)] = held[:size]
            if len(held) < size:
                missing.setdefault(len(held), []).append(k)
        for first, numbers in missing.items():
            started = time.perf_counter()
            draws[numbers, first:] = extend(numbers, first, size - first)
            is_quick = time.perf_counter() - started < _QUICK_S * len(numbers)
            for k in numbers:
                self._remember(keys[k], draws[k].copy())
                if not is_quick:
                    self._save(keys[k], draws[k], is_costly=False)
        return draws

    def whole(self, key: NullKey, compute: Callable[[], FloatArray]) -> FloatArray:
        """Return the whole array stored under this key. If it is missing, one thread computes it."""
        held = self._recall(key)
        if len(held):
            return held
        with self._lock:
            work = self._at_work.setdefault(key.digest, _Work())
        with work.turn:
            held = self._known(key, 1)
            if not len(held):
                held = compute()
                self._save(key, held, is_costly=True)
            self._remember(key, held)
        return held

    def sizes(self) -> list[int]:
        """Return the size in bytes of each null on disk."""
        return [] if self._files is None else self._files.sizes()

    def clear(self) -> int:
        """Remove all nulls in memory and on disk, and return the number of files removed."""
        with self._lock:
            self._memory.clear()
            self._n_memory_bytes = 0
        return 0 if self._files is None else self._files.clear()

    def _known(self, key: NullKey, size: int) -> FloatArray:
        """Return the draws in memory, or those on disk if memory has fewer than `size` and disk more."""
        held = self._recall(key)
        return held if len(held) >= size else max(held, self._load(key), key=len)

    def _recall(self, key: NullKey) -> FloatArray:
        with self._lock:
            if key.digest not in self._memory:
                return np.empty(0)
            self._memory.move_to_end(key.digest)
            return self._memory[key.digest]

    def _remember(self, key: NullKey, draws: FloatArray) -> None:
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

    def _load(self, key: NullKey) -> FloatArray:
        if self._files is None:
            return np.empty(0)
        try:
            draws = self._files.read(key.digest)
        except DamagedFileError as damage:
            self._files.discard(key.digest)
            path = self._files.path(key.digest)
            self._report("damage", f"A stored null is damaged ({damage}) and computed anew: {path}.")
        except OSError as error:
            self._report("disk", f"Stored nulls cannot be read ({error}); they are computed anew.")
        else:
            return np.empty(0) if draws is None else draws
        return np.empty(0)

    def _work_on(self, key: NullKey, work: _Work, sample: JointSample, size: int, extend: Extend) -> None:
        """Compute the next block of a null's draws, or wait if other threads compute all blocks left."""
        taken = sample.take()
        if taken is None:
            sample.wait(size)
            return
        started = time.perf_counter()
        try:
            drawn = extend(*taken)
        except BaseException:
            sample.give_back(*taken)
            raise
        sample.put(taken[0], drawn, seconds=time.perf_counter() - started)
        self._remember(key, sample.whole)
        if self._block or sample.seconds - work.saved_at >= _SAVE_S or sample.n_whole == sample.size:
            with work.turn:
                whole, is_costly = sample.whole, sample.seconds - work.saved_at >= _COSTLY_S
                if len(whole) > work.n_saved:
                    work.n_saved, work.saved_at = len(whole), sample.seconds
                    self._save(key, whole, is_costly=is_costly)

    def _save(self, key: NullKey, draws: FloatArray, *, is_costly: bool) -> None:
        if self._files is None:
            return
        try:
            self._files.write(key.digest, draws, is_costly=is_costly)
        except OSError as error:
            self._report("disk", f"Nulls cannot be stored ({error}); they are kept in memory only.")

    def _report(self, what: str, message: str) -> None:
        """Warn once per kind of failure (`what`), since a bad disk would fail for every pair."""
        with self._lock:
            is_news = what not in self._reported
            self._reported.add(what)
        if is_news:
            warnings.warn(f"{message} This is reported once.", BychanceWarning, stacklevel=2)


def default_store() -> NullStore:
    """Return this process's cache of nulls, in the user's cache directory.

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
    """Return the in-memory cache of nulls of a user's measure class, which lives as long as the class."""
    return _MEMORY_STORES.setdefault(owner, {}).setdefault(os.getpid(), NullStore(None))


_MEMORY_STORES: WeakKeyDictionary[type, dict[int, NullStore]] = WeakKeyDictionary()
_DEFAULT_STORES: dict[tuple[int, str], NullStore] = {}


def _directory(cache: str) -> Path | None:
    return None if cache.strip().lower() in ("", "off") else Path(cache).expanduser() / "nulls"


class _Work:
    """Draws of one null that threads compute together, with a lock and the number of draws on disk."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.sample: JointSample | None = None
        self.n_saved, self.saved_at = 0, 0.0

    def start(self, sample: JointSample) -> JointSample:
        """Replace the sample by a new, longer one, which threads draw together, and return it."""
        self.sample, self.n_saved, self.saved_at = sample, sample.n_whole, 0.0
        return sample
