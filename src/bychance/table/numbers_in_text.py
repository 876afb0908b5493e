"""Numbers as people write them: strings → integers or floats, with what stands around and between the digits.

Plain numbers are cast by Arrow. Amounts carry a currency, a unit, a percent sign, parentheses or separators
of thousands; which mark separates what is decided once for a whole column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import null_mask, numpy_of

__all__ = ["DECIMAL_COMMA", "SAMPLE_VALUES", "Reading", "cast_all", "joined", "plain_numbers", "read_amounts"]

SAMPLE_VALUES = 1000
DECIMAL_COMMA = "the decimal mark is a comma"
FEWEST_AMOUNTS = 0.1  # share of the sample below which a column is text
MOST_UNITS = 5  # with more of them what follows the digits are words, not units

_CODES = (
    "AED|ARS|AUD|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|HKD|HUF|IDR|ILS|INR|ISK|JPY|KES|KRW|MXN|MYR|"
    "NGN|NOK|NZD|PEN|PHP|PKR|PLN|RON|RSD|RUB|SAR|SEK|SGD|THB|TRY|TWD|UAH|USD|VND|ZAR"
)
_CURRENCY = rf"(?:[A-Z]{{0,3}}\p{{Sc}}|{_CODES}|Rs\.?|Fr\.?|kr\.?)"
_UNIT = r"[\p{L}%‰°µ\p{Sc}](?:[\p{L}%°µ²³/·.\p{Sc} -]{0,18}[\p{L}%²³23.\p{Sc}])?"
_DIGITS = "|".join(
    [
        r"\d+(?:[.,]\d*)?",
        r"[.,]\d+",
        r"[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}(?:\.\d*)?",
        r"[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?",
        r"[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d*)?",
        r"[1-9]\d{0,2}(?:'\d{3})+(?:[.,]\d*)?",
    ]
)
AMOUNT = (
    rf"^(?P<open>\()?(?P<sign>[+-])?\s?(?P<before>{_CURRENCY})?\s?(?P<inner>[+-])?"
    rf"(?P<digits>{_DIGITS})(?P<power>[eE][+-]?\d+)?\s?(?P<after>{_UNIT})?(?P<close>\))?$"
)
_MINUSES = "^[\u2212\u2013\ufe63\uff0d]"
_SPACES = "[\u00a0\u2009\u202f]"
_MARKS = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}


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
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*strings, pa.scalar(between, pa.large_string()))


def read_amounts(texts: Any, decimal: str | None) -> Reading | None:
    """Distinct cells without blanks around them as amounts of one unit; None where they are text.

    >>> import pyarrow as pa
    >>> reading = read_amounts(pa.array(["$1,200.50", "($3)"]), None)
    >>> reading.values.to_pylist(), reading.note
    ([1200.5, -3.0], 'numbers in $; commas separate thousands; (…) is negative')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    sample = _even(pc.drop_null(texts).slice(0, SAMPLE_VALUES))
    n_amounts = pc.sum(pc.match_substring_regex(sample, AMOUNT)).as_py() or 0
    if not n_amounts or n_amounts < FEWEST_AMOUNTS * len(sample):
        return None
    even = _even(texts)
    parts = pc.extract_regex(even, AMOUNT)
    is_read = ~null_mask(parts) & _is_closed(parts)
    if not is_read.any():
        return None
    digits = pc.if_else(pa.array(is_read), parts.field("digits"), None)
    units = _Units.of(parts, digits, is_read)
    if len(units.names) > MOST_UNITS or _are_codes(digits):
        return None
    marks = _Separators.of(digits, decimal)
    problem = units.problem or marks.problem
    if problem is not None:
        return Reading(None, is_read, problem=problem)
    values = _numbers(parts, digits, marks)
    remarks = [
        f"numbers{units.described}" if units.names else "",
        *marks.described,
        "(…) is negative" if "(" in _values_of(parts, "open") else "",
        "the minus sign is U+2212 or a dash" if _any_match(texts, _MINUSES) else "",
    ]
    return Reading(values, is_read, "; ".join(remark for remark in remarks if remark) or None)


def _even(texts: Any) -> Any:
    """One kind of minus, of blank and of apostrophe."""
    import pyarrow.compute as pc

    texts = pc.replace_substring_regex(texts, _MINUSES, "-")
    texts = pc.replace_substring_regex(texts, "([\\p{Sc}(])[\u2212\u2013]", r"\1-")
    texts = pc.replace_substring_regex(texts, _SPACES, " ")
    return pc.replace_substring(texts, "\u2019", "'")


def _is_closed(parts: Any) -> NDArray[np.bool_]:
    """Which parentheses open and close, around no sign; and which have no more than one sign."""
    opened, closed, sign, inner = (_is_there(parts, part) for part in ("open", "close", "sign", "inner"))
    before = _is_there(parts, "before")
    is_closed: NDArray[np.bool_] = opened == closed
    return is_closed & ~(opened & (sign | inner)) & ~(sign & inner) & (before | ~inner)


def _are_codes(digits: Any) -> bool:
    """Whether all are three groups or more by spaces and of one length, as telephone and tax numbers are."""
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(digits, " .* ")).as_py():
        return False
    lengths = pc.min_max(pc.utf8_length(digits)).as_py()
    return bool(lengths["min"] == lengths["max"])


