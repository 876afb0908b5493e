"""Partial r² of many pairs of numeric columns, with exact null moments, by matrix products over cells.

Every column is residualized once per set of rows and reduced to a few power sums per cell. The moments of
all pairs are products of the matrices of these sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.covariates.design import DETERMINED, Design, columns_of, ranks_given
from bychance.covariates.moments import denominator_moments, moments_of_ratios
from bychance.covariates.residual_tests import ResidualTests
from bychance.measures.ranks import order_values

__all__ = [
    "PartialCorrelations",
    "ResidualColumns",
    "correlate",
    "residualized",
]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ResidualColumns:
    """Residuals of columns, scaled to norm 1, with the power sums per cell that null moments need."""

    values: Array  # (columns, n), rows cell by cell
    norms: Array  # of the columns before that, whose own norm is 1
    squares: Array  # (columns, cells): sums of squares
    cubes: Array  # sums of cubes, over √((n_h − 1)(n_h − 2)/n_h)
    excess: Array  # n(n + 1)Σc⁴ − 3(n − 1)(Σc²)², over the root of (n + 1)n(n − 1)(n − 2)(n − 3)
    sixth: Array  # (columns, cells, 4): Σc⁶, Σc⁴·Σc², (Σc³)², (Σc²)³
    left: Array  # (columns, 2): first two raw moments of what is left once permuted and residualized again
    varies: NDArray[np.bool_]  # (columns, cells): if the column has two values there
    shares: Array  # of the columns' variation that Z explains
    follows: NDArray[np.bool_]  # if the column follows the covariates more finely than Z does
    is_degenerate: NDArray[np.bool_]
    n_distinct: NDArray[np.int64]
    n_others: NDArray[np.int64]
    log_arrangements: Array  # of their values within the cells

    def with_more(self, others: ResidualColumns) -> ResidualColumns:
        """Append the residuals of more columns."""
        return ResidualColumns(
            **{f.name: np.concatenate([getattr(self, f.name), getattr(others, f.name)]) for f in fields(self)}
        )

    def pick(self, at: Indices | Sequence[int]) -> ResidualColumns:
        """Select a subset of the columns."""
        return ResidualColumns(**{f.name: getattr(self, f.name)[np.asarray(at)] for f in fields(self)})


@dataclass(frozen=True, eq=False)
class PartialCorrelations:
    """Partial correlations of all x with all y, and the null moments of their squares."""

    r: Array
    moments: Array  # (3, x, y): mean, variance and third central moment
    third_cumulants: Array  # at unit size


def residualized(
    columns: Sequence[Array], design: Design, tests: ResidualTests, *, are_ranks: bool
) -> ResidualColumns:
    """Residualize columns, or their ranks, on a design."""
    cells, n = design.cells, design.cells.sizes.astype(np.float64)
    used = [ranks_given(column, design) for column in columns] if are_ranks else columns
    raw = np.hstack([columns_of(column) for column in used])
    residuals = design.residualize(raw)
    squares = np.sum(residuals**2, axis=0)
    is_degenerate = squares <= DETERMINED
    unit = residuals / np.sqrt(np.where(is_degenerate, 1.0, squares))
    unit[:, is_degenerate] = 0.0
    ordered = unit[cells.order]
    powers = {k: np.add.reduceat(v, cells.starts, axis=0).T for k, v in _powers(ordered)}
    cube_scale, excess_scale = (n - 1) * (n - 2) / n, (n + 1) * n * (n - 1) * (n - 2) * (n - 3)
    excess = n * (n + 1) * powers[4] - 3 * (n - 1) * powers[2] ** 2
    sixth = (powers[6], powers[4] * powers[2], powers[3] ** 2, powers[2] ** 3)
    counted = [_counts(column, design) for column in columns]
    return ResidualColumns(
        values=np.ascontiguousarray(ordered.T),
        norms=np.sqrt(squares),
        squares=powers[2],
        cubes=_over_root(powers[3], cube_scale, n > 2),
        excess=_over_root(excess, excess_scale, n > 3),
        sixth=np.stack(sixth, axis=2),
        left=_left(design, powers[2], powers[4]),
        varies=np.stack([cells.vary(column) for column in columns]),
        shares=1 - np.minimum(squares, 1.0),
        follows=_follow(columns, (raw, residuals), design, tests, are_ranks=are_ranks),
        is_degenerate=is_degenerate,
        n_distinct=np.array([c[0] for c in counted], dtype=np.int64),
        n_others=np.array([c[1] for c in counted], dtype=np.int64),
        log_arrangements=np.array([c[2] for c in counted]),
    )


def correlate(
    x: ResidualColumns, y: ResidualColumns, design: Design, *, is_symmetric: bool
) -> PartialCorrelations:
    """Compute the partial correlations of all x with all y, and the null moments of their squares.

    With `is_symmetric`, the denominator is the geometric mean of the denominators of both columns.
    """
    n = design.cells.sizes.astype(np.float64)
    is_large = n > 1
    weights = np.divide(1.0, n - 1, out=np.zeros_like(n), where=is_large)
    second = (x.squares * weights) @ y.squares.T
    fourths = np.divide(-6.0, n + 1, out=np.zeros_like(n), where=is_large) * weights**2
    fourth = (x.squares**2 * fourths) @ (y.squares**2).T + x.excess @ y.excess.T
    third = x.cubes @ y.cubes.T
    bent = np.einsum("yhi,hij->yhj", y.sixth, np.stack([_sixth_cumulant(int(size)) for size in n]))
    sixth = x.sixth.reshape(len(x.sixth), -1) @ bent.reshape(len(bent), -1).T
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


def _shares_left(x: ResidualColumns, y: ResidualColumns, *, is_symmetric: bool) -> tuple[Array, Array]:
    """Return the first two raw moments of the denominator of each pair of x and y."""
    first, second = y.left[:, 0], y.left[:, 1]
    if not is_symmetric:
        return first[np.newaxis], second[np.newaxis]
    return np.sqrt(np.outer(x.left[:, 0], first)), np.sqrt(np.outer(x.left[:, 1], second))


def _follow(
    columns: Sequence[Array],
    known: tuple[Array, Array],
    design: Design,
    tests: ResidualTests,
    *,
    are_ranks: bool,
) -> NDArray[np.bool_]:
    """Test if residuals of the columns still follow the covariates, reusing known residuals if possible."""
    if are_ranks and design.has_only_cells:
        return tests.follows(np.hstack([columns_of(order_values(column).midranks) for column in columns]))
    raw, residuals = known
    return tests.follows(raw, residuals if tests.fine is design else None)


def _over_root(values: Array, scale: Array, where: NDArray[np.bool_]) -> Array:
    """Divide by the square root of each cell's scale, or return 0 in cells that are too small."""
    root = np.sqrt(np.where(where, scale, 1.0))
    return np.asarray(np.where(where, values / root, 0.0))


