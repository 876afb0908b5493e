"""What is taken out of x and y: the columns of Z, as an orthonormal basis, and residuals from them.

Z holds the indicators of the cells, a line in each large cell (`local`: one column per covariate, each cell's
own direction in its rows), and what all cells share (`shared`: smooth curves, categories that make no
strata). The three are orthogonal to each other, so that a column is residualized in
O(n·(p + shared columns)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bychance.errors import CostError
from bychance.given.cells import Cells, Codes, cross_labels, split_cells
from bychance.measures.matrices import scaled_to_unit
from bychance.messages import Option

__all__ = [
    "MOST_VALUES",
    "STRATUM_ROWS",
    "Design",
    "curve_df",
    "design_of",
    "linear_design",
    "natural_spline",
    "smooth_design",
    "strata_design",
    "to_unit_range",
]

Array = NDArray[np.float64]

MOST_VALUES = 1 << 27  # of one array; there are about three at a time
STRATUM_ROWS = 12  # of a cell within which nothing is taken out
_ROWS_PER_SLOPE = 6
_ROWS_PER_CURVE = 6
_FEWEST_DF, _MOST_DF = 5, 22  # of a curve; the most are those of 10,000 rows, beyond which cells follow
_PANEL = 16  # columns made orthogonal to the earlier ones by one product of matrices (speed)
_KEPT = 1e-5  # share of its norm that a column of Z must keep: below it, rounding moves residuals by 1e-10


@dataclass(frozen=True, eq=False)
class Design:
    """Cells, and an orthonormal basis of the rest of Z centered in them."""

    cells: Cells
    local: Array  # (n, p): zero in cells without a line
    shared: Array  # (n, g)

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.cells.n

    @cached_property
    def df(self) -> int:
        """The rank of Z, an intercept or the cells' indicators included."""
        n_local = round(float(np.sum(self.local**2)))
        return len(self.cells) + n_local + int(self.shared.shape[1])

    @property
    def has_only_cells(self) -> bool:
        """Whether Z is no more than the cells: permutation within them then leaves residuals as they are."""
        return self.df == len(self.cells)

    @cached_property
    def shares_left(self) -> Array:
        """The diagonal of M = I − P_Z: the share of the variance of each row's noise that is left."""
        basis = np.sum(self.local**2, axis=1) + np.sum(self.shared**2, axis=1)
        return np.asarray(1 - 1 / self.cells.sizes[self.cells.codes] - basis)

    def residualize(self, values: Array) -> Array:
        """The column, or every column of a matrix, less its projection on Z."""
        columns = values if values.ndim == 2 else values[:, np.newaxis]
        columns = self._less_cells(columns)
        if self.shared.size:
            for _ in range(2):
                columns -= self.shared @ (self.shared.T @ columns)
            columns = self._less_cells(columns)
        return columns if values.ndim == 2 else columns[:, 0]

    def _less_cells(self, columns: Array) -> Array:
        """Subtract the mean and the lines of each cell; twice over, so that no large mean leaves a trace."""
        cells = self.cells
        ordered, local = columns[cells.order], self.local[cells.order]

        def spread(values: Array) -> Array:
            return np.repeat(np.add.reduceat(values, cells.starts), cells.sizes, axis=0)

        for _ in range(2):
            ordered -= spread(ordered) / np.repeat(cells.sizes, cells.sizes)[:, np.newaxis]
            for direction in local.T:
                line = direction[:, np.newaxis]
                ordered -= line * spread(line * ordered)
        left = np.empty_like(ordered)
        left[cells.order] = ordered
        return left

    def taken_out(self, arrangements: Array) -> Array:
        """Sums of squares that the rest of Z takes out of rows of values already centered in cells."""
        total = np.zeros(len(arrangements))
        for direction in self.local.T:
            by_cell = (arrangements * direction)[:, self.cells.order]
            total += np.sum(np.add.reduceat(by_cell, self.cells.starts, axis=1) ** 2, axis=1)
        if self.shared.size:
            total += np.sum((arrangements @ self.shared) ** 2, axis=1)
        return total


def smooth_design(labels: Sequence[Codes], numbers: Sequence[Array], n: int, width: int = 1) -> Design:
    """The default: strata split into cells of similar numbers, a smooth curve, a line in every cell.

    Cells have `width` times as many rows as the default's.
    """
    strata, p = cross_labels(labels, n), len(numbers)
    if not p:
        return design_of(Cells(strata), [], [], 1)
    scaled, fewest = [to_unit_range(z) for z in numbers], _ROWS_PER_SLOPE * (p + 1)
    df = curve_df(n, p)
    curves = [column for z in scaled for column in natural_spline(z, df)]
    return design_of(split_cells(strata, numbers, width * fewest), scaled, curves, fewest)


def linear_design(labels: Sequence[Codes], numbers: Sequence[Array], n: int) -> Design:
    """The textbook: one cell, an intercept, indicators of the categories, the numbers as they are."""
    columns = [*_indicators(labels), *map(to_unit_range, numbers)]
    return design_of(Cells(np.zeros(n, dtype=np.int32)), [], columns, 1)


