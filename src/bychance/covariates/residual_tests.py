"""Tests if residuals of a variable, or of a pair, still depend on the covariates of the regression.

If a variable follows a number on the scale of the cells (jumps, narrow waves, bumps, products of two
covariates), cells eight times as wide leave more of it. If neighbors have similar residuals there, smaller
cells leave some of it too. Calendar patterns, such as weekdays if the covariate is the day number, are
found by testing periods.

A pair is tested too: a finer design takes k more degrees of freedom out of x and y. If the coarser one left
nothing of z behind, the finer one takes k times their residual covariance per degree of freedom, however x
and y are related. If it takes more in the direction of the observed relation, z causes that part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.sparse import csr_array, diags_array
from scipy.spatial import cKDTree

from bychance.array_types import BoolArray, FloatArray, IndexArray, Int32Array
from bychance.covariates.cells import Cells, cross_labels, midranks
from bychance.covariates.design import (
    DETERMINED,
    Design,
    columns_of,
    principal_axes,
    to_unit_range,
)
from bychance.measures.base import Values

__all__ = [
    "STEEP",
    "WIDTH",
    "Neighbors",
    "ResidualTests",
    "are_comparable",
    "columns_to_test",
    "excess",
    "is_finer_better",
    "is_notable",
]


WIDTH = 8  # rows per cell of the coarse design over those of the fine one: 2 and 4 find fewer patterns (fit)
_LEVEL = 0.05  # level of a variable's tests by neighbors; a pair is doubtful if both variables fail (taste)
_LEVEL_OF_PERIODS = 0.01  # level of all period tests together: at .05, 13% of sound pairs are flagged (fit)
_FEWEST_LEFT = 3  # residual degrees of freedom from which tests are done (taste)
_ROWS_PER_PHASE = 6  # least mean number of rows per phase: outliers decide in smaller groups (taste)
_LONGEST_PERIOD = 31  # steps of the covariate; 7 is for weekdays, 12 for months, 24 for hours (taste)
_NEAR_STEP = 1e-6  # steps within which a number counts as a multiple of the step (rounding)
_MOST_STEPS = 1e9  # steps between the extremes, above which doubles lack the digits (rounding)
STEEP = 1.645  # standard errors from which the finer design is taken: the normal 95% quantile (level 0.05)
_MOST_CATEGORIES = 64  # categories of a variable that is tested (time; taste)
_LEAST_LEFT = 0.25  # least share of the rows that remain as residual degrees of freedom (taste)
_HUGE = 1e100  # F ratio that stands for division by 0: a pattern without noise


@dataclass(frozen=True, eq=False)
class ResidualTests:
    """Tests if residuals depend on covariates: by neighboring rows with similar residuals, and periods."""

    fine: Design
    coarse: Design
    neighbors: tuple[Neighbors, ...]
    phases: tuple[Cells, ...]

    @classmethod
    def of(
        cls, fine: Design, coarse: Design, labels: Sequence[Int32Array], numbers: Sequence[FloatArray]
    ) -> ResidualTests:
        """Prepare the tests: find neighbors and possible periods in the covariates."""
        neighbors = [Neighbors.of(coarse, cross_labels(labels, fine.n), numbers)]
        if len(labels) + len(numbers) > 1:
            neighbors += [Neighbors.of(coarse, cross_labels([], fine.n), [z]) for z in numbers]
        return cls(fine, coarse, tuple(neighbors), tuple(cells for z in numbers for cells in _phases(z)))

    def follows(
        self, columns: FloatArray, left: FloatArray | None = None, *, are_one: bool = False
    ) -> BoolArray:
        """Flag columns whose residuals still depend on the covariates.

        `left` has the residuals in the fine design if they are known.
        If the columns `are_one` variable, the indicators of its categories, they are tested jointly, with
        degrees of freedom multiplied by their effective number.
        """
        left = self.fine.residualize(columns) if left is None else left
        starts, worth = np.arange(columns.shape[1]), np.ones(columns.shape[1])
        if are_one:
            products = left.T @ left
            size = float(np.sum(products**2))
            starts, worth = starts[:1], np.array([np.trace(products) ** 2 / size if size > 0 else 1.0])
        df, found = self.fine.n - self.fine.df, np.zeros(len(worth), dtype=np.bool_)
        if df < _FEWEST_LEFT:
            return found
        squares, more = np.add.reduceat(np.sum(left**2, axis=0), starts), self.coarse.residualize(columns)
        threshold = -special.ndtri(_LEVEL / len(self.neighbors))
        for neighbors in self.neighbors:
            found |= neighbors.scores(more, starts, worth) > threshold
        level = _LEVEL_OF_PERIODS / max(len(self.phases), 1)
        for cells in self.phases:
            k = len(cells) - 1
            if df - k >= _FEWEST_LEFT:
                sums = np.sum(cells.sums(left) ** 2 / cells.sizes[:, np.newaxis], axis=0)
                between = np.add.reduceat(sums, starts)
                # Of noise, as large a share is left between phases as within them.
                expected = (squares - between) * k / (self.fine.n - len(cells))
                found |= _exceeds(between, expected, k * worth, (df - k) * worth, level)
        return np.asarray(found & (squares > DETERMINED))


def _exceeds(
    found: FloatArray, expected: FloatArray, k: FloatArray, df: FloatArray, level: float
) -> BoolArray:
    """Flag sums of squares larger than expected by an F-test with k and df degrees of freedom."""
    ratio = np.divide(found, expected, out=np.full_like(found, _HUGE), where=expected > 0)
    return np.asarray((found > 0) & (special.fdtrc(k, df, np.maximum(ratio, 0.0)) < level))


def _phases(z: FloatArray) -> list[Cells]:
    """Group the rows by phase, for each period of 2 to 31 steps of the numeric covariate z.

    The list is empty if the steps of z are unequal.
    """
    unit = to_unit_range(z)
    with np.errstate(over="ignore"):
        position = unit / np.diff(np.unique(unit)).min(initial=1.0)
    longest = float(position.max())
    if longest > _MOST_STEPS or np.abs(position - np.rint(position)).max() > _NEAR_STEP:
        return []
    steps = np.rint(position).astype(np.int64)
    most = min(_LONGEST_PERIOD, (int(longest) + 1) // 2, len(z) // _ROWS_PER_PHASE)
    phases = [Cells.of(steps % period) for period in range(2, most + 1)]
    return [cells for cells in phases if len(cells) > 1]


_NEIGHBORS = 4  # nearest rows per row: 2 miss jumps on 100 rows, 8 miss narrow waves (fit)
_MOST_ROWS = 10_000  # random rows whose neighbors are searched: enough to show patterns (time; taste)


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Test for similar residuals of neighboring rows, by a quadratic form of mean 0 if residuals are noise.

    It is r'Wr = Σ a_ij·r_i·r_j minus its mean under noise, for residuals r = Me. Row i adds c_i·r_i² to
    the mean, c_i = Σ_j a_ij·m_ij/m_ii, if its neighbors' noise has the same spread. The variance is that
    of Σ (a_ij·r_i·r_j)², times the ratio of both for normal noise of equal spread.
    """

    form: csr_array  # W = A − diag(c)
    squares: csr_array  # of the entries of A
    scale: float

    @classmethod
    def of(cls, design: Design, strata: Int32Array, numbers: Sequence[FloatArray]) -> Neighbors:
        """Prepare the test: find the nearest rows of each row in its stratum, by covariate ranks."""
        left = design.shares_left
        alike = _find_pairs(strata, numbers, left > DETERMINED)
        i, j = (rows.astype(np.intp) for rows in alike.tocoo().coords)
        crossed = _shares_crossed(design, i, j)
        mean = np.bincount(i, alike.data * crossed, minlength=design.n)
        form = csr_array(alike - diags_array(mean / np.where(left > DETERMINED, left, 1.0)))
        squares = csr_array((alike.data**2, alike.indices, alike.indptr), shape=alike.shape)
        expected = float(np.sum(squares.data * (left[i] * left[j] + 2 * crossed**2)))
        return cls(form, squares, _variance(form, design) / expected if expected > 0 else 0.0)

    def scores(self, left: FloatArray, starts: IndexArray, worth: FloatArray) -> FloatArray:
        """Return one z-score per variable, large if neighboring rows have similar residuals.

        The residual columns of each variable begin at `starts`. `worth` multiplies its degrees of freedom.
        """
        found = np.add.reduceat(np.sum(left * (self.form @ left), axis=0), starts)
        by_row = np.add.reduceat(left**2, starts, axis=1)
        variance = self.scale * np.sum(by_row * (self.squares @ by_row), axis=0) / worth
        return np.asarray(np.divide(found, np.sqrt(variance), out=np.zeros_like(found), where=variance > 0))


