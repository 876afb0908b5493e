"""Header detection: column names, with titles or comments above and units or questions below.

In:  the first rows of a text file or sheet, as texts.
Out: the names, how many rows belong to them, and notes on what was left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress, count, pairwise
from typing import Any

from bychance.errors import BychanceError
from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.dialect import COMMENT, Layout
from bychance.messages import KEEP_ALL_ROWS, Code, Note
from bychance.names import count_of

__all__ = [
    "MOST_BELOW_NAMES",
    "MOST_ROWS_ABOVE",
    "check_names",
    "header_of",
    "is_row_of_names",
    "n_rows_above",
    "note_on_rows_above",
    "renamed",
]

MOST_ROWS_ABOVE = 20  # rows of titles above a header (taste)
MOST_BELOW_NAMES = 3  # rows below the names that may hold questions or units (taste)
FEWEST_NUMBERS = 5  # least number of values by which a column is one of numbers (taste)
MIXED_SHARE = 0.9  # least share of numbers in such a column, or of rows with the table's width (taste)
_SHORTER = 2  # cells by which titles must fall short of the table's width (taste)
_FEWEST_WORDS, _FIRST_VALUES = 3, 200  # words above numbers in a second row of names, values below (taste)
_MANY = 5  # numbers in ascending order from which on they may be names, such as years (taste)
_LONGEST_UNIT = 20  # characters of a unit below the names (taste)
_IMPORT_ID = re.compile(r'^\s*\{\s*["\']ImportId["\']\s*:')  # how Qualtrics tells columns apart
_ANY_ANSWER = ("response", "open-ended response")  # which SurveyMonkey puts below a question of one column
_LIKE_A_NUMBER = re.compile(r"^\s*[<>≤≥]?=?\s*[($€£+\-−]*\s*[.,]?\d")  # or like a date
_PER = re.compile(r"^(1|10\^?\d+) ?/ ?[^\W\d]")  # 1/min, 10^9/L
_WORD = re.compile(r"(?=[A-Z][a-z]{2}|.{7})[^/%°^²³()\[\]*·\d]+")
_QUOTED = re.compile(r"^\s*(['\"`])(.+)\1\s*$", re.DOTALL)
_UNNAMED = re.compile(r"^Unnamed: \d+(\.\d+)*$")  # as pandas calls them
_NUMBER = re.compile(r"^[+-]?(\d+[.,]?\d*|\d{1,3}(,\d{3})+|[.,]\d+)([eE][+-]?\d+)?$")
_DATE = re.compile(r"^\d{1,4}([/.-])\d{1,2}\1\d{1,4}\b")

ColumnsBelow = Callable[[int, int], Sequence[Any]]
"""Some values of a column below the first so many rows."""


@dataclass(frozen=True, slots=True)
class _Header:
    """Column names, which of them were made up, number of header rows, and notes."""

    names: list[str]
    unnamed: frozenset[str]
    n_rows: int
    notes: tuple[Note, ...]


def header_of(layout: Layout, rows: Sequence[Sequence[str]], values_below: ColumnsBelow) -> _Header:
    """Return the column names from the first rows of a text file or sheet.

    They lose quotes around them. A column without a name is called by its position.

    >>> header_of(Layout(), [["", "'age'", "age"]], lambda k, n: []).names
    ['column_1', 'age', 'age.2']
    """
    width = len(rows[0])
    if layout.names is not None:
        check_names(layout.names, width)
        names, notes = renamed(layout.names)
        return _Header(names, frozenset(), 0, notes)
    if not layout.has_header:
        return _Header([f"column_{k + 1}" for k in range(width)], frozenset(), 0, ())
    first, n_rows, said = _names_of(rows, values_below)
    bare = [_QUOTED.sub(r"\2", cell) for cell in first]
    changed = tuple(new for new, old in zip(bare, first, strict=True) if new != old)
    names, notes = renamed([name if name.strip() else f"column_{k + 1}" for k, name in enumerate(bare)])
    if changed:
        notes = (*notes, Note.on_table(Code.NAMES_WITHOUT_QUOTES, names=changed))
    are_made_up = (not name.strip() or _UNNAMED.match(name) for name in bare)
    unnamed = frozenset(compress(names, are_made_up))
    like_data = _note_on_data(first, lambda k: values_below(k, n_rows))
    return _Header(names, unnamed, n_rows, (*said, *like_data, *notes))


def check_names(names: Sequence[str], n_columns: int) -> None:
    """Raise an error if the names that the caller gives are not as many as the columns."""
    if len(names) != n_columns:
        raise BychanceError(
            f"`names` must name all {count_of(n_columns, 'column')}, got {count_of(len(names), 'name')}."
        )


def renamed(names: Sequence[str]) -> tuple[list[str], tuple[Note, ...]]:
    """Make repeated names distinct with the suffixes .2, .3 …, and return a note on them.

    >>> renamed(["a", "b", "a", "a"])[0]
    ['a', 'b', 'a.2', 'a.3']
    """
    taken, distinct = set(names), dict[str, None]()
    for name in names:
        free = (new for number in count(2) if (new := f"{name}.{number}") not in taken | distinct.keys())
        distinct[next(free) if name in distinct else name] = None
    again = tuple(name for name in distinct if name not in taken)
    return list(distinct), (Note.on_table(Code.NAMES_NUMBERED, names=again),) if again else ()


def _note_on_data(cells: Sequence[str], values_of: Callable[[int], Sequence[Any]]) -> tuple[Note, ...]:
    """Return a note if the header row looks like data rather than names.

    Years may be names, and so may whole numbers beside an index, and five days or numbers in order, such as
    wavelengths.
    """
    cells = [cell.strip() for cell in cells]
    is_number = [bool(_NUMBER.match(cell) or _DATE.match(cell)) for cell in cells]
    is_year = [cell.isdecimal() and 1500 <= int(cell) <= 2200 for cell in cells]
    numbers, written = list(compress(cells, is_number)), list(filter(None, cells))
    is_repeated = len(set(written)) < len(written)
    ordered: Sequence[Any] = numbers
    with suppress(ValueError):  # dates in order of ISO 8601 are in order as text
        ordered = list(map(float, numbers))
    is_ascending = len(ordered) >= _MANY and all(a < b for a, b in pairwise(ordered))
    are_names = is_ascending or (all(is_year) and len(cells) > 1)
    is_below_index = len(written) < len(cells) and not is_repeated and all(map(str.isdecimal, written))
    if not numbers or are_names or is_below_index:
        return ()
    n_data = sum(is_number) - sum(is_year)
    is_mostly = 2 * n_data > len(cells) or (n_data > 0 and is_repeated)
    if is_mostly or all(
        number or cell in values_of(k) for k, (number, cell) in enumerate(zip(is_number, cells, strict=True))
    ):
        return (Note.on_table(Code.NAMES_LIKE_DATA, cells=tuple(cells), option=KEEP_ALL_ROWS),)
    return ()


def n_rows_above(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of rows with titles or comments above the header.

    Titles have one cell at most, and comments begin with #. Other rows above are shorter than most: by two
    cells or more, or all of them above an empty row, as in what banks write about an account.

    The row below has two cells or more, as many as most rows. Below other rows than comments it must be
    names: no number among them but years, and none that stands below as well. A row with # that has as many
    cells as most rows is one of names, unless its last cell begins so, too, or another such row follows.

    >>> n_rows_above([["Sales 2023", ""], ["", ""], ["region", "sales"], ["North", "12"], ["South", "9"]])
    2
    >>> n_rows_above([["x"], ["1", "5"], ["2", "6"]])
    0
    """
    plain = [row for row in rows if row and not _is_comment(row)]
    widths = Counter(map(len, plain))
    cut = (len(row) for row in plain if sum(map(bool, row)) > 1)
    usual = max(cut, key=lambda n: (widths[n], n), default=0)
    n_titles, n_block = 0, _n_rows_before_empty(rows, usual)
    for k, row in enumerate(rows):
        filled, after = [cell for cell in row if cell.strip()], rows[k + 1 :]
        is_full_row = len(row) == usual and not _is_comment(filled[-1:])
        is_repeated = any(len(own) == usual and _is_comment(own) for own in after[:1])
        is_comment = _is_comment(row) and (is_repeated or not is_full_row)
        is_title = len(filled) < 2 or is_comment or k < n_block or len(row) <= usual - _SHORTER
        if not is_title:
            table = [own for own in rows[k:] if own and not _is_comment(own)]
            is_table = len(row) == usual and widths[usual] >= MIXED_SHARE * len(table)
            is_below_comments = all(map(_is_comment, filter(any, rows[:k])))
            return k if is_table and (is_below_comments or is_row_of_names(row, after)) else 0
        n_titles += not is_comment
        if n_titles > MOST_ROWS_ABOVE:
            break
    return 0


