"""measure() and adjust(): a dependency measure of one pair of arrays, raw or adjusted for chance.

In:  a measure (name, object or function), two arrays, a null and a bound.
Out: a number, or an Estimate with its null, its three adjustments and their standard errors.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

import numpy as np

from bychance.covariates.covariates import read_covariates
from bychance.covariates.pair import prepare_given
from bychance.covariates.settings import Controlled
from bychance.errors import BychanceWarning, MeasureError
from bychance.gpu.device import check_device
from bychance.io.infer import read_argument
from bychance.kinds import Kind, PairKind
from bychance.measures import Measure, registry
from bychance.messages import LIMITS_OF_ROWS
from bychance.nulls.base import DegenerateNull, Null, PValue, null_svg
from bychance.nulls.choose import NULL_NAMES, NullSpec, choose_null
from bychance.nulls.permutation import Permutation, tails_of
from bychance.nulls.sample import SampleNull
from bychance.nulls.sequential import SamplePlan, Stated, needs_tail, sample_null
from bychance.nulls.splitting import split_tail, tail_pair
from bychance.pair import Pair, prepare_pair
from bychance.scores import adjust_at, scores
from bychance.validation import Seed, answers_expected_words, number_within, one_of, root_seed
from bychance.wording import bound_note, summary_of

__all__ = [
    "NO_OTHER",
    "NO_QUANTILE",
    "NO_SPREAD",
    "Estimate",
    "MeasureLike",
    "adjust",
    "estimate_with",
    "evaluate",
    "known_without_null",
    "measure",
]

_LEVEL = 0.05  # p-value at which pairs are decided (default of `fdr_level` in `rank`)
_ALL_PERMUTATIONS = Permutation()
MeasureLike = str | Measure[Any] | Callable[[Any, Any], float]

CONSTANT = "a column is constant, or every value is unique"
NO_CHOICE = "every permutation gives the same value"
NO_OTHER = "every permutation drawn gave the same value"
NO_SPREAD = "all permutations gave the same value, so the standardized score is unknown; draw more"
NO_QUANTILE = "adjusted_at is the observed value less the bound"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Dependency estimate of one pair, with its null distribution, adjusted values and p-value.

    Attributes
    ----------
    measure : str
        Name of the measure.
    n : int
        Number of rows in which both variables have a value.
    observed : float
        The raw estimate.
    bound : float
        The largest value it can take.
    adjusted : float
        The share of the way from chance to the bound: 0 is chance, 1 the maximum.
    standardized : float
        Distance from chance in null standard deviations.
    p_value : float
        Probability of a value at least as large under independence.
    p_kind : str
        How it was computed: "exact", "monte carlo", "sequential", "splitting", "matched", or "bound" if
        p is at most this.
    p_se : float
        Standard error of log10(p_value): 0 if it is exact, NaN if it is not known.
    sign : int or None
        Direction of the relation, if the measure has one.
    null : Null
        The distribution under independence: mean, std, quantile(p), sf(d), engine, reason.
    adjusted_se, standardized_se : float
        Monte Carlo standard errors, 0 if the null is exact.
    note : str
        A caveat, such as a constant column.
    has_doubtful_limits : bool
        True if permutations kept groups or blocks of rows together, which the 95% confidence
        limits ignore.
    pair : Pair or None
        The two variables, from which `interval` computes confidence limits.
    given : Controlled or None
        Record of the covariates and how well they were controlled, if any were given.
    """

    measure: str
    n: int
    observed: float
    bound: float
    adjusted: float
    standardized: float
    p_value: float
    p_kind: str
    p_se: float
    sign: int | None
    null: Null = field(repr=False)
    adjusted_se: float = 0.0
    standardized_se: float = 0.0
    note: str = ""
    has_doubtful_limits: bool = False
    given: Controlled | None = None
    pair: Pair | None = field(default=None, repr=False, compare=False)

    @property
    def device(self) -> str:
        """Device that sampled the null: "cpu" or "cuda"."""
        return self.null.device

    @property
    def adjusted_low(self) -> float:
        """Lower 95% confidence limit of `adjusted`, the estimate adjusted for chance."""
        return self.interval()[0]

    @property
    def adjusted_high(self) -> float:
        """Upper 95% confidence limit of `adjusted`, the estimate adjusted for chance."""
        return self.interval()[1]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return confidence limits of `adjusted`, the estimate adjusted for chance, in the population.

        They have a closed form for explained, r2, spearman, eta2, gini, goodman_kruskal, mi, phi2 and
        cramers_v. For other measures they come from 200 random halves of the rows, drawn by the seed of
        `adjust`. They are NaN with covariates or too few rows. The lower limit is at most 0 if the p-value is
        above 1 − level (docs/concepts.md).

        >>> import bychance as bc
        >>> low, high = bc.adjust("r2", [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 6, 5, 8, 7]).interval()
        >>> round(low, 2), round(high, 2)
        (0.57, 0.91)
        """
        if not 0 < number_within(level, "level", 1) < 1:
            raise ValueError(f"`level` must lie in (0, 1), got {level!r}.")
        if self.pair is None or self.given is not None:
            return math.nan, math.nan
        return self.pair.sample().limits(
            observed=self.observed,
            adjusted=self.adjusted,
            null_mean=self.null.mean,
            null_std=self.null.std,
            bound=self.bound,
            p_value=self.p_value,
            level=level,
        )

    def adjusted_at(self, alpha: float) -> float:
        """Return the raw value minus the null's (1 − alpha)-quantile. Small alphas favor larger samples.

        S permutations have no quantile for alpha < 1/(S + 1): the bound replaces it, with a warning.
        """
        number_within(alpha, "alpha", 1)
        if math.isnan(self.observed):
            return math.nan
        if doubt := self.null.doubt_at(alpha):
            warnings.warn(f"{doubt}; {NO_QUANTILE}.", BychanceWarning, stacklevel=2)
        return adjust_at(self.observed, self.null.quantile(1 - alpha))

    def summary(self) -> str:
        """Return one sentence to cite: the estimate, its mean by chance, the adjusted value and the p-value.

        >>> import bychance as bc
        >>> bc.adjust("r2", [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]).summary()
        'r2 = 0.687 on 6 rows, where chance alone would give 0.200; adjusted for chance 0.608 (95% limits ...
        """
        return summary_of(self)

    def _repr_html_(self) -> str:
        picture = null_svg(self.null, self.observed, self.measure)
        return f"<p>{escape(self.summary())}</p>{picture}"

    def adjusted_at_se(self, alpha: float) -> float:
        """Return the Monte Carlo standard error of adjusted_at(alpha), or NaN if permutations are too few."""
        number_within(alpha, "alpha", 1)
        return self.null.quantile_se(1 - alpha)


@answers_expected_words()
def measure(measure: MeasureLike, x: Any, y: Any, *, given: Any = None) -> float:
    """Compute a dependency measure, unadjusted, on the rows in which both variables have a value.

    Parameters
    ----------
    measure : str, Measure or callable
        A name of `list_measures()`, a measure object, or any function f(x, y) -> float.
    x, y : array-like
        One-dimensional, of equal length. NaN, None and NA are missing.
    given : array-like, list or dict of them, frame or Given, optional
        Covariates to control for.

    Returns
    -------
    float
        The estimate, or NaN if fewer than three rows are shared.

    Examples
    --------
    >>> import bychance as bc
    >>> bc.measure("r2", [1, 2, 3, 4], [1, 3, 2, 4])
    0.64...
    """
    pair = _prepared(registry.resolve(measure), x, y, given)
    if pair.too_few:
        return math.nan
    return 0.0 if pair.undetermined else pair.observed


@answers_expected_words()
def adjust(
    measure: MeasureLike,
    x: Any,
    y: Any,
    *,
    given: Any = None,
    null: NullSpec = "auto",
    bound: float | str | None = None,
    rng: Seed = 0,
    device: str = "cpu",
    progress: bool = False,
) -> Estimate:
    """Estimate a dependency measure and adjust it for chance.

    Parameters
    ----------
    measure : str, Measure or callable
        A name of `list_measures()`, a measure object, or any function f(x, y) -> float.
    x, y : array-like
        One-dimensional, of equal length. NaN, None and NA are missing. Rows in which either is missing are
        left out.
    given : array-like, list or dict of them, frame or Given, optional
        Covariates to control for: the estimate is what x says about y beyond them. `bc.Given` sets how to
        control them. Rows in which any of them is missing are left out.
    null : str, Auto or Permutation
        "auto" (the cheapest null whose p-values are valid), "paper", "moments", "exact", "normal",
        "multinomial", `bc.Auto(tails=…, cap=…)` or `bc.Permutation(n_resamples=…)`.
    bound : float or str, optional
        The largest value, instead of the measure's own: a number, or a name such as "arithmetic" for "mi".
    rng : int, SeedSequence, Generator or None
        Seed of the Monte Carlo nulls: same seed, same answer. None samples anew in every call.
    device : {"cpu", "cuda", "auto"}
        Device that samples the null, as for `rank`. `Estimate.device` says which was used.
    progress : bool
        Show a progress bar on stderr if sampling takes more than two seconds.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.random(12), rng.random(12)
    >>> r = bc.adjust("r2", x, y)
    >>> round(r.observed, 3), round(r.null.mean, 3), round(r.adjusted, 3)
    (0.0..., 0.091, -0.0...)
    """
    resolved = registry.resolve(measure)
    one_of(null, "null", NULL_NAMES, Permutation)
    pair = _prepared(resolved, x, y, given, bound=bound, root=root_seed(rng), progress=progress)
    if device != "cpu":
        pair = replace(pair, device=check_device(device, has_covariates=given is not None))
    return evaluate(pair, null)


def _prepared(measure: Measure[Any], x: Any, y: Any, given: Any, **options: Any) -> Pair:
    """Read two array-likes as columns and prepare the pair, given covariates if there are any."""
    if _are_reordered(x, y):
        told = "`x` and `y` have the same index in another order; rows are paired by position, not by index"
        warnings.warn(told, BychanceWarning, stacklevel=4)
    read = [read_argument(values, name) for values, name in ((x, "x"), (y, "y"))]
    for column, said in read:
        # Measures of one kind say themselves that they take no categories.
        if said is not None and (column.kind is Kind.NUMERIC or measure.kinds is PairKind.ANY):
            warnings.warn(said, BychanceWarning, stacklevel=4)
    (first, _), (second, _) = read
    if given is None:
        return prepare_pair(measure, first, second, **options)
    return prepare_given(measure, first, second, read_covariates(given, len(first)), **options)


def _are_reordered(x: Any, y: Any) -> bool:
    """Return True if two pandas series have the same index labels in a different order."""
    first, second = getattr(x, "index", None), getattr(y, "index", None)
    if first is None or second is None or not (hasattr(first, "equals") and hasattr(second, "equals")):
        return False
    if first.equals(second) or len(first) != len(second):
        return False
    return bool(first.is_unique and second.is_unique and first.isin(second).all())


def evaluate(pair: Pair, null: NullSpec) -> Estimate:
    """Return the `Estimate` of a pair under the requested null (degenerate cases: docs/conventions.md)."""
    if (known := known_without_null(pair)) is not None:
        return known
    chosen = choose_null(null, pair)
    if not isinstance(chosen, SamplePlan):
        return _with_tail(pair, estimate_with(pair, chosen), _ALL_PERMUTATIONS, null)
    estimate = estimate_with(pair := chosen.pair_for(pair), sample_null(chosen, pair))
    if chosen.settings.is_restricted and pair.given is None and not estimate.null.is_degenerate:
        estimate = replace(_noted(estimate, LIMITS_OF_ROWS), has_doubtful_limits=True)
    return _with_tail(pair, estimate, chosen.settings, null) if chosen.settings.is_adaptive else estimate


def _with_tail(pair: Pair, estimate: Estimate, settings: Permutation, spec: NullSpec) -> Estimate:
    """Recompute an estimate's p-value by multilevel splitting if it is too small to sample."""
    stated = _stated(estimate)
    if not stated.can_be_finer[0] or (tails := tails_of(spec)) == "none":
        return estimate
    if tails == "open" and not needs_tail(stated, np.empty(0), _LEVEL, 1.0, settings.cap)[0]:
        return estimate
    tail = split_tail(tail_pair(pair, settings, estimate.null.std))
    if not tail.is_finer(estimate.p_value):
        return estimate
    p = tail.p_value
    return _noted(replace(estimate, p_value=p.value, p_kind=p.kind, p_se=p.se), tail.caveat)


