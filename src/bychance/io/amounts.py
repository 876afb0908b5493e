"""Parsing of amounts such as ($1,200.50), 12 kg or <0.5 as numbers with one unit per column.

Arrow splits a cell into head, digits, power of ten and tail. Each distinct head and tail is parsed once.
Whether the column is of amounts, and what its points and commas are, is decided for all cells at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, Int32Array, IntArray
from bychance.arrow_values import arrow_of_numpy, null_mask, numpy_of, strings_of, text_scalar
from bychance.io.cells import any_match, matches
from bychance.io.numbers import FEW_VALUES, SAMPLE_VALUES, Reading, Separators, plain_numbers
from bychance.messages import OPEN, Code, Option, Remark, remark

__all__ = ["read_amounts"]

FEWEST_AMOUNTS = 0.1  # least share of a column's first texts that must be amounts, else it stays text (taste)
FEWEST_PER_LIMIT = 5  # least number of other distinct amounts per distinct limit such as <0.5 (taste)
FEWEST_BEFORE_PLUS = 2  # least number of distinct integers beside a top category such as 10+ (taste)
NEARLY_ALL = 0.9  # share of amounts without a unit from which on the others are marks, not amounts (taste)
MOST_UNITS = 5  # distinct units per column. With more, the text after the digits is words (taste)

_LISTED = 3  # cells that a remark names (taste)
_NINES = re.compile(r"[+\-−]?9{2,}(?:[.,]0+)?$")
_ORDINALS = frozenset({"st", "nd", "rd", "th"})  # 1st, 2nd: places and classes are categories

_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR|"
    "NGN|NOK|NZD|PEN|PHP|PKR|PLN|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
_SYMBOL = "[$€£¥¢₡₦₩₪₫₭₮₱₲₴₵₸₹₺₽₾₿฿]"
# <0.5 and >100 are limits of what was measured; <=5 and ≥ 5 are classes.
_HEAD = re.compile(
    rf"(?P<limit>[<>]\s?)?(?P<open>\()?(?P<sign>[+-])?\s?"
    rf"(?P<unit>[A-Z]{{0,3}}{_SYMBOL}|{_CODES}|Rs\.?|Fr\.?|kr\.?)?\s?(?P<inner>[+-])?"
)
_START = rf"^{_HEAD.pattern}[.,]?[0-9]"
_WORD = rf"(?:[^\W\d_¼-¾⅐-⅞]|[%‰°µ]|{_SYMBOL})"  # without fractions: 3½ is not 3
_TAIL = re.compile(
    rf"\s?(?P<unit>{_WORD}(?:(?:{_WORD}|[²³/·. -]){{0,18}}(?:{_WORD}|[²³23.]))?)?(?P<close>\))?"
)
_CUT = (
    r"^(?P<head>(?:[A-Za-z]\.|[^0-9.,])*)(?P<digits>[.,]?[0-9](?:[0-9.,' ]*[0-9.,])?)"
    r"(?P<power>[eE][+-]?[0-9]+)?(?P<tail>.*)$"
)
_NUMBERED = r"[0-9]\. ?\pL{2}"  # 2. West and 97.mat are no numbers
_DIGITS = "^(?:{})$".format(
    "|".join(
        [
            r"[0-9]+(?:[.,][0-9]*)?",
            r"[.,][0-9]+",
            r"[1-9][0-9]{0,2}(?:,[0-9]{2,3})*,[0-9]{3}(?:\.[0-9]*)?",
            r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:,[0-9]*)?",
            r"[1-9][0-9]{0,2}(?: [0-9]{3})+(?:[.,][0-9]*)?",
            r"[1-9][0-9]{0,2}(?:'[0-9]{3})+(?:[.,][0-9]*)?",
        ]
    )
)
_MINUSES = "^[\u2212\u2013\ufe63\uff0d]"
_REWRITTEN = (
    (_MINUSES, "-"),
    ("([\\p{Sc}(])[\u2212\u2013]", r"\1-"),
    ("[\u00a0\u2009\u202f]", " "),
    ("\u2019", "'"),
)
_ODD = "[\u2212\u2013\ufe63\uff0d\u00a0\u2009\u202f\u2019]"
_PLUS = r"^[0-9]{1,6} ?\+$"


def read_amounts(texts: Any, decimal: str | None, counts: IntArray) -> Reading | None:
    """Parse distinct text cells as amounts in one unit, or return None if the column is text.

    `counts` are the numbers of rows per cell.

    >>> reading = read_amounts(strings_of(["$1,200.50", "($3)"]), None, np.ones(2, np.int64))
    >>> print(reading.values.to_pylist(), *reading.said, sep="; ")
    [1200.5, -3.0]; numbers in $; commas separate thousands; (…) is negative
    """
    import pyarrow.compute as pc

    written = texts
    texts, is_plus = _without_plus(texts)
    sample = pc.drop_null(texts).slice(0, SAMPLE_VALUES)
    if not len(sample) or matches(_normalized(sample), _START).mean() < FEWEST_AMOUNTS:
        return None
    if _AmountParts.of(sample).is_read.mean() < FEWEST_AMOUNTS:
        return None
    amounts = _AmountParts.of(texts)
    if _are_words(amounts):
        return None
    amounts = _without_odd_units(amounts)
    marks = Separators.of(amounts.digits, decimal, amounts.units)
    problem = _problem_of(amounts, texts) or marks.problem
    if problem is not None:
        return Reading(None, amounts.is_read, problem=problem)
    has_minus = bool(amounts.is_negative.any())
    remarks = [
        _described(amounts.units),
        *marks.described,
        remark(Code.PARENTHESES_NEGATIVE) if amounts.has_parentheses else None,
        remark(Code.MINUS_IS_DASH) if has_minus and any_match(texts, _MINUSES) else None,
        _remark_on_detection_limits(written, amounts.is_limit | is_plus, counts),
    ]
    return Reading(_numbers(amounts, marks), amounts.is_read, tuple(filter(None, remarks)))


def _remark_on_detection_limits(texts: Any, is_limit: BoolArray, counts: IntArray) -> Remark | None:
    """Return a remark that detection limits such as <0.5 are read as 0.5, or None if there are none."""
    cells = tuple(texts[int(k)].as_py() for k in np.flatnonzero(is_limit)[: _LISTED + 1])
    if not cells:
        return None
    marks = Option("missing", cells if len(cells) <= _LISTED else (OPEN,))
    n_values = int(counts[is_limit].sum())
    return remark(Code.LIMITS, cell=cells[0], n_cells=len(cells), n=n_values, option=marks)


@dataclass(frozen=True, slots=True, eq=False)
class _AmountParts:
    """Parts of text cells: digits, power of ten, sign and unit. Null if a cell is not an amount.

    `is_bare` flags amounts without a unit, `is_limit` cells such as <0.5.

    >>> parts = _AmountParts.of(strings_of(["-12 kg", "7", "x"]))
    >>> parts.digits.to_pylist(), parts.units, parts.is_negative.tolist(), parts.is_bare.tolist()
    (['12', '7', None], ('kg',), [True, False, False], [False, True, False])
    """

    is_read: BoolArray
    digits: Any
    powers: Any
    is_negative: BoolArray
    is_bare: BoolArray
    is_limit: BoolArray
    units: tuple[str, ...]
    has_parentheses: bool

    @staticmethod
    def of(texts: Any) -> _AmountParts:
        """Split text cells into the parts of amounts."""
        import pyarrow.compute as pc

        texts = _normalized(texts)
        cut = pc.extract_regex(texts, _CUT)
        digits = cut.field("digits")
        is_cut = ~null_mask(cut) & matches(digits, _DIGITS) & ~matches(texts, _NUMBERED)
        around, codes = _distinct_affixes(cut, is_cut)

        def of_cells(flag: str) -> BoolArray:
            return np.array([getattr(end, flag, False) for end in around], dtype=np.bool_)[codes]

        is_read, used = of_cells("is_read"), list(filter(None, around))
        return _AmountParts(
            is_read,
            _null_unless(is_read, digits),
            cut.field("power"),
            of_cells("is_negative"),
            of_cells("is_bare"),
            of_cells("is_limit"),
            _without_plurals(end.unit for end in used if end.unit),
            any(end.has_parentheses for end in used),
        )


@dataclass(frozen=True, slots=True)
class _Affixes:
    """Meaning of the text before and after a cell's digits: unit, sign, parentheses, or a limit (< or >)."""

    unit: str
    is_bare: bool
    is_negative: bool
    has_parentheses: bool
    is_limit: bool
    is_read: bool = True

    @staticmethod
    def of(head: str, tail: str) -> _Affixes | None:
        """Parse the text before and after digits, or return None if it is not a sign or unit."""
        before = _HEAD.fullmatch(head)
        is_rate = tail.startswith("/") and before is not None and bool(before["unit"])  # $12.50/hr
        behind = _TAIL.fullmatch(tail[is_rate:])
        if before is None or behind is None:
            return None
        signs = [sign for sign in (before["open"], before["sign"], before["inner"]) if sign]
        if len(signs) > 1 or bool(before["open"]) != bool(behind["close"]):
            return None
        unit = f"{before['unit'] or ''}{' /'[is_rate]}{behind['unit'] or ''}".strip().rstrip(".")
        is_negative = bool(signs) and signs[0] in "(-"
        return _Affixes(unit, not unit, is_negative, bool(before["open"]), bool(before["limit"]))


