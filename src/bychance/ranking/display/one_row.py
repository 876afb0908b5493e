"""The one row that carries a relation: two columns → its position, or none."""

from __future__ import annotations

from typing import Any

import numpy as np

from bychance.columns import Column, shared_rows
from bychance.estimate import evaluate
from bychance.measures import Measure
from bychance.pair import prepare_pair, sample_of

__all__ = ["row_that_carries"]

_LEFT = 0.5  # of the adjusted share: without the row less is left (taste)
_FEWEST_ROWS = 5


def row_that_carries(measure: Measure[Any], x: Column, y: Column) -> int | None:
    """Return the row without which the relation is not beyond chance, and its share less than half.

    The row is the one that the jackknife behind the limits finds: without it the share is lowest. Measures
    whose limits take out no single rows have none.

    >>> from bychance.measures import R2
    >>> from bychance.read_column import read_column
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.normal(size=(2, 50))
    >>> x[7] = y[7] = 100
    >>> row_that_carries(R2(), read_column(x, "x"), read_column(y, "y"))
    7
    """
    shared = shared_rows(x, y)
    rows = np.arange(len(x)) if shared is None else np.flatnonzero(shared)
    sample = sample_of(measure, x, y, shared, 0)
    if len(rows) < _FEWEST_ROWS or not sample.has_closed_form or sample.spread.without is None:
        return None
    row = int(rows[np.nanargmin(sample.spread.without)])
    is_left = np.zeros(len(x), dtype=np.bool_)
    is_left[rows] = True
    is_left[row] = False
    whole = evaluate(prepare_pair(measure, x, y), "moments")
    left = evaluate(prepare_pair(measure, x, y, rows=is_left), "moments")
    if left.null.is_degenerate:
        return row
    is_beyond = not left.interval()[0] <= 0
    return None if is_beyond or left.adjusted >= _LEFT * whole.adjusted else row
