"""CSV and its kin: bytes → named columns of text cells. pyarrow parses; what goes wrong is told by line.

What Arrow's parser cannot cut is put right in the text before: blanks between values, names one too few,
comments, short rows, footnotes.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, numpy_of
from bychance.errors import BychanceError
from bychance.io.cells import TextCells, combined
from bychance.io.dialect import (
    DELIMITERS,
    LINE_END,
    Dialect,
    Layout,
    decode,
    find_delimiter,
    find_encoding,
    start_of,
    with_tabs,
)
from bychance.io.footer import LAST_CHARACTERS, cut_footnotes
from bychance.io.frames import Source
from bychance.io.numbers import SAMPLE_VALUES, find_decimal
from bychance.io.preamble import (
    COMMENT,
    MOST_BELOW_NAMES,
    MOST_ROWS_ABOVE,
    header_of,
    n_rows_above,
    names_and_rows_below,
    names_in_two_rows,
    note_on_rows_above,
    remark_on_data,
)
from bychance.messages import KEEP_ALL_ROWS, Code, Note, Option, Sentence
from bychance.names import count_of, first_line

__all__ = ["FEWEST_NAMES", "read_csv"]

BLOCK_BYTES = 1 << 24
FEWEST_NAMES = 2  # of a row that repeats the names
_QUOTED_LATE = re.compile(r' +"')
_COMMENT_MARK = re.compile(rf"\A{COMMENT} *")
_COMMENT_LINE = re.compile(rf"(?<=[\r\n]){COMMENT}[^\r\n]*")
_MOST_COMMENTS_SHARE, _MOST_COMMENTS = 0.2, 1_000
_FIRST_RECORDS = 100
_NEARLY_ALL = 0.8
_LIKE_A_NUMBER = re.compile(r"^\W*\d")
_WHOLE, _DECIMALS, _POINT = re.compile(r"\s*[+\-−]?\d+$"), re.compile(r"\d+\s*$"), re.compile(r"\d\.\d")
_WORDS_BEHIND_BLANK = re.compile(r"\s+[^\W\d]")


def read_csv(
    data: bytes, origin: str, layout: Layout, missing: frozenset[str], *, is_whole: bool = True
) -> tuple[Source, Dialect]:
    """Return the columns of a text file, their cells as they are written, and its dialect.

    Only a whole file, not the start of one, has short rows filled and rows that repeat the names left out.
    """
    encoding = layout.text_format.encoding or find_encoding(data, is_start=not is_whole)
    text = decode(data, encoding, origin, is_told=layout.text_format.encoding is not None)
    text = _below(text, layout.skip_rows)
    if not text.strip():
        raise BychanceError(f"{origin} is empty.")
    tabbed = None if layout.text_format.delimiter else with_tabs(text)
    text, n_above, above = _without_titles(text if tabbed is None else tabbed, layout)
    n_above += layout.skip_rows
    delimiter = layout.text_format.delimiter or find_delimiter(start_of(text))
    notes = list(above)
    if layout.n_header:
        text = _without_comments(text, delimiter, n_above, notes)
        text = _with_all_names(text, delimiter, notes)
        text = _without_footnotes(text, delimiter, notes)
    if any(_QUOTED_LATE.match(name) for name in _first_row(text, delimiter)):
        text = _without_blanks_before_quotes(text, delimiter)
    try:
        cells = _cells(text, delimiter, origin, n_above)
    except BychanceError:
        filled = _with_whole_rows(text, delimiter, n_above, notes) if is_whole and layout.n_header else None
        if filled is None:
            raise
        text = filled
        cells = _cells(text, delimiter, origin, n_above)
    first, n_names = [str(column[0]) for column in cells.columns], layout.n_header
    written = tuple(first) if n_names else ()
    if n_names and (
        named := names_in_two_rows(first, [str(column[-1]) for column in cells.slice(0, 2).columns])
    ):
        n_names, first = 2, named[0]
        notes.append(named[1])
    rows = cells.slice(n_names)
    has_line_per_row = cells.num_rows == _n_lines(text)
    line = n_above + n_names + 1 if has_line_per_row else None

    def values_of(k: int) -> list[str]:
        values: list[str] = rows.column(k).slice(0, SAMPLE_VALUES).to_pylist()
        return values

    is_repeated = _repeats_names(text, first, rows.columns) if is_whole and n_names == 1 else None
    if is_repeated is not None and not remark_on_data(first, values_of):
        notes.append(_note_on_repeats(is_repeated, line))
        rows, line = rows.filter(arrow_of_numpy(~is_repeated)), None
    if layout.n_header:
        below = zip(*(column[:MOST_BELOW_NAMES].to_pylist() for column in rows.columns), strict=True)
        first, n_below, said = names_and_rows_below(first, list(below), values_of)
        notes += said
        n_names, line = n_names + n_below, None if line is None else line + n_below
    else:
        n_below = 0
    header = header_of(layout, first, values_of)
    rows = rows.slice(n_below)
    if not rows.num_rows:
        raise BychanceError(f"{origin} has a header and no rows.")
    decimal = layout.text_format.decimal
    if decimal is None and delimiter != ",":
        decimal = find_decimal(rows.columns, missing)
    columns: dict[str, object] = {
        name: TextCells(column, decimal, line)
        for name, column in zip(header.names, rows.columns, strict=True)
    }
    all_notes = (*notes, *header.notes)
    source = Source(
        columns, origin, notes=all_notes, unnamed=header.unnamed, may_have_total=bool(layout.n_header)
    )
    mark = delimiter if tabbed is None else " "
    return source, Dialect(mark, encoding, decimal, n_above, n_names, written)


def _below(text: str, n_lines: int) -> str:
    """Return the text below its first lines."""
    start = 0
    for _ in range(n_lines):
        end = LINE_END.search(text, start)
        if end is None:
            return ""
        start = end.end()
    return text[start:]


def _without_titles(text: str, layout: Layout) -> tuple[str, int, tuple[Note, ...]]:
    """Return the text from its names on, the number of lines above, and a note on these."""
    sample = start_of(text)
    given = layout.text_format.delimiter
    if not layout.finds_names or not (given or _may_start_with_title(sample)):
        return text, 0, ()
    for delimiter in [given] if given else DELIMITERS:
        rows = list(_first_records(sample, delimiter))
        n_rows = n_rows_above([row for row, _ in rows])
        if n_rows:
            n_lines = rows[n_rows - 1][1]
            note = note_on_rows_above([row for row, _ in rows[:n_rows]])
            # The last of the comments may hold the names.
            return _COMMENT_MARK.sub("", _below(text, n_lines), count=1), n_lines, (note,)
    return text, 0, ()


def _may_start_with_title(sample: str) -> bool:
    """Return True if the first line is a comment, has one value, or is not cut as most lines are."""
    rows = [row for row, _ in _first_records(sample, find_delimiter(sample)) if row]
    is_cut = bool(rows) and 2 * sum(len(row) == len(rows[0]) for row in rows) >= len(rows)
    return not is_cut or sum(map(bool, rows[0])) < 2 or sample.lstrip().startswith(COMMENT)


def _without_comments(text: str, delimiter: str, n_above: int, notes: list[Note]) -> str:
    """Return the text with empty lines for its comments below the first line, and note these.

    A line that begins with # is a comment if it has more or fewer values than the first line. If one is, or
    there are comments above the names, all others that begin so are.

    >>> _without_comments("a,b\\n1,2\\n# restarted\\n3,4\\n5,6\\n7,8\\n", ",", 0, [])
    'a,b\\n1,2\\n\\n3,4\\n5,6\\n7,8\\n'
    """
    found = list(islice(_COMMENT_LINE.finditer(text), _MOST_COMMENTS + 1)) if COMMENT in text else []
    has_more = any(note.values["is_comment"] for note in notes)
    share = 1.0 if has_more else _MOST_COMMENTS_SHARE
    if not found or len(found) > min(_MOST_COMMENTS, share * (text.count("\n") + text.count("\r"))):
        return text
    width = len(_cut(LINE_END.split(text, maxsplit=1)[0], delimiter))
    if not has_more and all(len(_cut(match[0], delimiter)) == width for match in found):
        return text
    kept, lines = list[str](), list[int]()
    last, line, n_quotes = 0, n_above + 1, 0
    for match in found:
        between = text[last : match.start()]
        line, n_quotes = line + len(LINE_END.findall(between)), n_quotes + between.count('"')
        last = match.start() if n_quotes % 2 else match.end()  # within quotes it is part of a value
        kept.append(between)
        lines += [] if n_quotes % 2 else [line]
    if not lines:
        return text
    notes.append(
        Note.on_table(Code.COMMENTS_LEFT_OUT, n=len(lines), lines=tuple(lines), option=KEEP_ALL_ROWS)
    )
    return "".join([*kept, text[last:]])


def _cut(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _with_all_names(text: str, delimiter: str, notes: list[Note]) -> str:
    """Return the text with a name for each value, an empty one if the names are one fewer, and note that.

    Rows that end in a delimiter have no value behind it. Otherwise the first value has no name, as R writes
    names of rows. Between commas, the value too many may be decimals, unless R's quotes tell.
    """
    sample = start_of(text)
    (first, n_lines), *below = list(_first_records(sample, delimiter)) or [([], 0)]
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
    """Return the text without blanks between a delimiter and a quote, which for Arrow then opens no value."""
    written = io.StringIO(newline="")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        csv.writer(written, delimiter=delimiter).writerows(reader)
    except csv.Error:
        return text
    return written.getvalue()


def _with_whole_rows(text: str, delimiter: str, n_above: int, notes: list[Note]) -> str | None:
    """Return the text with as many values in each row as there are names, and note the short rows.

    None if a value stands behind the last name, or half of the rows lack most of their values, as in prose.

    >>> _with_whole_rows("a,b,c\\n1,2\\n3,4,5,\\n", ",", 0, [])
    'a,b,c\\n1,2,\\n3,4,5\\n'
    """
    if text.count('"') % 2:
        return None
    try:
        records = [(row, n_above + n_lines) for row, n_lines in _records(text, delimiter) if row]
    except csv.Error:
        return None
    (names, _), *rows = records
    width = len(names)
    n_poor = sum(2 * len(row) < width or len(row) < 2 for row, _ in rows)
    if 2 * n_poor >= len(rows) or any(cell.strip() for row, _ in rows for cell in row[width:]):
        return None
    written = io.StringIO(newline="")
    whole = ([*row[:width], *[""] * (width - len(row))] for row, _ in rows)
    csv.writer(written, delimiter=delimiter, lineterminator="\n").writerows([names, *whole])
    lines = tuple(line for row, line in rows if len(row) < width)
    if lines:
        notes.append(Note.on_table(Code.ROWS_SHORT, n=len(lines), lines=lines))
    return written.getvalue()


def _repeats_names(text: str, names: Sequence[str], columns: Sequence[Any]) -> NDArray[np.bool_] | None:
    """Flag rows that hold the names once more, all of them in their columns; None without such rows.

    No name may stand elsewhere in its column: rows of a file without names may well repeat the first.
    """
    import pyarrow.compute as pc

    named = [k for k, name in enumerate(names) if name.strip()]
    end = LINE_END.search(text)
    # Quick, and no for nearly all files.
    if end is None or not any(mark + text[: end.start()] in text for mark in "\n\r"):
        return None
    if len(named) < FEWEST_NAMES:
        return None
    equal = [numpy_of(pc.equal(combined(columns[k]), names[k])) for k in named]
    is_repeated = reduce(np.logical_and, equal)
    n_repeated = np.count_nonzero(is_repeated)
    if not n_repeated or any(np.count_nonzero(is_name) > n_repeated for is_name in equal):
        return None
    return is_repeated


def _note_on_repeats(is_repeated: NDArray[np.bool_], first_line: int | None) -> Note:
    rows = np.flatnonzero(is_repeated).tolist()
    lines = None if first_line is None else tuple(first_line + row for row in rows)
    n_rows = len(rows) if lines is None else None
    return Note.on_table(Code.NAMES_REPEATED, n=len(rows), n_rows=n_rows, lines=lines, option=KEEP_ALL_ROWS)


def _n_lines(text: str) -> int:
    """Return the number of lines up to the last that is not empty."""
    ended = text.rstrip("\r\n")
    return ended.count("\n") + ended.count("\r") - ended.count("\r\n") + 1


def _cells(text: str, delimiter: str, origin: str, n_above: int) -> Any:
    """Return all records, the header among them, as an Arrow table of strings."""
    import pyarrow as pa

    _check_quotes(text, delimiter, origin)
    # pyarrow sees no record in a single line that does not end.
    data = _in_arrow(text if text.endswith(("\n", "\r")) else text + "\n")
    n_columns = len(_first_row(text, delimiter)) or 1
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
    """Copy text to Arrow's memory: its threads abort a program that ends by giving back a Python object."""
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


