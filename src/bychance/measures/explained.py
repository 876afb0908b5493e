"""Explained variation: one scale for every pair of kinds, and what `"auto"` means as a measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import Line, Partition, centered_line, resample_trace, trace
from bychance.measures.structures import CellSum, NormalTheory, Structure, TableForm, TableTrace, TraceForm

__all__ = ["Explained", "PreparedShare"]


@dataclass(frozen=True, eq=False)
class PreparedShare:
    """A variable's matrix in tr(A_x·B_y)/tr(B_y), and that denominator."""

    form: Line | Partition
    total: float

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.form.n

    @property
    def labels(self) -> NDArray[np.float64] | NDArray[np.int32]:
        """Those of the matrix."""
        return self.form.labels

    @property
    def is_degenerate(self) -> bool:
        """Whether the column is constant, or a label of its own for every row."""
        return self.form.is_degenerate


class Explained(Measure[PreparedShare]):
    """The share of y's variation that x explains, tr(A_x·B_y)/tr(B_y).

    r² for two numeric columns, η² for categorical x, Goodman–Kruskal's τ for two categorical ones, and
    their linear analogue for numeric x and categorical y. Its adjustment is the adjusted R² in every case.

    >>> import bychance as bc
    >>> bc.measure("explained", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "explained"
    summary = "share of y's variation that x explains: r², η², τ on one scale"
    kinds = PairKind.ANY
    symmetric = False
    paper_null = "normal"

    def prepare(self, values: Values, role: Role) -> PreparedShare:
        """Numbers become a line; codes the projector on groups (x) or the class indicator (y)."""
        if values.dtype != np.int32:
            return PreparedShare(centered_line(np.asarray(values, dtype=np.float64)), 1.0)
        codes = np.asarray(values, dtype=np.int32)
        if role is Role.X:
            return PreparedShare(Partition.projector(codes), 1.0)
        classes = Partition.indicator(codes)
        return PreparedShare(classes, len(codes) - float(np.sum(classes.sizes**2)) / len(codes))

    def estimate(self, x: PreparedShare, y: PreparedShare) -> float:
        """tr(A_x·B_y)/tr(B_y)."""
        return 0.0 if y.total == 0 else min(max(trace(x.form, y.form) / y.total, 0.0), 1.0)

    def resample(
        self, x: PreparedShare, y: PreparedShare, permutations: NDArray[np.int32]
    ) -> NDArray[np.float64]:
        """The same, y permuted."""
        return np.minimum(resample_trace(x.form, y.form, permutations) / y.total, 1.0)

    def sign(self, x: PreparedShare, y: PreparedShare) -> int | None:
        """The sign of the correlation, between two numeric columns."""
        if isinstance(x.form, Line) and isinstance(y.form, Line):
            return int(np.sign(x.form.values @ y.form.values))
        return None

    def structures(self, x: PreparedShare, y: PreparedShare) -> tuple[Structure, ...]:
        """A trace form, with the normal model and exact tables where the kinds have them."""
        n, first, second = x.n, x.form, y.form
        if isinstance(second, Line):
            rank = 1 if isinstance(first, Line) else first.n_distinct - 1
            return (TraceForm(n, first, second, 1.0, "beta"), NormalTheory(rank, n - 1 - rank))
        form = TraceForm(n, first, second, 1 / y.total, "gamma")
        if isinstance(first, Line):
            return (form,)
        return (form, CellSum("gain", first.sizes, second.sizes, 1 / y.total))

    def table_form(self, x: Kind, y: Kind) -> TableForm:
        """A line or a projector, and a line or a class indicator."""
        first: Literal["line", "projector"] = "line" if x is Kind.NUMERIC else "projector"
        if y is Kind.NUMERIC:
            return TableTrace(first, "line", "one", "beta")
        return TableTrace(first, "indicator", "variation", "gamma")

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Only between two numeric columns, where it is r²."""
        return x is y is Kind.NUMERIC
