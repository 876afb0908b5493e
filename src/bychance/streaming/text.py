"""Delimited text files read in batches, with every cell as text and columns named by the first header.

The dialect of the first file holds for all files. The end of a file is examined before any row is read:
its last lines show footnotes, and one pass over all numbers above shows totals.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from bychance.arrow_values import strings_of
from bychance.columns import Column
from bychance.errors import BychanceError, in_one_sentence
from bychance.io import MAX_GIB
from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.csv import read_csv, skip_comment
from bychance.io.dialect import LINE_END, Layout, TextDialect
from bychance.io.footer import MOST_TOTALS, RowTally, cut_footnotes, is_called_total, note_on_totals
from bychance.io.frames import Wishes
from bychance.io.infer import UNREADABLE, column_of
from bychance.kinds import Kind
from bychance.messages import KEEP_ALL_ROWS, Code, Note, Option
from bychance.names import display_name
from bychance.streaming.parts import Part, Stamp, StreamSource, file_stamp

__all__ = ["TEXT_SUFFIXES", "TextEnd", "TextPart", "UpTo", "end_of", "text_source"]

_PLAIN = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
TEXT_SUFFIXES = frozenset({*_PLAIN, *(suffix + ".gz" for suffix in _PLAIN)})
_HEAD_BYTES, _TAIL_BYTES, _BLOCK_BYTES = 1 << 20, 1 << 16, 1 << 22
_AS_ARROW, _PACKED = 2, 10  # bytes in memory per byte of text, and bytes of text per byte of a .gz file
_MOST_PACKED = 100  # bytes of text per byte of a .gz file, allowed even above MAX_GIB (taste)


@dataclass(frozen=True, slots=True)
class _LastRow:
    """Cells of one of the last rows of a text file, and the byte at which the row starts."""

    cells: tuple[str, ...]
    start: int


@dataclass(frozen=True, slots=True, eq=False)
class TextPart(Part):
    """Delimited text file of a stream: all rows below its header, with cells separated by its dialect.

    `header` is the header that the file must have, empty for a single file. `end` is the number of bytes
    before footnotes and totals, None for all. `last_rows` may be totals.
    """

    name: str
    names: tuple[str, ...]
    dialect: TextDialect
    header: tuple[str, ...] = ()
    filesystem: Any = None
    end: int | None = None
    last_rows: tuple[_LastRow, ...] = ()

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Yield the rows as record batches in which every cell is a string."""
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        with in_one_sentence(self.name), _opened(self.name, self.filesystem) as file:
            self._check_header()
            reader = arrow_csv.open_csv(
                file if self.end is None else UpTo(file, self.end),
                read_options=arrow_csv.ReadOptions(
                    column_names=list(self.names),
                    skip_rows=self.dialect.n_above,
                    skip_rows_after_names=self.dialect.n_names,
                    block_size=_BLOCK_BYTES,
                    encoding=self.dialect.encoding,
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self.dialect.delimiter,
                    newlines_in_values=True,
                    invalid_row_handler=skip_comment,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types={name: pa.large_string() for name in self.names},
                    include_columns=columns,
                    strings_can_be_null=False,
                ),
            )
            yield from reader

    def stamp(self) -> Stamp | None:
        """Return the file's size, time of change and format, or None if the time is unknown."""
        from pyarrow import fs

        told = file_stamp(fs.LocalFileSystem() if self.filesystem is None else self.filesystem, self.name)
        cut = (self.names, self.dialect, self.header, self.end)
        return None if told is None else [*told, repr(cut)]

    def without_totals(self, wishes: Wishes, decimal: str | None) -> tuple[TextPart, Note | None]:
        """Return the part without last rows that are totals of the rows above, and a note on them."""
        for first in range(len(self.last_rows)):
            rows = self.last_rows[first:]
            part = replace(self, end=rows[0].start, last_rows=())
            if (note := part._note_on_totals([row.cells for row in rows], wishes, decimal)) is not None:
                return part, note
        return self, None

    def _note_on_totals(
        self, rows: Sequence[tuple[str, ...]], wishes: Wishes, decimal: str | None
    ) -> Note | None:
        """Return a note if these rows are named like totals and equal sums of the part's rows."""
        import pyarrow.compute as pc

        named = {name: {row[k] for row in rows} for k, name in enumerate(self.names)}
        called = {
            name: strings_of(sorted(cells))
            for name, cells in named.items()
            if len(cells) == len(rows) and all(map(is_called_total, cells))
        }
        if not called:
            return None
        tallies = {
            name: RowTally(np.array([_number(row[k], name, wishes, decimal) for row in rows]))
            for k, name in enumerate(self.names)
            if name not in wishes.drop and wishes.kinds.get(name) is not Kind.CATEGORICAL
        }
        for batch in self.batches(list(self.names)):
            for name, cells in list(called.items()):
                if pc.any(pc.is_in(batch.column(name), value_set=cells)).as_py():
                    del called[name]  # a name that occurs above too is a category, such as one total per year
            for name, tally in tallies.items():
                if (column := _numbers(batch.column(name), name, wishes, decimal)) is not None:
                    tally.add(column.present.astype(np.float64))
        sums = {name: tally.are_sums for name, tally in tallies.items()}
        summed = tuple(name for name, flags in sums.items() if flags.any())
        if not (called and summed and np.logical_or.reduce(list(sums.values())).all()):
            return None
        at = self.names.index(next(iter(called)))
        return note_on_totals(len(rows), "last", tuple(row[at] for row in rows), summed)

    def _check_header(self) -> None:
        if not self.header:
            return
        own = _header_of(_head(self.name, self.filesystem), self.dialect)
        if not own:
            raise BychanceError(f"{display_name(self.name)} is empty: leave it out, or write its rows again.")
        if own != self.header:
            raise BychanceError(
                f"{display_name(self.name)} has other columns than the parts before: "
                f"{', '.join(map(repr, own[:3]))}{' …' if len(own) > 3 else ''}."
            )


