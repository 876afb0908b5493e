"""Finer designs for covariates that x and y follow too steeply for the default one.

Both take each number out by smooth curves on three scales: as it is, by its ranks, and by its logarithm. So a
curve that is simple on any of them is followed to its ends. "finer" halves the cells and keeps a line in
each; "finest", for one number, pairs neighbors.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.given.cells import Codes, cross_labels, split_cells
from bychance.given.design import Design, curve_df, design_of, natural_spline, to_unit_range
from bychance.measures.ordering import order_values

__all__ = ["finer_design", "finest_design"]

Array = NDArray[np.float64]

_ROWS_PER_SLOPE = 3
_PAIR = 2
_MOST_DF = 8  # of a curve in ranks or logarithms: beyond these, cells follow
_ROWS_PER_CURVE = 12


def finer_design(labels: Sequence[Codes], numbers: Sequence[Array], n: int, width: int = 1) -> Design:
    """Cells of half the default's rows with a line in normal scores in each, and curves on three scales."""
    fewest = _ROWS_PER_SLOPE * (len(numbers) + 1)
    cells = split_cells(cross_labels(labels, n), numbers, width * fewest)
    return design_of(cells, [_normal_scores(z) for z in numbers], _curves(numbers, n), fewest)


def finest_design(labels: Sequence[Codes], numbers: Sequence[Array], n: int, width: int = 1) -> Design:
    """Cells of two or three neighbors, and curves on three scales."""
    cells = split_cells(cross_labels(labels, n), numbers, width * _PAIR)
    return design_of(cells, [], _curves(numbers, n), 1)


def _curves(numbers: Sequence[Array], n: int) -> list[Array]:
    p = len(numbers)
    own = curve_df(n, p)
    others = max(1, min(own, _MOST_DF, n // (_ROWS_PER_CURVE * p)))
    columns = list[Array]()
    for z in numbers:
        columns += natural_spline(to_unit_range(z), own)
        for scale in (_normal_scores(z), _logarithms(z)):
            columns += natural_spline(to_unit_range(scale), others)
    return columns


def _normal_scores(z: Array) -> Array:
    """Normal quantiles of the ranks: the same for every increasing function of z."""
    return np.asarray(special.ndtri((order_values(np.ascontiguousarray(z)).midranks - 0.5) / len(z)))


def _logarithms(z: Array) -> Array:
    """Logarithms of positive numbers; of others those of the distance from the median, with its sign."""
    if z.min() > 0:
        return np.log(z)
    unit = to_unit_range(z)
    distance = unit - np.median(unit)
    size = float(np.median(np.abs(distance)))
    return np.arcsinh(distance / size) if size > 0 else unit
