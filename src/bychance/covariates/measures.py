"""Base class of measures given covariates, with their exact and moment-matched null distributions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array, IntArray
from bychance.covariates.design import Design
from bychance.errors import BychanceError
from bychance.measures import CallableMeasure
from bychance.measures.base import CountedValues, Measure, Values, is_built_in
from bychance.messages import Option
from bychance.names import count_of
from bychance.nulls.base import Null
from bychance.nulls.choose import Conditional
from bychance.nulls.distributions import NullDistributions, as_null
from bychance.nulls.exact import Effort, enumerate_null, is_at_most, too_many_arrangements
from bychance.pair import Pair

__all__ = ["WITHIN_CELLS", "ControlledVariable", "GivenMeasure", "counts_of", "is_known", "share_explained"]


WITHIN_CELLS = "all permutations within the cells"  # reason of exact distributions


@dataclass(frozen=True, eq=False)
class ControlledVariable(CountedValues):
    """Column prepared for a measure given covariates: values, design, and share explained by covariates."""

    values: Values
    design: Design
    share: float
    is_degenerate: bool  # if the covariates determine it, or it is constant in every cell

    @property
    def is_numeric(self) -> bool:
        """Return True for numbers, False for codes of categories."""
        return self.values.dtype != np.int32

    @cached_property
    def varies_in(self) -> BoolArray:
        """Flag the cells in which the variable is not constant."""
        return self.design.cells.vary(self.values)


def counts_of(x: ControlledVariable, y: ControlledVariable) -> dict[str, IntArray]:
    """Count the distinct values of x and y, and the rows that differ from the most common one."""
    counts = {"distinct": (x.n_distinct, y.n_distinct), "others": (x.n_others, y.n_others)}
    return {name: np.array(values)[:, np.newaxis] for name, values in counts.items()}


def share_explained(residuals: FloatArray) -> float:
    """Return R² of a variable on the covariates, from residuals of the variable scaled to norm 1."""
    return 1 - min(float(np.sum(residuals**2)), 1.0)


def is_known(measure: Measure[Any]) -> bool:
    """Return True if the measure is built in, so that its name identifies what it computes."""
    return is_built_in(type(measure)) and not isinstance(measure, CallableMeasure)


class GivenMeasure(Measure[Any], Conditional):
    """Measure of dependence given covariates, with permutations within the cells of a covariate design.

    Like its design, it is made for the rows of one pair.
    """

    def __init__(self, base: Measure[Any], design: Design) -> None:
        self.base, self.design = base, design
        self.n_cells, self.df, self.has_only_cells = design.n_cells, design.df, design.has_only_cells
        self.name, self.summary = base.name, base.summary
        self.known_as = base.name if is_known(base) else ""
        self.kinds, self.symmetric = base.kinds, base.symmetric
        self.is_costly = False
        # Class attributes elsewhere. Here they are those of the measure `base`.
        self.needs_shared_labels, self.min_n = base.needs_shared_labels, base.min_n  # type: ignore[misc] # see above

    def n_bytes(self, n: int) -> int:
        """Return the memory of a variable's residuals and of its preparation for the measure, in bytes."""
        return super().n_bytes(n) + self.base.n_bytes(n)

    @property
    def strata(self) -> Int32Array:
        """Cell number of every row. Permutations exchange rows of one cell only."""
        return self.design.cells.codes

    def reason(self) -> str:
        """Return a phrase that describes the design, for example "given: 12 cells, 14 df"."""
        return f"given: {count_of(self.n_cells, 'cell')}, {self.df} df"

    def n_rows_used(self, x: ControlledVariable, y: ControlledVariable) -> int:
        """Count the rows in cells in which both variables vary. Other rows add nothing."""
        return int(self.design.cells.sizes[x.varies_in & y.varies_in].sum())

    def match(self, pair: Pair) -> Null | None:
        """Return a closed-form null with the pair's exact moments, or None if they are not known.

        No p-value is below the probability of a single arrangement.
        """
        nulls = self.matched(pair.x, pair.y)
        if nulls is None or nulls.is_undecided[0]:
            return None
        null = as_null(replace(nulls, log_floor=-np.array([self._fewest_orders(pair)[2]])))
        # The moments of a ratio are near, and exact only if permutation leaves the denominator as it is.
        return replace(null, has_exact_moments=self.has_only_cells)

    def exact_null(self, pair: Pair, effort: Effort) -> Null | None:
        """Return the exact null over permutations within cells, or None if it takes too much work."""
        if effort.is_asked and not self.has_only_cells:
            raise BychanceError(
                Option("null", "exact")
                + f" is not available for measure {self.name!r} with "
                + Option("given")
                + ": only categories, or cells alone, have an exact distribution. "
                + Option("null", "auto")
                + " always works."
            )
        null = self.cheap_null(pair.x, pair.y, effort.cell_operations) if effort.cell_operations else None
        if null is not None:
            return null
        labels, is_x, log_count = self._fewest_orders(pair)
        if not is_at_most(log_count, effort.cell_arrangements):
            if effort.is_asked:
                raise too_many_arrangements(log_count, " within the cells")
            return None
        values_at = partial(self.values_at, pair.x, pair.y)
        return enumerate_null(values_at, labels, self.design.cells.rows, is_x=is_x, reason=WITHIN_CELLS)

    def _fewest_orders(self, pair: Pair) -> tuple[NDArray[Any], bool, float]:
        """Choose the variable with fewer distinct orders within cells, for enumeration.

        Return its labels, True if it is x, and the natural log of the number of its orders.

        If the design has only cells, exchanging two rows with the same label changes nothing.
        """
        cells = self.design.cells
        if not self.has_only_cells:
            rows = np.arange(pair.n)
            return rows, False, cells.log_arrangements(rows)
        x, y = pair.x.labels, pair.y.labels
        of_x, of_y = cells.log_arrangements(x), cells.log_arrangements(y)
        return (x, True, of_x) if of_x < of_y else (y, False, of_y)

    def bound(self, x: Any, y: Any, which: str | None = None) -> float:
        """Return 1.0, the largest value of the measure. Bounds with a name raise an error."""
        if which is not None:
            raise BychanceError(
                "`bound` must be a number with "
                + Option("given")
                + f", got {which!r}: it is not known beyond covariates.",
                "bound",
            )
        return 1.0

    def default_bound(self, x: Any, y: Any) -> float:
        """Return the largest value of the measure, used if the caller names no bound."""
        return self.bound(x, y)

    def values_at(self, x: Any, y: Any, rows: Int32Array) -> FloatArray:
        """Return the measure under permutations within cells, one for each row of the array `rows`."""
        raise NotImplementedError

    def resample(
        self, x: Any, y: Any, permutations: _native.Permutations, first: int, count: int
    ) -> FloatArray:
        """Return the measure under permutations `first` to `first + count − 1` of a numbered sequence."""
        return self.values_at(x, y, permutations.rows(first, count))

    def estimate(self, x: Any, y: Any) -> float:
        """Return the value of the measure on the unpermuted rows."""
        return float(self.values_at(x, y, np.arange(x.n, dtype=np.int32)[np.newaxis])[0])

    def matched(self, x: Any, y: Any) -> NullDistributions | None:
        """Return a closed-form null with the exact moments, as an array of one, or None if unknown."""
        return None

    def cheap_null(self, x: Any, y: Any, max_operations: float) -> Null | None:
        """Return the exact null by convolution over cells, or None if unknown or too costly."""
        return None
