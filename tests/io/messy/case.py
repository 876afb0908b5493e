"""A messy table made by rule: the cells as text, and what each column must become through every door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Cell = str | None
Value = float | str | None


@dataclass(frozen=True)
class Read:
    """What one column must become: its kind, its values, and words that its notes must hold.

    Dates are given as ISO 8601 text in UTC; `values` is None for what is set aside.
    """

    kind: str  # "numeric", "date", "categorical", "aside", or what times are
    values: Sequence[Value] | None = None
    notes: Sequence[str] = ()
    is_silent: bool = False


@dataclass(frozen=True)
class Case:
    """Columns of text, read by `read_table(…, **options)` from a frame or a file with this delimiter."""

    name: str
    columns: dict[str, Sequence[Cell]]
    reads: dict[str, Read]
    delimiter: str = ","
    options: dict[str, object] = field(default_factory=dict)


def numeric(values: Sequence[Value], *notes: str) -> Read:
    return Read("numeric", values, notes)


def date(values: Sequence[Value], *notes: str) -> Read:
    return Read("date", values, notes)


def times(what: str, seconds: Sequence[float | None], *notes: str) -> Read:
    """Times of day or spans, in seconds since the first."""
    return Read(what, seconds, notes)


def categorical(values: Sequence[Value], *notes: str) -> Read:
    return Read("categorical", values, notes)


def aside(*notes: str) -> Read:
    return Read("aside", None, notes)


def one_column(name: str, cells: Sequence[Cell], read: Read, **settings: object) -> Case:
    """A case of one messy column."""
    return Case(name, {"messy": cells}, {"messy": read}, **settings)  # type: ignore[arg-type]


def silent(read: Read) -> Read:
    """The same, and no note may stand beside it."""
    return Read(read.kind, read.values, is_silent=True)
