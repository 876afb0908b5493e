"""Columns that say the same: one in other units, or with its categories renamed."""

from __future__ import annotations

import numpy as np

from bychance.columns import Column, codes_of, numbers_of, shared_rows
from bychance.kinds import Kind
from bychance.measures.matrices import centered_line

__all__ = ["DUPLICATES", "are_near_duplicates"]

DUPLICATES = "near-duplicates"
"""The note on a pair of them."""

_SAME_LINE = 0.999


def are_near_duplicates(x: Column, y: Column) -> bool:
    """Whether, on the rows both have, two numeric columns have r² above 0.999, or categories can be renamed.

    >>> from bychance.read_column import read_column
    >>> celsius, fahrenheit = read_column([1, 20, 35], "c"), read_column([33.8, 68, 95], "f")
    >>> are_near_duplicates(celsius, fahrenheit)
    True
    >>> are_near_duplicates(read_column(["a", "b", "b"], "x"), read_column(["u", "v", "w"], "y"))
    False
    """
    rows = shared_rows(x, y)
    if x.kind is y.kind is Kind.NUMERIC:
        lines = (centered_line(numbers_of(column, rows, "r2")).values for column in (x, y))
        return float(np.dot(*lines)) ** 2 > _SAME_LINE
    first, second = (codes_of(column, rows).astype(np.int64) for column in (x, y))
    n_cells = len(np.unique(first * (second.max() + 1) + second))
    return bool(n_cells == first.max() + 1 == second.max() + 1)
