"""CSV and its kin: bytes → named columns of text cells. pyarrow parses; what goes wrong is told by line."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from bychance.arrow_values import arrow_of_numpy
from bychance.errors import BychanceError
from bychance.io.above import (
    MOST_BELOW_NAMES,
    MOST_ROWS_ABOVE,
    n_rows_above,
    names_and_rows_below,
    note_on_rows_above,
)
from bychance.io.below import LAST_CHARACTERS, LINE_END, cut_footnotes
from bychance.io.blanks import with_tabs
from bychance.io.cells import TextCells
from bychance.io.comments import COMMENT, without_comments
from bychance.io.frames import Source
from bychance.io.headers import names_in_two_rows, remark_on_data
from bychance.io.layout import Layout
from bychance.io.numbers import SAMPLE_VALUES, find_decimal
from bychance.io.repeated_names import note_on_repeats, repeats_names
from bychance.io.short_rows import filled_up
from bychance.io.text_format import DELIMITERS, SAMPLE_CHARACTERS, decode, find_delimiter
from bychance.io.wider_rows import hint_on_wider
from bychance.messages import Code, Note, Sentence
from bychance.names import count_of, first_line

__all__ = ["Delimited", "from_delimited", "read_delimited"]

BLOCK_BYTES = 1 << 24
_QUOTED_LATE = re.compile(r' +"')
_COMMENT_MARK = re.compile(rf"\A{COMMENT} *")
_FIRST_RECORDS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Delimited:
    """A text file: its columns, what cuts them, lines above the names and rows that belong to these."""

    source: Source
    delimiter: str
    n_above: int
    n_names: int


def from_delimited(data: bytes, origin: str, layout: Layout, missing: frozenset[str]) -> Source:
    """The columns of a text file, their cells as they are written."""
    return read_delimited(data, origin, layout, missing, is_whole=True).source


def read_delimited(
    data: bytes, origin: str, layout: Layout, missing: frozenset[str], *, is_whole: bool = False
) -> Delimited:
    """The columns of a text file, their cells as they are written, and where they stand in it.

    Of a file that is there as a whole, rows that repeat the names are left out.
    """
    text = decode(data, layout.text_format.encoding, origin)
    text = _without_first(text, layout.skip_rows)
    if not text.strip():
        raise BychanceError(f"{origin} is empty.")
    at_blanks = None if layout.text_format.delimiter else with_tabs(text, _whole_lines(text))
    text = text if at_blanks is None else at_blanks
    text, n_above, above = _below_titles(text, layout)
    delimiter = layout.text_format.delimiter or find_delimiter(_whole_lines(text))
    comments: tuple[Note, ...] = ()
    if layout.n_header and COMMENT in text:
        has_more = any(note.values["is_comment"] for note in above)
        text, comments = without_comments(text, delimiter, n_above + layout.skip_rows, has_more=has_more)
    text, unnamed = _with_all_names(text, delimiter) if layout.n_header else (text, ())
    text, footnotes = _above_footnotes(text, delimiter) if layout.n_header else (text, ())
    if _has_blanks_before_quotes(text, delimiter):
        text = _without_blanks_before_quotes(text, delimiter)
    n_above += layout.skip_rows
    short: tuple[Note, ...] = ()
    try:
        cells = _cells(text, delimiter, origin, n_above)
    except BychanceError:
        filled = filled_up(text, delimiter, n_above) if is_whole and layout.n_header else None
        if filled is None:
            raise
        text, short = filled
        cells = _cells(text, delimiter, origin, n_above)
    is_plain = cells.num_rows == _n_lines(text)
    first = [str(column[0]) for column in cells.columns]
    n_header, twice = layout.n_header, list[Note]()
    if n_header and (
        named := names_in_two_rows(first, [str(column[-1]) for column in cells.slice(0, 2).columns])
    ):
        n_header, (first, *twice) = 2, named
    rows = cells.slice(n_header)
    first_line = n_above + n_header + 1 if is_plain else None

    def values_of(k: int) -> list[str]:
        values: list[str] = rows.column(k).slice(0, SAMPLE_VALUES).to_pylist()
        return values

    is_repeated = repeats_names(text, first, rows.columns) if is_whole and n_header == 1 else None
    if is_repeated is not None and not remark_on_data(first, values_of):
        rows, twice = rows.filter(arrow_of_numpy(~is_repeated)), [note_on_repeats(is_repeated, first_line)]
        first_line = None
    below = zip(*(column[:MOST_BELOW_NAMES].to_pylist() for column in rows.columns), strict=True)
    first, n_below, said = names_and_rows_below(first, list(below) if layout.n_header else [], values_of)
    header = layout.header(first, values_of)
    rows = rows.slice(n_below)
    if not rows.num_rows:
        raise BychanceError(f"{origin} has a header and no rows.")
    decimal = layout.text_format.decimal
    if decimal is None and delimiter != ",":
        decimal = find_decimal(rows.columns, missing)
    first_line = None if first_line is None else first_line + n_below
    columns: dict[str, object] = {
        name: TextCells(column, decimal, first_line)
        for name, column in zip(header.names, rows.columns, strict=True)
    }
    notes = (*above, *comments, *unnamed, *short, *twice, *said, *footnotes, *header.notes)
    source = Source(
        columns, origin, notes=notes, unnamed=header.unnamed, may_have_total=bool(layout.n_header)
    )
    return Delimited(source, delimiter if at_blanks is None else " ", n_above, n_header + n_below)


def _below_titles(text: str, layout: Layout) -> tuple[str, int, tuple[Note, ...]]:
    """The text from its names on, how many lines were above them, and a note on these."""
    if not layout.finds_names:
        return text, 0, ()
    sample = _whole_lines(text)
    if not layout.text_format.delimiter and not _starts_with_title(sample):
        return text, 0, ()
    for delimiter in [layout.text_format.delimiter] if layout.text_format.delimiter else DELIMITERS:
        rows = list(_first_records(sample, delimiter))
        n_rows = n_rows_above([row for row, _ in rows])
        if n_rows:
            n_lines = rows[n_rows - 1][1]
            note = note_on_rows_above([row for row, _ in rows[:n_rows]])
            # The last of the comments may hold the names.
            return _COMMENT_MARK.sub("", _without_first(text, n_lines), 1), n_lines, (note,)
    return text, 0, ()


def _with_all_names(text: str, delimiter: str) -> tuple[str, tuple[Note, ...]]:
    """The text with a name for each value, an empty one where the names are one fewer; and a note on that.

    Rows that end in a delimiter have no value behind it; otherwise it is the first that has no name, as R
    writes row names. Between commas, the value too many may be decimals, unless R's quotes tell.
    """
    (first, n_lines), *below = list(_first_records(_whole_lines(text), delimiter)) or [([], 0)]
    rows = [row for row, _ in below if row]
    if n_lines != 1 or not rows or any(len(row) != len(first) + 1 for row in rows):
        return text, ()
    if not any(row[-1].strip() for row in rows):
        end = LINE_END.search(text)
        return text[: end.start()] + delimiter + text[end.start() :] if end else text, ()
    if delimiter == "," and not _has_quoted_names(_whole_lines(text), len(first)):
        return text, ()
    return delimiter + text, (Note.on_table(Code.NAME_MISSING),)


def _has_quoted_names(sample: str, n_names: int) -> bool:
    """Whether all names and the first value of each row are quoted, as R does, whose decimals have points."""
    names, *rows = [line for line in LINE_END.split(sample) if line]
    return names.count('"') == 2 * n_names and all(row.startswith('"') for row in rows)


def _above_footnotes(text: str, delimiter: str) -> tuple[str, tuple[Note, ...]]:
    """The text down to its footnotes, and a note on these."""
    found = cut_footnotes(text[-LAST_CHARACTERS:], delimiter, _n_columns(text, delimiter))
    if found is None:
        return text, ()
    end = max(len(text) - LAST_CHARACTERS, 0) + found[0]
    return (text, ()) if text.count('"', 0, end) % 2 else (text[:end] + "\n", (found[1],))


def _starts_with_title(sample: str) -> bool:
    """Whether the first line is a comment, has one value, or is not cut as most lines are."""
    rows = [row for row, _ in _first_records(sample, find_delimiter(sample)) if row]
    is_cut = bool(rows) and 2 * sum(len(row) == len(rows[0]) for row in rows) >= len(rows)
    return not is_cut or sum(map(bool, rows[0])) < 2 or sample.lstrip().startswith("#")


def _first_records(sample: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """The first records that are no comments, and the comments above and among them."""
    n_records = 0
    try:
        for record, line in _records(sample, delimiter, is_strict=False):
            yield record, line
            n_records += not (record and record[0].startswith(COMMENT))
            if n_records == _FIRST_RECORDS:
                return
    except csv.Error:
        return


def _without_first(text: str, n_lines: int) -> str:
    """The text below its first lines."""
    start = 0
    for _ in range(n_lines):
        end = LINE_END.search(text, start)
        if end is None:
            return ""
        start = end.end()
    return text[start:]


def _has_blanks_before_quotes(text: str, delimiter: str) -> bool:
    """Whether a name of the first record has blanks and then a quote, which for Arrow opens no value."""
    try:
        first = next((record for record, _ in _records(text, delimiter, is_strict=False) if record), [])
    except csv.Error:
        return False
    return any(_QUOTED_LATE.match(name) for name in first)


def _without_blanks_before_quotes(text: str, delimiter: str) -> str:
    written = io.StringIO(newline="")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        csv.writer(written, delimiter=delimiter).writerows(reader)
    except csv.Error:
        return text
    return written.getvalue()


def _n_lines(text: str) -> int:
    """How many lines there are, up to the last that is not empty."""
    ended = text.rstrip("\r\n")
    return ended.count("\n") + ended.count("\r") - ended.count("\r\n") + 1


def _whole_lines(text: str) -> str:
    """The start of the text, up to the end of a line."""
    sample = text[:SAMPLE_CHARACTERS]
    if len(sample) < len(text):
        end = max(sample.rfind("\n"), sample.rfind("\r"))
        sample = sample[: end + 1] if end > 0 else sample
    return sample


def _cells(text: str, delimiter: str, origin: str, n_above: int) -> Any:
    """All records, the header among them, as an Arrow table of strings."""
    import pyarrow as pa

    _check_quotes(text, delimiter, origin)
    # pyarrow sees no record in a single line that does not end.
    data = _in_arrow(text if text.endswith(("\n", "\r")) else text + "\n")
    n_columns = _n_columns(text, delimiter)
    try:
        try:
            return _parse(data, delimiter, n_columns, '"' in text, BLOCK_BYTES)
        except pa.ArrowInvalid:
            if len(data) <= BLOCK_BYTES:
                raise
            # A record may be longer than a block; whatever else it is, the second error says.
            return _parse(data, delimiter, n_columns, '"' in text, min(len(data) + 1, 2**31 - 1))
    except (pa.ArrowException, ValueError, OverflowError) as error:
        _raise_ragged(text, delimiter, origin, n_above)
        raise BychanceError(f"{origin} could not be read: {first_line(error)}.") from None


def _in_arrow(text: str) -> Any:
    """The text in memory of Arrow, whose threads abort a program that ends by giving back a Python object."""
    import pyarrow as pa

    copied = pa.BufferOutputStream()
    copied.write(text.encode("utf-8", "surrogatepass"))
    return copied.getvalue()


def _parse(data: Any, delimiter: str, n_columns: int, has_quotes: bool, block_size: int) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    return arrow_csv.read_csv(
        pa.BufferReader(data),
        read_options=arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=block_size),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=has_quotes),
        convert_options=arrow_csv.ConvertOptions(
            column_types={f"f{k}": pa.large_string() for k in range(n_columns)}, strings_can_be_null=False
        ),
    )


def _n_columns(text: str, delimiter: str) -> int:
    try:
        return next(len(record) for record, _ in _records(text, delimiter, is_strict=False) if record)
    except (csv.Error, StopIteration):
        return 1


def _check_quotes(text: str, delimiter: str, origin: str) -> None:
    """A quote that nothing closes swallows the rest of the file; pyarrow does not mind, but users do."""
    if text.count('"') % 2 == 0:
        return
    last = 0
    try:
        for _, last in _records(text, delimiter, is_strict=True):  # noqa: B007 (its last value is the place)
            pass
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise BychanceError(
                f'{origin} has a quote (") in or after line {last + 1} that nothing closes.'
            ) from None


def _raise_ragged(text: str, delimiter: str, origin: str, n_above: int) -> None:
    """The error for the first record that is not as long as the header, where there is one.

    It says what longer ones may come from; `n_above` lines above the text are skipped already.
    """
    expected, last, above = 0, n_above, list[list[str]]()
    try:
        records = _records(text, delimiter, is_strict=False)
        for record, n_lines in records:
            expected = expected or len(record)
            if record and len(record) != expected:
                hint = Sentence(())
                if len(record) > expected:
                    below = [own for own, _ in islice(records, _FIRST_RECORDS) if own]
                    may_be_titles = last < MOST_ROWS_ABOVE or expected == 1
                    hint = hint_on_wider(above, [record, *below], delimiter, last if may_be_titles else None)
                raise BychanceError(
                    f"{origin} must have {count_of(expected, 'value')} in every line, as in the first, "
                    f"got {len(record)} in line {last + 1}" + hint + "."
                )
            last = n_above + n_lines
            if record and len(above) < MOST_ROWS_ABOVE:
                above.append(record)
    except csv.Error:
        return


def _records(text: str, delimiter: str, *, is_strict: bool) -> Iterator[tuple[list[str], int]]:
    """Every record with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=is_strict)
    for record in reader:
        yield record, reader.line_num
