"""Numbers or dates beside words: categories and their best reading → what to say of them, if anything."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of
from bychance.columns import Column
from bychance.io.numbers_in_text import Reading
from bychance.messages import OPEN, Code, Option, Remark, remark

__all__ = ["NumbersAmong", "are_many", "remark_on_numbers"]

REMARKABLE_SHARE, MOSTLY_NUMBERS = 0.2, 0.8
FEW_WORDS, FEW_WORDS_SHARE = 2, 0.5
ONE_WORD_SHARE, FEWEST_BESIDE_A_WORD = 0.1, 6
FEWEST_NUMBERS = 20
_NUMBER = r"^\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_SAYS_SOMETHING = re.compile(r"[0-9]|^\s*(true|false|yes|no)\s*$", re.IGNORECASE)
_CODE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[0-9A-Za-z,;/. -]*$")
_LISTED = 3
_ASKS = Option("missing", (OPEN,))  # which of the others are missing values


@dataclass(frozen=True, slots=True)
class NumbersAmong:
    """What to say of numbers among categories, and whether these are no target: many numbers or dates."""

    said: Remark
    is_mixed: bool


def are_many(n_distinct: int, n_values: int) -> bool:
    """Whether so many values are more than the categories that numbers may stand for."""
    return n_distinct > FEWEST_NUMBERS or 2 * n_distinct > n_values


def remark_on_numbers(column: Column, texts: Any, reading: Reading | None = None) -> NumbersAmong | None:
    """Categories of which most are numbers or dates, or at least 20 % and more than 20 distinct ones.

    Most are at least 80 %, or half where all others are one or two words; a tenth of six numbers or more
    where they are one. `texts` are the categories, `reading` those of them that are written as numbers,
    dates or times are in some format.

    >>> from bychance.arrow_values import strings_of
    >>> from bychance.read_column import read_column
    >>> column = read_column([*"01234567", "no answer", *"234"], "score")
    >>> print(remark_on_numbers(column, strings_of(column.labels)).said)
    categories, though 11 of 12 values are numbers, not 'no answer'; missing=['no answer'] reads the rest
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
    said = remark(Code.NUMBERS_AMONG_CATEGORIES, n_read=n_numbers, n_values=n_present, what=what)
    said = said.with_values(**(_words(others, is_most=is_most) if is_most or is_half else {"asks": _ASKS}))
    if isinstance(what, Remark):  # words are not all that is in the way
        said = said.with_values(option=None, asks=None)
    return NumbersAmong(said, is_mixed)


def _numbers_or_dates(
    texts: Any, counts: NDArray[np.int64], reading: Reading | None
) -> tuple[NDArray[np.bool_], str | Remark]:
    """Which categories are plain numbers, or those of the reading where it has more; and what they are."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    is_number = numpy_of(pc.match_substring_regex(texts, _NUMBER))
    if reading is None or counts[reading.is_read].sum() <= counts[is_number].sum():
        return is_number, "numbers"
    if reading.problem is not None:
        # Advice on marks would follow; which words are beside them matters more.
        return reading.is_read, reading.problem.with_values(option=None)
    kind = reading.values.type
    if types.is_timestamp(kind):
        return reading.is_read, "dates"
    return reading.is_read, "times" if types.is_temporal(kind) else "numbers"


def _words(others: list[str], *, is_most: bool) -> dict[str, Any]:
    """The words, the most frequent first, and the option that makes them missing."""
    words, n_more = tuple(others[:_LISTED]), len(others) - _LISTED
    # Limits (3+), codes (2A) and flags say something; only the caller can tell that of a word.
    if n_more > 0 or not is_most or any(map(_SAYS_SOMETHING.search, others)):
        return {"words": words, "n_more": max(n_more, 0) or None, "asks": _ASKS}
    return {"words": words, "option": Option("missing", words)}
