"""Columns whose sums over a stream give projections on piecewise linear functions of a numeric column.

Such a function is a line in each slot: a piece between two knots, or a separate value. So each slot has two
columns, 1 for the rows in it and their share of the way to the next knot. Sums of powers and products of
these columns give the projector and its invariants (src/native/moments/bends.hpp).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, FloatArray

__all__ = ["N_SLOT_COLUMNS", "Bends", "bends_of", "places_of", "with_slots"]

N_SLOT_COLUMNS = 12  # summed columns per numeric column: two per slot, kMostSlots of bends.hpp

Bends = tuple[FloatArray, FloatArray, FloatArray]
"""Knots of a numeric column, its separate values, and the mean share of each slot, in which knots lie."""


def bends_of(z: FloatArray) -> Bends:
    """Return knots and separate values of a piecewise linear function from a column's sampled rows."""
    values = z if len(z) else np.zeros(1)
    return _native.BentLine.of(values, _native.pieces_for(len(z))).bends


def with_slots(z: FloatArray, is_missing: Sequence[BoolArray], bends: Sequence[Bends]) -> FloatArray:
    """Return scaled values, rows × columns, with the columns of piecewise linear functions appended."""
    slots = [
        _native.slot_columns(values, mask, *own)
        for values, mask, own in zip(z.T.copy(), is_missing, bends, strict=True)
    ]
    return np.column_stack([z, *slots])


def places_of(numbers: Sequence[int], n_numeric: int) -> list[int]:
    """Return the positions of numeric columns and their piecewise linear functions among summed columns."""
    starts = (n_numeric + N_SLOT_COLUMNS * k for k in numbers)
    return [*numbers, *(start + k for start in starts for k in range(N_SLOT_COLUMNS))]
