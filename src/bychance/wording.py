"""Numbers in words: percentages, p-values, confidence limits, and sentences about a measure's value."""

from __future__ import annotations

import math
from typing import Any

from bychance.messages import LIMITS_OF_ROWS
from bychance.names import count_of, in_words
from bychance.scores import bound_of

__all__ = [
    "FOLLOW",
    "LESS",
    "bound_note",
    "caution_on_pair",
    "follow_in_words",
    "has_bound",
    "limits_in_words",
    "p_equals",
    "p_in_words",
    "percent",
    "percents",
    "probability",
    "says_how_much",
    "stated_probability",
    "summary_of",
]

FOLLOW = "more finely than what was taken out of them"
"""Phrase for columns that still depend on the covariates."""

# Measures whose adjusted value is a share of the variation of y.
_SHARES = {
    "explained": "",
    "r2": "",
    "eta2": "",
    "goodman_kruskal": "",
    "spearman": " of the variation in ranks",
}


LESS = "<"
"""The mark of a p-value that is only a bound."""

_NO_ROOM = "the upper bound does not exceed the null mean; adjusted is set to 0"
_ABOVE_BOUND = "the observed value exceeds the upper bound, so that adjusted means nothing"
_MOSTLY = 0.5  # share of the bound that chance gives, from which on a caution is added (taste)
_MUCH = 0.05  # mean by chance, from which on the raw and the adjusted value are both said (taste)
_CLOSE = 0.02  # distance of shares, or of one to 100%, below which they get another digit (taste)
_ROUNDING = 1e-9  # relative rounding error of sums
_TOO_LOW = "its upper bound is too low to adjust by"
_SAMPLED = ("monte carlo", "sequential")
_KINDS = {"exact": "exact", "matched": "by a matched distribution"}


def percent(share: float, digits: int = 0) -> str:
    """Format a share as a percentage, never 0% or 100% unless exactly so.

    >>> [percent(share) for share in (0.758, 0.034, 0.0003, 0.0, 0.9991, 0.9999, 1 - 1e-15, -0.004)]
    ['76%', '3.4%', 'under 0.1%', '0%', '99.9%', 'over 99.9%', '100%', '0%']
    """
    value = 100 * max(share, 0.0) if abs(share - 1) > _ROUNDING else 100.0
    digits = digits if 9.95 <= value <= 99.5 else 1
    if 0 < value < 0.05:
        return "under 0.1%"
    if 99.95 <= value < 100:
        return "over 99.9%"
    return f"{value:.{digits}f}%" if 0 < value < 100 else f"{value:.0f}%"


def percents(*shares: float) -> list[str]:
    """Format shares as percentages, with one digit more if they are close to each other or to 100%.

    >>> percents(0.849, 0.846, 0.853), percents(0.995, 0.994, 0.997), percents(0.21, 0.14, 0.29)
    (['84.9%', '84.6%', '85.3%'], ['99.5%', '99.4%', '99.7%'], ['21%', '14%', '29%'])
    >>> percents(0.15)
    ['15%']
    """
    is_close = len(shares) > 1 and max(shares) - min(shares) < _CLOSE
    is_close |= max(shares) > 1 - _CLOSE
    return [percent(share, 1 if is_close else 0) for share in shares]


def probability(value: float | None) -> str:
    """Format a p-value or q-value, small ones by their order of magnitude.

    >>> [probability(p) for p in (0.25, 0.00004, 0.0, None)]
    ['0.2500', '4e-05', '<1e-300', '—']
    """
    if value is None:
        return "—"
    if value >= 0.0001:
        return f"{value:.4f}"
    return f"{value:.0e}" if value > 0 else "<1e-300"


def stated_probability(value: float | None, kind: str | None) -> str:
    """Format a p-value with two digits if it was sampled, and rounded up behind "<" if it is a bound.

    >>> stated_probability(1e-8, "bound"), stated_probability(1e-8, "exact")
    ('<1e-08', '1e-08')
    >>> stated_probability(1 / 1600, "bound"), stated_probability(0.0281, "sequential")
    ('<0.00063', '0.028')
    """
    if value is None or not value > 0:
        return probability(value)
    if kind == "bound":
        step = 10.0 ** (math.floor(math.log10(value)) - 1)
        return f"{LESS}{math.ceil(value / step - _ROUNDING) * step:.2g}"
    return f"{value:.2g}" if kind in (*_SAMPLED, "splitting") else probability(value)


