"""Lines whose values blanks separate, as instruments and older programs write them: text → text with tabs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from bychance.io.below import LINE_END
from bychance.io.text_format import DELIMITERS

__all__ = ["with_tabs"]

FEWEST_LINES = 5
_COMMENT = "#"
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def with_tabs(text: str, sample: str) -> str | None:
    """The text with a tab for each run of blanks; None where blanks do not cut its first lines alike.

    They do where no other delimiter occurs, all lines have as many values, two or more (names may be one
    fewer, but two), one column is of numbers, and no other is one word alone, as in "Room 1", "Room 2". A
    comment right above the first row that has as many words holds the names where that row has numbers.

    >>> text = "# lab 3\\n#time  value\\n" + "0.5  1\\n" * 5
    >>> with_tabs(text, text)[:28]
    '# lab 3\\ntime\\tvalue\\n0.5\\t1\\n0.5'
    >>> with_tabs("New York\\n" * 6, "New York\\n" * 6) is None
    True
    """
    lines = [line for line in LINE_END.split(sample) if line.strip() and not _is_comment(line)]
    if len(lines) < FEWEST_LINES or any(mark in lines[0] for mark in DELIMITERS):
        return None
    if any(line.count('"') % 2 for line in lines) or any(mark in sample for mark in "\t;|"):
        return None
    names, *rows = _values(lines)
    width = len(rows[0])
    if len(names) < 2 or len(names) not in (width, width - 1) or any(len(row) != width for row in rows):
        return None
    if any("," in value for row in rows for value in row):
        return None
    columns = list(zip(*rows, strict=True))
    words = [column for column in columns if not _are_numbers(column)]
    if len(words) == width or any(len(set(column)) == 1 for column in words):
        return None
    return _rewritten(text, width, has_names=not any(map(_NUMBER.fullmatch, names)))


def _rewritten(text: str, width: int, *, has_names: bool) -> str:
    lines = LINE_END.split(text.rstrip("\r\n"))
    first = next(k for k, line in enumerate(lines) if line.strip() and not _is_comment(line))
    if first and not has_names:
        names = lines[first - 1].lstrip(f"{_COMMENT} ")
        lines[first - 1] = names if len(names.split()) == width else lines[first - 1]
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter="\t", lineterminator="\n")
    for line in lines:
        if _is_comment(line):
            written.write(f"{line}\n")
        else:
            writer.writerows(_values([line]))
    return written.getvalue()


def _values(lines: Iterable[str]) -> Iterator[list[str]]:
    return csv.reader((line.strip() for line in lines), delimiter=" ", skipinitialspace=True)


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith(_COMMENT)


def _are_numbers(values: Iterable[str]) -> bool:
    return all(map(_NUMBER.fullmatch, values))
