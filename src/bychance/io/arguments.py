"""Arguments of adjust() and its like → typed columns, their text read as read_table() does, and what to say.

What read_table() would set aside stays: whoever names a column wants it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bychance.columns import Column
from bychance.io.numbers_among import are_many
from bychance.io.text_cells import DistinctCells, TextCells
from bychance.io.typed_column import cells_of
from bychance.io.typing_rules import Typed, typed_cells
from bychance.io.wishes import Wishes
from bychance.messages import Code, Remark, joined_remarks
from bychance.read_column import read_column

__all__ = ["read_argument"]


def read_argument(values: Any, name: str) -> tuple[Column, str | None]:
    """The column that an array-like is, and what to say of its text where that was read as something else.

    Numbers as text are categories. Whole ones are codes, made so on purpose: nothing is said of these.

    >>> column, said = read_argument(["$1,200", "$7.50"], "x")
    >>> column.values.tolist(), said
    ([1200.0, 7.5], '`x` is text: numbers in $; commas separate thousands')
    >>> read_argument(["2", "1", "NA"], "x")[0].present.tolist()
    [0, 1]
    """
    cells = _cells(values)
    if cells is None:
        return read_column(values, name), None
    typed = typed_cells(cells, name, Wishes())
    if isinstance(typed.values, DistinctCells):
        column = _labels(values, typed.values, name)
        said = _said_of_labels(typed, typed.values.texts, len(column))
    else:
        column, said = read_column(typed.values, name), _as_read(typed.said)
    return column, f"`{name}` is text: {said}" if said else None


def _cells(values: Any) -> TextCells | None:
    """The cells of values that are declared as text; None for what read_column takes, or refuses."""
    if isinstance(values, list | tuple) and not any(isinstance(value, str) for value in values):
        return None  # as most lists are
    try:
        cells = cells_of(values, None) if len(values) else None
    except TypeError:
        return None
    return cells if isinstance(cells, TextCells) and cells.is_declared else None


def _labels(values: Any, cells: DistinctCells, name: str) -> Column:
    """The categories as they come, without those that mark a missing value."""
    is_missing = cells.codes < 0
    if is_missing.all():
        return cells.column(name)
    return replace(read_column(values, name), is_missing=is_missing if is_missing.any() else None)


def _as_read(said: tuple[Remark, ...]) -> str:
    """Say how text was read, as that it is text is said before."""
    is_plain = [told.code for told in said] == [Code.TEXT_READ]
    return f"read as {said[0].values['what']}" if is_plain else joined_remarks(said)


def _said_of_labels(typed: Typed, texts: Any, n_rows: int) -> str:
    import pyarrow.compute as pc

    if typed.aside:
        aside = joined_remarks(typed.aside)
        return f"taken for {len(texts):,} categories, which bc.read_table sets aside: {aside}"
    if not typed.are_numbers:
        return joined_remarks(typed.said)
    are_codes = pc.all(pc.match_substring_regex(texts, r"^\s*[0-9]+\s*$")).as_py()
    if are_codes or not are_many(len(texts), n_rows):
        return ""
    return f"{len(texts):,} numbers, taken for categories; convert them to have them read as numbers"
