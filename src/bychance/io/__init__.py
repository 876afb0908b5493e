"""Reading of frames, arrays and files as tables of typed columns.

The flow: frames (what callers hold in memory) or files (what lies on disk: csv by a dialect, json, arff,
excel) → preamble (names, and what stands around them) and footer (rows that are no data) → infer (types of
columns) → table. `read` puts them in order.
"""

from __future__ import annotations

from bychance.io.dialect import TextFormat
from bychance.io.files import MAX_GIB
from bychance.io.frames import is_frame, make_frame, pick_columns
from bychance.io.read import read_table
from bychance.io.table import Table
from bychance.messages import Note

__all__ = ["MAX_GIB", "Note", "Table", "TextFormat", "is_frame", "make_frame", "pick_columns", "read_table"]