def _distinct_affixes(cut: Any, is_cut: BoolArray) -> tuple[list[_Affixes | None], Int32Array]:
    """Parse each distinct text around digits once. Return the results, and each cell's index into them."""
    import pyarrow.compute as pc

    pairs = pc.binary_join_element_wise(cut.field("head"), cut.field("tail"), text_scalar("\0"))
    distinct = pc.if_else(arrow_of_numpy(is_cut), pairs, text_scalar("?\0?")).dictionary_encode()
    return [_Affixes.of(*pair.split("\0")) for pair in distinct.dictionary.to_pylist()], numpy_of(
        distinct.indices
    )


def _without_plurals(units: Iterable[str]) -> tuple[str, ...]:
    """Return the sorted unit names, dropping a plural such as "years" if its singular also occurs.

    >>> _without_plurals(["years", "year"]), _without_plurals(["hours"])
    (('year',), ('hours',))
    """
    names = set(units)
    return tuple(sorted(name for name in names if not (name.endswith("s") and name[:-1] in names)))


def _null_unless(is_kept: BoolArray, strings: Any) -> Any:
    import pyarrow.compute as pc

    return strings if is_kept.all() else pc.if_else(arrow_of_numpy(is_kept), strings, text_scalar(None))


def _are_words(amounts: _AmountParts) -> bool:
    """Return True if cells that look like amounts are rather codes, classes or labels.

    Too many units are words (1. Agree, 2. Disagree), and so is another for each number. Several single
    letters are classes (7a, 7b, 8a), or lines beside whole numbers without a letter (110, 110N, 111E). Three
    or more groups of three digits are telephone and tax numbers. Several limits beside few numbers are
    classes (<50, >50).
    """
    units, digits = amounts.units, amounts.digits
    n_read, n_limits = np.count_nonzero(amounts.is_read), np.count_nonzero(amounts.is_limit)
    has_many_limits = bool(n_limits * FEWEST_PER_LIMIT > n_read - n_limits)
    if not units:
        are_groups = matches(digits, "^[0-9]{3}( [0-9]{3}){2,}$")[amounts.is_read].all()
        return bool(are_groups or has_many_limits)
    if len(units) > MOST_UNITS or _ORDINALS.issuperset(units) or has_many_limits:
        return True
    if len(units) == 1:
        return False
    if n_read == len(units):
        return True
    if not all(len(unit) == 1 and unit.isalpha() for unit in units):
        return False
    n_digits = "+" if amounts.is_bare.any() else "{1,2}"
    are_whole = matches(digits, f"^[0-9]{n_digits}$")[amounts.is_read].all()
    return bool(are_whole and (amounts.is_bare.any() or n_read <= FEW_VALUES))