def _find_pairs(strata: Int32Array, numbers: Sequence[FloatArray], is_left: BoolArray) -> csr_array:
    """Return a sparse matrix of weights of pairs of rows: 1 for mutual nearest neighbors, ½ for one-way ones.

    Ties are broken at random.
    """
    n = len(strata)
    order = np.random.default_rng(0).permutation(n)
    ranks = [midranks(z) for z in numbers]
    by_stratum = 2.0 * n * (len(ranks) + 1) * strata
    places = np.column_stack([*ranks, order / (4 * n), by_stratum])
    rows = np.sort(order[:_MOST_ROWS])
    nearest = cKDTree(places).query(places[rows], k=min(_NEIGHBORS + 1, n))[1]
    i, j = np.repeat(rows, nearest.shape[1]), nearest.ravel()
    holds = (i != j) & (strata[i] == strata[j]) & is_left[i] & is_left[j]
    one_way = csr_array((np.full(int(holds.sum()), 0.5), (i[holds], j[holds])), shape=(n, n))
    return csr_array(one_way + one_way.T)


def _shares_crossed(design: Design, i: IndexArray, j: IndexArray) -> FloatArray:
    """Return the entries m_ij of the residual maker M = I − P_Z for different rows i and j."""
    within, shared = design.within, design.shared
    return np.asarray(-within[i].multiply(within[j]).sum(axis=1) - np.sum(shared[i] * shared[j], axis=1))


