"""mic_grid(): the grid behind a MIC value, in data units.

In:  two numeric columns.
Out: the cut points of the best grid, the number of rows in each of its cells, and the characteristic matrix.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, numbers_of, shared_rows
from bychance.errors import BychanceError, BychanceWarning
from bychance.io.infer import read_argument
from bychance.kinds import Role
from bychance.measures import MIC

__all__ = ["MicGrid", "grid_of", "mic_grid"]


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
    x_cuts: NDArray[np.float64]
    y_cuts: NDArray[np.float64]
    counts: NDArray[np.int64]
    characteristic: NDArray[np.float64] = field(repr=False)
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
    found = _native.mic_grid(prepared[0].kernel, prepared[1].kernel)
    return MicGrid(
        value=found["value"],
        x_cuts=_in_data_units(values[0], found["x_cuts"]),
        y_cuts=_in_data_units(values[1], found["y_cuts"]),
        counts=found["counts"],
        characteristic=found["characteristic"],
        equipartitioned="y" if found["y_equipartitioned"] else "x",
        n=len(values[0]),
    )


def _in_data_units(values: NDArray[np.float64], cuts: NDArray[np.int32]) -> NDArray[np.float64]:
    """Convert each cut, a sorted position k, to the midpoint of the values at k − 1 and k."""
    ascending = np.sort(values)
    # Halves are added, not the sum halved, so that no magnitude overflows.
    return ascending[cuts - 1] / 2 + ascending[cuts] / 2
