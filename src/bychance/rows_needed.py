"""rows_needed(): the number of rows needed to detect an effect of a given size.

In:  an effect, a measure, the kinds of both columns, alpha and power.
Out: the smallest number of rows at which p falls below alpha with at least that power.

The threshold is the quantile of the null with the exact moments, for columns with normal scores or categories
of equal frequency. The measure's distribution under dependence is noncentral: F with a numeric column, chi²
with two categorical ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from bychance.errors import BychanceError
from bychance.estimate import adjust
from bychance.validation import number_within, one_of, whole_number

__all__ = ["rows_needed"]

_MEASURES = ("explained", "r2", "eta2", "goodman_kruskal", "phi2")
_FEWEST = 10  # rows, as `min_n` of rank
_MOST = 10_000_000  # rows, of which two columns take 160 MB
_PER_CELL = 5  # rows for each combination of categories, below which chi² is a poor approximation
_N_VARIANCES = 64  # quantiles of the variance of a normal column, over which the power is averaged

Kinds = tuple[str | int, str | int]


def rows_needed(
    effect: float,
    measure: str = "explained",
    kinds: Kinds = ("numeric", "numeric"),
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int:
    """Return the number of rows needed to detect an effect of this size with a given power.

    Parameters
    ----------
    effect : float
        The value of the measure in the population, between 0 and 1. For "explained" it is the share of the
        variation of y that x explains.
    measure : {"explained", "r2", "eta2", "goodman_kruskal", "phi2"}
        The measure.
    kinds : tuple
        Kinds of x and y, each "numeric" for a normal column, or a number of equally frequent categories.
    alpha : float
        The p-value up to which the effect counts as detected. For m pairs in a ranking of which few are
        related, about 0.05/m.
    power : float
        The probability of detecting it.

    Returns
    -------
    int
        Number of rows in which both columns have a value.

    Examples
    --------
    >>> import bychance as bc
    >>> bc.rows_needed(0.09)  # a correlation of 0.3
    84
    >>> bc.rows_needed(0.09, kinds=(4, "numeric"))
    115
    """
    number_within(power, "power", 1)
    design = _Design(
        number_within(effect, "effect", 1),
        one_of(measure, "measure", _MEASURES),
        _checked(kinds),
        number_within(alpha, "alpha", 1),
    )
    if not alpha < power < 1:
        raise BychanceError(
            f"`power` must lie between `alpha` and 1, got power={power!r}, alpha={alpha!r}.", "power"
        )
    if not design.effect_on_both < design.most:
        raise BychanceError(
            f"`effect` must be below {design.most * effect / design.effect_on_both:.3g} for kinds={kinds!r}, "
            f"got {effect!r}.",
            "effect",
        )
    low, high = design.fewest - 1, design.fewest
    while design.power(high) < power:
        low, high = high, 2 * high
        if low > _MOST:
            raise BychanceError(f"More than {_MOST:,} rows are needed for effect={effect!r}.", "effect")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if design.power(middle) >= power else (middle, high)
    return high


def _checked(kinds: object) -> Kinds:
    if not isinstance(kinds, tuple | list) or len(kinds) != 2:
        raise BychanceError(f'`kinds` must be two, as in ("numeric", 3), got {kinds!r}.', "kinds")
    for kind in kinds:
        if isinstance(kind, str):
            one_of(kind, "kinds", ("numeric",))
        elif whole_number(kind, "kinds") < 2:
            raise BychanceError(f'`kinds` must be "numeric" or at least 2 categories, got {kind!r}.', "kinds")
    return kinds[0], kinds[1]


@dataclass(frozen=True, slots=True)
class _Design:
    """Measure, kinds of both columns, population effect and test level of a power computation."""

    effect: float
    measure: str
    kinds: Kinds
    alpha: float

    @property
    def categories(self) -> list[int]:
        """Number of categories of each categorical column."""
        return [kind for kind in self.kinds if not isinstance(kind, str)]

    @property
    def fewest(self) -> int:
        """Smallest number of rows for which the power is computed."""
        return max(_FEWEST, _PER_CELL * prod(self.categories))

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the relation under test."""
        return prod(count - 1 for count in self.categories)

    @property
    def factor(self) -> float:
        """Factor from the measure to the sum of squared canonical correlations of both columns.

        It is m − 1 if y has m categories and the measure is a share of y's variation, else 1.
        """
        y = self.kinds[1]
        return 1 if isinstance(y, str) or self.measure == "phi2" else y - 1

    @property
    def effect_on_both(self) -> float:
        """Effect in the population as a sum of squared canonical correlations."""
        return self.effect * self.factor

    @property
    def most(self) -> int:
        """Largest possible sum of squared canonical correlations."""
        return min((count - 1 for count in self.categories), default=1) if len(self.categories) == 2 else 1

    def power(self, n: int) -> float:
        """Return the probability that n rows give a p-value of at most alpha."""
        x, y = (_column(kind, n) for kind in self.kinds)
        null = adjust(self.measure, x, y, null="moments").null
        threshold, effect = null.quantile(1 - self.alpha) * self.factor, self.effect_on_both
        if len(self.categories) == 2:
            return float(stats.ncx2.sf((n - 1) * threshold, self.degrees, (n - 1) * effect))
        if threshold >= 1:
            return 0.0
        residual = n - 1 - self.degrees
        ratio = threshold / (1 - threshold) * residual / self.degrees
        size = np.array([n]) if self.categories else _variances(n)
        return float(np.mean(stats.ncf.sf(ratio, self.degrees, residual, size * effect / (1 - effect))))


def _column(kind: str | int, n: int) -> NDArray[Any]:
    """Return n values of a simulated column: normal scores, or equally frequent categories."""
    if isinstance(kind, str):
        return np.asarray(stats.norm.ppf((np.arange(n) + 0.5) / n))
    return np.array([f"c{k}" for k in range(kind)])[np.arange(n) % kind]


def _variances(n: int) -> NDArray[np.float64]:
    """Return 64 equally probable values of the sum of squares of n normal values around their mean."""
    return np.asarray(stats.chi2.ppf((np.arange(_N_VARIANCES) + 0.5) / _N_VARIANCES, n - 1))
