"""Sources that can be read in batches: files, datasets, streams, lazy frames and Dask DataFrames.

In:  a path, a directory, a glob, a list of paths, a URL, a dataset, a reader of record batches, a lazy frame.
Out: a StreamSource with its parts, or None for data in memory and for formats that are read whole.

As in Spark, Dask and Arrow, names of files that begin with a dot or an underscore are not data: checkpoints
of notebooks, files of an unfinished job, waste baskets. Links are followed, and no file is read twice.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from bychance.errors import BychanceError, in_one_sentence
from bychance.io.dialect import Layout
from bychance.io.files import FEATHER, PARQUET, check_layout
from bychance.messages import Code, Note
from bychance.names import count_of, display_name, first_line
from bychance.streaming.parts import FilePart, FramePart, OncePart, Part, StreamSource, common_schema
from bychance.streaming.text import TEXT_SUFFIXES, text_source

__all__ = ["Listed", "in_folder", "matching", "open_source"]

_MAGIC = frozenset("*?[")
_HIDDEN = (".", "_")
_ROWS_PER_PART = 1 << 20  # least number of rows of a part of a Parquet file, if it has as many (taste)
_VALUE_BYTES = 8  # bytes per value in memory, to estimate a file's size (a float64)
_KINDS = dict.fromkeys(PARQUET, "parquet") | dict.fromkeys(FEATHER, "ipc")
_KINDS |= dict.fromkeys(TEXT_SUFFIXES, "text")


def open_source(source: Any, layout: Layout | None = None) -> StreamSource | None:
    """Open a source to be read in batches, or return None for data in memory and formats read whole."""
    layout = Layout() if layout is None else layout
    if isinstance(source, str | os.PathLike):
        return _from_path(os.fsdecode(source), layout)
    if isinstance(source, list | tuple) and source and all(isinstance(s, str | os.PathLike) for s in source):
        return _from_files([os.fsdecode(path) for path in source], layout, count_of(len(source), "file"))
    module = type(source).__module__.split(".")[0]
    if module in ("dask", "dask_expr") and hasattr(source, "to_delayed"):
        return _from_dask(source)
    if module == "pyarrow":
        from pyarrow import RecordBatchReader, dataset

        if isinstance(source, dataset.Dataset):
            return _from_dataset(source, "a pyarrow dataset")
        is_stream = isinstance(source, RecordBatchReader)
        return _from_reader(source, "a reader of record batches") if is_stream else None
    if module == "polars" and hasattr(source, "collect_batches"):
        return _from_lazy(source)
    if module not in ("pandas", "polars") and hasattr(source, "__arrow_c_stream__"):
        return _from_reader(source, f"a {type(source).__name__}")
    return None


def _from_path(path: str, layout: Layout) -> StreamSource | None:
    if "://" in path:
        return _from_url(path, layout)
    if os.path.isdir(path):
        listed = in_folder(path)
        if not listed.paths:
            raise BychanceError(
                f"The directory {display_name(path)} holds no Parquet, Feather, Arrow or CSV files."
            )
        return _from_listed(listed, layout, path, base=path)
    if os.path.exists(path) or not _MAGIC & set(path):
        is_known = _is_readable(path) and os.path.isfile(path)
        return _from_files([path], layout, Path(path).name) if is_known and os.path.getsize(path) else None
    return _from_listed(matching(path), layout, path)


def _from_url(url: str, layout: Layout) -> StreamSource | None:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise BychanceError(f"Reading {display_name(url)} needs the package fsspec.") from None
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
        if "file" in filesystem.protocol and (os.path.isdir(path) or _MAGIC & set(path)):
            return _from_path(path, layout)
        filesystem.invalidate_cache()  # another process may have written since
        listed = _in_url(filesystem, path)
    except BychanceError:
        raise
    except Exception as error:
        raise BychanceError(f"{display_name(url)} could not be opened: {first_line(error)}.") from None
    return _from_listed(listed, layout, url, base=path, filesystem=filesystem)


def _from_listed(listed: Listed, layout: Layout, origin: str, **where: Any) -> StreamSource:
    if not listed.paths:
        raise BychanceError(f"No file matches {display_name(origin)}.")
    source = _from_files(listed.paths, layout, origin, **where)
    return replace(source, notes=(*listed.notes, *source.notes))


def _from_files(
    paths: Sequence[str], layout: Layout, origin: str, base: str | None = None, filesystem: Any = None
) -> StreamSource:
    if filesystem is None:
        _check_there(paths)
    kinds = {_kind_of(path) for path in paths}
    if len(kinds) > 1:
        names = {"ipc": "Arrow", "parquet": "Parquet", "text": "text"}
        got = " and ".join(sorted(names[kind] for kind in kinds))
        raise BychanceError(f"{display_name(origin)} must hold files of one format, got {got}.")
    kind = kinds.pop()
    if kind == "text":
        return text_source(origin, paths, layout, filesystem)
    check_layout(layout, origin)
    from pyarrow import dataset, fs

    arrow_fs = None if filesystem is None else fs.PyFileSystem(fs.FSSpecHandler(filesystem))
    with in_one_sentence(paths[0]):
        rows = dataset.dataset(
            list(paths), format=kind, filesystem=arrow_fs, partitioning="hive" if base else None,
            partition_base_dir=base,
        )  # fmt: skip
    return _from_dataset(rows, origin)


def _from_dataset(rows: Any, origin: str) -> StreamSource:
    with in_one_sentence(origin):
        fragments = [
            (getattr(fragment, "path", "") or f"part {number} of {origin}", fragment)
            for number, fragment in enumerate(rows.get_fragments(), start=1)
        ]
    schema = _schema_of(rows.schema, fragments)
    parts: list[Part] = []
    n_rows = n_bytes = 0
    for name, fragment in fragments:
        if not hasattr(fragment, "split_by_row_group"):
            parts.append(FilePart(name, fragment, schema))
            n_bytes += os.path.getsize(name) * 2 if os.path.exists(name) else 0
            continue
        with in_one_sentence(name):
            groups = list(fragment.row_groups)
        for few in _grouped([group.num_rows for group in groups]):
            some = f"{name}, row groups {few[0]} to {few[-1]}" if len(few) < len(groups) else name
            parts.append(FilePart(some, fragment.subset(row_group_ids=few), schema))
        n_rows += sum(group.num_rows for group in groups)
        n_bytes += sum(
            max(group.total_byte_size, group.num_rows * len(schema) * _VALUE_BYTES) for group in groups
        )
    if not parts:
        raise BychanceError(f"{display_name(origin)} has no parts.")
    return StreamSource(origin, schema, tuple(parts), n_rows=n_rows or None, n_bytes=n_bytes or None)


def _schema_of(told: Any, fragments: Sequence[tuple[str, Any]]) -> Any:
    """Return a schema with the columns of all files in their common types."""
    import pyarrow as pa

    own: list[Any] = []
    for name, fragment in fragments:
        with in_one_sentence(name):
            schema = fragment.physical_schema
        if not any(schema.equals(each) for each in own):
            own.append(schema)
    everywhere = set[str].intersection(*(set(each.names) for each in own)) if own else set[str]()
    names = {*told.names, *(name for each in own for name in each.names if name not in everywhere)}
    return pa.schema([field for field in common_schema([told, *own]) if field.name in names])


def _grouped(sizes: Sequence[int]) -> Iterator[list[int]]:
    """Group a file's row groups, given their numbers of rows, into lists of about a million rows."""
    few: list[int] = []
    n_rows = 0
    for number, size in enumerate(sizes):
        few.append(number)
        n_rows += size
        if n_rows >= _ROWS_PER_PART:
            yield few
            few, n_rows = [], 0
    if few or not sizes:
        yield few


