"""Closed-form null distributions with a measure's exact moments, for arrays of pairs or one pair.

In:  statistics of pairs, none degenerate by its columns alone (constant, all distinct, under three rows).
Out: NullDistributions with caveats. A single pair is an array of one.

In whole tables (`is_whole_table`), the count of rows that differ from the most common value is only a
lower bound. A pair that may have rare values is then undecided.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any, Literal

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray, IntArray
from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    PairSum,
    RootOf,
    SignSum,
    Structure,
    TogetherSum,
    TraceForm,
)
from bychance.nulls.base import Moments, Null, RootNull
from bychance.nulls.distributions import ENGINES, Engine, NullDistributions, as_null, once
from bychance.nulls.statistics import PairStatistics, exact_moments, of_one
from bychance.scores import Value

__all__ = [
    "beta_moments",
    "beta_parameters",
    "cantelli_gains",
    "match_information",
    "match_shares",
    "match_structure",
    "match_traces",
    "multinomial_gains",
    "normal_theory",
    "of_one_trace",
]


def match_structure(structure: Structure, upper: float, log_floor: float = -np.inf) -> Null | None:
    """Return a closed-form null with the exact moments of a measure in algebraic form, or None.

    `upper` is the end of its support. No p-value is below exp(log_floor). A CostError is raised if the
    moments are too costly, or if the root of a bound would be needed.
    """
    if isinstance(structure, RootOf):
        return _match_root(structure, upper, log_floor)
    nulls = _match(structure, upper)
    if nulls is None or nulls.is_undecided[0]:
        return None
    return as_null(replace(nulls, log_floor=np.array([log_floor])))


def _match_root(structure: RootOf, upper: float, log_floor: float) -> Null:
    nulls = (match_structure(base, upper**2 / structure.factor, log_floor) for base in structure.base)
    base = next(filter(None, nulls))
    if base.engine == ENGINES[Engine.CANTELLI].name:
        raise CostError(base.doubt)
    if base.is_degenerate:
        return replace(base, mean=float(np.sqrt(base.mean * structure.factor)))
    return RootNull.of(base, structure.factor)


@singledispatch
def _match(structure: Structure, upper: float) -> NullDistributions | None:
    return None


@_match.register
def _(structure: TraceForm, upper: float) -> NullDistributions | None:
    return match_traces(of_one_trace(structure, upper), structure.distribution)


@_match.register
def _(structure: CellSum, upper: float) -> NullDistributions | None:
    moments = exact_moments(structure)
    if moments is None:
        return None
    rows, columns = structure.rows, structure.columns
    n, others = _rows_and_others(rows, columns)
    if structure.function == "information":
        totals = {"distinct": (len(rows), len(columns)), "smallest": (rows.min(), columns.min())}
        known = moments.mean, moments.variance, np.nan
        return match_information(of_one(n=n, moments=known, bound=upper, others=others, **totals))
    return _match_normal(moments, n, others, (0.0, upper), "agreement", moments.std / structure.scale)


@_match.register
def _(structure: PairSum, upper: float) -> NullDistributions | None:
    x, y = structure.x, structure.y
    others, fewest = (x.n_others, y.n_others), min(x.n_distinct, y.n_distinct)
    return _match_normal(_known(structure), structure.n, others, (-np.inf, upper), "xi", fewest)


@_match.register
def _(structure: TogetherSum, upper: float) -> NullDistributions | None:
    n, others = _rows_and_others(structure.rows, structure.columns)
    return _match_normal(_known(structure), n, others, (0.0, upper))


@_match.register
def _(structure: SignSum, upper: float) -> NullDistributions | None:
    _, x_ties, y_ties = structure.ties
    n, others = _rows_and_others(np.array(x_ties), np.array(y_ties))
    moments, distinct = _known(structure), (len(x_ties), len(y_ties))
    return NullDistributions(*_native.match_signs(moments.mean, moments.variance, n, distinct, others, upper))


def _match_normal(
    moments: Moments,
    n: int,
    others: tuple[int, int],
    support: tuple[float, float],
    rule: str = "",
    caveat_value: float = np.nan,
) -> NullDistributions:
    fields = _native.match_normal(moments.mean, moments.variance, n, others, *support, rule, caveat_value)
    return NullDistributions(*fields)


def _known(structure: Structure) -> Moments:
    moments = exact_moments(structure)
    assert moments is not None  # the structures that come here have them in closed form
    return moments


def _rows_and_others(x_totals: IntArray, y_totals: IntArray) -> tuple[int, tuple[int, int]]:
    """Count the rows of a table, and those outside its largest row total and its largest column total."""
    n = int(x_totals.sum())
    return n, (n - int(x_totals.max()), n - int(y_totals.max()))


def of_one_trace(structure: TraceForm, upper: float) -> PairStatistics:
    """Return the statistics of one pair whose measure is scale·tr(A·B) and at most `upper`."""
    x, y = structure.x, structure.y
    return of_one(
        n=structure.n,
        invariants=(x.invariants[np.newaxis], y.invariants[np.newaxis]),
        scale=structure.scale,
        bound=upper,
        distinct=(x.n_distinct, y.n_distinct),
        others=(x.n_others, y.n_others),
        outside=(x.n_outside, y.n_outside),
    )


def match_traces(
    found: PairStatistics, distribution: Literal["beta", "gamma", "pearson3"], *, is_whole_table: bool = False
) -> NullDistributions:
    """Match distributions to the exact moments of measures of the form tr(A·B).

    In whole tables distinct values need to be counted up to 10 only.
    """
    assert found.invariants is not None
    assert found.scale is not None
    assert found.bound is not None
    x_at, y_at = (np.arange(len(found.n)),) * 2 if found.at is None else found.at
    fields = _native.match_traces(
        once(found.n),
        *found.invariants,
        x_at,
        y_at,
        scale=once(found.scale),
        upper=once(found.bound),
        distribution=distribution,
        is_whole_table=is_whole_table,
        **_count_arrays(found, "distinct", "others", "outside"),
    )
    return NullDistributions(*fields)


def match_information(found: PairStatistics, *, is_whole_table: bool = False) -> NullDistributions:
    """Match gamma distributions to the mean and variance of mutual information, in bits.

    Distributions of 2 × 2 tables are exact. A pair with unknown variance (NaN) is undecided.
    """
    assert found.moments is not None
    assert found.bound is not None
    fields = _native.match_information(
        n=once(found.n),
        mean=found.moments[0],
        variance=found.moments[1],
        upper=found.bound,
        is_whole_table=is_whole_table,
        **_count_arrays(found, "distinct", "smallest", "others"),
    )
    return NullDistributions(*fields)


def match_shares(found: PairStatistics) -> NullDistributions:
    """Match Beta distributions to squared partial correlations of numeric columns.

    Third cumulants bound how far down they hold. An unknown third moment is NaN.
    """
    assert found.moments is not None
    assert found.third_cumulants is not None
    fields = _native.match_shares(
        n=once(found.n),
        mean=found.moments[0],
        variance=found.moments[1],
        third=found.moments[2],
        third_cumulants=found.third_cumulants,
        rank=1.0,
        is_numeric=True,
        **_count_arrays(found, "distinct", "others"),
    )
    return NullDistributions(*fields)


def _count_arrays(found: PairStatistics, *names: str) -> dict[str, Any]:
    """Return the named arrays of counts as keyword arguments, each with a row for x and a row for y."""
    return {name: np.asarray(getattr(found, name)) for name in names}


def normal_theory(*, df_explained: IntArray, df_residual: IntArray) -> NullDistributions:
    """Return Beta(df_explained/2, df_residual/2), the distribution of R² for normal data."""
    a, b = df_explained / 2, df_residual / 2
    return NullDistributions.of(Engine.NORMAL_THEORY, *beta_moments(a, b), first=a, second=b)


def multinomial_gains(found: PairStatistics) -> NullDistributions:
    """Match gamma distributions to the moments of Gini gain in a multinomial model (Dobra and Gehrke)."""
    mean, std = _gains(found)
    skew, upper = 2 * std / np.where(std == 0, 1.0, mean), found.bound
    assert upper is not None
    return NullDistributions.of(Engine.MULTINOMIAL, mean, std, first=skew, support=(0.0, upper))


def cantelli_gains(found: PairStatistics) -> NullDistributions:
    """Return Cantelli's bound with Dobra and Gehrke's moments: the paper's null of Gini gain.

    As in the paper it may exceed the measure's maximum.
    """
    return NullDistributions.of(Engine.PAPER_CANTELLI, *_gains(found), support=(-np.inf, np.inf))


def beta_parameters(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the parameters (a, b) of Beta distributions with these moments.

    They are not both positive if none exists.
    """
    a, b = _native.beta_parameters(np.array([mean, variance]))
    return a, b


