"""Rows that repeat another in every column, where that is no coincidence: copies make p-values too small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, are_distinct
from bychance.io import Table
from bychance.messages import Code, Note

__all__ = ["RepeatedRows", "repeated_rows_of"]

_FEWEST_ROWS, _MOST_CELLS = 30, 1 << 23  # that are compared: a second or so
_FIRST_ROWS, _FIRST_COLUMNS = 1_000, 200  # among which a column is looked for that tells rows apart
_FEWEST_VALUES = 20  # of the column that tells rows apart
_TELLS_APART = 0.5  # its values per distinct row: with fewer, rows may be alike by chance
_MOST_COPIES, _BY_CHANCE = 4, 5.0  # rows per distinct row; times as many as columns give that are independent
_NOTED, _CAUTIONED = 0.01, 0.1  # of the rows


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """How many rows repeat an earlier one."""

    n_repeated: int
    n_rows: int

    @property
    def note(self) -> Note:
        """How many, and what to do if they are copies."""
        return Note.on_table(Code.ROWS_REPEATED, n=self.n_repeated, n_rows=self.n_rows)

    @property
    def caution(self) -> str:
        """What a verdict adds, where they are many."""
        if self.n_repeated < _CAUTIONED * self.n_rows:
            return ""
        return f"Caution: {self.n_repeated:,} of {self.n_rows:,} rows repeat another; copies prove nothing."


def repeated_rows_of(table: Table) -> RepeatedRows | None:
    """The repeated rows, where a column tells most rows apart, so that few would be alike by chance.

    >>> from bychance.io import read_table
    >>> table = read_table({"x": [0.1 * k for k in range(40)] * 2, "y": [k**2 for k in range(40)] * 2})
    >>> repeated_rows_of(table).n_repeated
    40
    """
    if table.n_rows < _FEWEST_ROWS:
        return None
    first = max(table.columns[:_FIRST_COLUMNS], key=_n_first_values)
    rows = np.flatnonzero(~first.is_missing) if first.is_missing is not None else np.arange(table.n_rows)
    if len(rows) > _MOST_CELLS or are_distinct(first.values[rows]):
        return None
    rows, groups = _alike(rows, np.zeros(len(rows), dtype=np.int64), first)
    n_compared = 0
    for column in table.columns:
        n_compared += len(rows)
        if not len(rows) or n_compared > _MOST_CELLS:
            return None
        rows, groups = _alike(rows, groups, column)
    n_repeated = len(rows) - len(np.unique(groups))
    n_distinct = table.n_rows - n_repeated
    if n_repeated < _NOTED * table.n_rows or _MOST_COPIES * n_distinct < table.n_rows:
        return None
    if len(np.unique(first.present)) < max(_FEWEST_VALUES, _TELLS_APART * n_distinct):
        return None
    expected = table.n_rows * (table.n_rows - 1) / 2
    for column in table.columns:
        expected *= _share_alike(column)
        if _BY_CHANCE * expected < n_repeated:
            return RepeatedRows(n_repeated, table.n_rows)
    return None


def _share_alike(column: Column) -> float:
    """How often two different rows at random have the same value, or both have none."""
    counts = np.append(np.unique(column.present, return_counts=True)[1], len(column) - len(column.present))
    return float(np.sum(counts * (counts - 1))) / (len(column) * (len(column) - 1))


def _n_first_values(column: Column) -> int:
    return len(np.unique(column.at(slice(_FIRST_ROWS)).present))


def _alike(
    rows: NDArray[np.intp], groups: NDArray[np.int64], column: Column
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The rows that are still like another of their group in this column, and their new groups."""
    codes = np.unique(column.values[rows], return_inverse=True)[1].reshape(-1).astype(np.int64) + 1
    if column.is_missing is not None:
        codes[column.is_missing[rows]] = 0
    both = groups * (int(codes.max(initial=0)) + 1) + codes
    _, groups, counts = np.unique(both, return_inverse=True, return_counts=True)
    is_alike = counts[groups] > 1
    return rows[is_alike], groups[is_alike].astype(np.int64)
