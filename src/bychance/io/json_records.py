"""JSON: one record per line, a list of records, an object of lists or of records → named columns."""

from __future__ import annotations

import json
from typing import Any

from bychance.errors import BychanceError
from bychance.io.cells import TextCells, as_text
from bychance.io.frames import Source
from bychance.io.json_layouts import listed_records_in, records_in
from bychance.messages import Code, Note

__all__ = ["JSON", "from_json"]

JSON = frozenset({".jsonl", ".ndjson", ".json"})
_AS_ROWS = 'give a list of records [{…}, {…}], one record per line, or lists by name {"x": […], "y": […]}'
_DOT, _DEEPEST = ".", 5


def from_json(text: str, origin: str) -> Source:
    """The columns of JSON text; a record without a name has nothing there.

    >>> from_json('{"a": 1}\\n{"a": 2, "b": 0.5}', "t.jsonl").columns
    {'a': [1, 2], 'b': [None, 0.5]}
    """
    if not text.strip():
        raise BychanceError(f"{origin} is empty.")
    whole = _whole(text)
    found = records_in(whole, origin) if isinstance(whole, dict) else None
    if isinstance(whole, list):
        found = listed_records_in(whole)
    if found is not None:
        whole = found.rows
    elif isinstance(whole, dict) and whole and all(isinstance(values, list) for values in whole.values()):
        return Source({str(name): _cells(values) for name, values in whole.items()}, origin)
    elif isinstance(whole, dict) and "\n" in text.strip():
        raise BychanceError(f"{origin} holds one object and no rows; {_AS_ROWS}.")
    records = whole if isinstance(whole, list) else _lines(text, origin)
    if not records:
        raise BychanceError(f"{origin} has no rows.")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise BychanceError(
                f"{origin} must hold records {{…}}, got {str(record)[:40]!r} as number {number}; {_AS_ROWS}."
            )
    flat = [_flat(record) for record in records]
    columns = {name: [record.get(name) for record in flat] for name in _names(flat)}
    made = [name for name in columns if name not in set(_names(records))]
    # Where some have a record, others may have nothing, which is no column.
    empty = [name for name, values in columns.items() if not any(values) and _has_fields(name, made)]
    return Source(
        {name: _cells(values) for name, values in columns.items() if name not in empty},
        origin,
        notes=(*(found.notes if found else ()), *_note_on_fields(made)),
    )


def _cells(values: list[Any]) -> object:
    """Strings as the cells of any file that says nothing of its columns; the rest as it is."""
    text = as_text(values) if any(isinstance(value, str) for value in values) else None
    return values if text is None else TextCells(text)


def _names(records: list[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for record in records for name in record))


def _has_fields(name: str, made: list[str]) -> bool:
    return any(other.startswith(f"{name}{_DOT}") for other in made)


def _flat(record: dict[str, Any], before: str = "", depth: int = 0) -> dict[str, Any]:
    """The record with the fields of records in it as its own; lists stay as they are.

    >>> _flat({"id": 1, "user": {"age": 30, "home": {"zip": "02139"}}})
    {'id': 1, 'user.age': 30, 'user.home.zip': '02139'}
    """
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and value and depth < _DEEPEST:
            flat |= _flat(value, f"{before}{name}{_DOT}", depth + 1)
        else:
            flat[f"{before}{name}"] = value
    return flat


def _note_on_fields(names: list[str]) -> tuple[Note, ...]:
    return (Note.on_table(Code.RECORDS_FLATTENED, names=tuple(names)),) if names else ()


def _whole(text: str) -> Any:
    """All of the text as one value; None where it is not."""
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
