"""Share of y's variation that x explains, on one scale for all kinds of columns (measure `"auto"`)."""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Matrix, Trace, Unit
from bychance.measures.trace import TraceMeasure

__all__ = ["Explained"]


class Explained(TraceMeasure):
    """The share of y's variation that x explains, tr(A_x·B_y)/tr(B_y).

    r² for two numeric columns, η² for categorical x, Goodman–Kruskal's τ for two categorical ones, and
    their linear analogue for numeric x and categorical y. Its adjustment is the adjusted R² in every case.

    >>> import bychance as bc
    >>> bc.measure("explained", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "explained"
    summary = "share of y's variation that x explains; between numbers, by a straight line (r²)"
    kinds = PairKind.ANY
    symmetric = False
    paper_null = "normal"
    traces: ClassVar = {
        (Kind.NUMERIC, Kind.NUMERIC): Trace(Matrix.LINE, Matrix.LINE, "beta"),
        (Kind.CATEGORICAL, Kind.NUMERIC): Trace(Matrix.PROJECTOR, Matrix.LINE, "beta"),
        (Kind.NUMERIC, Kind.CATEGORICAL): Trace(Matrix.LINE, Matrix.INDICATOR, "gamma", Unit.VARIATION),
        (Kind.CATEGORICAL, Kind.CATEGORICAL): Trace(
            Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.VARIATION
        ),
    }

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Return True for two numeric columns, for which the measure is r²."""
        return x is y is Kind.NUMERIC
