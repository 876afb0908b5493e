"""Parsing of plain numbers, with decimal and thousands separators, and detection of numeric codes.

Arrow casts plain numbers. Which mark stands before decimals, and which between thousands, is decided once for
a whole column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from bychance.array_types import BoolArray
from bychance.io.cells import (
    MISSING_AMONG_NUMBERS,
    MISSING_EVERYWHERE,
    any_match,
    combined,
    matches,
    null_where,
    stripped,
)
from bychance.messages import Code, Option, Remark, remark

__all__ = [
    "FEW_VALUES",
    "SAMPLE_VALUES",
    "Reading",
    "Separators",
    "are_plain_anywhere",
    "cast_all",
    "find_decimal",
    "plain_numbers",
    "read_plain",
]

FEW_VALUES, SAMPLE_VALUES = 16, 1000  # first values in a quick and in a thorough test of a format (taste)
FEWEST_CODE_DIGITS = 3  # least number of digits of padded codes: 01 to 12 may be months (taste)
_MARKS = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
# In these 1.234 is more than a thousand: hardly a price has three decimals.
_POINTED = frozenset({"€", "EUR", "R$", "BRL", "₺", "TRY", "₫", "VND", "IDR", "DKK", "ARS", "CLP", "COP"})
# How numbers are written with each decimal mark. India groups two digits: 12,34,567.
_WRITTEN = {
    mark: rf"^[+-]?(?:\d+|[1-9]\d{{0,2}}(?:(?:[{other}]\d{{2,3}})*[{other}]\d{{3}}|(?: \d{{3}})+|"
    rf"(?:'\d{{3}})+))?(?:[{mark}]\d*)?$"
    for mark, other in ((".", ","), (",", "."))
}
_DECIMAL_COMMA = remark(Code.DECIMAL_COMMA)


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Distinct cells parsed as numbers, dates or times, null unless `is_read`, with remarks.

    `said` tells how they are written, and `problem` why they cannot stand in one column.
    """

    values: Any
    is_read: BoolArray
    said: tuple[Remark, ...] = ()
    problem: Remark | None = None

    @staticmethod
    def of(values: Any, said: tuple[Remark, ...] = ()) -> Reading | None:
        """Create a `Reading` whose cells are all parsed, as `values`, or return None if `values` is None."""
        return None if values is None else Reading(values, np.ones(len(values), dtype=np.bool_), said)


def are_plain_anywhere(texts: Any) -> bool:
    """Return True if pandas and similar libraries would read all these cells as numbers or missing.

    >>> from bychance.arrow_values import strings_of
    >>> are_plain_anywhere(strings_of([" 12", "-1.5", "NA"])), are_plain_anywhere(strings_of(["12", "?"]))
    (True, False)
    """
    bare = stripped(texts)
    bare = null_where(bare, bare, MISSING_EVERYWHERE)
    return plain_numbers(bare, None) is not None


