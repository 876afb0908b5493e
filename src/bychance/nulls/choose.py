"""Choice of the null distribution for a measure and data, for one pair and for many.

In:  the requested null (a name or settings), and a prepared pair or the statistics of many pairs.
Out: a Null with its engine and the reason for it, or NullDistributions and how each pair's null is found.

"auto" takes the cheapest engine whose level is right: an exact distribution if that is cheap, else a
distribution matched to exact moments if the rules of validity hold, else Monte Carlo.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from enum import IntEnum
from functools import lru_cache
from math import log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import BoolArray
from bychance.errors import BychanceError, CostError, NullError
from bychance.measures.base import Measure
from bychance.measures.structures import (
    LINES,
    Algebra,
    NormalTheory,
    Trace,
    TraceForm,
)
from bychance.messages import Option
from bychance.nulls.base import Null
from bychance.nulls.distributions import NullDistributions, as_null, once
from bychance.nulls.exact import (
    ASKED,
    AUTO,
    INSTANT,
    MAX_RANK_NULL_N,
    MOST_ENUMERATED,
    Effort,
    exact_null,
    is_at_most,
    least_log_table_count,
    log_fewest_arrangements,
    log_least_arrangements,
)
from bychance.nulls.matching import (
    cantelli_gains,
    match_information,
    match_shares,
    match_structure,
    match_traces,
    multinomial_gains,
    normal_theory,
    of_one_trace,
)
from bychance.nulls.permutation import Auto, NullSpec, Permutation, auto_settings
from bychance.nulls.sequential import SamplePlan
from bychance.nulls.statistics import PairStatistics, cheap_mean
from bychance.pair import Pair

__all__ = [
    "MANY_ROWS",
    "NULL_NAMES",
    "Choice",
    "Conditional",
    "FixedAuto",
    "NullSpec",
    "choose_null",
    "choose_nulls",
    "engine_given",
    "null_of_tables",
]

NULL_NAMES = ("auto", "paper", "moments", "exact", "normal", "multinomial")

MANY_ROWS = 100_000  # rows above which permutations use a random subset of this size (time; taste)
_MOMENTS_RESAMPLES = 999  # draws if "moments", which is meant to be instant, has to sample (time; taste)
_FEW_CELLS = 32  # distinct values of x times y, above which even few rows have many tables (taste)
_COSTLY_RESAMPLES = 999  # draws at most if every permutation is residualized again (time; taste)

_NORMAL_MODELS_GIVEN = "only r2, eta2 and explained (numeric y) have a normal model"
_NORMAL_MODELS = "only r2, eta2, explained and shape (the last two with numeric y) have a normal model"
_ALWAYS = Option("null", "auto") + " always works."
_PAPER_MODELS = "the paper treats r2 (also as explained, with numeric y), gini and mic"


_EFFORTS = {"auto": AUTO, "moments": INSTANT}
_settings = lru_cache(Permutation)  # one record for all pairs


class FixedAuto(Auto):
    """Null `"auto"` with a fixed number of permutations, if it has to sample.

    >>> FixedAuto(19) == "auto"
    True
    """

    n_resamples: int

    def __new__(cls, n_resamples: int, **settings: Any) -> Self:
        """Create the string "auto" with the number of draws as its attribute `n_resamples`."""
        auto = super().__new__(cls, **settings)
        auto.n_resamples = n_resamples
        return auto

    @property
    def sampling(self) -> Permutation:
        """Settings for sampling a null, with the fixed number of draws."""
        return _settings(self.n_resamples)


class Conditional(ABC):
    """Interface of measures given covariates: null distributions over permutations within strata of rows."""

    is_costly: bool  # True if every permutation is residualized again

    @abstractmethod
    def exact_null(self, pair: Pair, effort: Effort) -> Null | None:
        """Return the exact null distribution, or None if it takes more work than `effort` allows."""

    @abstractmethod
    def match(self, pair: Pair) -> Null | None:
        """Return the null distribution matched to exact moments, or None if there is none."""

    @abstractmethod
    def reason(self) -> str:
        """Return a phrase that describes the covariates, for the null's `reason`."""


