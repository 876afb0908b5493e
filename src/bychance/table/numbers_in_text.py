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

from bychance.arrow_values import arrow_of_numpy, is_true, null_mask, numpy_of, strings_of, text_scalar
from bychance.table.separators import Separators

__all__ = ["SAMPLE_VALUES", "Reading", "cast_all", "joined", "plain_numbers", "read_amounts"]

SAMPLE_VALUES = 1000
FEWEST_AMOUNTS = 0.1  # share of the sample below which a column is text
MOST_UNITS = 5  # with more of them what follows the digits are words, not units

_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR|"
    "NGN|NOK|NZD|PEN|PHP|PKR|PLN|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
_SYMBOL = "[$€£¥¢₡₦₩₪₫₭₮₱₲₴₵₸₹₺₽₾₿฿]"
_HEAD = re.compile(
    rf"(?P<open>\()?(?P<sign>[+-])?\s?(?P<unit>[A-Z]{{0,3}}{_SYMBOL}|{_CODES}|Rs\.?|Fr\.?|kr\.?)?\s?(?P<inner>[+-])?"
)
_WORD = rf"(?:[^\W\d_]|[%‰°µ]|{_SYMBOL})"
_TAIL = re.compile(
    rf"\s?(?P<unit>{_WORD}(?:(?:{_WORD}|[²³/·. -]){{0,18}}(?:{_WORD}|[²³23.]))?)?(?P<close>\))?"
)
# What is cut by Arrow in one go; heads and tails are few, and looked at one by one.
_CUT = (
    r"^(?P<head>(?:[A-Za-z]\.|[^0-9.,])*)(?P<digits>[.,]?[0-9](?:[0-9.,' ]*[0-9.,])?)"
    r"(?P<power>[eE][+-]?[0-9]+)?(?P<tail>.*)$"
)
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
_ORDINALS = frozenset({"st", "nd", "rd", "th"})  # 1st, 2nd: places and classes are labels
_MINUSES = "^[\u2212\u2013\ufe63\uff0d]"
_SPACES = "[\u00a0\u2009\u202f]"


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """Distinct cells as numbers or dates: one value per cell, null where `is_read` is false.

    `note` says how they are written, `problem` why they cannot stand in one column.
    """

    values: Any
    is_read: NDArray[np.bool_]
    note: str | None = None
    problem: str | None = None


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
        strings.slice(0, SAMPLE_VALUES).cast(arrow_type)
        return strings.cast(arrow_type)
    except pa.ArrowInvalid:
        return None


def joined(*strings: Any, between: str = "") -> Any:
    """Strings of several arrays side by side; null where one is."""
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*strings, text_scalar(between))


def read_amounts(texts: Any, decimal: str | None) -> Reading | None:
    """Distinct cells without blanks around them as amounts of one unit; None where they are text.

    >>> reading = read_amounts(strings_of(["$1,200.50", "($3)"]), None)
    >>> reading.values.to_pylist(), reading.note
    ([1200.5, -3.0], 'numbers in $; commas separate thousands; (…) is negative')
    """
    import pyarrow.compute as pc

    sample = pc.drop_null(texts).slice(0, SAMPLE_VALUES)
    if not len(sample) or np.mean(_Amounts.of(sample).is_read) < FEWEST_AMOUNTS:
        return None
    amounts = _Amounts.of(texts)
    if len(amounts.units) > MOST_UNITS or _ORDINALS.issuperset(amounts.units or "?") or _are_codes(amounts):
        return None
    marks = Separators.of(amounts.digits, decimal, amounts.units)
    problem = _problem_of(amounts) or marks.problem
    if problem is not None:
        return Reading(None, amounts.is_read, problem=problem)
    remarks = [
        _described(amounts.units),
        *marks.described,
        "(…) is negative" if amounts.has_parentheses else "",
        "the minus sign is U+2212 or a dash" if _any_match(texts, _MINUSES) else "",
    ]
    note = "; ".join(remark for remark in remarks if remark) or None
    return Reading(_numbers(amounts, marks), amounts.is_read, note)


