"""Reader of ARFF files, with columns typed as declared. Only an unquoted ? is missing.

Read: nominal, numeric, real, integer, string and (ISO) date attributes; names and values in single or double
quotes with backslash escapes; comments; commas or tabs between values. Refused: sparse rows, relational
attributes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bychance.arrow_values import numpy_of, strings_of
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io.cells import TextCells
from bychance.io.dates import read_iso_dates
from bychance.io.dialect import LINE_END
from bychance.io.frames import Source
from bychance.io.numbers import plain_numbers
from bychance.io.preamble import renamed
from bychance.kinds import Kind
from bychance.names import count_of, shown

__all__ = ["MISSING_IN_ARFF", "from_arff"]

MISSING_IN_ARFF = frozenset({"?"})
_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_VALUES = {mark: re.compile(rf"[ ]*({_QUOTED}|[^{mark}]*)\s*?(?:{mark}|$)") for mark in ",\t"}
# An escape is stepped over, so that a quote which nothing closes is looked at once and not at every quote.
_ESCAPE_OR_QUOTED = re.compile(rf"(\\.)|{_QUOTED}")
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)$", re.IGNORECASE)
_NOMINAL = re.compile(r"\{(.*)\}\s*(?:%.*)?$")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC, _DATE, _STRING = "numeric", "date", "string"
_KINDS = {_NUMERIC: _NUMERIC, "real": _NUMERIC, "integer": _NUMERIC, _STRING: _STRING, _DATE: _DATE}


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    kind: str
    labels: tuple[str, ...] = ()


def from_arff(text: str, origin: str, missing: frozenset[str]) -> Source:
    """Return the columns that ARFF text declares, or raise an error that names the line.

    >>> text = "@attribute 'eye color' {blue, 'light brown'}\\n@data\\nblue\\n?\\n"
    >>> eyes = from_arff(text, "eyes.arff", MISSING_IN_ARFF).columns["eye color"]
    >>> eyes.labels, eyes.is_missing.tolist()
    (('blue', 'light brown'), [False, True])
    """
    lines = LINE_END.split(text)
    attributes, start = _header(lines, origin)
    names, notes = renamed([attribute.name for attribute in attributes])
    rows = _rows(lines, start, len(attributes), missing, origin)
    if not rows:
        raise BychanceError(f"{origin} has a header and no rows.")
    columns: dict[str, object] = {}
    for name, attribute, values in zip(names, attributes, zip(*rows.values(), strict=True), strict=True):
        column = _column(attribute, name, values)
        if column is None:
            _raise_undeclared(attribute, name, values, list(rows), origin)
        columns[name] = column
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
                f"{origin} must have @attribute, @data or a comment in line {number}, got {shown(stripped)}."
            )
    raise BychanceError(f"{origin} must have a line @data, got none.")


def _attribute(line: str, number: int, origin: str) -> _Attribute:
    match = _ATTRIBUTE.match(line)
    if match is None:
        raise BychanceError(f"{origin} must declare a name and a type in line {number}, got {shown(line)}.")
    name, declared = _unquoted(match[1]), match[2].strip()
    if declared.startswith("{"):
        nominal = _NOMINAL.match(declared)
        if nominal is None:
            raise BychanceError(f"{origin} must close the braces of {name!r} in line {number}.")
        labels = [_unquoted(value) for value in _split(nominal[1])]
        return _Attribute(name, "nominal", tuple(dict.fromkeys(labels)))
    kind = declared.split()[0].lower()
    if kind not in _KINDS:
        raise BychanceError(
            f"{origin} must declare {', '.join(_KINDS)} or {{…}} in line {number}, got {kind!r}."
        )
    return _Attribute(name, _KINDS[kind])


def _rows(
    lines: list[str], start: int, n_columns: int, missing: frozenset[str], origin: str
) -> dict[int, list[str | None]]:
    """Return the values of each row by line number, None for missing values."""
    rows: dict[int, list[str | None]] = {}
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
        rows[number] = [None if v in missing else _unquoted(v) for v in values]
    return rows


def _split(line: str) -> list[str]:
    """Split a line at commas (or at tabs if it has none), keeping quotes around values."""
    if "'" not in line and '"' not in line:
        return [value.strip() for value in line.split("," if "," in line else "\t")]
    mark = "," if "," in _ESCAPE_OR_QUOTED.sub(r"\1", line) else "\t"
    values = [match[1].strip() for match in _VALUES[mark].finditer(line)]
    # Behind the last value, and behind a mark that ends the line, nothing matches once more.
    return values if line.endswith(mark) else values[:-1]


def _unquoted(value: str) -> str:
    if len(value) < 2 or value[0] not in "'\"" or value[-1] != value[0]:
        return value
    return _ESCAPE.sub(_escaped, value[1:-1])


def _escaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def _column(attribute: _Attribute, name: str, values: Sequence[str | None]) -> object:
    """Convert text values to the attribute's declared type, or return None if one does not fit."""
    import pyarrow as pa
    import pyarrow.compute as pc

    strings = pa.array(values, pa.large_string())
    if attribute.kind == _STRING:
        # What is missing is null already, and NA is a string like any other.
        return TextCells(strings, missing=frozenset(), is_declared=True)
    if strings.null_count == len(strings):
        return np.full(len(values), np.nan)
    if attribute.kind == _NUMERIC:
        return plain_numbers(strings, None)
    if attribute.kind == _DATE:
        dates = read_iso_dates(strings)
        return None if dates is None else dates.values
    # Categories as declared, those that never occur among them.
    codes = pc.index_in(strings, value_set=strings_of(attribute.labels))
    is_missing = None if not strings.null_count else numpy_of(strings.is_null())
    if codes.null_count > strings.null_count:
        return None
    return Column(name, Kind.CATEGORICAL, numpy_of(pc.fill_null(codes, 0)), is_missing, attribute.labels)


def _raise_undeclared(
    attribute: _Attribute, name: str, values: Sequence[str | None], lines: list[int], origin: str
) -> Any:
    """Raise the error for the first value that does not fit its attribute's declared type."""
    for value, line in zip(values, lines, strict=True):
        if value is not None and _column(attribute, name, [value]) is None:
            kind = "an ISO date" if attribute.kind == _DATE else attribute.kind
            raise BychanceError(f"{origin} declares {name!r} as {kind}, got {shown(value)} in line {line}.")
    raise BychanceError(f"{origin} declares {name!r} as {attribute.kind}, got values of several forms.")