def plain_numbers(strings: Any, decimal: str | None) -> Any:
    """Cast strings to integers or floats, or return None if any is not a number.

    >>> from bychance.arrow_values import strings_of
    >>> plain_numbers(strings_of(["1,5", "2"]), ",").to_pylist()
    [1.5, 2.0]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        if any_match(strings, "[.]"):
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
    """Cast strings to an Arrow type, or return None if any does not fit."""
    import pyarrow as pa

    try:
        # Arrow goes on after the first failure, through a million others; a few values tell as much.
        for n_values in (FEW_VALUES, SAMPLE_VALUES):
            if len(strings) > n_values:
                strings.slice(0, n_values).cast(arrow_type)
        return strings.cast(arrow_type)
    except pa.ArrowInvalid:
        return None


def read_plain(strings: Any, decimal: str | None, name: str, *, may_be_codes: bool) -> Reading | None:
    """Parse plain numbers, or return None if any cell is not one. Numeric codes stay text.

    >>> from bychance.arrow_values import strings_of
    >>> read_plain(strings_of(["007", "042"]), None, "id", may_be_codes=True).values.to_pylist()
    ['007', '042']
    >>> read_plain(strings_of(["1.250", "980"]), None, "x", may_be_codes=True).values.to_pylist()
    [1250, 980]
    """
    import pyarrow.types as types

    numbers = plain_numbers(strings, decimal)
    if numbers is None:
        return None
    if may_be_codes and (told := _codes(strings, numbers, name)) is not None:
        return Reading.of(numbers if told.code is Code.NUMBERS_PADDED else strings, (told,))
    if types.is_floating(numbers.type) and decimal == "," and any_match(strings, ","):
        return Reading.of(numbers, (_DECIMAL_COMMA,))
    if not types.is_floating(numbers.type) or decimal or groups_thousands(strings, ".") is False:
        return Reading.of(numbers)
    marks = Separators.of(strings, None, ())
    return Reading.of(plain_numbers(marks.without_thousands(strings), marks.decimal), marks.described)


def _codes(strings: Any, numbers: Any, name: str) -> Remark | None:
    """Return a remark if these numbers look like codes, such as 007 or 12E5.

    Whole numbers are codes if they are padded with zeros to one length of three digits or more, and if most
    have 20 digits or more, as payments do. So are digits around a capital E in all cells: rooms and products.
    """
    import pyarrow.compute as pc
    import pyarrow.types as types

    reads = Option("numeric", (name,))
    if types.is_integer(numbers.type) and not types.is_uint64(numbers.type):
        padded = strings.filter(pc.starts_with(strings, "0"))
        if not len(padded) or pc.max(pc.utf8_length(padded)).as_py() < 2:
            return None
        lengths = pc.min_max(pc.utf8_length(strings)).as_py()
        if lengths["min"] == lengths["max"] >= FEWEST_CODE_DIGITS:
            return remark(Code.CODES_PADDED, option=reads)
        return remark(Code.NUMBERS_PADDED, option=Option("categorical", (name,)))
    if any(any_match(cells, "[^0-9E]") for cells in (strings.slice(0, FEW_VALUES), strings)):
        return None
    present = pc.drop_null(strings)
    if _share(present, "^[1-9][0-9]{19}") > 0.5:
        return remark(Code.CODES_LONG, option=reads)
    if _share(present, "^[0-9]+E[0-9]+$") == 1:
        return remark(Code.CODES_WITH_E, cell=present[0].as_py(), option=reads)
    return None


def find_decimal(columns: Sequence[Any], missing: frozenset[str]) -> str | None:
    """Return "," if a file's columns use a decimal comma, else None.

    By the first 1,000 values of each column: some column is of numbers only with a decimal comma, and none is
    of numbers with a point. Points that may all separate thousands, as in 1.234, speak against a comma only
    if the commas may do so as well. Commas that separate thousands in one column, beside whole numbers below
    1,000, may do so in the others.

    >>> from bychance.arrow_values import strings_of
    >>> find_decimal([strings_of(["1,5", "2,25"]), strings_of(["a", "b"])], frozenset())
    ','
    """
    import pyarrow.compute as pc

    marks, sure, groups = set[str](), set[str](), set[str]()
    for column in columns:
        start = stripped(combined(column.slice(0, SAMPLE_VALUES)))
        values = pc.drop_null(null_where(start, start, missing | MISSING_AMONG_NUMBERS))
        mark = next((mark for mark in ".," if plain_numbers(values, mark) is not None), None)
        if mark is None or not any_match(values, f"[{mark}]") or (mark == "," and _listed(values)):
            continue
        if groups_thousands(values, mark):
            groups.add(mark)
            continue
        marks.add(mark)
        if not _may_group(values, mark):
            sure.add(mark)
    is_open = "." in marks or "," in groups
    return "," if "," in marks and (not is_open or sure == {","}) else None


@dataclass(frozen=True, slots=True)
class Separators:
    """Decimal and thousands separators of a column, with remarks on the choice."""

    decimal: str = "."
    thousands: str = ""
    described: tuple[Remark, ...] = ()
    problem: Remark | None = None

    def without_thousands(self, digits: Any) -> Any:
        """Remove the thousands separators from the strings in `digits`."""
        import pyarrow.compute as pc

        return pc.replace_substring_regex(digits, f"[{self.thousands}]", "") if self.thousands else digits

    @staticmethod
    def of(digits: Any, known: str | None, units: tuple[str, ...]) -> Separators:
        """Infer the separators from all digits of a column, given units and perhaps the decimal mark.

        >>> from bychance.arrow_values import strings_of
        >>> print(*Separators.of(strings_of(["1.107,51", "3,00"]), None, ("€",)).described, sep="; ")
        points separate thousands; the decimal mark is a comma
        """
        import pyarrow.compute as pc

        digits = pc.drop_null(pc.unique(digits))
        has_comma, has_point, *are_there = (any_match(digits, f"[{mark}]") for mark in ",. '")
        blanks = "".join(compress(" '", are_there))
        fits = [
            mark for mark, form in _WRITTEN.items() if matches(digits, form).all() and known in (None, mark)
        ]
        if not fits or len(blanks) > 1:
            return Separators(problem=remark(Code.SEPARATORS_DIFFER))
        is_open = known is None and len(fits) > 1
        are_points_groups: bool | None = False
        if is_open and has_point and not has_comma:
            are_points_groups = bool(_POINTED.intersection(units)) or groups_thousands(digits, ".")
        elif known is None and fits == [","] and (cell := _listed(digits)) is not None:
            return Separators(problem=remark(Code.LIST_OR_DECIMAL, cell=cell, option=Option("decimal", ",")))
        # One group of three digits: with a point it is a plain number, with a comma hardly ever.
        is_comma = bool(are_points_groups or (has_comma and blanks)) if is_open else fits == [","]
        decimal, other, has_other = (",", ".", has_point) if is_comma else (".", ",", has_comma)
        thousands = blanks + other * has_other
        described = [remark(Code.THOUSANDS, mark=_MARKS[mark]) for mark in thousands]
        if is_comma and has_comma:
            described.append(_DECIMAL_COMMA)
        if is_open and thousands == other:
            described.append(remark(Code.MAY_BE_DECIMALS, option=Option("decimal", other)))
        if are_points_groups is None:
            described.append(remark(Code.MAY_BE_THOUSANDS, option=Option("decimal", ",")))
        return Separators(decimal, thousands, tuple(described))


def groups_thousands(digits: Any, mark: str) -> bool | None:
    """Return True if `mark` separates thousands, judged by cells without it, or None if unclear.

    Beside 1.250 stands no 1100, and 980 rather than 0.980. Most of the whole numbers have three digits, as
    those just below 1,000 have, and most numbers with the mark fewer before it: otherwise 104 may be as
    large as 103.851, or 2 as 1.250. Neither 0 nor 999, which may stand for a missing value, tells anything.

    >>> from bychance.arrow_values import strings_of
    >>> columns = ["1.250", "980"], ["1.250", "2"], ["1.250", "2", "0.875"], ["1.250", "980", "1100"]
    >>> [groups_thousands(strings_of(column), ".") for column in columns]
    [True, None, False, False]
    """
    import pyarrow.compute as pc

    if not _may_group(digits, mark):
        return False
    distinct = pc.drop_null(pc.unique(digits))
    has_mark = pc.match_substring(distinct, mark)
    marked, whole = distinct.filter(has_mark), distinct.filter(pc.invert(has_mark))
    whole = whole.filter(pc.invert(pc.match_substring_regex(whole, "^[+-]?(0|99+)$")))
    if not len(marked) or not len(whole) or _share(whole, "^[+-]?[1-9][0-9]?[0-9]?$") < 1:
        return False
    is_told = _share(whole, "[0-9]{3}$") > 0.5 and _share(marked, f"[0-9]{{3}}[{mark}]") < 0.5
    return True if is_told else None


def _may_group(digits: Any, mark: str) -> bool:
    """Return True if exactly three digits follow the mark in all numbers that have it."""
    import pyarrow.compute as pc

    # Numbers of which all digits are written end this soon.
    if len(digits) > SAMPLE_VALUES and not _may_group(digits.slice(0, SAMPLE_VALUES), mark):
        return False
    cells = digits.filter(pc.match_substring(digits, mark))
    return bool(matches(cells, f"^[+-]?[1-9][0-9]?[0-9]?[{mark}][0-9][0-9][0-9]$").all())


def _listed(digits: Any) -> str | None:
    """Return the first cell with a comma if all comma-separated parts (20,22) also occur alone, else None."""
    import pyarrow.compute as pc

    distinct = pc.drop_null(pc.unique(digits))
    has_comma = pc.match_substring(distinct, ",")
    lists, alone = distinct.filter(has_comma), distinct.filter(pc.invert(has_comma))
    parts = pc.list_flatten(pc.split_pattern(lists, ","))
    return str(lists[0]) if pc.all(pc.is_in(parts, value_set=alone)).as_py() else None


def _share(strings: Any, pattern: str) -> float:
    return float(matches(strings, pattern).mean())
