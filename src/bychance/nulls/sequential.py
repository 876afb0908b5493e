"""When to stop sampling: rounds for the pairs of a table, and Besag and Clifford's rule for a single pair.

In:  how many of the first S draws of each pair's null reach its observed value.
Out: which pairs need more draws, and p-values that say what kind of number they are.

Of a table, pairs whose p-value already decides whether they are discoveries stop: Clopper–Pearson limits of
every p-value, and Benjamini–Hochberg over the lower and over the upper ones; where both agree the decision
is made (after Gandy and Hahn 2014). Decisions fall between rounds only, so that they depend neither on
threads nor on blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.nulls.base import PValue
from bychance.nulls.laws import tolerance
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import SampleNull, monte_carlo_se

__all__ = [
    "ENOUGH",
    "FEW_EXCEEDANCES",
    "discovery_threshold",
    "first_size",
    "limits_of_p",
    "next_size",
    "sample_until_known",
    "sample_until_precise",
    "undecided",
]

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

ENOUGH = 999  # draws of every pair that matters: its quantile is then worth about 3,400 plain draws
FEW_EXCEEDANCES = 10  # fewer leave a p-value too coarse: splitting goes on from there
_FIRST, _PER_TAIL = 199, 10
_FIRST_PRECISE, _LAST_PRECISE = 99, 102_399  # where precision decides: S + 1 doubles from 100
_ERROR = 0.1 / 7  # how often the limits of one pair may miss its p-value in one of at most seven rounds


def first_size(alpha: float, cap: int) -> int:
    """Draws of the first round: at least ten beyond the quantile that is asked for.

    >>> first_size(0.05, 9_999), first_size(0.01, 9_999), first_size(0.001, 999)
    (199, 999, 999)
    """
    return min(cap, max(_FIRST, math.ceil(round(_PER_TAIL / alpha, 9)) - 1))


def next_size(size: int, cap: int) -> int:
    """Draws after the next round: S + 1 doubles up to the cap.

    >>> next_size(199, 9_999), next_size(6_399, 9_999)
    (399, 9999)
    """
    return min(2 * size + 1, cap)


def limits_of_p(exceedances: Counts, sizes: Counts) -> tuple[Array, Array]:
    """Clopper–Pearson limits of p-values.

    >>> low, high = limits_of_p(np.array([0, 10]), np.array([199, 199]))
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, 0.02], [0.0245, 0.1015])
    """
    # Many pairs have the same counts.
    counts, of_pair = np.unique(exceedances + sizes * 1j, return_inverse=True)
    k, size = counts.real, counts.imag
    low = special.betaincinv(np.maximum(k, 1), size - k + 1, _ERROR / 2)
    high = special.betaincinv(k + 1, np.maximum(size - k, 1), 1 - _ERROR / 2)
    return np.where(k == 0, 0.0, low)[of_pair], np.where(k == size, 1.0, high)[of_pair]


def discovery_threshold(p_values: Array, level: float, factor: float) -> float:
    """The largest p-value that is a discovery at this false discovery rate; −1 where there is none.

    `factor` is 1 for Benjamini–Hochberg and Σ 1/k for Benjamini–Yekutieli; NaN is no test.
    """
    ordered = np.sort(p_values)
    ordered = ordered[: np.searchsorted(ordered, np.inf)]
    ranks = np.arange(1, len(ordered) + 1)
    passed = np.flatnonzero(ordered <= ranks * (level / (factor * max(len(ordered), 1))))
    return float(ordered[passed[-1]]) if len(passed) else -1.0


def undecided(low: Array, high: Array, known: Array, level: float, factor: float) -> NDArray[np.bool_]:
    """Which of the pairs with these limits are discoveries by their lower limits and not by their upper ones.

    `known` are the p-values of pairs that need no draws.
    """
    lower = discovery_threshold(np.concatenate([low, known]), level, factor)
    upper = discovery_threshold(np.concatenate([high, known]), level, factor)
    is_undecided: NDArray[np.bool_] = (low <= lower) & (high > upper)
    return is_undecided


def sample_until_known(
    source: Callable[[int], Array], observed: float, std: float | None, cap: int, alpha: float
) -> tuple[Array, PValue]:
    """The draws of one pair, until ten of them reach the observed value, and its p-value.

    With S₀ = 999 draws (more for a small alpha) of which ten or more reach it, p = (k + 1)/(S₀ + 1).
    Otherwise draws go on to the tenth that does, at draw T: p = 10/T (Besag and Clifford 1991), or to the
    cap. Either way P(p ≤ a) ≤ a under independence. `std` is that of the null, where it is known exactly.
    """
    size = min(cap, max(ENOUGH, first_size(alpha, cap)))
    draws = source(size)
    least = observed - tolerance(observed, float(np.std(draws)) if std is None else std)
    count = int(np.sum(draws >= least))
    is_first = True
    while count < FEW_EXCEEDANCES and size < cap:
        size, is_first = next_size(size, cap), False
        draws = source(size)
        count = int(np.sum(draws >= least))
    if is_first or count < FEW_EXCEEDANCES:
        p = (count + 1) / (size + 1)
        return draws, PValue(p, "monte carlo", float(monte_carlo_se(count, size)))
    last = int(np.flatnonzero(draws >= least)[FEW_EXCEEDANCES - 1]) + 1
    return draws, PValue(FEW_EXCEEDANCES / last, "monte carlo", 1 / math.log(10) / math.sqrt(FEW_EXCEEDANCES))


def sample_until_precise(
    source: Callable[[int], Array], settings: Permutation, observed: float, bound: float, reason: str
) -> SampleNull:
    """A null of as many draws as the settings' precision needs, and at most 102,399."""
    size = _FIRST_PRECISE
    while True:
        null = SampleNull.of(source(size), bound=bound, reason=reason)
        if null.std > 0 and _is_precise(null, settings, observed, bound):
            return null
        if null.is_degenerate and abs(observed - null.mean) <= tolerance(observed, 0.0):
            return null
        if size == _LAST_PRECISE:
            return SampleNull.of(source(size), bound=bound, reason=f"{reason}; the precision was not reached")
        size = 2 * size + 1


def _is_precise(null: SampleNull, settings: Permutation, observed: float, bound: float) -> bool:
    if null.doubt_at(settings.alpha):
        return False
    z = (observed - null.mean) / null.std
    room = bound - null.mean
    share_error = abs(bound - observed) / room / math.sqrt(len(null.draws)) if room > 0 else 0.0
    quantile_error = null.quantile_se(1 - settings.alpha) / null.std
    standardized_error = null.standardized_se(observed) / max(1.0, abs(z))
    return max(share_error, quantile_error, standardized_error) <= settings.rtol
