"""Reader of JSON: records, columns by name, or records nested in an object."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from bychance.errors import BychanceError
from bychance.io.cells import as_cells, type_of
from bychance.io.frames import Source
from bychance.messages import Code, Note
from bychance.names import shown

__all__ = ["from_json"]

_AS_ROWS = 'give a list of records [{…}, {…}], one record per line, or lists by name {"x": […], "y": […]}'
_DOT, _DEEPEST_FIELD, _DEEPEST_RECORDS, _LISTED = ".", 5, 2, 3  # levels searched, and names listed (taste)

_Records = tuple[list[Any], tuple[Note, ...]]


def from_json(text: str, origin: str) -> Source:
    """Return the columns of JSON text, with None for fields that a record lacks.

    >>> from_json('{"a": 1}\\n{"a": 2, "b": 0.5}', "t.jsonl").columns
    {'a': [1, 2], 'b': [None, 0.5]}
    """
    whole = _whole(text)
    if (found := _found(whole, origin)) is not None:
        records, notes = found
    elif isinstance(whole, dict) and whole and all(isinstance(values, list) for values in whole.values()):
        return Source({str(name): as_cells(values) for name, values in whole.items()}, origin)
    elif isinstance(whole, dict) and "\n" in text.strip():
        raise BychanceError(f"{origin} holds one object and no rows; {_AS_ROWS}.")
    else:
        records, notes = _lines(text, origin), ()
    if not records:
        raise BychanceError(f"{origin} has no rows.")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise BychanceError(
                f"{origin} must hold records {{…}}, got {str(record)[:40]!r} as number {number}; {_AS_ROWS}."
            )
    flat = [_flat(record) for record in records]
    columns = {name: [record.get(name) for record in flat] for name in _names(flat)}
    own = set(_names(records))
    made = tuple(name for name in columns if name not in own)
    # A record in some rows may be nothing in others, which is no column.
    empty = [
        name
        for name, values in columns.items()
        if not any(values) and any(other.startswith(f"{name}{_DOT}") for other in made)
    ]
    if made:
        notes = (*notes, Note.on_table(Code.RECORDS_FLATTENED, names=made))
    return Source(
        {k: as_cells(values) for k, values in columns.items() if k not in empty}, origin, notes=notes
    )


def _whole(text: str) -> Any:
    """Parse the complete text as one JSON value, or return None if it is not one."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(text: str, origin: str) -> list[Any]:
    records = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "it is nested too deeply")
            raise BychanceError(f"{origin} must hold JSON in line {number}: {reason}.") from None
    return records


def _names(records: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _flat(record: dict[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """Return a record with nested objects turned into fields with dotted names. Lists are kept.

    >>> _flat({"id": 1, "user": {"age": 30, "home": {"zip": "02139"}}})
    {'id': 1, 'user.age': 30, 'user.home.zip': '02139'}
    """
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value and depth < _DEEPEST_FIELD:
            flat |= _flat(value, f"{before}{name}{_DOT}", depth + 1)
        else:
            flat[f"{before}{name}"] = value
    return flat


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(own, dict) for own in value)


def _found(whole: Any, origin: str) -> _Records | None:
    """Return the records nested in a list or object, or None if it is a record or columns itself.

    >>> _found([["NAME", "POP"], ["Utah", 3], ["Ohio", 12]], "t.json")[0]
    [{'NAME': 'Utah', 'POP': 3}, {'NAME': 'Ohio', 'POP': 12}]
    >>> _found({"0": {"x": 1, "g": "a"}, "1": {"x": 2, "g": "b"}}, "t.json")[0]
    [{'x': 1, 'g': 'a'}, {'x': 2, 'g': 'b'}]
    >>> _found({"meta": {"n": 2}, "data": [{"x": 1}, {"x": 2}]}, "t.json")[1][0].text
    "The rows are the records in 'data'; what stands beside them ('meta') was left out."
    """
    if isinstance(whole, list):
        parts = {f"part {number}": own for number, own in enumerate(whole, start=1)}
        names, rows, found = whole[:1], whole[1:], _beside_others(parts, origin, depth=1)
        names = names[0] if names and isinstance(names[0], list) else []
        if found is None and all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            found = _as_records(names, rows)
        return found or (whole, ())
    if not isinstance(whole, dict):
        return None
    # As pandas writes frames with orient="split".
    is_split = {"columns", "data"} <= set(whole) <= {"columns", "data", "index"}
    found = _as_records(whole["columns"], whole["data"]) if is_split else None
    return found or _by_name(whole, origin) or _beside_others(whole, origin, _DEEPEST_RECORDS)


def _as_records(names: Any, rows: Any) -> _Records | None:
    """Convert lists of values to records with these names, or return None if lengths differ."""
    if not (isinstance(names, list) and names and isinstance(rows, list) and rows):
        return None
    if not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return [dict(zip(map(str, names), row, strict=True)) for row in rows], ()


def _by_name(whole: dict[str, Any], origin: str) -> _Records | None:
    """Return the records of an object of objects, keyed by row or by column as pandas writes them.

    Rows are numbered, or each field is of one type and the records are not; columns are the other way round.
    """
    inner = list(whole.values())
    if len(inner) < 2 or not all(isinstance(own, dict) and own for own in inner):
        return None
    if not set.intersection(*map(set, inner)) or any(
        isinstance(value, dict | list) for own in inner for value in own.values()
    ):
        return None
    by_field = {field: {name: own.get(field) for name, own in whole.items()} for field in _names(inner)}
    are_rows, are_columns = (all(map(str.isdecimal, names)) for names in (whole, by_field))
    if are_rows == are_columns and not are_rows:
        are_rows, are_columns = _are_of_one_type(by_field), _are_of_one_type(whole)
    if are_rows == are_columns:
        raise BychanceError(
            f"{origin} holds an object of objects, and nothing tells whether {_some(whole)} are rows or "
            "columns; give a list of records: [{…}, {…}]."
        )
    rows = whole if are_rows else by_field
    if all(map(str.isdecimal, rows)):
        return list(rows.values()), ()
    return [{"index": name, **row} for name, row in rows.items()], ()


def _are_of_one_type(groups: Mapping[str, dict[str, Any]]) -> bool:
    """Return True if each group of values has a single type: number, string or boolean."""
    return all(len({type_of(value) for value in own.values()} - {type(None)}) <= 1 for own in groups.values())


def _beside_others(whole: dict[str, Any], origin: str, depth: int) -> _Records | None:
    """Return the only list of records in an object's fields or one level below, or None."""
    lists = [own for own in whole.values() if isinstance(own, list)]
    if len(set(map(len, lists))) == 1 and not all(map(_are_records, lists)):
        return None  # columns, some of them nested
    found: dict[tuple[str, ...], Any] = {(name,): own for name, own in whole.items()}
    for _ in range(depth):
        records = {path: own for path, own in found.items() if _are_records(own)}
        if len(records) > 1:
            named = [".".join(path) for path in records]
            raise BychanceError(f"{origin} holds several lists of records: {_some(named)}; give one of them.")
        if records:
            ((path, rows),) = records.items()
            left = tuple(name for name in whole if name != path[0])
            return rows, (Note.on_table(Code.RECORDS_FOUND, place=".".join(path), fields=left),)
        found = {
            (*path, name): own
            for path, fields in found.items()
            if isinstance(fields, dict)
            for name, own in fields.items()
        }
    return None


def _some(names: Iterable[Any]) -> str:
    listed = [shown(name) for name in names]
    return ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
