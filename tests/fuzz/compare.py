"""Differences between a result of bychance and the exact distribution.

- Every engine: the observed value and the bound are right to nine digits of the law's scale; p lies in
  [0, 1]; if all permutations give one value, p is 1 and all adjustments are 0 (docs/conventions.md).
- Exact: p, mean, SD, quantiles and adjustments equal the law's, p to 1e-9 relative. Atoms closer than
  `Law.near` may count as tied with the observed one, never as below it.
- Monte Carlo with S draws: p·(S + 1) − 1 is a binomial count, and must lie within its limits at 1e-9 per
  side; the mean within Hoeffding's limit at 1e-9. Of 5,000 runs of 100,000 calls one raises a false alarm.
- Laws matched to moments: mean and SD are the exact ones (`cramers_v` aside, whose moments are integrals of
  the law). If the law has few atoms, p may not be below half the exact one while that exceeds .01: at an
  atom a continuous law must miss about half of it, and no more. Below .01 p may not be under the square of
  the exact one, so that no atom of 1 in 500 reads as 1 in a million. At the least value of a table with two
  rows or columns p is 1: there the least value follows from the totals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scipy import stats

from tests.fuzz.law import Law
from tests.fuzz.permutations import Answer

P_ERROR = 1e-9
ALPHAS = (0.05, 0.3, 0.5, 1.0)
RATE = 1e-9  # of false alarms, per side of a Monte Carlo limit
CLEAR = 0.01  # exact p-values above this may be halved by a matched distribution, at most
_MOMENT_ERROR = 1e-7


@dataclass(frozen=True)
class Asked:
    """The parts of a call that decide by which rule it is judged.

    `draws`: number of permutations if it samples, also if all of them turned out equal.
    `has_few_atoms`: a matched distribution must hold at single atoms; `is_binary`: also at the least.
    """

    measure: str
    null: str
    draws: int | None = None
    has_few_atoms: bool = True
    is_binary: bool = False


def differences(result: Any, answer: Answer, asked: Asked) -> list[str]:
    """Return the faults of an Estimate, in a few words each."""
    law = answer.law
    found = [*_sound(result, answer)]
    if law.is_degenerate:
        return [*found, *_degenerate(result, law)]
    found += p_differences(result.p_value, result.null.n_resamples, result.null.engine, answer, asked)
    rule = _rule(result.null.n_resamples, result.null.engine, law, asked)
    if rule == "sampled" and result.null.n_resamples is not None:
        found += _sampled_mean(result, law)
    elif rule == "exact":
        found += [*_moments(result, answer, P_ERROR), *_quantiles(result, answer)]
    elif rule == "matched" and asked.measure != "cramers_v":
        found += _moments(result, answer, _MOMENT_ERROR)
    return found


def p_differences(p: float, n_resamples: int | None, engine: str, answer: Answer, asked: Asked) -> list[str]:
    """Return the faults of a p-value alone, as a row of a ranking has it."""
    if not 0 <= p <= 1:
        return [f"p is {p!r}, outside [0, 1]"]
    if answer.law.is_degenerate:
        return [] if p == 1 else [f"every permutation gives one value, so p must be 1, got {p!r}"]
    rule = _rule(n_resamples, engine, answer.law, asked)
    if rule == "sampled":
        return [*_monte_carlo(p, n_resamples or asked.draws or 0, answer)]
    if rule == "exact":
        return [*_exact_p(p, answer)]
    return [*_matched_p(p, answer, asked.is_binary)] if asked.has_few_atoms else []


def _rule(n_resamples: int | None, engine: str, law: Law, asked: Asked) -> str:
    if n_resamples is not None or (engine == "degenerate" and asked.draws):
        return "sampled"
    if engine == "degenerate" and asked.null == "moments" and law.std <= _MOMENT_ERROR * law.scale:
        return "matched"  # a variance below rounding
    return "exact" if engine.startswith("exact") or engine == "degenerate" else "matched"


def _is_off(found: float, wanted: float, allowed: float) -> bool:
    return not abs(found - wanted) <= allowed  # NaN is off too


def _sound(result: Any, answer: Answer) -> Iterator[str]:
    law = answer.law
    wanted, allowed = float(law.values[answer.index]), 1e-9 * max(law.scale, abs(answer.bound))
    if _is_off(result.observed, wanted, allowed):
        yield f"observed is {result.observed!r}, must be {wanted!r}"
    if _is_off(result.bound, answer.bound, allowed):
        yield f"bound is {result.bound!r}, must be {answer.bound!r}"


def _degenerate(result: Any, law: Law) -> Iterator[str]:
    wanted = dict(p_value=1.0, adjusted=0.0, standardized=0.0)
    for name, value in wanted.items():
        if getattr(result, name) != value:
            found = getattr(result, name)
            yield f"every permutation gives one value, so {name} must be {value:g}, got {found!r}"
    if _is_off(result.adjusted_at(0.05), 0.0, 1e-9 * law.scale):
        yield f"every permutation gives one value, so adjusted_at must be 0, got {result.adjusted_at(0.05)!r}"


def _exact_p(p: float, answer: Answer) -> Iterator[str]:
    exact, lenient = answer.law.p_value(answer.index), answer.law.lenient_p(answer.index)
    if not exact * (1 - P_ERROR) <= p <= lenient * (1 + P_ERROR):
        yield f"p is {p!r}, must be {exact!r}" + (f" to {lenient!r}" if lenient != exact else "")


def _monte_carlo(p: float, size: int, answer: Answer) -> Iterator[str]:
    exact, lenient = answer.law.p_value(answer.index), answer.law.lenient_p(answer.index)
    low, high = stats.binom.ppf(RATE, size, exact), stats.binom.isf(RATE, size, lenient)
    if not low <= round(p * (size + 1)) - 1 <= high:
        yield f"p of {size} draws is {p!r}, must be about {exact!r}: {(low + 1) / (size + 1):.4g} at least"


def _sampled_mean(result: Any, law: Law) -> Iterator[str]:
    width = float(law.values[-1] - law.values[0])
    allowed = width * math.sqrt(math.log(2 / RATE) / (2 * result.null.n_resamples)) + 1e-9 * law.scale
    if _is_off(result.null.mean, law.mean, allowed):
        yield f"the sample's mean is {result.null.mean!r}, must be about {law.mean!r}"


def _moments(result: Any, answer: Answer, error: float) -> Iterator[str]:
    law, null, bound = answer.law, result.null, answer.bound
    size = error * law.scale
    if _is_off(null.mean, law.mean, size):
        yield f"the null mean is {null.mean!r}, must be {law.mean!r}"
    if _is_off(null.std, law.std, size):
        yield f"the null SD is {null.std!r}, must be {law.std!r}"
    observed, room = float(law.values[answer.index]), bound - law.mean
    if law.std > size:
        z = (observed - law.mean) / law.std
        if _is_off(result.standardized, z, 2 * size / law.std * (1 + abs(z)) + error):
            yield f"standardized is {result.standardized!r}, must be {z!r}"
    if room > size:
        adjusted = (observed - law.mean) / room
        if _is_off(result.adjusted, adjusted, 2 * size / room * (1 + abs(adjusted)) + error):
            yield f"adjusted is {result.adjusted!r}, must be {adjusted!r}"


def _quantiles(result: Any, answer: Answer) -> Iterator[str]:
    law, observed = answer.law, float(answer.law.values[answer.index])
    for alpha in ALPHAS:
        low, high = (observed - law.quantile(min(max(1 - alpha + d, 0), 1)) for d in (P_ERROR, -P_ERROR))
        found, size = result.adjusted_at(alpha), 1e-9 * law.scale
        if not low - size <= found <= high + size:
            yield f"adjusted_at({alpha}) is {found!r}, must be {high!r}"


def _matched_p(p: float, answer: Answer, is_binary: bool) -> Iterator[str]:
    exact = answer.law.p_value(answer.index)
    if answer.index == 0 and is_binary:
        if p < 1 - P_ERROR:
            yield f"p is {p!r} at the least possible value, must be 1"
    elif p < (exact / 2 if exact > CLEAR else exact**2):
        yield f"p of a matched distribution is {p!r}, exact is {exact!r}"
