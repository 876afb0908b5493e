"""Remarks (a message code with values) and notes (remarks on a column or table), and their sentences.

Sentences are written in Python's words or the command line's. Columns with equal remarks share a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import EllipsisType
from typing import Any

from bychance.messages.codes import Code
from bychance.messages.options import NAMED, OPEN, Dialect, Option, Sentence
from bychance.names import LISTED, count_of, display_name, listed, shown

__all__ = [
    "KEEP_ALL_ROWS",
    "MOST_NAMES",
    "Note",
    "Remark",
    "joined_remarks",
    "lines_in_words",
    "note_lines",
    "remark",
]

MOST_NAMES = 12
"""Number of columns that a line of notes names, unless all are asked for (taste)."""

KEEP_ALL_ROWS = Option("header", False)
"""Option that keeps rows that are not data."""

_ITSELF = "[\0]"  # stands for the note's own column in options such as merge=['sex']

_FIELD, _OPTIONAL = re.compile(r"\{(\w+)(?::([^{}]*))?\}"), re.compile(r"\[([^\[\]]*)\]")
_ARGUMENT = re.compile(r"`(\w+)`")
_WIDTH = 40  # characters of a name in a note, longer ones are cut (taste)


@dataclass(frozen=True, slots=True)
class Remark:
    """Message code with the values that its sentence mentions: numbers, cells, columns and options.

    >>> told = remark(Code.CODES_PADDED, option=Option("numeric", ("ZIP",)))
    >>> print(told)
    codes padded with zeros, kept as categories; numeric=['ZIP'] reads numbers
    >>> told.code, told.options
    (<Code.CODES_PADDED: 'codes_padded'>, (Option(argument='numeric', value=('ZIP',)),))
    """

    code: Code
    items: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return self.render()

    @property
    def values(self) -> Mapping[str, Any]:
        """Values that the sentence mentions, by field name."""
        return dict(self.items)

    @property
    def options(self) -> tuple[Option, ...]:
        """Arguments that the remark suggests, including those of remarks within it."""
        found = list[Option]()
        for _, value in self.items:
            found += [value] if isinstance(value, Option) else getattr(value, "options", ())
        return tuple(found)

    def with_values(self, **values: Any) -> Remark:
        """Return a copy of the remark with some values replaced. None removes a value."""
        return remark(self.code, **{**self.values, **values})

    def with_options(self, changed: Callable[[Option], Option]) -> Remark:
        """Return a copy with the function `changed` applied to each option, also in remarks within it."""

        def other(value: Any) -> Any:
            if isinstance(value, Remark):
                return value.with_options(changed)
            return changed(value) if isinstance(value, Option) else value

        return Remark(self.code, tuple((name, other(value)) for name, value in self.items))

    def mentions(self, cell: str) -> bool:
        """Return True if the remark mentions the text of a table cell, as a value or in an option."""
        for _, value in self.items:
            if isinstance(value, Remark) and value.mentions(cell):
                return True
            named = value.value if isinstance(value, Option) else value
            if named == cell or (isinstance(named, tuple) and cell in named):
                return True
        return False

    def render(self, dialect: Dialect = Dialect.PYTHON) -> str:
        """Write the remark's sentence, with options as Python arguments or as command-line flags."""
        values = self.values

        def said(field: re.Match[str]) -> str:
            return _formatted(values[field[1]], field[2] or "", dialect)

        def kept(part: re.Match[str]) -> str:
            is_known = all(values.get(name, ()) != () for name, _ in _FIELD.findall(part[1]))
            return part[1] if is_known else ""

        template = _ARGUMENT.sub(
            lambda name: Option(name[1]).render(dialect), _OPTIONAL.sub(kept, self.code.sentence)
        )
        return _FIELD.sub(said, template)


def remark(code: Code, **values: Any) -> Remark:
    """Create a remark with this code, leaving out values that are None."""
    return Remark(code, tuple((name, value) for name, value in values.items() if value is not None))


def joined_remarks(remarks: Sequence[Remark], dialect: Dialect = Dialect.PYTHON) -> str:
    """Write several remarks as one sentence, with semicolons between them."""
    return "; ".join(each.render(dialect) for each in remarks)


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
        """Arguments of `read_table` and `rank` that the note suggests to change what it reports."""
        return tuple(option for told in self.remarks for option in told.options)

    @property
    def suggestion(self) -> Option | None:
        """First of the options that has a value to pass, or None."""
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
        """Return True if any of the note's remarks has one of the given message codes."""
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
    """Replace the column's name in the remark's options by a placeholder, for comparison."""
    if column is None:
        return told
    return told.with_options(
        lambda option: replace(option, value=_ITSELF) if option.names_column(column) else option
    )


# Fields of sentences.


def lines_in_words(numbers: Sequence[int]) -> str:
    """Write line numbers of a file in words: the first ones, and the number of others.

    >>> lines_in_words([7]), lines_in_words([7, 9]), lines_in_words([1, 2, 3, 4, 5])
    ('Line 7', 'Lines 7 and 9', 'Lines 1, 2, 3 and 2 more')
    """
    lines = [f"{number:,}" for number in numbers]
    return f"Line{'s' if len(lines) > 1 else ''} {listed(lines, _WIDTH)}"


def _formatted(value: Any, spec: str, dialect: Dialect) -> str:
    """Write a value of a remark as text, in the format `spec` of its field in the sentence."""
    if isinstance(value, Option | Remark | Sentence):
        return value.render(dialect)
    if value is True:
        return spec
    if isinstance(value, int):
        if "|" in spec:
            return spec.split("|")[value != 1].replace("#", f"{value:,}")
        return count_of(value, spec) if spec else f"{value:,}"
    if isinstance(value, float):
        return format(value, spec or ".16g")
    if spec == "lines":
        return lines_in_words(value)
    cells = value if isinstance(value, tuple) else (value,)
    if spec == "and":
        return listed(cells, _WIDTH)
    first, n_more = ", ".join(map(_quoted, cells[:LISTED])), len(cells) - LISTED
    if spec == "…":
        return (f"{first}, …" if n_more > 0 else first) or "empty"
    if spec == "+":
        return f"{first} and {n_more:,} more" if n_more > 0 else first
    return ", ".join(map(_WRITERS[spec], cells))


def _quoted(cell: Any) -> str:
    return "…" if isinstance(cell, EllipsisType) else shown(str(cell))


_WRITERS: dict[str, Callable[[Any], str]] = {
    "": str,
    "shown": _quoted,
    "quoted": repr,
    "ticks": "`{}`".format,
    "name": lambda name: display_name(name, _WIDTH),
    "names": lambda name: repr(display_name(name, _WIDTH)),
}
