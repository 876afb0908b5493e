"""CSV and its kin in batches: paths → parts whose cells are text, under the names of the first header."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError
from bychance.names import display_name
from bychance.streaming.parts import in_good_words
from bychance.table import Note
from bychance.table.delimited import from_delimited
from bychance.table.layout import Layout
from bychance.table.text_cells import MISSING_IN_TEXT
from bychance.table.text_format import find_delimiter

__all__ = ["TEXT_SUFFIXES", "TextPart", "text_parts"]

_PLAIN = (".csv", ".tsv", ".txt", ".tab", ".dat", ".data")
TEXT_SUFFIXES = frozenset({*_PLAIN, *(suffix + ".gz" for suffix in _PLAIN)})
_HEAD_BYTES = 1 << 20
_BLOCK_BYTES = 1 << 22
_AS_ARROW, _PACKED = 2, 10  # bytes in memory per byte of a file


@dataclass(frozen=True, slots=True, eq=False)
class TextPart:
    """A text file: its lines below the header, cut at the delimiter."""

    name: str
    names: tuple[str, ...]
    header: tuple[str, ...]
    delimiter: str
    encoding: str
    skip_rows: int
    filesystem: Any = None

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """Its rows, every cell a string."""
        import pyarrow as pa
        from pyarrow import csv

        with in_good_words(self.name), _opened(self.name, self.filesystem) as file:
            self._check_header()
            reader = csv.open_csv(
                file,
                read_options=csv.ReadOptions(
                    column_names=list(self.names),
                    skip_rows=self.skip_rows,
                    block_size=_BLOCK_BYTES,
                    encoding=self.encoding,
                ),
                parse_options=csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                convert_options=csv.ConvertOptions(
                    column_types={name: pa.large_string() for name in self.names},
                    include_columns=columns,
                    strings_can_be_null=False,
                ),
            )
            yield from reader

    def head(self, columns: list[str], n_rows: int) -> Iterator[Any]:
        """Its rows: reading ends where the caller does."""
        return self.batches(columns)

    def _check_header(self) -> None:
        if not self.header:
            return
        own = _first_record(_head(self.name, self.filesystem), self)
        if tuple(own) != self.header:
            raise BychanceError(
                f"{display_name(self.name)} has other columns than the parts before: "
                f"{', '.join(map(repr, own[:3]))}{' …' if len(own) > 3 else ''}."
            )


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
    told = from_delimited(head, display_name(os.path.basename(first)), layout, MISSING_IN_TEXT)
    names = tuple(told.columns)
    encoding = text_format.encoding or ("utf-8" if _is_utf8(head) else "latin-1")
    delimiter = text_format.delimiter or find_delimiter(head.decode(encoding, "replace"))
    decimal = next((getattr(cells, "decimal", None) for cells in told.columns.values()), None)
    skipped = layout.skip_rows + layout.n_header
    parts = [TextPart(path, names, (), delimiter, encoding, skipped, filesystem) for path in paths]
    if layout.n_header and len(parts) > 1:
        header = tuple(_first_record(head, parts[0]))
        parts = [TextPart(p.name, names, header, delimiter, encoding, skipped, filesystem) for p in parts]
    schema = pa.schema([(name, pa.large_string()) for name in names])
    return schema, tuple(parts), decimal, _n_bytes(paths, filesystem), told.notes


def _first_record(head: bytes, part: TextPart) -> list[str]:
    import csv

    lines = io.StringIO(head.decode(part.encoding, "replace").removeprefix("\ufeff"), newline="")
    records = csv.reader(lines, delimiter=part.delimiter)
    for _ in range(part.skip_rows - 1):
        next(records, None)
    return next(records, [])


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
        with gzip.GzipFile(fileobj=raw) as unpacked:
            yield unpacked


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(data) - 3
    return True


def _n_bytes(paths: Sequence[str], filesystem: Any) -> int | None:
    size_of = os.path.getsize if filesystem is None else filesystem.size
    total = 0
    for path in paths:
        size = size_of(path)
        if size is None:
            return None
        total += size * (_PACKED * _AS_ARROW if path.lower().endswith(".gz") else _AS_ARROW)
    return total