def _n_rows_before_empty(rows: Sequence[Sequence[str]], usual: int) -> int:
    """Count the rows above a table if an empty row separates them from it, else return 0."""
    is_empty = [not any(map(str.strip, row)) for row in rows]
    is_full = [len(row) == usual and all(map(str.strip, row)) for row in rows]
    start = next((k for k, row in enumerate(rows) if len(row) >= usual), 0)
    if start and is_empty[start - 1]:
        return start
    for k in range(min(len(rows) - 1, MOST_ROWS_ABOVE), 0, -1):
        n_rows = k - sum(is_empty[:k])
        if n_rows and is_empty[k - 1] and is_full[k]:
            return k if 2 * sum(is_full[:k]) <= n_rows else 0
    return 0


def _is_comment(row: Sequence[str]) -> bool:
    return "".join(row).lstrip().startswith(COMMENT)


def is_row_of_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Return True if a row may be a header: no numbers but ascending years, and no cell repeated below it."""
    numbers = [cell.strip() for cell in row if _LIKE_A_NUMBER.match(cell)]
    years = [int(cell) if cell.isdecimal() else 0 for cell in numbers]
    are_years = len(years) > 1 and years[0] >= 1500 and years[-1] <= 2200 and years == sorted(set(years))
    if numbers and not (are_years and row[0].strip() not in ("", numbers[0])):
        return False
    others = [later for later in below if list(later) != list(row)]  # loggers repeat their names
    return not any(
        cell and cell == other for later in others for cell, other in zip(row, later, strict=False)
    )


def note_on_rows_above(rows: Sequence[Sequence[str]]) -> Note:
    """Return a note that these rows above the header were left out."""
    cells = tuple(cell for row in rows for cell in _filled(row))
    is_comment = any(COMMENT in cell for cell in cells[:3])
    return Note.on_table(
        Code.ROWS_ABOVE_NAMES, n=len(rows), cells=cells, is_comment=is_comment, option=KEEP_ALL_ROWS
    )


def _names_of(
    rows: Sequence[Sequence[str]], values_below: ColumnsBelow
) -> tuple[list[str], int, tuple[Note, ...]]:
    """Return the column names, the number of rows before the data, and notes."""
    first, *below = rows
    are_units = bool(below) and _is_units(below[0], lambda k: values_below(k, 2))
    if below and (named := _names_in_two_rows(first, below[0], are_units=are_units)):
        n_below, said = _rows_below_names(below[1:], lambda k, n: values_below(k, n + 1))
        return named[0], 2 + n_below, (named[1], *said)
    is_named = not all(map(_LIKE_A_NUMBER.match, first))  # a row of words below numbers holds the names
    n_below, said = _rows_below_names(below, values_below) if is_named else (0, ())
    if not n_below and below and (named := _names_in_second(first, below[0], lambda k: values_below(k, 2))):
        return named[0], 2, (named[1],)
    return list(first), 1 + n_below, said


def _names_in_two_rows(
    first: Sequence[str], second: Sequence[str], *, are_units: bool = False
) -> tuple[list[str], Note] | None:
    """Return names joined from a row of spanning headings and the row below, or None.

    A heading stands over its first column only, and the row below has a name for each. Other columns have
    their name in the first row, and nothing below it, or a unit if all of the row may be units.

    >>> _names_in_two_rows(["region", "sales", "", "staff"], ["", "2022", "2023", ""])[0]
    ['region', 'sales 2022', 'sales 2023', 'staff']
    >>> _names_in_two_rows(["region", "sales", ""], ["North", "12", "15"]) is None
    True
    """
    second = ["" if cell.strip().casefold() in _ANY_ANSWER else cell.strip() for cell in second]
    is_empty = [not cell.strip() for cell in first]
    if len(first) != len(second) or not any(is_empty) or is_empty[0]:
        return None
    is_spanned = [own or after for own, after in zip(is_empty, [*is_empty[1:], False], strict=True)]
    is_named = list(map(bool, second))
    are_fit = all(compress(is_named, is_spanned)) if are_units else is_named == is_spanned
    if not are_fit or (all(is_named) and not are_units):
        return None
    headings = [next(cell for cell in first[k::-1] if cell.strip()) for k in range(len(first))]
    names = [
        f"{heading.strip()} {below}" if below else heading
        for heading, below in zip(headings, second, strict=True)
    ]
    return names, Note.on_table(Code.NAMES_JOINED, name=next(compress(names, is_named)))


def _rows_below_names(
    rows: Sequence[Sequence[str]], values_below: ColumnsBelow
) -> tuple[int, tuple[Note, ...]]:
    """Count the rows below the names that are not data: questions or units."""
    filled = enumerate(map(_filled, rows))
    ids = (k for k, cells in filled if cells and all(map(_IMPORT_ID.match, cells)))
    if (last := next(ids, None)) is not None:
        n_rows, what = last + 1, "questions and import ids" if last else "import ids"
    elif rows and _is_units(rows[0], lambda k: values_below(k, 2)):
        n_rows, what = 1, "units"
    else:
        return 0, ()
    cells = _filled(rows[0])
    return n_rows, (
        Note.on_table(Code.ROWS_BELOW_NAMES, n=n_rows, what=what, cells=cells, option=KEEP_ALL_ROWS),
    )


def _names_in_second(
    first: Sequence[str], second: Sequence[str], values_of: Callable[[int], Sequence[Any]]
) -> tuple[list[str], Note] | None:
    """Return names from the better of two header rows, with a note, or None if the second row is data.

    It has three words or more above numbers, different ones, and otherwise words that do not stand below, and
    no number. The names are those of the row that has more different ones, or the first.

    >>> columns = ["NSNSNS", "123456", "012345", "111222"]
    >>> _names_in_second(["EXTF", "", "", "7"], ["region", "sales", "calls", "staff"], columns.__getitem__)[0]
    ['region', 'sales', 'calls', 'staff']
    """
    words = [(k, cell.strip()) for k, cell in enumerate(second) if cell.strip()]
    is_full = len(words) == len(first) > 1 and all(map(_LIKE_A_NUMBER.match, first))
    above_numbers = set[str]()
    for k, cell in words:
        values = _texts(values_of(k))
        if _LIKE_A_NUMBER.match(cell) or (not _are_numbers(values) and cell in {*values} - MISSING_IN_TEXT):
            return None
        above_numbers |= {cell} - MISSING_IN_TEXT if _are_numbers(values) else set()
    if len(above_numbers) < (1 if is_full else _FEWEST_WORDS):
        return None
    n_first, n_second = (
        len({cell for cell in cells if cell.strip() and not _LIKE_A_NUMBER.match(cell)})
        for cells in (first, second)
    )
    names, left, place = (first, second, "below") if n_first >= n_second else (second, first, "above")
    note = Note.on_table(Code.ROW_BESIDE_NAMES, place=place, cells=_filled(left), option=KEEP_ALL_ROWS)
    return list(names), note


def _is_units(cells: Sequence[str], values_of: Callable[[int], Sequence[Any]]) -> bool:
    """Return True if the row below the names has units: short words above columns of numbers.

    Long words and names of people or places are units only beside a sign. `values_of` gives values below.

    >>> columns = ["abcdef", ["0.5", "<0.1", "2", "3", "4"]]
    >>> _is_units(["", "mg/L"], columns.__getitem__), _is_units(["", "Ann"], columns.__getitem__)
    (True, False)
    """
    units = [(k, cell.strip()) for k, cell in enumerate(cells) if cell.strip()]
    n_words = sum(_WORD.fullmatch(cell) is not None for _, cell in units)
    return 2 * n_words <= len(units) > 0 and all(
        (not _LIKE_A_NUMBER.match(cell) or _PER.match(cell) is not None)
        and cell not in MISSING_IN_TEXT
        and len(cell) <= _LONGEST_UNIT
        and _are_numbers(_texts(values_of(k)))
        for k, cell in units
    )


def _texts(values: Sequence[Any]) -> list[str]:
    return ["" if value is None else str(value).strip() for value in values[:_FIRST_VALUES]]


def _are_numbers(values: Sequence[str]) -> bool:
    present = [value for value in values if value not in MISSING_IN_TEXT]
    n_numbers = sum(bool(_LIKE_A_NUMBER.match(value)) for value in present)
    return len(present) >= FEWEST_NUMBERS and n_numbers >= MIXED_SHARE * len(present)


def _filled(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in cells if cell.strip())