def _without_odd_units(amounts: _AmountParts) -> _AmountParts:
    """Mark the few amounts with a unit (-9 Refused) as not parsed if nearly all others have no unit."""
    is_bare = amounts.is_bare
    if not amounts.units or np.count_nonzero(is_bare) < NEARLY_ALL * np.count_nonzero(amounts.is_read):
        return amounts
    digits = _null_unless(is_bare, amounts.digits)
    return replace(amounts, is_read=is_bare, digits=digits, units=(), is_limit=amounts.is_limit & is_bare)


def _problem_of(amounts: _AmountParts, texts: Any) -> Remark | None:
    """Return a remark if the amounts have several units, or only some have one, else None."""
    units = amounts.units
    if len(units) > 1:
        return remark(Code.SEVERAL_UNITS, first=units[0], second=units[1], n_more=len(units) - 2 or None)
    is_odd = amounts.is_bare & matches(amounts.digits, "[1-9]")
    if not units or not is_odd.any():
        return None
    first = tuple(texts[int(k)].as_py() for k in np.flatnonzero(is_odd)[: _LISTED + 1])
    are_marks = len(first) <= _LISTED and all(map(_NINES.match, first))  # -9999
    marks = Option("missing", first) if are_marks else None
    return remark(Code.SOME_WITHOUT_UNIT, unit=units[0], cells=first, option=marks)


