"""Cells of text → numbers, dates, booleans or labels: what the values of a column say that it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bychance.arrow_values import null_mask, numpy_of, strings_of
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.names import count_of, display_name

__all__ = ["DASH", "MISSING_IN_TEXT", "TextCells", "find_decimal", "remark_on_numbers", "typed_cells"]

MISSING_IN_TEXT = frozenset({"", "NA", "N/A", "NaN", "nan", "?", "null", "NULL", "None"})
# Missing only where all other values are numbers: as a label it may mean "none" or "negative".
DASH = "-"
MIXED_SHARE = 0.9
REMARKABLE_SHARE = 0.2
MIXED_NUMBERS = 20
SAMPLE_VALUES = 1000
_NUMBER = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"


@dataclass(frozen=True, slots=True, eq=False)
class TextCells:
    """A column as a text file has it: an Arrow array of strings, and the mark that its decimals have.

    `first_line` is the line of the first value, where each of the others is one line below the one before.
    """

    values: Any
    decimal: str = "."
    first_line: int | None = None

    def place(self, row: int) -> str:
        """Where a value stands, in words."""
        if self.first_line is None:
            return f"at row {row} (counting from 0)"
        return f"in line {self.first_line + row}"


def typed_cells(
    cells: TextCells, name: str, kind: Kind | None, missing: frozenset[str], *, has_dash: bool
) -> Any:
    """The cells as an Arrow array of the first type that all present ones are of, or an error.

    The types are tried in this order: numbers, ISO dates (with or without time and zone), booleans (true
    and false in any case), labels. Blanks around a cell count for labels only. A cell that is in `missing`
    is null. A column of labels of which at least 90 %, and more than 20 distinct ones, are numbers is
    refused as mixed: the rest are missing marks or slips, which only the caller can tell apart.
    """
    values = _combined(cells.values)
    exact = _null_where(values, values, missing)
    if kind is not Kind.CATEGORICAL:
        numbers = _numbers(exact, cells.decimal)
        if numbers is not None:
            return _finite(numbers, cells, name)
    stripped = _stripped(exact)
    labels = _null_where(exact, stripped, missing)
    stripped = _null_where(stripped, stripped, missing)
    if kind is Kind.CATEGORICAL:
        return labels
    return _finite(_from_stripped(stripped, labels, name, kind, cells, has_dash), cells, name)


def remark_on_numbers(column: Column, decimal: str = ".") -> str | None:
    """What there is to say about labels of which at least 20 %, and more than 20 distinct ones, are numbers.

    >>> from bychance.columns import read_column
    >>> cells = [str(k) for k in range(30)] + ["low", "high"] * 10
    >>> remark_on_numbers(read_column(cells, "dose"))
    'labels, though 30 of 50 values are numbers; missing=[…] says which of the others are missing values'
    """
    if column.kind is Kind.NUMERIC or len(column.labels) <= MIXED_NUMBERS:
        return None
    is_number = numpy_of(_is_number(strings_of(map(str, column.labels)), decimal))
    present = column.present
    counts = np.bincount(present, minlength=len(is_number))
    n_numbers, n_distinct = int(counts[is_number].sum()), np.count_nonzero(counts[is_number])
    if n_distinct <= MIXED_NUMBERS or n_numbers < REMARKABLE_SHARE * len(present):
        return None
    return (
        f"labels, though {n_numbers:,} of {len(present):,} values are numbers; "
        "missing=[…] says which of the others are missing values"
    )


def find_decimal(columns: Sequence[Any], missing: frozenset[str]) -> str:
    """The decimal mark of a file whose delimiter is no comma, by the first 1,000 values of each column.

    >>> import pyarrow as pa
    >>> find_decimal([pa.array(["1,5", "2,25"]), pa.array(["a", "b"])], MISSING_IN_TEXT)
    ','
    """
    import pyarrow.compute as pc

    has_commas = False
    for column in columns:
        start = _combined(column.slice(0, SAMPLE_VALUES))
        values = _stripped(start)
        values = pc.drop_null(_null_where(values, values, missing | {DASH}))
        if not len(values):
            continue
        if _numbers(values, ".") is not None:
            if pc.any(pc.match_substring(values, ".")).as_py():
                return "."
        elif _numbers(values, ",") is not None:
            has_commas = True
    return "," if has_commas else "."


def _from_stripped(
    stripped: Any, labels: Any, name: str, kind: Kind | None, cells: TextCells, has_dash: bool
) -> Any:
    decimal = cells.decimal
    numbers = _numbers(stripped, decimal)
    if numbers is None and has_dash:
        without_dash = _null_where(stripped, stripped, frozenset({DASH}))
        # A column of nothing but dashes is not otherwise numeric.
        if without_dash.null_count < len(without_dash):
            numbers = _numbers(without_dash, decimal)
    if numbers is not None:
        return numbers
    dates = _dates(stripped)
    if dates is not None:
        return dates
    booleans = _booleans(stripped)
    if booleans is not None:
        return booleans
    if kind is Kind.NUMERIC:
        rule = "`numeric` must name columns of numbers"
        raise BychanceError(_what_is_no_number(stripped, cells, name, rule, "; give missing=[…]"), "numeric")
    if _is_mixed(stripped, decimal):
        rule = "A column must hold numbers or labels, not both"
        hint = f"; give missing=[…] or categorical=[{name!r}]"
        raise BychanceError(_what_is_no_number(stripped, cells, name, rule, hint))
    return labels


def _finite(values: Any, cells: TextCells, name: str) -> Any:
    """The values, or an error where a number is infinite."""
    import pyarrow.types as types

    if not types.is_floating(values.type):
        return values
    numbers = numpy_of(values)
    infinite = np.flatnonzero(np.isinf(numbers) & ~null_mask(values))
    if len(infinite):
        row = int(infinite[0])
        raise BychanceError(f"`{display_name(name)}` must be finite, got {numbers[row]} {cells.place(row)}.")
    return values


def _numbers(strings: Any, decimal: str) -> Any:
    """The strings as integers or floats; None where one is no number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if decimal == ",":
        if pc.any(pc.match_substring(strings, ".")).as_py():
            return None
        strings = pc.replace_substring(strings, ",", ".")
    floats = _cast(strings, pa.float64())
    if floats is None:
        return None
    # Beyond 2**53 floats would run neighbors together.
    for integer in (pa.int64(), pa.uint64()):
        integers = _cast(strings, integer)
        if integers is not None:
            return integers
    return floats


