"""Parts of a source, each of which is read separately, in batches, on any machine.

Errors name the part. Its batches hold only the requested columns.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError, in_one_sentence
from bychance.messages import Option
from bychance.names import display_name
from bychance.streaming.common_types import cast_to, common_type

__all__ = ["BegunPart", "FilePart", "FramePart", "OncePart", "Part", "Stamp", "file_stamp"]

Stamp = list[Any]

BATCH_ROWS = 1 << 16
_BATCHES_AHEAD = 4  # more would fill memory with batches that are not needed yet
_ETAGS = ("ETag", "etag", "Last-Modified")  # of object stores and of HTTP, as fsspec has them


class Part(ABC):
    """Part of a source's rows, which can be read in batches."""

    __slots__ = ()
    name: str  # in errors

    @abstractmethod
    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows as Arrow record batches."""

    def head(self, columns: list[str], n_rows: int) -> Iterator[Any]:
        """Yield batches with at least the first `n_rows` rows, read only as far as the caller iterates."""
        return self.batches(columns)

    def stamp(self) -> Stamp | None:
        """Return JSON values that change whenever the rows change, or None if changes cannot be detected."""
        return None


@dataclass(frozen=True, slots=True, eq=False)
class FilePart(Part):
    """File of a dataset, or some of its row groups, cast to the common types of all files in `schema`."""

    name: str
    fragment: Any
    schema: Any

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows of the file, cast to the common types of all files."""
        with in_one_sentence(self.name):
            self._check_schema(columns)
            wanted, read = self._wanted(columns), self._read(columns)
            for batch in self.fragment.to_batches(
                schema=read,
                columns=columns,
                batch_size=BATCH_ROWS,
                batch_readahead=_BATCHES_AHEAD,
                fragment_readahead=1,
            ):
                yield from _cast(batch, wanted)

    def head(self, columns: list[str], n_rows: int) -> Iterator[Any]:
        """Yield the rows of the file, decoded only as far as the caller iterates."""
        with in_one_sentence(self.name):
            self._check_schema(columns)
            if not hasattr(self.fragment, "row_groups") or set(columns) & _told_by_path(self.fragment):
                yield from self.batches(columns)
                return
            from pyarrow import parquet

            groups = [group.id for group in self.fragment.row_groups]
            with self.fragment.filesystem.open_input_file(self.fragment.path) as opened:
                file = parquet.ParquetFile(opened)
                for batch in file.iter_batches(batch_size=n_rows, row_groups=groups, columns=columns):
                    yield from _cast(batch, self._wanted(columns))

    def stamp(self) -> Stamp | None:
        """Return the file's size and time of change, or None for rows in memory."""
        filesystem = getattr(self.fragment, "filesystem", None)
        return None if filesystem is None else file_stamp(filesystem, self.fragment.path)

    def _wanted(self, columns: list[str]) -> Any:
        import pyarrow as pa

        return pa.schema([self.schema.field(name) for name in columns])

    def _read(self, columns: list[str]) -> Any:
        """Return the schema to read the file with.

        Integers keep their own type, so that they are not rounded, and text files are parsed by the common
        types.
        """
        import pyarrow.types as types
        from pyarrow import dataset

        schema, own = self.schema, self.fragment.physical_schema
        if isinstance(getattr(self.fragment, "format", None), dataset.CsvFileFormat | dataset.JsonFileFormat):
            return schema
        for name in set(columns) & set(own.names):
            field, place = own.field(name), schema.get_field_index(name)
            if types.is_integer(field.type) and types.is_floating(schema.field(place).type):
                schema = schema.set(place, field)
        return schema

    def _check_schema(self, columns: list[str]) -> None:
        """Raise an error if the file lacks a column or has another type, since Arrow would read nulls."""
        own, told = self.fragment.physical_schema, _told_by_path(self.fragment)
        for name in columns:
            if name in told:
                continue
            shown = display_name(name)
            if name not in own.names:
                raise BychanceError(
                    f"{display_name(self.name)} has no column {shown!r}, which other parts have; "
                    + Option("drop", (shown,))
                    + " leaves it out."
                )
            types = own.field(name).type, self.schema.field(name).type
            if common_type(*types) is None:
                raise BychanceError(
                    f"{display_name(self.name)} has {shown!r} as {types[0]}, where other parts have "
                    f"{types[1]}; " + Option("drop", (shown,)) + " leaves it out."
                )


@dataclass(frozen=True, slots=True, eq=False)
class FramePart(Part):
    """Rows that a function loads as one data frame, such as a partition of a Dask DataFrame."""

    name: str
    load: Callable[[], Any]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows of the frame."""
        import pyarrow as pa

        with in_one_sentence(self.name):
            frame = self.load()
            table = pa.Table.from_pandas(frame[columns], preserve_index=False)
            yield from table.to_batches(max_chunksize=BATCH_ROWS)


@dataclass(frozen=True, slots=True, eq=False)
class OncePart(Part):
    """Stream of record batches that can be read only once.

    A caller that takes some rows puts them back into the stream.
    """

    name: str
    stream: Iterable[Any]

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows that have not been read yet."""
        with in_one_sentence(self.name):
            for batch in self.stream:
                yield batch.select(columns)


@dataclass(frozen=True, slots=True, eq=False)
class BegunPart(Part):
    """Part whose first rows were already read. Its next reader gets them without a second read."""

    name: str
    part: Part
    columns: list[str]
    begun: list[Iterator[Any]]  # one iterator over all rows, until a reader takes it

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield all rows, including those that were already read."""
        return self.begun.pop() if self.begun and columns == self.columns else self.part.batches(columns)

    def head(self, columns: list[str], n_rows: int) -> Iterator[Any]:
        """Yield batches with at least the first `n_rows` rows."""
        return self.part.head(columns, n_rows)

    def stamp(self) -> Stamp | None:
        """Return the stamp of the underlying part."""
        return self.part.stamp()

    def __reduce__(self) -> tuple[type[BegunPart], tuple[Any, ...]]:
        # Another machine reads the part from its start.
        return BegunPart, (self.name, self.part, self.columns, [])


def file_stamp(filesystem: Any, path: str) -> Stamp | None:
    """Return a file's size and its etag or time of change, for a filesystem of pyarrow or fsspec."""
    handler = getattr(filesystem, "handler", None)
    filesystem = getattr(handler, "fs", filesystem)
    if hasattr(filesystem, "get_file_info"):
        told = filesystem.get_file_info(path)
        return None if told.mtime_ns is None else [told.size, told.mtime_ns]
    info = filesystem.info(path)
    marks = [str(info[name]) for name in _ETAGS if info.get(name)]
    with contextlib.suppress(NotImplementedError, KeyError):
        marks.append(str(filesystem.modified(path)))
    return [info.get("size"), *marks] if marks else None


def _cast(batch: Any, wanted: Any) -> list[Any]:
    if batch.schema.equals(wanted):
        return [batch]
    import pyarrow as pa

    batches: list[Any] = cast_to(pa.Table.from_batches([batch]), wanted).to_batches()
    return batches


def _told_by_path(fragment: Any) -> set[str]:
    """Return the columns whose values come from folder names such as year=2020."""
    from pyarrow import dataset

    return set(dataset.get_partition_keys(fragment.partition_expression))
