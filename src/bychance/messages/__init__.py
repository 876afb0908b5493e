"""Messages to users, each with a code and values for programs and a sentence for people.

codes (a sentence each) and options → notes.
"""

from bychance.messages.codes import LIMITS_OF_ROWS, Code
from bychance.messages.notes import (
    KEEP_ALL_ROWS,
    MOST_NAMES,
    Note,
    Remark,
    joined_remarks,
    lines_in_words,
    note_lines,
    remark,
)
from bychance.messages.options import NAMED, OPEN, Call, Dialect, Option, Sentence

__all__ = [
    "KEEP_ALL_ROWS",
    "LIMITS_OF_ROWS",
    "MOST_NAMES",
    "NAMED",
    "OPEN",
    "Call",
    "Code",
    "Dialect",
    "Note",
    "Option",
    "Remark",
    "Sentence",
    "joined_remarks",
    "lines_in_words",
    "note_lines",
    "remark",
]