def choose_null(spec: NullSpec, pair: Pair) -> Null | SamplePlan:
    """Choose the null distribution of a pair for `spec`, and return it, or a plan to sample it.

    Covariates restrict permutations to cells.
    """
    if not isinstance(pair.measure, Conditional):
        return _chosen(spec, pair)
    _check_conditional(spec)
    chosen, reason = _chosen(spec, pair), pair.measure.reason()
    if isinstance(chosen, SamplePlan):
        return replace(chosen, reason=f"{chosen.reason}; {reason}")
    return replace(chosen, engine=engine_given(chosen.engine), reason=f"{chosen.reason}; {reason}")


def engine_given(name: str) -> str:
    """Add "given" to the name of a null's method, to mark that it is conditional on covariates.

    >>> engine_given("beta (exact moments)"), engine_given("exact tables")
    ('beta (exact moments, given)', 'exact tables (given)')
    """
    return f"{name[:-1]}, given)" if name.endswith(")") else f"{name} (given)"


def _check_conditional(spec: NullSpec) -> None:
    """Raise an error if the requested null cannot be combined with covariates."""
    if isinstance(spec, Permutation):
        if spec.block is not None:
            raise BychanceError(
                Option("block")
                + " cannot be combined with "
                + Option("given")
                + ": moving blocks would mix the covariates' cells."
            )
    elif spec in ("paper", "multinomial"):
        raise BychanceError(
            Option("null", spec)
            + " cannot be combined with "
            + Option("given")
            + ": this model has no covariates. "
            + _ALWAYS
        )


def _chosen(spec: NullSpec, pair: Pair) -> Null | SamplePlan:
    if isinstance(spec, Permutation):
        plan = SamplePlan(settings=spec, reason="asked for")
        return _plan_sample(pair, spec, plan.reason) if pair.has_only_part else plan
    if spec == "auto":
        return _auto(pair, spec)
    engines: dict[str, Callable[[Pair], Null | SamplePlan]] = {
        "paper": _paper,
        "moments": _moments,
        "exact": _exact_or_error,
        "normal": _normal,
        "multinomial": _multinomial,
    }
    return engines[spec](pair)


class Choice(IntEnum):
    """Method for the null of one of many pairs: by `choose_null`, by permutations, or in closed form."""

    BY_PAIR = 0  # `choose_null`, one pair at a time
    SAMPLE = 1  # permutations, with exact moments
    CLOSED = 2  # the closed-form distribution


Choices = NDArray[np.int8]


def null_of_tables(
    spec: NullSpec, form: Algebra, measure: Measure[Any], *, is_given: bool = False
) -> str | None:
    """Return the name of the requested null if arrays of pairs can be computed at once, else None."""
    if is_given:
        is_matched = spec in ("auto", "moments") or (spec == "normal" and measure.name != "spearman")
        return str(spec) if is_matched else None
    if spec == "paper" and isinstance(form, Trace):
        spec = {"normal": "normal", "cantelli": "cantelli"}.get(measure.paper_null or "", "")
    has_form = spec in ("auto", "moments")
    if isinstance(form, Trace):
        has_form |= spec == "normal" and form.has_normal_model
        has_form |= spec in ("cantelli", "multinomial") and measure.has_multinomial_model
    return str(spec) if has_form else None


def choose_nulls(
    name: str, form: Algebra, measure: Measure[Any], found: PairStatistics
) -> tuple[NullDistributions, Choices]:
    """Choose the nulls of many non-degenerate pairs: closed-form distributions, and a `Choice` per pair.

    `name` is that of `null_of_tables`. The statistics are in the measure's units, with counts of tied
    rows.
    """
    assert found.bound is not None
    is_given = found.df is not None
    nulls, may_be_exact = _nulls_given(name, measure, found) if is_given else _plain_nulls(name, form, found)
    is_plain = nulls.is_matched & (found.bound > nulls.mean) & ~(may_be_exact & ~nulls.is_exact)
    choice = np.where(is_plain, np.int8(Choice.CLOSED), np.int8(Choice.BY_PAIR))
    if name == "auto":
        choice[is_plain & ~nulls.is_valid] = Choice.SAMPLE
        if found.is_ratio is not None:  # moments of ratios are approximate, so samples must not use them
            choice[found.is_ratio & ~nulls.is_valid] = Choice.BY_PAIR
    return nulls, choice


