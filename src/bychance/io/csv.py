"""Reader of delimited text (CSV): bytes to columns of text cells, with errors that name the line.

What Arrow's parser cannot cut is put right in the text before: blanks between values, names one too few,
short rows, footnotes.
"""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from bychance.errors import BychanceError
from bychance.io.cells import TextCells
from bychance.io.dialect import (
    COMMENT,
    DELIMITERS,
    LINE_END,
    SAMPLE_RECORDS,
    Layout,
    TextDialect,
    decode,
    find_delimiter,
    first_records,
    records,
    start_of,
    with_tabs,
)
from bychance.io.footer import LAST_CHARACTERS, cut_footnotes
from bychance.io.frames import Source
from bychance.io.numbers import SAMPLE_VALUES, find_decimal
from bychance.io.preamble import (
    MOST_BELOW_NAMES,
    MOST_ROWS_ABOVE,
    header_of,
    is_row_of_names,
    n_rows_above,
    note_on_rows_above,
)
from bychance.messages import KEEP_ALL_ROWS, Code, Note, Option, Sentence
from bychance.names import count_of, first_line

__all__ = ["read_csv", "skip_comment"]

BLOCK_BYTES = 1 << 24  # bytes of text per block that Arrow parses: 16 MiB, unless a record is longer (taste)
_QUOTED_LATE = re.compile(r' +"')
_COMMENT_MARK = re.compile(rf"\A{COMMENT} *")
_LIKE_A_NUMBER = re.compile(r"^\W*\d")


def read_csv(
    data: bytes, origin: str, layout: Layout, missing: frozenset[str], *, is_whole: bool = True
) -> tuple[Source, TextDialect]:
    """Return the columns of a delimited text file as unparsed text cells, and its dialect.

    Only a whole file, not the start of one, has short rows filled.
    """
    text, encoding = decode(data, layout.text_format.encoding, origin, is_start=not is_whole)
    text = _below(text, layout.skip_rows)
    if not text.strip():
        raise BychanceError(f"{origin} is empty.")
    tabbed = None if layout.text_format.delimiter else with_tabs(text)
    text, n_above, notes = _without_titles(text if tabbed is None else tabbed, layout)
    n_above += layout.skip_rows
    delimiter = layout.text_format.delimiter or find_delimiter(start_of(text))
    if layout.n_header:
        text = _with_all_names(text, delimiter, notes)
        text = _without_footnotes(text, delimiter, notes)
    if any(_QUOTED_LATE.match(name) for name in _first_row(text, delimiter)):
        text = _without_blanks_before_quotes(text, delimiter)
    try:
        cells, n_comments = _cells(text, delimiter, origin, n_above)
    except BychanceError:
        filled = _with_whole_rows(text, delimiter, n_above, notes) if is_whole and layout.n_header else None
        if filled is None:
            raise
        text = filled
        cells, n_comments = _cells(text, delimiter, origin, n_above)
    if n_comments:
        notes.append(Note.on_table(Code.COMMENTS_LEFT_OUT, n=n_comments))
    start = cells.slice(0, MOST_BELOW_NAMES + 2)
    header = header_of(
        layout,
        list(zip(*(column.to_pylist() for column in start.columns), strict=True)),
        lambda k, n: cells.column(k).slice(n, SAMPLE_VALUES).to_pylist(),
    )
    rows = cells.slice(header.n_rows)
    if not rows.num_rows:
        raise BychanceError(f"{origin} has a header and no rows.")
    line = n_above + header.n_rows + 1 if cells.num_rows == _n_lines(text) else None
    decimal = layout.text_format.decimal
    if decimal is None and delimiter != ",":
        decimal = find_decimal(rows.columns, missing)
    columns: dict[str, object] = {
        name: TextCells(column, decimal, line)
        for name, column in zip(header.names, rows.columns, strict=True)
    }
    source = Source(
        columns,
        origin,
        notes=(*notes, *header.notes),
        unnamed=header.unnamed,
        may_have_total=bool(layout.n_header),
    )
    mark = delimiter if tabbed is None else " "
    return source, TextDialect(mark, encoding, decimal, n_above, header.n_rows)


def _below(text: str, n_lines: int) -> str:
    """Return the text after its first `n_lines` lines."""
    return "".join(LINE_END.split(text, n_lines)[n_lines:]) if n_lines else text


