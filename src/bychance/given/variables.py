"""A variable on the rows of a pair beside the cells it is looked at in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import CostError
from bychance.given.cells import Cells
from bychance.given.design import MOST_VALUES, Design
from bychance.given.factors import Factor, factor_of
from bychance.given.moments import denominator_moments
from bychance.measures.base import CountedValues, Values
from bychance.measures.ordering import order_values
from bychance.names import count_of
from bychance.nulls.base import Moments

__all__ = ["ControlledVariable", "FactoredVariable", "columns_of", "left_of", "ranks_within"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ControlledVariable(CountedValues):
    """Values or codes, and the share of their variation that Z explains."""

    values: Values
    design: Design
    share: float

    @property
    def is_numeric(self) -> bool:
        """Whether the values are numbers, and no codes."""
        return self.values.dtype != np.int32

    @property
    def is_degenerate(self) -> bool:
        """Whether nothing of the variable is left given z."""
        return not bool(self.varies_in.any())

    @cached_property
    def varies_in(self) -> NDArray[np.bool_]:
        """Whether the variable has two values or more in each cell."""
        return self.design.cells.vary(self.values)


@dataclass(frozen=True, eq=False)
class FactoredVariable(ControlledVariable):
    """The same with its factor: what is left of it given z."""

    factor: Factor

    @classmethod
    def of(cls, values: Values, design: Design, *, is_projector: bool) -> FactoredVariable:
        """The variable less what Z explains of it."""
        factor, share = left_of(values, design, is_projector=is_projector)
        return cls(values, design, share, factor)

    @property
    def is_degenerate(self) -> bool:
        """Whether z determines the variable."""
        return self.factor.rank == 0

    @cached_property
    def denominator(self) -> Moments:
        """Moments of the share that is left of the variable once permuted and residualized again."""
        if self.design.has_only_cells:
            return Moments(1.0, 0.0, 0.0)
        return denominator_moments(self.design, self.factor).scaled(1 / self.factor.trace)


def left_of(values: Values, design: Design, *, is_projector: bool) -> tuple[Factor, float]:
    """The factor of a variable, and the share of its variation that Z explains."""
    if values.dtype == np.int32:
        k = len(np.unique(values))
        # Indicators by row, and their products in each cell.
        n_values = k * (len(values) + k * len(design.cells))
        if n_values > MOST_VALUES:
            raise CostError(
                f"beyond covariates, a column of {k:,} categories on {count_of(len(values), 'row')} in "
                f"{count_of(len(design.cells), 'cell')} would take {8 * n_values / 1e9:,.1f} GB, more than "
                f"{8 * MOST_VALUES / 1e9:.1f}; merge rare categories, or leave the column out."
            )
    return factor_of(columns_of(values), design, is_projector=is_projector)


def columns_of(values: Values) -> Array:
    """One column of numbers scaled to at most 1 in size, or one indicator per category."""
    if values.dtype == np.int32:
        return np.asarray(values[:, np.newaxis] == np.unique(values), dtype=np.float64)
    numbers: Any = values - values[0]
    largest = float(np.abs(numbers).max())
    return np.asarray((numbers / largest if largest > 0 else numbers)[:, np.newaxis])


def ranks_within(values: Array, cells: Cells) -> Array:
    """(midrank − (n_h + 1)/2)/(n_h + 1) in each cell: no cell weighs more for having many rows."""
    ranks = np.empty(len(values))
    for rows in cells.rows:
        ranks[rows] = (order_values(values[rows]).midranks - (len(rows) + 1) / 2) / (len(rows) + 1)
    return ranks
