"""Projector on piecewise linear functions of a numeric column, bent at its quintiles.

Its basis are hat functions between knots, the sorted values at evenly spaced positions
(src/native/moments/bends.cpp). The inner knots are the bends. A value at two or more of these positions, such
as 0, is a separate group. If a column has hardly more distinct values than pieces, each value is a group, and
the projector equals that of a Partition.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Kind
from bychance.measures.base import CountedValues

__all__ = ["Bent", "bent_line"]


@dataclass(frozen=True, eq=False)
class Bent(CountedValues):
    """Projector on the piecewise linear functions of these values, bent at quintiles, less the mean."""

    values: NDArray[np.float64]
    line: _native.BentLine
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC

    @property
    def is_degenerate(self) -> bool:
        """True if the column is constant."""
        return self.line.rank == 0

    @property
    def n_distinct(self) -> int:
        """Number of distinct values if the line is straight, else the projector's rank plus one."""
        return super().n_distinct if self.line.rank == 1 else self.line.rank + 1

    @property
    def variation(self) -> float:
        """Trace of the projector."""
        return float(self.line.rank)

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """Eight sums over the projector that permutations do not change, for the null's moments."""
        return self.line.invariants


def bent_line(values: NDArray[np.float64]) -> _native.BentLine:
    """Return the projector on bent lines in these values, with a piece per six rows, at most five.

    >>> bent_line(np.arange(30.0)).rank, bent_line(np.arange(11.0)).rank
    (5, 1)
    """
    return _native.BentLine.of(values, _native.pieces_for(len(values)))