@dataclass(frozen=True, slots=True, eq=False)
class _Amounts:
    """Cells taken apart: digits and powers of ten, null where a cell is no amount; signs and units."""

    is_read: NDArray[np.bool_]
    digits: Any
    powers: Any
    is_negative: NDArray[np.bool_]
    is_bare: NDArray[np.bool_]
    units: tuple[str, ...]
    has_parentheses: bool

    @staticmethod
    def of(texts: Any) -> _Amounts:
        import pyarrow.compute as pc

        cut = pc.extract_regex(_even(texts), _CUT)
        is_cut = ~null_mask(cut) & is_true(pc.match_substring_regex(cut.field("digits"), _DIGITS))
        ends, codes = _ends_of(cut, is_cut)
        around = [_Around.of(head, tail) for head, tail in ends]
        is_read = is_cut & _picked([end is not None for end in around], codes)
        used = [end for k, end in enumerate(around) if end is not None and (codes[is_read] == k).any()]
        units = _without_plurals(sorted({end.unit for end in used if end.unit}))
        return _Amounts(
            is_read,
            pc.if_else(arrow_of_numpy(is_read), cut.field("digits"), text_scalar(None)),
            cut.field("power"),
            _picked([end is not None and end.is_negative for end in around], codes),
            _picked([end is not None and not end.unit for end in around], codes) & is_read,
            units,
            any(end.has_parentheses for end in used),
        )


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands before and behind the digits of a cell."""

    unit: str
    is_negative: bool
    has_parentheses: bool

    @staticmethod
    def of(head: str, tail: str) -> _Around | None:
        """None where it is more than a sign, parentheses and a unit."""
        before, behind = _HEAD.fullmatch(head), _TAIL.fullmatch(tail)
        if before is None or behind is None:
            return None
        signs = [sign for sign in (before["open"], before["sign"], before["inner"]) if sign]
        if len(signs) > 1 or bool(before["open"]) != bool(behind["close"]):
            return None
        unit = f"{before['unit'] or ''} {behind['unit'] or ''}".strip().rstrip(".")
        return _Around(unit, bool(signs) and signs[0] in "(-", bool(before["open"]))


def _ends_of(cut: Any, is_cut: NDArray[np.bool_]) -> tuple[list[tuple[str, str]], NDArray[np.int64]]:
    """The distinct pairs of heads and tails, and which of them each cell has."""
    heads, tails = (cut.field(part).dictionary_encode() for part in ("head", "tail"))
    both = numpy_of(heads.indices).astype(np.int64) * (len(tails.dictionary) + 1) + numpy_of(tails.indices)
    pairs, codes = np.unique(np.where(is_cut, both, -1), return_inverse=True)
    texts = [_texts(column.dictionary) for column in (heads, tails)]
    ends = [
        ("?", "?")
        if pair < 0
        else (texts[0][pair // (len(texts[1]) + 1)], texts[1][pair % (len(texts[1]) + 1)])
        for pair in pairs.tolist()
    ]
    return ends, codes.reshape(-1)


def _texts(strings: Any) -> list[str]:
    found: list[str] = strings.to_pylist()
    return found


def _picked(flags: list[bool], codes: NDArray[np.int64]) -> NDArray[np.bool_]:
    by_cell: NDArray[np.bool_] = np.array(flags, dtype=np.bool_)[codes]
    return by_cell


def _even(texts: Any) -> Any:
    """One kind of minus, of blank and of apostrophe."""
    import pyarrow.compute as pc

    if pc.all(pc.string_is_ascii(texts)).as_py():
        return texts
    texts = pc.replace_substring_regex(texts, _MINUSES, "-")
    texts = pc.replace_substring_regex(texts, "([\\p{Sc}(])[\u2212\u2013]", r"\1-")
    texts = pc.replace_substring_regex(texts, _SPACES, " ")
    return pc.replace_substring(texts, "\u2019", "'")


def _are_codes(amounts: _Amounts) -> bool:
    """Whether all are three or more groups of three digits, as telephone and tax numbers are."""
    import pyarrow.compute as pc

    if amounts.units:
        return False
    return bool(pc.all(pc.match_substring_regex(amounts.digits, "^[0-9]{3}( [0-9]{3}){2,}$")).as_py())


def _described(units: tuple[str, ...]) -> str:
    if units == ("%",):
        return "numbers in %: 5% is read as 5"
    return f"numbers in {units[0]}" if units else ""


def _problem_of(amounts: _Amounts) -> str | None:
    """Why the units are not one."""
    import pyarrow.compute as pc

    units = amounts.units
    if len(units) > 1:
        listed = " and ".join(repr(unit) for unit in units[:2])
        return f"numbers in several units ({listed}{f' and {len(units) - 2} more' if len(units) > 2 else ''})"
    # Nothing is as much in every unit.
    is_zero = ~is_true(pc.match_substring_regex(amounts.digits, "[1-9]"))
    if units and (amounts.is_bare & ~is_zero).any():
        return f"numbers, some in {units[0]} and some without a unit"
    return None


def _without_plurals(names: list[str]) -> tuple[str, ...]:
    """The names, less those that are another with an s: 1 year, 2 years."""
    return tuple(name for name in names if not (name.endswith("s") and name[:-1] in names)) or tuple(names)


def _numbers(amounts: _Amounts, marks: Separators) -> Any:
    import pyarrow.compute as pc

    digits = amounts.digits
    for mark in marks.thousands:
        digits = pc.replace_substring(digits, mark, "")
    if marks.decimal == ",":
        digits = pc.replace_substring(digits, ",", ".")
    signs = strings_of(["", "-"]).take(arrow_of_numpy(amounts.is_negative.astype(np.int64)))
    return plain_numbers(joined(signs, digits, amounts.powers), ".")


def _any_match(strings: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())
