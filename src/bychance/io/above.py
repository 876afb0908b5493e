"""What stands around the names of a file: titles and comments above them, units or questions below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import Any

from bychance.io.cells import MISSING_IN_TEXT
from bychance.io.comments import COMMENT
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = [
    "MOST_BELOW_NAMES",
    "MOST_ROWS_ABOVE",
    "is_units",
    "n_rows_above",
    "names_and_rows_below",
    "note_on_rows_above",
]

MOST_ROWS_ABOVE = 20
MOST_BELOW_NAMES = 3
FEWEST_NUMBERS, _FEW_NUMBERS = 5, 3
MIXED_SHARE = 0.9
_LONGEST_UNIT = 20
_LISTED = 3
_COMMENT = "#"
_SHORTER = 2  # cells
_FEWEST_COLUMNS = 2
_FEWEST_WORDS, _FIRST_VALUES = 3, 200
_IMPORT_ID = re.compile(r'^\s*\{\s*["\']ImportId["\']\s*:')  # how Qualtrics tells columns apart
_TYPES = frozenset(["c", "continuous", "d", "discrete", "s", "string", "t", "time"])  # Orange's
_ROLES = frozenset(["", "class", "c", "meta", "m", "ignore", "i", "weight", "w"])
_SAID = re.compile(r"^\s*[^\W\d][\w ]*:\s*\S")  # User: admin
# What a number or a date may begin with.
_LIKE_A_NUMBER = re.compile(r"^\s*[<>≤≥]?=?\s*[($€£+\-−]*\s*[.,]?\d")
_PER = re.compile(r"^(1|10\^?\d+) ?/ ?[^\W\d]")  # 1/min, 10^9/L


def n_rows_above(rows: Sequence[Sequence[str]]) -> int:
    """How many rows at the top are titles or comments: no more than one cell in each, or # before it.

    So are a row of cells such as "User: admin" above an empty one, and those that are shorter than most rows:
    by two cells or more, or all of them above an empty one, as in what banks write about an account.

    What follows has two cells or more, as many as most rows. Below other rows than comments it must be names:
    no number among them but years, and none that stands below as well. A row with # that has as many cells as
    most rows is one of names, unless its last cell begins so, too.

    >>> n_rows_above([["Sales 2023", ""], ["", ""], ["region", "sales"], ["North", "12"], ["South", "9"]])
    2
    >>> n_rows_above([["x"], ["1", "5"], ["2", "6"]])
    0
    """
    plain = [row for row in rows if row and not _is_comment(row)]
    widths = Counter(map(len, plain))
    usual = max(
        (len(row) for row in plain if sum(map(bool, row)) > 1), key=lambda n: (widths[n], n), default=0
    )
    n_titles, n_block = 0, _n_above_empty(rows, usual)
    for k, row in enumerate(rows):
        filled = [cell for cell in row if cell.strip()]
        is_comment = _is_comment(row) and (
            len(row) != usual or _is_comment(filled[-1:]) or _is_above_names(row, rows[k + 1 :])
        )
        is_said = all(map(_SAID.match, filled)) and not any(cell.strip() for cell in _next(rows, k))
        is_said |= k < n_block
        if len(filled) > 1 and not (is_comment or is_said) and len(row) > usual - _SHORTER:
            table = [own for own in rows[k:] if own and not _is_comment(own)]
            is_table = len(row) == usual and widths[usual] >= MIXED_SHARE * len(table)
            is_below_comments = all(map(_is_comment, filter(any, rows[:k])))
            return k if is_table and (is_below_comments or _are_names(row, rows[k + 1 :])) else 0
        n_titles += not is_comment
        if n_titles > MOST_ROWS_ABOVE:
            return 0
    return 0


def _n_above_empty(rows: Sequence[Sequence[str]], usual: int) -> int:
    """How many rows, all shorter than usual, end in an empty one right above the first that is not."""
    start = next((k for k, row in enumerate(rows) if len(row) >= usual), 0)
    return start if start and not any(cell.strip() for cell in rows[start - 1]) else 0


def _is_comment(row: Sequence[str]) -> bool:
    return "".join(row).lstrip().startswith(_COMMENT)


def _is_above_names(comment: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether names follow a comment that has as many cells: in another comment, or below a sentence.

    >>> numbers = [[f"{k}", f"{k}5"] for k in range(3)]
    >>> _is_above_names(["# by Ann", " Bob"], [["x", "y"], *numbers]), _is_above_names(["# x", " y"], numbers)
    (True, False)
    """
    row, *rows = [own for own in below if any(own)] or [[]]
    if len(row) != len(comment) or any(map(_LIKE_A_NUMBER.match, row)):
        return False
    if _is_comment(row):
        return True
    is_sentence = all(cell.startswith(" ") for cell in comment[1:])
    columns = ([own[k] for own in rows if len(own) > k] for k in range(len(row)))
    return (
        is_sentence and _are_names(row, rows) and any(_are_numbers(cells, _FEW_NUMBERS) for cells in columns)
    )


