"""The most that a file may unpack to: few bytes can stand for more than a machine has memory."""

from __future__ import annotations

from dataclasses import dataclass

from bychance.errors import BychanceError
from bychance.messages import OPEN, Option

__all__ = ["MAX_GIB", "UnpackedLimit"]

MAX_GIB = 2.0
_GIB = 1 << 30


@dataclass(frozen=True, slots=True)
class UnpackedLimit:
    """What a file may take in memory, in GiB; an error that names the option where it takes more.

    >>> UnpackedLimit("harvest.csv.gz", 0.5).check(1 << 30)
    Traceback (most recent call last):
    bychance.errors.BychanceError: harvest.csv.gz takes more than 0.5 GiB unpacked; \
read_table(…, max_gib=…) raises the limit.
    """

    origin: str
    max_gib: float = MAX_GIB

    def check(self, n_bytes: int, because: str = "") -> None:
        """An error where that many bytes are too many; `because` says what takes them."""
        if n_bytes > self.max_gib * _GIB:
            raise BychanceError(
                f"{self.origin} takes more than {self.max_gib:g} GiB unpacked{because}; "
                + Option("max_gib", OPEN)
                + " raises the limit."
            )
