"""Share of variation that a straight or bent line in ranks explains, to check the best pairs again.

Ranks have no outliers, and their nulls hardly depend on the values.
"""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Matrix, Trace, Unit
from bychance.measures.trace import TraceMeasure

__all__ = ["RankBends", "RankLine"]

_N, _C = Kind.NUMERIC, Kind.CATEGORICAL


class RankLine(TraceMeasure):
    """Share of y's variation (classes or midranks) that a straight line in x's midranks explains.

    >>> import numpy as np
    >>> from bychance.kinds import Role
    >>> x = np.array([1.0, 2.0, 3.0, 1e6])
    >>> look = RankLine()
    >>> round(look.estimate(look.prepare(x, Role.X), look.prepare(x**2, Role.Y)), 9)
    1.0
    """

    name = "ranks"
    summary = "share of variation that ranks explain by a straight line"
    kinds = PairKind.ANY
    symmetric = False
    traces: ClassVar = {
        (_N, _N): Trace(Matrix.RANKS, Matrix.RANKS, "beta"),
        (_N, _C): Trace(Matrix.RANKS, Matrix.INDICATOR, "gamma", Unit.VARIATION),
        (_C, _N): Trace(Matrix.PROJECTOR, Matrix.RANKS, "beta"),
    }


class RankBends(RankLine):
    """Share of y's variation (classes or midranks) that a line bent at quintiles of x's midranks explains."""

    name = "bent ranks"
    summary = "share of variation that ranks explain by a bent line"
    traces: ClassVar = {
        (_N, _N): Trace(Matrix.RANK_BENDS, Matrix.RANKS, "beta"),
        (_N, _C): Trace(Matrix.RANK_BENDS, Matrix.INDICATOR, "gamma", Unit.VARIATION),
        (_C, _N): Trace(Matrix.PROJECTOR, Matrix.RANKS, "beta"),
        (_C, _C): Trace(Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.VARIATION),
    }
