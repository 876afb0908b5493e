"""Correlation ratio η²: the share of a numeric variable's variance that lies between groups."""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Matrix, Trace
from bychance.measures.trace import TraceMeasure

__all__ = ["Eta2"]


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
        (Kind.CATEGORICAL, Kind.NUMERIC): Trace(Matrix.PROJECTOR, Matrix.LINE, "beta"),
        (Kind.NUMERIC, Kind.CATEGORICAL): Trace(Matrix.LINE, Matrix.PROJECTOR, "beta"),
    }