def _stated(estimate: Estimate) -> Stated:
    """Return the estimate's p-value, matched p-value, exceedances and number of draws, each in an array."""
    null, matched, drawn = estimate.null, math.nan, (-1, -1)
    if isinstance(null, SampleNull):
        drawn = null.exceedances(estimate.observed), len(null.draws)
    elif estimate.p_kind == "bound":
        matched = null.sf(estimate.observed)
    k, size = (np.array([count], dtype=np.int64) for count in drawn)
    return Stated(np.array([estimate.p_value]), np.array([matched]), k, size)


def _noted(estimate: Estimate, note: str) -> Estimate:
    return replace(estimate, note="; ".join(filter(None, (estimate.note, note))))


def known_without_null(pair: Pair) -> Estimate | None:
    """Return the estimate of a pair with too few rows or a constant column, for which no null is needed."""
    if pair.too_few:
        return _without_null(pair, math.nan, pair.too_few)
    if pair.undetermined:
        return _without_null(pair, 0.0, pair.undetermined)
    return _without_null(pair, _observed_if_any(pair), CONSTANT) if pair.is_degenerate else None


def estimate_with(pair: Pair, null: Null) -> Estimate:
    """Compute the pair's estimate, with adjusted values and p-value, under this null."""
    observed, bound = pair.observed, pair.bound
    found = scores(observed, bound, null.mean, null.std, null.mean_se)
    if found.is_same:
        return _without_null(pair, observed, NO_CHOICE if null.n_resamples is None else NO_OTHER)
    p = null.p_value(observed)
    if p.value < null.ends_at:
        p = PValue.bound(null.ends_at)
    notes = pair.note, bound_note(observed, null.mean, bound), "" if found.has_spread else NO_SPREAD
    return Estimate(
        measure=pair.measure.name,
        n=pair.n,
        observed=observed,
        bound=bound,
        adjusted=float(found.adjusted),
        standardized=float(found.standardized),
        p_value=p.value,
        p_kind=p.kind,
        p_se=p.se,
        sign=pair.sign,
        null=null,
        adjusted_se=float(found.adjusted_se),
        standardized_se=null.standardized_se(observed) if found.has_spread else math.nan,
        note="; ".join(filter(None, notes)),
        pair=pair,
        given=pair.given,
    )


def _observed_if_any(pair: Pair) -> float:
    """Return the pair's raw value, or NaN if a user's measure fails on it."""
    try:
        return pair.observed
    except MeasureError:
        return math.nan


def _without_null(pair: Pair, observed: float, note: str) -> Estimate:
    """Return the estimate for a null with a single value: all adjustments are 0 and p is 1.

    With too few rows nothing is known (docs/conventions.md).
    """
    is_known = not pair.too_few
    zero, one = (0.0, 1.0) if is_known else (math.nan, math.nan)
    return Estimate(
        measure=pair.measure.name,
        n=pair.n,
        observed=observed,
        bound=pair.bound if is_known else math.nan,
        adjusted=zero,
        standardized=zero,
        p_value=one,
        p_kind="exact" if is_known else "",
        p_se=zero,
        sign=pair.sign if is_known else None,
        null=DegenerateNull(mean=observed, reason=note),
        note="; ".join(filter(None, (pair.of_rows, note))),
        given=pair.given,
    )
