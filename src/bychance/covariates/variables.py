"""Variables prepared within the cells of a design."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.covariates.cells import Cells
from bychance.covariates.design import MOST_VALUES, Design
from bychance.covariates.factors import Factor, factor_of
from bychance.covariates.moments import denominator_moments
from bychance.errors import CostError
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
        """Return True for numbers, False for codes of categories."""
        return self.values.dtype != np.int32

    @property
    def is_degenerate(self) -> bool:
        """Return True if nothing of the variable is left given z."""
        return not bool(self.varies_in.any())

    @cached_property
    def varies_in(self) -> NDArray[np.bool_]:
        """Flag the cells in which the variable has two different values."""
        return self.design.cells.vary(self.values)


@dataclass(frozen=True, eq=False)
class FactoredVariable(ControlledVariable):
    """Controlled variable with the factor of its residuals."""

    factor: Factor

    @classmethod
    def of(cls, values: Values, design: Design, *, is_projector: bool) -> FactoredVariable:
        """Residualize the values, and factorize what is left."""
        factor, share = left_of(values, design, is_projector=is_projector)
        return cls(values, design, share, factor)

    @property
    def is_degenerate(self) -> bool:
        """Return True if z determines the variable."""
        return self.factor.rank == 0

    @cached_property
    def denominator(self) -> Moments:
        """Moments of the share that is left of the variable once permuted and residualized again."""
        if self.design.has_only_cells:
            return Moments(1.0, 0.0, 0.0)
        return denominator_moments(self.design, self.factor).scaled(1 / self.factor.trace)


def left_of(values: Values, design: Design, *, is_projector: bool) -> tuple[Factor, float]:
    """Return the factor of the residuals, and the share of the variation that Z explains."""
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
    """Return numbers scaled to at most 1 in size, or one indicator per category."""
    if values.dtype == np.int32:
        return np.asarray(values[:, np.newaxis] == np.unique(values), dtype=np.float64)
    numbers: Any = values - values[0]
    largest = float(np.abs(numbers).max())
    return np.asarray((numbers / largest if largest > 0 else numbers)[:, np.newaxis])


def ranks_within(values: Array, cells: Cells) -> Array:
    """Return (midrank − (n_h + 1)/2)/(n_h + 1) in each cell, so that cells weigh alike per row."""
    ranks = np.empty(len(values))
    for rows in cells.rows:
        ranks[rows] = (order_values(values[rows]).midranks - (len(rows) + 1) / 2) / (len(rows) + 1)
    return ranks
