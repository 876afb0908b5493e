"""Dialects of text files: encoding, delimiter, decimal mark, and lines above the header.

`Layout` has the caller's options for a file. `TextDialect` is what was found, of files that are read whole
and in batches.
"""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError, must_be
from bychance.messages import Option
from bychance.validation import whole_number

__all__ = [
    "COMMENT",
    "DELIMITERS",
    "LINE_END",
    "SAMPLE_RECORDS",
    "Layout",
    "TextDialect",
    "TextFormat",
    "decode",
    "find_delimiter",
    "first_records",
    "records",
    "start_of",
    "with_tabs",
]

# At equal evidence the rarer character wins: commas occur in prose, tabs hardly.
DELIMITERS = ("\t", ";", "|", ",")
COMMENT = "#"
LINE_END = re.compile(r"\r\n|\r|\n")
SAMPLE_CHARACTERS = 1 << 16  # characters at the start of a text from which its dialect is detected (taste)
SAMPLE_RECORDS = 200  # records at the start of a text from which its delimiter is detected (taste)
_PAGE = ("<!doctype html", "<html")
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_FEWEST_LINES = 5  # least number of lines in which runs of spaces may separate values (taste)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class TextFormat:
    """Delimiter, decimal mark and encoding of a text file. None means auto-detect.

    Parameters
    ----------
    delimiter
        One character. Detected: of tab, `;`, `|` and `,` the one that cuts most of the first 200 records
        into as many values (at least two) as the header; then the one that cuts it into most. Runs of blanks
        where none of these occurs, all lines have as many values and a column is of numbers.
    decimal
        "." or ",". Detected: a comma where the delimiter is another character, some column is of numbers
        only when it is read so, and no column is of numbers with a decimal point (in the first 1,000
        values).
    encoding
        Any that Python knows. Detected: what a byte-order mark says, UTF-8 if the bytes allow it, and
        Windows-1252 or Latin-1 otherwise.

    Examples
    --------
    >>> TextFormat(delimiter=";", decimal=",")
    TextFormat(delimiter=';', decimal=',', encoding=None)
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        delimiter, decimal = self.delimiter, self.decimal
        if delimiter is not None and (
            not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'
        ):
            raise must_be("delimiter", "one character, no quote or line end", delimiter)
        if decimal not in (None, ".", ","):
            raise must_be("decimal", "'.' or ','", decimal)
        if decimal is not None and decimal == delimiter:
            raise must_be("decimal", "another character than the delimiter", decimal)
        try:
            codecs.lookup("utf-8" if self.encoding is None else self.encoding)
        except (LookupError, TypeError):
            raise must_be("encoding", "one that Python knows", self.encoding) from None


DETECTED = TextFormat()


@dataclass(frozen=True, slots=True)
class Layout:
    """Caller's options on the layout of a file. `names` are column names if the file has no header."""

    text_format: TextFormat = DETECTED
    names: Sequence[str] | None = None
    has_header: bool = True
    skip_rows: int = 0
    sheet: str | int | None = None

    @staticmethod
    def of(
        *,
        text_format: Any = None,
        names: Any = None,
        header: Any = True,
        skip_rows: Any = 0,
        sheet: Any = None,
    ) -> Layout:
        """Create the options from the caller's arguments, checked."""
        text_format = DETECTED if text_format is None else text_format
        if not isinstance(text_format, TextFormat):
            raise must_be("text_format", "a TextFormat", text_format)
        if names is not None and (isinstance(names, str) or not hasattr(names, "__iter__")):
            raise must_be("names", "a list of names", names)
        if not isinstance(header, bool):
            raise must_be("header", "true or false", header)
        if not isinstance(sheet, str | int | None) or isinstance(sheet, bool):
            raise must_be("sheet", "a name or a number", sheet)
        named = None if names is None else [str(name) for name in names]
        return Layout(text_format, named, header, whole_number(skip_rows, "skip_rows", 0), sheet)

    @property
    def n_header(self) -> int:
        """Return the number of header rows, 0 or 1."""
        return int(self.names is None and self.has_header)

    @property
    def finds_names(self) -> bool:
        """Return True if the header row must be found, since no option gives its position."""
        return bool(self.n_header) and not self.skip_rows


@dataclass(frozen=True, slots=True)
class TextDialect:
    """Encoding, delimiter, decimal mark and header size of one text file, given or detected.

    The delimiter is one character, and a blank stands for runs of blanks. `decimal` is None if the decimal
    mark is found for each column. `n_above` lines stand above the names, and `n_names` rows hold names, units
    or other text that is not data.
    """

    delimiter: str
    encoding: str
    decimal: str | None = None
    n_above: int = 0
    n_names: int = 1