def text_source(origin: str, paths: Sequence[str], layout: Layout, filesystem: Any) -> StreamSource:
    """Return text files as one source, by the dialect of the first."""
    import pyarrow as pa

    first = paths[0]
    with in_one_sentence(first):
        head = _head(first, filesystem)
    if not head.strip():
        raise BychanceError(f"{display_name(first)} is empty.")
    shown = display_name(os.path.basename(first))
    told = partial(read_csv, origin=shown, layout=layout, missing=MISSING_IN_TEXT, is_whole=False)
    source, dialect = told(head)
    if dialect.delimiter == " " and layout.text_format.delimiter is None:
        raise BychanceError(
            f"{display_name(first)} has blanks between its values, which only "
            + Option("stream", False)
            + " reads."
        )
    if dialect.encoding == "utf-8-sig":
        dialect = replace(dialect, encoding="utf-8")  # Arrow skips the byte order mark
    names = tuple(source.columns)
    header = _header_of(head, dialect) if layout.n_header and len(paths) > 1 else ()
    parts, footnotes, notes = list[TextPart](), list[Note](), list(source.notes)
    for path in paths:
        part = TextPart(path, names, dialect, header, filesystem)
        end = _end_of(part) if layout.n_header else TextEnd()
        if path == first and end.n_bytes is not None and end.n_bytes < len(head):
            notes = list(told(head[: end.n_bytes])[0].notes)
        footnotes += [end.note] if end.note is not None else []
        parts.append(replace(part, end=end.n_bytes, last_rows=end.last_rows))
    if len(paths) > 1 and footnotes:
        footnotes = [Note.on_table(Code.FOOTNOTES_OF_FILES, n=len(footnotes), option=KEEP_ALL_ROWS)]
    return StreamSource(
        origin,
        pa.schema([(name, pa.large_string()) for name in names]),
        tuple(parts),
        n_bytes=_n_bytes(paths, filesystem),
        decimal=dialect.decimal,
        notes=(*notes, *footnotes),
        unnamed=source.unnamed,
        is_text=True,
    )


def _header_of(head: bytes, dialect: TextDialect) -> tuple[str, ...]:
    """Return the column names in a file's header line."""
    lines = io.StringIO(head.decode(dialect.encoding, "replace").removeprefix("\ufeff"), newline="")
    below = islice(lines, dialect.n_above, None)
    return tuple(next(csv.reader(below, delimiter=dialect.delimiter), []))


def _head(path: str, filesystem: Any) -> bytes:
    """Return the first lines of a file, up to 1 MiB."""
    with _opened(path, filesystem) as file:
        data: bytes = file.read(_HEAD_BYTES)
        if file.read(1):
            data = data[: data.rfind(b"\n") + 1] or data
    return data


@dataclass(frozen=True, slots=True)
class TextEnd:
    """End of a text file: bytes before footnotes (None for all), a note, and last rows that may be totals."""

    n_bytes: int | None = None
    note: Note | None = None
    last_rows: tuple[_LastRow, ...] = ()


def _end_of(part: TextPart) -> TextEnd:
    """Search the end of a file for footnotes and totals, unless it is long and compressed."""
    with in_one_sentence(part.name), _opened(part.name, part.filesystem) as file:
        if part.name.lower().endswith(".gz"):
            data = file.read(_HEAD_BYTES + 1)
            file = io.BytesIO(data if len(data) <= _HEAD_BYTES else b"")
        return end_of(file, part.dialect, len(part.names))


