"""Columns of text as a text file has them: what their cells look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from bychance.io.cells import TextCells


def as_in_a_file(columns: Mapping[str, Sequence[str | None]]) -> dict[str, TextCells]:
    return {name: TextCells(pa.array(values, pa.large_string())) for name, values in columns.items()}
