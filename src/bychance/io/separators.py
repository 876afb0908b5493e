"""Points, commas, spaces and apostrophes between digits: what they separate, decided for a whole column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bychance.messages import Code, Option, Remark, remark

__all__ = ["DECIMAL_COMMA", "Separators", "groups_thousands", "may_group"]

DECIMAL_COMMA = remark(Code.DECIMAL_COMMA)
_START = 1000
_MARKS = {",": "comma", ".": "point", " ": "space", "'": "apostrophe"}
_OPEN_POINTS = remark(Code.MAY_BE_THOUSANDS, option=Option("decimal", ","))
# In these 1.234 is more than a thousand: hardly a price has three decimals.
_POINTED = frozenset({"€", "EUR", "R$", "BRL", "₺", "TRY", "₫", "VND", "IDR", "DKK", "ARS", "CLP", "COP"})


@dataclass(frozen=True, slots=True)
class Separators:
    """What comes before decimals, what stands between thousands, and how that is said."""

    decimal: str = "."
    thousands: tuple[str, ...] = ()
    described: tuple[Remark, ...] = ()
    problem: Remark | None = None

    @staticmethod
    def of(digits: Any, known: str | None, units: tuple[str, ...]) -> Separators:
        """What the digits of a column say, in these units, with the decimal mark where that is known.

        >>> from bychance.arrow_values import strings_of
        >>> print(*Separators.of(strings_of(["1.107,51", "3,00"]), None, ("€",)).described, sep="; ")
        points separate thousands; the decimal mark is a comma
        """
        blanks = [mark for mark in " '" if _any_contains(digits, mark)]
        comma, point = (_Role.of(digits, mark) for mark in ",.")
        is_open = not (comma.is_told or point.is_told or known)
        are_points_groups: bool | None = False
        if is_open and point.occurs and not comma.occurs:
            are_points_groups = bool(_POINTED.intersection(units)) or groups_thousands(digits, ".")
            known = "," if are_points_groups else None
        decimal = _decimal(comma, point, known, has_blanks=bool(blanks))
        if decimal is None or len(blanks) > 1:
            return Separators(problem=remark(Code.SEPARATORS_DIFFER))
        thousands = [
            *blanks,
            *(m for m, role in ((",", comma), (".", point)) if role.occurs and m != decimal),
        ]
        described = [remark(Code.THOUSANDS, mark=_MARKS[mark]) for mark in thousands]
        if decimal == "," and comma.occurs:
            described.append(DECIMAL_COMMA)
        if is_open and thousands in ([","], ["."]):
            described.append(remark(Code.MAY_BE_DECIMALS, option=Option("decimal", thousands[0])))
        if are_points_groups is None:
            described.append(_OPEN_POINTS)
        return Separators(decimal, tuple(thousands), tuple(described))


def may_group(digits: Any, mark: str) -> bool:
    """Whether all numbers that have the mark have three digits behind it, as thousands do.

    >>> from bychance.arrow_values import strings_of
    >>> may_group(strings_of(["1.234", "7"]), "."), may_group(strings_of(["1.234", "0.5"]), ".")
    (True, False)
    """
    import pyarrow.compute as pc

    # Numbers of which all digits are written end this soon.
    if len(digits) > _START and not may_group(digits.slice(0, _START), mark):
        return False
    cells = digits.filter(pc.match_substring(digits, mark))
    is_group = pc.match_substring_regex(cells, f"^[+-]?[1-9][0-9]?[0-9]?[{mark}][0-9][0-9][0-9]$")
    return bool(pc.all(is_group).as_py())


def groups_thousands(digits: Any, mark: str) -> bool | None:
    """Whether whole numbers below 1,000 tell that the mark separates thousands; None where it stays open.

    Beside 1.250 stands no 1100, and 980 rather than 0.980. Most of the whole numbers have three digits, as
    those just below 1,000 have, and most numbers with the mark fewer before it: otherwise 104 may be as
    large as 103.851, or 2 as 1.250. Neither 0 nor 999, which may stand for a missing value, tells anything.

    >>> from bychance.arrow_values import strings_of
    >>> columns = ["1.250", "980"], ["1.250", "2"], ["1.250", "2", "0.875"], ["1.250", "980", "1100"]
    >>> [groups_thousands(strings_of(column), ".") for column in columns]
    [True, None, False, False]
    """
    import pyarrow.compute as pc

    if not may_group(digits, mark):
        return False
    distinct = pc.drop_null(pc.unique(digits))
    has_mark = pc.match_substring(distinct, mark)
    marked, whole = distinct.filter(has_mark), distinct.filter(pc.invert(has_mark))
    whole = whole.filter(pc.invert(pc.match_substring_regex(whole, "^[+-]?(0|99+)$")))
    if not len(marked) or not len(whole):
        return False
    if _share(whole, "^[+-]?[1-9][0-9]?[0-9]?$") < 1:
        return False
    is_told = _share(whole, "[0-9]{3}$") > 0.5 and _share(marked, f"[0-9]{{3}}[{mark}]") < 0.5
    return True if is_told else None


@dataclass(frozen=True, slots=True)
class _Role:
    """What a comma or a point must be, by the cells it occurs in."""

    occurs: bool = False
    is_thousands: bool = False
    is_decimal: bool = False

    @property
    def is_told(self) -> bool:
        return self.is_thousands or self.is_decimal

    @staticmethod
    def of(digits: Any, mark: str) -> _Role:
        import pyarrow.compute as pc

        cells = digits.filter(pc.match_substring(digits, mark))
        if not len(cells):
            return _Role()
        is_thousands = pc.match_substring_regex(cells, f"[{mark}][0-9]+[.,]")
        once = cells.filter(pc.invert(is_thousands))
        return _Role(True, len(once) < len(cells), len(once) > 0 and not may_group(once, mark))


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


def _any_contains(strings: Any, mark: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring(strings, mark)).as_py())


def _share(strings: Any, pattern: str) -> float:
    import pyarrow.compute as pc

    return float(pc.mean(pc.match_substring_regex(strings, pattern)).as_py())