def _next(rows: Sequence[Sequence[str]], k: int) -> Sequence[str]:
    return rows[k + 1] if k + 1 < len(rows) else ["?"]


def _are_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    numbers = [cell.strip() for cell in row if _LIKE_A_NUMBER.match(cell)]
    if numbers and not (_are_years(numbers) and row[0].strip() not in ("", numbers[0])):
        return False
    others = [later for later in below if list(later) != list(row)]  # loggers repeat their names
    return not any(
        cell and cell == other for later in others for cell, other in zip(row, later, strict=False)
    )


def _are_years(cells: Sequence[str]) -> bool:
    """Whether these are two years or more, one after the other, as names have them."""
    years = [int(cell) if cell.isdecimal() else 0 for cell in cells]
    return len(years) > 1 and years[0] >= 1500 and years[-1] <= 2200 and years == sorted(set(years))


def names_and_rows_below(
    first: Sequence[str], below: Sequence[Sequence[str]], values_of: Callable[[int], Sequence[Any]]
) -> tuple[list[str], int, tuple[Note, ...]]:
    """The names, how many of the first rows below them are no data, and notes on these.

    `values_of` gives the first values of a column, that of the first row below the names among them.
    """
    if named := _names_in_two_levels(first, below, values_of):
        return named[0], 1 + _is_index_name(below[1:], values_of), (named[1],)
    n_below, said = _rows_below_names(below, values_of)
    if not n_below and (named := _names_in_second(first, below, values_of)):
        return named[0], 1, (named[1],)
    if n_below == 1 and _is_index_name(below[1:], values_of):
        n_below = 2
    return list(first), n_below, said


def _names_in_two_levels(
    first: Sequence[str], below: Sequence[Sequence[str]], values_of: Callable[[int], Sequence[Any]]
) -> tuple[list[str], Note] | None:
    """The names of columns that only two rows together tell apart, above numbers, as frames have them.

    >>> columns = [["", "a", "b", "c"], ["x", "1", "2", "3"], ["y", "1", "2", "3"]]
    >>> _names_in_two_levels(["", "low", "low"], [["", "x", "y"]], columns.__getitem__)[0]
    ['', 'low x', 'low y']
    """
    second = below[0] if below else []
    both = [(above.strip(), own.strip()) for above, own in zip(first[1:], second[1:], strict=False)]
    is_told_apart = len({above for above, _ in both}) < len(set(both)) == len(both)
    if not is_told_apart or not all(above and own for above, own in both):
        return None
    if any(_LIKE_A_NUMBER.match(cell) for pair in both for cell in pair):
        return None
    columns = [[cell.strip() for cell in _texts(values_of(k)[1:_FIRST_VALUES])] for k in range(1, len(first))]
    n_numbers = sum(_are_numbers(values, _FEW_NUMBERS) for values in columns)
    if n_numbers < _FEWEST_COLUMNS or any(
        own in values for (_, own), values in zip(both, columns, strict=True)
    ):
        return None
    names = [first[0].strip() or second[0].strip(), *(" ".join(pair) for pair in both)]
    return names, Note.on_table(Code.NAMES_JOINED, name=names[1])


def _is_index_name(below: Sequence[Sequence[str]], values_of: Callable[[int], Sequence[Any]]) -> bool:
    """Whether the next row has a word in its first cell alone, above numbers or dates."""
    row = [cell.strip() for cell in below[0]] if below else []
    if len(row) < _FEWEST_COLUMNS or any(row[1:]) or not row[0] or _LIKE_A_NUMBER.match(row[0]):
        return False
    return _are_numbers(_texts(values_of(0)[2:_FIRST_VALUES]), _FEW_NUMBERS)


def _texts(values: Sequence[Any]) -> list[str]:
    return ["" if value is None else str(value) for value in values]


def _rows_below_names(
    rows: Sequence[Sequence[str]], values_of: Callable[[int], Collection[Any]]
) -> tuple[int, tuple[Note, ...]]:
    """How many of the first rows below the names are no data: questions down to import ids, or units."""
    for k, row in enumerate(rows):
        filled = [cell for cell in row if cell.strip()]
        if filled and all(map(_IMPORT_ID.match, filled)):
            what = "holds import ids" if k == 0 else "hold questions and import ids"
            return k + 1, (_note_below(f"row{'s' * (k > 0)} below the names {what}", rows[0], k + 1),)
    if len(rows) > 1 and _are_types(rows[0]) and _are_roles(rows[1]):
        return 2, (_note_below("rows below the names hold types and roles", rows[0], 2),)
    if rows and is_units(rows[0], values_of):
        return 1, (_note_below("row below the names holds units", rows[0], 1),)
    return 0, ()


