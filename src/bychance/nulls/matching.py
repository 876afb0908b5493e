"""Exact moments of many pairs → the laws that fit them, and what there is to doubt; traces are in laws.py.

In:  one entry per pair; none is degenerate by its columns alone (constant, all distinct, under three rows).
Out: Laws. A single pair is an array of one (matched.py).

`others` counts the rows that differ from the most common value of x and of y. In whole tables they are only
known to be at least so many (`is_whole_table`): there a pair that may have rare values is undecided.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.nulls.laws import Engine, Laws, Value, once
from bychance.nulls.trust import Others

__all__ = [
    "beta_moments",
    "beta_parameters",
    "cantelli_gains",
    "match_information",
    "match_shares",
    "multinomial_gains",
    "normal_theory",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def match_information(
    *,
    n: Counts,
    mean: Array,
    variance: Array,
    upper: Array,
    distinct: Others,
    smallest: Others,
    others: Others,
    is_whole_table: bool = False,
) -> Laws:
    """Gamma laws with the exact mean and variance of mutual information, in bits; exact for 2 × 2 tables.

    `smallest` holds the sizes of the smallest groups. A pair whose `variance` is NaN, because it is unknown,
    is undecided.
    """
    fields = _native.match_information(
        n=once(n),
        mean=mean,
        variance=variance,
        upper=upper,
        x_distinct=distinct[0],
        y_distinct=distinct[1],
        x_smallest=smallest[0],
        y_smallest=smallest[1],
        x_others=once(others[0]),
        y_others=once(others[1]),
        is_whole_table=is_whole_table,
    )
    return Laws(**fields)


def match_shares(
    *,
    n: Counts,
    mean: Array,
    variance: Array,
    third: Array,
    third_cumulants: Array,
    rank: Array,
    is_numeric: bool,
    distinct: Others,
    others: Others,
) -> Laws:
    """Match the laws of shares of y's variation within cells: Beta where y is numeric, else Pearson III.

    `is_numeric` holds for labels of two categories, too. `rank` is how many directions the variable with
    more of them has. Third cumulants bound how far down a Beta law reaches. A third moment is NaN if it is
    unknown.
    """
    fields = _native.match_shares(
        n=once(n),
        mean=mean,
        variance=variance,
        third=third,
        third_cumulants=third_cumulants,
        rank=rank,
        is_numeric=is_numeric,
        x_distinct=distinct[0],
        y_distinct=distinct[1],
        x_others=once(others[0]),
        y_others=once(others[1]),
    )
    return Laws(**fields)


def normal_theory(*, df_explained: Counts, df_residual: Counts) -> Laws:
    """Beta(df_explained/2, df_residual/2): the normal model of shares of variance."""
    a, b = df_explained / 2, df_residual / 2
    return Laws.of(Engine.NORMAL_THEORY, *beta_moments(a, b), first=a, second=b)


def multinomial_gains(
    *,
    n: Counts,
    x_groups: Counts,
    x_invariants: Array,
    y_invariants: Array,
    scale: float | Array,
    upper: float | Array,
) -> Laws:
    """Gamma laws with Dobra and Gehrke's moments of scale · tr(A·B), x a projector and y an indicator."""
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    std = np.sqrt(np.maximum(variance, 0.0))
    skew = 2 * std / np.where(std == 0, 1.0, mean)
    return Laws.of(Engine.MULTINOMIAL, mean, std, first=skew, support=(0.0, upper))


def cantelli_gains(
    *, n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> Laws:
    """Cantelli's bound on Dobra and Gehrke's moments: the paper's null of Gini gain.

    As in the paper it may exceed the measure's maximum.
    """
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    std = np.sqrt(np.maximum(variance, 0.0))
    return Laws.of(Engine.PAPER_CANTELLI, mean, std, support=(-np.inf, np.inf))


def beta_parameters(mean: Array, variance: Array) -> tuple[Array, Array]:
    """The parameters of the Beta laws with these moments; not both positive where there is none."""
    a, b = _native.beta_parameters(np.array([mean, variance]))
    return a, b


def beta_moments(a: Value, b: Value) -> tuple[Value, Value]:
    """Mean and standard deviation of Beta(a, b)."""
    total = a + b
    return a / total, np.sqrt(a * b / (total + 1)) / total


def _gains(n: Counts, n_groups: Counts, x: Array, y: Array, scale: float | Array) -> tuple[Array, Array]:
    """Dobra and Gehrke's mean and variance of the gain (Romano et al. 2016, supplement A.2), in its units.

    Counts of x are fixed, y is drawn with its observed shares. x is the projector on its groups, y the class
    indicator, by their invariants. Exact for known shares of y; with the observed ones plugged in, the mean
    is low by (n − 1)/n on average. With shares p_j of y, tr B = n·(1 − Σp_j²) and
    tr B² = n²·(Σp_j² + (Σp_j²)² − 2Σp_j³); with sizes n_i of x, Σ diag(A)² = Σ1/n_i − (2r − 1)/n. These are
    the sums of the supplement's formula.
    """
    rows = n.astype(np.float64)
    impurity, pairs = y[..., 0] / rows, y[..., 1] / (rows * rows)
    sizes = x[..., 3] * (2 * impurity * (1 - impurity) - 4 * pairs)
    mean, variance = (n_groups - 1) / rows * impurity, ((n_groups - 1) * 2 * pairs + sizes) / (rows * rows)
    factor = scale * rows
    return factor * mean, factor * factor * variance
