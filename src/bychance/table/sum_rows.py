"""Rows that hold the sums or means of all other rows, wherever they stand and whatever they are called."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy
from bychance.columns import Column
from bychance.kinds import Kind
from bychance.table.below import is_called_total, is_near, note_on_left_out, summed_in
from bychance.table.record import Note
from bychance.table.text_cells import TextCells

__all__ = ["SumRows", "sum_rows_of", "without_rows"]

_FEWEST_OTHERS, _FEWEST_SUMMANDS, _FEWEST_COLUMNS = 4, 3, 2
_MOST_AT_AN_END = 4  # Google Ads writes a total of all campaigns, one of those shown, and some of their kinds
_CHANCE_OF_SUMS, _CHANCE_OF_MEANS = 1e-3, 1e-6
_PROPORTIONAL = 0.9999  # of a correlation: columns of one number in two units tell once
_MOST_DECIMALS, _FIRST_VALUES, _MOST_COMPARED = 6, 1_000, 20


@dataclass(frozen=True, slots=True)
class SumRows:
    """The positions of the rows among `n_rows`, what they are called, and in which columns they sum up."""

    rows: tuple[int, ...]
    n_rows: int
    called: tuple[str, ...]
    columns: tuple[str, ...]
    line: int | None = None

    @property
    def note(self) -> Note:
        """That they were left out."""
        what = f"up {self._others}{summed_in(self.columns)}"
        return note_on_left_out(len(self.rows), self._place, self.called, "sum", what)

    @property
    def _place(self) -> str:
        if self.rows[0] == 0:
            return "first {rows}"
        if self.rows[-1] == self.n_rows - 1:
            return "last {rows}"
        return f"row in line {self.line:,}" if self.line is not None else f"row {self.rows[0]:,} (from 0)"

    @property
    def _others(self) -> str:
        if self.rows[0] == 0:
            return "the rows below"
        return "the rows above" if self.rows[-1] == self.n_rows - 1 else "all others"


def sum_rows_of(cells: Mapping[str, object], columns: Sequence[Column]) -> SumRows | None:
    """The rows that hold the sums of all others, or their means, in columns of numbers; None for none.

    A first row that is called a total needs one such column. Of others, two columns that are not proportional
    must hold exact sums, larger than any summand and of too many digits for chance; or all numbers of a first
    or last row are means, and that is beyond chance.

    >>> from bychance.table import read_table
    >>> table = read_table({"people": [80, 10, 20, 15, 35], "cars": [410, 50, 90, 70, 200]})
    >>> sum_rows_of({}, table.columns).rows
    (0,)
    """
    numbers = _Numbers.of(columns)
    if not numbers.columns:
        return None
    n_rows = len(numbers.columns[0])
    for rows in _candidates(numbers, n_rows):
        is_called_so = rows == (0,) and is_called_total(_called(cells, 0))
        if summed := _summed(rows, n_rows, numbers, is_called_so=is_called_so):
            called = (_called(cells, row) for row in rows)
            first_lines = (own.first_line for own in cells.values() if isinstance(own, TextCells))
            first_line = next(first_lines, None)
            line = None if first_line is None else first_line + rows[0]
            return SumRows(rows, n_rows, tuple(filter(None, called)), summed, line)
    return None


def without_rows(columns: Mapping[str, object], rows: Sequence[int], n_rows: int) -> dict[str, object]:
    """Columns of a text file or sheet, less what stands in these of their rows."""
    is_kept = np.ones(n_rows, np.bool_)
    is_kept[list(rows)] = False
    return {name: _kept(values, is_kept) for name, values in columns.items()}


def _kept(values: Any, is_kept: NDArray[np.bool_]) -> object:
    if isinstance(values, TextCells):
        start = int(np.argmax(is_kept))
        n_kept = int(np.count_nonzero(is_kept))
        is_one_piece = bool(is_kept[start : start + n_kept].all())
        first_line = values.first_line + start if values.first_line is not None and is_one_piece else None
        return replace(values, values=values.values.filter(arrow_of_numpy(is_kept)), first_line=first_line)
    if isinstance(values, np.ndarray):
        return values[is_kept]
    return [value for value, is_in in zip(values, is_kept.tolist(), strict=True) if is_in]


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Columns of numbers: how many each has, their sums, and in which row the greatest by size is."""

    columns: tuple[Column, ...]
    counts: NDArray[np.float64]
    totals: NDArray[np.float64]
    largest: tuple[int, ...]

    @staticmethod
    def of(columns: Sequence[Column]) -> _Numbers:
        some = tuple(column for column in columns if _may_be_summed(column))
        filled = map(_filled, some)
        told = [(float(values.sum()), int(np.argmax(np.abs(values)))) for values in filled]
        counts = [len(column) - _n_missing(column) for column in some]
        return _Numbers(
            some, np.array(counts, np.float64), np.array([own[0] for own in told]), tuple(k for _, k in told)
        )

    def at(self, row: int) -> NDArray[np.float64]:
        """What the columns have there, NaN where they lack it."""
        return np.array([_value(column, row) for column in self.columns])

    def of_those(self, is_wanted: NDArray[np.bool_]) -> list[Column]:
        """Some of the columns."""
        return [self.columns[k] for k in np.flatnonzero(is_wanted)]


