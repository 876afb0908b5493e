"""Detection of near-duplicate columns: the same in other units, or with renamed categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, codes_of, numbers_of, shared_rows
from bychance.kinds import Kind
from bychance.measures.matrices import centered_line
from bychance.measures.ordering import order_values

__all__ = ["DUPLICATES", "are_near_duplicates"]

DUPLICATES = "near-duplicates"
"""The note on a pair of them."""

_SAME_LINE, _SAME_ORDER = 0.999, 0.9


def are_near_duplicates(x: Column, y: Column) -> bool:
    """Return True if two numeric columns have r² above 0.999, or two categorical ones match after renaming.

    One extreme value that both columns have makes such an r² of anything; so ranks have to agree as well.

    >>> from bychance.read_column import read_column
    >>> celsius, fahrenheit = read_column([1, 20, 35], "c"), read_column([33.8, 68, 95], "f")
    >>> are_near_duplicates(celsius, fahrenheit)
    True
    >>> are_near_duplicates(read_column(["a", "b", "b"], "x"), read_column(["u", "v", "w"], "y"))
    False
    """
    rows = shared_rows(x, y)
    if x.kind is y.kind is Kind.NUMERIC:
        numbers = [numbers_of(column, rows, "r2") for column in (x, y)]
        return _r2(*numbers) > _SAME_LINE and _r2(*(order_values(v).midranks for v in numbers)) > _SAME_ORDER
    first, second = (codes_of(column, rows).astype(np.int64) for column in (x, y))
    n_cells = len(np.unique(first * (second.max() + 1) + second))
    return bool(n_cells == first.max() + 1 == second.max() + 1)


def _r2(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(centered_line(x).values @ centered_line(y).values) ** 2