def _without_titles(text: str, layout: Layout) -> tuple[str, int, list[Note]]:
    """Drop title lines above the header row, and return the remaining text, their number and a note."""
    sample = start_of(text)
    given = layout.text_format.delimiter
    if not layout.finds_names:
        return text, 0, []
    for delimiter in [given] if given else DELIMITERS:
        rows = list(first_records(sample, delimiter))
        n_rows = n_rows_above([row for row, _ in rows])
        if n_rows:
            n_lines = rows[n_rows - 1][1]
            note = note_on_rows_above([row for row, _ in rows[:n_rows]])
            # The last of the comments may hold the names.
            return _COMMENT_MARK.sub("", _below(text, n_lines), count=1), n_lines, [note]
    return text, 0, []


def _with_all_names(text: str, delimiter: str, notes: list[Note]) -> str:
    """Add an empty name to the header if every row below has exactly one value more than it.

    Rows that end in a delimiter have no value behind it. Otherwise the first value has no name, as R writes
    names of rows. Between commas, the value too many may be decimals, unless R's quotes tell.
    """
    sample = start_of(text)
    (first, n_lines), *below = list(first_records(sample, delimiter)) or [([], 0)]
    rows = [row for row, _ in below if row]
    if n_lines != 1 or not rows or any(len(row) != len(first) + 1 for row in rows):
        return text
    if not any(row[-1].strip() for row in rows):
        end = LINE_END.search(text)
        return text[: end.start()] + delimiter + text[end.start() :] if end else text
    names, *quoted = [line for line in LINE_END.split(sample) if line]
    is_quoted = names.count('"') == 2 * len(first) and all(row.startswith('"') for row in quoted)
    if delimiter == "," and not is_quoted:
        return text
    notes.append(Note.on_table(Code.NAME_MISSING))
    return delimiter + text


def _without_footnotes(text: str, delimiter: str, notes: list[Note]) -> str:
    found = cut_footnotes(text[-LAST_CHARACTERS:], delimiter, len(_first_row(text, delimiter)) or 1)
    if found is None:
        return text
    end = max(len(text) - LAST_CHARACTERS, 0) + found[0]
    if text.count('"', 0, end) % 2:
        return text
    notes.append(found[1])
    return text[:end] + "\n"


def _without_blanks_before_quotes(text: str, delimiter: str) -> str:
    """Remove spaces between a delimiter and a quote, since Arrow would not see a quoted value."""
    written = io.StringIO(newline="")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        csv.writer(written, delimiter=delimiter).writerows(reader)
    except csv.Error:
        return text
    return written.getvalue()


def _with_whole_rows(text: str, delimiter: str, n_above: int, notes: list[Note]) -> str | None:
    """Pad short rows with empty cells, cut empty cells beyond the header, and add a note on short rows.

    Returns None if a value lies beyond the last name, or half of the rows lack most of their values, as in
    prose.

    >>> _with_whole_rows("a,b,c\\n1,2\\n3,4,5,\\n", ",", 0, [])
    'a,b,c\\n1,2,\\n3,4,5\\n'
    """
    try:
        (names, _), *below = [own for own in records(text, delimiter, is_strict=True) if own[0]]
    except csv.Error:
        return None
    width = len(names)
    rows = [
        (row, line) for row, line in below if len(row) == width or not row[0].lstrip().startswith(COMMENT)
    ]
    n_poor = sum(2 * len(row) < width or len(row) < 2 for row, _ in rows)
    if 2 * n_poor >= len(rows) or any(cell.strip() for row, _ in rows for cell in row[width:]):
        return None
    written = io.StringIO(newline="")
    whole = ([*row[:width], *[""] * (width - len(row))] for row, _ in rows)
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows([names, *whole])
    if n_comments := len(below) - len(rows):
        notes.append(Note.on_table(Code.COMMENTS_LEFT_OUT, n=n_comments))
    if short := tuple(n_above + line for row, line in rows if len(row) < width):
        notes.append(Note.on_table(Code.ROWS_SHORT, n=len(short), lines=short))
    return written.getvalue()


def _n_lines(text: str) -> int:
    """Count the lines of a text, ignoring empty lines at its end."""
    ended = text.rstrip("\r\n")
    return ended.count("\n") + ended.count("\r") - ended.count("\r\n") + 1