def _filled(column: Column) -> NDArray[np.float64]:
    """Floats, with 0 for what is missing."""
    values = column.values.astype(np.float64, copy=False)
    return values if column.is_missing is None else np.where(column.is_missing, 0.0, values)


def _n_missing(column: Column) -> int:
    return 0 if column.is_missing is None else int(np.count_nonzero(column.is_missing))


def _value(column: Column, row: int) -> float:
    is_missing = column.is_missing is not None and column.is_missing[row]
    return np.nan if is_missing else float(column.values[row])


def _others(column: Column, rows: Sequence[int]) -> NDArray[np.float64]:
    is_other = np.ones(len(column), np.bool_) if column.is_missing is None else ~column.is_missing
    is_other[list(rows)] = False
    others: NDArray[np.float64] = column.values[is_other].astype(np.float64)
    return others


def _may_be_summed(column: Column) -> bool:
    return column.kind is Kind.NUMERIC and column.clock is None and len(column.present) > _FEWEST_OTHERS


def _candidates(numbers: _Numbers, n_rows: int) -> Iterator[tuple[int, ...]]:
    """Rows at an end, several or one, and those that hold the greatest number of two columns."""
    for count in range(min(_MOST_AT_AN_END, n_rows - _FEWEST_OTHERS), 0, -1):
        yield tuple(range(n_rows - count, n_rows))
        yield tuple(range(count))
    largest = Counter(numbers.largest)
    yield from ((row,) for row, n_columns in largest.items() if n_columns >= _FEWEST_COLUMNS)


def _called(cells: Mapping[str, object], row: int) -> str:
    """What a row is called: its first cell that names a total, or that has a word."""
    texts = [_cell(values, row) for values in cells.values()]
    words = (text for text in texts if any(map(str.isalpha, text)))
    return next(filter(is_called_total, texts), "") or next(words, "")


def _cell(values: Any, row: int) -> str:
    cell = values.values[row].as_py() if isinstance(values, TextCells) else values[row]
    return cell if isinstance(cell, str) else ""


