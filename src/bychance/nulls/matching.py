"""Distributions matched to exact moments, for arrays of pairs and for the structure of a single pair.

In:  one entry per pair, none degenerate by its columns alone (constant, all distinct, under three rows).
Out: NullDistributions, with what there is to doubt. A single pair is an array of one.

`others` counts the rows that differ from the most common value of x and of y. In whole tables they are only
known to be at least so many (`is_whole_table`). There a pair that may have rare values is undecided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bychance import _native
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
from bychance.nulls.moments import exact_moments
from bychance.nulls.validity import Others
from bychance.scores import Value

__all__ = [
    "Match",
    "beta_moments",
    "beta_parameters",
    "cantelli_gains",
    "match_information",
    "match_shares",
    "match_structure",
    "match_traces",
    "multinomial_gains",
    "normal_theory",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Match:
    """A matched law; `doubt` says why its level may be off, and is empty where it can be trusted.

    Without exact moments the law's own are only near: integrals of its quantiles, or those of a ratio.
    """

    null: Null
    doubt: str = ""
    has_exact_moments: bool = True

    @property
    def is_trusted(self) -> bool:
        """Whether `auto` may take it."""
        return not self.null.caveat


def match_structure(structure: Structure, upper: float, log_floor: float = -np.inf) -> Match | None:
    """The law matched to a structure's exact moments, `upper` the end of its support.

    No p-value is below exp(log_floor).

    None where it has none; a CostError where its moments are too costly, or where the root of a bound would
    be needed.
    """
    if isinstance(structure, RootOf):
        return _match_root(structure, upper, log_floor)
    laws = _match(structure, upper)
    if laws is None or laws.is_undecided[0]:
        return None
    laws = replace(laws, log_floor=np.array([log_floor]))
    return Match(as_null(laws), laws.doubt(0))


def _match_root(structure: RootOf, upper: float, log_floor: float) -> Match:
    matches = (match_structure(base, upper**2 / structure.factor, log_floor) for base in structure.base)
    match = next(filter(None, matches))
    if match.null.engine == ENGINES[Engine.CANTELLI].name:
        raise CostError(match.doubt)
    if match.null.is_degenerate:
        root = float(np.sqrt(match.null.mean * structure.factor))
        return Match(replace(match.null, mean=root))
    return Match(RootNull.of(match.null, structure.factor), match.doubt, has_exact_moments=False)


@singledispatch
def _match(structure: Structure, upper: float) -> NullDistributions | None:
    return None


@_match.register
def _(structure: TraceForm, upper: float) -> NullDistributions | None:
    x, y = structure.x, structure.y
    return match_traces(
        n=_one(structure.n),
        x_invariants=x.invariants[np.newaxis],
        y_invariants=y.invariants[np.newaxis],
        x_distinct=_one(x.n_distinct),
        y_distinct=_one(y.n_distinct),
        others=(_one(x.n_others), _one(y.n_others)),
        apart=(_one(x.n_apart), _one(y.n_apart)),
        scale=structure.scale,
        law=structure.law,
        upper=upper,
    )


@_match.register
def _(structure: CellSum, upper: float) -> NullDistributions | None:
    moments = exact_moments(structure)
    if moments is None:
        return None
    rows, columns = structure.rows, structure.columns
    n, others = _rows_and_others(rows, columns)
    if structure.function == "information":
        return match_information(
            mean=np.array([moments.mean]),
            variance=np.array([moments.variance]),
            n=_one(n),
            others=(_one(others[0]), _one(others[1])),
            upper=np.array([upper]),
            distinct=(_one(len(rows)), _one(len(columns))),
            smallest=(_one(rows.min()), _one(columns.min())),
        )
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
    return NullDistributions(
        **_native.match_signs(moments.mean, moments.variance, n, distinct, others, upper)
    )


def _match_normal(
    moments: Moments,
    n: int,
    others: tuple[int, int],
    support: tuple[float, float],
    rule: str = "",
    figure: float = np.nan,
) -> NullDistributions:
    fields = _native.match_normal(moments.mean, moments.variance, n, others, *support, rule, figure)
    return NullDistributions(**fields)


def _one(value: int) -> NDArray[np.int64]:
    return np.array([value], dtype=np.int64)


def _known(structure: Structure) -> Moments:
    moments = exact_moments(structure)
    assert moments is not None  # the structures that come here have them in closed form
    return moments


def _rows_and_others(x_totals: NDArray[np.int64], y_totals: NDArray[np.int64]) -> tuple[int, tuple[int, int]]:
    """Count rows, and those that differ from the most common value of either variable."""
    n = int(x_totals.sum())
    return n, (n - int(x_totals.max()), n - int(y_totals.max()))


def match_traces(
    *,
    n: Counts,
    x_invariants: Array,
    y_invariants: Array,
    x_distinct: Counts,
    y_distinct: Counts,
    scale: float | Array,
    law: Literal["beta", "gamma", "pearson3"],
    upper: float | Array,
    others: Others,
    apart: Others,
    at: tuple[NDArray[np.intp], NDArray[np.intp]] | None = None,
    is_whole_table: bool = False,
) -> NullDistributions:
    """Match laws to the exact moments of scale · tr(A·B): one row of invariants per matrix, `at` makes pairs.

    `upper` is the end of the support. `apart` counts the rows outside the largest lump of x and y. In whole
    tables distinct values need to be counted up to 10 only.
    """
    x_at, y_at = (np.arange(len(x_invariants)),) * 2 if at is None else at
    fields = _native.match_traces(
        once(n),
        x_invariants,
        y_invariants,
        x_at,
        y_at,
        (x_distinct, y_distinct),
        others,
        apart,
        np.array(scale, dtype=np.float64, ndmin=1, copy=None),
        np.array(upper, dtype=np.float64, ndmin=1, copy=None),
        law,
        is_whole_table,
    )
    return NullDistributions(**fields)


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
) -> NullDistributions:
    """Gamma laws with the exact mean and variance of mutual information, in bits; exact for 2 × 2 tables.

    `smallest` holds the sizes of the smallest groups. A pair whose `variance` is NaN, because it is unknown,
    is undecided.
    """
    fields = _native.match_information(
        n=once(n),
        mean=mean,
        variance=variance,
        upper=upper,
        distinct=distinct,
        smallest=smallest,
        others=(once(others[0]), once(others[1])),
        is_whole_table=is_whole_table,
    )
    return NullDistributions(**fields)


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
) -> NullDistributions:
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
        distinct=distinct,
        others=(once(others[0]), once(others[1])),
    )
    return NullDistributions(**fields)


def normal_theory(*, df_explained: Counts, df_residual: Counts) -> NullDistributions:
    """Beta(df_explained/2, df_residual/2): the normal model of shares of variance."""
    a, b = df_explained / 2, df_residual / 2
    return NullDistributions.of(Engine.NORMAL_THEORY, *beta_moments(a, b), first=a, second=b)


def multinomial_gains(
    *,
    n: Counts,
    x_groups: Counts,
    x_invariants: Array,
    y_invariants: Array,
    scale: float | Array,
    upper: float | Array,
) -> NullDistributions:
    """Gamma laws with Dobra and Gehrke's moments of scale · tr(A·B), x a projector and y an indicator."""
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    std = np.sqrt(np.maximum(variance, 0.0))
    skew = 2 * std / np.where(std == 0, 1.0, mean)
    return NullDistributions.of(Engine.MULTINOMIAL, mean, std, first=skew, support=(0.0, upper))


def cantelli_gains(
    *, n: Counts, x_groups: Counts, x_invariants: Array, y_invariants: Array, scale: float | Array
) -> NullDistributions:
    """Cantelli's bound on Dobra and Gehrke's moments: the paper's null of Gini gain.

    As in the paper it may exceed the measure's maximum.
    """
    mean, variance = _gains(n, x_groups, x_invariants, y_invariants, scale)
    std = np.sqrt(np.maximum(variance, 0.0))
    return NullDistributions.of(Engine.PAPER_CANTELLI, mean, std, support=(-np.inf, np.inf))


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
