"""Choice of the design for a pair: a finer one if x and y follow the covariates too steeply.

A finer design takes k more degrees of freedom out of x and y. If the coarser one left nothing of z behind,
the finer one takes k times their residual covariance per degree of freedom, however x and y are related.
If it takes more in the direction of the observed relation, z causes that part.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bychance.covariates.covariates import Covariates
from bychance.covariates.design import Design
from bychance.covariates.factors import DETERMINED, columns_of
from bychance.measures.base import Values
from bychance.measures.ranks import order_values

__all__ = ["STEEP", "are_comparable", "columns_to_test", "excess", "fitting_style", "is_notable"]

Array = NDArray[np.float64]

STEEP = 1.645  # standard errors from which the finer design is taken: one pair in twenty by chance, at most
_MOST_CATEGORIES = 64
_LEAST_LEFT = 0.25  # the share of the rows that a finer design must leave


def fitting_style(
    covariates: Covariates, rows: NDArray[np.bool_] | None, x: Values, y: Values, *, are_ranks: bool = False
) -> str:
    """Return the first design whose next finer one removes no more of x·y than expected by chance."""
    styles = covariates.styles
    columns = [columns_to_test(values, are_ranks) for values in (x, y)] if len(styles) > 1 else [None, None]
    if columns[0] is None or columns[1] is None:
        return styles[0]
    for coarse, fine in pairwise(styles):
        designs = covariates.design(coarse, rows), covariates.design(fine, rows)
        if not are_comparable(*designs) or not _excess(*designs, columns[0], columns[1]) > STEEP:
            return coarse
    return styles[-1]


def are_comparable(coarse: Design, fine: Design) -> bool:
    """Return True if the finer design has more degrees of freedom and still leaves enough rows."""
    return coarse.df < fine.df and fine.n - fine.df >= max(_LEAST_LEFT * fine.n, 3)


def is_notable(square: Array, n_left: int, n_products: int = 1) -> NDArray[np.bool_]:
    """Flag pairs whose (summed) squared partial correlations exceed what chance often gives."""
    return np.asarray(square * n_left > n_products + np.sqrt(n_products))


def excess(coarse: Design, fine: Design, before: Array, after: Array, squares: Array) -> Array:
    """Return how much more of Σ x·y the finer design removes than expected, in standard errors.

    `before` and `after` are the sums in both designs, signed by the first. `squares` are sums of squared
    products in the finer design, so that common changes of spread with z are not taken for curves.
    """
    k, n_left = fine.df - coarse.df, fine.n - fine.df
    per_df = after / n_left
    variance = fine.n * squares / n_left**2 * k * (1 + k / n_left)
    gap = before - after - k * per_df
    # If the finer design leaves nothing of a column, it takes all that the coarser one left.
    certain = np.where(gap > 0, np.inf, 0.0)
    return np.divide(gap, np.sqrt(variance), out=certain, where=variance > 0)


def columns_to_test(values: Values, are_ranks: bool) -> Array | None:
    """Return numbers, their ranks or indicators of categories, or None for more than 64 categories."""
    if values.dtype == np.int32 and len(np.unique(values)) > _MOST_CATEGORIES:
        return None
    if are_ranks:
        return columns_of(np.asarray(order_values(np.ascontiguousarray(values, np.float64)).midranks))
    return columns_of(values)


def _excess(coarse: Design, fine: Design, x: Array, y: Array) -> float:
    """Return the excess of one pair in the direction of its partial correlation, or 0 if that is small."""
    (u, u_fine), (v, v_fine) = (_turned(columns, coarse, fine) for columns in (x, y))
    products = u.T @ v
    size = float(np.linalg.norm(products))
    if not products.size or not is_notable(np.array(size**2), coarse.n - coarse.df, products.size):
        return 0.0
    by_row = np.sum((u_fine @ products) * v_fine, axis=1) / size
    after, squares = np.sum(by_row), np.sum(by_row**2)
    return float(excess(coarse, fine, np.array(size), np.array(after), np.array(squares)))


def _turned(columns: Array, coarse: Design, fine: Design) -> tuple[Array, Array]:
    """Return the residuals of columns in both designs, rotated to be orthonormal in the coarser one."""
    left = coarse.residualize(columns)
    total = float(np.sum((columns - columns.mean(axis=0)) ** 2))
    values, vectors = np.linalg.eigh(left.T @ left)
    is_kept = values > DETERMINED * total
    turn = vectors[:, is_kept] / np.sqrt(values[is_kept])
    return left @ turn, fine.residualize(columns) @ turn
