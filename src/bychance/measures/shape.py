"""Share of y's variation that x explains in any shape: by a bent line, or by groups."""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Matrix, Trace, Unit
from bychance.measures.trace import TraceMeasure

__all__ = ["Shape"]


class Shape(TraceMeasure):
    """Share of y's variation that x explains by a line bent at x's quintiles, or by its groups.

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
    traces: ClassVar = {
        (Kind.NUMERIC, Kind.NUMERIC): Trace(Matrix.BENDS, Matrix.LINE, "beta"),
        (Kind.CATEGORICAL, Kind.NUMERIC): Trace(Matrix.PROJECTOR, Matrix.LINE, "beta"),
        (Kind.NUMERIC, Kind.CATEGORICAL): Trace(Matrix.BENDS, Matrix.INDICATOR, "gamma", Unit.VARIATION),
        (Kind.CATEGORICAL, Kind.CATEGORICAL): Trace(
            Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.VARIATION
        ),
    }
