"""Whether what is left of x and y still follows the covariates, and the design that follows them better.

A finer design takes k more degrees of freedom out of x and y. If the coarser one left nothing of z behind,
it takes k times their covariance per degree of freedom that it leaves, whatever x says of y. If the part it
takes is larger, in the direction of the relation found, then z made that part.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bychance.given.covariates import Covariates
from bychance.given.design import Design
from bychance.given.factors import DETERMINED
from bychance.given.variables import columns_of
from bychance.measures.base import Values
from bychance.measures.ordering import order_values

__all__ = ["STEEP", "Control", "are_comparable", "excess", "fitting_control", "is_marked", "is_notable"]

Array = NDArray[np.float64]

STEEP = 1.645  # standard errors from which the finer design is taken: one pair in twenty by chance, at most
_MARKED = 2.5  # from which a reader should know
_STILL_RELATED = 4.0  # r²·(n − df) from which something is left that z might have made
_MOST_CATEGORIES = 64
_LEAST_LEFT = 0.25  # the share of the rows that a finer design must leave


@dataclass(frozen=True, slots=True)
class Control:
    """The design a pair takes, and whether what it leaves may still be the covariates' doing."""

    style: str
    is_doubtful: bool = False


def fitting_control(
    covariates: Covariates, rows: NDArray[np.bool_] | None, x: Values, y: Values, *, are_ranks: bool = False
) -> Control:
    """The first design whose next finer one takes no more of x and y together than chance would."""
    styles = covariates.styles
    columns = [_columns(values, are_ranks) for values in (x, y)] if len(styles) > 1 else [None, None]
    if columns[0] is None or columns[1] is None:
        return Control(styles[0])
    style, is_steep = styles[0], False
    for coarse, fine in pairwise(styles):
        designs = covariates.design(coarse, rows), covariates.design(fine, rows)
        if not are_comparable(*designs):
            break
        t = _excess(*designs, columns[0], columns[1])
        if not t > STEEP:
            break
        style, is_steep = fine, is_steep or t > _MARKED
    return Control(style, is_steep and _is_related(covariates.design(style, rows), columns[0], columns[1]))


def are_comparable(coarse: Design, fine: Design) -> bool:
    """Whether the finer design takes more out, and leaves enough."""
    return coarse.df < fine.df and fine.n - fine.df >= max(_LEAST_LEFT * fine.n, 3)


def is_notable(square: Array, n_left: int, n_products: int = 1) -> NDArray[np.bool_]:
    """Whether a sum of squared partial correlations is above what chance often gives."""
    return np.asarray(square * n_left > n_products + np.sqrt(n_products))


def is_marked(t: Array, square: Array, n_left: int) -> NDArray[np.bool_]:
    """Whether pairs that a finer design was needed for are still related in it."""
    return np.asarray((t > _MARKED) & (square * n_left > _STILL_RELATED))


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


def _columns(values: Values, are_ranks: bool) -> Array | None:
    """Numbers or indicators of categories; None where there are too many of them."""
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


def _is_related(design: Design, x: Array, y: Array) -> bool:
    (u, _), (v, _) = (_turned(columns, design, design) for columns in (x, y))
    products = u.T @ v
    return bool(np.sum(products**2) * (design.n - design.df) > _STILL_RELATED * products.size)


def _turned(columns: Array, coarse: Design, fine: Design) -> tuple[Array, Array]:
    """What both designs leave of the columns, turned so that the first is orthonormal."""
    left = coarse.residualize(columns)
    total = float(np.sum((columns - columns.mean(axis=0)) ** 2))
    values, vectors = np.linalg.eigh(left.T @ left)
    is_kept = values > DETERMINED * total
    turn = vectors[:, is_kept] / np.sqrt(values[is_kept])
    return left @ turn, fine.residualize(columns) @ turn
