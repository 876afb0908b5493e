"""The ends of text files: footnotes, and last rows that are called totals, by the last lines alone."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from bychance.io.below import LINE_END, MOST_TOTALS, cut_footnotes, is_called_total
from bychance.messages import Note

__all__ = ["TextEnd", "UpTo", "end_of"]

_TAIL_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class TextEnd:
    """Bytes before the footnotes (None for all), a note on these, and last rows that may be totals."""

    n_bytes: int | None = None
    note: Note | None = None
    last_rows: tuple[tuple[str, ...], ...] = ()


def end_of(file: Any, encoding: str, delimiter: str, width: int) -> TextEnd:
    """What stands at the end of an open file of so many columns; nothing where it only goes forward.

    >>> end_of(io.BytesIO(b"a,b\\n" + b"1,2\\n" * 5 + b"Source: office\\n"), "utf-8", ",", 2).n_bytes
    23
    """
    try:
        start = max(0, file.seek(0, io.SEEK_END) - _TAIL_BYTES)
        file.seek(start)
    except (OSError, ValueError):
        return TextEnd()
    tail: bytes = file.read(_TAIL_BYTES)
    if start:
        whole = tail.find(b"\n") + 1
        start, tail = start + whole, tail[whole:]
    try:
        text = tail.decode(encoding)
        # Where a line end is more than one byte, nobody knows where a character begins.
        if "\n".encode(encoding) != b"\n":
            return TextEnd()
    except UnicodeError:
        return TextEnd()
    found = cut_footnotes(text, delimiter, width)
    if found is None:
        return TextEnd(last_rows=_last_rows(text, delimiter, width))
    end = start + len(text[: found[0]].encode(encoding))
    if _n_quotes(file, end) % 2:
        return TextEnd()
    return TextEnd(end, found[1], _last_rows(text[: found[0]], delimiter, width))


class UpTo(io.RawIOBase):
    """The first so many bytes of an open file."""

    def __init__(self, file: Any, n_bytes: int) -> None:
        self._file, self._left = file, n_bytes

    def readable(self) -> bool:
        """It can be read."""
        return True

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        data: bytes = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        return data


def _last_rows(text: str, delimiter: str, width: int) -> tuple[tuple[str, ...], ...]:
    """The last rows, where the very last has a cell that is called a total."""
    lines = LINE_END.split(text.rstrip("\r\n"))[-MOST_TOTALS:]
    rows = [tuple(next(csv.reader([line], delimiter=delimiter), [])) for line in lines]
    is_candidate = len(rows[-1]) == width and any(map(is_called_total, rows[-1]))
    return tuple(row for row in rows if len(row) == width) if is_candidate else ()


def _n_quotes(file: Any, end: int) -> int:
    """How many quotes stand before a place of a file."""
    file.seek(0)
    before = UpTo(file, end)
    return sum(block.count(b'"') for block in iter(lambda: before.read(_BLOCK_BYTES), b""))
