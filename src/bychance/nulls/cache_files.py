"""Cached null distributions on disk: one file of draws per null, in a capped directory.

A file holds the draws as little-endian float64, sealed with the digest of the null's key (see
sealed_files.py). Files that other users wrote, or may write, are never read.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bychance.array_types import FloatArray
from bychance.sealed_files import SEAL_BYTES, DamagedFileError, open_regular, read_sealed, write_sealed

__all__ = ["NullFiles"]

_N_SHARDS = 256  # subfolders, named by the first two hexadecimal digits of a digest
_SHARD = re.compile(r"[0-9a-f]{2}")
_OURS = re.compile(r"[0-9a-f]{32}\.null|\.[0-9a-f]{32}\.null\.[0-9a-f]+")  # the latter are temporary
_STALE_S = 3600.0  # seconds after which a temporary file was left by a dead process (taste)
_AFTER_EVICTION = 0.9  # share of the cap left after removals, so that many writes fit before the next (taste)


@dataclass(frozen=True, slots=True)
class _File:
    path: str
    size: int
    used: float

    @property
    def is_sample(self) -> bool:
        return not os.path.basename(self.path).startswith(".")


class NullFiles:
    """Directory of cached null draws, capped at `max_bytes` by removing the least recently used.

    Its methods raise OSError where a sample cannot be read or written, also where other users could have
    written it, and DamagedFileError where it was altered.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     files = NullFiles(Path(directory), max_bytes=10_000)
    ...     files.write("0" * 32, np.array([0.25, 0.5]), is_costly=False)
    ...     files.read("0" * 32)
    array([0.25, 0.5 ])
    """

    def __init__(self, directory: Path, *, max_bytes: int) -> None:
        self.directory, self._max_bytes = directory, max_bytes
        self._lock = threading.Lock()
        self._n_bytes: int | None = None  # not known before the first write

    def path(self, digest: str) -> Path:
        """Return the path of the cached draws with this digest."""
        return self.directory / digest[:2] / f"{digest}.null"

    def read(self, digest: str) -> FloatArray | None:
        """Return the stored draws and mark them as just used, or return None."""
        path = self.path(digest)
        try:
            self._check_directories(path.parent)
            with open_regular(path) as file:
                _check_private(os.fstat(file.fileno()), path)
                draws = read_sealed(file, _identity(digest))
        except FileNotFoundError:
            return None
        if len(draws) % 8:
            raise DamagedFileError("its last draw is cut off")
        with contextlib.suppress(OSError):  # evicted meanwhile, or a disk that can only be read
            os.utime(path)
        return np.frombuffer(draws, dtype="<f8").astype(np.float64)

    def write(self, digest: str, draws: FloatArray, *, is_costly: bool) -> None:
        """Store the draws unless as many or more are stored. Costly ones are synced to survive a power cut.

        Without fsync a power cut may leave a damaged file, which its seal shows. Only what took long to
        compute is worth the wait.
        """
        path = self.path(digest)
        n_bytes, n_before = draws.nbytes + SEAL_BYTES, _size(path)
        if n_before >= n_bytes:
            with contextlib.suppress(OSError, DamagedFileError):  # it is replaced
                if self.read(digest) is not None:
                    return
        if n_bytes > self._max_bytes:
            return
        if not path.parent.is_dir():
            for directory in (self.directory.parent, self.directory, path.parent):
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._check_directories(path.parent)
        write_sealed(path, draws.astype("<f8", copy=False).tobytes(), _identity(digest), sync=is_costly)
        self._account(n_bytes - n_before, path)

    def discard(self, digest: str) -> None:
        """Remove the cached draws with this digest, if they exist and can be removed."""
        _remove(self.path(digest))

    def sizes(self) -> list[int]:
        """Return the size in bytes of each file of cached draws."""
        return [file.size for file in self._scan() if file.is_sample]

    def clear(self) -> int:
        """Remove all cached draws and temporary files, and return the number of files of draws removed."""
        return sum(_remove(file.path) and file.is_sample for file in list(self._scan()))

    def _check_directories(self, *shard: Path) -> None:
        """Raise PermissionError if other users could replace the cache's directories or a file in them."""
        above = os.stat(self.directory.parent).st_mode
        if _HAS_OWNERS and above & stat.S_IWOTH and not above & stat.S_ISVTX:
            raise _not_private(self.directory.parent)
        for directory in (self.directory, *shard):
            _check_private(os.stat(directory), directory)

    def _account(self, n_grown: int, just_written: Path) -> None:
        """Update the directory's total size after a write, and evict files if it may exceed the cap.

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
        """Remove abandoned temporary files and the oldest draws above the cap, and return the bytes left."""
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


def _identity(digest: str) -> str:
    return f"draws of {digest}"


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def _check_private(status: os.stat_result, path: Path) -> None:
    """Raise PermissionError if other users may have written this file."""
    if _HAS_OWNERS and (
        status.st_uid not in (0, os.geteuid()) or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise _not_private(path)


def _not_private(path: Path) -> PermissionError:
    return PermissionError(f"other users may write to {path}: make it private, or set BYCHANCE_CACHE")


_HAS_OWNERS = hasattr(os, "geteuid")


def _remove(path: Path | str) -> bool:
    """Remove a file if possible, and return True if it was removed."""
    try:
        os.unlink(path)
    except OSError:
        return False
    return True


def _scan_shard(directory: Path | str) -> Iterator[_File]:
    """Yield the files of cached draws in one subfolder, and no other files."""
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
