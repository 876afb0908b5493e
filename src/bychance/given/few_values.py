"""Numeric covariates of few values, such as counts and scores: taken as their values, each of them a cell.

Rows then trade places with rows of the very same value, whatever x and y depend on it by.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bychance.columns import coded, crossed
from bychance.given.cells import Cells, Codes, cross_labels

__all__ = ["with_few_values"]

_ROWS_PER_VALUE = 6  # a cell without a line keeps five of six degrees of freedom
_MOST_IN_SMALL = 0.1  # the share of the rows that may lie in smaller cells


def with_few_values(labels: Sequence[Codes], numbers: Sequence[NDArray[np.float64]], n: int) -> list[bool]:
    """Which of the numbers have few values for the rows, crossed with the categories and with each other.

    >>> count, weight = np.arange(60) % 5.0, np.arange(60) / 7
    >>> with_few_values([], [count, weight], 60)
    [True, False]
    """
    strata, found = cross_labels(labels, n), list[bool]()
    for z in numbers:
        cells = Cells.of(crossed(strata, coded(z)))
        n_small = int(cells.sizes[cells.sizes < _ROWS_PER_VALUE].sum())
        found.append(n_small <= _MOST_IN_SMALL * n)
        strata = cells.codes if found[-1] else strata
    return found
