"""Lines that may bend at the quintiles of a numeric column, as a projector.

Basis: hats between knots, the sorted values at evenly spaced positions (src/native/pairs/bends.cpp). The
inner knots are the bends. A value that sits at two or more positions, such as zeros, is a separate group.
If a column has hardly more distinct values than pieces, each is a group: then the projector is that of a
Partition.
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
    """The projector on all lines that bend at the quintiles of these values, less the mean."""

    values: NDArray[np.float64]
    line: _native.BentLine
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC

    @property
    def is_degenerate(self) -> bool:
        """Return True if the column is constant."""
        return self.line.rank == 0

    @property
    def n_distinct(self) -> int:
        """Rank and one more, as groups would have; of a straight line, the distinct values."""
        return super().n_distinct if self.line.rank == 1 else self.line.rank + 1

    @property
    def variation(self) -> float:
        """The trace of the projector."""
        return float(self.line.rank)

    @cached_property
    def invariants(self) -> NDArray[np.float64]:
        """The eight invariants of the projector."""
        return self.line.invariants


def bent_line(values: NDArray[np.float64]) -> _native.BentLine:
    """Return the projector on bent lines, with one piece for every six rows and at most five.

    >>> bent_line(np.arange(30.0)).rank, bent_line(np.arange(11.0)).rank
    (5, 1)
    """
    return _native.BentLine.of(values, _native.pieces_for(len(values)))
