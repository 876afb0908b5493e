"""Columns of text as a text file has them, and sheets of workbooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from bychance.io.cells import TextCells


def as_in_a_file(columns: Mapping[str, Sequence[str | None]]) -> dict[str, TextCells]:
    return {name: TextCells(pa.array(values, pa.large_string())) for name, values in columns.items()}


def write_sheet(path: Path, rows: Sequence[Sequence[object]], corner: tuple[int, int] = (1, 1)) -> Path:
    """Write a workbook with these cells from a corner on, and return its path."""
    book = pytest.importorskip("openpyxl").Workbook()
    for row, cells in enumerate(rows, start=corner[0]):
        for column, cell in enumerate(cells, start=corner[1]):
            book.active.cell(row, column, cell)
    book.save(path)
    return path
