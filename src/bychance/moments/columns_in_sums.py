"""What sums over rows know of single columns and pairs of them, found by the columns' names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.moments.counted_table import CountedTable
from bychance.moments.row_sums import RowSums

__all__ = [
    "are_duplicates",
    "label_of",
    "numeric_of",
    "rows_alike_in",
    "shared_counts",
    "shared_sizes",
    "table_of",
    "table_of_labels",
    "varies",
]

_ALIKE_ROWS = 10_000  # of the sample, enough to tell a value that many rows have


def shared_counts(sums: RowSums, x: Sequence[Column], y: Sequence[Column]) -> NDArray[np.int64]:
    """Count the rows that every column of x shares with every one of y."""
    places = [[_mask(sums, column) for column in side] for side in (x, y)]
    return sums.counts[np.ix_(*places)]


def are_duplicates(sums: RowSums, x: Column, y: Column) -> bool | None:
    """Return True if two categorical columns are one, renamed; None if the sampled rows must tell."""
    if not (x.kind is y.kind is Kind.CATEGORICAL and sums.tables):
        return None
    return table_of(sums, x, y).is_one_to_one


def varies(sums: RowSums, column: Column) -> bool:
    """Return True if a column has more than one value."""
    if column.name in sums.names[0]:
        return sums.lines.n_distinct(numeric_of(sums, column)) > 1
    return len(sums.dictionaries[label_of(sums, column)]) > 1


def shared_sizes(sums: RowSums, label: int, number: int) -> NDArray[np.int64]:
    """Count the rows of each category that a numeric column has."""
    group = sums.groups[label]
    return group.sizes - group.missing[:, number]


def rows_alike_in(sums: RowSums, columns: Sequence[Column]) -> NDArray[np.int64]:
    """Return at most how many rows of each column have one value."""
    return np.array([_most_alike(sums, column) for column in columns], dtype=np.int64)


def _most_alike(sums: RowSums, column: Column) -> int:
    """Bound the rows that have one value: counted if most do or of categories, else by the sample."""
    present = int(np.diag(sums.counts)[_mask(sums, column)])
    if column.name in sums.names[1] and sums.groups and len(sums.groups[label_of(sums, column)].sizes):
        return int(sums.groups[label_of(sums, column)].sizes.max())
    if column.name in sums.names[0]:
        at_center = int(sums.lines.zeros[numeric_of(sums, column)])
        if at_center > present // 2:
            return at_center
    present_here = column.present
    in_sample = np.unique(present_here[:: 1 + len(present_here) // _ALIKE_ROWS], return_counts=True)[1]
    most = int(in_sample.max(initial=0))
    # Five standard errors more than the sample has.
    share = (most + 5 * np.sqrt(most) + 5) / max(int(in_sample.sum()), 1)
    return min(present // 2, int(np.ceil(share * present)))


def table_of(sums: RowSums, x: Column, y: Column) -> CountedTable:
    """Return the contingency table of two categorical columns."""
    return table_of_labels(sums, label_of(sums, x), label_of(sums, y))


def table_of_labels(sums: RowSums, a: int, b: int) -> CountedTable:
    """Return the contingency table of two categorical columns by their places."""
    table = CountedTable(sums.tables[min(a, b), max(a, b)])
    return table if a < b else table.flipped()


def _mask(sums: RowSums, column: Column) -> int:
    numeric, labels = sums.names
    return numeric.index(column.name) if column.name in numeric else len(numeric) + labels.index(column.name)


def numeric_of(sums: RowSums, column: Column) -> int:
    """Return the place of a numeric column among those of the sums."""
    return sums.names[0].index(column.name)


def label_of(sums: RowSums, column: Column) -> int:
    """Return the place of a categorical column among those of the sums."""
    return sums.names[1].index(column.name)