def p_equals(p_value: float, kind: str) -> str:
    """Write a p-value as an equation, or as an inequality if it is a bound.

    >>> p_equals(0.02, "exact"), p_equals(1e-6, "bound")
    ('p = 0.0200', 'p < 1e-06')
    """
    shown = stated_probability(p_value, kind)
    return f"p {LESS} {shown.removeprefix(LESS)}" if shown.startswith(LESS) else f"p = {shown}"


def p_in_words(
    p_value: float, kind: str, se: float, n_resamples: int | None = None, *, caveat: str = ""
) -> str:
    """Format a p-value with how it was computed, and the factor by which another seed may change it.

    >>> p_in_words(0.02, "exact", 0.0), p_in_words(4e-5, "matched", math.nan)
    ('p = 0.0200 (exact)', 'p = 4e-05 (by a matched distribution)')
    >>> p_in_words(1e-6, "bound", math.nan), p_in_words(0.005, "bound", math.nan, 199)
    ('p < 1e-06', 'p < 0.005: none of 199 permutations gave as much')
    >>> p_in_words(3e-9, "splitting", 0.1)
    'p = 3e-09, within a factor of 1.6'
    """
    shown = p_equals(p_value, kind)
    if kind == "bound":
        drawn = n_resamples or 0
        none_of = f": none of {count_of(drawn, 'permutation')} gave as much"
        return shown + (none_of if p_value * (drawn + 1) > 0.5 and drawn else "")
    if kind in _KINDS:
        return f"{shown} ({_KINDS[kind]}{caveat and f', approximate: {caveat}'})"
    precise = f", within a factor of {10 ** (2 * se):.2g}" if se > 0 else ""
    return f"{shown}{precise}" + (
        f" ({count_of(n_resamples or 0, 'permutation')})" if kind in _SAMPLED else ""
    )


def limits_in_words(limits: tuple[float, float], what: str = "") -> str:
    """Format two confidence limits in brackets after a space, or return "" if they are unknown.

    >>> limits_in_words((0.1, 0.2)), limits_in_words((math.nan, math.nan))
    (' (0.100 to 0.200)', '')
    """
    return "" if math.isnan(sum(limits)) else f" ({what}{limits[0]:.3f} to {limits[1]:.3f})"


def bound_note(observed: float, mean: float, bound: float) -> str:
    """Return a caution if the upper bound is below the observed value or at most the null's mean, else "".

    >>> bound_note(0.5, 0.1, 1.0), bound_note(7.0, 2.0, 1.0)[:38], bound_note(1.2, 0.1, 1.0)[:40]
    ('', 'the upper bound does not exceed the nu', 'the observed value exceeds the upper bou')
    """
    if not bound > mean:
        return _NO_ROOM
    return _ABOVE_BOUND if observed - bound > _ROUNDING * max(abs(bound), abs(mean)) else ""


def has_bound(observed: float, chance: float, adjusted: float) -> bool:
    """Return True if the bound of an adjustment exceeds chance and is not below the observed value.

    The bound is chance + (observed − chance) / adjusted. Adjusted is 0 if the bound does not exceed chance.

    >>> has_bound(0.5, 0.1, 0.44), has_bound(7.0, 2.0, 0.0), has_bound(1.2, 0.1, 1.22)
    (True, False, False)
    """
    if not adjusted:
        return observed == chance
    bound = bound_of(observed, chance, adjusted)
    return math.isnan(bound) or not bound_note(observed, chance, bound)


