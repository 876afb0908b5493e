"""First or last rows that hold the sums or means of all other rows, whatever they are called."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.io.below import is_called_total, is_near, note_on_totals
from bychance.io.cells import TextCells
from bychance.kinds import Kind
from bychance.messages import Note

__all__ = ["SumRows", "sum_rows_of", "without_rows"]

_FEWEST_OTHERS, _FEWEST_SUMMANDS, _FEWEST_COLUMNS = 4, 3, 2
_MOST_AT_AN_END = 4  # Google Ads writes a total of all campaigns, one of those shown, and some of their kinds
_CHANCE_OF_SUMS, _CHANCE_OF_MEANS = 1e-3, 1e-6
_ALIKE = 0.5  # of the larger: by so much may a number and the sum of the others differ
_PROPORTIONAL = 0.9999  # of a correlation: columns of one number in two units tell once
_MOST_DECIMALS, _FIRST_VALUES, _MOST_COMPARED = 6, 1_000, 20


@dataclass(frozen=True, slots=True)
class SumRows:
    """The positions of the rows among `n_rows`, what they are called, and in which columns they sum up."""

    rows: tuple[int, ...]
    n_rows: int
    called: tuple[str, ...]
    columns: tuple[str, ...]

    @property
    def note(self) -> Note:
        """That they were left out."""
        place = "first" if self.rows[0] == 0 else "last"
        return note_on_totals(len(self.rows), place, self.called, self.columns)


def sum_rows_of(cells: Mapping[str, object], columns: Sequence[Column]) -> SumRows | None:
    """The first or last rows that hold the sums of all others, or their means, in columns of numbers.

    A first row that is called a total needs one such column. Of others, two columns that are not proportional
    must hold exact sums, larger than any summand and more than chance finds among all columns; or all numbers
    of a row are means, and that is beyond chance.

    >>> from bychance.io import read_table
    >>> table = read_table({"people": [80, 10, 20, 15, 35], "cars": [410, 50, 90, 70, 200]})
    >>> sum_rows_of({}, table.columns).rows
    (0,)
    """
    numbers = _Numbers.of(columns)
    if not numbers.columns:
        return None
    n_rows = len(numbers.columns[0])
    for rows in _at_an_end(n_rows):
        is_called_so = rows == (0,) and is_called_total(_called(cells, 0))
        if summed := _summed(rows, n_rows, numbers, is_called_so=is_called_so):
            called = (_called(cells, row) for row in rows)
            return SumRows(rows, n_rows, tuple(filter(None, called)), summed)
    return None


def without_rows(columns: Mapping[str, object], rows: Sequence[int], n_rows: int) -> dict[str, object]:
    """Columns of a text file or sheet, less what stands in these of their rows."""
    kept = slice(len(rows), None) if rows[0] == 0 else slice(n_rows - len(rows))
    return {name: _kept(values, kept) for name, values in columns.items()}


def _kept(values: Any, kept: slice) -> object:
    if not isinstance(values, TextCells):
        return values[kept]
    first_line = None if values.first_line is None else values.first_line + (kept.start or 0)
    return replace(values, values=values.values[kept], first_line=first_line)


@dataclass(frozen=True, slots=True, eq=False)
class _Numbers:
    """Columns of numbers: how many each has, and their sums."""

    columns: tuple[Column, ...]
    counts: NDArray[np.float64]
    totals: NDArray[np.float64]

    @staticmethod
    def of(columns: Sequence[Column]) -> _Numbers:
        some = tuple(column for column in columns if _may_be_summed(column))
        counts = [len(column) - _n_missing(column) for column in some]
        totals = [float(_filled(column).sum()) for column in some]
        return _Numbers(some, np.array(counts, np.float64), np.array(totals))

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


def _at_an_end(n_rows: int) -> Iterator[tuple[int, ...]]:
    """The last and the first rows, several or one."""
    for count in range(min(_MOST_AT_AN_END, n_rows - _FEWEST_OTHERS), 0, -1):
        yield tuple(range(n_rows - count, n_rows))
        yield tuple(range(count))


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
        n_there = int(np.count_nonzero(np.nan_to_num(own)))
        sizes = np.maximum(np.abs(own), np.abs(totals))
        n_alike = np.count_nonzero((np.abs(own - totals) <= _ALIKE * sizes) & (own != 0))
        near_means = numbers.of_those(is_near(own, totals / counts) & ~is_near(own, totals))
        is_one = len(rows) == 1
        means = [column for column in near_means if _is_mean(column, row, rows)] if sums or is_one else []
        are_all = is_one and len(sums) + len(means) == np.count_nonzero(~np.isnan(own))
        if not (
            (is_called_so and sums)
            or (len(sums) >= n_alike / 2 and _are_beyond_chance(sums, row, rows, n_looked_at=n_there))
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


def _are_beyond_chance(sums: Sequence[Column], row: int, rows: Sequence[int], n_looked_at: int) -> bool:
    """Whether two columns or more, none of them proportional to another, have sums that chance hardly makes.

    The bound is the chance of all of these sums, times the ways to pick as many of the columns looked at.
    """
    independent = _independent(sums, rows)
    if len(independent) < _FEWEST_COLUMNS:
        return False
    n_ways = math.comb(n_looked_at, len(independent))
    chances = (_chance_of_sum(column, row, rows) for column in independent)
    return math.log(n_ways) + sum(map(math.log, chances)) <= math.log(_CHANCE_OF_SUMS)


def _chance_of_sum(column: Column, row: int, rows: Sequence[int]) -> float:
    """A bound of the chance that a number equals the sum of the others, which is as random as they differ.

    That is the width of what would be taken for equal, times the highest density of a normal law of the sum's
    spread.
    """
    others = _others(column, rows)
    spread = float(others.std()) * math.sqrt(len(others))
    width = _unit(column, row) + 2 * _tolerance(column, row)
    return min(1.0, width / (math.sqrt(2 * math.pi) * spread)) if spread else 1.0


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
