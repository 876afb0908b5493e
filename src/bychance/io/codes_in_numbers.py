"""Codes that look like numbers: padded with zeros (02139), very long, or with an E in the middle (1E2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bychance.messages import Code, Option, Remark, remark

__all__ = ["Codes", "codes_in_numbers"]

FEWEST_DIGITS = 3  # of a code: 01 to 12 are months as often
_FEW_VALUES = 16


@dataclass(frozen=True, slots=True)
class Codes:
    """What to say of a column of plain numbers, and whether it stays as it is written."""

    note: Remark
    are_codes: bool = True


def codes_in_numbers(strings: Any, numbers: Any, name: str) -> Codes | None:
    """What to say of cells that Arrow reads as these numbers; None where nothing speaks for codes.

    >>> import pyarrow as pa
    >>> codes_in_numbers(pa.array(["007", "042"]), pa.array([7, 42]), "id").are_codes
    True
    >>> print(codes_in_numbers(pa.array(["1E2", "2E5"]), pa.array([100.0, 2e5]), "room").note)
    codes such as '1E2', kept as categories; numeric=['room'] reads numbers
    """
    import pyarrow.types as types

    if types.is_integer(numbers.type) and not types.is_uint64(numbers.type):
        return _padded(strings, name)
    return _long(strings, name) or _with_e(strings, name)


def _padded(strings: Any, name: str) -> Codes | None:
    """Whole numbers of which some begin with 0: categories where all have as many digits, three or more."""
    import pyarrow.compute as pc

    padded = strings.filter(pc.starts_with(strings, "0"))
    if not len(padded) or pc.max(pc.utf8_length(padded)).as_py() < 2:
        return None
    lengths = pc.min_max(pc.utf8_length(strings)).as_py()
    if lengths["min"] == lengths["max"] >= FEWEST_DIGITS:
        return Codes(remark(Code.CODES_PADDED, option=Option("numeric", (name,))))
    kept = Option("categorical", (name,))
    return Codes(remark(Code.NUMBERS_PADDED, option=kept), are_codes=False)


def _long(strings: Any, name: str) -> Codes | None:
    """Whole numbers of which some have 20 digits or more, as payments have them, are no amounts."""
    import pyarrow.compute as pc

    if not _all_match(strings, "^[0-9]+$"):
        return None
    if not pc.any(pc.match_substring_regex(strings, "^[1-9][0-9]{19}")).as_py():
        return None
    return Codes(remark(Code.CODES_LONG, option=Option("numeric", (name,))))


def _with_e(strings: Any, name: str) -> Codes | None:
    """Digits, E and digits in all cells, no point and no sign: rooms and products, hardly powers of ten."""
    import pyarrow.compute as pc

    if not _all_match(strings, r"^\s*[0-9]+E[0-9]+\s*$"):
        return None
    first = pc.drop_null(strings)[0].as_py().strip()
    return Codes(remark(Code.CODES_WITH_E, cell=first, option=Option("numeric", (name,))))


def _all_match(strings: Any, pattern: str) -> bool:
    """Whether all cells do, of which there are some; the first few tell in most columns."""
    import pyarrow.compute as pc

    start = pc.drop_null(strings).slice(0, _FEW_VALUES)
    return bool(len(start)) and all(
        pc.all(pc.match_substring_regex(cells, pattern)).as_py() for cells in (start, strings)
    )