def _nulls_given(
    name: str, measure: Measure[Any], found: PairStatistics
) -> tuple[NullDistributions, BoolArray]:
    """Return closed-form nulls of pairs given covariates, and flag pairs whose exact null may be cheap."""
    assert found.log_arrangements is not None
    assert found.df is not None
    assert found.is_ratio is not None
    if name == "normal":
        ones = np.ones_like(found.n)
        return normal_theory(df_explained=ones, df_residual=found.n - found.df - 1), ones == 0
    may_be_exact = is_at_most(found.log_arrangements, _EFFORTS[name].cell_arrangements)
    if name == "auto" and measure.name != "spearman":
        may_be_exact |= (found.distinct == 2).all(axis=0) & ~found.is_ratio
    return replace(match_shares(found), log_floor=-found.log_arrangements), may_be_exact


def _plain_nulls(name: str, form: Algebra, found: PairStatistics) -> tuple[NullDistributions, BoolArray]:
    """Return closed-form nulls without covariates, and flag pairs whose exact null may be cheap."""
    if not isinstance(form, Trace):
        return match_information(found, is_whole_table=True), _may_be_exact(name, form, found)
    if name == "normal":
        df = form.df_explained(*(invariants[:, 0] for invariants in found.invariants_of_pairs()))
        residual = found.n - 1 - df
        nulls = normal_theory(df_explained=df, df_residual=np.maximum(residual, 1))
        return nulls, residual < 1
    if name in ("cantelli", "multinomial"):
        gains = cantelli_gains if name == "cantelli" else multinomial_gains
        return gains(found), np.zeros(len(found.n), dtype=np.bool_)
    return match_traces(found, form.distribution, is_whole_table=True), _may_be_exact(name, form, found)


def _may_be_exact(name: str, form: Algebra, found: PairStatistics) -> BoolArray:
    """Flag pairs with so few rows or contingency tables that an exact null may be cheap."""
    n, is_moments = found.n, name == "moments"
    if isinstance(form, Trace):
        may_be = _may_list_rows(form, found, is_moments=is_moments)
    else:
        may_be = np.asarray((n <= MOST_ENUMERATED) & (not is_moments))
    flags = np.array(np.broadcast_to(may_be, n.shape))
    if found.smallest is not None and (are_groups := (found.smallest > 0).all(axis=0)).any():
        groups = n[are_groups], found.distinct[:, are_groups], found.smallest[:, are_groups]
        few = least_log_table_count(*groups) <= log(_EFFORTS[name].tables)
        flags[are_groups] = few if is_moments else flags[are_groups] | few
    return flags


def _may_list_rows(form: Trace, found: PairStatistics, *, is_moments: bool) -> BoolArray:
    n = once(found.n)
    is_small, has_rank_null = n <= MOST_ENUMERATED, n <= MAX_RANK_NULL_N
    if is_moments:
        return np.asarray((is_small & (found.distinct.prod(axis=0) <= _FEW_CELLS)) | has_rank_null)
    if not (form.x in LINES and form.y in LINES and is_small.any()):
        return np.asarray(is_small)
    assert found.others is not None
    log_count = found.log_arrangements
    if log_count is None:
        log_count = log_least_arrangements(found.n, found.n - found.others.min(axis=0))
    return np.asarray(has_rank_null | (is_small & is_at_most(log_count, AUTO.arrangements)))


def _exact_or_error(pair: Pair) -> Null:
    """Return the exact null of a pair, or raise CostError if it would take too much work."""
    null = _exact(pair, ASKED)
    assert null is not None
    return null


def _exact(pair: Pair, effort: Effort) -> Null | None:
    if isinstance(pair.measure, Conditional):
        return pair.measure.exact_null(pair, effort)
    return exact_null(pair, effort)


def _auto(pair: Pair, spec: NullSpec) -> Null | SamplePlan:
    if (exact := _exact(pair, AUTO)) is not None:
        return exact
    try:
        null = _matched(pair)
    except CostError as error:
        return _sample_costly(pair, _sampling(pair, spec), error)
    if null is None:
        reason = "sampled: no closed form is known for this measure"
        return _plan_sample(pair, _sampling(pair, spec), reason)
    if not null.caveat:
        return replace(null, ends_at=null.holds_to)
    settings, reason = _sampling(pair, spec), f"sampled: {null.doubt}"
    if not null.has_exact_moments:
        return _plan_sample(pair, settings, reason)
    plan = _plan_sample(pair, settings, reason, null.mean, null.std)
    # Without a usable subset of rows, the distribution matched to all rows is used in spite of its caveat.
    return null if pair.has_only_part and plan.part is None else plan


