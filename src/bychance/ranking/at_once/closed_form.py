"""The pairs of a block all at once, where measure and null have a form for that.

Every figure is the one that the stages of a single pair give. What only they can answer is left to them:
degenerate pairs, nulls that must be sampled or enumerated, laws that cannot be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.covariates.exact import engine_given
from bychance.measures import Measure
from bychance.measures.base import Algebra, Trace
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.dispatch import LINES, statistics, statistics_given
from bychance.moments.statistics import PairStatistics
from bychance.nulls.arrangements import may_have_few_tables
from bychance.nulls.distributions import ENGINES, NullDistributions, once
from bychance.nulls.exact import MAX_RANK_LAW_N, MOST_ENUMERATED
from bychance.nulls.matching import (
    cantelli_gains,
    match_information,
    match_shares,
    match_traces,
    multinomial_gains,
    normal_theory,
)
from bychance.nulls.validity import CAVEATS
from bychance.ranking.job import Job
from bychance.ranking.kept.best import Cut
from bychance.ranking.results import NO_SIGN, PairResults, PKind, TextNumbers, level_note
from bychance.scores import adjust_at, quantify, scores, standardize

__all__ = ["Figures", "Known", "known_at_once"]

Array = NDArray[np.float64]
Condition = NDArray[np.bool_]
Others = tuple[NDArray[np.int64], NDArray[np.int64]]

# With more distinct values, of x times of y, few rows have more than a few tables.
_FEW_CELLS = 32


@dataclass(frozen=True, eq=False)
class Figures:
    """Pairs that are not degenerate: `at` says which of those asked for."""

    at: NDArray[np.intp]
    observed: Array
    bound: Array
    sign: NDArray[np.int8] | None
    nulls: NullDistributions
    tail: Array  # upper tails of the nulls at the observed values
    is_open: NDArray[np.bool_]  # where `auto` looks for an exact law first
    has_few_atoms: NDArray[np.bool_]  # where `moments` looks for one, too
    ends: Array | None = None  # p-values below which a bound is stated, None if digits always are
    remarks: NDArray[np.object_] | None = None  # on what the pairs' covariates leave to doubt
    still_follow: NDArray[np.bool_] | None = None  # pairs that still follow their covariates

    @property
    def p_value(self) -> Array:
        """P-values as they are stated."""
        return self.tail if self.ends is None else np.maximum(self.tail, self.ends)

    @property
    def is_bound(self) -> NDArray[np.bool_]:
        """Flag p-values that are only bounds."""
        is_bound: NDArray[np.bool_] = (
            np.zeros(len(self.at), np.bool_) if self.ends is None else self.tail < self.ends
        )
        return is_bound

    def pick(self, rows: NDArray[np.intp]) -> Figures:
        """Those of some of the pairs, ascending."""
        if len(rows) == len(self.at):
            return self
        picked: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "nulls"}
        picked = {name: None if array is None else array[rows] for name, array in picked.items()}
        return Figures(**picked, nulls=self.nulls.pick(rows))

    def score(self, by: str, alpha: float) -> Array:
        """What the pairs are ordered by, larger first."""
        if by == "adjusted_at":
            return adjust_at(self.observed, self.nulls.quantile(1 - alpha))
        return self.most(by)

    def most(self, by: str) -> Array:
        """At most what each score is, without quantiles: the score itself, but for adjusted_at."""
        nulls, observed = self.nulls, self.observed
        if by == "p_value":
            return -self.p_value
        if by == "adjusted":
            return quantify(observed, nulls.mean, self.bound)
        if by == "standardized":
            return standardize(observed, nulls.mean, nulls.std)
        return observed if nulls.low is None or by == "observed" else observed - nulls.low

    def contenders(self, job: Job, cut: Cut, is_sure: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Which pairs can be wanted; those that are `is_sure` are, and do not count among the best."""
        most = self.most(job.by)
        rivals = np.flatnonzero(~is_sure & (most >= cut.least))
        if len(rivals) > cut.size:
            leaders = rivals[np.argpartition(most[rivals], -cut.size)[-cut.size :]]
            least = self.pick(np.sort(leaders)).score(job.by, job.alpha).min()
            rivals = rivals[most[rivals] >= least]
        return np.union1d(np.flatnonzero(is_sure), rivals)

    def fill(self, rows: PairResults, at: NDArray[np.intp], job: Job, texts: TextNumbers) -> None:
        """Write these pairs to those rows."""
        observed, nulls = self.observed, self.nulls
        rows.put(
            at,
            np.column_stack([nulls.quantile(1 - level) for level in job.levels]),
            **scores(observed, self.bound, nulls.mean, nulls.std).columns(),
            sign=NO_SIGN if self.sign is None else self.sign,
            observed=observed,
            p_value=self.p_value,
            is_bound=self.is_bound,
            p_kind=np.where(nulls.is_exact, PKind.EXACT, PKind.MATCHED),
            p_se=np.where(nulls.is_exact, 0.0, np.nan),
            matched_p=np.where(self.is_bound, self.tail, np.nan),
            null_mean=nulls.mean,
            null_std=nulls.std,
            standardized_se=0.0,
            adjusted_at_se=0.0,
            is_approximate=nulls.caveat > 0,
            still_follow=False if self.still_follow is None else self.still_follow,
        )
        rename = str if job.covariates is None else engine_given
        for code in np.unique(nulls.engine):
            rows.engine[at[nulls.engine == code]] = texts[rename(ENGINES[code].name)]
        for code in np.unique(nulls.caveat[nulls.caveat > 0]):
            rows.note[at[nulls.caveat == code]] = texts[level_note(CAVEATS[code])]
        if self.remarks is not None:
            for pair in np.flatnonzero(self.remarks != "").tolist():
                caveat = int(nulls.caveat[pair])
                notes = self.remarks[pair], level_note(CAVEATS[caveat]) if caveat else ""
                rows.note[at[pair]] = texts["; ".join(filter(None, notes))]


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of pairs at once: all figures of some, of others only the moments of their nulls."""

    figures: Figures
    sampled: NDArray[np.intp]  # which pairs have to be sampled
    mean: Array
    std: Array


def known_at_once(form: Algebra, measure: Measure[Any], job: Job, pairs: ColumnPairs) -> Known | None:
    """What can be had of the pairs at once; None where this null has no such form."""
    asked, figures = _asked(form, measure, job), None
    if asked is None:
        return None
    if job.covariates is not None:
        found = statistics_given(pairs, measure, job.covariates)
        figures = None if found is None else _given(asked, found)
    elif isinstance(form, Trace):
        figures = _traces(form, asked, pairs, statistics(pairs, form))
    else:
        figures = _information(pairs, statistics(pairs, form))
    if figures is None:
        return None
    nulls = figures.nulls
    is_plain = nulls.has_law & (figures.bound > nulls.mean)
    is_sampled = np.zeros(len(is_plain), dtype=np.bool_)
    if job.null == "auto":
        is_plain &= ~figures.is_open
        is_sampled = is_plain & ~nulls.is_trusted
        is_plain &= nulls.is_trusted
    if job.null == "moments":
        is_plain &= ~figures.has_few_atoms
    sampled = np.flatnonzero(is_sampled)
    plain = figures if is_plain.all() else figures.pick(np.flatnonzero(is_plain))
    if job.null == "auto":
        plain = replace(plain, ends=plain.nulls.holds_to)
    return Known(plain, figures.at[sampled], nulls.mean[sampled], nulls.std[sampled])


def _asked(form: Algebra, measure: Measure[Any], job: Job) -> str | None:
    """The null that is asked for by name; None where it has no form for whole tables."""
    asked = job.null
    if job.covariates is not None:
        has_law = asked in ("auto", "moments") or (asked == "normal" and measure.name != "spearman")
        return str(asked) if has_law else None
    if asked == "paper" and isinstance(form, Trace):
        asked = {"normal": "normal", "cantelli": "cantelli"}.get(measure.paper_null or "", "")
    has_form = asked in ("auto", "moments")
    if isinstance(form, Trace):
        has_form |= asked == "normal" and form.has_normal_model
        has_form |= asked in ("cantelli", "multinomial") and measure.has_multinomial_model
    return str(asked) if has_form else None


def _given(asked: str, found: PairStatistics) -> Figures:
    """Return the figures of pairs given covariates, by the moments of their nulls."""
    at = np.flatnonzero(~found.is_degenerate)
    found = found.pick(at)
    assert found.bound is not None
    assert found.moments is not None
    assert found.given is not None
    given = found.given
    if asked == "normal":
        laws = normal_theory(df_explained=np.ones_like(found.n), df_residual=found.n - given.df - 1)
    else:
        mean, variance, third = found.moments
        laws = match_shares(
            mean=mean,
            variance=variance,
            third=third,
            third_cumulants=given.third_cumulants,
            rank=np.ones(len(at)),
            is_numeric=True,
            n=found.n,
            distinct=(found.distinct[0], found.distinct[1]),
            others=(given.others[0], given.others[1]),
        )
        laws = replace(laws, log_floor=given.log_floor)
    return Figures(
        at=at,
        observed=found.value,
        bound=found.bound,
        sign=found.sign,
        nulls=laws,
        tail=laws.sf(found.value),
        # The moments of a ratio are near, and no sample may take them for exact.
        is_open=given.may_be_exact | (given.is_ratio & ~laws.is_trusted),
        has_few_atoms=given.has_few_atoms,
        remarks=given.remarks,
        still_follow=given.still_follow,
    )


def _traces(form: Trace, asked: str, pairs: ColumnPairs, found: PairStatistics) -> Figures:
    is_usable = ~found.is_degenerate
    if asked == "normal":
        is_usable &= found.n - 1 - _df_explained(form, found) >= 1
    at = np.flatnonzero(is_usable)
    if not is_usable.all():
        found, pairs = found.pick(at), pairs.at(at)
    assert found.invariants is not None
    x_invariants, y_invariants = found.invariants
    variation = 1.0 if found.at is not None else y_invariants[:, 0]  # standardized columns have norm 1
    scale = form.scale(found.n, variation)
    bound = form.bound(found.n, variation, *found.distinct)
    observed = np.clip(found.value * scale, 0.0, bound)
    if asked in ("auto", "moments"):
        nulls = match_traces(
            n=found.n,
            x_invariants=x_invariants,
            y_invariants=y_invariants,
            x_distinct=found.distinct[0],
            y_distinct=found.distinct[1],
            scale=scale,
            law=form.law,
            upper=bound,
            others=pairs.fewest_others(found.n),
            apart=pairs.apart(form, found),
            at=found.at,
            is_whole_table=True,
        )
        nulls = replace(nulls, log_floor=pairs.log_floor(nulls, found.n, observed))
    else:
        nulls = _modeled(form, asked, found, scale, bound)
    is_small = once(found.n) <= MOST_ENUMERATED
    is_open = is_small
    if form.x in LINES and form.y in LINES and is_small.any():
        is_open = (found.n <= MAX_RANK_LAW_N) | (is_small & pairs.may_have_few_arrangements(found.n))
    has_few_atoms = is_small & (found.distinct.prod(axis=0) <= _FEW_CELLS)
    has_few_atoms = has_few_atoms | (once(found.n) <= MAX_RANK_LAW_N)
    if found.smallest is not None:
        are_groups = (found.smallest > 0).all(axis=0)
        groups = found.n, *found.distinct, *found.smallest
        of_groups = [counts[are_groups] for counts in groups]
        is_open, has_few_atoms = (np.array(np.broadcast_to(c, at.shape)) for c in (is_open, has_few_atoms))
        is_open[are_groups] |= may_have_few_tables(*of_groups)
        has_few_atoms[are_groups] = may_have_few_tables(*of_groups, is_moments=True)
    return Figures(
        at=at,
        observed=observed,
        bound=np.broadcast_to(np.float64(bound), at.shape),
        sign=found.sign,
        nulls=nulls,
        tail=nulls.sf(observed),
        is_open=is_open & ~nulls.is_exact,
        has_few_atoms=has_few_atoms & ~nulls.is_exact,
    )


def _df_explained(form: Trace, found: PairStatistics) -> NDArray[np.int64]:
    """Return the degrees of freedom of what is explained, one entry per pair."""
    x, y = found.invariants_of_pairs()
    df: NDArray[np.int64] = form.df_explained(x[:, 0], y[:, 0])
    return df


def _modeled(
    form: Trace, asked: str, found: PairStatistics, scale: Array | float, bound: Array | float
) -> NullDistributions:
    """Nulls of the named models, which are not those of permutations."""
    if asked == "normal":
        df = _df_explained(form, found)
        return normal_theory(df_explained=df, df_residual=found.n - 1 - df)
    assert found.invariants is not None
    x_invariants, y_invariants = found.invariants
    gains = cantelli_gains if asked == "cantelli" else partial(multinomial_gains, upper=bound)
    return gains(
        n=found.n,
        x_groups=found.distinct[0],
        x_invariants=x_invariants,
        y_invariants=y_invariants,
        scale=scale,
    )


def _information(pairs: ColumnPairs, found: PairStatistics) -> Figures:
    """Return the figures of mutual information."""
    at = np.flatnonzero(~found.is_degenerate)
    found, pairs = found.pick(at), pairs.at(at)
    assert found.bound is not None
    assert found.moments is not None
    assert found.smallest is not None
    n, observed, groups = found.n, found.value, (*found.distinct, *found.smallest)
    nulls = match_information(
        n=n,
        mean=found.moments[0],
        variance=found.moments[1],
        upper=found.bound,
        distinct=(found.distinct[0], found.distinct[1]),
        smallest=(found.smallest[0], found.smallest[1]),
        others=pairs.fewest_others(n),
        is_whole_table=True,
    )
    nulls = replace(nulls, log_floor=pairs.log_floor(nulls, n, observed))
    is_open = (n <= MOST_ENUMERATED) | may_have_few_tables(n, *groups)
    has_few_atoms = may_have_few_tables(n, *groups, is_moments=True)
    return Figures(
        at=at,
        observed=observed,
        bound=found.bound,
        sign=None,
        nulls=nulls,
        tail=nulls.sf(observed),
        is_open=is_open & ~nulls.is_exact,
        has_few_atoms=has_few_atoms & ~nulls.is_exact,
    )
