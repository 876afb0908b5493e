"""Shares of variation that one column explains of another, by a line, a bent line or groups.

`explained` (`"auto"`) and `shape` take columns of any kinds, `r2`, `spearman` and `eta2` those of one kind.
`RankLine` and `RankBends` check the best pairs again: ranks have no outliers, and their nulls hardly depend
on the values.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from bychance.kinds import Kind, PairKind
from bychance.measures.base import NamedBounds
from bychance.measures.structures import Matrix, Trace, Unit
from bychance.measures.trace import Line, TraceMeasure

__all__ = ["R2", "Eta2", "Explained", "RankBends", "RankLine", "Shape", "Spearman"]

_N, _C = Kind.NUMERIC, Kind.CATEGORICAL


def _shares(x: Matrix, y: Matrix) -> dict[tuple[Kind, Kind], Trace]:
    """Return the formula of the explained share of y's variation for each combination of column kinds."""
    return {
        (_N, _N): Trace(x, y, "beta"),
        (_C, _N): Trace(Matrix.PROJECTOR, y, "beta"),
        (_N, _C): Trace(x, Matrix.INDICATOR, "gamma", Unit.VARIATION),
        (_C, _C): Trace(Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.VARIATION),
    }


class Explained(TraceMeasure):
    """The share of y's variation that x explains, tr(A_x·B_y)/tr(B_y).

    It is r² for two numeric columns, η² for categorical x, Goodman–Kruskal's τ for two categorical ones, and
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
    traces: ClassVar = _shares(Matrix.LINE, Matrix.LINE)

    def is_symmetric(self, x: Kind, y: Kind) -> bool:
        """Return True for two numeric columns, for which the measure is r²."""
        return x is y is _N


class Shape(TraceMeasure):
    """Share of y's variation that x explains: a piecewise linear function with knots at quintiles, or groups.

    It is `explained` with a more flexible line, and never below it. Flexible lines explain more by chance,
    which its adjustment takes away: the adjusted R² of a regression with as many coefficients. Ordered
    categories of more than six levels bend like numbers, and then `explained` can be above it.

    >>> import numpy as np
    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> round(bc.measure("shape", x, x**2), 2), round(bc.measure("explained", x, x**2), 2)
    (1.0, 0.0)
    """

    name = "shape"
    summary = (
        "share of y's variation that x explains in any shape: by a line bent at its quintiles, or by groups"
    )
    kinds = PairKind.ANY
    symmetric = False
    bends_levels = True
    traces: ClassVar = _shares(Matrix.BENDS, Matrix.LINE)


class Eta2(TraceMeasure):
    """Correlation ratio: between-group over total sum of squares, for arguments in either order.

    Its adjustment is Kelley's ε². If both columns are numeric, x gives the groups.

    >>> import bychance as bc
    >>> bc.measure("eta2", ["a", "a", "b", "b"], [1.0, 2.0, 3.0, 4.0])
    0.79...
    """

    name = "eta2"
    summary = "correlation ratio: variance between groups over total variance"
    kinds = PairKind.MIXED
    symmetric = True
    traces: ClassVar = {
        (_C, _N): Trace(Matrix.PROJECTOR, Matrix.LINE, "beta"),
        (_N, _C): Trace(Matrix.LINE, Matrix.PROJECTOR, "beta"),
    }


class R2(TraceMeasure):
    """Squared Pearson correlation: the share of variance that a line explains.

    Its adjustment is the textbook adjusted R².

    >>> import bychance as bc
    >>> bc.measure("r2", [1, 2, 3, 4], [1, 3, 2, 4])
    0.64...
    """

    name = "r2"
    summary = "squared Pearson correlation"
    kinds = PairKind.NUMERIC
    symmetric = True
    paper_null: ClassVar[str | None] = "normal"
    traces: ClassVar = {(_N, _N): Trace(Matrix.LINE, Matrix.LINE, "beta")}

    def attainable_bound(self, x: Line, y: Line) -> float:
        """Return the largest r² that any pairing of these two columns' values can reach."""
        ascending, other = np.sort(x.values), np.sort(y.values)
        return float(max((ascending @ other) ** 2, (ascending @ other[::-1]) ** 2))

    bounds: ClassVar[NamedBounds] = {"attainable": attainable_bound}


class Spearman(R2):
    """Squared Spearman correlation: r² on midranks, so that any monotone relation counts.

    >>> import bychance as bc
    >>> bc.measure("spearman", [1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """

    name = "spearman"
    summary = "squared Spearman correlation, on midranks"
    paper_null = None
    traces: ClassVar = {(_N, _N): Trace(Matrix.RANKS, Matrix.RANKS, "beta")}


class RankLine(TraceMeasure):
    """Share of variation of y's ranks or classes that a straight line in x's ranks explains.

    >>> import numpy as np
    >>> from bychance.kinds import Role
    >>> x = np.array([1.0, 2.0, 3.0, 1e6])
    >>> measure = RankLine()
    >>> round(measure.estimate(measure.prepare(x, Role.X), measure.prepare(x**2, Role.Y)), 9)
    1.0
    """

    name = "ranks"
    summary = "share of variation that ranks explain by a straight line"
    kinds = PairKind.ANY
    symmetric = False
    traces: ClassVar = _shares(Matrix.RANKS, Matrix.RANKS)


class RankBends(RankLine):
    """Share of variation of y's ranks or classes that a bent line in x's ranks explains."""

    name = "bent ranks"
    summary = "share of variation that ranks explain by a bent line"
    traces: ClassVar = _shares(Matrix.RANK_BENDS, Matrix.RANKS)
