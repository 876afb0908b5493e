"""Whether what is left of x and y still follows the covariates, and the design that follows them better.

A finer design takes k more degrees of freedom out of x and y. If the coarser one left nothing of z behind,
it takes k times their covariance per degree of freedom that it leaves, whatever x says of y. If the part it
takes is larger, in the direction of the relation found, then z made that part.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bychance.given.covariates import Covariates
from bychance.given.design import Design
from bychance.given.factors import DETERMINED
from bychance.given.variables import columns_of
from bychance.measures.base import Values
from bychance.measures.ordering import order_values

__all__ = ["STEEP", "are_comparable", "columns_to_test", "excess", "fitting_style", "is_notable"]

Array = NDArray[np.float64]

STEEP = 1.645  # standard errors from which the finer design is taken: one pair in twenty by chance, at most
_MOST_CATEGORIES = 64
_LEAST_LEFT = 0.25  # the share of the rows that a finer design must leave


def fitting_style(
    covariates: Covariates, rows: NDArray[np.bool_] | None, x: Values, y: Values, *, are_ranks: bool = False
) -> str:
    """The first design whose next finer one takes no more of x and y together than chance would."""
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
    """Whether the finer design takes more out, and leaves enough."""
    return coarse.df < fine.df and fine.n - fine.df >= max(_LEAST_LEFT * fine.n, 3)


def is_notable(square: Array, n_left: int, n_products: int = 1) -> NDArray[np.bool_]:
    """Whether a sum of squared partial correlations is above what chance often gives."""
    return np.asarray(square * n_left > n_products + np.sqrt(n_products))


def excess(coarse: Design, fine: Design, before: Array, after: Array, squares: Array) -> Array:
    """What the finer design takes of the sum of products x·y beyond its share, in standard errors.

    `before` and `after` are these sums, signed by the first; `squares` are sums of the squared products in
    the finer design. So spreads of x and y that change together with z are not taken for curves.
    """
    k, n_left = fine.df - coarse.df, fine.n - fine.df
    per_df = after / n_left
    variance = fine.n * squares / n_left**2 * k * (1 + k / n_left)
    gap = before - after - k * per_df
    return np.divide(gap, np.sqrt(variance), out=np.zeros_like(gap), where=variance > 0)


def columns_to_test(values: Values, are_ranks: bool) -> Array | None:
    """Return numbers, their ranks or indicators of categories; None if there are more than 64 categories."""
    if values.dtype == np.int32 and len(np.unique(values)) > _MOST_CATEGORIES:
        return None
    if are_ranks:
        return columns_of(np.asarray(order_values(np.ascontiguousarray(values, np.float64)).midranks))
    return columns_of(values)


def _excess(coarse: Design, fine: Design, x: Array, y: Array) -> float:
    """The excess of a pair along the relation that the coarser design shows; 0 where it shows none."""
    (u, u_fine), (v, v_fine) = (_turned(columns, coarse, fine) for columns in (x, y))
    products = u.T @ v
    size = float(np.linalg.norm(products))
    if not products.size or not is_notable(np.array(size**2), coarse.n - coarse.df, products.size):
        return 0.0
    by_row = np.sum((u_fine @ products) * v_fine, axis=1) / size
    after, squares = np.sum(by_row), np.sum(by_row**2)
    return float(excess(coarse, fine, np.array(size), np.array(after), np.array(squares)))


def _turned(columns: Array, coarse: Design, fine: Design) -> tuple[Array, Array]:
    """What both designs leave of the columns, turned so that the first is orthonormal."""
    left = coarse.residualize(columns)
    total = float(np.sum((columns - columns.mean(axis=0)) ** 2))
    values, vectors = np.linalg.eigh(left.T @ left)
    is_kept = values > DETERMINED * total
    turn = vectors[:, is_kept] / np.sqrt(values[is_kept])
    return left @ turn, fine.residualize(columns) @ turn