def _sampling(pair: Pair, spec: NullSpec) -> Permutation:
    """Return the settings of permutation sampling, with fewer draws if each is costly."""
    settings = auto_settings(spec)
    if isinstance(pair.measure, Conditional) and pair.measure.is_costly and settings.is_adaptive:
        return _settings("adaptive", cap=min(settings.cap, _COSTLY_RESAMPLES))
    return settings


def _sample_costly(pair: Pair, settings: Permutation, error: CostError) -> SamplePlan:
    """Plan a sample if the exact variance is too costly, with the exact mean if that is cheap."""
    mean = next((m for m in map(cheap_mean, pair.structures) if m is not None), None)
    return _plan_sample(pair, settings, f"sampled: {error}", mean)


def _plan_sample(
    pair: Pair,
    settings: Permutation,
    reason: str,
    exact_mean: float | None = None,
    exact_std: float | None = None,
) -> SamplePlan:
    """Plan permutation sampling of a pair's null, on a random subset of rows if there are very many."""
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
    null = None if part.too_few or part.is_degenerate else _matched(part)
    if null is None or null.std == 0:
        return plan
    scale = exact_std / null.std
    offset = exact_mean - scale * null.mean
    return replace(plan, part=part, scale=scale, offset=offset, reason=reason)


def _matched(pair: Pair) -> Null | None:
    """Return the closed-form null with the pair's exact moments, or None if they are not known."""
    if isinstance(pair.measure, Conditional):
        return pair.measure.match(pair)
    upper, log_floor = pair.measure.default_bound(pair.x, pair.y), -log_fewest_arrangements(pair.x, pair.y)
    nulls = (match_structure(structure, upper, log_floor) for structure in pair.structures)
    return next(filter(None, nulls), None)


def _moments(pair: Pair) -> Null | SamplePlan:
    if (exact := _exact(pair, INSTANT)) is not None:
        return exact
    try:
        null = _matched(pair)
    except CostError as error:
        return _sample_costly(pair, _settings(_MOMENTS_RESAMPLES), error)
    if null is None:
        raise _not_available("moments", pair, "it has no exact moments in closed form")
    return null


def _normal(pair: Pair, name: str = "normal", why: str = "") -> Null:
    for structure in pair.structures:
        if isinstance(structure, NormalTheory):
            if structure.df_residual < 1:
                k = "" if pair.given is None else f" and k = {pair.given.df}"
                raise NullError(
                    Option("null", name) + f" needs more rows than parameters, got n = {pair.x.n}{k}."
                )
            df = np.array([structure.df_explained]), np.array([structure.df_residual])
            return as_null(normal_theory(df_explained=df[0], df_residual=df[1]))
    models = _NORMAL_MODELS_GIVEN if isinstance(pair.measure, Conditional) else _NORMAL_MODELS
    raise _not_available(name, pair, why or models)


def _multinomial(pair: Pair) -> Null:
    if not pair.measure.has_multinomial_model:
        raise _not_available(
            "multinomial", pair, "the multinomial model is known for gini and goodman_kruskal"
        )
    return as_null(multinomial_gains(_trace_of(pair)))


def _paper(pair: Pair) -> Null | SamplePlan:
    kind = pair.measure.paper_null
    if kind == "normal":
        return _normal(pair, "paper", _PAPER_MODELS)
    if kind == "cantelli":
        return as_null(cantelli_gains(_trace_of(pair)))
    if kind == "permutation":
        return SamplePlan(settings=_settings(10_000), reason="the paper's: Monte Carlo", is_paper_rule=True)
    raise _not_available("paper", pair, _PAPER_MODELS)


def _trace_of(pair: Pair) -> PairStatistics:
    form = next(s for s in pair.structures if isinstance(s, TraceForm))
    return of_one_trace(form, pair.measure.default_bound(pair.x, pair.y))


def _not_available(name: str, pair: Pair, why: str) -> BychanceError:
    where = " with " + Option("given") if isinstance(pair.measure, Conditional) else " on these columns"
    return BychanceError(
        Option("null", name)
        + f" is not available for measure {pair.measure.name!r}"
        + where
        + f": {why}. "
        + _ALWAYS
    )
