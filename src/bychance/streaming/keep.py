"""Finished sums beside the output, so that an interrupted run over many rows can resume."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from bychance.sealed_files import DamagedFileError, open_regular, read_sealed, write_sealed

__all__ = ["Kept"]

_EVERY_S = 10.0


class Kept:
    """The sums of the parts that are done, in a file; a later run goes on from there.

    It does so where the version, the options and the parts that are done are the same: a part that was broken
    may have been mended since. Without `resume` what is there is removed.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self._mark, self._saved = path, "", time.monotonic()
        if not resume:
            self.remove()

    def restored(self, parts: Sequence[Any], *what: object) -> tuple[Any, Any, int] | None:
        """What an earlier run found, by which types, and in how many of these parts; None without one."""
        from bychance import __version__

        self._mark = hashlib.blake2b(repr((__version__, *what)).encode(), digest_size=16).hexdigest()
        try:
            with open_regular(self.path) as file:
                if not _is_own(file):
                    return None
                found, typing, stamps = pickle.loads(read_sealed(file, self._mark))
        except (OSError, DamagedFileError):
            return None
        is_same = len(stamps) <= len(parts) and stamps == _stamps(parts[: len(stamps)])
        return (found, typing, len(stamps)) if is_same else None

    def save(self, found: Any, typing: Any, parts: Sequence[Any], *, is_last: bool = False) -> None:
        """Keep what these parts gave, every ten seconds and in the end."""
        if not parts or (not is_last and time.monotonic() - self._saved < _EVERY_S):
            return
        write_sealed(self.path, pickle.dumps((found, typing, _stamps(parts))), self._mark)
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def _is_own(file: IO[bytes]) -> bool:
    """Whether this user wrote the file: reading it runs what it says."""
    return not hasattr(os, "getuid") or os.fstat(file.fileno()).st_uid == os.getuid()


def _stamps(parts: Sequence[Any]) -> list[tuple[str, tuple[int, int] | None]]:
    """The names of parts, with the size and the time of their files, by which a change shows."""
    return [(part.name, _stamp(part.name.partition(", row groups")[0])) for part in parts]


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        told = os.stat(path)
    except OSError:
        return None
    return told.st_size, told.st_mtime_ns
