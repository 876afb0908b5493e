"""Numbers as people write them: strings → integers or floats, with what stands around and between the digits.

Plain numbers are cast by Arrow. Amounts carry a currency, a unit, a percent sign, parentheses or separators
of thousands; which mark separates what is decided once for a whole column.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, is_true, strings_of, text_scalar
from bychance.io.amount_marks import without_marks
from bychance.io.amount_parts import MINUS_BEHIND, MINUSES, AmountParts, begin_like_amounts
from bychance.io.limits import without_plus
from bychance.io.multiples import in_powers
from bychance.io.separators import Separators
from bychance.io.text_cells import MISSING_EVERYWHERE, null_where, stripped
from bychance.io.unit_names import is_in_name
from bychance.messages import Code, Option, Remark, remark

__all__ = [
    "FEW_VALUES",
    "SAMPLE_VALUES",
    "Reading",
    "are_plain_anywhere",
    "begins_like_number",
    "cast_all",
    "joined",
    "plain_numbers",
    "read_amounts",
]

FEW_VALUES, SAMPLE_VALUES = 16, 1000
FEWEST_AMOUNTS = 0.1  # share of the sample below which a column is text
FEWEST_PER_LIMIT = 5  # distinct numbers for each distinct limit such as <0.5
NEARLY_ALL = 0.9  # of the numbers have no unit
MOST_UNITS = 5  # with more of them what follows the digits are words, not units

_LISTED = 3
_NINES = re.compile(r"[+\-−]?9{2,}(?:[.,]0+)?$")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})  # 1st, 2nd: places and classes are categories


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Distinct cells as numbers or dates: one value per cell, null where `is_read` is false.

    `said` is how they are written, `problem` why they cannot stand in one column. `is_limit` are values
    beyond a limit, such as <0.5, that are read as the limit.
    """

    values: Any
    is_read: NDArray[np.bool_]
    said: tuple[Remark, ...] = ()
    problem: Remark | None = None
    is_limit: NDArray[np.bool_] | None = None


def begins_like_number(strings: Any) -> bool:
    """Whether the first cell begins as a plain number, an ISO date or a time of day may.

    >>> begins_like_number(strings_of(["2019-03-04"])), begins_like_number(strings_of(["South"]))
    (True, False)
    """
    first = next((text for text in strings.slice(0, FEW_VALUES).to_pylist() if text is not None), "")
    # Infinity and NaN are numbers for Arrow.
    return first[:1] in "0123456789+-.,IiNn"


def are_plain_anywhere(texts: Any) -> bool:
    """Whether any library reads these cells as numbers by itself, or as missing.

    >>> are_plain_anywhere(strings_of([" 12", "-1.5", "NA"])), are_plain_anywhere(strings_of(["12", "?"]))
    (True, False)
    """
    bare = stripped(texts)
    bare = null_where(bare, bare, MISSING_EVERYWHERE)
    return begins_like_number(bare) and plain_numbers(bare, None) is not None


def plain_numbers(strings: Any, decimal: str | None) -> Any:
    """The strings as integers or floats; None where one is no number.

    >>> import pyarrow as pa
    >>> plain_numbers(pa.array(["1,5", None]), ",").to_pylist()
    [1.5, None]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        if pc.any(pc.match_substring(strings, ".")).as_py():
            return None
        strings = pc.replace_substring(strings, ",", ".")
    floats = cast_all(strings, pa.float64())
    if floats is None:
        return None
    # Beyond 2**53 floats would run neighbors together.
    for integer in (pa.int64(), pa.uint64()):
        integers = cast_all(strings, integer)
        if integers is not None:
            return integers
    return floats


def cast_all(strings: Any, arrow_type: Any) -> Any:
    """The strings as this type; None where one is not of it."""
    import pyarrow as pa

    try:
        # Arrow goes on after the first failure, through a million others; a few values tell as much.
        for n_values in (FEW_VALUES, SAMPLE_VALUES):
            if len(strings) > n_values:
                strings.slice(0, n_values).cast(arrow_type)
        return strings.cast(arrow_type)
    except pa.ArrowInvalid:
        return None


def joined(*strings: Any, between: str = "") -> Any:
    """Strings of several arrays side by side; null where one is."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*strings, text_scalar(between))


def read_amounts(texts: Any, decimal: str | None, name: str = "") -> Reading | None:
    """Distinct cells without blanks around them as amounts of one unit; None where they are text.

    Numbers beside others with a unit are in that unit where the column's name has it.

    >>> reading = read_amounts(strings_of(["$1,200.50", "($3)"]), None)
    >>> print(reading.values.to_pylist(), *reading.said, sep="; ")
    [1200.5, -3.0]; numbers in $; commas separate thousands; (…) is negative
    """
    import pyarrow.compute as pc

    texts, said = without_marks(texts)
    texts, is_plus = without_plus(texts)
    texts, multiples = in_powers(texts)
    sample = pc.drop_null(texts).slice(0, SAMPLE_VALUES)
    if not len(sample) or begin_like_amounts(sample) / len(sample) < FEWEST_AMOUNTS:
        return None
    sampled = AmountParts.of(sample)
    if np.mean(sampled.is_read) < FEWEST_AMOUNTS:
        return None
    amounts = AmountParts.of(texts, sampled.usual)
    amounts, flags = amounts.without_flags()
    if len(amounts.units) > MOST_UNITS or _ORDINALS.issuperset(amounts.units or "?") or _are_codes(amounts):
        return None
    if amounts.is_limit.any() and not _are_few(amounts.is_limit, amounts.is_read):
        return None
    if _are_labels(amounts) or (len(amounts.units) > 1 and all(unit[0] == "/" for unit in amounts.units)):
        return None
    has_name = len(amounts.units) == 1 and is_in_name(amounts.units[0], name)
    amounts = amounts if has_name else _without_odd_units(amounts)
    marks = Separators.of(amounts.digits, decimal, amounts.units)
    is_bare = _lack_unit(amounts)
    is_told = has_name and bool(is_bare.any())
    problem = (None if is_told else _problem_of(amounts.units, texts, is_bare)) or marks.problem
    if problem is not None:
        return Reading(None, amounts.is_read, problem=problem)
    has_minus = bool(amounts.is_negative.any())
    remarks = [
        _described(amounts.units),
        remark(Code.UNIT_IN_NAME) if is_told else None,
        *marks.described,
        remark(Code.PARENTHESES_NEGATIVE) if amounts.has_parentheses else None,
        remark(Code.MINUS_BEHIND) if has_minus and _any_match(texts, MINUS_BEHIND) else None,
        remark(Code.MINUS_IS_DASH) if has_minus and _any_match(texts, MINUSES) else None,
        *said,
        *multiples,
        remark(Code.FLAGS_LEFT_OUT, flags=tuple(flags)) if flags else None,
    ]
    told = tuple(filter(None, remarks))
    return Reading(_numbers(amounts, marks), amounts.is_read, told, is_limit=amounts.is_limit | is_plus)