def _variance(form: csr_array, design: Design) -> float:
    """Return the variance 2·tr((WM)²) of the quadratic form r'Wr of residuals r of standard normal noise.

    It equals 2·(‖W‖² − 2‖WQ‖² + ‖Q'WQ‖²), with Q the orthonormal basis of the covariates.
    """
    in_cells, in_shared = form @ design.within, form @ design.shared
    within = np.sum((design.within.T @ in_cells).data ** 2) + np.sum((design.shared.T @ in_shared) ** 2)
    across = np.sum((design.within.T @ in_shared) ** 2)
    once = np.sum(in_cells.data**2) + np.sum(in_shared**2)
    return 2 * max(float(np.sum(form.data**2) - 2 * once + within + 2 * across), 0.0)


def are_comparable(coarse: Design, fine: Design) -> bool:
    """Return True if the finer of two designs takes more degrees of freedom and still leaves enough."""
    return coarse.df < fine.df and fine.n - fine.df >= max(_LEAST_LEFT * fine.n, 3)


def is_notable(square: FloatArray, n_left: int, n_products: int = 1) -> BoolArray:
    """Flag pairs whose squared partial correlation exceeds its null mean by a standard error or more."""
    return np.asarray(square * n_left > n_products + np.sqrt(n_products))


def excess(
    coarse: Design, fine: Design, before: FloatArray, after: FloatArray, squares: FloatArray
) -> FloatArray:
    """Return z-scores of the covariance of x and y that a finer covariate design removes.

    `before` and `after` are the sums in both designs, signed by the first. `squares` are sums of squared
    products in the finer design, so that common changes of spread with z are not taken for curves.
    """
    k, n_left = fine.df - coarse.df, fine.n - fine.df
    per_df = after / n_left
    variance = fine.n * squares / n_left**2 * k * (1 + k / n_left)
    surplus = before - after - k * per_df
    # If the finer design leaves nothing of a column, it takes all that the coarser one left.
    certain = np.where(surplus > 0, np.inf, 0.0)
    return np.divide(surplus, np.sqrt(variance), out=certain, where=variance > 0)


def columns_to_test(values: Values, are_ranks: bool) -> FloatArray | None:
    """Convert a variable to numbers, ranks or category indicators, or None if over 64 categories."""
    if values.dtype == np.int32 and len(np.unique(values)) > _MOST_CATEGORIES:
        return None
    if are_ranks:
        return columns_of(midranks(values))
    return columns_of(values)


def is_finer_better(coarse: Design, fine: Design, x: FloatArray, y: FloatArray) -> bool:
    """Return True if a finer covariate design removes more covariance of x and y than chance would.

    If the partial correlation is small, there is nothing to remove.
    """
    if not are_comparable(coarse, fine):
        return False
    (u, u_fine), (v, v_fine) = (_rotated_residuals(columns, coarse, fine) for columns in (x, y))
    products = u.T @ v
    size = float(np.linalg.norm(products))
    if not products.size or not is_notable(np.array(size**2), coarse.n - coarse.df, products.size):
        return False
    by_row = np.sum((u_fine @ products) * v_fine, axis=1) / size
    after, squares = np.sum(by_row), np.sum(by_row**2)
    return bool(excess(coarse, fine, np.array(size), np.array(after), np.array(squares)) > STEEP)


def _rotated_residuals(columns: FloatArray, coarse: Design, fine: Design) -> tuple[FloatArray, FloatArray]:
    """Return the residuals in both designs, turned so that they are orthonormal in the coarser one."""
    left = coarse.residualize(columns)
    sizes, axes = principal_axes(left)
    turn = axes / np.sqrt(sizes)
    return left @ turn, fine.residualize(columns) @ turn
