"""Nulls within cells: the laws matched to exact moments, and whole laws by convolution or enumeration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import coded, crossed
from bychance.given.cells import Cells
from bychance.nulls.base import Moments, Null
from bychance.nulls.discrete import DiscreteNull
from bychance.nulls.kendall import s_law
from bychance.nulls.laws import Engine, Laws
from bychance.nulls.matching import beta_parameters, beta_skew
from bychance.nulls.trust import Caveat, Others, distrust_beta, distrust_gamma, reach_of_beta

__all__ = [
    "REACH",
    "SumLaw",
    "arrangement_count",
    "engine_given",
    "enumerate_within",
    "fourfold_law",
    "kendall_law",
    "log_arrangements",
    "match_shares",
    "match_sums",
    "named_given",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

SumLaw = Literal["gamma", "pearson3", "information", "normal"]
"""A sum of squares from zero, one that starts anywhere, of mutual information, or near normal."""

REACH = 1e-2  # down to which p levels beyond covariates were simulated (studies/given_levels.py)
_CHUNK = 1 << 18  # entries of permutation rows in flight
_NEAR_NORMAL, _LOWEST, _HIGHEST, _MAX_SKEW = 0.3, 0.8, 1.25, 2.9  # as in trust.py


class _Data(TypedDict):
    """What the rules of trust ask of the data."""

    n: Counts
    distinct: Others
    others: Others
    rank: Array
    third: Array


def match_shares(
    *,
    mean: Array,
    variance: Array,
    third: Array,
    third_cumulants: Array,
    rank: Array,
    is_numeric: NDArray[np.bool_] | bool,
    n: Counts,
    distinct: tuple[Counts, Counts],
    others: tuple[Counts, Counts],
) -> Laws:
    """Laws of shares of y's variation: Beta where y is numeric or has two categories, else Pearson III.

    A Beta law is trusted by its skewness alone: uneven strata have other variances than the normal model,
    and the law holds there all the same. Third cumulants bound how far down it reaches.
    """
    std = np.sqrt(variance)
    safe = np.where(std > 0, std, 1.0)
    skew = third / safe**3
    none = np.zeros_like(mean)
    data = _Data(n=n, distinct=distinct, others=others, rank=rank, third=none)
    caveat, figure = distrust_gamma(**data, fourth=none, skew=skew, skew_ratio=skew / (2 * safe / mean))
    reach = np.where(caveat == Caveat.NONE, REACH, 1.0)
    pearson = Laws.of(Engine.PEARSON, mean, std, first=skew, caveat=caveat, figure=figure, holds_to=reach)
    a, b = beta_parameters(mean, safe**2)
    is_beta = (a > 0) & (b > 0) & is_numeric
    a, b = np.where(is_beta, a, 1.0), np.where(is_beta, b, 2.0)
    law_skew = beta_skew(a, b)
    ratio = np.divide(skew, law_skew, out=np.full_like(a, np.inf), where=law_skew != 0)
    caveat, figure = distrust_beta(**data, variance_ratio=np.ones_like(a), skew_ratio=ratio)
    is_unknown = np.isnan(skew)
    caveat = np.where(is_unknown & (caveat == 0), np.int8(Caveat.UNKNOWN_SKEWNESS), caveat)
    # Beyond the levels that were simulated, only a variance like the normal model's speaks for the tail.
    normal = 2 * mean**2 * (1 - mean) / (1 + 2 * mean)
    reach = reach_of_beta(n=n, rank=rank, third=third_cumulants, variance_ratio=_apart(variance, normal))
    reach = np.where(caveat == Caveat.NONE, reach, 1.0)
    beta = Laws.of(Engine.BETA, mean, std, first=a, second=b, caveat=caveat, figure=figure, holds_to=reach)
    laws = beta.where(is_beta, pearson)
    return laws.undecided(is_unknown & ~is_beta & (std > 0), Caveat.UNKNOWN_SKEWNESS)


def _apart(variance: Array, normal: Array) -> Array:
    """The ratio of two variances, above 1 in either direction."""
    ratio = np.divide(variance, normal, out=np.ones_like(variance), where=(normal > 0) & (variance > 0))
    return np.maximum(ratio, 1 / ratio)


def match_sums(moments: Moments, law: SumLaw, *, upper: float, caveat: Caveat = Caveat.NONE) -> Laws:
    """The law of a sum over strata with these exact moments; `caveat` is what is already known against it."""
    mean, std = np.array([moments.mean]), np.array([moments.std])
    reach = 1.0 if caveat else REACH
    if law == "normal":
        return Laws.of(Engine.NORMAL, mean, std, support=(-np.inf, upper), caveat=caveat, holds_to=reach)
    gamma_skew = 2 * moments.std / moments.mean if moments.mean > 0 else np.nan
    if law == "information":
        return Laws.of(
            Engine.GAMMA, mean, std, first=gamma_skew, support=(0.0, upper), caveat=caveat, holds_to=reach
        )
    skew = moments.skew if moments.std > 0 else 0.0
    figure, low = skew, -1.0
    if law == "gamma":
        figure, low = skew / gamma_skew if moments.std > 0 else 1.0, 0.0
        is_trusted = abs(skew) <= _NEAR_NORMAL or _LOWEST <= figure <= _HIGHEST
        caveat = caveat if caveat or is_trusted else Caveat.SKEWNESS
    elif not caveat and not 0 < skew <= _MAX_SKEW:
        caveat = Caveat.NO_SUM_OF_SQUARES
    reach = 1.0 if caveat else REACH
    return Laws.of(
        Engine.PEARSON,
        mean,
        std,
        first=skew,
        support=(low, upper),
        caveat=caveat,
        figure=figure,
        holds_to=reach,
    )


def named_given(null: Null, reason: str) -> Null:
    """The null with its engine's name and its reason saying that it looks beyond covariates."""
    return replace(null, engine=engine_given(null.engine), reason=f"{null.reason}; {reason}")


