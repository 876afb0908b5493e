"""Finished pieces of a long run on disk: (name, settings, seed) → a dict of arrays, and its time.

A piece is one file, written under another name and renamed, so that a run that was stopped goes on from what
it had finished. Other settings, another seed or another version of the package make another file.
"""

from __future__ import annotations

import hashlib
import json
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import __version__
from bychance.ranking.files import replacing
from bychance.sealed_files import DamagedFileError, open_regular

__all__ = ["Arrays", "Piece", "PieceFunction", "is_stored", "make_piece"]

Arrays = dict[str, NDArray[Any]]
PieceFunction = Callable[..., Mapping[str, Any]]
"""function(seed=…, **settings) → values that NumPy makes arrays of numbers or strings of."""

_SECONDS = "seconds of work"
# What NumPy and zipfile make of a damaged file, whose members carry a checksum each.
_ZIP_ERRORS = (ValueError, EOFError, KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class Piece:
    """Arrays, and how many seconds they took when they were computed."""

    arrays: Arrays
    seconds: float


def make_piece(
    directory: Path, name: str, function: PieceFunction, seed: int, settings: Mapping[str, Any]
) -> Piece:
    """Return the stored piece, or compute and store it."""
    path = _path(directory, name, seed, settings)
    stored = _load(path)
    if stored is not None:
        return stored
    started = time.perf_counter()
    arrays = {key: np.asarray(value) for key, value in function(seed=seed, **settings).items()}
    seconds = time.perf_counter() - started
    for key, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"{name}: {key!r} must hold numbers or strings, got {array.dtype}.")
    held: dict[str, Any] = {**arrays, _SECONDS: seconds}
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        np.savez(file, **held)
    return Piece(arrays, seconds)


def is_stored(directory: Path, name: str, seed: int, settings: Mapping[str, Any]) -> bool:
    """Return True if there is such a piece."""
    return _path(directory, name, seed, settings).is_file()


def _path(directory: Path, name: str, seed: int, settings: Mapping[str, Any]) -> Path:
    identity = json.dumps([name, seed, __version__, settings], sort_keys=True)
    digest = hashlib.blake2b(identity.encode(), digest_size=8).hexdigest()
    return directory / f"{name}-{digest}.npz"


def _load(path: Path) -> Piece | None:
    """Load a piece, or return None if there is none or it is damaged."""
    try:
        with open_regular(path) as file:
            arrays = dict(np.load(file, allow_pickle=False))
        return Piece(arrays, float(arrays.pop(_SECONDS)))
    except (OSError, DamagedFileError, *_ZIP_ERRORS):
        return None
