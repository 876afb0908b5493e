"""Finished sums beside the output, so that an interrupted run over many rows can resume."""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bychance.errors import BychanceWarning
from bychance.names import display_name
from bychance.sealed_files import (
    DamagedFileError,
    open_regular,
    read_sealed,
    remove_unfinished,
    write_sealed,
)
from bychance.streaming.packed import pack, told_in, unpack
from bychance.streaming.parts import Part, Stamp, in_good_words

if TYPE_CHECKING:
    from bychance.streaming.read import Found
    from bychance.streaming.typed_batches import Typing

__all__ = ["Kept"]

_EVERY_S = 10.0
_SHARE = 0.05  # largest share of the running time that saving may take
_NOT_KNOWN_AGAIN = (
    "has no size and time of change by which resuming could know its rows again: all rows are read anew, and "
    "finished blocks of pairs are used only if all sums are the same."
)


class Kept:
    """Sums of finished parts, in a file from which a later run resumes.

    A run resumes if the version, the options and the finished parts are the same. A part that could not be
    read may have been repaired since. Parts without a stamp are neither saved nor restored. Without `resume`,
    an existing file is removed.
    """

    def __init__(self, path: Path, *, resume: bool) -> None:
        self.path, self._mark, self._next = path, "", time.monotonic() + _EVERY_S
        self._stamps: list[Stamp | None] = []  # taken before the rows are read
        self._is_to_warn = resume
        if resume:
            remove_unfinished(path)
        else:
            self.remove()

    def restored(
        self, parts: Sequence[Any], typing: Typing, empty: Callable[[Typing], Found], *what: object
    ) -> tuple[Found, Typing, int] | None:
        """Return the results of an earlier run, their types and their number of parts, or None."""
        from bychance import __version__

        self._stamps = [_named_stamp(part) for part in parts]
        if self._is_to_warn and None in self._stamps:
            name = display_name(parts[self._stamps.index(None)].name)
            warnings.warn(f"{name} {_NOT_KNOWN_AGAIN}", BychanceWarning, stacklevel=2)
            self._is_to_warn = False
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
        is_same = len(stamps) <= len(parts) and stamps == self._stamps[: len(stamps)]
        return (unpack(packed, empty(typing)), typing, len(stamps)) if is_same else None

    def save(self, found: Found, typing: Typing, n_parts: int, *, is_last: bool = False) -> None:
        """Keep the sums of some parts: every ten seconds, less often if it takes long, and in the end."""
        start, stamps = time.monotonic(), self._stamps[:n_parts]
        if not stamps or None in stamps or (not is_last and start < self._next):
            return
        write_sealed(self.path, pack(found, stamps=stamps, scales=typing.scales), self._mark)
        end = time.monotonic()
        self._next = end + max(_EVERY_S, (end - start) / _SHARE)

    def remove(self) -> None:
        """Remove the file, and unfinished files of runs that were killed."""
        self.path.unlink(missing_ok=True)
        remove_unfinished(self.path)


def _named_stamp(part: Part) -> Stamp | None:
    with in_good_words(part.name):
        stamp = part.stamp()
    return None if stamp is None else [part.name, *stamp]
