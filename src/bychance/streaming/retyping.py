"""Rows that break a type and tell why: names once more, times that are longer than the first ones.

In:  a source, its first rows, and the row that broke the types these told.
Out: the source without such rows, or first rows that tell other types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bychance.io import Table
from bychance.io.numbers import SAMPLE_VALUES
from bychance.io.preamble import remark_on_data
from bychance.io.sums import note_on_totals_among
from bychance.messages import KEEP_ALL_ROWS, Code, Note
from bychance.streaming.parts import BegunPart
from bychance.streaming.sources import StreamSource
from bychance.streaming.text import TextPart
from bychance.streaming.typed_batches import TypeBreak
from bychance.ticks import SPANS, TIMES

__all__ = ["is_time", "note_on_subtotals", "with_row", "without_repeated_names"]


def without_repeated_names(source: StreamSource, head: Any, rows: Any) -> StreamSource | None:
    """The source without rows that hold the names once more, where one of these does; None otherwise."""
    parts = _text_parts(source.parts)
    if not parts or parts[0].leaves_names_out or not parts[0].repeats_names(rows).any():
        return None
    kept = [
        written
        for name, written in zip(parts[0].names, parts[0].dialect.written, strict=False)
        if name in head.column_names
    ]

    def values_of(k: int) -> list[str]:
        values: list[str] = head.column(k).slice(0, SAMPLE_VALUES).to_pylist()
        return values

    if remark_on_data(kept, values_of):  # the first row of a file without names may well repeat
        return None
    cleaned = tuple(replace(part, leaves_names_out=True) for part in parts)
    note = Note.on_table(Code.NAMES_REPEATED_IN_STREAM, option=KEEP_ALL_ROWS)
    return replace(source, parts=cleaned, notes=(*source.notes, note))


def is_time(table: Table, error: TypeBreak) -> bool:
    """Whether a time of day or a span broke the type: what it is, longer ones tell."""
    clocks = [column.clock for column in table.columns if column.name == error.column]
    return error.row is not None and any(
        clock is not None and clock.what in (TIMES, SPANS) for clock in clocks
    )


def with_row(head: Any, row: Any) -> Any:
    """The first rows and one more."""
    import pyarrow as pa

    return pa.concat_tables([head, row])


def note_on_subtotals(source: StreamSource, table: Table) -> tuple[Note, ...]:
    """A note on rows of text files that look like totals of others, as files that are read whole have it."""
    if not _text_parts(source.parts):
        return ()
    note = note_on_totals_among({}, table.columns, is_sample=True)
    return () if note is None else (note,)


def _text_parts(parts: Sequence[Any]) -> list[TextPart]:
    """The parts as text files with names; none where one is not."""
    text = [part.part if isinstance(part, BegunPart) else part for part in parts]
    named = [part for part in text if isinstance(part, TextPart) and part.dialect.written]
    return named if len(named) == len(text) else []
