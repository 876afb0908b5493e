"""Advice to give missing=[…] with the usual marks that it would replace: they stand in the same columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bychance.columns import Column
from bychance.io.text_cells import MISSING_AMONG_NUMBERS, MISSING_IN_TEXT, TextCells, combined, stripped
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option, Remark, remark

__all__ = ["with_given_marks", "with_usual_marks"]


def with_usual_marks(
    notes: Sequence[Note], columns: Mapping[str, Column | None], cells_of: Callable[[str], Any]
) -> list[Note]:
    """Repeat the usual marks that missing=[…] would take away in the notes that suggest it.

    A column that is set aside is None; `cells_of` gives its cells, as the source has them.

    >>> import pyarrow as pa
    >>> note = Note("a", (remark(Code.LIMITS, option=Option("missing", ("n.d.",))),))
    >>> told = with_usual_marks([note], {"a": None}, lambda name: TextCells(pa.array(["1", "n.d.", "-"])))[0]
    >>> told.suggestion.value, told.remarks[1].code.value
    (('-', 'n.d.'), 'usual_marks_replaced')
    """
    advised = {note.column for note in notes if any(map(_is_advice, note.options))}
    if not advised:
        return list(notes)
    found = {
        mark
        for name, column in columns.items()
        if (name in advised if column is None else column.is_missing is not None)
        for mark in _marks_in(cells_of(name), column)
    }
    # A dash that is a category elsewhere is better left out than lost there.
    marks = found.difference(*(column.labels for column in columns.values() if column is not None))
    named = [_naming(note, marks) for note in notes]
    return [
        replace(note, remarks=(*note.remarks, _replaced(others[0]))) if others else note
        for note, others in named
    ]


def with_given_marks(notes: Sequence[Note], missing: frozenset[str]) -> list[Note]:
    """Repeat the marks that the caller gave in the notes that suggest missing=[…]: they hold no longer.

    >>> note = Note("a", (remark(Code.LIMITS, option=Option("missing", ("NaN",))),))
    >>> with_given_marks([note], frozenset({"", "-9999", "-9999.0"}))[0].suggestion.value
    ('-9999', 'NaN')
    """
    # A number is there with its decimal point as well.
    marks = (mark for mark in missing if mark and mark.removesuffix(".0") not in missing - {mark})
    given = set(marks)
    return [_naming(note, given)[0] for note in notes]


def _naming(note: Note, marks: Iterable[str]) -> tuple[Note, list[str]]:
    """Put these marks before those that a note suggests, and return which of them it did not mention."""
    others = sorted(mark for mark in marks if not any(told.mentions(mark) for told in note.remarks))
    if not others or not any(map(_is_advice, note.options)):
        return note, []
    remarks = (told.with_options(lambda option: _listing(option, others)) for told in note.remarks)
    return replace(note, remarks=tuple(remarks)), others


def _listing(option: Option, marks: list[str]) -> Option:
    return replace(option, value=(*marks, *option.value)) if _is_advice(option) else option


def _is_advice(option: Option) -> bool:
    return option.argument == "missing" and isinstance(option.value, tuple)


def _replaced(mark: str) -> Remark:
    return remark(Code.USUAL_MARKS_REPLACED, option=Option("missing", OPEN), mark=mark)


def _marks_in(cells: Any, column: Column | None) -> frozenset[str]:
    """Find the usual marks among cells of text, a dash among numbers only."""
    if not isinstance(cells, TextCells) or cells.missing is not None:
        return frozenset()
    among_numbers = column is None or column.kind is Kind.NUMERIC
    usual = MISSING_IN_TEXT | MISSING_AMONG_NUMBERS if among_numbers else MISSING_IN_TEXT
    return (usual - {""}).intersection(stripped(combined(cells.distinct.texts)).to_pylist())
