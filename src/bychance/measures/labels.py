"""Measures that compare two labelings by their contingency table: `mi`, `rand`, `agreement`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Kind, PairKind, Role
from bychance.measures.base import CountedGroups, Information, Measure, Values
from bychance.measures.structures import CellFunction, CellSum, Structure, TogetherSum

__all__ = ["Agreement", "Labeling", "MutualInformation", "Rand"]

_NATS_PER_BIT = float(np.log(2))


@dataclass(frozen=True, eq=False)
class Labeling(CountedGroups):
    """Category codes of a column, and counts that are 0 for categories of the other column only."""

    codes: NDArray[np.int32]
    sizes: NDArray[np.int64]
    is_degenerate: bool

    @classmethod
    def of(cls, codes: NDArray[np.int32]) -> Labeling:
        """Create the labeling with these codes. It is degenerate if all rows differ or none does."""
        sizes = np.bincount(codes).astype(np.int64)
        return cls(codes, sizes, len(sizes) in (1, len(codes)))

    @cached_property
    def entropy(self) -> float:
        """Entropy of the categories in bits."""
        shares = self.sizes[self.sizes > 0] / self.n
        return float(max(-np.sum(shares * np.log2(shares)), 0.0))


def _cells(function: CellFunction, x: Labeling, y: Labeling, finish: _native.Finish) -> _native.Statistic:
    return _native.Statistic.cells(function, x.codes, y.codes, len(x.sizes), len(y.sizes), finish)


class MutualInformation(Measure[Labeling]):
    """Mutual information of two labelings, in bits.

    The bound is min(H(x), H(y)). `bound="arithmetic"`, `"geometric"` and `"max"` select the other averages of
    the adjusted mutual information, and `"target"` selects H(y).

    >>> import bychance as bc
    >>> bc.measure("mi", ["a", "a", "b", "b"], ["u", "u", "v", "v"])
    1.0
    """

    name = "mi"
    summary = "mutual information in bits; adjusted, it is AMI, which rises with the number of categories"
    kinds = PairKind.CATEGORICAL
    symmetric = True
    has_quick_swaps = True
    bounds: ClassVar[Mapping[str, str]] = {
        "min": "default_bound",
        "arithmetic": "arithmetic_bound",
        "geometric": "geometric_bound",
        "max": "max_bound",
        "target": "target_bound",
    }
    forms: ClassVar = {(Kind.CATEGORICAL, Kind.CATEGORICAL): Information()}

    def prepare(self, values: Values, role: Role) -> Labeling:
        """Count the rows of each category."""
        return Labeling.of(np.asarray(values, dtype=np.int32))

    def estimate(self, x: Labeling, y: Labeling) -> float:
        """Compute Σ (n_ij/n)·log2(n·n_ij/(a_i·b_j)), never below 0."""
        return self._statistic(x, y).value()

    def _statistic(self, x: Labeling, y: Labeling) -> _native.Statistic:
        finish = _native.Finish(scale=self._scale(x), low=0.0, high=min(x.entropy, y.entropy))
        return _cells("information", x, y, finish)

    def default_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the smaller entropy."""
        return min(x.entropy, y.entropy)

    def arithmetic_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the mean of the entropies."""
        return (x.entropy + y.entropy) / 2

    def geometric_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the geometric mean of the entropies."""
        return float(np.sqrt(x.entropy * y.entropy))

    def max_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the larger entropy."""
        return max(x.entropy, y.entropy)

    def target_bound(self, x: Labeling, y: Labeling) -> float:
        """Return the entropy of y."""
        return y.entropy

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the measure as a sum over the cells of the contingency table."""
        return (CellSum("information", x.sizes, y.sizes, self._scale(x)),)

    @staticmethod
    def _scale(x: Labeling) -> float:
        """Return the factor from a sum over rows in nats to bits per row."""
        return 1 / (x.n * _NATS_PER_BIT)


class Rand(Measure[Labeling]):
    """Rand index: the share of pairs of rows that both labelings keep together or both keep apart.

    >>> import bychance as bc
    >>> bc.measure("rand", ["a", "a", "b", "b"], ["u", "v", "w", "w"])
    0.833...
    """

    name = "rand"
    summary = "Rand index; adjusted, it is ARI"
    kinds = PairKind.CATEGORICAL
    symmetric = True
    has_quick_swaps = True

    def prepare(self, values: Values, role: Role) -> Labeling:
        """Count the rows of each category."""
        return Labeling.of(np.asarray(values, dtype=np.int32))

    def estimate(self, x: Labeling, y: Labeling) -> float:
        """Compute the share of pairs of rows on which both labelings agree."""
        return self._statistic(x, y).value()

    def _statistic(self, x: Labeling, y: Labeling) -> _native.Statistic:
        scale, offset = self._affine(x, y)
        return _cells("together", x, y, _native.Finish(scale=scale, offset=offset))

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the measure as a sum of squared cell counts, for moments and exact nulls."""
        scale, offset = self._affine(x, y)
        cells = CellSum("together", x.sizes, y.sizes, scale, offset)
        return (TogetherSum(x.sizes, y.sizes, scale, offset), cells)

    @staticmethod
    def _affine(x: Labeling, y: Labeling) -> tuple[float, float]:
        """Return the scale and offset that turn Σ n_ij² into the Rand index."""
        pairs = x.n * (x.n - 1)
        together = float(x.sizes @ x.sizes + y.sizes @ y.sizes)
        return 2 / pairs, 1 - together / pairs


class Agreement(Measure[Labeling]):
    """Share of rows on which two raters give the same category. Its adjustment is Cohen's κ.

    >>> import bychance as bc
    >>> bc.adjust("agreement", ["a", "a", "b", "b"], ["a", "a", "b", "a"]).adjusted
    0.5
    """

    name = "agreement"
    summary = "share of equal categories; adjusted, it is Cohen's κ"
    kinds = PairKind.CATEGORICAL
    symmetric = True
    has_quick_swaps = True
    needs_shared_labels = True
    bounds: ClassVar[Mapping[str, str]] = {"attainable": "attainable_bound"}

    def prepare(self, values: Values, role: Role) -> Labeling:
        """Count the rows of each category, which has the same code in both columns."""
        codes = np.asarray(values, dtype=np.int32)
        sizes = np.bincount(codes).astype(np.int64)
        return Labeling(codes, sizes, bool(sizes.max() == len(codes)))

    def estimate(self, x: Labeling, y: Labeling) -> float:
        """Compute the share of rows with equal codes."""
        return float(np.mean(x.codes == y.codes))

    def _statistic(self, x: Labeling, y: Labeling) -> _native.Statistic:
        return _cells("diagonal", x, y, _native.Finish(divisor=float(x.n)))

    def attainable_bound(self, x: Labeling, y: Labeling) -> float:
        """Return Σ min(a_k, b_k)/n, the largest share that these category counts allow."""
        size = min(len(x.sizes), len(y.sizes))
        return float(np.minimum(x.sizes[:size], y.sizes[:size]).sum()) / x.n

    def structures(self, x: Labeling, y: Labeling) -> tuple[Structure, ...]:
        """Return the measure as a sum over the diagonal of the contingency table."""
        size = max(len(x.sizes), len(y.sizes))
        rows, columns = (np.pad(v.sizes, (0, size - len(v.sizes))) for v in (x, y))
        return (CellSum("diagonal", rows, columns, 1 / x.n),)
