"""ARFF: text → columns as their attributes declare them. Only an unquoted ? is missing.

Read: nominal, numeric, real, integer, string and (ISO) date attributes; names and values in single or double
quotes with backslash escapes; comments; commas or tabs between values. Refused: sparse rows, relational
attributes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io.cells import TextCells
from bychance.io.frames import Source
from bychance.io.preamble import renamed
from bychance.kinds import Kind
from bychance.names import count_of

__all__ = ["MISSING_IN_ARFF", "from_arff"]

MISSING_IN_ARFF = frozenset({"?"})
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUES = {mark: re.compile(rf"[ ]*({_QUOTED}|[^{mark}]*)\s*?(?:{mark}|$)") for mark in ",\t"}
# An escape is stepped over, so that a quote which nothing closes is looked at once and not at every quote.
_ESCAPE_OR_QUOTED = re.compile(rf"(\\.)|{_QUOTED}")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)$", re.IGNORECASE)
_NOMINAL = re.compile(r"\{(.*)\}\s*(?:%.*)?$")
_DATE = re.compile(rf"date\s*+({_QUOTED}|[^\s%]\S*)?\s*(?:%.*)?$", re.IGNORECASE)
_ISO_DATE = "yyyy-MM-dd"
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LINE_END = re.compile(r"\r\n|\r|\n")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    kind: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rows:
    """The values of all rows, None where missing, and the line of each."""

    values: list[list[str | None]]
    lines: list[int]


def from_arff(text: str, origin: str, missing: frozenset[str]) -> Source:
    """The columns that an ARFF text declares, or an error that names the line.

    >>> text = "@attribute 'eye color' {blue, 'light brown'}\\n@data\\nblue\\n?\\n"
    >>> eyes = from_arff(text, "eyes.arff", MISSING_IN_ARFF).columns["eye color"]
    >>> eyes.labels, eyes.is_missing.tolist()
    (('blue', 'light brown'), [False, True])
    """
    lines = _LINE_END.split(text)
    attributes, start = _header(lines, origin)
    names, notes = renamed([attribute.name for attribute in attributes])
    rows = _rows(lines, start, len(attributes), missing, origin)
    if not rows.values:
        raise BychanceError(f"{origin} has a header and no rows.")
    columns: dict[str, object] = {}
    for name, attribute, values in zip(names, attributes, zip(*rows.values, strict=True), strict=True):
        columns[name] = _column(replace(attribute, name=name), values, rows.lines, origin)
    return Source(columns, origin, notes=notes)


def _header(lines: list[str], origin: str) -> tuple[list[_Attribute], int]:
    attributes: list[_Attribute] = []
    for number, line in enumerate(lines, start=1):
        stripped = line.strip()
        lowered = stripped.lower()
        if lowered.startswith("@attribute"):
            attributes.append(_attribute(stripped, number, origin))
        elif lowered.startswith("@data"):
            if not attributes:
                raise BychanceError(f"{origin} declares no attributes before line {number} (@data).")
            return attributes, number
        elif stripped and not stripped.startswith("%") and not lowered.startswith("@relation"):
            raise BychanceError(
                f"{origin} must have @attribute, @data or a comment in line {number}, got {_cut(stripped)!r}."
            )
    raise BychanceError(f"{origin} must have a line @data, got none.")


def _attribute(line: str, number: int, origin: str) -> _Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise BychanceError(f"{origin} must declare a name and a type in line {number}, got {_cut(line)!r}.")
    name, declared = _unquoted(match[1]), match[2].strip()
    if declared.startswith("{"):
        nominal = _NOMINAL.match(declared)
        if nominal is None:
            raise BychanceError(f"{origin} must close the braces of {name!r} in line {number}.")
        labels = [_unquoted(value) for value in _split(nominal[1])]
        return _Attribute(name, "nominal", tuple(dict.fromkeys(labels)))
    kind = declared.split()[0].lower()
    if kind in ("numeric", "real", "integer"):
        return _Attribute(name, "numeric")
    if kind == "string":
        return _Attribute(name, "string")
    date = _DATE.match(declared)
    if date is not None:
        form = _unquoted(date[1] or _ISO_DATE)
        if not form.startswith(_ISO_DATE):
            raise BychanceError(
                f"{origin} must declare dates as {_ISO_DATE}, with or without a time, in line {number}, "
                f"got {form!r}."
            )
        return _Attribute(name, "date")
    raise BychanceError(
        f"{origin} must declare numeric, real, integer, string, date or {{…}} in line {number}, got {kind!r}."
    )


def _rows(lines: list[str], start: int, n_columns: int, missing: frozenset[str], origin: str) -> _Rows:
    rows = _Rows([], [])
    for number, line in enumerate(lines[start:], start=start + 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        if stripped.startswith("{"):
            raise BychanceError(f"{origin} has sparse rows ({{…}}, line {number}), which are not read.")
        values = _split(stripped)
        if len(values) != n_columns:
            raise BychanceError(
                f"{origin} declares {count_of(n_columns, 'attribute')}, "
                f"got {count_of(len(values), 'value')} in line {number}."
            )
        rows.values.append([None if v in missing else _unquoted(v) for v in values])
        rows.lines.append(number)
    return rows


def _split(line: str) -> list[str]:
    """The values between commas, or between tabs where there are none; quotes are kept: '?' is not ?."""
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split("," if "," in line else "\t")]
    mark = "," if "," in _ESCAPE_OR_QUOTED.sub(r"\1", line) else "\t"
    values, position = [], 0
    while True:
        match = _VALUES[mark].match(line, position)
        # A value may always be taken up to the next mark, so there is a match wherever one starts.
        assert match is not None
        values.append(match[1].strip())
        if match.end() == len(line) and not match[0].endswith(mark):
            return values
        position = match.end()


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] not in "'\"" or value[-1] != value[0]:
        return value
    inner = value[1:-1]
    return _ESCAPE.sub(_escaped, inner) if "\\" in inner else inner


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def _column(attribute: _Attribute, values: Sequence[str | None], lines: list[int], origin: str) -> object:
    if attribute.kind == "nominal":
        return _nominal(attribute, values, lines, origin)
    if attribute.kind == "string":
        import pyarrow as pa

        # What is missing is null already, and NA is a string like any other.
        return TextCells(pa.array(values, pa.large_string()), missing=frozenset(), is_declared=True)
    convert = float if attribute.kind == "numeric" else _seconds
    numbers = np.full(len(values), np.nan)
    for row, value in enumerate(values):
        if value is None:
            continue
        try:
            numbers[row] = convert(value)
        except ValueError:
            raise BychanceError(
                f"{origin} declares {attribute.name!r} as {attribute.kind}, "
                f"got {_cut(value)!r} in line {lines[row]}."
            ) from None
    if attribute.kind == "numeric" and np.nanmax(np.abs(numbers), initial=0) > 2**53:
        # Floats may run neighbors together.
        return [None if value is None else _exact(value) for value in values]
    return numbers


def _seconds(date: str) -> float:
    """The date in seconds; without a zone it is taken as UTC."""
    moment = datetime.fromisoformat(date)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _exact(number: str) -> int | float:
    try:
        return int(number)
    except ValueError:
        return float(number)


def _nominal(attribute: _Attribute, values: Sequence[str | None], lines: list[int], origin: str) -> Column:
    """Codes into the categories as declared, those that never occur among them."""
    codes: dict[str | None, int] = {label: code for code, label in enumerate(attribute.labels)}
    codes[None] = -1
    try:
        coded = np.array([codes[value] for value in values], dtype=np.int32)
    except KeyError as error:
        value = error.args[0]
        raise BychanceError(
            f"{origin} does not declare {_cut(value)!r} as a value of {attribute.name!r} "
            f"(line {lines[values.index(value)]})."
        ) from None
    is_missing = coded < 0
    if is_missing.all():
        return Column(attribute.name, Kind.NUMERIC, np.full(len(values), np.nan), is_missing)
    return Column(
        attribute.name,
        Kind.CATEGORICAL,
        np.maximum(coded, 0),
        is_missing if is_missing.any() else None,
        attribute.labels,
    )


def _cut(value: str, width: int = 60) -> str:
    return value if len(value) <= width else value[: width - 1] + "…"
