"""Neighbors in the covariates, and a test if what a design leaves of a variable is alike among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.spatial import cKDTree

from bychance.given.cells import Codes
from bychance.given.design import Design
from bychance.given.factors import DETERMINED
from bychance.measures.ordering import order_values

__all__ = ["Neighbors"]

Array = NDArray[np.float64]

_NEIGHBORS = 4  # of a row: 2 miss jumps on 100 rows, 8 narrow waves
_MOST_ROWS = 10_000  # whose neighbors are looked for, drawn by chance: patterns show in as many


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The form r'Wr = Σ a_ij·r_i·r_j less what it is on average if noise alone is left, r = Me.

    Row i adds c_i·r_i² to that average, c_i = Σ_j a_ij·m_ij/m_ii, as long as its neighbors' noise has its
    spread. The variance is that of Σ (a_ij·r_i·r_j)², times the ratio of both for normal noise of one spread.
    """

    form: csr_array  # W = A − diag(c)
    squares: csr_array  # of the entries of A
    scale: float

    @classmethod
    def of(cls, design: Design, strata: Codes, numbers: Sequence[Array]) -> Neighbors:
        """Find the neighbors of rows within their strata, by ranks of these numbers."""
        left = design.shares_left
        alike = _find_pairs(strata, numbers, left > DETERMINED)
        i, j = (rows.astype(np.intp) for rows in alike.tocoo().coords)
        crossed = _shares_crossed(design, i, j)
        mean = np.bincount(i, alike.data * crossed, minlength=design.n)
        form = csr_array(alike - diags_array(mean / np.where(left > DETERMINED, left, 1.0)))
        squares = csr_array((alike.data**2, alike.indices, alike.indptr), shape=alike.shape)
        expected = float(np.sum(squares.data * (left[i] * left[j] + 2 * crossed**2)))
        return cls(form, squares, _variance(form, design) / expected if expected > 0 else 0.0)

    def scores(self, left: Array, starts: NDArray[np.intp], worth: Array) -> Array:
        """Return standard errors above chance of each variable, whose first columns `starts` tells."""
        found = np.add.reduceat(np.sum(left * (self.form @ left), axis=0), starts)
        by_row = np.add.reduceat(left**2, starts, axis=1)
        variance = self.scale * np.sum(by_row * (self.squares @ by_row), axis=0) / worth
        return np.asarray(np.divide(found, np.sqrt(variance), out=np.zeros_like(found), where=variance > 0))


def _find_pairs(strata: Codes, numbers: Sequence[Array], is_left: NDArray[np.bool_]) -> csr_array:
    """Return a_ij: 1 if both rows are among each other's nearest, ½ if one is; ties are broken by chance."""
    n = len(strata)
    order = np.random.default_rng(0).permutation(n)
    ranks = [order_values(np.ascontiguousarray(z)).midranks for z in numbers]
    apart = 2.0 * n * (len(ranks) + 1) * strata
    places = np.column_stack([*ranks, order / (4 * n), apart])
    rows = np.sort(order[:_MOST_ROWS])
    nearest = cKDTree(places).query(places[rows], k=min(_NEIGHBORS + 1, n))[1]
    i, j = np.repeat(rows, nearest.shape[1]), nearest.ravel()
    holds = (i != j) & (strata[i] == strata[j]) & is_left[i] & is_left[j]
    one_way = csr_array((np.full(int(holds.sum()), 0.5), (i[holds], j[holds])), shape=(n, n))
    return csr_array(one_way + one_way.T)


def _shares_crossed(design: Design, i: NDArray[np.intp], j: NDArray[np.intp]) -> Array:
    """Return m_ij of pairs of different rows."""
    codes, local, shared = design.cells.codes, design.local, design.shared
    in_cell = 1 / design.cells.sizes[codes[i]] + np.sum(local[i] * local[j], axis=1)
    return np.asarray(-np.where(codes[i] == codes[j], in_cell, 0.0) - np.sum(shared[i] * shared[j], axis=1))


def _variance(form: csr_array, design: Design) -> float:
    """Return 2·Tr (WM)² = 2·(‖W‖² − 2‖WQ‖² + ‖Q'WQ‖²), Q the orthonormal basis: of cells, and shared."""
    cells, shared = design.cells, design.shared
    basis = np.column_stack([1 / np.sqrt(cells.sizes[cells.codes]), design.local])
    at = cells.codes[:, np.newaxis] + len(cells) * np.arange(basis.shape[1])
    starts = np.arange(0, at.size + 1, basis.shape[1])
    of_cells = csr_array((basis.ravel(), at.ravel(), starts), shape=(cells.n, len(cells) * basis.shape[1]))
    in_cells, in_shared = form @ of_cells, form @ shared
    within = float(np.sum((of_cells.T @ in_cells).data ** 2)) + float(np.sum((shared.T @ in_shared) ** 2))
    across = float(np.sum((of_cells.T @ in_shared) ** 2))
    once = float(np.sum(in_cells.data**2)) + float(np.sum(in_shared**2))
    return 2 * max(float(np.sum(form.data**2)) - 2 * once + within + 2 * across, 0.0)
