"""The table of codes in docs/notes.md, from the enum and the sentences.

    python -m tools.note_codes

tests/messages/test_sentences.py holds the page equal to it.
"""

from __future__ import annotations

import re
from pathlib import Path

from bychance.messages import Code
from bychance.messages.sentences import FAMILIES, SENTENCES

__all__ = ["PAGE", "page"]

PAGE = Path(__file__).parents[1] / "docs" / "notes.md"
_NOUNS = ("row", "word", "number", "value", "time", "group", "file", "pair")
_MARK = "<!-- Written by tools/note_codes.py. -->\n"
_COUNT = re.compile(rf"\{{(\w+):((?:other |more such )?(?:{'|'.join(_NOUNS)}))\}}")
_FIELD = re.compile(r"\{(\w+)(?::[^{}]*)?\}")


def page(text: str) -> str:
    """The page with the table as it is now below its mark."""
    above, mark, _ = text.partition(_MARK)
    rows = [f"| `{code}` | {_said(code)} |" for code in Code]
    return above + mark + "\n".join(["", "| Code | What is said |", "|---|---|", *rows, ""])


def _said(code: Code) -> str:
    """The sentence with the names of its fields, without what only says how they are written."""
    if code in FAMILIES:
        return FAMILIES[code]
    choices = re.sub(r"\{\w+:(?:[^{}|]*)\|([^{}]*)\}", r"\1", SENTENCES[code])
    return _FIELD.sub(r"`\1`", _COUNT.sub(r"`\1` \2s", choices)).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