def _names_in_second(
    first: Sequence[str], below: Sequence[Sequence[str]], values_of: Callable[[int], Sequence[Any]]
) -> tuple[list[str], Note] | None:
    """The names where the row below the first holds names as well, and a note; None where it is data.

    It does where it has three words or more above numbers, different ones, and otherwise words that do not
    stand below, and no number. The names are those of the row that has more different ones, or the first.
    `values_of` gives the first values of a column, that of the second row among them.

    >>> columns = [["region", *"NSNSNS"], ["sales", *"123456"], ["calls", *"012345"], ["staff", *"111222"]]
    >>> _names_in_second(["EXTF", "", "", "7"], list(zip(*columns)), columns.__getitem__)[0]
    ['region', 'sales', 'calls', 'staff']
    """
    second = below[0] if below else []
    words = [(k, cell.strip()) for k, cell in enumerate(second) if cell.strip()]
    if len(words) < _FEWEST_WORDS or any(_LIKE_A_NUMBER.match(cell) for _, cell in words):
        return None
    above_numbers = set[str]()
    for k, cell in words:
        values = _texts(values_of(k)[1:_FIRST_VALUES])
        if _are_numbers(values):
            above_numbers |= {cell} - MISSING_IN_TEXT
        elif cell in map(str.strip, values) and cell not in MISSING_IN_TEXT:
            return None
    if len(above_numbers) < _FEWEST_WORDS:
        return None
    is_first = _n_names(first) >= _n_names(second)
    left, place = (second, "below") if is_first else (first, "above")
    note = Note.on_table(Code.ROW_BESIDE_NAMES, place=place, cells=_filled(left), option=KEEP_ALL_ROWS)
    return list(first if is_first else second), note


def _n_names(cells: Sequence[str]) -> int:
    """How many different names there are, without numbers."""
    return len({cell for cell in cells if cell.strip() and not _LIKE_A_NUMBER.match(cell)})


def _are_types(cells: Sequence[str]) -> bool:
    """Whether all cells are types as Orange writes them; categories may be listed instead."""
    filled = [cell for cell in map(str.strip, cells) if cell]
    n_types = sum(cell in _TYPES for cell in filled)
    return 2 * n_types > len(filled) and all(cell in _TYPES or " " in cell for cell in filled)


def _are_roles(cells: Sequence[str]) -> bool:
    return all(cell.split("=")[0].strip() in _ROLES for cell in cells)


def is_units(cells: Sequence[str], values_of: Callable[[int], Collection[Any]]) -> bool:
    """Whether the first row below the names holds units: words, each above numbers, and nothing else.

    `values_of` gives the first values of a column, that of this row among them.

    >>> columns = [["", "a", "b", "c", "d", "e"], ["mg/L", "0.5", "<0.1", "2", "3", "4"]]
    >>> is_units(["", "mg/L"], lambda k: columns[k])
    True
    """
    units = [(k, cell.strip()) for k, cell in enumerate(cells) if cell.strip()]
    return bool(units) and all(_is_unit(cell, values_of(k)) for k, cell in units)


def _is_unit(cell: str, values: Collection[Any]) -> bool:
    if cell in MISSING_IN_TEXT or len(cell) > _LONGEST_UNIT:
        return False
    if _LIKE_A_NUMBER.match(cell) and not _PER.match(cell):
        return False
    return _are_numbers(_texts(list(values)[1:]))


def _are_numbers(values: Collection[str], fewest: int = FEWEST_NUMBERS) -> bool:
    present = [value for value in map(str.strip, values) if value not in MISSING_IN_TEXT]
    n_numbers = sum(bool(_LIKE_A_NUMBER.match(value)) for value in present)
    return len(present) >= fewest and n_numbers >= MIXED_SHARE * len(present)


def note_on_rows_above(rows: Sequence[Sequence[str]]) -> Note:
    """That these rows were left out."""
    cells = tuple(cell for row in rows for cell in _filled(row))
    is_comment = any(COMMENT in cell for cell in cells[:_LISTED])
    return Note.on_table(
        Code.ROWS_ABOVE_NAMES, n=len(rows), cells=cells, is_comment=is_comment, option=KEEP_ALL_ROWS
    )


def _note_below(what: str, cells: Sequence[str], n_rows: int) -> Note:
    return Note.on_table(
        Code.ROWS_BELOW_NAMES, n=n_rows, what=what, cells=_filled(cells), option=KEEP_ALL_ROWS
    )


def _filled(cells: Sequence[str]) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in cells if cell.strip())
