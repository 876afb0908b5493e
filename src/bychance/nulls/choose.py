"""Which null for which measure on which data: the only place that decides.

In:  what was asked for (a name or settings), a measure and two prepared variables.
Out: a Null with its engine and the reason for it.

"auto" takes the cheapest engine whose level is right: an exact law where that is cheap, else a law matched
to exact moments where the rules of validity hold, else Monte Carlo.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import lru_cache
from math import exp
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError, CostError, NullError
from bychance.measures.structures import (
    NormalTheory,
    TraceForm,
)
from bychance.messages import Option
from bychance.nulls.arrangements import log_fewest_arrangements
from bychance.nulls.base import Null, RootNull
from bychance.nulls.distributions import as_null
from bychance.nulls.draws import draw_source
from bychance.nulls.exact import cheap_exact, exact_law
from bychance.nulls.matching import Match, cantelli_gains, match_structure, multinomial_gains, normal_theory
from bychance.nulls.moments import cheap_mean
from bychance.nulls.permutation import Permutation
from bychance.nulls.sample import SampleNull
from bychance.nulls.sequential import sample_until_known, sample_until_precise
from bychance.pair import Pair

__all__ = [
    "MANY_ROWS",
    "NULL_NAMES",
    "Auto",
    "ChoosesNull",
    "NullSpec",
    "SamplePlan",
    "auto_settings",
    "choose_null",
    "least_p_of",
    "sample_null",
]

NULL_NAMES = ("auto", "paper", "moments", "exact", "normal", "multinomial")

# So many rows that the shape of a sampled null is taken from a part of them.
MANY_ROWS = 100_000
# "moments" is meant to be instant, so where even it must sample it takes fewer draws.
_MOMENTS_RESAMPLES = 999

_NORMAL_MODELS = "only r2, eta2, explained and shape (the last two with numeric y) have a normal model"
_PAPER_MODELS = "the paper treats r2 (also as explained, with numeric y), gini and mic"


NullSpec = str | Permutation


class Auto(str):
    """The name "auto", with how many permutations are drawn where it must sample.

    Not public: forecasts, tests and tools use it to draw fewer than users get.

    >>> Auto(n_resamples=19) == "auto"
    True
    """

    n_resamples: int | str

    def __new__(cls, n_resamples: int | str = "adaptive") -> Self:
        """The name with this number."""
        auto = super().__new__(cls, "auto")
        auto.n_resamples = n_resamples
        return auto


_settings = lru_cache(Permutation)  # one record for all pairs


def auto_settings(spec: NullSpec) -> Permutation:
    """How pairs are sampled where nobody said how."""
    return _settings(spec.n_resamples if isinstance(spec, Auto) else "adaptive")


@dataclass(frozen=True, kw_only=True, slots=True)
class SamplePlan:
    """That a null must be sampled: by which settings, why, and what is known of it exactly.

    Where rows are too many, `part` is the pair on some of them. With exact moments only the shape of the null
    comes from there: its draws become offset + scale · draw. Without, the part stands for the pair.
    """

    settings: Permutation
    reason: str
    is_paper_rule: bool = False
    exact_mean: float | None = None
    exact_std: float | None = None
    part: Pair | None = None
    scale: float = 1.0
    offset: float = 0.0

    @property
    def has_exact_moments(self) -> bool:
        """Whether mean and standard deviation are known."""
        return self.exact_mean is not None and self.exact_std is not None

    def pair_for(self, pair: Pair) -> Pair:
        """The pair that is estimated: the part, where nothing is known of all rows."""
        return pair if self.part is None or self.has_exact_moments else self.part


class ChoosesNull(ABC):
    """A measure that brings its nulls, such as one that looks beyond covariates."""

    @abstractmethod
    def choose_null(self, spec: NullSpec, pair: Pair) -> Null | SamplePlan:
        """The null that was asked for, or how to sample it."""


def sample_null(plan: SamplePlan, pair: Pair) -> Null:
    """The Monte Carlo null of one pair, its p-values not below the chance of a single arrangement."""
    return replace(_drawn(plan, pair), least_p=least_p_of(pair))


def least_p_of(pair: Pair) -> float:
    """The chance of a single arrangement, below which no p-value lies; 0 for a pair given covariates."""
    return 0.0 if pair.given is not None else exp(-log_fewest_arrangements(pair.x, pair.y))


def _drawn(plan: SamplePlan, pair: Pair) -> SampleNull:
    drawn, settings, found = draw_source(plan.part or pair, plan.settings), plan.settings, None

    def source(size: int) -> NDArray[np.float64]:
        return plan.offset + plan.scale * drawn.draws(size) if plan.scale != 1.0 else drawn.draws(size)

    if settings.follows_precision:
        null = sample_until_precise(source, settings, pair.observed, pair.bound, plan.reason)
        return replace(null, samples=replace(null.samples, slack=drawn.slack), device=drawn.device)
    if settings.is_adaptive:
        least = pair.observed - drawn.slack
        draws, found = sample_until_known(source, least, plan.exact_std, settings.cap, settings.alpha)
    else:
        draws = source(int(settings.n_resamples))
    return SampleNull.of(
        draws,
        bound=pair.bound,
        reason=plan.reason,
        is_paper_rule=plan.is_paper_rule,
        exact_mean=plan.exact_mean,
        exact_std=plan.exact_std,
        found=found,
        slack=drawn.slack,
        device=drawn.device,
    )


def choose_null(spec: NullSpec, pair: Pair) -> Null | SamplePlan:
    """The null that was asked for, or how to sample it."""
    if isinstance(pair.measure, ChoosesNull):
        return pair.measure.choose_null(spec, pair)
    if isinstance(spec, Permutation):
        plan = SamplePlan(settings=spec, reason="asked for")
        return _plan_sample(pair, spec, plan.reason) if pair.has_only_part else plan
    if spec == "auto":
        return _auto(pair, auto_settings(spec))
    engines = {
        "paper": _paper,
        "moments": _moments,
        "exact": lambda r: exact_law(r.measure, r.x, r.y, r.structures),
        "normal": _normal,
        "multinomial": _multinomial,
    }
    return engines[spec](pair)


def _auto(pair: Pair, settings: Permutation) -> Null | SamplePlan:
    exact = cheap_exact(pair)
    if exact is not None:
        return exact
    try:
        match = _first_match(pair)
    except CostError as error:
        return _sample_costly(pair, settings, error)
    if match is None:
        return _plan_sample(pair, settings, "sampled: no closed form is known for this measure")
    if match.is_trusted:
        return replace(match.null, ends_at=match.null.holds_to)
    reason = f"sampled: {match.doubt}"
    if isinstance(match.null, RootNull):  # its moments are integrals of the law in doubt
        return _plan_sample(pair, settings, reason)
    plan = _plan_sample(pair, settings, reason, match.null.mean, match.null.std)
    # Where the rows at hand cannot tell the shape, the law that was matched to all rows has to.
    return match.null if pair.has_only_part and plan.part is None else plan


def _sample_costly(pair: Pair, settings: Permutation, error: CostError) -> SamplePlan:
    """A sample where the exact variance is out of reach, its mean exact where that is cheap."""
    mean = next((m for m in map(cheap_mean, pair.structures) if m is not None), None)
    return _plan_sample(pair, settings, f"sampled: {error}", mean)


def _plan_sample(
    pair: Pair,
    settings: Permutation,
    reason: str,
    exact_mean: float | None = None,
    exact_std: float | None = None,
) -> SamplePlan:
    """How to sample a pair, from a part of its rows where they are very many."""
    plan = SamplePlan(settings=settings, reason=reason, exact_mean=exact_mean, exact_std=exact_std)
    part = pair.part(MANY_ROWS) if settings.is_adaptive or pair.has_only_part else None
    if part is None:
        return plan
    reason = f"{reason}; drawn from {part.n:,} of {pair.n:,} rows"
    if exact_mean is None or exact_std is None:
        if part.too_few:
            raise NullError(f"of the sampled rows, {part.too_few}")
        part = replace(part, note=f"estimated from {part.n:,} of {pair.n:,} rows")
        return replace(plan, part=part, reason=reason)
    match = None if part.too_few or part.is_degenerate else _first_match(part)
    if match is None or match.null.std == 0:
        return plan
    scale = exact_std / match.null.std
    offset = exact_mean - scale * match.null.mean
    return replace(plan, part=part, scale=scale, offset=offset, reason=reason)


def _first_match(pair: Pair) -> Match | None:
    x, y = pair.x, pair.y
    upper, log_floor = pair.measure.default_bound(x, y), -log_fewest_arrangements(x, y)
    for structure in pair.structures:
        match = match_structure(structure, upper, log_floor)
        if match is not None:
            return match
    return None


def _moments(pair: Pair) -> Null | SamplePlan:
    if (null := cheap_exact(pair, is_moments=True)) is not None:
        return null
    try:
        match = _first_match(pair)
    except CostError as error:
        return _sample_costly(pair, _settings(_MOMENTS_RESAMPLES), error)
    if match is None:
        raise _not_available("moments", pair, "it has no exact moments in closed form")
    return match.null


def _normal(pair: Pair, name: str = "normal", why: str = _NORMAL_MODELS) -> Null:
    for structure in pair.structures:
        if isinstance(structure, NormalTheory):
            if structure.df_residual < 1:
                raise NullError(
                    Option("null", name) + f" needs more rows than parameters, got n = {pair.x.n}."
                )
            df = np.array([structure.df_explained]), np.array([structure.df_residual])
            return as_null(normal_theory(df_explained=df[0], df_residual=df[1]))
    raise _not_available(name, pair, why)


def _multinomial(pair: Pair) -> Null:
    if not pair.measure.has_multinomial_model:
        raise _not_available(
            "multinomial", pair, "the multinomial model is known for gini and goodman_kruskal"
        )
    upper = pair.measure.default_bound(pair.x, pair.y)
    return as_null(multinomial_gains(**_gini_trace(pair), upper=upper))


def _paper(pair: Pair) -> Null | SamplePlan:
    kind = pair.measure.paper_null
    if kind == "normal":
        return _normal(pair, "paper", _PAPER_MODELS)
    if kind == "cantelli":
        return as_null(cantelli_gains(**_gini_trace(pair)))
    if kind == "permutation":
        return SamplePlan(settings=_settings(10_000), reason="the paper's: Monte Carlo", is_paper_rule=True)
    raise _not_available("paper", pair, _PAPER_MODELS)


def _gini_trace(pair: Pair) -> dict[str, Any]:
    """What the multinomial model needs of the one pair."""
    form = next(s for s in pair.structures if isinstance(s, TraceForm))
    return {
        "n": np.array([form.n]),
        "x_groups": np.array([form.x.n_distinct]),
        "x_invariants": form.x.invariants[np.newaxis],
        "y_invariants": form.y.invariants[np.newaxis],
        "scale": form.scale,
    }


def _not_available(name: str, pair: Pair, why: str) -> BychanceError:
    return BychanceError(
        Option("null", name)
        + f" is not available for measure {pair.measure.name!r} on these columns: {why}. "
        + Option("null", "auto")
        + " always works."
    )
