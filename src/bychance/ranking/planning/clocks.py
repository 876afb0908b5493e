"""Clocks: columns that say in which order the rows came, dates or numbers that count by equal steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.io import Table
from bychance.kinds import Kind

__all__ = ["Clock", "clocks_of", "shuffled_clocks_of"]

_SHORTEST_SERIES = 5  # rows on average, so that dates in random order are none
_EVEN, _NEARLY = 0.9, 0.25  # so many of the steps are the same up to a quarter, in numbers that count
_YEARS = 1800, 2100
_FIRST_ROWS, _FEWEST_VALUES = 1_000, 20
_HUGE = 1e150
_MOST_MISSING = 0.1
_TIME_WORD = re.compile(
    r"(?<![^\W\d_])(when|time|date|days?|hours?|minutes?|seconds?|weeks?|months?|quarters?|years?|periods?|epoch|"
    r"ticks?|t)(?![^\W\d_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """The position of the column, the series that each row is in, and whether it surely counts time.

    Numbers of rows and even grids of numbers do not: a table that was sorted by anything has them too. A
    grid of fractions, unlike what `is_whole`, is often chosen: then it is no series that columns follow it.
    `order` has the rows in the order of the clock, where the table has another, less those without a time.
    """

    position: int
    series: NDArray[np.int64]
    is_time: bool
    is_whole: bool
    order: NDArray[np.intp] | None = None


def clocks_of(table: Table) -> Iterator[Clock]:
    """Columns that the rows follow, forward or backward, times before other numbers.

    >>> from bychance.io import read_table
    >>> years, x = range(2020, 1980, -1), [k**2 % 7 for k in range(40)]
    >>> table = read_table({"row": range(40), "year": years, "x": x})
    >>> [(table.names[clock.position], clock.is_time) for clock in clocks_of(table)]
    [('year', True), ('row', False)]
    """
    found = ((k, _series_of(column)) for k, column in enumerate(table.columns))
    clocks = [Clock(k, *series) for k, series in found if series is not None]
    yield from sorted(clocks, key=lambda clock: not clock.is_time)


def shuffled_clocks_of(table: Table) -> Iterator[Clock]:
    """Columns that would be clocks if the rows were sorted by them, as one series."""
    for k, column in enumerate(table.columns):
        if not _is_nearly_complete(column):
            continue
        present, rows = column.present, _present_rows(column)
        is_date = _is_date(column, present)
        if not (is_date or _may_count(present)):
            continue
        order = np.argsort(present, kind="stable")
        if is_date or _is_even(np.diff(_scaled(present[order]))):
            series = np.zeros(len(order), dtype=np.int64)
            yield Clock(k, series, is_time=False, is_whole=False, order=rows[order])


def _series_of(column: Column) -> tuple[NDArray[np.int64], bool, bool] | None:
    """Of each row which series it is in, whether the column is surely a time, and whether whole.

    A new series begins where dates go back, or numbers start again. None where the column is no clock, or
    goes back too often. Dates that stand still more often than not are no sure clock: rows may be sorted.
    Rows without a time, few of them, are in the series of the row before.
    """
    if not _is_nearly_complete(column):
        return None
    present = column.present
    is_date = _is_date(column, present)
    if not is_date and not _is_even(np.diff(_scaled(present[:_FIRST_ROWS]))):
        return None
    steps = np.diff(_scaled(present))
    if np.count_nonzero(steps < 0) > np.count_nonzero(steps > 0):
        steps = -steps
    is_back = steps < 0
    n_back, n_onward = int(is_back.sum()), int(np.count_nonzero(steps > 0))
    if (n_back + 1) * _SHORTEST_SERIES > len(present) or not n_onward:
        return None
    if not is_date and not _is_even(steps):
        return None
    series = _spread(np.concatenate([[0], np.cumsum(is_back)]), column)
    if is_date:
        is_sure = 2 * n_onward >= len(steps) - n_back
        return series, is_sure, is_sure
    is_whole = _is_whole(column, present)
    is_time = (is_whole and not _is_row_number(present)) or _names_time(column.name)
    return series, is_time, is_whole


def _is_nearly_complete(column: Column) -> bool:
    """Whether these are numbers of which few are missing: loggers drop some of their times."""
    if column.kind is not Kind.NUMERIC or len(column) < 2:
        return False
    if column.is_missing is None:
        return True
    n_missing = np.count_nonzero(column.is_missing)
    return bool(n_missing <= _MOST_MISSING * len(column) and len(column) - n_missing > 1)


def _present_rows(column: Column) -> NDArray[np.intp]:
    return np.arange(len(column)) if column.is_missing is None else np.flatnonzero(~column.is_missing)


def _spread(series: NDArray[np.int64], column: Column) -> NDArray[np.int64]:
    """The series of all rows, from those of the rows that have a time."""
    if column.is_missing is None:
        return series
    spread: NDArray[np.int64] = series[np.maximum(np.cumsum(~column.is_missing) - 1, 0)]
    return spread


def _is_whole(column: Column, present: NDArray[np.generic]) -> bool:
    """Whether these are integers; a column with a gap has floats for them."""
    if column.is_missing is None or present.dtype.kind in "iu":
        return present.dtype.kind in "iu"
    return not np.mod(present.astype(np.float64), 1.0).any()


def _is_date(column: Column, present: NDArray[np.generic]) -> bool:
    """Whether these are dates or times, or integers that write a day or a month, as 20200105 or 202001."""
    if column.clock is not None:
        return True
    if not _is_whole(column, present) or float(np.abs(present[:_FIRST_ROWS].astype(np.float64)).max()) > 1e9:
        return False
    if not _is_written_date(present[:_FIRST_ROWS].astype(np.int64)):
        return False
    return _is_written_date(present.astype(np.int64))


def _is_written_date(values: NDArray[np.int64]) -> bool:
    first, last = _YEARS
    smallest, largest = values.min(), values.max()
    if first * 10_000 <= smallest and largest < last * 10_000:
        days, months = values % 100, values // 100
    elif first * 100 <= smallest and largest < last * 100:
        days, months = np.ones_like(values), values
    else:
        return False
    is_date = (months % 100 >= 1) & (months % 100 <= 12) & (days >= 1) & (days <= 31)
    return bool(is_date.all()) and len(np.unique(values[:_FIRST_ROWS])) >= _FEWEST_VALUES


def _is_even(steps: NDArray[np.float64]) -> bool:
    """Whether most steps are about the same, forward or back, those aside where it starts again."""
    usual = float(np.median(steps))
    onward = steps[np.sign(steps) * np.sign(usual) >= 0]
    n_usual = int(np.count_nonzero(np.abs(onward - usual) <= _NEARLY * abs(usual)))
    return usual != 0 and n_usual >= _EVEN * len(onward)


def _may_count(values: NDArray[np.generic]) -> bool:
    """Whether the values fill their range evenly once they are sorted, by a look at their mean and spread."""
    numbers = values[:_FIRST_ROWS].astype(np.float64)
    if len(np.unique(numbers)) < len(numbers):
        return False
    whole = _scaled(values)
    low, high, n = whole.min(), whole.max(), len(whole)
    even = (high - low) * np.sqrt((n + 1) / (n - 1) / 12)
    return bool(abs(whole.std() - even) < 0.05 * even and abs(whole.mean() - (low + high) / 2) < 0.05 * even)


def _scaled(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """The values as floats, those so large that their squares are not in units of the largest."""
    numbers = values.astype(np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    return numbers / largest if largest > _HUGE else numbers


def _names_time(name: str) -> bool:
    """Whether one of the words of a name is one for time: a number of the row may be called anything else.

    >>> [_names_time(name) for name in ("when", "day_no", "t", "row", "Unnamed: 0", "timber")]
    [True, True, True, False, False, False]
    """
    return _TIME_WORD.search(name) is not None


def _is_row_number(values: NDArray[np.generic]) -> bool:
    return int(values.astype(np.float64).min()) in (0, 1)
