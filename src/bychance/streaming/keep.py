"""Finished sums beside the output, so that an interrupted run over many rows can resume."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bychance.sealed_files import DamagedFileError, open_regular, read_sealed, write_sealed
from bychance.streaming.packed import pack, told_in, unpack

if TYPE_CHECKING:
    from bychance.streaming.read import Found
    from bychance.streaming.typed_batches import Typing

__all__ = ["Kept"]

_EVERY_S = 10.0
_SHARE = 0.05  # of the time, at most, goes into keeping


class Kept:
    """The sums of the parts that are done, in a file; a later run goes on from there.

    It does so where the version, the options and the parts that are done are the same: a part that was broken
    may have been mended since. Without `resume` what is there is removed.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self._mark, self._next = path, "", time.monotonic() + _EVERY_S
        if not resume:
            self.remove()

    def restored(
        self, parts: Sequence[Any], typing: Typing, empty: Callable[[Typing], Found], *what: object
    ) -> tuple[Found, Typing, int] | None:
        """What an earlier run found, by which types, and in how many of these parts; None without one."""
        from bychance import __version__

        self._mark = hashlib.blake2b(
            repr((__version__, typing.kinds, *what)).encode(), digest_size=16
        ).hexdigest()
        try:
            with open_regular(self.path) as file:
                packed = read_sealed(file, self._mark)
        except (OSError, DamagedFileError):
            return None
        told = told_in(packed)
        stamps, typing = told["stamps"], typing.scaled_as(told["scales"])
        is_same = len(stamps) <= len(parts) and stamps == _stamps(parts[: len(stamps)])
        return (unpack(packed, empty(typing)), typing, len(stamps)) if is_same else None

    def save(self, found: Found, typing: Typing, parts: Sequence[Any], *, is_last: bool = False) -> None:
        """Keep what these parts gave: every ten seconds, less often where it takes long, and in the end."""
        start = time.monotonic()
        if not parts or (not is_last and start < self._next):
            return
        write_sealed(self.path, pack(found, stamps=_stamps(parts), scales=typing.scales), self._mark)
        end = time.monotonic()
        self._next = end + max(_EVERY_S, (end - start) / _SHARE)

    def remove(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)


def _stamps(parts: Sequence[Any]) -> list[list[Any]]:
    """The names of parts, with the size and the time of their files, by which a change shows."""
    return [[part.name, _stamp(part.name.partition(", row groups")[0])] for part in parts]


def _stamp(path: str) -> list[int] | None:
    try:
        told = os.stat(path)
    except OSError:
        return None
    return [told.st_size, told.st_mtime_ns]
