"""Gini gain of y from splitting by x (`gini`), and its share of the maximum (`goodman_kruskal`)."""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Limit, Matrix, Trace, Unit
from bychance.measures.trace import TraceMeasure

__all__ = ["Gini", "GoodmanKruskal"]

_LABELS = Kind.CATEGORICAL, Kind.CATEGORICAL


class Gini(TraceMeasure):
    """Gini gain: the reduction in the chance that two draws of y differ, once x is known.

    1 − Σ_j (n_j/n)² − Σ_i (n_i/n)·(1 − Σ_j (n_ij/n_i)²) (Romano et al. 2016, eq. 5, its inner sum over j).

    >>> import bychance as bc
    >>> bc.measure("gini", ["a", "a", "b", "b"], [0, 0, 1, 1])
    0.5
    """

    name = "gini"
    summary = "Gini gain of y when x splits"
    kinds = PairKind.CATEGORICAL
    symmetric = False
    paper_null: ClassVar[str | None] = "cantelli"
    has_multinomial_model = True
    traces: ClassVar = {
        _LABELS: Trace(Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.ROWS, Limit.IMPURITY)
    }


class GoodmanKruskal(Gini):
    """Goodman and Kruskal's τ: Gini gain over its maximum, the share of y's variation that x explains.

    >>> import bychance as bc
    >>> bc.measure("goodman_kruskal", ["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """

    name = "goodman_kruskal"
    summary = "Goodman and Kruskal's τ: Gini gain over its maximum"
    paper_null = None
    traces: ClassVar = {_LABELS: Trace(Matrix.PROJECTOR, Matrix.INDICATOR, "gamma", Unit.VARIATION)}
