"""Finished sums beside the output, so that an interrupted run over many rows can resume."""

from __future__ import annotations

import hashlib
import os
import pickle
import time
from pathlib import Path
from typing import Any

from bychance.sealed_files import DamagedFileError, open_regular, read_sealed, write_sealed

__all__ = ["Kept"]

_EVERY_S = 10.0


class Kept:
    """The sums of the parts that are done, in a file; a later run over the same parts goes on from there."""

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self._mark, self._saved = path, "", time.monotonic()
        if not resume:
            self.remove()

    def restored(self, what: tuple[Any, ...], nothing: Any) -> tuple[Any, int]:
        """What an earlier run found and how many parts that were, or nothing."""
        self._mark = _mark(*what)
        try:
            with open_regular(self.path) as file:
                total, n_done = pickle.loads(read_sealed(file, self._mark))
        except (OSError, DamagedFileError):
            return nothing, 0
        return total, n_done

    def save(self, total: Any, n_done: int, *, is_last: bool = False) -> None:
        """Keep what is found so far, every ten seconds and in the end."""
        if not n_done or (not is_last and time.monotonic() - self._saved < _EVERY_S):
            return
        write_sealed(self.path, pickle.dumps((total, n_done)), self._mark)
        self._saved = time.monotonic()

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def _mark(source: Any, columns: list[str], typing: Any, options: Any) -> str:
    """What the sums depend on: the version, the files as they are now, the types and the options."""
    from bychance import __version__

    digest = hashlib.blake2b(digest_size=16)
    parts = [(part.name, _stamp(part.name)) for part in source.parts]
    wishes = typing.wishes
    said = [sorted(each) for each in (wishes.numeric, wishes.categorical, wishes.drop, wishes.missing or ())]
    kinds = (typing.numeric, typing.labels, said, wishes.day_first, typing.scalings.tobytes())
    digest.update(repr((__version__, parts, columns, kinds, options)).encode())
    return digest.hexdigest()


def _stamp(name: str) -> tuple[int, int] | None:
    """The size and the time of a file, by which a change shows."""
    try:
        told = os.stat(name.partition(", row groups")[0])
    except OSError:
        return None
    return told.st_size, told.st_mtime_ns