def _cells(text: str, delimiter: str, origin: str, n_above: int) -> tuple[Any, int]:
    """Parse text to an Arrow table of strings including the header row, and count skipped comment rows."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    _check_quotes(text, delimiter, origin)
    # pyarrow sees no record in a single line that does not end.
    data = _in_arrow(text if text.endswith(("\n", "\r")) else text + "\n")
    names, odd = _first_row(text, delimiter) or [""], list[str]()

    def told(row: Any) -> str:
        odd.append(skip_comment(row))
        return odd[-1]

    parsed = arrow_csv.ParseOptions(
        delimiter=delimiter, newlines_in_values='"' in text, invalid_row_handler=told
    )
    columns = {f"f{k}": pa.large_string() for k in range(len(names))}
    converted = arrow_csv.ConvertOptions(column_types=columns, strings_can_be_null=False)
    # A record may be longer than a block; whatever else it is, the second error says.
    for block_size in (BLOCK_BYTES, min(max(len(data), BLOCK_BYTES) + 1, 2**31 - 1)):
        odd.clear()
        reading = arrow_csv.ReadOptions(autogenerate_column_names=True, block_size=block_size)
        try:
            cells = arrow_csv.read_csv(
                pa.BufferReader(data), read_options=reading, parse_options=parsed, convert_options=converted
            )
            return cells, len(odd)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            fault = error
    _raise_ragged(text, delimiter, origin, n_above)
    raise BychanceError(f"{origin} could not be read: {first_line(fault)}.") from None


def skip_comment(row: Any) -> str:
    """Return Arrow's answer to a row of unexpected length: "skip" if it is a comment, else "error"."""
    return "skip" if row.text.lstrip().startswith(COMMENT) else "error"


def _in_arrow(text: str) -> Any:
    """Copy text into an Arrow buffer, as Arrow's threads crash if they release Python objects at exit."""
    import pyarrow as pa

    copied = pa.BufferOutputStream()
    copied.write(text.encode("utf-8", "surrogatepass"))
    return copied.getvalue()


def _check_quotes(text: str, delimiter: str, origin: str) -> None:
    """Raise an error if a quote is never closed."""
    if text.count('"') % 2 == 0:
        return
    last = 0
    try:
        for _, last in records(text, delimiter, is_strict=True):  # noqa: B007 (its last value is the place)
            pass
    except csv.Error as error:
        if "unexpected end" in str(error):
            raise BychanceError(
                f'{origin} has a quote (") in or after line {last + 1} that nothing closes.'
            ) from None


def _raise_ragged(text: str, delimiter: str, origin: str, n_above: int) -> None:
    """Raise the error for the first record with more or fewer values than the header."""
    with contextlib.suppress(csv.Error):
        first, last, found = _first_row(text, delimiter), 0, records(text, delimiter)
        expected = len(first)
        for row, line in found:
            if row and len(row) != expected:
                below = [own for own, _ in islice(found, SAMPLE_RECORDS) if own]
                is_title = n_above + last < MOST_ROWS_ABOVE or expected == 1
                is_wider = len(row) > expected
                hint = _hint_on_wider(first, [row, *below], delimiter, n_above + last if is_title else None)
                raise BychanceError(
                    f"{origin} must have {count_of(expected, 'value')} in every line, as in the first, "
                    f"got {len(row)} in line {n_above + last + 1}" + (hint if is_wider else "") + "."
                )
            last = line


def _hint_on_wider(
    first: Sequence[str], wider: Sequence[Sequence[str]], delimiter: str, n_lines: int | None
) -> Sentence:
    """Return a hint for rows wider than the header: skip the lines above, or quote values with commas."""
    if n_lines is not None and len(wider) > 2 and len(set(map(len, wider))) == 1:
        names, *below = wider
        has_names = all(map(str.strip, names)) and is_row_of_names(names, below)
        if has_names or any(map(_LIKE_A_NUMBER.match, first)):
            skips = "; " + Option("skip_rows", n_lines)
            keeps = skips if has_names else skips + " with " + KEEP_ALL_ROWS
            return keeps + f" reads the table below line {n_lines}"
    return Sentence(
        ("; if a comma is part of a value, save the table with quotes around values, or semicolons between "
         "them",) if delimiter == "," else ()
    )  # fmt: skip


def _first_row(text: str, delimiter: str) -> list[str]:
    """Return the first record that is not empty."""
    # A copy of all of a long text takes longer than to parse it.
    return next((record for record, _ in first_records(text[:BLOCK_BYTES], delimiter) if record), [])