def _described(units: tuple[str, ...]) -> Remark | None:
    if units == ("%",):
        return remark(Code.IN_PERCENT)
    return remark(Code.IN_UNIT, unit=units[0]) if units else None


def _numbers(amounts: _AmountParts, marks: Separators) -> Any:
    import pyarrow.compute as pc

    signs = strings_of(["", "-"]).take(arrow_of_numpy(amounts.is_negative.astype(np.int64)))
    parts = signs, marks.without_thousands(amounts.digits), amounts.powers
    return plain_numbers(pc.binary_join_element_wise(*parts, text_scalar("")), marks.decimal)


def _normalized(texts: Any) -> Any:
    """Normalize minus signs, spaces and apostrophes of amounts."""
    import pyarrow.compute as pc

    if any_match(texts, _ODD):
        for pattern, kept in _REWRITTEN:
            texts = pc.replace_substring_regex(texts, pattern, kept)
    return texts


def _without_plus(texts: Any) -> tuple[Any, BoolArray]:
    """Remove the plus of the largest number (10+) if no other cell has one, and flag that cell.

    Grades and findings (1+, 2+, 3+) stay as they are.

    >>> _without_plus(strings_of(["0", "1", "2", "3+"]))[0].to_pylist()
    ['0', '1', '2', '3']
    >>> _without_plus(strings_of(["0", "1+", "2+"]))[0].to_pylist()
    ['0', '1+', '2+']
    """
    import pyarrow.compute as pc
    import pyarrow.types as types

    is_plus = matches(texts, _PLUS)
    if np.count_nonzero(is_plus) == 1:
        limit = int(texts[int(is_plus.argmax())].as_py().rstrip(" +"))
        others = pc.replace_substring(texts.filter(arrow_of_numpy(~is_plus)).drop_null(), "<", "")
        others = plain_numbers(others, None)
        is_whole = others is not None and types.is_integer(others.type)
        if is_whole and len(others.unique()) >= FEWEST_BEFORE_PLUS and pc.max(others).as_py() <= limit:
            return pc.replace_substring_regex(texts, r" ?\+$", ""), is_plus
    return texts, np.zeros(len(texts), dtype=np.bool_)
