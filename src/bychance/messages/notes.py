"""Notes on a column or a table, and their text, one line for all columns with equal remarks."""

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
"""Number of columns that a line names, unless all are asked for."""

KEEP_ALL_ROWS = Option("header", False)
"""Option that keeps rows that are not data."""

_ITSELF = "[\0]"  # stands for the note's own column in options such as merge=['sex']


@dataclass(frozen=True, slots=True, repr=False)
class Note:
    """Note on one column, or on the whole table if `column` is None.

    `code` is the kind of remark (the guide "Notes" lists them all), `values` are the numbers and names in its
    sentence, `suggestion` is the argument that would change it. As text it is one sentence. `is_mixed` marks
    a column read as categories although at least half of its values are numbers or dates, many of them
    different. Nothing is ranked against such a column unless the caller says that it is categorical.

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
        """Create a note with one remark on the whole table."""
        return cls(None, (remark(code, **values),))

    @property
    def code(self) -> Code:
        """Code of the note's first remark."""
        return self.remarks[0].code

    @property
    def values(self) -> dict[str, Any]:
        """Numbers and names that the note's sentence mentions, by field name."""
        return {name: value for told in self.remarks for name, value in told.items}

    @property
    def options(self) -> tuple[Option, ...]:
        """Arguments of `read_table` and `rank` that would change what the note reports, in order."""
        return tuple(option for told in self.remarks for option in told.options)

    @property
    def suggestion(self) -> Option | None:
        """First argument with a value that would change what the note reports, or None."""
        return next((option for option in self.options if option.value is not NAMED), None)

    @property
    def text(self) -> str:
        """Sentence of the note without the column's name."""
        return joined_remarks(self.remarks)

    @property
    def sentence(self) -> Sentence:
        """Whole sentence of the note, starting with the column's name."""
        parts = [part for told in self.remarks for part in ("; ", told)][1:]
        if self.column is None:
            return Sentence(tuple(parts))
        return Sentence((f"{self.column!r}{' was set aside' if self.is_set_aside else ''}: ", *parts))

    def says(self, *codes: Code) -> bool:
        """Return True if one of the note's remarks has one of these codes."""
        return any(told.code in codes for told in self.remarks)

    def __contains__(self, text: str) -> bool:
        return text in str(self)

    def __str__(self) -> str:
        return str(self.sentence)

    __repr__ = __str__


def note_lines(
    notes: Iterable[Note], most_names: int | None = None, *, dialect: Dialect = Dialect.PYTHON
) -> list[str]:
    """Write one line per distinct remark, naming all its columns, in order of first appearance.

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
    """Replace the note's own column name in a remark's options by a placeholder."""
    if column is None:
        return told
    return told.with_options(
        lambda option: replace(option, value=_ITSELF) if option.names_column(column) else option
    )
