"""Sources of rows in parts, each of which is read separately, in batches, on any machine.

Errors name the part. Its batches hold only the requested columns, in the common Arrow types of all parts.
Integers beyond 2^53 are rounded only if other parts have floats.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from bychance.arrow_values import is_number
from bychance.errors import BychanceError, in_one_sentence
from bychance.io.cells import MISSING_IN_TEXT, TextCells, null_where
from bychance.io.frames import Source, Wishes
from bychance.messages import KEEP_ALL_ROWS, Code, Note, Option, Remark
from bychance.names import display_name

__all__ = [
    "BATCH_ROWS",
    "FilePart",
    "FramePart",
    "OncePart",
    "Part",
    "Stamp",
    "StreamSource",
    "cast_to",
    "common_schema",
    "common_type",
    "file_stamp",
    "joined",
]

Stamp = list[Any]

BATCH_ROWS = 1 << 16  # rows per batch (taste)
_BATCHES_AHEAD = 4  # batches read in advance. More would fill memory (taste)
_UINT64_DIGITS = 20  # decimal digits of the largest uint64 (definition)
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

    def without_totals(self, wishes: Wishes, decimal: str | None) -> tuple[Part, Note | None]:
        """Return the part without last rows that are totals of the rows above, and a note on them."""
        return self, None


@dataclass(frozen=True, slots=True, eq=False)
class StreamSource:
    """Source of rows in parts, with schema, size and notes.

    `schema` is the schema of the batches. `n_bytes` estimates their size in memory, and `decimal` is the
    decimal mark of text. Both are None if unknown. `library` makes frames of results, and
    `unnamed` columns have a made-up name. With `is_text`, strings are cells of a text file without types.
    """

    origin: str
    schema: Any
    parts: tuple[Part, ...]
    can_reread: bool = True
    n_rows: int | None = None
    n_bytes: int | None = None
    decimal: str | None = None
    notes: tuple[Note, ...] = ()
    library: str = "pyarrow"
    unnamed: frozenset[str] = frozenset()
    is_text: bool = False

    def named(self, rows: Any, asides: Mapping[str, tuple[Remark, ...]]) -> Source:
        """Return Arrow rows as named columns for `read_columns`."""
        columns = {name: rows.column(name) for name in rows.column_names}
        if self.is_text:
            columns = {name: TextCells(cells) for name, cells in columns.items()}
        return Source(columns, self.origin, self.library, self.notes, self.unnamed, asides)

    def has_value(self, cells: Any) -> bool:
        """Return True if one of a column's cells is not missing."""
        present = null_where(cells, cells, MISSING_IN_TEXT) if self.is_text else cells
        return bool(present.null_count < len(cells))

    def without_totals(self, wishes: Wishes) -> StreamSource:
        """Return the source without last rows of text files that are totals of the rows above."""
        found = [part.without_totals(wishes, self.decimal) for part in self.parts]
        named = [display_name(part.name) for part, note in found if note is not None]
        notes = [note for _, note in found if note is not None]
        if len(self.parts) > 1 and named:
            notes = [Note.on_table(Code.TOTALS_OF_FILES, n=len(named), file=named[0], option=KEEP_ALL_ROWS)]
        return replace(self, parts=tuple(part for part, _ in found), notes=(*self.notes, *notes))

    def joined(self, columns: list[str], batches: Iterable[Any]) -> Any:
        """Join record batches of these columns to a table, which may have no rows."""
        import pyarrow as pa

        none = pa.schema([self.schema.field(name) for name in columns]).empty_table()
        return joined([none, *batches])

    def table(self, columns: list[str]) -> Any:
        """Read these columns of all rows into an Arrow table."""
        with in_one_sentence(self.origin):
            return self.joined(columns, chain.from_iterable(part.batches(columns) for part in self.parts))


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
            if not hasattr(self.fragment, "row_groups") or set(columns) & _columns_in_path(self.fragment):
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
        """Return the schema for reading the file, in which integers keep their type to avoid rounding.

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
        own, told = self.fragment.physical_schema, _columns_in_path(self.fragment)
        for name in columns:
            if name in told:
                continue
            wanted = self.schema.field(name).type
            found = own.field(name).type if name in own.names else None
            if found is None or common_type(found, wanted) is None:
                shown = display_name(name)
                lacks = f"no column {shown!r}, which other parts have"
                differs = f"{shown!r} as {found}, where other parts have {wanted}"
                raise BychanceError(
                    f"{display_name(self.name)} has {lacks if found is None else differs}; "
                    + Option("drop", (shown,))
                    + " leaves it out."
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


def _columns_in_path(fragment: Any) -> set[str]:
    """Return the names of columns whose values come from folder names such as year=2020."""
    from pyarrow import dataset

    return set(dataset.get_partition_keys(fragment.partition_expression))


def common_type(first: Any, second: Any) -> Any | None:
    """Return the Arrow type that holds values of both types, or None if they are incompatible.

    >>> import pyarrow as pa
    >>> common_type(pa.int64(), pa.float32()), common_type(pa.null(), pa.string())
    (DataType(double), DataType(string))
    >>> common_type(pa.int64(), pa.string()) is None
    True
    """
    import pyarrow as pa
    import pyarrow.types as types

    if first == second or types.is_null(second):
        return first
    if types.is_null(first):
        return second
    if types.is_dictionary(first) and types.is_dictionary(second):
        values = common_type(first.value_type, second.value_type)
        return None if values is None else pa.dictionary(pa.int32(), values)
    if any(map(_is_text, (first, second))):
        return pa.large_string() if all(map(_is_text, (first, second))) else None
    if is_number(first) and is_number(second):
        return _common_number(first, second)
    return _unified(first, second)


def common_schema(schemas: Iterable[Any]) -> Any:
    """Return a schema with the columns of all schemas in their common types.

    Incompatible columns keep their first type.
    """
    import pyarrow as pa

    found: dict[str, Any] = {}
    for schema in schemas:
        for field in schema:
            before = found.get(field.name, field.type)
            both = common_type(before, field.type)
            found[field.name] = before if both is None else both
    return pa.schema(found.items())


def cast_to(rows: Any, schema: Any) -> Any:
    """Select the schema's columns from a table and cast them to its types.

    >>> import pyarrow as pa
    >>> cast_to(pa.table({"x": [2**60 + 1]}), pa.schema([("x", pa.float64())]))["x"].to_pylist()
    [1.152921504606847e+18]
    """
    import pyarrow as pa
    import pyarrow.types as types

    columns = []
    for field in schema:
        values = rows.column(field.name)
        # Arrow calls it unsafe to round integers beyond 2^53.
        is_safe = not (types.is_integer(values.type) and types.is_floating(field.type))
        columns.append(values if values.type == field.type else values.cast(field.type, safe=is_safe))
    return pa.Table.from_arrays(columns, schema=schema)


def joined(pieces: Sequence[Any]) -> Any:
    """Join tables or batches with the same columns, in their common types."""
    import pyarrow as pa

    tables = [each if isinstance(each, pa.Table) else pa.Table.from_batches([each]) for each in pieces]
    if not all(table.schema.equals(tables[0].schema) for table in tables):
        schema = common_schema(table.schema for table in tables)
        tables = [cast_to(table, schema) for table in tables]
    return pa.concat_tables([table.replace_schema_metadata() for table in tables])


def _is_text(arrow_type: Any) -> bool:
    """Return True if an Arrow type is that of strings, or of a dictionary of strings."""
    import pyarrow.types as types

    inner = arrow_type.value_type if types.is_dictionary(arrow_type) else arrow_type
    tests = (types.is_string, types.is_large_string, types.is_string_view)
    return any(test(inner) for test in tests)


def _common_number(first: Any, second: Any) -> Any | None:
    import pyarrow as pa
    import pyarrow.types as types

    both = first, second
    if any(map(types.is_floating, both)):
        return pa.float64()
    if any(map(types.is_decimal, both)) or (pa.uint64() in both and any(map(types.is_signed_integer, both))):
        whole = pa.decimal128(_UINT64_DIGITS, 0)
        both = tuple(whole if types.is_integer(each) else each for each in both)
    return both[0] if both[0] == both[1] else _unified(*both)


def _unified(first: Any, second: Any) -> Any | None:
    import pyarrow as pa

    try:
        schemas = [pa.schema([("values", each)]) for each in (first, second)]
        return pa.unify_schemas(schemas, promote_options="permissive").field(0).type
    except pa.ArrowException:
        return None
