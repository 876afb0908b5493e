"""Paths of the paper's data files, and instructions for missing ones."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from bychance.errors import BychanceError

__all__ = ["Data", "MissingDataError"]


class MissingDataError(BychanceError):
    """A data file is missing. The message says what to put where."""


@dataclass(frozen=True, slots=True)
class Data:
    """A directory of data files. With `download`, missing files may be fetched."""

    directory: Path
    download: bool = False

    @classmethod
    def find(cls, directory: str | os.PathLike[str] | None = None, *, download: bool = False) -> Data:
        """Find the directory: the one given, that of BYCHANCE_DATA, or shared/data beside the repository."""
        beside = Path(__file__).resolve().parents[2] / "shared" / "data"
        return cls(Path(directory or os.environ.get("BYCHANCE_DATA") or beside), download)

    def file(self, name: str) -> Path:
        """Return the path of an existing data file.

        >>> Data(Path("/nowhere")).file("WHO.csv")
        Traceback (most recent call last):
        reproduction.data.MissingDataError: WHO.csv is not in /nowhere: put it there, or name the directory
        that has it with --data or BYCHANCE_DATA.
        """
        path = self.directory / name
        if not path.is_file():
            raise self.missing(name)
        return path

    def missing(self, *names: str) -> MissingDataError:
        """Make the error that says what to put where."""
        verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
        return MissingDataError(
            f"{', '.join(names)} {verb} not in {self.directory}: put {them} there, or name the directory "
            f"that has {them} with --data or BYCHANCE_DATA."
        )
