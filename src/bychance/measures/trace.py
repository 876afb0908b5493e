"""Measures stated as scale · tr(A·B), by their matrices, unit, limit and null distribution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Kind, Role
from bychance.measures.base import Matrix, Measure, Trace, Values
from bychance.measures.bent import Bent, bent_line
from bychance.measures.matrices import Line, Partition, centered_line, trace_statistic
from bychance.measures.ordering import order_values
from bychance.measures.structures import CellSum, NormalTheory, Structure, TraceForm

__all__ = ["Form", "TraceMeasure"]

Form = Line | Partition | Bent


class TraceMeasure(Measure[Form]):
    """Measure stated as scale · tr(A·B), by one `Trace` per combination of kinds of columns."""

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
        if made is Matrix.PROJECTOR:
            return Partition.projector(np.asarray(values, dtype=np.int32))
        if made is Matrix.INDICATOR:
            return Partition.indicator(np.asarray(values, dtype=np.int32))
        numbers = np.asarray(values, dtype=np.float64)
        if made is Matrix.LINE:
            return centered_line(numbers)
        if made is Matrix.BENDS:
            return _bent(numbers)
        ordering = order_values(numbers)
        if made is Matrix.RANK_BENDS:
            return _bent(ordering.midranks)
        return centered_line(ordering.midranks, ordering.tie_groups)

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
        """Return the trace, and the sum over cells or the normal model if the kinds have one."""
        stated, scale = self._trace(x, y), self._scale(x, y)
        found: list[Structure] = [TraceForm(x.n, x, y, scale, stated.law)]
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
        return float(self._trace(x, y).bound(x.n, y.variation, _n_groups(x), _n_groups(y)))


def _bent(values: NDArray[np.float64]) -> Form:
    """Return the projector on bent lines, or on groups if each distinct value is a group."""
    line = bent_line(values)
    if line.has_groups_only and line.rank > 0:
        return Partition.projector(np.unique(values, return_inverse=True)[1].astype(np.int32))
    return Bent(values, line)


def _n_groups(form: Form) -> int:
    """Return the number of groups, or 0 for a numeric column, which saves a sort."""
    return 0 if isinstance(form, Line) else form.n_distinct