def engine_given(name: str) -> str:
    """The name of an engine that looks beyond covariates.

    >>> engine_given("beta (exact moments)"), engine_given("exact tables")
    ('beta (exact moments, given)', 'exact tables (given)')
    """
    return f"{name[:-1]}, given)" if name.endswith(")") else f"{name} (given)"


def fourfold_law(
    x: NDArray[np.bool_], y: NDArray[np.bool_], cells: Cells, max_operations: float
) -> DiscreteNull | None:
    """The law of the common effect between two variables of two values each: Mantel and Haenszel's sum.

    How many rows have both is a sum of independent hypergeometric counts, one per cell. None where the
    convolution takes more operations than allowed.
    """
    n, a, b = (cells.sums(v.astype(np.float64)) for v in (np.ones(cells.n), x, y))
    low = np.maximum(0, a + b - n)
    lengths = (np.minimum(a, b) - low + 1).astype(np.int64)
    if float(np.sum(np.cumsum(lengths) * lengths)) > max_operations:
        return None
    law = np.ones(1)
    for k, size in enumerate(lengths):
        law = np.convolve(law, _hypergeometric(n[k], a[k], b[k], low[k] + np.arange(size)))
    both = low.sum() + np.arange(len(law)) - float(np.sum(a * b / n))
    scale = float(np.sum(a * (n - a) / n)) * float(np.sum(b * (n - b) / n))
    return _folded(both**2 / scale, law, "exact tables")


def _hypergeometric(n: float, a: float, b: float, both: Array) -> Array:
    def log_choose(top: float, part: Array) -> Array:
        return np.asarray(
            special.gammaln(top + 1) - special.gammaln(part + 1) - special.gammaln(top - part + 1)
        )

    logs = log_choose(a, both) + log_choose(n - a, b - both)
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def kendall_law(ties: list[tuple[int, tuple[int, ...], tuple[int, ...]]], scale: float) -> DiscreteNull:
    """The law of scale · (Σ S_h)²; strata by their rows and tie groups, tied in one variable at most."""
    law, largest = np.ones(1), 0.0
    for n, x_ties, y_ties in ties:
        values, probabilities = s_law(n, x_ties, y_ties)
        law = np.convolve(law, probabilities).astype(np.float64)
        largest += float(values[0])
    sums: Array = largest - 2.0 * np.arange(len(law), dtype=np.float64)
    return _folded(sums**2 * scale, law, "exact Kendall")


def arrangement_count(labels: NDArray[np.generic], cells: Cells) -> float:
    """In how many distinct ways the values can be arranged within their cells."""
    return round(exp(min(log_arrangements(labels, cells), 700.0)))


def log_arrangements(labels: NDArray[np.generic], cells: Cells) -> float:
    """The logarithm of that."""
    alike = np.unique(crossed(cells.codes, coded(labels)), return_counts=True)[1]
    return float(special.gammaln(cells.sizes + 1).sum() - special.gammaln(alike + 1).sum())


def enumerate_within(
    values_at: Callable[[NDArray[np.int32]], Array], labels: NDArray[np.generic], cells: Cells
) -> DiscreteNull:
    """The law over every distinct arrangement of a variable within its cells; `labels` are its values."""
    draws = [values_at(rows) for rows in _arrangements(labels, cells)]
    return _folded(np.concatenate(draws), np.ones(sum(map(len, draws))), "exact permutations")


def _arrangements(labels: NDArray[np.generic], cells: Cells) -> Iterator[NDArray[np.int32]]:
    """Every distinct arrangement, in chunks of rows of permutation indices."""
    identity = np.arange(cells.n, dtype=np.int32)[np.newaxis]
    waiting: Iterator[NDArray[np.int32]] = iter([identity])
    for rows in cells.rows:
        if len(rows) > 1:
            waiting = _with_cell(waiting, rows, coded(labels[rows]))
    yield from waiting


def _with_cell(
    parts: Iterator[NDArray[np.int32]], rows: NDArray[np.intp], codes: NDArray[np.int32]
) -> Iterator[NDArray[np.int32]]:
    """Every arrangement so far with every one of this cell."""
    for part in parts:
        arrangements = _native.Arrangements(codes)
        size = max(_CHUNK // (part.shape[1] * len(part)), 1)
        while len(local := arrangements.next(size, len(rows))):
            both = np.repeat(part, len(local), axis=0)
            both[:, rows] = np.tile(rows[local].astype(np.int32), (len(part), 1))
            yield both


def _folded(values: Array, weights: Array, engine: str) -> DiscreteNull:
    return DiscreteNull.folded(values, weights, engine=engine, reason="all permutations within the cells")
