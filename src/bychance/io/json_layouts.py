"""JSON that is no list of records, as a table: records or columns by name, names above or beside rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bychance.errors import BychanceError
from bychance.messages import Code, Note
from bychance.names import shown

__all__ = ["Records", "listed_records_in", "records_in"]

_DEEPEST, _LISTED = 2, 3
_AS_RECORDS = "give a list of records: [{…}, {…}]"


@dataclass(frozen=True, slots=True)
class Records:
    """The rows of a table as records, and what to say of where they were."""

    rows: list[dict[str, Any]]
    notes: tuple[Note, ...] = ()


def records_in(whole: dict[str, Any], origin: str) -> Records | None:
    """The records of an object that is no record itself; None where it may be one, or columns of lists.

    >>> records_in({"0": {"x": 1, "g": "a"}, "1": {"x": 2, "g": "b"}}, "t.json").rows
    [{'x': 1, 'g': 'a'}, {'x': 2, 'g': 'b'}]
    >>> records_in({"meta": {"n": 2}, "data": [{"x": 1}, {"x": 2}]}, "t.json").notes[0].text
    "The rows are the records in 'data'; what stands beside them ('meta') was left out."
    """
    return _split(whole) or _by_name(whole, origin) or _beside_others(whole, origin)


def listed_records_in(whole: list[Any]) -> Records | None:
    """Rows as lists below one of their names, or records beside what is said about them; None elsewhere.

    >>> listed_records_in([["NAME", "POP"], ["Utah", 3], ["Ohio", 12]]).rows
    [{'NAME': 'Utah', 'POP': 3}, {'NAME': 'Ohio', 'POP': 12}]
    >>> listed_records_in([{"page": 1, "pages": 1}, [{"x": 1}, {"x": 2}]]).notes[0].text
    'The rows are the records in part 2 of the list; what stands beside them was left out.'
    """
    lists = [number for number, own in enumerate(whole) if _are_records(own)]
    if len(lists) == 1 and all(isinstance(own, dict) for own in whole if own is not whole[lists[0]]):
        beside = "what stands beside them" if len(whole) > 1 else None
        place = f"part {lists[0] + 1} of the list"
        return Records(whole[lists[0]], (Note.on_table(Code.RECORDS_FOUND, place=place, others=beside),))
    if len(whole) < 2 or not all(isinstance(row, list) and len(row) == len(whole[0]) for row in whole):
        return None
    names = whole[0]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return None
    return Records([dict(zip(names, row, strict=True)) for row in whole[1:]])


def _split(whole: dict[str, Any]) -> Records | None:
    """Names in "columns" and a list per row in "data", as frames are written with orient="split"."""
    names, rows = whole.get("columns"), whole.get("data")
    if (
        not isinstance(names, list)
        or not isinstance(rows, list)
        or not set(whole) <= {"columns", "data", "index"}
    ):
        return None
    if not rows or not all(isinstance(row, list) and len(row) == len(names) for row in rows):
        return None
    return Records([dict(zip(map(str, names), row, strict=True)) for row in rows])


def _by_name(whole: dict[str, Any], origin: str) -> Records | None:
    """Records under the names of rows, or columns of values under these, as frames are written.

    Rows are numbered, or each field is of one type and the records are not; columns are the other way round.
    """
    inner = list(whole.values())
    if len(inner) < 2 or not all(isinstance(own, dict) and own for own in inner):
        return None
    if not set.intersection(*map(set, inner)) or any(
        isinstance(v, dict | list) for own in inner for v in own.values()
    ):
        return None
    fields = dict.fromkeys(name for own in inner for name in own)
    by_field = {field: {name: own.get(field) for name, own in whole.items()} for field in fields}
    are_rows, are_columns = _are_numbered(whole), _are_numbered(fields)
    if are_rows == are_columns and not are_rows:
        are_rows = _are_of_one_type(by_field) and not _are_of_one_type(whole)
        are_columns = _are_of_one_type(whole) and not _are_of_one_type(by_field)
    if are_rows == are_columns:
        raise BychanceError(
            f"{origin} holds an object of objects, and nothing tells whether {_some(whole)} are rows or "
            f"columns; {_AS_RECORDS}."
        )
    rows = whole if are_rows else by_field
    if _are_numbered(rows) or "index" in (fields if are_rows else whole):
        return Records(list(rows.values()))
    return Records([{"index": name, **row} for name, row in rows.items()])


def _are_numbered(names: Mapping[str, Any]) -> bool:
    return all(name.isdecimal() for name in names)


def _are_of_one_type(groups: Mapping[str, dict[str, Any]]) -> bool:
    """Whether each group has numbers alone, texts alone or flags alone."""
    return all(len({_type(value) for value in own.values()} - {""}) <= 1 for own in groups.values())


def _type(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "flag"
    return "number" if isinstance(value, int | float) else "text"


def _beside_others(whole: dict[str, Any], origin: str) -> Records | None:
    """The only list of records among the fields, or among those of a record there."""
    if len({len(own) for own in whole.values() if isinstance(own, list)}) == 1 and any(
        isinstance(own, list) and not _are_records(own) for own in whole.values()
    ):
        return None  # columns, some of them nested
    found: dict[tuple[str, ...], Any] = {(name,): own for name, own in whole.items()}
    for _ in range(_DEEPEST):
        lists = {path: own for path, own in found.items() if _are_records(own)}
        if len(lists) > 1:
            named = [".".join(path) for path in lists]
            raise BychanceError(f"{origin} holds several lists of records: {_some(named)}; give one of them.")
        if lists:
            ((path, rows),) = lists.items()
            left = tuple(name for name in whole if name != path[0])
            place = repr(".".join(path))
            return Records(rows, (Note.on_table(Code.RECORDS_FOUND, place=place, fields=left),))
        found = {
            (*path, name): own
            for path, fields in found.items()
            if isinstance(fields, dict)
            for name, own in fields.items()
        }
    return None


def _are_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(own, dict) for own in value)


def _some(names: Any) -> str:
    listed = [shown(name) for name in names]
    return ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
