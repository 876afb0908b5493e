"""Text files and how they are read: every case of layouts.txt has its rows, kinds, first values and notes."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bychance.io import TextFormat, read_table
from bychance.kinds import Kind

FILE = Path(__file__).with_name("layouts.txt")
_ROWS = re.compile(r"([A-Z]+_\d+B*) = (.*)")
_CASE = re.compile(r"(?:\.(\w+) )?(.*)  →  (\{.*\} )?(\d+) rows: (.*) \|(.*)")
_MOST_COLUMNS = 8


@dataclass(frozen=True)
class Case:
    """A file, what the caller says about it, and what must become of it."""

    title: str
    text: str
    suffix: str
    n_rows: int
    columns: str
    codes: list[str]
    options: dict[str, Any]


def cases() -> list[Case]:
    rows, title, found = dict[str, str](), "", list[Case]()
    for line in FILE.read_text(encoding="utf-8").split("\n"):
        if line.startswith("# "):
            title = line[2:]
        elif match := _CASE.fullmatch(line):
            suffix, text, options, n_rows, columns, codes = match.groups()
            text = re.sub(r"\{([A-Z]+_\d+B*)\}", lambda name: rows[name[1]], _unescaped(text))
            told = ast.literal_eval(options.strip()) if options else {}
            if "text_format" in told:
                told["text_format"] = TextFormat(**told["text_format"])
            found.append(
                Case(
                    title,
                    text,
                    suffix or "csv",
                    int(n_rows),
                    _unescaped(columns),
                    codes.split(),
                    told,
                )
            )
        elif match := _ROWS.fullmatch(line):
            rows[match[1]] = _unescaped(match[2])
    return found


def _unescaped(text: str) -> str:
    marks = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    return re.sub(r"\\([ntr\\])", lambda mark: marks[mark[1]], text)


def column_in_words(column: Any) -> str:
    """Name a column with its kind, its first value and how many are missing."""
    is_missing = np.zeros(len(column), bool) if column.is_missing is None else column.is_missing
    kind, value = "c", ""
    if column.clock is not None:
        kind, value = "d", str(column.clock.moments(column.values[:1])[0]).removesuffix(" 00:00:00")
    elif column.kind is Kind.NUMERIC:
        kind, value = "n", f"{float(column.values[0]):g}"
    else:
        value = str((column.labels or (False, True))[int(column.values[0])])
    shown = "-" if is_missing[0] else value
    return f"{column.name}={kind} {shown}" + (f" ?{is_missing.sum()}" if is_missing.any() else "")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.title)
def test_a_text_file_is_read(tmp_path, case):
    path = tmp_path / f"t.{case.suffix}"
    path.write_bytes(case.text.encode())
    table = read_table(path, **case.options)

    assert table.n_rows == case.n_rows
    columns = [column_in_words(column) for column in table]
    more = ["…"] if len(columns) > _MOST_COLUMNS else []
    assert "; ".join([*columns[:_MOST_COLUMNS], *more]) == case.columns
    assert [note.code.value for note in table.notes] == case.codes