def decode(data: bytes, encoding: str | None, origin: str, *, is_start: bool = False) -> tuple[str, str]:
    """Decode bytes to text, and return the encoding as well, or raise an error that names the invalid line.

    The encoding is found unless the caller gives it. Zero bytes are an error if it was found.

    >>> decode("größe".encode("latin-1"), None, "sizes.csv")
    ('größe', 'cp1252')
    """
    named = encoding or _find_encoding(data, is_start=is_start)
    try:
        text = data.decode(named)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        wrong = data[error.start : error.start + 1]
        raise BychanceError(
            f"{origin} must be text in {named}, got the byte 0x{wrong.hex()} in line {line}."
        ) from None
    if text[:SAMPLE_CHARACTERS].lstrip().lower().startswith(_PAGE):
        raise BychanceError(f"{origin} must hold a table, got a web page (HTML).")
    if not encoding and "\x00" in text[:SAMPLE_CHARACTERS]:
        told = f"{origin} must be text, got zero bytes: it is a binary file, or in an encoding of two bytes; "
        raise BychanceError(told + Option("encoding", "utf-16-le") + " reads that.", "encoding")
    return text.removeprefix("\ufeff"), named


def _find_encoding(data: bytes, *, is_start: bool) -> str:
    """Detect the encoding of bytes, by a byte-order mark or their content.

    The start of a file may end within a character.

    >>> _find_encoding("größe".encode()[:3], is_start=True)
    'utf-8'
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(data, final=not is_start)
    except UnicodeDecodeError:
        # Five bytes mean nothing in Windows-1252; Latin-1 has a character for every byte.
        return "latin-1" if any(byte in data for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"
    return "utf-8"


def start_of(text: str) -> str:
    """Return the complete lines at the start of a text, used as the sample for dialect detection."""
    sample = text[:SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        end = max(sample.rfind("\n"), sample.rfind("\r"))
        sample = sample[: end + 1] if end > 0 else sample
    return sample


def find_delimiter(sample: str) -> str:
    """Return the character that splits most records into as many values as the first one.

    >>> find_delimiter("a;b;c\\n1,5;2,5;x\\n")
    ';'
    """
    best, best_score = ",", (0.0, 1)
    for delimiter in DELIMITERS:
        lengths = [len(record) for record, _ in first_records(sample, delimiter) if record]
        if not lengths or lengths[0] < 2:
            continue
        share = sum(length == lengths[0] for length in lengths) / len(lengths)
        if (share, lengths[0]) > best_score:
            best, best_score = delimiter, (share, lengths[0])
    return best


def first_records(text: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """Yield (record, number of its last line) for the first records, at most 200 besides comments."""
    n_records = 0
    with contextlib.suppress(csv.Error):
        for record, line in records(text, delimiter):
            yield record, line
            n_records += not (record and record[0].startswith(COMMENT))
            if n_records == SAMPLE_RECORDS:
                return


def records(text: str, delimiter: str, *, is_strict: bool = False) -> Iterator[tuple[list[str], int]]:
    """Yield (record, number of its last line) for each record of a delimited text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=is_strict)
    for record in reader:
        yield record, reader.line_num


def with_tabs(text: str) -> str | None:
    """Replace each run of spaces by a tab, or return None if spaces do not separate values.

    They do if no other delimiter occurs, all lines have as many values (names may be one fewer, but two), one
    column is of numbers, and no other is one word alone, as in "Room 1", "Room 2". A comment right above the
    first row holds the names if it has as many words and that row has numbers.

    >>> with_tabs("# lab 3\\n#time  value\\n" + "0.5  1\\n" * 5)[:28]
    '# lab 3\\ntime\\tvalue\\n0.5\\t1\\n0.5'
    >>> with_tabs("New York\\n" * 6) is None
    True
    """
    sample = start_of(text)
    lines = [line for line in LINE_END.split(sample) if line.strip() and not _is_comment(line)]
    if (
        len(lines) < _FEWEST_LINES
        or any(line.count('"') % 2 for line in lines)
        or any(mark in sample for mark in "\t;|")
    ):
        return None
    names, *rows = _values(lines)
    if not rows:  # an open quote takes all lines
        return None
    width = len(rows[0])
    if len(names) < 2 or len(names) not in (width, width - 1) or any(len(row) != width for row in rows):
        return None
    if any("," in value for row in (names, *rows) for value in row):
        return None
    columns = list(zip(*rows, strict=True))
    words = [column for column in columns if not all(map(_NUMBER.fullmatch, column))]
    if len(words) == width or any(len(set(column)) == 1 for column in words):
        return None
    return _rewritten(text, width, has_names=not any(map(_NUMBER.fullmatch, names)))


def _rewritten(text: str, width: int, *, has_names: bool) -> str:
    lines = LINE_END.split(text.rstrip("\r\n"))
    first = next(k for k, line in enumerate(lines) if line.strip() and not _is_comment(line))
    if first and not has_names:
        names = lines[first - 1].lstrip("# ")
        lines[first - 1] = names if len(names.split()) == width else lines[first - 1]
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    for line in lines:
        if _is_comment(line):
            written.write(f"{line}\n")
        else:
            writer.writerows(_values([line]))
    return written.getvalue()


def _values(lines: Iterable[str]) -> Iterator[list[str]]:
    return csv.reader((line.strip() for line in lines), delimiter=" ", skipinitialspace=True)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(COMMENT)
