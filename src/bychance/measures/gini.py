"""Gini gain of y when x splits (`gini`), and its share of the maximum (`goodman_kruskal`)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import Partition, resample_trace, trace
from bychance.measures.structures import CellSum, Structure, TableForm, TableTrace, TraceForm

__all__ = ["Gini", "GoodmanKruskal"]


class Gini(Measure[Partition]):
    """Gini gain: by how much knowing x lowers the chance that two draws of y differ.

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

    def prepare(self, values: Values, role: Role) -> Partition:
        """X becomes the projector on its groups, y the class indicator."""
        codes = np.asarray(values, dtype=np.int32)
        return Partition.projector(codes) if role is Role.X else Partition.indicator(codes)

    def estimate(self, x: Partition, y: Partition) -> float:
        """The gain; rounding never takes it out of its range."""
        return float(np.clip(trace(x, y) * self.scale(y), 0.0, self.default_bound(x, y)))

    def resample(self, x: Partition, y: Partition, permutations: NDArray[np.int32]) -> NDArray[np.float64]:
        """The gain, y permuted."""
        gains = resample_trace(x, y, permutations) * self.scale(y)
        return np.clip(gains, 0.0, self.default_bound(x, y))

    def default_bound(self, x: Partition, y: Partition) -> float:
        """1 − Σ_j (n_j/n)²: the gain where x determines y."""
        return impurity(y)

    def scale(self, y: Partition) -> float:
        """What turns tr(A·B) into the measure."""
        return 1 / y.n

    def structures(self, x: Partition, y: Partition) -> tuple[Structure, ...]:
        """A trace form, and a sum over cells for the exact law."""
        scale = self.scale(y)
        return (TraceForm(x.n, x, y, scale, "gamma"), CellSum("gain", x.sizes, y.sizes, scale))

    def table_form(self, x: Kind, y: Kind) -> TableForm:
        """A projector and a class indicator."""
        return TableTrace("projector", "indicator", "rows", "gamma", "impurity")


class GoodmanKruskal(Gini):
    """Goodman and Kruskal's τ: Gini gain over its maximum, the share of y's variation that x explains.

    >>> import bychance as bc
    >>> bc.measure("goodman_kruskal", ["a", "a", "b", "b"], [0, 0, 1, 1])
    1.0
    """

    name = "goodman_kruskal"
    summary = "Goodman and Kruskal's τ: Gini gain over its maximum"
    paper_null = None

    def scale(self, y: Partition) -> float:
        """What turns tr(A·B) into the measure."""
        variation = y.n * impurity(y)
        return 0.0 if variation == 0 else 1 / variation

    def default_bound(self, x: Partition, y: Partition) -> float:
        """1: x determines y."""
        return 1.0

    def table_form(self, x: Kind, y: Kind) -> TableForm:
        """The same, over its maximum."""
        return TableTrace("projector", "indicator", "variation", "gamma")


def impurity(y: Partition) -> float:
    """The chance that two draws of y, with replacement, differ."""
    return 1 - float(np.sum((y.sizes / y.n) ** 2))
