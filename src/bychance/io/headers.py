"""Names of columns: what a header says, what has no name or the same as another, and data taken for names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = ["Header", "header_of", "names_in_two_rows", "remark_on_data", "renamed"]

_MANY = 5
_ANY_ANSWER = ("response", "open-ended response")  # which SurveyMonkey puts below a question of one column
_QUOTED = re.compile(r"^\s*(['\"`])(.+)\1\s*$", re.DOTALL)
_UNNAMED = re.compile(r"^Unnamed: \d+(\.\d+)*$")  # as pandas calls them
_NUMBER = re.compile(r"^[+-]?(\d+[.,]?\d*|\d{1,3}(,\d{3})+|[.,]\d+)([eE][+-]?\d+)?$")
_DATE = re.compile(r"^\d{1,4}([/.-])\d{1,2}\1\d{1,4}\b")


@dataclass(frozen=True, slots=True)
class Header:
    """Distinct names, which of them were made up, and what to say about them."""

    names: list[str]
    unnamed: frozenset[str]
    notes: tuple[Note, ...]


def header_of(cells: Sequence[str]) -> Header:
    """The first row of a file as names: without quotes around, by position where there is none.

    >>> header_of(["", "'age'", "age"]).names
    ['column_1', 'age', 'age.2']
    """
    bare = [_QUOTED.sub(r"\2", cell) for cell in cells]
    changed = [new for new, old in zip(bare, cells, strict=True) if new != old]
    made_up = [k for k, name in enumerate(bare) if not name.strip() or _UNNAMED.match(name)]
    named = [name if name.strip() else f"column_{k + 1}" for k, name in enumerate(bare)]
    names, repeated = renamed(named)
    notes = list(repeated)
    if changed:
        notes.append(Note.on_table(Code.NAMES_WITHOUT_QUOTES, names=tuple(changed)))
    return Header(names, frozenset(names[k] for k in made_up), tuple(notes))


def names_in_two_rows(
    first: Sequence[str], second: Sequence[str], *, are_units: bool = False
) -> tuple[list[str], Note] | None:
    """The names of columns under headings that each span several, and a note; None where there are none.

    A heading stands over its first column only, and the row below has a name for each. Other columns have
    their name in the first row, and nothing below it, or a unit where all of the row may be units.

    >>> names_in_two_rows(["region", "sales", "", "staff"], ["", "2022", "2023", ""])[0]
    ['region', 'sales 2022', 'sales 2023', 'staff']
    >>> names_in_two_rows(["region", "sales", ""], ["North", "12", "15"]) is None
    True
    """
    second = ["" if cell.strip().casefold() in _ANY_ANSWER else cell for cell in second]
    names, spans = list[str](), [k for k, cell in enumerate(first) if not cell.strip()]
    if len(first) != len(second) or not spans or not first[0].strip():
        return None
    for k, (above, below) in enumerate(zip(first, second, strict=True)):
        heading = next(cell for cell in first[k::-1] if cell.strip())
        is_named_below = k in spans or k + 1 in spans
        if bool(below.strip()) != is_named_below and (is_named_below or not are_units):
            return None
        names.append(f"{heading.strip()} {below.strip()}" if below.strip() else above)
    if all(cell.strip() for cell in second) and not are_units:
        return None
    made = next(name for name, below in zip(names, second, strict=True) if below.strip())
    return names, Note.on_table(Code.NAMES_JOINED, name=made)


def renamed(names: Sequence[str]) -> tuple[list[str], tuple[Note, ...]]:
    """The names, with .2, .3 and so on behind those that stand there again, and a note that says so.

    >>> renamed(["a", "b", "a", "a"])[0]
    ['a', 'b', 'a.2', 'a.3']
    """
    taken, distinct, again = set(names), [], []
    seen: set[str] = set()
    for name in names:
        new, number = name, 2
        while new in seen or (new != name and new in taken):
            new, number = f"{name}.{number}", number + 1
        if new != name:
            again.append(new)
        seen.add(new)
        distinct.append(new)
    if not again:
        return distinct, ()
    return distinct, (Note.on_table(Code.NAMES_NUMBERED, names=tuple(again)),)


def remark_on_data(cells: Sequence[str], values_of: Callable[[int], Collection[Any]]) -> tuple[Note, ...]:
    """A note where the first row looks like data: mostly numbers, or some beside cells that repeat or recur.

    Years may be names, and so may dates and numbers in some cells, whole numbers beside an index, and many
    days or numbers in equal steps, as wavelengths are.
    """
    is_number = [bool(_NUMBER.match(cell.strip()) or _DATE.match(cell.strip())) for cell in cells]
    is_year = [cell.strip().isdecimal() and 1500 <= int(cell) <= 2200 for cell in cells]
    if not any(is_number) or (all(is_year) and len(cells) > 1):
        return ()
    if _count_up([cell.strip() for cell, is_one in zip(cells, is_number, strict=True) if is_one]):
        return ()
    written = [cell.strip() for cell in cells if cell.strip()]
    is_repeated = len(set(written)) < len(written)
    if len(written) < len(cells) and not is_repeated and all(map(str.isdecimal, written)):
        return ()
    n_data = sum(is_number) - sum(is_year)
    is_mostly = 2 * n_data > len(cells) or (n_data > 0 and is_repeated)
    if is_mostly or all(
        number or cell in values_of(k) for k, (number, cell) in enumerate(zip(is_number, cells, strict=True))
    ):
        return (Note.on_table(Code.NAMES_LIKE_DATA, cells=tuple(cells), option=KEEP_ALL_ROWS),)
    return ()


def _count_up(cells: Sequence[str]) -> bool:
    """Whether these are many different days, or numbers in equal steps.

    >>> _count_up(["400.0", "400.5", "401.0", "401.5", "402.0"]), _count_up(["3", "1", "4", "1", "5"])
    (True, False)
    """
    if len(cells) < _MANY:
        return False
    if all(map(_DATE.match, cells)):
        return len(set(cells)) == len(cells)
    try:
        numbers = [float(cell.replace(",", ".")) for cell in cells]
    except ValueError:
        return False
    step = numbers[1] - numbers[0]
    return step != 0 and all(abs(b - a - step) <= 1e-6 * abs(step) for a, b in pairwise(numbers))
