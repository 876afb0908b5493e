"""Neighbors in the covariates, and a test if what a design leaves of a variable is alike among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, diags_array, hstack
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
        alike, left = _find_pairs(strata, numbers, design.shares_left > DETERMINED), design.shares_left
        basis = _cell_basis(design)
        pairs = alike.tocoo()
        i, j = pairs.coords
        crossed = -(basis[i].multiply(basis[j])).sum(axis=1) - np.sum(
            design.shared[i] * design.shared[j], axis=1
        )
        mean = np.bincount(i, pairs.data * crossed, minlength=design.n)
        form = csr_array(alike - diags_array(mean / np.where(left > DETERMINED, left, 1.0)))
        squares = alike.multiply(alike).tocsr()
        expected = float(np.sum(pairs.data**2 * (left[i] * left[j] + 2 * crossed**2)))
        return cls(form, squares, _variance(form, basis, design.shared) / expected if expected > 0 else 0.0)

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
    one_way = coo_array((np.full(int(holds.sum()), 0.5), (i[holds], j[holds])), shape=(n, n)).tocsr()
    return csr_array(one_way + one_way.T)


def _cell_basis(design: Design) -> csr_array:
    """Return the orthonormal columns of cells and of the lines in them."""
    codes, n = design.cells.codes, design.n
    columns = [1 / np.sqrt(design.cells.sizes[codes]), *design.local.T]
    blocks = [
        csr_array((column, codes, np.arange(n + 1)), shape=(n, len(design.cells))) for column in columns
    ]
    return csr_array(hstack(blocks, format="csr"))


def _variance(form: csr_array, basis: csr_array, shared: Array) -> float:
    """Return 2·Tr (WM)² = 2·(‖W‖² − 2‖WQ‖² + ‖Q'WQ‖²), Q the basis of the design."""
    in_cells, in_shared = form @ basis, form @ shared
    sparse = [form, in_cells, basis.T @ in_cells]
    whole, cells, both = (float(np.sum(block.data**2)) for block in sparse)
    cells += float(np.sum(in_shared**2))
    both += 2 * float(np.sum((basis.T @ in_shared) ** 2)) + float(np.sum((shared.T @ in_shared) ** 2))
    return 2 * max(whole - 2 * cells + both, 0.0)
