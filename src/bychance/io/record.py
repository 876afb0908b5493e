"""A table: typed columns of one length under distinct names, and what was set aside on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from bychance.columns import Column
from bychance.errors import BychanceError, unknown_name
from bychance.io.overview import ColumnOverview, overview_of, overview_text
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option, Sentence
from bychance.names import count_of, display_name, known_as

__all__ = ["Table", "check_unique", "said_of_sheets"]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Typed columns of one length under distinct names.

    `notes` say what was set aside or noticed; `library` is where frames of results go back to ("pyarrow"
    for dicts, arrays and files); `origin` says in words where the table came from.

    >>> from bychance.io import read_table
    >>> table = read_table({"dose": [1.0, 2.0, None], "sex": ["f", "m", "f"]})
    >>> table
    <Table of 3 rows and 2 columns (1 numeric, 1 categorical) from a dict>
    column  kind        missing  distinct  range or most common  histogram   why
    dose    numbers         33%         2  1 to 2                █        █  decimal numbers
    sex     categories       0%         2  f 67%, m 33%          █▄          text or a categorical type
    >>> table["dose"].is_missing.tolist()
    [False, False, True]
    """

    columns: tuple[Column, ...]
    notes: tuple[Note, ...] = ()
    library: str = "pyarrow"
    origin: str = "columns"
    _positions: dict[str, int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            check_unique(names, self.origin)
        for column in self.columns:
            if len(column.values) != len(self.columns[0].values):
                first = self.columns[0]
                raise BychanceError(
                    f"Columns must be of one length, got {count_of(len(first), 'value')} in {first.name!r} "
                    f"and {len(column)} in {column.name!r}."
                )
        object.__setattr__(self, "_positions", {name: k for k, name in enumerate(names)})

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in order."""
        return tuple(self._positions)

    @property
    def n_rows(self) -> int:
        """How many rows every column has."""
        return len(self.columns[0]) if self.columns else 0

    @property
    def set_aside(self) -> tuple[str, ...]:
        """The names of the columns that were left out, and that `notes` give the reasons for."""
        return tuple(note.column for note in self.notes if note.is_set_aside and note.column is not None)

    def position(self, name: str, argument: str = "column") -> int:
        """Where the named column stands; an unknown name is an error that suggests the nearest."""
        name = known_as(name, self._positions)
        if name in self._positions:
            if argument == "target":
                self._check_target(name)
            return self._positions[name]
        for note in self.notes:
            if note.is_set_aside and note.column == name:
                said = Option(argument) + " names a column that was set aside. "
                raise BychanceError(said + _how_to_keep(note), argument)
        raise unknown_name(argument, name, self.names)

    def _check_target(self, name: str) -> None:
        """An error where nearly every number would be a class."""
        mixed = next((note for note in self.notes if note.is_mixed and note.column == name), None)
        if mixed is not None:
            rule = Option("target") + " must name a column of numbers or of categories, not of both. "
            keeps = Option("categorical", (name,))
            raise BychanceError(rule + mixed.sentence + "; " + keeps + " keeps categories.", "target")

    def __getitem__(self, name: str) -> Column:
        return self.columns[self.position(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def overview(self) -> tuple[ColumnOverview, ...]:
        """Each column at a glance: its kind and why, missing share, distinct and typical values, notes.

        >>> from bychance.io import read_table
        >>> dose, _ = read_table({"dose": [1.0, 2.0, None], "sex": ["f", "m", "f"]}).overview()
        >>> dose.kind, round(dose.missing, 2), dose.typical
        ('numbers', 0.33, '1 to 2')
        """
        return overview_of(self)

    def __repr__(self) -> str:
        return f"{self.describe()}\n{overview_text(self)}"

    def describe(self) -> str:
        """Its size, the kinds of its columns and where it came from, in one line."""
        n_numeric = sum(column.kind is Kind.NUMERIC for column in self.columns)
        aside = f", {len(self.set_aside)} set aside," if self.set_aside else ""
        size = f"{count_of(self.n_rows, 'row')} and {count_of(len(self.columns), 'column')}"
        return (
            f"<Table of {size} ({n_numeric:,} numeric, "
            f"{len(self.columns) - n_numeric:,} categorical){aside} from {display_name(self.origin)}>"
        )


def said_of_sheets(notes: Iterable[Note]) -> Sentence:
    """The sheets that were not read, with a blank before: a cover may be all that was. Empty where none are.

    >>> note = Note.on_table(Code.OTHER_SHEETS, n=2, sheets=("B",), option=Option("sheet", ...))
    >>> print(said_of_sheets([note]))
     Only the first of 2 sheets was read; sheet=… reads another: 'B'.
    """
    sheets = next((note for note in notes if note.says(Code.OTHER_SHEETS)), None)
    return Sentence(()) if sheets is None else " " + sheets.sentence


def check_unique(names: list[str], origin: str) -> None:
    """An error that names what stands twice, where something does."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        first = next(k for k, name in enumerate(names) if name == repeated[0])
        second = names.index(repeated[0], first + 1)
        more = f", and {count_of(len(repeated) - 1, 'other name')} twice" if len(repeated) > 1 else ""
        raise BychanceError(
            f"Column names must differ, got {repeated[0]!r} as columns {first + 1} and {second + 1} "
            f"of {display_name(origin)}{more}."
        )


def _how_to_keep(note: Note) -> Sentence:
    # What cannot be read says itself what helps, if anything does.
    if note.suggestion is not None or note.says(*_NEVER_READ):
        return note.sentence + "."
    return note.sentence + "; " + Option("categorical", (str(note.column),)) + " keeps it."


_NEVER_READ = (Code.NOT_FINITE, Code.NOT_READABLE, Code.EMPTY_WITHOUT_NAME, Code.COUNTER_WITHOUT_NAME)
