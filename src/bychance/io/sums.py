"""Rows that sum up other rows, whatever they are called: left out at an end of a table, told elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import numpy_of, strings_of
from bychance.columns import Column
from bychance.io.cells import TextCells
from bychance.io.footer import SUMS, LastRows, is_called_total, note_on_totals
from bychance.kinds import Kind
from bychance.messages import Code, Note
from bychance.names import display_name

__all__ = ["note_on_totals_among", "row_of_sums"]

_FEWEST_OTHERS, _FEWEST_SUMMANDS, _FEWEST_COLUMNS = 4, 3, 2
_MOST_CHANCE = 1e-3  # of finding such sums among all columns of a table
_ALIKE = 0.5  # largest relative difference between a sum and a number that might have been one
_PROPORTIONAL = 0.9999  # correlation from which columns are one number in two units
_MOST_DECIMALS, _FIRST_VALUES, _MOST_COMPARED = 6, 1_000, 20
_MOST_TOTALS_SHARE = _MOST_MISSING_SHARE = 0.2  # of the rows
_LISTED = 3
_SUM = "|".join(re.escape(word) for word in sorted(SUMS, key=len, reverse=True))
_ENDS = rf"(?i)^(.{{0,39}}[\s(:–-])?({_SUM})\s*[:)]?\s*$"  # of a sentence it may be the last word
_ENDS_NAMES = r"(?i)[\s(:–-](sum|som|somma|somme|suma)\W*$"  # of places as well: Massa di Somma


def row_of_sums(cells: Mapping[str, object], columns: Sequence[Column]) -> LastRows | None:
    """Find a first or last row that holds the sums of all other rows.

    A first row that is called a total needs one column of numbers in which it does. Of other rows, two
    columns that are not proportional must hold exact sums, larger than any summand and beyond what chance
    finds among all columns.

    >>> from bychance.io import read_table
    >>> table = read_table({"people": [80, 10, 20, 15, 35], "cars": [410, 50, 90, 70, 200]})
    >>> row_of_sums({}, table.columns).are_first
    True
    """
    numbers = [column for column in columns if _may_be_summed(column)]
    for row in (-1, 0):
        alike = [column for column in numbers if _may_be_sum(column, row)]
        sums = [column for column in alike if _is_sum(column, row)]
        if not sums or len(sums) < len(alike) / 2:
            continue
        called = _called(cells, row)
        if (row == 0 and is_called_total(called)) or _is_beyond_chance(sums, row, len(numbers)):
            place, names = "first" if row == 0 else "last", tuple(column.name for column in sums)
            note = note_on_totals(1, place, [called] if called else [], names)
            return LastRows(1, note, are_first=row == 0)
    return None


def _may_be_summed(column: Column) -> bool:
    return column.kind is Kind.NUMERIC and column.clock is None and len(column.present) > _FEWEST_OTHERS


def _called(cells: Mapping[str, object], row: int) -> str:
    """Return the first cell of a row that names a total, or that has a word."""
    texts = [_cell(values, row) for values in cells.values()]
    words = (text for text in texts if any(map(str.isalpha, text)))
    return next(filter(is_called_total, texts), "") or next(words, "")


def _cell(values: Any, row: int) -> str:
    cell = values.values[row].as_py() if isinstance(values, TextCells) else values[row]
    return cell if isinstance(cell, str) else ""


def _value(column: Column, row: int) -> float:
    is_missing = column.is_missing is not None and column.is_missing[row]
    return np.nan if is_missing else float(column.values[row])


def _others(column: Column, row: int) -> NDArray[np.float64]:
    """Return the numbers of the other rows, 0 for a missing one."""
    others = column.values[1:] if row == 0 else column.values[:-1]
    is_missing = (
        None if column.is_missing is None else column.is_missing[1:] if row == 0 else column.is_missing[:-1]
    )
    floats = others.astype(np.float64)
    return floats if is_missing is None else np.where(is_missing, 0.0, floats)


def _may_be_sum(column: Column, row: int) -> bool:
    value, total = _value(column, row), float(_others(column, row).sum())
    return value != 0 and abs(value - total) <= _ALIKE * max(abs(value), abs(total))


def _is_sum(column: Column, row: int) -> bool:
    """Return True for the exact sum of three numbers or more that are smaller, up to rounding."""
    value, others = _value(column, row), _others(column, row)
    if np.count_nonzero(others) < _FEWEST_SUMMANDS:
        return False
    is_exact = abs(value - float(others.sum())) <= _tolerance(column, row)
    return bool(is_exact and abs(value) > np.abs(others).max())


def _is_beyond_chance(sums: Sequence[Column], row: int, n_columns: int) -> bool:
    """Return True if chance hardly makes the sums of two columns or more that are not proportional.

    The bound is the chance of all of these sums, times the ways to pick as many of the columns looked at. A
    sum is as random as its summands: the width of what counts as equal, times the highest density of a
    normal distribution with the spread of the sum.
    """
    independent = _independent(sums, row)
    if len(independent) < _FEWEST_COLUMNS:
        return False
    log_chance = math.log(math.comb(n_columns, len(independent)))
    for column in independent:
        others = _others(column, row)
        spread = float(others.std()) * math.sqrt(len(others))
        width = _unit(column, row) + 2 * _tolerance(column, row)
        log_chance += min(0.0, math.log(width / (math.sqrt(2 * math.pi) * spread))) if spread else 0.0
    return log_chance <= math.log(_MOST_CHANCE)


def _independent(columns: Sequence[Column], row: int) -> list[Column]:
    """Return the columns that are not proportional to one before."""
    kept = list[tuple[Column, NDArray[np.float64]]]()
    for column in columns[:_MOST_COMPARED]:
        others = _others(column, row)
        others = others - others.mean()
        size = float(np.linalg.norm(others))
        others = others / size if size else others
        if all(abs(float(others @ before)) < _PROPORTIONAL for _, before in kept):
            kept.append((column, others))
    return [column for column, _ in kept]


def _tolerance(column: Column, row: int) -> float:
    """Return how far a sum of rounded numbers may be from the rounded sum: 0 for whole numbers."""
    unit = _unit(column, row)
    return 1e-9 * abs(_value(column, row)) if unit >= 1 else 1.2 * unit * len(column) ** 0.5


def _unit(column: Column, row: int) -> float:
    """Return the last digit that the numbers are written with."""
    some = np.append(_others(column, row)[:_FIRST_VALUES], _value(column, row))
    for n_decimals in range(_MOST_DECIMALS):
        scaled = some * 10.0**n_decimals
        if (np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)).all():
            return float(10.0**-n_decimals)
    return float(10.0**-_MOST_DECIMALS)


def note_on_totals_among(
    cells: Mapping[str, object], columns: Sequence[Column], *, is_sample: bool = False
) -> Note | None:
    """Return a note on rows that look like totals, by the first column that says so, or None.

    They are fewer than 20% of the rows, a category of theirs ends with a word for sums, and they hold
    numbers. Either they lack what most other rows have, or the rest of that category is a category as well:
    "North total" beside "North". Of a sample of rows, nobody knows how many there are.
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
    is_named = is_so_called[column.values] & _is_present(column)
    if not 0 < np.count_nonzero(is_named) < _MOST_TOTALS_SHARE * len(column):
        return None
    known = {label.strip() for label in labels} - {""}
    rests = [re.sub(_ENDS, r"\1", label).strip(" :–-(") for label in labels]
    of_group = is_so_called & np.array([rest in known for rest in rests])
    may_be_name = ~of_group & numpy_of(pc.match_substring_regex(texts, _ENDS_NAMES))
    lacks, has_number = np.zeros(len(column), np.bool_), np.zeros(len(column), np.bool_)
    for other in others:
        if other.is_missing is not None and other.is_missing[~is_named].mean() <= _MOST_MISSING_SHARE:
            lacks |= other.is_missing
        if other.kind is Kind.NUMERIC and other.clock is None:
            has_number |= _is_present(other)
    is_sure = is_named & (of_group[column.values] | (lacks & ~may_be_name[column.values]))
    # A grand total may lack nothing where subtotals do.
    is_word = np.array([is_called_total(label) for label in labels])
    is_total = is_named & (is_sure | is_word[column.values]) & has_number
    return is_total if is_sure.any() and is_total.any() else None


def _is_present(column: Column) -> NDArray[np.bool_]:
    return np.ones(len(column), np.bool_) if column.is_missing is None else ~column.is_missing


def _note(column: Column, rows: NDArray[np.intp], cells: Any, *, is_sample: bool) -> Note:
    called = tuple(dict.fromkeys(str(column.labels[code]).strip() for code in column.values[rows]))
    name, first_line = display_name(column.name), getattr(cells, "first_line", None)
    if is_sample:
        return Note.on_table(Code.TOTALS_AMONG_SAMPLE, cells=called, column=name)
    listed = [f"{row + (first_line or 0):,}" for row in rows.tolist()]
    places = ", ".join(listed[:_LISTED]) + (", …" if len(listed) > _LISTED else "")
    what = "line" if first_line is not None else "row"
    counting = "" if first_line is not None else ", counting from 0"
    places = f"{what}{'s' * (len(rows) > 1)} {places}{counting}"
    return Note.on_table(Code.TOTALS_AMONG_ROWS, n=len(rows), cells=called, column=name, places=places)
