"""Messy columns and what each must become, as columns.txt has them."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("columns.txt")
_CASE = re.compile(r"(?:([^¦]*?): )?(.*) × (\d+) → (\w+)(?: ([^|].*?))? \|(.*)")
_BETWEEN, _NULL = " ¦ ", "∅"

Cell = str | None
Value = float | str | None


@dataclass(frozen=True)
class Case:
    """Cells of a column, and the kind, values and notes that it must have through every door.

    `kind` is numeric, date, time, span, categorical or aside. Dates are ISO 8601 text in UTC, times and spans
    are seconds since the first. `words` must stand in the notes.
    """

    name: str
    cells: list[Cell]
    kind: str
    values: list[Value]
    codes: list[str]
    words: list[str]
    delimiter: str = ","
    options: dict[str, object] = field(default_factory=dict)


def cases() -> list[Case]:
    found = list[Case]()
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if (match := _CASE.fullmatch(line)) is None:
            assert not line or line.startswith("# "), line
            continue
        name, texts, n, kind, values, notes = match.groups()
        cells = [None if text == _NULL else text for text in texts.split(_BETWEEN)]
        codes, words, options = (*(part.strip() for part in notes.split("|")), "", "")[:3]
        told = ast.literal_eval(options) if options else {}
        delimiter = told.pop("delimiter", ",")
        expected = cells if values == "=" else _values(values or "", kind)
        found.append(
            Case(
                name or f"{texts[:60]} as {kind}, {len(found)}",
                cells * int(n),
                kind,
                expected * int(n),
                codes.split(),
                words.split(_BETWEEN) if words else [],
                delimiter,
                told,
            )
        )
    return found


def _values(text: str, kind: str) -> list[Value]:
    parts = text.split(_BETWEEN) if text else []
    is_text = kind in ("categorical", "date")
    return [None if part == _NULL else part if is_text else float(part) for part in parts]
