"""Covariate designs: cells of similar rows to permute within, and a regression basis to residualize on.

The matrix Z has indicators of the cells and a slope in each large cell (`within`, a sparse matrix: a column
is zero outside its cell), and columns shared by all cells (`shared`: smooth curves, indicators). All columns
are orthonormal, so that residualizing a column on n rows takes O(n·(p + shared columns)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import special
from scipy.sparse import csr_array

from bychance.array_types import FloatArray, Int32Array
from bychance.covariates.cells import Cells, cross_labels, midranks, split_cells
from bychance.errors import CostError
from bychance.measures.base import Values
from bychance.measures.dcor import scaled_to_unit
from bychance.messages import Option
from bychance.names import count_of

__all__ = [
    "DETERMINED",
    "MOST_VALUES",
    "Design",
    "columns_of",
    "curve_df",
    "design_of",
    "make_design",
    "natural_spline",
    "principal_axes",
    "principal_columns",
    "ranks_given",
    "ranks_within",
    "residuals_on",
    "to_unit_range",
    "unit_columns",
]


MOST_VALUES = 1 << 27  # doubles in one array (1 GiB), of which about three exist at a time (memory; taste)
_SLOPE_ROWS = {"smooth": 6, "finer": 3}  # rows per cell and slope (studies/given_levels.py)
_CELL_ROWS = {"strata": 12, "finest": 2}  # rows per cell without slopes (studies/given_levels.py)
_ROWS_PER_CURVE = 6  # rows per degree of freedom of a curve (studies/given_levels.py)
_FEWEST_DF, _MOST_DF = 5, 22  # degrees of freedom of a curve, between which it has n^(1/3) (taste)
_PANEL = 16  # columns made orthogonal to the earlier ones by one product of matrices (speed)
_KEPT = 1e-5  # least share of norm a new column of Z keeps: below, rounding moves residuals by 1e-10
_MOST_DF_OF_SCALES = 8  # degrees of freedom of a curve in ranks or logarithms (studies/given_levels.py)
_ROWS_PER_FINER_CURVE = 12  # rows per degree of freedom of a curve in ranks or logarithms (taste)
DETERMINED = 1e-12  # share of its sum of squares up to which a variable's residuals count as 0 (rounding)


@dataclass(frozen=True, eq=False)
class Design:
    """Covariate design: cells of similar rows, and an orthonormal basis to regress columns on."""

    cells: Cells
    within: csr_array  # (n, cells and slopes)
    shared: FloatArray  # (n, g)

    @property
    def n(self) -> int:
        return self.cells.n

    @property
    def n_cells(self) -> int:
        return len(self.cells)

    @property
    def df(self) -> int:
        """Degrees of freedom of the covariates: rank of their regression matrix with the intercept."""
        return int(self.within.shape[1] + self.shared.shape[1])

    @property
    def has_only_cells(self) -> bool:
        """True if the only regressors are cell indicators, so that permuted residuals stay residuals."""
        return self.df == self.n_cells

    @cached_property
    def shares_left(self) -> FloatArray:
        """Diagonal of the residual maker M = I − P_Z: one minus the leverage of each row."""
        return np.asarray(1 - self.within.power(2).sum(axis=1) - np.sum(self.shared**2, axis=1))

    @cached_property
    def block_sums(self) -> tuple[FloatArray, FloatArray]:
        """Sums over each cell's block of the residual maker M, from which moments over permutations are made.

        They are (cells, 8) invariants and (cells, g²) Gram matrices of the shared columns. Invariants are
        ordered as in src/native/moments/trace_moments.hpp. All but T, T2 and S2 are 0.
        """
        grams = self.cells.products(self.shared)
        invariants = np.zeros((len(grams), 8))
        left, squares = self.cells.sums(self.shares_left), np.einsum("hij,hij->h", grams, grams)
        # P_Z is, within a cell, a projector on the cell's own columns beside shared·shared'.
        invariants[:, 0], invariants[:, 1] = left, left - np.einsum("hii->h", grams) + squares
        invariants[:, 3] = self.cells.sums(self.shares_left**2)
        return invariants, grams.reshape(len(grams), -1)

    def residualize(self, values: FloatArray) -> FloatArray:
        """Return the residuals of a column, or of every column of a matrix, on the covariates."""
        left = values
        for _ in range(2):  # so that rounding leaves no trace of a large mean
            left = left - self.within @ (self.within.T @ left)
            left -= self.shared @ (self.shared.T @ left)
        return left

    def explained_squares(self, residuals: FloatArray) -> FloatArray:
        """Return the sum of squares of each row of permuted residuals that the covariates explain."""
        taken = [np.sum((residuals @ basis) ** 2, axis=1) for basis in (self.within, self.shared)]
        return np.asarray(taken[0] + taken[1])


def make_design(
    style: str, labels: Sequence[Int32Array], numbers: Sequence[FloatArray], n: int, width: int = 1
) -> Design:
    """Create the covariate design of one style from category codes and numbers on n rows.

    `width` multiplies the rows per cell. The styles are:

    - "smooth", the default: strata split into cells of similar numbers, curves, and a slope per cell.
    - "finer": half as many rows per cell, slopes in normal scores, and curves on three scales.
    - "finest": cells of two or three neighbors, and curves on three scales.
    - "strata": cells alone.
    - "linear": ordinary regression with an intercept, indicators of the categories, and unchanged numbers.
    """
    scaled = [to_unit_range(z) for z in numbers]
    if style == "linear":
        return design_of(Cells(np.zeros(n, dtype=np.int32)), [], [*_indicators(labels), *scaled], 1)
    strata, slopes = cross_labels(labels, n), list[FloatArray]()
    if not numbers:
        return design_of(Cells(strata), [], [], 1)
    fewest = _CELL_ROWS.get(style, 0) or _SLOPE_ROWS[style] * (len(numbers) + 1)
    if style in _SLOPE_ROWS:
        slopes = scaled if style == "smooth" else [_normal_scores(z) for z in numbers]
    cells = split_cells(strata, numbers, width * fewest)
    return design_of(cells, slopes, [] if style == "strata" else _curves(style, numbers, n), fewest)


def curve_df(n: int, p: int) -> int:
    """Choose the degrees of freedom of the curve fitted to each of p numeric covariates on n rows."""
    df: int = max(1, min(max(_FEWEST_DF, round(n ** (1 / 3))), _MOST_DF, n // (_ROWS_PER_CURVE * p)))
    return df


def natural_spline(z: FloatArray, df: int) -> list[FloatArray]:
    """Return basis columns of a natural cubic spline, as R's ns(z, df), with knots at distinct quantiles.

    >>> [len(natural_spline(np.arange(20.0), df)) for df in (1, 2, 5)]
    [1, 2, 5]
    """
    knots = np.unique(np.quantile(z, np.arange(df + 1) / df))
    if len(knots) < 3:
        return [z]
    width = knots[-1] - knots[0]
    t, u = (knots - knots[0]) / width, (z - knots[0]) / width

    def cubed(k: int) -> FloatArray:
        above = np.maximum(u - t[k], 0.0)
        return np.asarray(above * above * above)

    last, end = len(t) - 2, cubed(len(t) - 1)
    *cubics, straight = ((cubed(k) - end) / (t[-1] - t[k]) for k in range(last + 1))
    return [u, *(cubic - straight for cubic in cubics)]


def design_of(
    cells: Cells, slopes: Sequence[FloatArray], columns: Sequence[FloatArray], fewest: int
) -> Design:
    """Create a design of cells, slopes in cells of `fewest` rows or more, and regressors on all rows."""
    within = _within_basis(cells, slopes, fewest)
    return Design(cells, within, _shared_basis(Design(cells, within, np.empty((cells.n, 0))), columns))


def _within_basis(cells: Cells, slopes: Sequence[FloatArray], fewest: int) -> csr_array:
    """Return an orthonormal basis of indicators of the cells and of a slope in each cell of `fewest` rows."""
    is_large = (cells.sizes >= fewest)[cells.codes]
    basis = list[FloatArray]()
    for z in (np.ones(cells.n), *(np.where(is_large, z, 0.0) for z in slopes)):
        v, size = z, np.sqrt(cells.sums(z * z))
        for _ in range(2):
            for other in basis:
                v = v - other * cells.sums(other * v)[cells.codes]
        norm = np.sqrt(cells.sums(v * v))
        scale = np.divide(1.0, norm, out=np.zeros(len(norm)), where=norm > _KEPT * size)
        basis.append(v * scale[cells.codes])
    columns = cells.codes[:, np.newaxis] + len(cells) * np.arange(len(basis))
    starts = len(basis) * np.arange(cells.n + 1)
    within = csr_array((np.column_stack(basis).ravel(), columns.ravel(), starts))
    within.eliminate_zeros()
    return within[:, np.unique(within.indices)]


def _shared_basis(design: Design, columns: Sequence[FloatArray]) -> FloatArray:
    """Return an orthonormal basis of regressors on all rows, orthogonal to those within cells.

    Nearly dependent columns are dropped. Gram–Schmidt is applied twice. Columns are taken in panels, so that
    most of the work is matrix products.
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


