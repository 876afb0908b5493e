"""How a text file is written: bytes → text in a known encoding, and the delimiter between its values."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass

from bychance.errors import BychanceError
from bychance.messages import Option

__all__ = ["DETECTED", "TextFormat", "decode", "find_delimiter", "find_encoding", "is_utf8"]

# At equal evidence the rarer character wins: commas occur in prose, tabs hardly.
DELIMITERS = ("\t", ";", "|", ",")
_PAGE = ("<!doctype html", "<html")
SAMPLE_CHARACTERS = 1 << 16
SAMPLE_RECORDS = 200
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How a text file is written; None means auto-detect.

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
        Any that Python knows. Detected: what a byte-order mark says, UTF-16 where most of every other
        byte are zero, UTF-8 where the bytes allow it, and Windows-1252 or Latin-1 otherwise.

    Examples
    --------
    >>> TextFormat(delimiter=";", decimal=",")
    TextFormat(delimiter=';', decimal=',', encoding=None)
    """

    delimiter: str | None = None
    decimal: str | None = None
    encoding: str | None = None

    def __post_init__(self) -> None:
        if self.delimiter is not None and (
            not isinstance(self.delimiter, str) or len(self.delimiter) != 1 or self.delimiter in '"\r\n'
        ):
            raise BychanceError(
                Option("delimiter")
                + f" must be one character, no quote or line end, got {self.delimiter!r}.",
                "delimiter",
            )
        if self.decimal not in (None, ".", ","):
            raise BychanceError(Option("decimal") + f" must be '.' or ',', got {self.decimal!r}.", "decimal")
        if self.decimal is not None and self.decimal == self.delimiter:
            raise BychanceError(
                Option("decimal")
                + " and "
                + Option("delimiter")
                + f" must differ, got {self.decimal!r} for both.",
                "decimal",
                "delimiter",
            )
        if self.encoding is not None:
            _check_encoding(self.encoding)


DETECTED = TextFormat()


def decode(data: bytes, encoding: str | None, origin: str) -> str:
    """The text that the bytes are, or an error that names the line where they are not what was said.

    >>> decode("größe".encode("latin-1"), None, "sizes.csv")
    'größe'
    """
    named = encoding or find_encoding(data)
    try:
        text = data.decode(named)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        wrong = data[error.start : error.start + 1]
        raise BychanceError(
            f"{origin} must be text in {named}, got the byte 0x{wrong.hex()} in line {line}."
        ) from None
    except UnicodeError as error:
        raise BychanceError(f"{origin} must be text in {named}: {error}.") from None
    if text[:SAMPLE_CHARACTERS].lstrip().lower().startswith(_PAGE):
        raise BychanceError(f"{origin} must hold a table, got a web page (HTML).")
    if encoding is None and "\x00" in text[:SAMPLE_CHARACTERS]:
        raise BychanceError(f"{origin} must be text, got zero bytes; is it a binary file?")
    return text.removeprefix("\ufeff")


def is_utf8(data: bytes) -> bool:
    """Whether all of the bytes are UTF-8, without keeping their text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    step = 1 << 20
    try:
        for start in range(0, len(data), step):
            decoder.decode(data[start : start + step])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def find_delimiter(sample: str) -> str:
    """The character that cuts the records of the sample into the same number of values as its first one.

    >>> find_delimiter("a;b;c\\n1,5;2,5;x\\n")
    ';'
    """
    best, best_score = ",", (0.0, 1)
    for delimiter in DELIMITERS:
        lengths = [len(record) for record in _records(sample, delimiter)]
        if not lengths or lengths[0] < 2:
            continue
        share = sum(length == lengths[0] for length in lengths) / len(lengths)
        if (share, lengths[0]) > best_score:
            best, best_score = delimiter, (share, lengths[0])
    return best


def _records(sample: str, delimiter: str) -> Iterator[list[str]]:
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    try:
        for record in reader:
            if record:
                yield record
            if reader.line_num >= SAMPLE_RECORDS:
                return
    except csv.Error:
        return


def find_encoding(data: bytes) -> str:
    """The encoding that a byte-order mark or the bytes themselves speak for.

    >>> find_encoding("größe".encode()), find_encoding("5 €".encode("cp1252"))
    ('utf-8', 'cp1252')
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding
    head = data[:4096]
    if b"\x00" in head:
        n_even, n_odd = head[::2].count(0), head[1::2].count(0)
        if max(n_even, n_odd) > 0.35 * len(head) and min(n_even, n_odd) == 0:
            return "utf-16-be" if n_even else "utf-16-le"
    if is_utf8(data):
        return "utf-8"
    # Five bytes mean nothing in Windows-1252; Latin-1 has a character for every byte.
    return "latin-1" if any(byte in data for byte in b"\x81\x8d\x8f\x90\x9d") else "cp1252"


def _check_encoding(encoding: str) -> None:
    try:
        codecs.lookup(encoding)
    except (LookupError, TypeError):
        raise BychanceError(
            Option("encoding") + f" must be one that Python knows, got {encoding!r}.", "encoding"
        ) from None
