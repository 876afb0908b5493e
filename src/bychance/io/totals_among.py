"""Rows among the others that look like totals of some of them: they stay, with a note."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of, strings_of
from bychance.columns import Column
from bychance.io.below import SUMS, is_called_total
from bychance.io.cells import TextCells
from bychance.kinds import Kind
from bychance.messages import Code, Note
from bychance.names import display_name

__all__ = ["note_on_totals_among"]

MOST_TOTALS_SHARE = 0.2
MOST_MISSING_SHARE = 0.2
_LISTED = 3
_SUM = "|".join(re.escape(word) for word in sorted(SUMS, key=len, reverse=True))
_ENDS = rf"(?i)^(.{{0,39}}[\s(:–-])?({_SUM})\s*[:)]?\s*$"  # of a sentence it may be the last word
_ENDS_NAMES = r"(?i)[\s(:–-](sum|som|somma|somme|suma)\W*$"  # of places as well: Massa di Somma


def note_on_totals_among(
    cells: Mapping[str, object], columns: Sequence[Column], *, is_sample: bool = False
) -> Note | None:
    """A note on rows that look like totals, by the first column that says so; None where none does.

    Of a sample of rows, nobody knows how many there are, and where.

    They are fewer than 20 % of the rows, a category of theirs ends with a word for sums, and they hold
    numbers. Either they lack what most other rows have, or the rest of that category is a category as well:
    "North total" beside "North".
    """
    for column in columns:
        if column.kind is not Kind.CATEGORICAL or not column.labels or not isinstance(column.labels[0], str):
            continue
        is_total = _are_totals(column, [other for other in columns if other is not column])
        if is_total is not None:
            return _note(column, np.flatnonzero(is_total), cells.get(column.name), is_sample=is_sample)
    return None


def _are_totals(column: Column, others: Sequence[Column]) -> NDArray[np.bool_] | None:
    import pyarrow.compute as pc

    labels = [str(label) for label in column.labels]
    texts = strings_of(labels)
    is_so_called = numpy_of(pc.match_substring_regex(texts, _ENDS))
    if not is_so_called.any():
        return None
    is_present = _is_present(column)
    is_named = is_so_called[column.values] & is_present
    if not 0 < np.count_nonzero(is_named) < MOST_TOTALS_SHARE * len(column):
        return None
    known = {label.strip() for label in labels} - {""}
    of_group = np.array(
        [
            bool(is_so) and re.sub(_ENDS, r"\1", label).strip(" :–-(") in known
            for label, is_so in zip(labels, is_so_called, strict=True)
        ]
    )
    may_be_name = ~of_group & numpy_of(pc.match_substring_regex(texts, _ENDS_NAMES))
    lacks = _lacks_something(is_named, others) & ~may_be_name[column.values]
    is_sure = is_named & (of_group[column.values] | lacks)
    if not is_sure.any():
        return None
    # A grand total may lack nothing where subtotals do.
    is_word = np.array([is_called_total(label) for label in labels])
    is_total = is_named & (is_sure | is_word[column.values]) & _has_number(len(column), others)
    return is_total if is_total.any() else None


def _lacks_something(is_named: NDArray[np.bool_], others: Sequence[Column]) -> NDArray[np.bool_]:
    """Which rows lack a value that most rows have which are not called totals."""
    lacks = np.zeros(len(is_named), np.bool_)
    for other in others:
        if other.is_missing is not None and other.is_missing[~is_named].mean() <= MOST_MISSING_SHARE:
            lacks |= other.is_missing
    return lacks


def _has_number(n_rows: int, others: Sequence[Column]) -> NDArray[np.bool_]:
    has_number = np.zeros(n_rows, np.bool_)
    for other in others:
        if other.kind is Kind.NUMERIC and other.clock is None:
            has_number |= _is_present(other)
    return has_number


def _is_present(column: Column) -> NDArray[np.bool_]:
    return np.ones(len(column), np.bool_) if column.is_missing is None else ~column.is_missing


def _note(column: Column, rows: NDArray[np.intp], cells: Any, *, is_sample: bool) -> Note:
    first_line = cells.first_line if isinstance(cells, TextCells) else None
    called = tuple(dict.fromkeys(str(column.labels[code]).strip() for code in column.values[rows]))
    if is_sample:
        return Note.on_table(Code.TOTALS_AMONG_SAMPLE, cells=called, column=display_name(column.name))
    places = [f"{row + (first_line or 0):,}" for row in rows.tolist()]
    what = f"line{'s' * (len(rows) > 1)} {_some(places)}"
    if first_line is None:
        what = f"row{'s' * (len(rows) > 1)} {_some(places)}, counting from 0"
    return Note.on_table(
        Code.TOTALS_AMONG_ROWS, n=len(rows), cells=called, column=display_name(column.name), places=what
    )


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:_LISTED]) + (", …" if len(texts) > _LISTED else "")