def strata_design(labels: Sequence[Codes], numbers: Sequence[Array], n: int, width: int = 1) -> Design:
    """Cells alone: crossed categories split into cells of similar numbers, and nothing else taken out."""
    strata = cross_labels(labels, n)
    cells = split_cells(strata, numbers, width * STRATUM_ROWS) if numbers else Cells(strata)
    return design_of(cells, [], [], 1)


def curve_df(n: int, p: int) -> int:
    """Degrees of freedom of the curve in each of p numbers on n rows; 1 is a line."""
    df: int = max(1, min(max(_FEWEST_DF, round(n ** (1 / 3))), _MOST_DF, n // (_ROWS_PER_CURVE * p)))
    return df


def natural_spline(z: Array, df: int) -> list[Array]:
    """Columns that span R's ns(z, df) without its intercept: knots at quantiles, repeated ones merged.

    >>> [len(natural_spline(np.arange(20.0), df)) for df in (1, 2, 5)]
    [1, 2, 5]
    """
    knots = np.unique(np.quantile(z, np.arange(df + 1) / df))
    if len(knots) < 3:
        return [z]
    width = knots[-1] - knots[0]
    t, u = (knots - knots[0]) / width, (z - knots[0]) / width

    def cubed(k: int) -> Array:
        beyond = np.maximum(u - t[k], 0.0)
        return np.asarray(beyond * beyond * beyond)

    last, end = len(t) - 2, cubed(len(t) - 1)
    *cubics, straight = ((cubed(k) - end) / (t[-1] - t[k]) for k in range(last + 1))
    return [u, *(cubic - straight for cubic in cubics)]


def design_of(cells: Cells, slopes: Sequence[Array], columns: Sequence[Array], fewest: int) -> Design:
    """Cells, a line in each of at least `fewest` rows, and columns that all cells share."""
    local = _local_basis(cells, slopes, fewest)
    design = Design(cells, local, np.empty((cells.n, 0)))
    return Design(cells, local, _shared_basis(design, columns))


def _local_basis(cells: Cells, slopes: Sequence[Array], fewest: int) -> Array:
    """Gram–Schmidt in every cell of enough rows at once, one covariate after the other."""
    is_large = (cells.sizes >= fewest)[cells.codes]
    basis = list[Array]()
    for z in slopes:
        size = np.sqrt(cells.sums(z * z))
        v = np.where(is_large, cells.centered(z), 0.0)
        for _ in range(2):
            for other in basis:
                v = v - other * cells.sums(other * v)[cells.codes]
        norm = np.sqrt(cells.sums(v * v))
        scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > _KEPT * size)
        basis.append(v * scale[cells.codes])
    return np.column_stack(basis) if basis else np.empty((cells.n, 0))


def _shared_basis(design: Design, columns: Sequence[Array]) -> Array:
    """Gram–Schmidt twice over; a column that keeps next to nothing beside the earlier ones is dropped.

    Columns are taken in panels, so that most of the work is products of matrices.
    """
    basis, rank = np.empty((design.n, len(columns)), order="F"), 0
    for start in range(0, len(columns), _PANEL):
        panel = np.column_stack(columns[start : start + _PANEL])
        least, panel = _KEPT * np.linalg.norm(panel, axis=0), design.residualize(panel)
        for _ in range(2):
            panel -= basis[:, :rank] @ (basis[:, :rank].T @ panel)
            panel = _orthonormal(panel, least)
            least = np.zeros(panel.shape[1])
        basis[:, rank : rank + panel.shape[1]] = panel
        rank += panel.shape[1]
    return np.ascontiguousarray(basis[:, :rank])


def _orthonormal(columns: Array, least: Array) -> Array:
    """Return an orthonormal basis of columns, without those of which no more than `least` is left."""
    basis = np.empty(columns.shape, order="F")
    rank = 0
    for column, smallest in zip(columns.T, least, strict=True):
        v = column
        for _ in range(2):
            v = v - basis[:, :rank] @ (basis[:, :rank].T @ v)
        if (norm := float(np.linalg.norm(v))) > smallest:
            basis[:, rank] = v / norm
            rank += 1
    return basis[:, :rank]


def _indicators(labels: Sequence[Codes]) -> list[Array]:
    n_columns = sum(int(codes.max()) + 1 for codes in labels)
    n_rows = len(labels[0]) if labels else 0
    if n_rows * n_columns > MOST_VALUES:
        raise CostError(
            Option("given")
            + f" has {n_columns:,} categories to take out of {n_rows:,} rows, which would take "
            f"{8 * n_rows * n_columns / 1e9:,.1f} GB, more than {8 * MOST_VALUES / 1e9:.1f}; merge rare "
            "categories, or give the column of most categories alone."
        )
    return [(codes == level).astype(np.float64) for codes in labels for level in range(int(codes.max()) + 1)]


def to_unit_range(z: Array) -> Array:
    """The numbers from 0 to 1, which changes no span beside an intercept; a constant stays what it is."""
    scaled = scaled_to_unit(z)
    low, width = float(scaled.min()), float(np.ptp(scaled))
    return (scaled - low) / width if width > 0 else scaled
