"""Rows with more values than there are names: what they may come from, as a hint behind the error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bychance.messages import KEEP_ALL_ROWS, Option, Sentence

__all__ = ["hint_on_wider"]

NEARLY_ALL = 0.8
_LIKE_A_NUMBER = re.compile(r"^\W*\d")
_WHOLE, _DECIMALS = re.compile(r"\s*[+\-−]?\d+$"), re.compile(r"\d+\s*$")
_POINT = re.compile(r"\d\.\d")
_WORDS_BEHIND_BLANK = re.compile(r"\s+[^\W\d]")
_DECIMAL_COMMAS = (
    "; commas may be decimal marks here as well as separators: save the table with semicolons between "
    "values, or with decimal points"
)
_WITHIN_TEXT = (
    "; a comma may stand within a text without quotes: save the table with quotes around texts, "
    "or with semicolons between values"
)


def hint_on_wider(
    above: Sequence[Sequence[str]], wider: Sequence[Sequence[str]], delimiter: str, n_lines: int | None
) -> Sentence:
    """What to say of the first row that has more values than the names have, and of those below it.

    `above` are the names and the rows down to it, `n_lines` how many lines these are, or None where they are
    too many for titles. A table begins there where the row holds names: no numbers, but above some, and
    nothing that stands below as well; or, without names, where the only row above has numbers itself.

    >>> print(hint_on_wider([["Account", "DE12"]], [["day", "paid", "by"], *[["1", "2", "a"]] * 2], ",", 1))
    ; skip_rows=1 reads the table below line 1
    >>> str(hint_on_wider([["x", "y"]], [["0", "65", "1", "14"]] * 3, ",", 1))[:32]
    '; commas may be decimal marks he'
    >>> str(hint_on_wider([["x", "place"]], [["1", "12 Main St", " Springfield"]], ",", 1))[:28]
    '; a comma may stand within a'
    """
    if n_lines is not None and _begins_with_names(wider):
        return "; " + Option("skip_rows", n_lines) + f" reads the table below line {n_lines}"
    names = above[0]
    is_first = sum(map(bool, above)) == 1
    if delimiter == "," and is_first and _have_decimals(wider, len(names)):
        return Sentence((_DECIMAL_COMMAS,))
    if n_lines is not None and is_first and _are_wider(wider) and any(map(_LIKE_A_NUMBER.match, names)):
        skip = "; " + Option("skip_rows", n_lines) + " with " + KEEP_ALL_ROWS
        return skip + f" reads the table below line {n_lines}"
    return Sentence((_WITHIN_TEXT if delimiter == "," and _has_text_cut(names, wider[0]) else "",))


def _begins_with_names(rows: Sequence[Sequence[str]]) -> bool:
    """Whether a row of names stands above two rows or more, all as wide, with numbers among them."""
    names, *below = rows
    if not _are_wider(rows):
        return False
    if not all(name.strip() for name in names) or any(map(_LIKE_A_NUMBER.match, names)):
        return False
    if any(name == cell for row in below for name, cell in zip(names, row, strict=True)):
        return False
    return any(_LIKE_A_NUMBER.match(cell) for row in below for cell in row)


def _are_wider(rows: Sequence[Sequence[str]]) -> bool:
    """Whether there are three rows or more, all as wide."""
    return len(rows) > 2 and len(set(map(len, rows))) == 1


def _have_decimals(rows: Sequence[Sequence[str]], n_names: int) -> bool:
    """Whether nearly all rows have whole numbers to spare, each behind another, as 0,65 cut at its comma."""
    if any(_POINT.search(cell) for row in rows for cell in row):
        return False
    n_cut = sum(0 < len(row) - n_names <= _n_pairs(row) for row in rows)
    return n_cut >= NEARLY_ALL * len(rows)


def _n_pairs(row: Sequence[str]) -> int:
    """How many numbers with decimals the cells may be: neighbors that make no other such pair.

    >>> _n_pairs(["1", "0", "65", "a", "-1", "14"])
    2
    """
    n_pairs = k = 0
    while k + 1 < len(row):
        is_pair = bool(_WHOLE.match(row[k]) and _DECIMALS.match(row[k + 1]))
        n_pairs += is_pair
        k += 1 + is_pair
    return n_pairs


def _has_text_cut(names: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a word follows a comma and a blank, as no name does; or words outnumber the rest."""
    if any(_WORDS_BEHIND_BLANK.match(name) for name in names[1:]):
        return False
    if any(_WORDS_BEHIND_BLANK.match(cell) for cell in row[1:]):
        return True
    words = [cell for cell in row if cell.strip() and not _LIKE_A_NUMBER.match(cell)]
    return len(words) > 1 and len(row) - len(words) < len(names)
