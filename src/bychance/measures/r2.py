"""Squared Pearson correlation, on values (`r2`) and on midranks (`spearman`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Matrix, Trace
from bychance.measures.matrices import Line
from bychance.measures.trace import TraceMeasure

__all__ = ["R2", "Spearman"]


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
    bounds: ClassVar[Mapping[str, str]] = {"attainable": "attainable_bound"}
    traces: ClassVar = {(Kind.NUMERIC, Kind.NUMERIC): Trace(Matrix.LINE, Matrix.LINE, "beta")}

    def attainable_bound(self, x: Line, y: Line) -> float:
        """Return the largest r² that any pairing of these two columns' values can reach."""
        ascending, other = np.sort(x.values), np.sort(y.values)
        return float(max((ascending @ other) ** 2, (ascending @ other[::-1]) ** 2))


class Spearman(R2):
    """Squared Spearman correlation: r² on midranks, so that any monotone relation counts.

    >>> import bychance as bc
    >>> bc.measure("spearman", [1, 2, 3, 4], [1, 10, 100, 1000])
    1.0
    """

    name = "spearman"
    summary = "squared Spearman correlation, on midranks"
    paper_null = None
    traces: ClassVar = {(Kind.NUMERIC, Kind.NUMERIC): Trace(Matrix.RANKS, Matrix.RANKS, "beta")}
