"""Comments among the rows of a text file: lines that begin with # and are no row as the others are."""

from __future__ import annotations

import csv
import re
from itertools import islice

from bychance.io.below import LINE_END
from bychance.messages import KEEP_ALL_ROWS, Code, Note

__all__ = ["COMMENT", "without_comments"]

COMMENT = "#"
MOST_SHARE, MOST_COMMENTS = 0.2, 1_000
_LINE = re.compile(r"(?<=[\r\n])#[^\r\n]*")


def without_comments(
    text: str, delimiter: str, n_above: int, *, has_more: bool
) -> tuple[str, tuple[Note, ...]]:
    """The text with empty lines for its comments below the first line, and a note on them.

    A line is one where it has more or fewer values than the first; where there is one, or there are more
    above the names, all others that begin so are.

    >>> without_comments("a,b\\n1,2\\n# restarted\\n3,4\\n5,6\\n7,8\\n", ",", 0, has_more=False)[0]
    'a,b\\n1,2\\n\\n3,4\\n5,6\\n7,8\\n'
    """
    found = list(islice(_LINE.finditer(text), MOST_COMMENTS + 1))
    share = 1.0 if has_more else MOST_SHARE
    if not found or len(found) > min(MOST_COMMENTS, share * (text.count("\n") + text.count("\r"))):
        return text, ()
    end = LINE_END.search(text)
    width = _n_values(text[: end.start()] if end else text, delimiter)
    if not has_more and all(_n_values(match[0], delimiter) == width for match in found):
        return text, ()
    kept, lines = list[str](), list[int]()
    last, line, n_quotes = 0, n_above + 1, 0
    for match in found:
        between = text[last : match.start()]
        line, n_quotes = line + len(LINE_END.findall(between)), n_quotes + between.count('"')
        last = match.start() if n_quotes % 2 else match.end()  # within quotes it is part of a value
        kept.append(between)
        lines += [] if n_quotes % 2 else [line]
    if not lines:
        return text, ()
    note = Note.on_table(Code.COMMENTS_LEFT_OUT, n=len(lines), lines=tuple(lines), option=KEEP_ALL_ROWS)
    return "".join([*kept, text[last:]]), (note,)


def _n_values(line: str, delimiter: str) -> int:
    return len(next(csv.reader([line], delimiter=delimiter), []))
