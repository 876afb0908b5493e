"""Samples of nulls on disk: (key, draws) → one file in a sharded, capped directory, and back.

A file is written under another name and renamed, so a reader meets a whole sample or none.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.store_format import decode, encode, read_header
from bychance.nulls.store_key import NullKey

__all__ = ["NullFiles", "StoreEntry"]

_N_SHARDS = 256
_SHARD = re.compile(r"[0-9a-f]{2}")
_OURS = re.compile(r"[0-9a-f]{32}\.(null|[0-9a-f]+\.tmp)")
_STALE_S = 3600.0  # a temporary file this old was left by a process that died
_AFTER_EVICTION = 0.9  # of the cap: room for many writes before the next scan of the tree


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One stored null, as a listing shows it.

    Examples
    --------
    >>> from bychance.nulls.store import NullStore
    >>> NullStore(None).entries()  # a store in memory lists nothing
    []
    """

    measure: str
    settings: tuple[tuple[str, str], ...]
    n: int
    is_tied: bool
    seed: int
    kernel_version: int
    count: int
    bytes: int
    digest: str
    used: datetime


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    used: float

    @property
    def is_sample(self) -> bool:
        return self.path.endswith(".null")


class NullFiles:
    """A directory of samples in 256 shards, kept under `max_bytes` by removing those unused for longest.

    Its methods raise OSError where a sample cannot be read or written, DamagedFileError where it was altered.

    Examples
    --------
    >>> import tempfile
    >>> key = NullKey(measure="mic", n=60, seed=0, kernel_version=1)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     files = NullFiles(Path(directory), max_bytes=10_000)
    ...     files.write(key, np.array([0.25, 0.5]), is_costly=False)
    ...     files.read(key)
    array([0.25, 0.5 ])
    """

    def __init__(self, directory: Path, *, max_bytes: int) -> None:
        self.directory, self._max_bytes = directory, max_bytes
        self._lock = threading.Lock()
        self._n_bytes: int | None = None  # not known before the first write

    def path(self, digest: str) -> Path:
        """Where the sample of this digest lies or would lie."""
        return self.directory / digest[:2] / f"{digest}.null"

    def read(self, key: NullKey) -> NDArray[np.float64] | None:
        """The stored sample, marked as just used; None where there is none of this format."""
        path = self.path(key.digest)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        draws = decode(content, key.digest)
        with contextlib.suppress(OSError):  # evicted meanwhile, or a disk that can only be read
            os.utime(path)
        return draws

    def write(self, key: NullKey, draws: NDArray[np.float64], *, is_costly: bool) -> None:
        """Store the sample unless a longer one is there; a costly one also survives a power cut."""
        path = self.path(key.digest)
        held = read_header(path)
        if held is not None and held["count"] >= len(draws):
            return
        content = encode(key, draws)
        if len(content) > self._max_bytes:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        n_before = _size(path)
        _replace(path, content, is_costly)
        self._account(len(content) - n_before, path)

    def discard(self, key: NullKey) -> None:
        """Remove a sample, where it is there and can be removed."""
        _remove(self.path(key.digest))

    def entries(self) -> list[StoreEntry]:
        """What is stored, the most recently used first; headers are read, draws are not."""
        files = sorted(self._scan(), key=lambda file: file.used, reverse=True)
        found = (_entry(file) for file in files if file.is_sample)
        return [entry for entry in found if entry is not None]

    def clear(self) -> int:
        """Remove all that is ours, and say how many samples went."""
        return sum(_remove(file.path) and file.is_sample for file in list(self._scan()))

    def _account(self, n_grown: int, just_written: Path) -> None:
        """Keep the running size, and scan the tree only where the cap may have been reached.

        Digests are uniform, so at the first write one shard tells about all; a scan of a large tree can take
        seconds on a network disk.
        """
        with self._lock:
            if self._n_bytes is None:
                self._n_bytes = _N_SHARDS * sum(file.size for file in _scan_shard(just_written.parent))
                is_at_cap = self._n_bytes > self._max_bytes / 2
            else:
                self._n_bytes += n_grown
                is_at_cap = self._n_bytes > self._max_bytes
            if is_at_cap:
                self._n_bytes = self._evict(just_written)

    def _evict(self, just_written: Path) -> int:
        """The bytes left once dead temporary files and, over the cap, samples unused for longest are gone."""
        files = sorted(self._scan(), key=lambda file: file.used)
        n_bytes = sum(file.size for file in files)
        goal = n_bytes if n_bytes <= self._max_bytes else int(_AFTER_EVICTION * self._max_bytes)
        for file in files:
            is_dead = not file.is_sample and file.used < time.time() - _STALE_S
            is_surplus = file.is_sample and n_bytes > goal and file.path != str(just_written)
            if is_dead or is_surplus:
                _remove(file.path)
                n_bytes -= file.size  # also where it stays, or every write would scan the tree again
        return n_bytes

    def _scan(self) -> Iterator[_File]:
        for shard in _listing(self.directory):
            if _SHARD.fullmatch(shard.name):
                yield from _scan_shard(shard.path)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _replace(path: Path, content: bytes, is_costly: bool) -> None:
    """Write under a name that nobody else uses, then rename.

    Without fsync a power cut may leave a damaged file under the final name, which the checksum notices;
    only what took long to compute is worth the wait.
    """
    temporary = path.with_suffix(f".{uuid.uuid4().hex}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            if is_costly:
                file.flush()
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise


def _remove(path: Path | str) -> bool:
    """Whether the file could be removed; it may be gone already, another user's, or in use."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _scan_shard(directory: Path | str) -> Iterator[_File]:
    """Our files, and nothing else that someone may keep there."""
    for entry in _listing(directory):
        if _OURS.fullmatch(entry.name):
            with contextlib.suppress(FileNotFoundError):  # another process evicted it
                status = entry.stat()
                yield _File(entry.path, status.st_size, status.st_mtime)


def _listing(directory: Path | str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _entry(file: _File) -> StoreEntry | None:
    header = read_header(file.path)
    if header is None:
        return None
    try:
        return StoreEntry(
            measure=str(header["measure"]),
            settings=tuple((str(name), str(value)) for name, value in header["settings"]),
            n=int(header["n"]),
            is_tied=bool(header["is_tied"]),
            seed=int(header["seed"]),
            kernel_version=int(header["kernel_version"]),
            count=int(header["count"]),
            bytes=file.size,
            digest=os.path.basename(file.path).removesuffix(".null"),
            used=datetime.fromtimestamp(file.used, UTC),
        )
    except (KeyError, TypeError, ValueError):
        return None  # altered by hand; reading its draws would report it
