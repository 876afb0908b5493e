"""Write docs/notes.csv, the codes of notes and errors with their sentences, from the enum.

    python -m tools.note_codes

tests/messages/test_sentences.py holds the file equal to it.
"""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

from bychance.messages import Code

TABLE = Path(__file__).parents[1] / "docs" / "notes.csv"
_NOUNS = ("row", "word", "number", "value", "time", "group", "file", "pair")
_COUNT = re.compile(rf"\{{(\w+):((?:other |more such )?(?:{'|'.join(_NOUNS)}))\}}")
_FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


def table() -> str:
    """Return the text of the file: one row per code."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["code", "sentence (`fields` in backticks, optional parts in brackets)"])
    rows.writerows([code.value, _sentence(code)] for code in Code)
    return text.getvalue()


def _sentence(code: Code) -> str:
    """Return the sentence with the names of its fields, without their formats."""
    # Of a choice by number the plural, in which # is the number.
    choices = re.sub(
        r"\{(\w+):[^{}|]*\|([^{}]*)\}", lambda m: m[2].replace("#", f"{{{m[1]}}}"), code.sentence
    )
    return _FIELD.sub(r"`\1`", _COUNT.sub(r"`\1` \2s", choices))


if __name__ == "__main__":
    TABLE.write_text(table(), encoding="utf-8")
