"""One column of a source → a typed column as it is or is wished to be, or none, with what was noticed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.names import display_name, first_line
from bychance.read_column import read_column
from bychance.table.convert import as_arrow, as_kind, without
from bychance.table.frames import Source
from bychance.table.record import Note
from bychance.table.remarks import counts_rows, merge_labels, remarks_on
from bychance.table.set_aside import are_strings, reason_to_set_aside
from bychance.table.text_cells import TextCells, as_text
from bychance.table.typing_rules import Typed, typed_cells
from bychance.table.wishes import Wishes

__all__ = ["column_of", "typed_column"]

_IN_A_NOTE = ("must be finite, got", "has infinite values:")
_UNREADABLE = (ValueError, TypeError, NotImplementedError, OverflowError)


def typed_column(
    source: Source, name: str, wishes: Wishes, decimal: str | None
) -> tuple[Column | None, list[Note]]:
    """The column, None where it is set aside, and what was noticed about it."""
    values, kind = source.columns[name], wishes.kind_of(name)
    if isinstance(values, Column):
        return _wished(values, wishes), []
    typed, is_text = Typed(values), False
    try:
        if (
            type(values) is np.ndarray
            and values.dtype.kind in "fiu"
            and wishes.missing is None
            and kind is None
        ):
            column = read_column(values, name)
        else:
            cells = _cells(values, decimal)
            if isinstance(cells, TextCells):
                is_text, marks = True, cells.missing if wishes.missing is None else wishes.missing
                typed = typed_cells(cells, name, kind, marks, day_first=wishes.day_first)
            else:
                typed = Typed(cells)
            aside = typed.aside
            if kind is None:
                aside = source.asides.get(name) or aside or reason_to_set_aside(typed.values)
            if aside is not None:
                return None, [Note(name, aside, is_set_aside=True)]
            column = _wished(_column(name, typed.values, wishes.missing), wishes)
    except BychanceError:
        raise
    except _UNREADABLE as error:
        reason = _reason(error, name)
        if kind is not None or "one-dimensional" in reason:
            raise BychanceError(f"`{display_name(name)}` {reason}. drop=[{name!r}] leaves it out.") from None
        return None, [Note(name, f"it {reason}".replace(*_IN_A_NOTE), is_set_aside=True)]
    if kind is not None:
        return column, []
    if name in source.unnamed and (emptiness := _empty_or_counter(column)) is not None:
        return None, [Note(name, emptiness, is_set_aside=True)]
    said = [*([typed.note] if typed.note else []), *remarks_on(column, is_text=is_text)]
    return column, [Note(name, text) for text in said]


def column_of(values: Any, name: str, wishes: Wishes, decimal: str | None) -> Column:
    """Values as the column that is wished for, none of them set aside and nothing said about them.

    >>> wishes = Wishes.of(numeric="a", categorical=(), drop=(), missing=None, merge=(), day_first=None)
    >>> column_of(["1", None, "2.5"], "a", wishes, None).values.tolist()
    [1.0, nan, 2.5]
    """
    cells = _cells(values, decimal)
    if isinstance(cells, TextCells):
        marks = cells.missing if wishes.missing is None else wishes.missing
        cells = typed_cells(cells, name, wishes.kind_of(name), marks, day_first=wishes.day_first).values
    return _wished(_column(name, cells, wishes.missing), wishes)


def _cells(values: Any, decimal: str | None) -> Any:
    """Text as cells, however it comes; the rest as read_column takes it best."""
    if isinstance(values, TextCells):
        return replace(values, decimal=values.decimal or decimal)
    arrow = as_arrow(values)
    if are_strings(arrow):
        return TextCells(arrow, decimal)
    if _is_mixture(arrow):
        text = as_text(arrow)
        return arrow if text is None else TextCells(text, decimal)
    return arrow


def _is_mixture(values: Any) -> bool:
    """Whether these are Python objects that Arrow made nothing of, with strings among them."""
    is_loose = isinstance(values, list | tuple) or str(getattr(values, "dtype", "")) == "object"
    return is_loose and getattr(values, "ndim", 1) == 1 and any(isinstance(value, str) for value in values)


def _column(name: str, values: Any, missing: frozenset[str] | None) -> Column:
    try:
        column = read_column(values, display_name(name))
    except ValueError as error:
        if missing is None or "finite" not in str(error):
            raise
        # The caller may have named what is infinite.
        floats = np.array(values, dtype=np.float64)
        for mark in missing & {"inf", "-inf"}:
            floats[floats == float(mark)] = np.nan
        column = read_column(floats, display_name(name))
    return replace(column, name=name)


def _wished(column: Column, wishes: Wishes) -> Column:
    if wishes.missing is not None:
        column = without(column, wishes.missing)
    if (kind := wishes.kind_of(column.name)) is not None:
        column = as_kind(column, kind)
    return merge_labels(column) if column.name in wishes.merge else column


def _empty_or_counter(column: Column) -> str | None:
    """Programs write row numbers and trailing delimiters as columns without names."""
    if column.is_missing is not None and column.is_missing.all():
        return "it has no name and no values"
    return "it has no name and counts the rows" if counts_rows(column, fewest=1) else None


def _reason(error: Exception, name: str) -> str:
    """What is wrong with a column, to follow its name."""
    text, shown = str(error), (f"`{name}` ", f"`{display_name(name)}` ")
    if not text.startswith(shown):
        return f"could not be read: {first_line(error)}"
    text = text.removeprefix(shown[0]).removeprefix(shown[1]).rstrip(".")
    return f"{text}; missing=['inf', '-inf'] reads them as missing" if "finite" in text else text