def _are_labels(amounts: AmountParts) -> bool:
    """Whether each number has another word (1. Agree, 2. Disagree), or several letters (7a, 7b, 8a).

    Beside whole numbers without a letter, two letters are enough: lines 110, 110N and 111E.
    """
    if len(amounts.units) < 2:
        return False
    if amounts.is_bare.any():
        return all(len(unit) == 1 and unit.isalpha() for unit in amounts.units) and _are_whole(amounts.digits)
    n_read = np.count_nonzero(amounts.is_read)
    is_one_letter = all(len(unit) == 1 and unit.isalpha() for unit in amounts.units)
    is_class = is_one_letter and n_read <= FEW_VALUES and _are_short(amounts.digits)
    return bool(n_read == len(amounts.units) or is_class)


def _are_whole(digits: Any) -> bool:
    """Whether these are whole numbers, without separators."""
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(digits, "^[0-9]+$")).as_py())


def _are_short(digits: Any) -> bool:
    """Whether these are whole numbers of one or two digits."""
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(digits, "^[0-9]{1,2}$")).as_py())


def _without_odd_units(amounts: AmountParts) -> AmountParts:
    """The amounts, or those without a unit alone, where all but a few are: -9 Refused is no number."""
    n_read, n_bare = np.count_nonzero(amounts.is_read), np.count_nonzero(amounts.is_bare)
    if not amounts.units or n_bare < NEARLY_ALL * n_read:
        return amounts
    return amounts.only(amounts.is_bare)


def _are_few(is_limit: NDArray[np.bool_], is_read: NDArray[np.bool_]) -> bool:
    """Whether limits such as <0.5 stand among numbers, and are no classes such as <50 and >50."""
    n_limits, n_read = np.count_nonzero(is_limit), np.count_nonzero(is_read)
    return bool(n_limits * FEWEST_PER_LIMIT <= n_read - n_limits)


def _are_codes(amounts: AmountParts) -> bool:
    """Whether all are three or more groups of three digits, as telephone and tax numbers are."""
    import pyarrow.compute as pc

    if amounts.units:
        return False
    return bool(pc.all(pc.match_substring_regex(amounts.digits, "^[0-9]{3}( [0-9]{3}){2,}$")).as_py())


def _described(units: tuple[str, ...]) -> Remark | None:
    if units == ("%",):
        return remark(Code.IN_PERCENT)
    if units and units[0].startswith("/"):
        return remark(Code.PER_UNIT, unit=units[0][1:])
    return remark(Code.IN_UNIT, unit=units[0]) if units else None


def _lack_unit(amounts: AmountParts) -> NDArray[np.bool_]:
    """Which numbers have no unit though others have one; nothing is as much in every unit."""
    import pyarrow.compute as pc

    if not amounts.units:
        return np.zeros(len(amounts.is_bare), dtype=np.bool_)
    return amounts.is_bare & is_true(pc.match_substring_regex(amounts.digits, "[1-9]"))


def _problem_of(units: tuple[str, ...], texts: Any, is_bare: NDArray[np.bool_]) -> Remark | None:
    """Why the units are not one."""
    if len(units) > 1:
        return remark(Code.SEVERAL_UNITS, first=units[0], second=units[1], n_more=len(units) - 2 or None)
    return _said_of_bare(units[0], texts, is_bare) if is_bare.any() else None


def _said_of_bare(unit: str, texts: Any, is_odd: NDArray[np.bool_]) -> Remark:
    """Which numbers have no unit, with advice where all of them stand for missing values: -9999."""
    first = tuple(texts[int(k)].as_py() for k in np.flatnonzero(is_odd)[: _LISTED + 1])
    are_marks = len(first) <= _LISTED and all(map(_NINES.match, first))
    marks = Option("missing", first) if are_marks else None
    return remark(Code.SOME_WITHOUT_UNIT, unit=unit, cells=first, option=marks)


def _numbers(amounts: AmountParts, marks: Separators) -> Any:
    import pyarrow.compute as pc

    digits = amounts.digits
    for mark in marks.thousands:
        digits = pc.replace_substring(digits, mark, "")
    if marks.decimal == ",":
        digits = pc.replace_substring(digits, ",", ".")
    if amounts.is_negative.any():
        signs = strings_of(["", "-"]).take(arrow_of_numpy(amounts.is_negative.astype(np.int64)))
        digits = joined(signs, digits)
    return plain_numbers(digits if amounts.powers is None else joined(digits, amounts.powers), ".")


def _any_match(strings: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())
