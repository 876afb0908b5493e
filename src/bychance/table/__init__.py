"""Frames, arrays and files → a table of typed columns.

The flow: frames (what callers hold in memory) or files (what lies on disk: text_format and delimited for CSV,
arff, excel; unpacked has the limit of all) → typing_rules (cells of text → numbers, dates, labels), set_aside
(identifiers and free text), convert (what the caller wishes) → record (the table). `read` puts them in order.
"""

from __future__ import annotations

from bychance.table.frames import is_frame, make_frame, pick_columns
from bychance.table.read import read_table
from bychance.table.record import Note, Table
from bychance.table.text_format import TextFormat
from bychance.table.unpacked import MAX_GIB

__all__ = ["MAX_GIB", "Note", "Table", "TextFormat", "is_frame", "make_frame", "pick_columns", "read_table"]