def _check_quotes(text: str, delimiter: str, origin: str) -> None:
    """Raise an error for a quote that nothing closes: it swallows the rest of the file."""
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
    """Raise the error for the first record that is not as long as the header, with a hint on longer ones."""
    expected, last, above = 0, n_above, list[list[str]]()
    try:
        records = _records(text, delimiter)
        for record, n_lines in records:
            expected = expected or len(record)
            if record and len(record) != expected:
                hint = Sentence(())
                if len(record) > expected:
                    below = [own for own, _ in islice(records, _FIRST_RECORDS) if own]
                    may_be_titles = last < MOST_ROWS_ABOVE or expected == 1
                    hint = _hint_on_wider(above, [record, *below], delimiter, last if may_be_titles else None)
                raise BychanceError(
                    f"{origin} must have {count_of(expected, 'value')} in every line, as in the first, "
                    f"got {len(record)} in line {last + 1}" + hint + "."
                )
            last = n_above + n_lines
            if record and len(above) < MOST_ROWS_ABOVE:
                above.append(record)
    except csv.Error:
        return


def _hint_on_wider(
    above: Sequence[Sequence[str]], wider: Sequence[Sequence[str]], delimiter: str, n_lines: int | None
) -> Sentence:
    """Return what rows with more values than names may come from: a table below, decimal commas, a text.

    `above` are the names and the rows down to the first wider one, `n_lines` their lines, or None if they are
    too many for titles.

    >>> print(_hint_on_wider([["Account", "DE12"]], [["day", "paid", "by"], *[["1", "2", "a"]] * 2], ",", 1))
    ; skip_rows=1 reads the table below line 1
    >>> str(_hint_on_wider([["x", "y"]], [["0", "65", "1", "14"]] * 3, ",", 1))[:32]
    '; commas may be decimal marks he'
    >>> str(_hint_on_wider([["x", "place"]], [["1", "12 Main St", " Springfield"]], ",", 1))[:28]
    '; a comma may stand within a'
    """
    names, is_table = above[0], len(wider) > 2 and len(set(map(len, wider))) == 1
    first, *below = wider
    is_header = all(name.strip() and not _LIKE_A_NUMBER.match(name) for name in first)
    recurs = any(name == cell for row in below for name, cell in zip(first, row, strict=False))
    has_number = any(_LIKE_A_NUMBER.match(cell) for row in below for cell in row)
    if n_lines is not None and is_table and is_header and has_number and not recurs:
        return "; " + Option("skip_rows", n_lines) + f" reads the table below line {n_lines}"
    if delimiter != ",":
        return Sentence(())
    if sum(map(bool, above)) == 1 and _have_decimals(wider, len(names)):
        return Sentence(
            ("; commas may be decimal marks here as well as separators: save the table with semicolons "
             "between values, or with decimal points",)
        )  # fmt: skip
    if n_lines is not None and is_table and len(above) == 1 and any(map(_LIKE_A_NUMBER.match, names)):
        skip = "; " + Option("skip_rows", n_lines) + " with " + KEEP_ALL_ROWS
        return skip + f" reads the table below line {n_lines}"
    is_text = any(map(_WORDS_BEHIND_BLANK.match, first[1:])) and not any(
        map(_WORDS_BEHIND_BLANK.match, names[1:])
    )
    return Sentence(
        ("; a comma may stand within a text without quotes: save the table with quotes around texts, "
         "or with semicolons between values",) if is_text else ()
    )  # fmt: skip