def end_of(file: Any, dialect: TextDialect, width: int) -> TextEnd:
    """Search the end of an open text file with `width` columns for footnotes and totals.

    A file that cannot seek is taken whole.

    >>> file = io.BytesIO(b"a,b\\n" + b"1,2\\n" * 5 + b"Source: office\\n")
    >>> end_of(file, TextDialect(",", "utf-8"), 2).n_bytes
    23
    """
    try:
        start = max(0, file.seek(0, io.SEEK_END) - _TAIL_BYTES)
        file.seek(start)
        tail: bytes = file.read(_TAIL_BYTES)
        start += (cut := tail.find(b"\n") + 1 if start else 0)
        text = tail[cut:].decode(dialect.encoding)
    except (OSError, ValueError):
        return TextEnd()
    if "\n".encode(dialect.encoding) != b"\n":
        return TextEnd()  # line ends of two bytes: the tail may begin inside a character
    if (found := cut_footnotes(text, dialect.delimiter, width)) is None:
        return TextEnd(last_rows=_last_rows(text, start, dialect, width))
    text = text[: found[0]]
    end = start + len(text.encode(dialect.encoding))
    file.seek(0)
    before = UpTo(file, end)
    if sum(block.count(b'"') for block in iter(partial(before.read, _BLOCK_BYTES), b"")) % 2:
        return TextEnd()
    return TextEnd(end, found[1], _last_rows(text, start, dialect, width))


def _last_rows(text: str, start: int, dialect: TextDialect, width: int) -> tuple[_LastRow, ...]:
    """Return the last two rows of a text starting at byte `start`, if the last is named as a total."""
    ended = text.rstrip("\r\n")
    starts = [0, *(mark.end() for mark in LINE_END.finditer(ended))][-MOST_TOTALS:]
    rows = []
    for first, line in zip(starts, LINE_END.split(ended)[-MOST_TOTALS:], strict=True):
        cells = next(csv.reader([line], delimiter=dialect.delimiter), [])
        rows.append(_LastRow(tuple(cells), start + len(text[:first].encode(dialect.encoding))))
    is_candidate = len(rows[-1].cells) == width and any(map(is_called_total, rows[-1].cells))
    return tuple(row for row in rows if len(row.cells) == width) if is_candidate else ()


def _numbers(values: Any, name: str, wishes: Wishes, decimal: str | None) -> Column | None:
    """Convert cells to a numeric column, or return None if any is not a number or they are dates."""
    wished = replace(wishes, kinds={name: Kind.NUMERIC}, merge=frozenset())
    try:
        column = column_of(values, name, wished, decimal)
    except UNREADABLE:
        return None
    return column if column.clock is None else None


def _number(cell: str, name: str, wishes: Wishes, decimal: str | None) -> float:
    column = _numbers(strings_of([cell]), name, wishes, decimal)
    return np.nan if column is None or column.is_missing is not None else float(column.values[0])


@contextmanager
def _opened(path: str, filesystem: Any) -> Iterator[Any]:
    with open(path, "rb") if filesystem is None else filesystem.open(path, "rb") as raw:
        if not path.lower().endswith(".gz"):
            yield raw
            return
        size = _size_of(path, filesystem)
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield unpacked if size is None else _Unpacked(unpacked, path, size)


class UpTo(io.RawIOBase):
    """Readable file object with only the first `n_bytes` bytes of another file."""

    def __init__(self, file: Any, n_bytes: int) -> None:
        self._file, self._left = file, n_bytes

    def readable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        data: bytes = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


class _Unpacked(UpTo):
    """Decompressed file that raises an error if it grows larger than text would."""

    def __init__(self, file: Any, name: str, size: int) -> None:
        super().__init__(file, max(int(MAX_GIB * 2**30), _MOST_PACKED * size))
        self._name, self._size = name, size

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, or raise an error if the file is too large."""
        data: bytes = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise BychanceError(
                f"{display_name(self._name)} takes more than {MAX_GIB:g} GiB unpacked, and more than "
                f"{_MOST_PACKED} times its {self._size:,} bytes; unpack it if that is right: plain text is "
                "read at any size."
            )
        return data


def _size_of(path: str, filesystem: Any) -> int | None:
    size: int | None = os.path.getsize(path) if filesystem is None else filesystem.size(path)
    return size


def _n_bytes(paths: Sequence[str], filesystem: Any) -> int | None:
    """Estimate the bytes that text files take in memory, or return None if a size is unknown."""
    n_bytes = 0
    for path in paths:
        if (size := _size_of(path, filesystem)) is None:
            return None
        n_bytes += size * _AS_ARROW * (_PACKED if path.lower().endswith(".gz") else 1)
    return n_bytes
