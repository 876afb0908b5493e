"""Closed-form results of a block's pairs, for measures and nulls computed without permutations.

The values equal those of by_pair.py, which measures one pair at a time. Degenerate pairs, and nulls that are
sampled or enumerated, are left to it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.measures import Measure
from bychance.measures.base import Algebra
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.dispatch import statistics, statistics_given
from bychance.moments.ties import log_floor, with_limits
from bychance.nulls.choose import Choice, choose_nulls, engine_given, null_of_tables
from bychance.nulls.distributions import ENGINES, NullDistributions
from bychance.nulls.validity import CAVEATS
from bychance.ranking.best import Cut
from bychance.ranking.options import Job
from bychance.ranking.results import NO_SIGN, PairResults, PKind, TextNumbers, level_note
from bychance.scores import adjust_at, quantify, scores, standardize

__all__ = ["ClosedForms", "closed_forms"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClosedForms:
    """Results of pairs by closed-form distributions. `choice` says whether each distribution is reliable.

    `at` gives the positions of the pairs among those asked for.
    """

    at: NDArray[np.intp]
    choice: NDArray[np.int8]
    observed: Array
    bound: Array
    sign: NDArray[np.int8] | None
    nulls: NullDistributions
    tail: Array  # upper tails of the nulls at the observed values
    ends: Array | None = None  # p-values below which a bound is stated, None if digits always are
    remarks: NDArray[np.object_] | None = None  # on what the pairs' covariates leave to doubt
    still_follow: NDArray[np.bool_] | None = None  # pairs that still follow their covariates

    @property
    def p_value(self) -> Array:
        """P-values as they are reported, no smaller than their bounds."""
        return self.tail if self.ends is None else np.maximum(self.tail, self.ends)

    @property
    def is_bound(self) -> NDArray[np.bool_]:
        """Flag p-values that are only upper bounds."""
        is_bound: NDArray[np.bool_] = (
            np.zeros(len(self.at), np.bool_) if self.ends is None else self.tail < self.ends
        )
        return is_bound

    @property
    def sure(self) -> ClosedForms:
        """The pairs whose distributions are reliable."""
        return self.pick(np.flatnonzero(self.choice == Choice.CLOSED))

    def pick(self, rows: NDArray[np.intp]) -> ClosedForms:
        """Return the results at these ascending positions."""
        if len(rows) == len(self.at):
            return self
        picked: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "nulls"}
        picked = {name: None if array is None else array[rows] for name, array in picked.items()}
        return ClosedForms(**picked, nulls=self.nulls.pick(rows))

    def score(self, by: str, alpha: float) -> Array:
        """Return the value that orders the pairs, larger first."""
        if by == "adjusted_at":
            return adjust_at(self.observed, self.nulls.quantile(1 - alpha))
        return self.most(by)

    def most(self, by: str) -> Array:
        """Return upper bounds of scores without quantiles: scores themselves, except for `adjusted_at`."""
        nulls, observed = self.nulls, self.observed
        if by == "p_value":
            return -self.p_value
        if by == "adjusted":
            return quantify(observed, nulls.mean, self.bound)
        if by == "standardized":
            return standardize(observed, nulls.mean, nulls.std)
        return observed if nulls.low is None or by == "observed" else observed - nulls.low

    def contenders(self, job: Job, cut: Cut, is_sure: NDArray[np.bool_]) -> NDArray[np.intp]:
        """Return the positions of pairs that may be kept. Those flagged `is_sure` always are."""
        most = self.most(job.by)
        rivals = np.flatnonzero(~is_sure & (most >= cut.least))
        if len(rivals) > cut.size:
            leaders = rivals[np.argpartition(most[rivals], -cut.size)[-cut.size :]]
            least = self.pick(np.sort(leaders)).score(job.by, job.alpha).min()
            rivals = rivals[most[rivals] >= least]
        return np.union1d(np.flatnonzero(is_sure), rivals)

    def fill(self, rows: PairResults, at: NDArray[np.intp], job: Job, texts: TextNumbers) -> None:
        """Write the results of these pairs to the rows."""
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


def closed_forms(form: Algebra, measure: Measure[Any], job: Job, pairs: ColumnPairs) -> ClosedForms | None:
    """Return closed-form results of the non-degenerate pairs, or None if the measure or null has none."""
    given = job.covariates
    name = null_of_tables(job.null, form, measure, is_given=given is not None)
    if name is None or (measure.bends_levels and any(column.is_ordered for column in pairs.x)):
        return None
    found = statistics(pairs, form) if given is None else statistics_given(pairs, measure, given)
    if found is None:
        return None
    at = np.flatnonzero(~found.is_degenerate)
    if len(at) < len(found.n):
        found, pairs = found.pick(at), pairs.at(at)
    if given is None:
        found = with_limits(pairs, found, form)
    nulls, choice = choose_nulls(name, form, measure, found)
    if given is None and name in ("auto", "moments"):
        nulls = replace(nulls, log_floor=log_floor(pairs, nulls, found.n, found.value))
    assert found.bound is not None
    return ClosedForms(
        at=at,
        choice=choice,
        observed=found.value,
        bound=found.bound,
        sign=found.sign,
        nulls=nulls,
        tail=nulls.sf(found.value),
        ends=nulls.holds_to if name == "auto" else None,
        remarks=found.remarks,
        still_follow=found.still_follow,
    )
