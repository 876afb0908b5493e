"""Partial r² of many pairs of numeric columns, with exact null moments, by matrix products over cells.

Every column is residualized once per set of rows and reduced to a few power sums per cell. The moments of
all pairs are products of the matrices of these sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.covariates.cells import midranks
from bychance.covariates.design import DETERMINED, Design, columns_of, ranks_given
from bychance.covariates.measures import ControlledVariable
from bychance.covariates.moments import denominator_moments, moments_of_ratios
from bychance.covariates.residual_tests import ResidualTests

__all__ = [
    "PartialCorrelations",
    "ResidualColumns",
    "correlate",
    "residualized",
]


@dataclass(frozen=True, eq=False)
class ResidualColumns:
    """Residuals of many numeric columns on covariates, scaled to norm 1, with power sums per cell."""

    values: FloatArray  # (columns, n), rows cell by cell
    norms: FloatArray  # of the residuals of columns of norm 1, before scaling
    powers: FloatArray  # (columns, cells, 4): sums of powers 2, 3, 4 and 6
    left: FloatArray  # (columns, 2): raw moments of the sum of squares, permuted and residualized again
    varies: BoolArray  # (columns, cells): if the column has two values there
    follows: BoolArray  # if the residuals still depend on the covariates
    n_distinct: IntArray
    n_others: IntArray
    log_arrangements: (
        FloatArray  # natural log of the number of distinct orders of the values within the cells
    )

    @property
    def shares(self) -> FloatArray:
        """Share of each column's variation that the covariates explain."""
        return 1 - np.minimum(self.norms**2, 1.0)

    @property
    def is_degenerate(self) -> BoolArray:
        """Flag columns whose residuals are 0, since the covariates determine them."""
        return np.asarray(self.norms**2 <= DETERMINED)

    @classmethod
    def joined(cls, parts: Sequence[ResidualColumns]) -> ResidualColumns:
        """Join the residuals of several lists of columns in one record."""
        return cls(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls)})

    def pick(self, at: IndexArray | Sequence[int]) -> ResidualColumns:
        """Return the residuals of the columns at these positions."""
        return ResidualColumns(**{f.name: getattr(self, f.name)[np.asarray(at)] for f in fields(self)})


@dataclass(frozen=True, eq=False)
class PartialCorrelations:
    """Partial correlations of all x with all y, and the null moments of their squares."""

    r: FloatArray
    moments: FloatArray  # (3, x, y): mean, variance and third central moment
    third_cumulants: FloatArray  # at unit size


def residualized(
    columns: Sequence[FloatArray], design: Design, tests: ResidualTests, *, are_ranks: bool
) -> ResidualColumns:
    """Residualize columns, or their ranks, on a covariate design, and compute power sums for their nulls."""
    cells = design.cells
    used = [ranks_given(column, design) for column in columns] if are_ranks else columns
    raw = np.hstack([columns_of(column) for column in used])
    residuals = design.residualize(raw)
    norms = np.linalg.norm(residuals, axis=0)
    scales = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms**2 > DETERMINED)
    ordered = (residuals * scales)[cells.order]
    powers = np.stack([np.add.reduceat(v, cells.starts, axis=0).T for v in _powers(ordered)], axis=-1)
    tested = raw, residuals if tests.fine is design else None
    if are_ranks and design.has_only_cells:
        tested = np.hstack([columns_of(midranks(column)) for column in columns]), None
    variables = [ControlledVariable(column, design, share=0.0, is_degenerate=False) for column in columns]
    # With regressors beside the cells, residuals of equal values differ.
    arranged = columns if design.has_only_cells else [None] * len(columns)
    return ResidualColumns(
        values=np.ascontiguousarray(ordered.T),
        norms=norms,
        powers=powers,
        left=_left(design, powers),
        varies=np.stack([variable.varies_in for variable in variables]),
        follows=tests.follows(*tested),
        n_distinct=np.array([variable.n_distinct for variable in variables], dtype=np.int64),
        n_others=np.array([variable.n_others for variable in variables], dtype=np.int64),
        log_arrangements=np.array([cells.log_arrangements(values) for values in arranged]),
    )


def correlate(
    x: ResidualColumns, y: ResidualColumns, design: Design, *, is_symmetric: bool
) -> PartialCorrelations:
    """Compute the partial correlations of all x with all y, and the null moments of their squares.

    With `is_symmetric`, the denominator is the geometric mean of the denominators of both columns.
    """
    second, third, fourth, sixth = _cumulants(x, y, design.cells.sizes)
    mean, variance = second, 2 * second**2 + fourth
    skewed = 8 * second**3 + 12 * second * fourth + 10 * third**2 + sixth
    r = np.clip(x.values @ y.values.T, -1.0, 1.0)
    variance = np.where(variance > 1e-12 * second**2, variance, 0.0)
    unit = np.divide(third**2, second**3, out=np.zeros_like(third), where=second > 0)
    if design.has_only_cells:
        return PartialCorrelations(r, np.stack([mean, variance, skewed]), unit)
    with np.errstate(invalid="ignore"):  # 0/0 for columns that the covariates leave nothing of
        moments = moments_of_ratios(mean, variance, skewed, _shares_left(x, y, is_symmetric=is_symmetric))
    return PartialCorrelations(r, np.stack(moments), unit)


