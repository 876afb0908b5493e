"""Correlation ratio η²: the share of a numeric variable's variance that lies between groups."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import Line, Partition, centered_line, resample_trace, trace
from bychance.measures.structures import NormalTheory, Structure, TableForm, TableTrace, TraceForm

__all__ = ["Eta2"]


class Eta2(Measure[Line | Partition]):
    """Correlation ratio: between-group over total sum of squares; either order of arguments.

    Its adjustment is Kelley's ε². Where both columns are numbers, x gives the groups.

    >>> import bychance as bc
    >>> bc.measure("eta2", ["a", "a", "b", "b"], [1.0, 2.0, 3.0, 4.0])
    0.79...
    """

    name = "eta2"
    summary = "correlation ratio: variance between groups over total variance"
    kinds = PairKind.MIXED
    symmetric = True

    def prepare(self, values: Values, role: Role) -> Line | Partition:
        """Codes become a projector on group means, numbers a line."""
        if values.dtype == np.int32:
            return Partition.projector(np.asarray(values, dtype=np.int32))
        return centered_line(np.asarray(values, dtype=np.float64))

    def estimate(self, x: Line | Partition, y: Line | Partition) -> float:
        """Between-group over total sum of squares."""
        return min(trace(x, y), 1.0)

    def resample(
        self, x: Line | Partition, y: Line | Partition, permutations: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """The same, y permuted."""
        return np.minimum(resample_trace(x, y, permutations), 1.0)

    def structures(self, x: Line | Partition, y: Line | Partition) -> tuple[Structure, ...]:
        """A trace form; Beta((k−1)/2, (n−k)/2) with normal residuals."""
        groups = x if isinstance(x, Partition) else y
        k = groups.n_distinct
        return (TraceForm(x.n, x, y, 1.0, "beta"), NormalTheory(k - 1, x.n - k))

    def table_form(self, x: Kind, y: Kind) -> TableForm | None:
        """A projector and a line, whichever comes first."""
        if x is y:
            return None
        if x is Kind.CATEGORICAL:
            return TableTrace("projector", "line", "one", "beta")
        return TableTrace("line", "projector", "one", "beta")
