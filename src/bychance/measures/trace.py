"""Base class of measures scale · tr(A·B), and the columns prepared for them as matrices A or B.

Line: A = cc', c the centered values at unit norm. Partition: A = Σ_g w_g·1_g1_g' centered, over groups g
(w_g = 1/n_g projects on group means, w_g = 1 is the class indicator). Bent: A projects on piecewise linear
functions of the values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IntArray
from bychance.kinds import Kind, Role
from bychance.measures.base import CountedGroups, CountedValues, Measure, Values, order_values
from bychance.measures.structures import (
    CellFunction,
    CellSum,
    Limit,
    Matrix,
    NormalTheory,
    Structure,
    Trace,
    TraceForm,
)

__all__ = [
    "Bent",
    "Form",
    "Line",
    "Partition",
    "TraceMeasure",
    "bent_line",
    "centered_line",
    "trace_statistic",
]


@dataclass(frozen=True, eq=False)
class Line(CountedValues):
    """Standardized numeric column c, centered at norm 1 (0 if constant), as the matrix cc' in tr(A·B).

    `tie_groups` are the sizes of its groups of equal values, or None if they have not been counted.
    """

    values: FloatArray
    is_degenerate: bool
    tie_groups: IntArray | None = None
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC
    variation: ClassVar[float] = 1.0

    @cached_property
    def sizes(self) -> IntArray:
        """Number of rows with each distinct value."""
        return super().sizes if self.tie_groups is None else self.tie_groups

    @property
    def n_outside(self) -> int:
        """Number of rows outside the largest cluster of values within 0.3 standard deviations."""
        return self.n_others if self.n > _native.FEW_ROWS else self.n - _native.largest_cluster(self.values)

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums over the matrix cc' that permutations do not change, for the null's moments."""
        return _native.line_invariants(self.values)


@dataclass(frozen=True, eq=False)
class Partition(CountedGroups):
    """Categorical column as the matrix Σ w_g·1_g1_g' in tr(A·B), with a weight w_g per group g."""

    is_indicator: bool
    kind_of_column: ClassVar[Kind] = Kind.CATEGORICAL

    @property
    def weights(self) -> FloatArray:
        """Weight of each group: 1, or 1 over its size for a projector."""
        return np.ones(len(self.sizes)) if self.is_indicator else 1.0 / self.sizes

    @cached_property
    def variation(self) -> float:
        """n·(1 − Σ p²) for category shares p, the trace of the centered indicator matrix."""
        return self.n - float(np.sum(self.sizes**2)) / self.n

    @property
    def cell_function(self) -> CellFunction:
        """Name of the function f with tr(A·B) = Σ f(n_ij) over cells of the contingency table."""
        return "gain" if self.is_indicator else "contingency"

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums over the centered matrix that permutations do not change, for the null's moments."""
        return _native.partition_invariants(self.sizes, self.weights)


@dataclass(frozen=True, eq=False)
class Bent(CountedValues):
    """Numeric column as the projector on its piecewise linear functions with knots at quintiles.

    Its basis are hat functions between knots, the sorted values at evenly spaced positions
    (src/native/moments/bends.cpp). The inner knots are the bends. A value at two or more of these positions,
    such as 0, is a separate group.
    """

    values: FloatArray
    line: _native.BentLine
    kind_of_column: ClassVar[Kind] = Kind.NUMERIC

    @property
    def is_degenerate(self) -> bool:
        """True if the column is constant."""
        return self.line.rank == 0

    @property
    def n_distinct(self) -> int:
        """Number of distinct values if the function is a straight line, else the projector's rank plus 1."""
        return super().n_distinct if self.line.rank == 1 else self.line.rank + 1

    @property
    def variation(self) -> float:
        """Trace of the projector."""
        return float(self.line.rank)

    @cached_property
    def invariants(self) -> FloatArray:
        """Eight sums over the projector that permutations do not change, for the null's moments."""
        return self.line.invariants


Form = Line | Partition | Bent