def _orthonormal(columns: FloatArray, least: FloatArray) -> FloatArray:
    """Orthonormalize columns in order, and drop each of which a norm of at most `least` remains."""
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


def _indicators(labels: Sequence[Int32Array]) -> list[FloatArray]:
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


def to_unit_range(z: FloatArray) -> FloatArray:
    """Scale numbers to the range from 0 to 1. A constant column becomes 0."""
    scaled = scaled_to_unit(z)
    scaled -= scaled.min()
    return scaled / (float(scaled.max()) or 1.0)


def _curves(style: str, numbers: Sequence[FloatArray], n: int) -> list[FloatArray]:
    p = len(numbers)
    own = curve_df(n, p)
    others = max(1, min(own, _MOST_DF_OF_SCALES, n // (_ROWS_PER_FINER_CURVE * p)))
    columns = list[FloatArray]()
    for z in numbers:
        columns += natural_spline(to_unit_range(z), own)
        for scale in () if style == "smooth" else (_normal_scores(z), _logarithms(z)):
            columns += natural_spline(to_unit_range(scale), others)
    return columns


def _normal_scores(z: FloatArray) -> FloatArray:
    """Convert numbers to normal scores: standard normal quantiles of their ranks."""
    return np.asarray(special.ndtri((midranks(z) - 0.5) / len(z)))


def _logarithms(z: FloatArray) -> FloatArray:
    """Take logarithms if all numbers are positive, else the arcsinh of scaled distances from the median."""
    if z.min() > 0:
        return np.log(z)
    unit = to_unit_range(z)
    distance = unit - np.median(unit)
    size = float(np.median(np.abs(distance)))
    return np.arcsinh(distance / size) if size > 0 else unit


def residuals_on(values: Values, design: Design) -> FloatArray:
    """Scale a variable to a total sum of squares of 1, and return its residuals, one column per category."""
    if values.dtype == np.int32:
        k = len(np.unique(values))
        # Indicators by row, and their products in each cell.
        n_values = k * (len(values) + k * design.n_cells)
        if n_values > MOST_VALUES:
            raise CostError(
                f"beyond covariates, a column of {k:,} categories on {count_of(len(values), 'row')} in "
                f"{count_of(design.n_cells, 'cell')} would take {8 * n_values / 1e9:,.1f} GB, more than "
                f"{8 * MOST_VALUES / 1e9:.1f}; merge rare categories, or leave the column out."
            )
    return design.residualize(columns_of(values))


def columns_of(values: Values) -> FloatArray:
    """Convert numbers to one column, or categories to indicators, centered and scaled together to norm 1."""
    if values.dtype == np.int32:
        return unit_columns(np.asarray(values[:, np.newaxis] == np.unique(values), dtype=np.float64))
    return unit_columns(to_unit_range(np.asarray(values, np.float64))[:, np.newaxis])


def unit_columns(columns: FloatArray) -> FloatArray:
    """Center the columns of one variable, and scale them together to a sum of squares of 1."""
    centered: FloatArray = columns - columns.mean(axis=0)
    centered /= float(np.linalg.norm(centered)) or 1.0
    return centered


def principal_axes(residuals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and eigenvectors of R'R for residual columns R, without those of value 0.

    An eigenvalue is the sum of squares of the residuals along its axis.
    """
    sizes, axes = np.linalg.eigh(residuals.T @ residuals)
    is_left = sizes > DETERMINED
    return sizes[is_left], axes[:, is_left]


def principal_columns(residuals: FloatArray, *, is_projector: bool) -> FloatArray:
    """Return U with UU' = RR' for residuals R, or UU' the projector on R's columns."""
    sizes, axes = principal_axes(residuals)
    return residuals @ (axes / np.sqrt(sizes) if is_projector else axes)


def ranks_within(values: FloatArray, cells: Cells) -> FloatArray:
    """Rank values within each cell, center the ranks, and divide by the cell's number of rows plus 1."""
    ranks = np.empty(len(values))
    for rows in cells.rows:
        ranks[rows] = (midranks(values[rows]) - (len(rows) + 1) / 2) / (len(rows) + 1)
    return ranks


def ranks_given(values: FloatArray, design: Design) -> FloatArray:
    """Rank a column for `spearman`: within cells if covariates only form cells, else over all rows."""
    return ranks_within(values, design.cells) if design.has_only_cells else midranks(values)