def _from_reader(source: Any, origin: str) -> StreamSource:
    import pyarrow as pa

    with in_one_sentence(origin):
        reader = pa.RecordBatchReader.from_stream(source)
    return StreamSource(origin, reader.schema, (OncePart(origin, reader),), can_reread=False)


def _from_lazy(source: Any) -> StreamSource:
    import pyarrow as pa

    with in_one_sentence("a lazy frame"):
        schema = source.limit(0).collect().to_arrow().schema

    def batches() -> Iterator[Any]:
        for frame in source.collect_batches(maintain_order=True):
            yield from frame.to_arrow().cast(schema).to_batches()

    stream = pa.RecordBatchReader.from_batches(schema, batches())
    part = OncePart("a lazy frame", stream)
    return StreamSource("a lazy frame", schema, (part,), can_reread=False, library="polars")


def _from_dask(source: Any) -> StreamSource:
    import pyarrow as pa

    parts = [
        FramePart(f"partition {number} of the Dask DataFrame", partial(each.compute, scheduler="synchronous"))
        for number, each in enumerate(source.to_delayed())
    ]
    # A column of objects has no type until its partitions are read.
    schema = pa.Table.from_pandas(source._meta, preserve_index=False).schema
    return StreamSource("a Dask DataFrame", schema, tuple(parts), library="pandas")


def _check_there(paths: Sequence[str]) -> None:
    """Raise an error that names the first missing file, with a hint on names with blanks."""
    for path in paths:
        if not os.path.exists(path):
            quotes = "; names with blanks need quotes" if len(paths) > 1 else ""
            raise BychanceError(f"There is no file {display_name(path)}{quotes}.")


def _is_readable(path: str) -> bool:
    return _suffix_of(path) in _KINDS


def _kind_of(path: str) -> str:
    if not _is_readable(path):
        raise BychanceError(
            f"Only Parquet, Feather, Arrow and CSV files are read in batches, got {display_name(path)}."
        )
    return _KINDS[_suffix_of(path)]


def _suffix_of(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    return "".join(suffixes[-2:]) if suffixes[-1:] in ([".gz"],) else "".join(suffixes[-1:])


@dataclass(frozen=True, slots=True)
class Listed:
    """Files to read, in order, and notes on files that were left out."""

    paths: tuple[str, ...]
    notes: tuple[Note, ...]


def in_folder(folder: str) -> Listed:
    """Return the files of known formats in a folder and its subfolders, following links."""
    return _listed(filter(_is_readable, _files_below(folder)), folder, is_local=True)


def matching(pattern: str) -> Listed:
    """Return the files that match a glob pattern."""
    return _listed(filter(os.path.isfile, glob.glob(pattern, recursive=True)), pattern, is_local=True)


def _in_url(filesystem: Any, path: str) -> Listed:
    """Return the files of an fsspec path: a glob, a folder or a file."""
    if _MAGIC & set(path):
        return _listed(filesystem.glob(path), path)
    if filesystem.isdir(path):
        return _listed(filter(_is_readable, filesystem.find(path)), path)
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
