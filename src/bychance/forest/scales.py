"""Numbers of a training column → the float64 that thresholds cut, in order; numbers of new rows alike."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.ticks import Clock, counted_from

__all__ = ["Scale"]

_EXACT = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """How integers that float64 would run together become floats that it does not.

    They are counted from `origin`, the smallest in training. Where they lie too far apart for that, `steps`
    holds the distinct ones in training: each becomes its place among them, and others lie halfway between.
    """

    clock: Clock | None = None
    origin: int = 0
    steps: NDArray[Any] | None = None

    @classmethod
    def of(cls, column: Column) -> Scale:
        """The scale of a training column.

        >>> from bychance.read_column import read_column
        >>> Scale.of(read_column([2**60, 2**60 + 1], "id")).origin == 2**60
        True
        """
        values, is_missing = column.values, column.is_missing
        present = values if is_missing is None else values[~is_missing]
        if values.dtype.kind not in "iu" or not len(present):
            return cls(column.clock)
        smallest, largest = int(present.min()), int(present.max())
        if max(-smallest, largest) <= _EXACT:
            return cls(column.clock)
        if largest - smallest <= _EXACT:
            return cls(column.clock, smallest)
        return cls(column.clock, steps=np.unique(present))

    def numbers(self, column: Column) -> NDArray[np.float64]:
        """A column's values on this scale, NaN where missing."""
        values = column.values
        if self.steps is not None:
            numbers = _places(values, self.steps)
        elif self.origin and values.dtype.kind == "f":
            # Python subtracts large floats, which are whole, as integers.
            numbers = np.array([_exact(value) - self.origin for value in values.tolist()], dtype=np.float64)
        else:
            counted = counted_from(values, self.origin) if self.origin else values
            numbers = counted.astype(np.float64, order="C", copy=column.is_missing is not None)
        if column.is_missing is not None:
            numbers[column.is_missing] = np.nan
        return numbers

    def shown(self, threshold: float) -> str:
        """The value that a threshold stands for, as text."""
        if self.steps is not None:
            tick: float = int(self.steps[math.floor(threshold)])
        else:
            tick = self.origin + math.floor(threshold) if self.origin else threshold
        if self.clock is not None:
            return str(self.clock.moment(tick))
        return f"{tick:.6g}" if isinstance(tick, float) else str(tick)


def _places(values: NDArray[Any], steps: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype == steps.dtype:
        below = np.searchsorted(steps, values) + np.searchsorted(steps, values, "right")
    else:
        # Python compares integers and floats exactly; NumPy would make floats of both.
        known = steps.tolist()
        below = np.array([bisect_left(known, v) + bisect_right(known, v) for v in values.tolist()])
    return (below - 1) / 2


def _exact(number: int | float) -> int | float:
    return int(number) if isinstance(number, float) and number.is_integer() else number
