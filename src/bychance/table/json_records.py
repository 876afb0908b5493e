"""JSON: one record per line, a list of records, or an object of lists → named columns."""

from __future__ import annotations

import json
from typing import Any

from bychance.errors import BychanceError
from bychance.table.frames import Source

JSON = frozenset({".jsonl", ".ndjson", ".json"})


def from_json(text: str, origin: str) -> Source:
    """The columns of JSON text; a record without a name has nothing there.

    >>> from_json('{"a": 1}\\n{"a": 2, "b": "x"}', "t.jsonl").columns
    {'a': [1, 2], 'b': [None, 'x']}
    """
    if not text.strip():
        raise BychanceError(f"{origin} is empty.")
    whole = _whole(text)
    if isinstance(whole, dict) and whole and all(isinstance(values, list) for values in whole.values()):
        return Source({str(name): values for name, values in whole.items()}, origin)
    records = whole if isinstance(whole, list) else _lines(text, origin)
    if not records:
        raise BychanceError(f"{origin} has no rows.")
    for number, record in enumerate(records, start=1):
        if not isinstance(record, dict):
            raise BychanceError(
                f"{origin} must hold records {{…}}, got {str(record)[:40]!r} as number {number}."
            )
    names = list(dict.fromkeys(name for record in records for name in record))
    return Source({name: [record.get(name) for record in records] for name in names}, origin)


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
