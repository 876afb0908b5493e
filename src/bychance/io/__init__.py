"""Frames, arrays and files → a table of typed columns.

The flow: frames (what callers hold in memory) or files (what lies on disk: layout, headers, text_format and
delimited for CSV; json_records, arff, excel, arrow_files, databases; packed unpacks, unpacked has the limit)
→ below and summary_rows (last rows that are no data) → typed_column: typing_rules (text_cells →
codes_in_numbers, scales, numbers_in_text with amount_parts, limits and separators, times_in_text,
short_months, dates_in_text with date_order, categories), set_aside (identifiers and free text), wishes and
convert (what the caller says), missing_marks (what advice on marks repeats) → record (the table).
`read` puts them in order.
"""

from __future__ import annotations

from bychance.io.frames import is_frame, make_frame, pick_columns
from bychance.io.read import read_table
from bychance.io.record import Table
from bychance.io.text_format import TextFormat
from bychance.io.unpacked import MAX_GIB
from bychance.messages import Note

__all__ = ["MAX_GIB", "Note", "Table", "TextFormat", "is_frame", "make_frame", "pick_columns", "read_table"]
