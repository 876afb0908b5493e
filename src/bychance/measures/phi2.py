"""χ²/n (`phi2`), and its root on a scale from 0 to 1 (`cramers_v`)."""

from __future__ import annotations

from typing import ClassVar

from bychance.kinds import Kind, PairKind
from bychance.measures.base import Limit, Matrix, Trace
from bychance.measures.structures import CellSum, RootOf, Structure, TraceForm
from bychance.measures.trace import Form, TraceMeasure

__all__ = ["CramersV", "Phi2"]


class Phi2(TraceMeasure):
    """Mean square contingency: Pearson's χ² over n.

    >>> import bychance as bc
    >>> bc.measure("phi2", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "phi2"
    summary = "mean square contingency, χ²/n"
    kinds = PairKind.CATEGORICAL
    symmetric = True
    traces: ClassVar = {
        (Kind.CATEGORICAL, Kind.CATEGORICAL): Trace(
            Matrix.PROJECTOR, Matrix.PROJECTOR, "gamma", limit=Limit.GROUPS
        )
    }


class CramersV(Phi2):
    """Cramér's V: √(χ²/n over its maximum).

    >>> import bychance as bc
    >>> bc.measure("cramers_v", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "cramers_v"
    summary = "Cramér's V: root of χ²/n over its maximum; adjusted, it falls with the number of categories"
    is_root = True

    forms: ClassVar = {}  # the root's moments are integrals, pair by pair

    def default_bound(self, x: Form, y: Form) -> float:
        """Return 1.0, the maximum of V."""
        return 1.0

    def structures(self, x: Form, y: Form) -> tuple[Structure, ...]:
        """Return the measure as the root of φ² over its maximum."""
        base = tuple(s for s in super().structures(x, y) if isinstance(s, TraceForm | CellSum))
        return (RootOf(base, self._root_factor(x, y)),)

    def _root_factor(self, x: Form, y: Form) -> float:
        largest = self._limit(x, y)
        return 0.0 if largest == 0 else 1 / largest