def says_how_much(
    measure: str,
    *,
    observed: float,
    chance: float,
    adjusted: float,
    limits: tuple[float, float] = (math.nan, math.nan),
    subject: str = "it",
    of: str = "",
    shape: str = "",
    rests: str = "",
) -> str:
    """Write how strong a relation is and what chance would give, such as "it explains 76%".

    `rests` names the little data that the value rests on. If confidence limits run from 0% to 100%, the
    sentence speaks of these rows only, and does not say that anything is explained.

    >>> says_how_much("explained", observed=0.759, chance=0.003, adjusted=0.758, limits=(0.74, 0.79))
    'it explains 76% (74% to 79%); by chance it would be 0.3%'
    >>> says_how_much("explained", observed=0.7, chance=0.45, adjusted=0.457, limits=(0.42, 0.49))
    'it explains 70%, where chance alone would give 45%; adjusted for chance 46% (42% to 49%)'
    >>> says_how_much("explained", observed=0.97, chance=0.05, adjusted=0.97, limits=(0.0, 1.0))
    'in these rows its share is 97%, and limits reach from 0% to 100%; by chance it would be 5.0%'
    >>> says_how_much("mi", observed=0.61, chance=0.03, adjusted=0.48)
    'mi is 0.610, by chance it would be 0.030; adjusted for chance it is 0.480, where 1 is the maximum'
    """
    if not has_bound(observed, chance, adjusted):
        return f"{measure} is {observed:.3f}, by chance it would be {chance:.3f}; {_TOO_LOW}"
    if measure in _SHARES:
        share, *ends = percents(adjusted, *(() if math.isnan(sum(limits)) else limits))
        within = f" ({' to '.join(ends)})" if {*ends} - {share} else ""
        what = f"{of}{_SHARES[measure]}"
        if ends in (["0%", "100%"], ["0%", "over 99.9%"]):
            its = "its" if subject == "it" else f"{subject}'s"
            raw = f"in these rows {its} share{what} is {percent(observed)}{rests}"
            return (
                f"{raw}, and limits reach from {' to '.join(ends)}; by chance it would be {percent(chance)}"
            )
        if chance >= _MUCH:
            raw = f"{subject} explains {percent(observed)}{what}{shape}, where chance alone would give"
            return f"{raw} {percent(chance)}; adjusted for chance {share}{within}{rests}"
        told = f"{subject} explains {share}{what}{within}{shape}{rests}"
        return f"{told}; by chance it would be {percent(chance)}"
    return (
        f"{measure} is {observed:.3f}, by chance it would be {chance:.3f}; adjusted for chance it is "
        f"{adjusted:.3f}{limits_in_words(limits)}, where 1 is the maximum"
    )


def caution_on(chance: float, bound: float) -> str:
    """Return a caution if the chance level is most of the largest possible value, else "".

    >>> caution_on(0.2, 1.0), caution_on(0.95, 1.0)[:46]
    ('', 'caution: chance alone gives 95% of the maximum')
    """
    if chance < _MOSTLY * bound:
        return ""
    return (
        f"caution: chance alone gives {percent(chance / bound)} of the maximum, as with few rows or a "
        "category for almost every row; adjusted rests on the little that is left"
    )


def caution_on_pair(observed: float, chance: float, adjusted: float) -> str:
    """Return a caution if a pair's chance level is most of the measure's largest possible value, else ""."""
    return caution_on(chance, bound_of(observed, chance, adjusted)) if adjusted > 0 else ""


def follow_in_words(covariates: tuple[str, ...]) -> str:
    """Return a caution that both columns of a pair still depend on their covariates.

    >>> follow_in_words(("day",))
    'both columns follow day more finely than what was taken out of them: the answer may be too large'
    """
    return f"both columns follow {in_words(covariates)} {FOLLOW}: the answer may be too large"


def summary_of(estimate: Any) -> str:
    """Format an `Estimate` as one sentence to cite. `Estimate.summary` has an example."""
    if math.isnan(estimate.observed):
        return f"{estimate.measure} is unknown: {estimate.note}."
    measured = f"{estimate.measure} = {estimate.observed:.3f} on {estimate.n:,} rows"
    if estimate.given is not None:
        measured += f", {estimate.given}"
    null = estimate.null
    if null.is_degenerate and estimate.p_value == 1:
        return f"{measured}, which says nothing about dependence: {estimate.note}."
    caution = caution_on(null.mean, estimate.bound) if estimate.adjusted > 0 else ""
    limits = LIMITS_OF_ROWS if estimate.has_doubtful_limits else ""
    given = estimate.given
    follow = follow_in_words(given.columns) if given is not None and given.still_follow else ""
    caution = "; ".join(filter(None, (caution, limits, follow)))
    p = p_in_words(
        estimate.p_value,
        estimate.p_kind,
        estimate.p_se,
        null.n_resamples,
        caveat=null.caveat,
    )
    adjusted = (
        f"adjusted for chance {estimate.adjusted:.3f}{limits_in_words(estimate.interval(), '95% limits ')}, "
        "where 0 is chance and 1 the maximum"
    )
    if not has_bound(estimate.observed, null.mean, estimate.adjusted):
        adjusted, caution = f"{_TOO_LOW}: {estimate.bound:g}", ""
    return (
        f"{measured}, where chance alone would give {null.mean:.3f}; {adjusted}; "
        f"{p}.{caution and f' {caution[0].upper()}{caution[1:]}.'}"
    )