class TraceMeasure(Measure[Form]):
    """Base class of measures scale · tr(A·B), defined by a `Trace` per combination of kinds of columns."""

    traces: ClassVar[Mapping[tuple[Kind, Kind], Trace]]
    has_quick_swaps = True

    def __init_subclass__(cls, **options: Any) -> None:
        if "traces" in vars(cls) and "forms" not in vars(cls):
            cls.forms = cls.traces
        super().__init_subclass__(**options)

    def prepare(self, values: Values, role: Role) -> Form:
        """Compute the matrix A or B of tr(A·B) for a column of this kind, used as x or as y."""
        kind = Kind.CATEGORICAL if values.dtype == np.int32 else Kind.NUMERIC
        side = 0 if role is Role.X else 1
        made = next(
            (stated.x, stated.y)[side] for kinds, stated in self.traces.items() if kinds[side] is kind
        )
        if made in (Matrix.PROJECTOR, Matrix.INDICATOR):
            return Partition.of(values, is_indicator=made is Matrix.INDICATOR)
        numbers = np.asarray(values, dtype=np.float64)
        if made is Matrix.LINE:
            return centered_line(numbers)
        if made is Matrix.BENDS:
            return _bent(numbers)
        ordering = order_values(numbers)
        if made is Matrix.RANK_BENDS:
            return _bent(ordering.midranks)
        return centered_line(ordering.midranks, ordering.sizes)

    def estimate(self, x: Form, y: Form) -> float:
        """Compute scale · tr(A·B), clipped to the measure's range."""
        return self._statistic(x, y).value()

    def _statistic(self, x: Form, y: Form) -> _native.Statistic:
        finish = _native.Finish(
            squared=isinstance(x, Line) and isinstance(y, Line),
            scale=self._scale(x, y),
            low=0.0,
            high=self._limit(x, y),
            root_factor=self._root_factor(x, y),
        )
        return trace_statistic(x, y, finish)

    def default_bound(self, x: Form, y: Form) -> float:
        """Return the largest value of the measure, as its `Trace` defines it."""
        return self._limit(x, y)

    def sign(self, x: Form, y: Form) -> int | None:
        """Return the sign of the correlation of two numeric columns, else None."""
        return int(np.sign(x.values @ y.values)) if isinstance(x, Line) and isinstance(y, Line) else None

    def structures(self, x: Form, y: Form) -> tuple[Structure, ...]:
        """Return the algebraic forms from which nulls are derived: tr(A·B), and others if they apply.

        For two categorical columns, there is a sum over contingency table cells. If the measure has an F-test
        for normal data, there is the Beta distribution of R² in that test.
        """
        stated, scale = self._trace(x, y), self._scale(x, y)
        found: list[Structure] = [TraceForm(x.n, x, y, scale, stated.distribution)]
        if isinstance(x, Partition) and isinstance(y, Partition):
            found.append(CellSum(y.cell_function, x.sizes, y.sizes, scale))
        if stated.has_normal_model:
            df = int(stated.df_explained(x.invariants[0], y.invariants[0]))
            found.append(NormalTheory(df, x.n - 1 - df))
        return tuple(found)

    def _root_factor(self, x: Form, y: Form) -> float | None:
        """Return the factor f if the measure is √(f · tr(A·B)), else None."""
        return None

    def _trace(self, x: Form, y: Form) -> Trace:
        return self.traces[x.kind_of_column, y.kind_of_column]

    def _scale(self, x: Form, y: Form) -> float:
        """Return the factor of tr(A·B) in the measure, or 0 if y is constant."""
        return 0.0 if y.variation == 0 else float(self._trace(x, y).scale(x.n, y.variation))

    def _limit(self, x: Form, y: Form) -> float:
        stated = self._trace(x, y)
        groups = (x.n_distinct, y.n_distinct) if stated.limit is Limit.GROUPS else (0, 0)
        return float(stated.bound(x.n, y.variation, *groups))


def centered_line(values: FloatArray, tie_groups: IntArray | None = None) -> Line:
    """Standardize a numeric column: center it and scale it to norm 1, without overflow of large values."""
    unit = _native.unit_line(values)
    return Line(unit, not unit.any(), tie_groups)


def bent_line(values: FloatArray) -> _native.BentLine:
    """Return the C++ projector on piecewise linear functions of a column, of at most five pieces.

    There is one piece per six rows.

    >>> bent_line(np.arange(30.0)).rank, bent_line(np.arange(11.0)).rank
    (5, 1)
    """
    return _native.BentLine.of(values, _native.pieces_for(len(values)))


def _bent(values: FloatArray) -> Form:
    """Create the projector on piecewise linear functions, or on groups if a column has few values."""
    line = bent_line(values)
    if line.has_groups_only and line.rank > 0:
        return Partition.of(np.unique(values, return_inverse=True)[1], is_indicator=False)
    return Bent(values, line)


def trace_statistic(x: Form, y: Form, finish: _native.Finish) -> _native.Statistic:
    """Create the C++ object that computes tr(A·B) under row permutations and then applies `finish`."""
    if isinstance(y, Line):
        if isinstance(x, Line):
            return _native.Statistic.lines(x.values, y.values, finish)
        if isinstance(x, Bent):
            return _native.Statistic.bent_line(x.line, y.values, finish)
        return _native.Statistic.group_sums(x.codes, x.weights, y.values, True, finish)
    assert isinstance(y, Partition)  # no measure bends y
    if isinstance(x, Line):
        return _native.Statistic.group_sums(y.codes, y.weights, x.values, False, finish)
    if isinstance(x, Bent):
        return _native.Statistic.bent_classes(x.line, y.codes, y.n_distinct, finish)
    # Σ w_i·v_j·(n_ij − a_i·b_j/n)², x a projector (w_i = 1/a_i).
    sizes = x.n_distinct, y.n_distinct
    return _native.Statistic.cells(y.cell_function, x.codes, y.codes, *sizes, finish)