@dataclass(frozen=True, slots=True)
class _Units:
    """What stands before and after the digits: the names, and why they are not one."""

    names: tuple[str, ...]
    problem: str | None = None

    @property
    def described(self) -> str:
        if self.names == ("%",):
            return " in %: 5% is read as 5"
        return f" in {self.names[0]}" if self.names else ""

    @staticmethod
    def of(parts: Any, digits: Any, is_read: NDArray[np.bool_]) -> _Units:
        import pyarrow as pa
        import pyarrow.compute as pc

        both = joined(parts.field("before"), parts.field("after"), between=" ")
        units = pc.utf8_rtrim(pc.utf8_trim_whitespace(both), characters=".")
        is_bare = numpy_of(pc.equal(units, "").fill_null(False)) & is_read
        found = [str(unit) for unit in pc.unique(units.filter(pa.array(is_read))).to_pylist()]
        names = _without_plurals(sorted({unit for unit in found if unit}))
        if len(names) > 1:
            listed = " and ".join(repr(name) for name in names[:2])
            more = f" and {len(names) - 2} more" if len(names) > 2 else ""
            return _Units(names, f"numbers in several units ({listed}{more})")
        # Nothing is as much in every unit.
        is_zero = ~numpy_of(pc.match_substring_regex(digits, "[1-9]").fill_null(False))
        if names and (is_bare & ~is_zero).any():
            return _Units(names, f"numbers, some in {names[0]} and some without a unit")
        return _Units(names)


def _without_plurals(names: list[str]) -> tuple[str, ...]:
    """The names, less those that are another with an s: 1 year, 2 years."""
    return tuple(name for name in names if not (name.endswith("s") and name[:-1] in names)) or tuple(names)


@dataclass(frozen=True, slots=True)
class _Separators:
    """What comes before decimals, what stands between thousands, and how that is said."""

    decimal: str = "."
    thousands: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    problem: str | None = None

    @staticmethod
    def of(digits: Any, known: str | None) -> _Separators:
        blanks = [mark for mark in " '" if _any_contains(digits, mark)]
        comma, point = (_Role.of(digits, mark, other) for mark, other in ((",", "."), (".", ",")))
        decimal = _decimal(comma, point, known, has_blanks=bool(blanks))
        if decimal is None or len(blanks) > 1:
            return _Separators(problem="numbers whose points, commas or blanks separate now this, now that")
        thousands = [
            *blanks,
            *(m for m, role in ((",", comma), (".", point)) if role.occurs and m != decimal),
        ]
        described = [f"{_MARKS[mark]}s separate thousands" for mark in thousands]
        if decimal == "," and comma.occurs:
            described.append(DECIMAL_COMMA)
        if comma.occurs and not (comma.is_thousands or comma.is_decimal or point.occurs or known):
            described.append("TextFormat(decimal=',') reads them as decimals")
        return _Separators(decimal, tuple(thousands), tuple(described))


@dataclass(frozen=True, slots=True)
class _Role:
    """What a comma or a point must be, by the cells it occurs in."""

    occurs: bool = False
    is_thousands: bool = False
    is_decimal: bool = False

    @staticmethod
    def of(digits: Any, mark: str, other: str) -> _Role:
        import pyarrow.compute as pc

        cells = digits.filter(pc.match_substring(digits, mark).fill_null(False))
        if not len(cells):
            return _Role()
        mark, other = f"[{mark}]", f"[{other}]"
        is_thousands = _any_match(cells, f"{mark}.*{mark}|{mark}.*{other}")
        once = cells.filter(pc.invert(pc.match_substring_regex(cells, f"{mark}.*{mark}|{mark}.*{other}")))
        is_group = pc.match_substring_regex(once, rf"^[1-9]\d{{0,2}}{mark}\d{{3}}$")
        return _Role(True, is_thousands, len(once) > 0 and not pc.all(is_group).as_py())


def _decimal(comma: _Role, point: _Role, known: str | None, *, has_blanks: bool) -> str | None:
    """The mark before decimals; None where the cells contradict each other or what is known."""
    is_comma = comma.is_decimal or point.is_thousands
    is_point = point.is_decimal or comma.is_thousands
    if (is_comma and is_point) or (comma.is_decimal and comma.is_thousands):
        return None
    if point.is_decimal and point.is_thousands:
        return None
    if is_comma or is_point:
        decimal = "," if is_comma else "."
        return decimal if known in (None, decimal) else None
    if known is not None:
        return known
    # One group of three digits: with a point it is a plain number, with a comma hardly ever.
    return "," if comma.occurs and has_blanks else "."


def _numbers(parts: Any, digits: Any, marks: _Separators) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    for mark in marks.thousands:
        digits = pc.replace_substring(digits, mark, "")
    if marks.decimal == ",":
        digits = pc.replace_substring(digits, ",", ".")
    is_negative = _is_there(parts, "open") | _has(parts, "sign", "-") | _has(parts, "inner", "-")
    signs = pc.if_else(pa.array(is_negative), "-", "").cast(pa.large_string())
    return plain_numbers(joined(signs, digits, parts.field("power")), ".")


def _is_there(parts: Any, part: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return numpy_of(pc.not_equal(parts.field(part), "").fill_null(False))


def _has(parts: Any, part: str, value: str) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return numpy_of(pc.equal(parts.field(part), value).fill_null(False))


def _values_of(parts: Any, part: str) -> list[str]:
    import pyarrow.compute as pc

    found: list[str] = pc.unique(parts.field(part)).to_pylist()
    return found


def _any_contains(strings: Any, mark: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(strings, mark)).as_py())


def _any_match(strings: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())
