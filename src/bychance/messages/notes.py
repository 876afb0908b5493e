"""Notes: what was noticed about a column or a table, and as lines of text, one for all columns alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from bychance.messages.codes import Code
from bychance.messages.options import NAMED, OPEN, Dialect, Option, Sentence
from bychance.messages.render import Remark, joined_remarks, remark
from bychance.names import display_name

__all__ = ["KEEP_ALL_ROWS", "MOST_NAMES", "Note", "note_lines"]

MOST_NAMES = 12  # columns that a line of notes names (taste)
"""How many columns each line names unless all are asked for."""

KEEP_ALL_ROWS = Option("header", False)
"""What keeps rows that are no data."""

_ITSELF = "[\0]"  # stands for the note's own column in options such as merge=['sex']


@dataclass(frozen=True, slots=True, repr=False)
class Note:
    """Something that was noticed: about one column, or about the whole table if `column` is None.

    `code` says what kind of remark it is (the guide "Notes" has them all), `values` what its sentence
    mentions by name, `suggestion` which argument would change it. As text it is one sentence. A column that
    `is_mixed` is of categories, though half of its values or more are numbers or dates, many of them
    different: nothing is ranked against it unless the caller says that it is categorical.

    >>> told = remark(Code.IDENTIFIER, n_distinct=202, n_values=202)
    >>> note = Note("Country", (told,), is_set_aside=True)
    >>> str(note), note.code.value, note.values["n_distinct"]
    ("'Country' was set aside: an identifier: 202 of 202 values are distinct", 'identifier', 202)
    """

    column: str | None
    remarks: tuple[Remark, ...]
    is_set_aside: bool = False
    is_mixed: bool = False

    @classmethod
    def on_table(cls, code: Code, **values: Any) -> Note:
        """Make a note of one remark on the whole table."""
        return cls(None, (remark(code, **values),))

    @property
    def code(self) -> Code:
        """Return the kind of its first remark."""
        return self.remarks[0].code

    @property
    def values(self) -> dict[str, Any]:
        """Return what the sentence mentions, by name."""
        return {name: value for told in self.remarks for name, value in told.items}

    @property
    def options(self) -> tuple[Option, ...]:
        """List the arguments that would change something, in order."""
        return tuple(option for told in self.remarks for option in told.options)

    @property
    def suggestion(self) -> Option | None:
        """Return the first argument that would change something, with its value."""
        return next((option for option in self.options if option.value is not NAMED), None)

    @property
    def text(self) -> str:
        """Write the sentence without the column's name."""
        return joined_remarks(self.remarks)

    @property
    def sentence(self) -> Sentence:
        """Return the whole sentence, the column's name before it."""
        parts = [part for told in self.remarks for part in ("; ", told)][1:]
        if self.column is None:
            return Sentence(tuple(parts))
        return Sentence((f"{self.column!r}{' was set aside' if self.is_set_aside else ''}: ", *parts))

    def says(self, *codes: Code) -> bool:
        """Return True if one of its remarks is of one of these kinds."""
        return any(told.code in codes for told in self.remarks)

    def __contains__(self, text: str) -> bool:
        return text in str(self)

    def __str__(self) -> str:
        return str(self.sentence)

    __repr__ = __str__


def note_lines(
    notes: Iterable[Note], most_names: int | None = None, *, dialect: Dialect = Dialect.PYTHON
) -> list[str]:
    """Write a line for each thing that is said, in the order in which it is said first.

    >>> def padded(name):
    ...     return Note(name, (remark(Code.CODES_PADDED, option=Option("numeric", (name,))),))
    >>> other = Note("id", (remark(Code.IDENTIFIER, n_distinct=9, n_values=9),), is_set_aside=True)
    >>> print(*note_lines([padded("ZIP"), other, padded("SSN")]), sep="\\n")
    'ZIP', 'SSN': codes padded with zeros, kept as categories; numeric=['ZIP', 'SSN'] reads numbers
    'id' was set aside: an identifier: 9 of 9 values are distinct
    """
    said: dict[tuple[tuple[Remark, ...], bool], list[str]] = {}
    for note in notes:
        remarks = tuple(_without_name(told, note.column) for told in note.remarks)
        columns = said.setdefault((remarks, note.is_set_aside), [])
        if note.column is not None:
            columns.append(note.column)
    return [display_name(_line(*said_so, columns, most_names, dialect)) for said_so, columns in said.items()]


def _line(
    remarks: tuple[Remark, ...], is_set_aside: bool, columns: list[str], most: int | None, dialect: Dialect
) -> str:
    if not columns:
        return joined_remarks(remarks, dialect)
    own: tuple[Any, ...] = tuple(columns[:most])
    named = ", ".join(map(repr, own))
    if len(columns) > len(own):
        named, own = f"{named}, … ({len(columns):,} columns)", (*own, OPEN)
    verb = f" {'was' if len(columns) == 1 else 'were'} set aside" if is_set_aside else ""
    told = [each.with_options(lambda option: _naming(option, own)) for each in remarks]
    return f"{named}{verb}: {joined_remarks(told, dialect)}"


def _naming(option: Option, columns: tuple[Any, ...]) -> Option:
    return replace(option, value=columns) if option.value == _ITSELF else option


def _without_name(told: Remark, column: str | None) -> Remark:
    """Put a mark for the note's own column in options."""
    if column is None:
        return told
    return told.with_options(
        lambda option: replace(option, value=_ITSELF) if option.names_column(column) else option
    )