def _dates(strings: Any) -> Any:
    import pyarrow as pa

    local = _cast(strings, pa.timestamp("us"))
    return _cast(strings, pa.timestamp("us", "UTC")) if local is None else local


def _cast(strings: Any, arrow_type: Any) -> Any:
    """The strings as this type; None where one is not of it."""
    import pyarrow as pa

    try:
        # Arrow goes on after the first failure, through a million others; a few values tell as much.
        strings.slice(0, SAMPLE_VALUES).cast(arrow_type)
        return strings.cast(arrow_type)
    except pa.ArrowInvalid:
        return None


def _booleans(strings: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    start = pc.utf8_lower(pc.drop_null(strings).slice(0, SAMPLE_VALUES))
    if not set(pc.unique(start).to_pylist()) <= {"true", "false"}:
        return None
    return _cast(strings, pa.bool_())


def _is_mixed(strings: Any, decimal: str) -> bool:
    import pyarrow.compute as pc

    present = pc.drop_null(strings)
    is_number = _is_number(present, decimal)
    n_numbers = pc.sum(is_number).as_py() or 0
    if n_numbers < MIXED_SHARE * len(present):
        return False
    return bool(pc.count_distinct(present.filter(is_number)).as_py() > MIXED_NUMBERS)


def _is_number(strings: Any, decimal: str) -> Any:
    import pyarrow.compute as pc

    return pc.match_substring_regex(strings, _NUMBER.replace(r"\.", decimal if decimal == "," else r"\."))


def _what_is_no_number(strings: Any, cells: TextCells, name: str, rule: str, hint: str) -> str:
    odd_rows = np.flatnonzero(~numpy_of(_is_number(strings, cells.decimal)) & ~null_mask(strings))
    row, n_odd = int(odd_rows[0]), len(odd_rows)
    more = f" and in {count_of(n_odd - 1, 'other row')}" if n_odd > 1 else ""
    value = strings[row].as_py()
    shown = value if len(value) <= 40 else value[:39] + "…"
    return f"{rule}, got {shown!r} in {name!r} {cells.place(row)}{more}{hint}."


def _stripped(strings: Any) -> Any:
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(strings)


def _null_where(values: Any, compared: Any, missing: frozenset[str]) -> Any:
    """The values, null where what is compared is one of the missing marks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_missing = pc.is_in(compared, value_set=strings_of(sorted(missing)))
    if not pc.any(is_missing).as_py():
        return values
    return pc.if_else(is_missing, pa.nulls(1, values.type)[0], values)


def _combined(values: Any) -> Any:
    import pyarrow as pa

    values = values.cast(pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
