"""Order in time: whether the rows follow a date or an index and resemble their neighbors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.kinds import Kind
from bychance.measures.ordering import order_values
from bychance.names import display_name
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.table import Note, Table

__all__ = ["neighbor_correlation", "notes_on_order"]

_FEWEST_ROWS, _MOST_ROWS, _MOST_COLUMNS = 30, 5_000, 200
_ALIKE, _DEVIATIONS = 0.3, 4.0
_NAMED = 3


def notes_on_order(table: Table, used: Sequence[int], null: NullSpec) -> Iterator[Note]:
    """A warning where rows follow a date or index and at least two columns resemble their neighbors.

    `used` are the positions of the columns that are paired. A null that permutes blocks or within groups has
    been told already.
    """
    if table.n_rows < _FEWEST_ROWS or (isinstance(null, Permutation) and null.is_restricted):
        return
    clock = next((column for column in table.columns if _is_in_order(column)), None)
    if clock is None:
        return
    columns = [table.columns[k] for k in used[:_MOST_COLUMNS] if table.columns[k] is not clock]
    alike = [column.name for column in columns if _resembles_neighbors(column)]
    if len(alike) < 2:
        return
    shown = ", ".join(display_name(name, 40) for name in alike[:_NAMED])
    more = f" and {len(alike) - _NAMED:,} more" if len(alike) > _NAMED else ""
    yield Note(
        None,
        f"rows are in the order of {display_name(clock.name, 40)}, and {shown}{more} resemble their "
        "neighbors: rows are not exchangeable, and p, q and limits claim too much; "
        "bc.Permutation(block=…) permutes blocks of rows",
    )


def _is_in_order(column: Column) -> bool:
    """Whether its dates never go back, or it counts by equal steps, as an index does."""
    if column.kind is not Kind.NUMERIC or column.is_missing is not None:
        return False
    if column.clock is None and column.values.dtype.kind not in "iu":
        return False
    steps = np.diff(column.values.astype(np.float64))
    is_rising = bool((steps >= 0).all()) and steps.sum() > 0
    return is_rising if column.clock is not None else is_rising and bool((steps == steps[0]).all())


def _resembles_neighbors(column: Column) -> bool:
    """Whether the rank correlation with the next row is clear: at least 0.3, and 4 standard errors."""
    if column.kind is not Kind.NUMERIC:
        return False
    present = column.present[:_MOST_ROWS].astype(np.float64)
    if len(present) < _FEWEST_ROWS:
        return False
    return neighbor_correlation(present) > max(_ALIKE, _DEVIATIONS / math.sqrt(len(present)))


def neighbor_correlation(values: NDArray[np.float64]) -> float:
    """The rank correlation of each value with the next one; 0 for a constant.

    >>> neighbor_correlation(np.arange(100.0)) > 0.9, abs(neighbor_correlation(np.arange(100.0) % 2)) < 0.1
    (True, False)
    """
    ranks = order_values(values).midranks
    ranks = ranks - ranks.mean()
    whole = float(ranks @ ranks)
    return float(ranks[1:] @ ranks[:-1]) / whole if whole > 0 else 0.0
