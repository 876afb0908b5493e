"""CSV and its kin in batches: paths → parts whose cells are text, under the names of the first header."""

from __future__ import annotations

import gzip
import io
import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, numpy_of, text_scalar
from bychance.errors import BychanceError
from bychance.io import MAX_GIB
from bychance.io.cells import MISSING_IN_TEXT, combined
from bychance.io.comments import COMMENT
from bychance.io.delimited import Delimited, read_delimited
from bychance.io.layout import Layout
from bychance.io.repeated_names import FEWEST_NAMES
from bychance.io.text_format import find_encoding
from bychance.messages import KEEP_ALL_ROWS, Code, Note, Option
from bychance.names import display_name
from bychance.streaming.parts import Stamp, file_stamp, in_good_words
from bychance.streaming.text_ends import TextEnd, UpTo, end_of

__all__ = ["TEXT_SUFFIXES", "TextPart", "text_parts"]

_PLAIN = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
TEXT_SUFFIXES = frozenset({*_PLAIN, *(suffix + ".gz" for suffix in _PLAIN)})
_HEAD_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 22
_AS_ARROW, _PACKED = 2, 10  # bytes in memory per byte of a file
_MOST_PACKED = 100  # bytes of text per byte of a packed file, above the limit of a file that is read whole


@dataclass(frozen=True, slots=True, eq=False)
class TextPart:
    """A text file: its rows below the names, cut at the delimiter.

    `n_above` are lines above the names, `n_names` rows of names and units; `end` are bytes before footnotes,
    `last_rows` those that may be totals, `n_totals` how many are. Rows that hold the names as they are
    `written` once more are left out where that is said.
    """

    name: str
    names: tuple[str, ...]
    header: tuple[str, ...]
    delimiter: str
    encoding: str
    n_above: int
    n_names: int
    filesystem: Any = None
    end: int | None = None
    last_rows: tuple[tuple[str, ...], ...] = ()
    n_totals: int = 0
    written: tuple[str, ...] = ()
    leaves_names_out: bool = False

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Its rows, every cell a string."""
        import pyarrow as pa
        from pyarrow import csv

        with in_good_words(self.name), _opened(self.name, self.filesystem) as file:
            self._check_header()
            reader = csv.open_csv(
                file if self.end is None else UpTo(file, self.end),
                read_options=csv.ReadOptions(
                    column_names=list(self.names),
                    skip_rows=self.n_above,
                    skip_rows_after_names=self.n_names,
                    block_size=_BLOCK_BYTES,
                    encoding=self.encoding,
                ),
                parse_options=csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, invalid_row_handler=_skip_comments
                ),
                convert_options=csv.ConvertOptions(
                    column_types={name: pa.large_string() for name in self.names},
                    include_columns=None if self.leaves_names_out else columns,
                    strings_can_be_null=False,
                ),
            )
            rows = _without_last(reader, self.n_totals) if self.n_totals else reader
            yield from self._without_names(rows, columns) if self.leaves_names_out else rows

    def repeats_names(self, rows: Any) -> NDArray[np.bool_]:
        """Which rows hold the names once more; none of a file with a single name, or without any."""
        import pyarrow.compute as pc

        is_name = [
            numpy_of(pc.equal(combined(rows.column(name)), text_scalar(written)))
            for name, written in zip(self.names, self.written, strict=False)
            if written.strip() and name in rows.schema.names
        ]
        if len(is_name) < FEWEST_NAMES:
            return np.zeros(rows.num_rows, dtype=np.bool_)
        repeats: NDArray[np.bool_] = np.logical_and.reduce(is_name)
        return repeats

    def _without_names(self, batches: Iterable[Any], columns: list[str]) -> Iterator[Any]:
        for batch in batches:
            yield batch.filter(arrow_of_numpy(~self.repeats_names(batch))).select(columns)

    def head(self, columns: list[str], n_rows: int) -> Iterator[Any]:
        """Its rows: reading ends where the caller does."""
        return self.batches(columns)

    def stamp(self) -> Stamp | None:
        """Return the size and the time of change of its file, and how its rows are cut out."""
        from pyarrow import fs

        told = file_stamp(fs.LocalFileSystem() if self.filesystem is None else self.filesystem, self.name)
        cut = (self.names, self.header, self.delimiter, self.encoding, self.n_above, self.n_names, self.end)
        return None if told is None else [*told, repr((*cut, self.n_totals, self.leaves_names_out))]

    def _check_header(self) -> None:
        if not self.header:
            return
        own = _first_record(_head(self.name, self.filesystem), self)
        if not own:
            raise BychanceError(f"{display_name(self.name)} is empty: leave it out, or write its rows again.")
        if tuple(own) != self.header:
            raise BychanceError(
                f"{display_name(self.name)} has other columns than the parts before: "
                f"{', '.join(map(repr, own[:3]))}{' …' if len(own) > 3 else ''}."
            )


def _skip_comments(row: Any) -> str:
    """What Arrow does with a row of more or fewer values than there are names."""
    return "skip" if row.text.lstrip().startswith(COMMENT) else "error"


def text_parts(
    paths: Sequence[str], layout: Layout, filesystem: Any
) -> tuple[Any, tuple[TextPart, ...], str | None, int | None, tuple[Note, ...]]:
    """The schema, a part per file, the decimal mark, about how many bytes they take, and what was noticed."""
    import pyarrow as pa

    first, text_format = paths[0], layout.text_format
    with in_good_words(first):
        head = _head(first, filesystem)
    if not head.strip():
        raise BychanceError(f"{display_name(first)} is empty.")
    encoding = text_format.encoding or ("utf-8" if _is_utf8(head) else find_encoding(head))
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding  # Arrow knows the mark
    told = _told(first, head, layout)
    if told.delimiter == " " and text_format.delimiter is None:
        raise BychanceError(
            f"{display_name(first)} has blanks between its values, which only "
            + Option("stream", False)
            + " reads."
        )
    names, notes = tuple(told.source.columns), list(told.source.notes)
    part = TextPart(first, names, (), told.delimiter, encoding, told.n_above, told.n_names, filesystem)
    if layout.n_header:
        written = tuple(_first_record(head, part))
        part = replace(part, header=written if len(paths) > 1 else (), written=written)
    ends = [_end(path, part) if layout.n_header else TextEnd() for path in paths]
    if ends[0].n_bytes is not None and ends[0].n_bytes < len(head):
        notes = list(_told(first, head[: ends[0].n_bytes], layout).source.notes)
    parts = [
        replace(part, name=path, end=end.n_bytes, last_rows=end.last_rows)
        for path, end in zip(paths, ends, strict=True)
    ]
    notes += _on_footnotes([end.note for end in ends])
    decimal = next((getattr(cells, "decimal", None) for cells in told.source.columns.values()), None)
    schema = pa.schema([(name, pa.large_string()) for name in names])
    return schema, tuple(parts), decimal, _n_bytes(paths, filesystem), tuple(notes)


def _told(path: str, head: bytes, layout: Layout) -> Delimited:
    return read_delimited(head, display_name(os.path.basename(path)), layout, MISSING_IN_TEXT)


def _end(path: str, part: TextPart) -> TextEnd:
    """What stands at the end of a file; of a long one that is packed nobody knows before it is read."""
    with in_good_words(path), _opened(path, part.filesystem) as file:
        if path.lower().endswith(".gz"):
            data = file.read(_HEAD_BYTES + 1)
            file = io.BytesIO(data if len(data) <= _HEAD_BYTES else b"")
        return end_of(file, part.encoding, part.delimiter, len(part.names))


def _on_footnotes(notes: list[Note | None]) -> list[Note]:
    found = [note for note in notes if note is not None]
    if len(notes) == 1 or not found:
        return found
    return [Note.on_table(Code.FOOTNOTES_OF_FILES, n=len(found), option=KEEP_ALL_ROWS)]


def _without_last(batches: Iterable[Any], count: int) -> Iterator[Any]:
    """The batches without so many of their last rows."""
    held = deque[Any]()
    for batch in batches:
        held.append(batch)
        while sum(map(len, held)) - len(held[0]) >= count:
            yield held.popleft()
    left = sum(map(len, held)) - count
    for batch in held:
        yield batch.slice(0, max(left, 0))
        left -= len(batch)


def _first_record(head: bytes, part: TextPart) -> list[str]:
    import csv

    lines = io.StringIO(head.decode(part.encoding, "replace").removeprefix("\ufeff"), newline="")
    for _ in range(part.n_above):
        next(lines, None)
    return next(csv.reader(lines, delimiter=part.delimiter), [])


def _head(path: str, filesystem: Any) -> bytes:
    """The first whole lines of a file."""
    with _opened(path, filesystem) as file:
        data: bytes = file.read(_HEAD_BYTES)
        if file.read(1):
            data = data[: data.rfind(b"\n") + 1] or data
    return data


@contextmanager
def _opened(path: str, filesystem: Any) -> Iterator[Any]:
    with open(path, "rb") if filesystem is None else filesystem.open(path, "rb") as raw:
        if not path.lower().endswith(".gz"):
            yield raw
            return
        size = _size_of(path, filesystem)
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield unpacked if size is None else _Unpacked(unpacked, path, size)


class _Unpacked(io.RawIOBase):
    """A packed file of so many bytes; an error where it stands for more than text would."""

    def __init__(self, file: Any, name: str, size: int) -> None:
        self._file, self._name, self._size = file, name, size
        self._left = max(int(MAX_GIB * 2**30), _MOST_PACKED * size)

    def readable(self) -> bool:
        """It can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data: bytes = self._file.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise BychanceError(
                f"{display_name(self._name)} takes more than {MAX_GIB:g} GiB unpacked, and more than "
                f"{_MOST_PACKED} times its {self._size:,} bytes; unpack it if that is right: plain text is "
                "read at any size."
            )
        return data


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3
    return True


def _size_of(path: str, filesystem: Any) -> int | None:
    size: int | None = os.path.getsize(path) if filesystem is None else filesystem.size(path)
    return size


def _n_bytes(paths: Sequence[str], filesystem: Any) -> int | None:
    total = 0
    for path in paths:
        size = _size_of(path, filesystem)
        if size is None:
            return None
        total += size * (_PACKED * _AS_ARROW if path.lower().endswith(".gz") else _AS_ARROW)
    return total
