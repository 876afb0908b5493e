"""Measures of two categorical columns, by their contingency table.

Information and pairs of rows (`mi`, `rand`, `agreement`), Gini gain of one from splitting by the other
(`gini`, `goodman_kruskal`), and χ² (`phi2`, `cramers_v`).
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import ClassVar

import numpy as np

from bychance import _native
from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import CountedGroups, Measure, NamedBounds, Values
from bychance.measures.structures import (
    CellFunction,
    CellSum,
    Information,
    Limit,
    Matrix,
    RootOf,
    Structure,
    TogetherSum,
    Trace,
    TraceForm,
    Unit,
)
from bychance.measures.trace import Form, TraceMeasure

__all__ = [
    "Agreement",
    "CramersV",
    "Gini",
    "GoodmanKruskal",
    "Labeling",
    "MutualInformation",
    "Phi2",
    "Rand",
]

_LABELS = Kind.CATEGORICAL, Kind.CATEGORICAL
_NATS_PER_BIT = float(np.log(2))  # ln 2


class Labeling(CountedGroups):
    """Categorical column prepared for a measure: category codes, with the number of rows of each."""

    @cached_property
    def entropy(self) -> float:
        """Entropy of the categories in bits."""
        shares = self.sizes[self.sizes > 0] / self.n
        return float(max(-np.sum(shares * np.log2(shares)), 0.0))


class SharedLabeling(Labeling):
    """Categorical column with codes shared by both columns. Categories of the other one have count 0."""

    @property
    def is_degenerate(self) -> bool:
        """True if all rows are in one group."""
        return bool(self.sizes.max() == self.n)


class LabelMeasure(Measure[Labeling]):
    """Base class of measures computed from a sum of one function over contingency table cells."""

    kinds = PairKind.CATEGORICAL
    symmetric = True
    has_quick_swaps = True
    function: ClassVar[CellFunction]

    def prepare(self, values: Values, role: Role) -> Labeling:
        """Count the rows of each category."""
        return Labeling.of(values)

    def estimate(self, x: Labeling, y: Labeling) -> float:
        """Compute the measure from the sum over the cells of the contingency table."""
        return self._statistic(x, y).value()

    def _statistic(self, x: Labeling, y: Labeling) -> _native.Statistic:
        sizes = len(x.sizes), len(y.sizes)
        return _native.Statistic.cells(self.function, x.codes, y.codes, *sizes, self._finish(x, y))

    @abstractmethod
    def _finish(self, x: Labeling, y: Labeling) -> _native.Finish:
        """Return the transform (scale, offset, limits) from the sum over table cells to the measure."""


class MutualInformation(LabelMeasure):
    """Mutual information of two labelings, in bits.

    The bound is min(H(x), H(y)). `bound="arithmetic"`, `"geometric"` and `"max"` select the other averages of
    the adjusted mutual information, and `"target"` selects H(y).

    >>> import bychance as bc
    >>> bc.measure("mi", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "mi"
    summary = "mutual information in bits; adjusted, it is AMI, which rises with the number of categories"
    function = "information"
    bounds: ClassVar[NamedBounds] = {
        "min": lambda _, x, y: min(x.entropy, y.entropy),
        "arithmetic": lambda _, x, y: (x.entropy + y.entropy) / 2,
        "geometric": lambda _, x, y: float(np.sqrt(x.entropy * y.entropy)),
        "max": lambda _, x, y: max(x.entropy, y.entropy),
        "target": lambda _, x, y: y.entropy,
    }
    forms: ClassVar = {_LABELS: Information()}

    def _finish(self, x: Labeling, y: Labeling) -> _native.Finish:
        """Return the transform of Σ n_ij·log(n·n_ij/(a_i·b_j)) to bits per row, at least 0."""
        return _native.Finish(scale=self._scale(x), low=0.0, high=min(x.entropy, y.entropy))

    def default_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the smaller of both columns' entropies, the largest mutual information."""
        return min(x.entropy, y.entropy)

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the algebraic form from which the null is derived: a sum over contingency table cells."""
        return (CellSum("information", x.sizes, y.sizes, self._scale(x)),)

    @staticmethod
    def _scale(x: Labeling) -> float:
        """Return the factor 1/(n·ln 2) that converts a sum over n rows in nats to bits per row."""
        return 1 / (x.n * _NATS_PER_BIT)


class Rand(LabelMeasure):
    """Rand index: the share of pairs of rows that both labelings keep together or both keep apart.

    >>> import bychance as bc
    >>> bc.measure("rand", ["a", "a", "b", "b"], ["u", "v", "w", "w"])
    0.833...
    """

    name = "rand"
    summary = "Rand index; adjusted, it is ARI"
    function = "together"

    def _finish(self, x: Labeling, y: Labeling) -> _native.Finish:
        scale, offset = self._affine(x, y)
        return _native.Finish(scale=scale, offset=offset)

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the algebraic form from which the null is derived: a sum of squared table counts."""
        scale, offset = self._affine(x, y)
        cells = CellSum("together", x.sizes, y.sizes, scale, offset)
        return (TogetherSum(x.sizes, y.sizes, scale, offset), cells)

    @staticmethod
    def _affine(x: Labeling, y: Labeling) -> tuple[float, float]:
        """Return scale and offset of the Rand index as offset + scale · Σ n_ij² over table cells."""
        pairs = x.n * (x.n - 1)
        together = float(x.sizes @ x.sizes + y.sizes @ y.sizes)
        return 2 / pairs, 1 - together / pairs


class Agreement(LabelMeasure):
    """Share of rows on which two raters give the same category. Its adjustment is Cohen's κ.

    >>> import bychance as bc
    >>> bc.adjust("agreement", ["a", "a", "b", "b"], ["a", "a", "b", "a"]).adjusted
    0.5
    """

    name = "agreement"
    summary = "share of equal categories; adjusted, it is Cohen's κ"
    function = "diagonal"
    needs_shared_labels = True

    def prepare(self, values: Values, role: Role) -> Labeling:
        """Count the rows of each category, which has the same code in both columns."""
        return SharedLabeling.of(values)

    def _finish(self, x: Labeling, y: Labeling) -> _native.Finish:
        return _native.Finish(divisor=float(x.n))

    def attainable_bound(self, x: Labeling, y: Labeling) -> float:
        """Return Σ min(a_k, b_k)/n, the largest share that these category counts allow."""
        size = min(len(x.sizes), len(y.sizes))
        return float(np.minimum(x.sizes[:size], y.sizes[:size]).sum()) / x.n

    bounds: ClassVar[NamedBounds] = {"attainable": attainable_bound}

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the algebraic form from which the null is derived: a sum over the table's diagonal."""
        size = max(len(x.sizes), len(y.sizes))
        rows, columns = (np.pad(v.sizes, (0, size - len(v.sizes))) for v in (x, y))
        return (CellSum("diagonal", rows, columns, 1 / x.n),)


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
    traces: ClassVar = {_LABELS: Trace(Matrix.PROJECTOR, Matrix.PROJECTOR, "gamma", limit=Limit.GROUPS)}


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
        """Return the algebraic form from which the null is derived: the root of φ² over its maximum."""
        base = tuple(s for s in super().structures(x, y) if isinstance(s, TraceForm | CellSum))
        return (RootOf(base, self._root_factor(x, y)),)

    def _root_factor(self, x: Form, y: Form) -> float:
        largest = self._limit(x, y)
        return 0.0 if largest == 0 else 1 / largest