def _cumulants(x: ResidualColumns, y: ResidualColumns, sizes: IntArray) -> Iterator[FloatArray]:
    """Yield cumulants 2, 3, 4 and 6 of Σ c_k·d_π(k), the permuted inner product of columns x and y.

    Cumulants of the cells add up. Each is bilinear in products of the power sums of c and of d.
    """
    forms, at = np.unique(sizes, return_inverse=True)
    of_sizes = [_cumulant_forms(int(size)) for size in forms]
    for k, (left, right) in enumerate(zip(_products(x), _products(y), strict=True)):
        turned = np.einsum("yhi,hij->yhj", right, np.stack([form[k] for form in of_sizes])[at])
        yield left.reshape(len(left), -1) @ turned.reshape(len(turned), -1).T


def _products(columns: ResidualColumns) -> Iterator[FloatArray]:
    """Yield the products of a column's power sums per cell that enter cumulants 2, 3, 4 and 6."""
    p2, p3, p4, p6 = (columns.powers[..., k] for k in range(4))
    for products in ((p2,), (p3,), (p4, p2**2), (p6, p4 * p2, p3**2, p2**3)):
        yield np.stack(products, axis=-1)


def _shares_left(
    x: ResidualColumns, y: ResidualColumns, *, is_symmetric: bool
) -> tuple[FloatArray, FloatArray]:
    """Return the first two raw moments over permutations of the denominator of each pair's partial R²."""
    first, second = y.left[:, 0], y.left[:, 1]
    if not is_symmetric:
        return first[np.newaxis], second[np.newaxis]
    return np.sqrt(np.outer(x.left[:, 0], first)), np.sqrt(np.outer(x.left[:, 1], second))


def _powers(values: FloatArray) -> Iterator[FloatArray]:
    squares = values * values
    yield squares
    yield squares * values
    fourths = squares * squares
    yield fourths
    yield fourths * squares


def _left(design: Design, powers: FloatArray) -> FloatArray:
    squares, fourths = powers[..., 0], powers[..., 2]
    if design.has_only_cells:
        return np.ones((len(squares), 2))
    invariants = np.zeros((*squares.shape, 8))
    invariants[..., 0], invariants[..., 1], invariants[..., 3] = squares, squares**2, fourths
    moments = denominator_moments(design.block_sums, design.cells, invariants, squares[..., np.newaxis])
    return np.where(moments > 0, moments, 1.0)  # nothing is left of a degenerate column


@lru_cache(maxsize=4096)
def _cumulant_forms(n: int) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return four matrices that convert power sums in a cell of n rows to cumulants 2, 3, 4 and 6.

    The fourth and sixth moment are moments of the trace. Their values at a basis give the matrices.
    """
    if n < 3:  # S = ±s, with cumulants s², −2s⁴ and 16s⁶, or nothing
        return np.eye(1), np.zeros((1, 1)), np.diag([0.0, -2.0]), np.diag([0.0, 0.0, 0.0, 16.0])
    # Σc², Σc³ squared, Σc⁴, Σc⁶ of four made-up columns, and their products.
    made_up = [(0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)]
    columns = np.array([(p2, p2**2, p2**3, p4, p6, p4 * p2, p33, p33) for p2, p33, p4, p6 in made_up])
    fourths = np.array([(p4, p2**2) for p2, _, p4, _ in made_up])[[1, 3]]
    sixths = np.array([(p6, p4 * p2, p33, p2**3) for p2, p33, p4, p6 in made_up])
    first, second = np.indices((4, 4)).reshape(2, -1)
    found = _native.trace_moments(columns, columns, np.full(16, float(n)), first, second)
    mean, variance, third = (each.reshape(4, 4) for each in found[:3])
    beta = n / ((n - 1) * (n - 2))
    m4, m6 = variance + mean**2, third + 3 * mean * variance + mean**3
    m3_squared = beta**2 * np.outer(columns[:, 6], columns[:, 6])
    fourth, sixth = m4 - 3 * mean**2, m6 - 15 * m4 * mean - 10 * m3_squared + 30 * mean**3

    def form(values: FloatArray, products: FloatArray) -> FloatArray:
        inverse = np.linalg.inv(products)
        return np.asarray(inverse @ values @ inverse.T)

    return (
        np.full((1, 1), 1 / (n - 1)),
        np.full((1, 1), beta),
        form(fourth[np.ix_([1, 3], [1, 3])], fourths),
        form(sixth, sixths),
    )
