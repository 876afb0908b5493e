"""χ²/n (`phi2`), and its root on a scale from 0 to 1 (`cramers_v`)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.matrices import Partition, resample_trace, trace
from bychance.measures.structures import CellSum, RootOf, Structure, TableForm, TableTrace, TraceForm

__all__ = ["CramersV", "Phi2"]


class Phi2(Measure[Partition]):
    """Mean square contingency: Pearson's χ² over n.

    >>> import bychance as bc
    >>> bc.measure("phi2", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "phi2"
    summary = "mean square contingency, χ²/n"
    kinds = PairKind.CATEGORICAL
    symmetric = True

    def prepare(self, values: Values, role: Role) -> Partition:
        """The projector on groups."""
        return Partition.projector(np.asarray(values, dtype=np.int32))

    def estimate(self, x: Partition, y: Partition) -> float:
        """χ²/n."""
        return float(np.clip(trace(x, y), 0.0, self.default_bound(x, y)))

    def resample(self, x: Partition, y: Partition, permutations: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same, y permuted."""
        return np.clip(resample_trace(x, y, permutations), 0.0, self.default_bound(x, y))

    def default_bound(self, x: Partition, y: Partition) -> float:
        """One less than the smaller number of categories."""
        return float(min(x.n_distinct, y.n_distinct) - 1)

    def structures(self, x: Partition, y: Partition) -> tuple[Structure, ...]:
        """A trace form of two projectors, and a sum over cells for the exact law."""
        return phi2_structures(x, y)

    def table_form(self, x: Kind, y: Kind) -> TableForm | None:
        """Two projectors."""
        return TableTrace("projector", "projector", "one", "gamma", "groups")


class CramersV(Phi2):
    """Cramér's V: √(χ²/n over its maximum).

    >>> import bychance as bc
    >>> bc.measure("cramers_v", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "cramers_v"
    summary = "Cramér's V: root of χ²/n over its maximum"

    def estimate(self, x: Partition, y: Partition) -> float:
        """The root of φ² over its maximum."""
        return float(np.sqrt(np.clip(trace(x, y) * self._factor(x, y), 0.0, 1.0)))

    def resample(self, x: Partition, y: Partition, permutations: NDArray[np.int32]) -> NDArray[np.float64]:
        """The same, y permuted."""
        return np.sqrt(np.clip(resample_trace(x, y, permutations) * self._factor(x, y), 0.0, 1.0))

    def default_bound(self, x: Partition, y: Partition) -> float:
        """1."""
        return 1.0

    def structures(self, x: Partition, y: Partition) -> tuple[Structure, ...]:
        """The root of φ²."""
        return (RootOf(phi2_structures(x, y), self._factor(x, y)),)

    def table_form(self, x: Kind, y: Kind) -> TableForm | None:
        """None: the root's moments are integrals, pair by pair."""
        return None

    @staticmethod
    def _factor(x: Partition, y: Partition) -> float:
        smaller = min(x.n_distinct, y.n_distinct)
        return 0.0 if smaller == 1 else 1 / (smaller - 1)


def phi2_structures(x: Partition, y: Partition) -> tuple[TraceForm, CellSum]:
    """What the nulls need of χ²/n."""
    return TraceForm(x.n, x, y, 1.0, "gamma"), CellSum("contingency", x.sizes, y.sizes, 1.0)
