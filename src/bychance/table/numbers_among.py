"""Numbers or dates beside words: categories and their best reading → what to say of them, if anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of
from bychance.columns import Column
from bychance.names import count_of
from bychance.table.numbers_in_text import Reading
from bychance.table.text_cells import shown

__all__ = ["Remark", "are_many", "remark_on_numbers"]

REMARKABLE_SHARE, MOSTLY_NUMBERS = 0.2, 0.8
FEW_WORDS, FEW_WORDS_SHARE = 2, 0.5
ONE_WORD_SHARE, FEWEST_BESIDE_A_WORD = 0.1, 6
FEWEST_NUMBERS = 20
_NUMBER = r"^\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_SAYS_SOMETHING = re.compile(r"[0-9]|^\s*(true|false|yes|no)\s*$", re.IGNORECASE)
_CODE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[0-9A-Za-z,;/. -]*$")
_KINDS = ("numbers", "dates", "times")
_LISTED = 3
_OTHERS = "missing=[…] says which of the others are missing values"


@dataclass(frozen=True, slots=True)
class Remark:
    """What to say of a column, and whether it is no target: mostly numbers or dates, many of them."""

    text: str
    is_mixed: bool


def are_many(n_distinct: int, n_values: int) -> bool:
    """Whether so many values are more than the categories that numbers may stand for."""
    return n_distinct > FEWEST_NUMBERS or 2 * n_distinct > n_values


def remark_on_numbers(column: Column, texts: Any, reading: Reading | None = None) -> Remark | None:
    """Categories of which most are numbers or dates, or at least 20 % and more than 20 distinct ones.

    Most are at least 80 %, or half where all others are one or two words; a tenth of six numbers or more
    where they are one. `texts` are the categories, `reading` those of them that are written as numbers,
    dates or times are in some format.

    >>> from bychance.arrow_values import strings_of
    >>> from bychance.read_column import read_column
    >>> column = read_column([*"01234567", "no answer", *"234"], "score")
    >>> remark_on_numbers(column, strings_of(column.labels)).text
    "categories, though 11 of 12 values are numbers, not 'no answer'; missing=['no answer'] reads the rest"
    """
    counts = np.bincount(column.present, minlength=len(texts))
    is_number, what = _numbers_or_dates(texts, counts, reading)
    n_present, n_numbers = int(counts.sum()), int(counts[is_number].sum())
    n_distinct = int(np.count_nonzero(counts[is_number]))
    odd = np.flatnonzero(~is_number & (counts > 0))
    if not len(odd) or n_distinct < 2:
        return None
    share = FEW_WORDS_SHARE if len(odd) <= FEW_WORDS else MOSTLY_NUMBERS
    if len(odd) == 1 and n_distinct >= FEWEST_BESIDE_A_WORD:
        share = ONE_WORD_SHARE
    is_most = n_numbers >= share * n_present
    if not is_most and (n_distinct <= FEWEST_NUMBERS or n_numbers < REMARKABLE_SHARE * n_present):
        return None
    others = [str(column.labels[code]) for code in odd[np.argsort(-counts[odd], kind="stable")]]
    is_half = 2 * n_numbers >= n_present
    is_mixed = is_half and are_many(n_distinct, n_numbers) and not all(map(_CODE.match, others))
    counted = f"categories, though {n_numbers:,} of {n_present:,} values are {what}"
    said = _said_of_words(others, is_most=is_most) if is_most or is_half else f"; {_OTHERS}"
    if what not in _KINDS:  # words are not all that is in the way
        said = said.partition("; missing=[")[0]
    return Remark(f"{counted}{said}", is_mixed)


def _numbers_or_dates(
    texts: Any, counts: NDArray[np.int64], reading: Reading | None
) -> tuple[NDArray[np.bool_], str]:
    """Which categories are plain numbers, or those of the reading where it has more; and what they are."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    is_number = numpy_of(pc.match_substring_regex(texts, _NUMBER))
    if reading is None or counts[reading.is_read].sum() <= counts[is_number].sum():
        return is_number, "numbers"
    if reading.problem is not None:
        # Advice on marks would follow; which words are beside them matters more.
        return reading.is_read, reading.problem.partition("; missing=[")[0]
    kind = reading.values.type
    if types.is_timestamp(kind):
        return reading.is_read, "dates"
    return reading.is_read, "times" if types.is_temporal(kind) else "numbers"


def _said_of_words(others: list[str], *, is_most: bool) -> str:
    """The words, the most frequent first, and the option that makes them missing."""
    words = ", ".join(map(shown, others[:_LISTED]))
    if len(others) > _LISTED:
        return f", not {words} or {count_of(len(others) - _LISTED, 'other word')}; {_OTHERS}"
    # Limits (3+), codes (2A) and flags say something; only the caller can tell that of a word.
    if not is_most or any(map(_SAYS_SOMETHING.search, others)):
        return f", not {words}; {_OTHERS}"
    return f", not {words}; missing=[{words}] reads the rest"
