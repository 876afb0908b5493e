"""Data files of a folder, a glob or a URL, and notes on the files that were left out.

As in Spark, Dask and Arrow, names that begin with a dot or an underscore are not data: checkpoints of
notebooks, files of an unfinished job, waste baskets. Links are followed, and no file is read twice.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from bychance.messages import Code, Note
from bychance.names import display_name

__all__ = ["MAGIC", "Listed", "in_folder", "in_url", "matching"]

MAGIC = frozenset("*?[")
_HIDDEN = (".", "_")
IsReadable = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Listed:
    """Files to read, in order, and notes on files that were left out."""

    paths: tuple[str, ...]
    notes: tuple[Note, ...]


def in_folder(folder: str, is_readable: IsReadable) -> Listed:
    """Return the files of known formats in a folder and its subfolders, following links."""
    return _listed(filter(is_readable, _files_below(folder)), folder, is_local=True)


def matching(pattern: str) -> Listed:
    """Return the files that match a glob pattern."""
    return _listed(filter(os.path.isfile, glob.glob(pattern, recursive=True)), pattern, is_local=True)


def in_url(filesystem: Any, path: str, is_readable: IsReadable) -> Listed:
    """Return the files of an fsspec path: a glob, a folder or a file."""
    if MAGIC & set(path):
        return _listed(filesystem.glob(path), path)
    if filesystem.isdir(path):
        return _listed(filter(is_readable, filesystem.find(path)), path)
    return Listed((path,) * filesystem.exists(path), ())


def _listed(found: Iterable[str], asked: str, *, is_local: bool = False) -> Listed:
    visible, hidden = list[str](), list[str]()
    for path in sorted(found):
        (hidden if _is_hidden(path, asked) else visible).append(path)
    once = _each_once(visible) if is_local else visible
    left_out = {
        "under a name that begins with . or _ left out": hidden,
        "left out as a link to one that is read": sorted(set(visible) - set(once)),
    }
    notes = (
        Note.on_table(Code.FILES_LEFT_OUT, n=len(paths), why=why, files=_shown(paths))
        for why, paths in left_out.items()
        if paths
    )
    return Listed(tuple(once), tuple(notes))


def _is_hidden(path: str, asked: str) -> bool:
    """Return True if the path has a hidden name that the caller did not ask for."""
    hidden, named = ([name for name in _names_in(each) if name.startswith(_HIDDEN)] for each in (path, asked))
    return any(name not in named and not any(fnmatchcase(name, like) for like in named) for name in hidden)


def _files_below(folder: str) -> Iterator[str]:
    """Yield all files in a folder and its subfolders, each folder once, since links may form cycles."""
    waiting, seen = [folder], set[str]()
    for start in waiting:
        for place, folders, names in os.walk(start):
            real = os.path.realpath(place)
            if real in seen:
                folders.clear()
                continue
            yield from (os.path.join(place, name) for name in names)
            if not _is_hidden(place, folder):
                seen.add(real)
                waiting += (path for name in folders if os.path.islink(path := os.path.join(place, name)))


def _each_once(paths: list[str]) -> list[str]:
    """Return the paths without links whose target is also in the list."""
    by_file: dict[str, str] = {}
    for path in sorted(paths, key=os.path.islink):
        by_file.setdefault(os.path.realpath(path), path)
    return sorted(by_file.values())


def _names_in(path: str) -> list[str]:
    return path.replace(os.sep, "/").split("/")


def _shown(paths: list[str]) -> str:
    first = display_name("/".join(_names_in(paths[0])[-2:]))
    return first if len(paths) == 1 else f"{first}, …"
