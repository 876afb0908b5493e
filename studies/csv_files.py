"""Tables of studies as CSV files, which lie in docs/validation/ beside the page that sums them up."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["read_rows", "write_rows"]


def write_rows(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a line of names and one line per row."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a file, each by name."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
