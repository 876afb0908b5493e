"""The maximal information coefficient (`mic`) with its grid, and its relatives (`mic_e`, `tic_e`)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, Int32Array, IntArray
from bychance.columns import Column, numbers_of, shared_rows
from bychance.errors import BychanceError, BychanceWarning, CostError
from bychance.io.infer import read_argument
from bychance.kinds import PairKind, Role
from bychance.measures.base import Measure, Ordering, Values
from bychance.measures.structures import SharedRanks, Structure
from bychance.messages import Call, Option
from bychance.validation import number_within

__all__ = ["KERNEL_VERSION", "MIC", "MICe", "MicGrid", "RankedVariable", "TICe", "grid_of", "mic_grid"]

KERNEL_VERSION = 2  # raised whenever the kernel's values change, so that older cached nulls are not used
_MAX_BYTES = 4e9  # memory per pair, in bytes (taste)
_MAX_OPERATIONS = 1e12  # operations per pair: about 8 minutes (taste)
_OPERATIONS_PER_SECOND = 2e9  # of one core, roughly, for the time in the error message (measured)


@dataclass(frozen=True, eq=False)
class RankedVariable(Ordering):
    """Column prepared for MIC: its sorted rows and ties, and a C++ object with its bins."""

    kernel: _native.MicVariable


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
        kernel = _native.MicVariable(numbers, self.exponent, self.clumps, self._kind)
        return RankedVariable(kernel.order, kernel.tie_groups, kernel)

    def estimate(self, x: RankedVariable, y: RankedVariable) -> float:
        """Compute the measure on the observed pairing of rows."""
        return _native.mic(x.kernel, y.kernel)

    def _statistic(self, x: RankedVariable, y: RankedVariable) -> _native.Statistic:
        return _native.Statistic.mic(x.kernel, y.kernel)

    def structures(self, x: RankedVariable, y: RankedVariable) -> tuple[Structure, ...]:
        """Return the sizes of the tie groups of x and y, on which alone the null depends."""
        first, second = (tuple(v.sizes.tolist()) for v in (x, y))
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
    """TIC_e of Reshef et al. (2016): normalized mutual information summed over all grids, for tests.

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


@dataclass(frozen=True, eq=False)
class MicGrid:
    """Grid whose normalized mutual information is the MIC of a pair of columns.

    Attributes
    ----------
    value : float
        The MIC.
    x_cuts, y_cuts : array
        Cut points in data units, halfway between the values on either side.
    counts : array of shape (y bins, x bins)
        Rows in each cell, the lowest y bin first.
    characteristic : array
        The normalized score of the best grid with i + 2 bins of y and j + 2 of x at [i, j], NaN for grids
        with more cells than n**exponent.
    equipartitioned : str
        The axis that was cut into bins of nearly equal size: "x" or "y".
    n : int
        Rows that both columns have.
    """

    value: float
    x_cuts: FloatArray
    y_cuts: FloatArray
    counts: IntArray
    characteristic: FloatArray = field(repr=False)
    equipartitioned: str
    n: int


def mic_grid(x: Any, y: Any, *, exponent: float = 0.6, clumps: float = 15) -> MicGrid:
    """Return the grid behind the MIC of two numeric columns.

    Parameters
    ----------
    x, y : array-like
        One-dimensional, of one length. Rows that lack either are left out.
    exponent, clumps : float
        As in `bc.MIC`.

    Returns
    -------
    MicGrid

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> x = np.arange(20.0)
    >>> grid = bc.mic_grid(x, x > 9)
    >>> grid.value, grid.x_cuts, grid.counts.tolist()
    (1.0, array([9.5]), [[10, 0], [0, 10]])
    """
    read = [read_argument(values, name) for values, name in ((x, "x"), (y, "y"))]
    for said in filter(None, (said for _, said in read)):
        warnings.warn(said, BychanceWarning, stacklevel=2)
    return grid_of(MIC(exponent, clumps), [column for column, _ in read])


def grid_of(measure: MIC, columns: Sequence[Column]) -> MicGrid:
    """Return the MIC grid of two typed columns.

    >>> from bychance.read_column import read_column
    >>> x = np.arange(20.0)
    >>> grid_of(MIC(), [read_column(x, "x"), read_column(x * x, "y")]).y_cuts
    array([90.5])
    """
    rows = shared_rows(*columns)
    values = [numbers_of(column, rows, measure.name) for column in columns]
    if len(values[0]) < measure.min_n:
        raise BychanceError(f"a grid needs {measure.min_n} shared rows, got {len(values[0])}.")
    prepared = [measure.prepare(v, role) for v, role in zip(values, (Role.X, Role.Y), strict=True)]
    value, characteristic, is_y_equipartitioned, x_cuts, y_cuts, counts = _native.mic_grid(
        prepared[0].kernel, prepared[1].kernel
    )
    return MicGrid(
        value=value,
        x_cuts=_in_data_units(values[0], x_cuts),
        y_cuts=_in_data_units(values[1], y_cuts),
        counts=counts,
        characteristic=characteristic,
        equipartitioned="y" if is_y_equipartitioned else "x",
        n=len(values[0]),
    )


def _in_data_units(values: FloatArray, cuts: Int32Array) -> FloatArray:
    """Convert cuts between sorted positions k − 1 and k to the midpoints of the values there."""
    ascending = np.sort(values)
    # Halves are added, not the sum halved, so that no magnitude overflows.
    return ascending[cuts - 1] / 2 + ascending[cuts] / 2
