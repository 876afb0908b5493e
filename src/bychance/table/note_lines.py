"""Notes as lines of text: those that say the same of several columns in one, with the columns' names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from bychance.names import display_name

if TYPE_CHECKING:
    from bychance.table.record import Note

__all__ = ["MOST_NAMES", "note_lines"]

MOST_NAMES = 12
"""How many columns each line names unless all are asked for."""

_ITSELF = "[\0]"  # stands for the column's own name in advice such as merge=['sex']


def note_lines(notes: Iterable[Note], most_names: int | None = None) -> list[str]:
    """A line for each thing that is said, in the order in which it is said first.

    >>> from bychance.table import Note
    >>> print(*note_lines([
    ...     Note("ZIP", "codes; numeric=['ZIP'] reads numbers"),
    ...     Note("id", "an identifier", is_set_aside=True),
    ...     Note("SSN", "codes; numeric=['SSN'] reads numbers"),
    ... ]), sep="\\n")
    'ZIP', 'SSN': codes; numeric=['ZIP', 'SSN'] reads numbers
    'id' was set aside: an identifier
    """
    said: dict[tuple[str, bool], list[str]] = {}
    for note in notes:
        own = "" if note.column is None else f"[{note.column!r}]"
        text = note.text.replace(own, _ITSELF) if own else note.text
        columns = said.setdefault((text, note.is_set_aside), [])
        if note.column is not None:
            columns.append(repr(note.column))
    return [display_name(_line(*said_so, columns, most_names)) for said_so, columns in said.items()]


def _line(text: str, is_set_aside: bool, columns: list[str], most: int | None) -> str:
    if not columns:
        return text
    named, own = ", ".join(columns[:most]), ", ".join(columns[:most])
    if len(columns) > len(columns[:most]):
        named, own = f"{named}, … ({len(columns):,} columns)", f"{own}, …"
    verb = f" {'was' if len(columns) == 1 else 'were'} set aside" if is_set_aside else ""
    return f"{named}{verb}: {text.replace(_ITSELF, f'[{own}]')}"
