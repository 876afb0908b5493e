"""Advice to give missing=[…]: as that replaces the marks that held so far, it has to name these as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.table.record import Note
from bychance.table.text_cells import MISSING_AMONG_NUMBERS, MISSING_IN_TEXT, TextCells, combined, stripped

__all__ = ["with_given_marks", "with_usual_marks"]

_LIST = "missing=["


def with_usual_marks(
    notes: Sequence[Note], columns: Mapping[str, Column | None], cells_of: Callable[[str], Any]
) -> list[Note]:
    """The notes, those that advise missing=[…] with the usual marks that would no longer be missing.

    A column that is set aside is None; `cells_of` gives its cells, as the source has them.

    >>> import pyarrow as pa
    >>> notes = [Note("a", "missing=['n.d.'] reads the rest")]
    >>> with_usual_marks(notes, {"a": None}, lambda name: TextCells(pa.array(["1", "n.d.", "-"])))[0].text
    "missing=['-', 'n.d.'] reads the rest; missing=… replaces the usual marks such as '-'"
    """
    advised = {note.column for note in notes if _LIST in note.text}
    if not advised:
        return list(notes)
    found = {
        mark
        for name, column in columns.items()
        if (name in advised if column is None else column.is_missing is not None)
        for mark in _marks_in(cells_of(name), column)
    }
    # A dash that is a category elsewhere is better left out than lost there.
    marks = sorted(found.difference(*(column.labels for column in columns.values() if column is not None)))
    return [_naming(note, marks) if marks and _LIST in note.text else note for note in notes]


def with_given_marks(notes: Sequence[Note], missing: frozenset[str]) -> list[Note]:
    """The notes, those that advise missing=[…] with the marks that the caller gave: they hold no longer.

    >>> notes = [Note("a", "missing=['NaN'] reads the rest")]
    >>> with_given_marks(notes, frozenset({"", "-9999", "-9999.0"}))[0].text
    "missing=['-9999', 'NaN'] reads the rest"
    """
    # A number is there with its decimal point as well.
    marks = sorted(mark for mark in missing if mark and mark.removesuffix(".0") not in missing - {mark})
    return [_listing(note, _others(note, marks)) if _LIST in note.text else note for note in notes]


def _naming(note: Note, marks: list[str]) -> Note:
    others = _others(note, marks)
    if not others:
        return note
    text = _listing(note, others).text
    return replace(note, text=f"{text}; missing=… replaces the usual marks such as {others[0]!r}")


def _others(note: Note, marks: list[str]) -> list[str]:
    """The marks that the note does not name."""
    return [mark for mark in marks if repr(mark) not in note.text]


def _listing(note: Note, marks: list[str]) -> Note:
    """The note with these marks before those that it advises."""
    if not marks:
        return note
    listed = ", ".join(map(repr, marks))
    text = note.text.replace(f"{_LIST}]", f"{_LIST}{listed}]", 1)
    if text == note.text:
        text = text.replace(_LIST, f"{_LIST}{listed}, ", 1)
    return replace(note, text=text)


def _marks_in(cells: Any, column: Column | None) -> frozenset[str]:
    """The usual marks among cells of text; a dash is one among numbers only."""
    if not isinstance(cells, TextCells) or cells.missing is not None:
        return frozenset()
    among_numbers = column is None or column.kind is Kind.NUMERIC
    usual = MISSING_IN_TEXT | MISSING_AMONG_NUMBERS if among_numbers else MISSING_IN_TEXT
    return (usual - {""}).intersection(stripped(combined(cells.distinct.texts)).to_pylist())