def _have_decimals(rows: Sequence[Sequence[str]], n_names: int) -> bool:
    """Return True if nearly all rows have whole numbers to spare, each behind another, as 0,65 cut in two."""
    if any(_POINT.search(cell) for row in rows for cell in row):
        return False
    n_cut = 0
    for row in rows:
        n_pairs = k = 0
        while k + 1 < len(row):
            is_pair = bool(_WHOLE.match(row[k]) and _DECIMALS.match(row[k + 1]))
            n_pairs, k = n_pairs + is_pair, k + 1 + is_pair
        n_cut += 0 < len(row) - n_names <= n_pairs
    return n_cut >= _NEARLY_ALL * len(rows)


def _first_row(text: str, delimiter: str) -> list[str]:
    """Return the first record that is not empty."""
    try:
        return next((record for record, _ in _records(text, delimiter) if record), [])
    except csv.Error:
        return []


def _first_records(sample: str, delimiter: str) -> Iterator[tuple[list[str], int]]:
    """Yield the first records that are no comments, and the comments above and among them."""
    n_records = 0
    try:
        for record, line in _records(sample, delimiter):
            yield record, line
            n_records += not (record and record[0].startswith(COMMENT))
            if n_records == _FIRST_RECORDS:
                return
    except csv.Error:
        return


def _records(text: str, delimiter: str, *, is_strict: bool = False) -> Iterator[tuple[list[str], int]]:
    """Yield every record with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=is_strict)
    for record in reader:
        yield record, reader.line_num