def beta_moments(a: Value, b: Value) -> tuple[Value, Value]:
    """Return mean and standard deviation of Beta(a, b)."""
    total = a + b
    return a / total, np.sqrt(a * b / (total + 1)) / total


def _gains(found: PairStatistics) -> tuple[FloatArray, FloatArray]:
    """Compute Dobra and Gehrke's mean and standard deviation of Gini gain (supplement A.2 of the paper).

    The paper is Romano et al. 2016. Counts of x are fixed, y is drawn with its observed shares. x is the
    projector on its groups, y the class indicator, by their invariants. The moments are exact for known
    shares of y. With the observed ones plugged in, the mean is low by (n − 1)/n on average. With shares
    p_j of y, tr B = n·(1 − Σp_j²) and tr B² = n²·(Σp_j² + (Σp_j²)² − 2Σp_j³). With sizes n_i of x, Σ
    diag(A)² = Σ1/n_i − (2r − 1)/n. These are the sums of the supplement's formula.
    """
    assert found.scale is not None
    (x, y), rows, others = found.invariants_of_pairs(), found.n.astype(np.float64), found.distinct[0] - 1
    impurity, pairs = y[:, 0] / rows, y[:, 1] / (rows * rows)
    sizes = x[:, 3] * (2 * impurity * (1 - impurity) - 4 * pairs)
    variance = (others * 2 * pairs + sizes) / (rows * rows)
    factor = found.scale * rows
    return factor * (others / rows * impurity), factor * np.sqrt(np.maximum(variance, 0.0))
