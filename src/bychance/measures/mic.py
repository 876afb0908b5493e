"""The maximal information coefficient (`mic`), and its equitable relatives (`mic_e`, `tic_e`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import CostError
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, Values
from bychance.measures.ordering import Ordering
from bychance.measures.structures import SharedRanks, Structure
from bychance.messages import Call, Option
from bychance.validation import number_within

__all__ = ["MIC", "MICe", "RankedVariable", "TICe"]

# Raised whenever the kernel's values change, so that stored nulls of an older kernel are not used.
KERNEL_VERSION = 2

_MAX_BYTES = 4e9
_MAX_OPERATIONS = 1e12
_OPERATIONS_PER_SECOND = 2e9


@dataclass(frozen=True, eq=False)
class RankedVariable:
    """Column prepared for the MIC kernel: its values, sorted and cut into bins."""

    kernel: _native.MicVariable

    @cached_property
    def ordering(self) -> Ordering:
        """Order of the rows by value, with groups of ties."""
        return Ordering(self.kernel.order, self.kernel.tie_groups)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.kernel.n

    @property
    def labels(self) -> NDArray[np.int32]:
        """Tie group of each row."""
        return self.ordering.codes

    @property
    def is_degenerate(self) -> bool:
        """True if all values tie."""
        return self.ordering.is_degenerate


class MIC(Measure[RankedVariable]):
    """Maximal information coefficient: the largest normalized mutual information over grids.

    APPROX-MIC of Reshef et al. (2011): one axis is cut into bins of nearly equal size, and the cuts
    of the other are searched. It depends on ranks only, so without ties all pairs of one n share a null.

    Parameters
    ----------
    exponent : float
        Grids have at most n**exponent cells.
    clumps : float
        Candidate cuts per column of the grid. Larger values search more finely.

    Examples
    --------
    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> bc.measure("mic", x, x**2), bc.measure(bc.MIC(exponent=0.5), x, x**2)
    (1.0, 1.0)
    """

    name = "mic"
    summary = "maximal information coefficient"
    kinds = PairKind.NUMERIC
    symmetric = True
    is_same_on_both_sides = True
    paper_null: ClassVar[str | None] = "permutation"
    has_grid: ClassVar[bool] = True
    _kind: ClassVar[str] = "mic"

    def __init__(self, exponent: float = 0.6, clumps: float = 15) -> None:
        self.exponent = number_within(exponent, "exponent", 1)
        self.clumps = number_within(clumps, "clumps", 1e6)

    @property
    def settings(self) -> Mapping[str, Any]:
        """Constructor arguments `exponent` and `clumps`."""
        return {"exponent": self.exponent, "clumps": self.clumps}

    def prepare(self, values: Values, role: Role) -> RankedVariable:
        """Sort the values and cut them into bins of nearly equal size, for every number of bins."""
        numbers = np.asarray(values, dtype=np.float64)
        self._check_cost(len(numbers))
        return RankedVariable(_native.MicVariable(numbers, self.exponent, self.clumps, self._kind))

    def estimate(self, x: RankedVariable, y: RankedVariable) -> float:
        """Compute the measure on the observed pairing of rows."""
        return _native.mic(x.kernel, y.kernel)

    def _statistic(self, x: RankedVariable, y: RankedVariable) -> _native.Statistic:
        return _native.Statistic.mic(x.kernel, y.kernel)

    def structures(self, x: RankedVariable, y: RankedVariable) -> tuple[Structure, ...]:
        """Return the groups of ties, for a sampled null that all pairs with these ties share."""
        first, second = (tuple(v.ordering.tie_groups.tolist()) for v in (x, y))
        return (SharedRanks(first, second, KERNEL_VERSION),)

    def _check_cost(self, n: int) -> None:
        operations, _, n_bytes = _native.mic_cost(n, self.exponent, self.clumps, self._kind)
        if operations <= _MAX_OPERATIONS and n_bytes <= _MAX_BYTES:
            return
        raise CostError(
            f"{self.name} of {n:,} rows would take about {n_bytes / 1e9:.1f} GB and "
            f"{operations / _OPERATIONS_PER_SECOND:,.0f} s per pair; lower `exponent` "
            f"(now {self.exponent}), use "
            + Option("measure", Call("`bc.MICe(exponent=0.5)`", "mic_e"))
            + ", or a sample of the rows."
        )


class MICe(MIC):
    """MIC_e of Reshef et al. (2016): a consistent estimate of the population MIC.

    The equipartitioned axis is the one with more bins. If both axes have equally many, the larger value of
    both directions counts, so that (x, y) and (y, x) agree.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> bc.measure("mic_e", x, x**2)
    1.0
    """

    name = "mic_e"
    summary = "MIC_e: a consistent estimate of the population MIC"
    paper_null = None
    has_grid = False
    _kind: ClassVar[str] = "mic_e"


class TICe(MIC):
    """TIC_e of Reshef et al. (2016): the sum over all grids, for testing independence with more power.

    Its bound is the number of grids.

    >>> import bychance as bc
    >>> x = np.linspace(-1, 1, 60)
    >>> round(bc.measure("tic_e", x, x), 2), bc.adjust("tic_e", x, x, null=bc.Permutation(19)).bound
    (7.78, 8.0)
    """

    name = "tic_e"
    summary = "TIC_e: the sum of the equicharacteristic matrix"
    paper_null = None
    has_grid = False
    _kind: ClassVar[str] = "tic_e"

    def default_bound(self, x: RankedVariable, y: RankedVariable) -> float:
        """Return the number of grids, since each adds at most 1."""
        budget = int(max(x.n**self.exponent, 4))
        return float(sum(budget // rows - 1 for rows in range(2, max(budget // 2, 2) + 1)))