def _summed(
    rows: tuple[int, ...], n_rows: int, numbers: _Numbers, *, is_called_so: bool
) -> tuple[str, ...] | None:
    """The columns in which each of the rows sums up all others; None where a row does not."""
    values = np.array([numbers.at(row) for row in rows])
    totals = numbers.totals - np.nansum(values, axis=0)
    counts = np.maximum(numbers.counts - np.count_nonzero(~np.isnan(values), axis=0), 1)
    found = set[str]()
    for row, own in zip(rows, values, strict=True):
        near_sums = numbers.of_those(is_near(own, totals) & (own != 0))
        sums = [column for column in near_sums if _is_sum(column, row, rows)]
        near_means = numbers.of_those(is_near(own, totals / counts) & ~is_near(own, totals))
        is_end = rows in ((0,), (n_rows - 1,))
        means = [column for column in near_means if _is_mean(column, row, rows)] if sums or is_end else []
        are_all = is_end and len(sums) + len(means) == np.count_nonzero(~np.isnan(own))
        if not (
            (is_called_so and sums)
            or _are_beyond_chance(sums, row, rows)
            or (are_all and _are_means_beyond_chance(means, row, rows))
        ):
            return None
        found |= {column.name for column in (*sums, *means)}
    return tuple(column.name for column in numbers.columns if column.name in found)


def _is_sum(column: Column, row: int, rows: Sequence[int]) -> bool:
    """Whether it is the exact sum of three numbers or more that are smaller, up to rounding."""
    value, others = _value(column, row), _others(column, rows)
    if len(others) < _FEWEST_OTHERS or np.count_nonzero(others) < _FEWEST_SUMMANDS:
        return False
    is_exact = abs(value - float(others.sum())) <= _tolerance(column, row)
    return bool(is_exact and abs(value) > np.abs(others).max())


def _is_mean(column: Column, row: int, rows: Sequence[int]) -> bool:
    others = _others(column, rows)
    is_equal = abs(_value(column, row) - float(others.mean())) <= 0.5 * _unit(column, row)
    return len(others) >= _FEWEST_OTHERS and is_equal


def _are_beyond_chance(sums: Sequence[Column], row: int, rows: Sequence[int]) -> bool:
    """Whether two columns or more, none of them proportional to another, have sums of many digits."""
    if len(sums) < _FEWEST_COLUMNS or len(independent := _independent(sums, rows)) < _FEWEST_COLUMNS:
        return False
    roundings = ((column, _unit(column, row) + _tolerance(column, row)) for column in independent)
    return math.prod(rounding / abs(_value(column, row)) for column, rounding in roundings) <= _CHANCE_OF_SUMS


def _are_means_beyond_chance(means: Sequence[Column], row: int, rows: Sequence[int]) -> bool:
    chance = 1.0
    for column in _independent(means, rows):
        spread = float(_others(column, rows).std())
        chance *= min(1.0, _unit(column, row) / spread) if spread else 1.0
    return chance <= _CHANCE_OF_MEANS


def _independent(columns: Sequence[Column], rows: Sequence[int]) -> list[Column]:
    """Those that are not proportional to one before."""
    kept = list[tuple[Column, NDArray[np.float64]]]()
    for column in columns[:_MOST_COMPARED]:
        others = np.delete(_filled(column), list(rows))
        others = others - others.mean()
        size = float(np.linalg.norm(others))
        others = others / size if size else others
        if all(abs(float(others @ before)) < _PROPORTIONAL for _, before in kept):
            kept.append((column, others))
    return [column for column, _ in kept]


def _tolerance(column: Column, row: int) -> float:
    """How far the sum of numbers that were rounded may be from the sum that was: 0 for whole numbers."""
    unit = _unit(column, row)
    return 1e-9 * abs(_value(column, row)) if unit >= 1 else 1.2 * unit * len(column) ** 0.5


def _unit(column: Column, row: int) -> float:
    """The last digit that the numbers are written with."""
    some = np.append(_filled(column.at(slice(_FIRST_VALUES))), _value(column, row))
    for n_decimals in range(_MOST_DECIMALS):
        scaled = some * 10.0**n_decimals
        if (np.abs(scaled - np.round(scaled)) <= 1e-9 * np.maximum(np.abs(scaled), 1.0)).all():
            return float(10.0**-n_decimals)
    return float(10.0**-_MOST_DECIMALS)