def _powers(values: Array) -> Iterator[tuple[int, Array]]:
    squares = values * values
    yield 2, squares
    yield 3, squares * values
    fourths = squares * squares
    yield 4, fourths
    yield 6, fourths * squares


def _left(design: Design, squares: Array, fourths: Array) -> Array:
    if design.has_only_cells:
        return np.ones((len(squares), 2))
    invariants = np.zeros((*squares.shape, 8))
    invariants[..., 0], invariants[..., 1], invariants[..., 3] = squares, squares**2, fourths
    moments = denominator_moments(design, invariants, squares[..., np.newaxis])
    return np.where(moments > 0, moments, 1.0)  # nothing is left of a degenerate column


def _counts(column: Array, design: Design) -> tuple[int, int, float]:
    """Return the number of distinct values, the rows without the most common value, and log arrangements.

    Arrangements are those of the column's values within cells.
    """
    if _native.are_distinct(column):
        return len(column), len(column) - 1, float(special.gammaln(design.cells.sizes + 1).sum())
    codes = order_values(column).codes
    sizes = np.bincount(codes)
    # If more than cells is controlled, what is left of equal values differs.
    arranged = codes if design.has_only_cells else np.arange(len(column))
    return len(sizes), len(column) - int(sizes.max()), design.cells.log_arrangements(arranged)


@lru_cache(maxsize=4096)
def _sixth_cumulant(n: int) -> Array:
    """Return the 4 × 4 matrix that gives the sixth cumulant κ₆ of Σ c_k·d_π(k) over permutations π.

    κ₆ is bilinear in (Σc⁶, Σc⁴Σc², (Σc³)², (Σc²)³) of c and of d. The sixth moment is the third moment of
    the trace, and its values at a basis give the matrix.
    """
    form = np.zeros((4, 4))
    if n < 2:
        return form
    if n == 2:  # S = ±s, whose cumulant is 16·s⁶
        form[3, 3] = 16.0
        return form
    # Σc², Σc³ squared, Σc⁴, Σc⁶ of four made-up lines, and what they are in the four products.
    made_up = [(0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 1.0, 0.0), (0.0, 1.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)]
    basis = np.array([(p6, p4 * p2, p33, p2**3) for p2, p33, p4, p6 in made_up])
    lines = [np.array([p2, p2**2, p2**3, p4, p6, p4 * p2, p33, p33]) for p2, p33, p4, p6 in made_up]
    found = _cumulants(np.array(lines), n)
    inverse = np.linalg.inv(basis)
    return np.asarray(inverse @ found @ inverse.T)


def _cumulants(lines: Array, n: int) -> Array:
    """Compute the sixth cumulant of every two columns from their invariants, which are rows of `lines`.

    It is m₆ − 15·m₄m₂ − 10·m₃² + 30·m₂³.
    """
    first, second = np.indices((len(lines), len(lines))).reshape(2, -1)
    n_of_each = np.full(len(first), float(n))
    mean, variance, third, _ = _native.trace_moments(lines, lines, n_of_each, first, second)
    m2, m4, m6 = mean, variance + mean**2, third + 3 * mean * variance + mean**3
    m3_squared = (n / ((n - 1) * (n - 2))) ** 2 * lines[first, 6] * lines[second, 6]
    cumulants = m6 - 15 * m4 * m2 - 10 * m3_squared + 30 * m2**3
    return np.asarray(cumulants.reshape(len(lines), len(lines)))
