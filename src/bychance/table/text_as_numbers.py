"""Text that adjust() takes as categories and read_table() as numbers: a column → what to say of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.table.numbers_among import are_many
from bychance.table.text_cells import DistinctCells, TextCells
from bychance.table.typed_column import cells_of
from bychance.table.typing_rules import typed_cells
from bychance.table.wishes import Wishes

__all__ = ["said_of_text"]

_START = 20


def said_of_text(values: Any, column: Column) -> str | None:
    """That the values of many categories are text, and numbers or dates for read_table(); None elsewhere.

    >>> from bychance.read_column import read_column
    >>> areas = [f"{k} m²" for k in range(30)]
    >>> print(said_of_text(areas, read_column(areas, "x")))
    `x` is text and taken as 30 categories; bc.rank and bc.read_table read numbers or dates (numbers in m²)
    """
    labels = column.labels
    if column.kind is not Kind.CATEGORICAL or not labels or not isinstance(labels[0], str):
        return None
    first = [str(label) for label in labels[:_START]]
    # Whole numbers as text are the codes of categories, made so on purpose.
    if not are_many(len(labels), len(column)) or not any(map(_has_digit, first)) or _are_codes(first):
        return None
    cells = cells_of(values, None)
    if not isinstance(cells, TextCells):
        return None
    typed = typed_cells(cells, column.name, Wishes())
    is_text = isinstance(typed.values, DistinctCells)
    counted = f"`{column.name}` is text and taken as {len(np.unique(column.present)):,} categories"
    if not is_text:
        how = f" ({typed.note})" if typed.note else ""
        return f"{counted}; bc.rank and bc.read_table read numbers or dates{how}"
    return None if typed.aside is None else f"{counted}; bc.read_table sets it aside: {typed.aside}"


def _are_codes(labels: Sequence[str]) -> bool:
    return all(label.isdigit() for label in labels)


def _has_digit(label: str) -> bool:
    return any(map(str.isdigit, label))
