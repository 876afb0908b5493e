"""Measurement of one block of pairs, with all its inputs in one object for any thread or process.

Pairs of measures and nulls with closed forms are measured together, and all others one by one (by_pair.py),
with the same values. With a cut, a screen may leave out pairs that cannot be among the best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, Memory, are_complete, columns_of_kind, shared_rows
from bychance.kinds import Kind
from bychance.measures import Measure
from bychance.measures.structures import Algebra
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.dispatch import statistics, statistics_given
from bychance.moments.from_sums import are_duplicates, has_sums_for, shared_counts
from bychance.moments.ties import log_floor, with_limits
from bychance.nulls.choose import Choice, choose_nulls, engine_given, null_of_tables
from bychance.nulls.distributions import CAVEATS, ENGINES, NullDistributions, once
from bychance.nulls.statistics import PairStatistics
from bychance.pair import sign_of_levels
from bychance.pairs import n_shared, n_shared_listed
from bychance.ranking.by_pair import measure_by_pair
from bychance.ranking.candidates import Candidates, Screened, screen
from bychance.ranking.diagnostics import are_near_duplicates
from bychance.ranking.options import Job
from bychance.ranking.results import (
    DUPLICATES,
    NO_SIGN,
    Cut,
    Measured,
    PairResults,
    PKind,
    TextNumbers,
    level_note,
    p_values_of_tests,
    sign_code,
)
from bychance.scores import adjust_at, quantify, scores, standardize

__all__ = ["Block", "ClosedForms", "closed_forms"]

# Shares of a measure's maximum above which columns are compared as near-duplicates: two numeric columns, and
# others (taste). Where r² is above 0.999, Kendall's τ² is about 0.96 of its bound, and ξ little less.
_CLOSE = (0.9, 0.999)

Kinds = tuple[Kind, Kind]
Tick = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class BlockPart:
    """Pairs of a block whose x and y columns have two given kinds (numeric or categorical).

    Positions within the block: `short` pairs share fewer than `least` rows, and the columns of the `picked`
    ones are `pairs`. After closed forms are `closed`, the `picked` pairs are those left to be measured one by
    one, with the `moments` of their nulls: exact means and standard deviations if a pair is known to need
    sampling, else NaN.
    """

    kinds: Kinds
    measure: Measure[Any]
    least: int
    short: IndexArray
    picked: IndexArray
    pairs: ColumnPairs
    screened: Screened | None = None
    moments: FloatArray | None = None
    closed: ClosedForms | None = None

    @property
    def wanted(self) -> IndexArray:
        """Positions within the block of the pairs whose results are kept."""
        known = () if self.closed is None else (self.closed.at,)
        return np.concatenate([self.short, self.picked, *known])

    @property
    def close(self) -> float:
        """Fraction of the measure's maximum above which two columns are checked as near-duplicates."""
        return _CLOSE[Kind.CATEGORICAL in self.kinds]


@dataclass(frozen=True, eq=False)
class Block:
    """One block of pairs: their columns, given by index (`first`, `second`), and the options.

    `x` and `y` are the columns' positions in the table. Both sides are one list if their columns are the
    same. With a cut, only rows that may be among the best are kept. If it is shared, `starts` are the
    numbers of each x's first pair. `is_listed` says that the pairs are few of all that the columns make.
    `known` has the statistics of pairs of one kind, if a screen computed them.
    """

    x_columns: tuple[Column, ...]
    y_columns: tuple[Column, ...]
    x: IndexArray
    y: IndexArray
    first: IndexArray
    second: IndexArray
    job: Job
    cut: Cut | None = None
    memory: Memory = field(default_factory=Memory)
    is_listed: bool = False
    starts: IntArray | None = None
    known: PairStatistics | None = None

    def __len__(self) -> int:
        return len(self.first)

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state, without the stream sums of unused columns."""
        if self.job.sums is None:
            return self.__dict__
        names = {column.name for column in (*self.x_columns, *self.y_columns)}
        return {**self.__dict__, "job": replace(self.job, sums=self.job.sums.only(names))}

    def run(self, tick: Tick) -> Measured | Candidates:
        """Measure all pairs, or return candidates for the best pairs if a kernel has selected them."""
        parts = self.parts()
        if len(parts) == 1 and (candidates := self._candidates(parts[0])) is not None:
            tick(len(self))
            return candidates
        return self._measured(parts, tick)

    def measured(self) -> Measured:
        """Measure all pairs, each with its null and adjustments.

        >>> from bychance.ranking.api import plan_ranking
        >>> table = {"a": np.arange(20.0), "b": np.arange(20.0) ** 2}
        >>> rows = plan_ranking(table, measure="r2", null="paper").block(0).measured().rows
        >>> rows.n.tolist(), rows.observed.round(3).tolist()
        ([20], [0.932])
        """
        return self._measured(self.parts(), lambda steps: None)

    def parts(self) -> list[BlockPart]:
        """Split the pairs by the kinds of their columns, and preselect the best of each part by a kernel."""
        return [part for kinds in self.job.measures if (part := self._part(kinds)) is not None]

    @cached_property
    def _n(self) -> IntArray:
        """Number of rows per pair in which both columns have a value."""
        if self.job.sums is not None:
            counts = shared_counts(self.job.sums, self.x_columns, self.y_columns)
            return counts[self.first, self.second]
        if all(self.memory.of("complete", side, are_complete) for side in (self.x_columns, self.y_columns)):
            return np.broadcast_to(np.int64(len(self.x_columns[0].values)), len(self.first))
        if self.is_listed:
            return n_shared_listed(self.x_columns, self.y_columns, self.first, self.second)
        shared: IntArray = n_shared(self.x_columns, self.y_columns)[self.first, self.second]
        return shared

    def _part(self, kinds: Kinds) -> BlockPart | None:
        """Return the pairs whose x and y columns are of the given kinds (numeric or categorical), or None."""
        job, measure = self.job, self.job.measures[kinds]
        (x, x_place), (y, y_place) = (
            self.memory.of(kind, side, partial(columns_of_kind, kind=kind))
            for kind, side in zip(kinds, (self.x_columns, self.y_columns), strict=True)
        )
        first = self.first if x is self.x_columns else x_place[self.first]
        second = self.second if y is self.y_columns else y_place[self.second]
        is_whole = x is self.x_columns and y is self.y_columns
        at = np.arange(len(self)) if is_whole else np.flatnonzero((first >= 0) & (second >= 0))
        if not len(at):
            return None
        least, short, picked = max(job.min_n, measure.min_n), at[:0], at
        if not is_whole or np.any(once(self._n) < least):
            is_short = self._n[at] < least
            short, picked = at[is_short], at[~is_short]
            first, second = first[picked], second[picked]
        pairs = ColumnPairs(x, y, first, second, self.memory, self.is_listed, job.sums, self.known)
        part = BlockPart(kinds, measure, least, short, picked, pairs)
        form = measure.forms.get(kinds)
        if self.cut is None or job.sums is not None or self.known is not None or form is None:
            return part
        return replace(part, screened=screen(form, measure, job, pairs, self.cut, part.close))

    def _candidates(self, part: BlockPart) -> Candidates | None:
        """Return a part's candidates for the best pairs, or None if the block must be measured in full."""
        found, p_values = part.screened, None if self.cut is None else self.cut.p_values
        if found is None or p_values is None or self.starts is None or not found.are_all_known:
            return None
        if len(part.picked) < len(self):
            return None
        _native.put_runs(p_values, self.starts, self.first, found.p_values)
        first, second = self.first[found.wanted], self.second[found.wanted]
        numbers = self.starts[first] + found.wanted - np.searchsorted(self.first, first)
        sides = (self.x_columns, self.x), (self.y_columns, self.y)
        return Candidates(*sides, first, second, numbers, found.scores, found.pairs.known)

    def _measured(self, parts: Sequence[BlockPart], tick: Tick) -> Measured:
        p_values = np.full(len(self), np.nan)
        parts = [self._in_closed_form(part, p_values) for part in parts]
        tick(len(self) - sum(len(part.picked) for part in parts))
        at, texts = np.sort(np.concatenate([part.wanted for part in parts])), TextNumbers({"": 0})
        x, y = self.x[self.first[at]], self.y[self.second[at]]
        rows = PairResults.unknown(x, y, self._n[at], len(self.job.levels))
        failures = [self._fill(part, rows, at, texts, tick) for part in parts]
        p_values[at] = p_values_of_tests(rows)
        return Measured(replace(rows, texts=tuple(texts)), at, p_values, next(filter(None, failures), ""))

    def _in_closed_form(self, part: BlockPart, p_values: FloatArray) -> BlockPart:
        """Compute closed-form results of a part's pairs, and write their p-values.

        Returns the pairs to keep, of which those `picked` are left to be measured one by one.
        """
        job, cut, left, pairs, short = self.job, self.cut, part.picked, part.pairs, part.short
        if part.screened is not None:
            p_values[left] = part.screened.p_values
            left, pairs = left[part.screened.wanted], part.screened.pairs
        if cut is not None and cut.least > -np.inf:
            short = short[:0]
        form, found, moments = part.measure.forms.get(part.kinds), None, np.full((2, len(left)), np.nan)
        if form is not None and len(left) and (job.sums is None or has_sums_for(form, job.sums)):
            found = closed_forms(form, part.measure, job, pairs)
        if found is not None:
            is_sampled = found.choice == Choice.SAMPLE
            moments[:, found.at[is_sampled]] = found.nulls.mean[is_sampled], found.nulls.std[is_sampled]
            found = found.reliable
            moments, places = np.delete(moments, found.at, axis=1), left[found.at]
            left, found = np.delete(left, found.at), replace(found, at=places)
            p_values[places] = found.p_value
            if cut is not None:
                is_close = found.statistics.value > part.close * once(found.bound)
                found = found.pick(found.contenders(job, cut, is_close | found.is_bound))
        return replace(part, short=short, picked=left, moments=moments, closed=found)

    def _fill(
        self, part: BlockPart, rows: PairResults, at: IndexArray, texts: TextNumbers, tick: Tick
    ) -> str:
        """Write results of a part's pairs to `rows`, from closed forms or measured one by one.

        Returns how a function of the user's own failed first, if it did.
        """
        job, failure, bounds = self.job, "", np.full(len(at), np.nan)
        rows.measure[np.searchsorted(at, part.wanted)] = texts[part.measure.name]
        short, left = np.searchsorted(at, part.short), np.searchsorted(at, part.picked)
        rows.note[short] = texts[f"fewer than {part.least} shared rows"]
        rows.note[short[rows.n[short] == 0]] = texts["no shared rows"]
        if part.closed is not None:
            known = np.searchsorted(at, part.closed.at)
            part.closed.fill(rows, known, job, texts)
            bounds[known] = part.closed.bound
            if part.closed.statistics.sign is None and job.covariates is None:
                self._put_signs_of_levels(rows, part.measure, known, part.closed.at)
        if len(left):
            assert part.moments is not None
            how = self._columns(part.picked), part.moments, texts, tick
            bounds[left], failure = measure_by_pair(part.measure, job, self.memory, rows, left, *how)
        for k in np.flatnonzero((rows.observed > part.close * bounds) & (rows.null_std > 0)).tolist():
            (x,), (y,) = self._columns(at[k : k + 1])
            if _are_duplicates(job, x, y):
                rows.is_duplicate[k] = True
                rows.note[k] = texts.joined(tuple(texts)[rows.note[k]], DUPLICATES)
        return failure

    def _columns(self, at: IndexArray) -> tuple[list[Column], list[Column]]:
        """Return the x columns and the y columns of the pairs at these positions."""
        x = [self.x_columns[k] for k in self.first[at].tolist()]
        return x, [self.y_columns[k] for k in self.second[at].tolist()]

    def _put_signs_of_levels(
        self, rows: PairResults, measure: Measure[Any], known: IndexArray, at: IndexArray
    ) -> None:
        """Write the signs of the pairs in which a column has ordered categories."""
        sides = (self.x_columns, self.first), (self.y_columns, self.second)
        are_ordered = [np.array([c.is_ordered for c in columns])[places[at]] for columns, places in sides]
        for k in np.flatnonzero(are_ordered[0] | are_ordered[1]).tolist():
            (x,), (y,) = self._columns(at[k : k + 1])
            rows.sign[known[k]] = sign_code(sign_of_levels(measure, x, y, shared_rows(x, y)))


@dataclass(frozen=True, eq=False)
class ClosedForms:
    """Closed-form results of non-degenerate pairs, and a `choice` for each: use them, permute, or neither.

    `at` gives the positions of the pairs among those asked for. `tail` has the upper tails of the nulls at
    the observed values, and `p_value` the p-values as they are reported, no smaller than their bounds.
    """

    at: IndexArray
    statistics: PairStatistics
    bound: FloatArray
    nulls: NullDistributions
    choice: NDArray[np.int8]
    tail: FloatArray
    p_value: FloatArray

    @property
    def is_bound(self) -> BoolArray:
        """Flag p-values that are only upper bounds."""
        return self.tail < self.p_value

    @property
    def reliable(self) -> ClosedForms:
        """Results of the pairs whose closed-form null distribution is reliable."""
        return self.pick(np.flatnonzero(self.choice == Choice.CLOSED))

    def pick(self, rows: IndexArray) -> ClosedForms:
        """Return the results of the pairs at these ascending positions."""
        if len(rows) == len(self.at):
            return self
        return ClosedForms(
            at=self.at[rows],
            statistics=self.statistics.pick(rows),
            bound=self.bound[rows],
            nulls=self.nulls.pick(rows),
            choice=self.choice[rows],
            tail=self.tail[rows],
            p_value=self.p_value[rows],
        )

    def score_bounds(self, by: str) -> FloatArray:
        """Return an upper bound on each pair's score (the value `by`), computed without quantiles."""
        nulls, observed = self.nulls, self.statistics.value
        if by == "p_value":
            return -self.p_value
        if by == "adjusted":
            return quantify(observed, nulls.mean, self.bound)
        if by == "standardized":
            return standardize(observed, nulls.mean, nulls.std)
        return observed if nulls.low is None or by == "observed" else observed - nulls.low

    def contenders(self, job: Job, cut: Cut, is_kept: BoolArray) -> IndexArray:
        """Return the positions of pairs that may be among the best, and of all flagged `is_kept`."""
        most = self.score_bounds(job.by)
        rivals = np.flatnonzero(~is_kept & (most >= cut.least))
        if len(rivals) > cut.size:
            leaders = self.pick(np.sort(rivals[np.argpartition(most[rivals], -cut.size)[-cut.size :]]))
            scores_of_leaders = leaders.score_bounds(job.by)
            if job.by == "adjusted_at":
                quantiles = leaders.nulls.quantile(1 - job.alpha)
                scores_of_leaders = adjust_at(leaders.statistics.value, quantiles)
            rivals = rivals[most[rivals] >= scores_of_leaders.min()]
        return np.union1d(np.flatnonzero(is_kept), rivals)

    def fill(self, rows: PairResults, at: IndexArray, job: Job, texts: TextNumbers) -> None:
        """Write the results to `rows` at the positions `at`."""
        found, nulls, is_bound = self.statistics, self.nulls, self.is_bound
        rows.put(
            at,
            np.column_stack([nulls.quantile(1 - level) for level in job.levels]),
            **scores(found.value, self.bound, nulls.mean, nulls.std).columns(),
            sign=NO_SIGN if found.sign is None else found.sign,
            observed=found.value,
            p_value=self.p_value,
            is_bound=is_bound,
            p_kind=np.where(nulls.is_exact, PKind.EXACT, PKind.MATCHED),
            p_se=np.where(nulls.is_exact, 0.0, np.nan),
            matched_p=np.where(is_bound, self.tail, np.nan),
            null_mean=nulls.mean,
            null_std=nulls.std,
            standardized_se=0.0,
            adjusted_at_se=0.0,
            is_approximate=nulls.caveat > 0,
            still_follow=False if found.still_follow is None else found.still_follow,
        )
        rename = str if job.covariates is None else engine_given
        for code in np.unique(nulls.engine):
            rows.engine[at[nulls.engine == code]] = texts[rename(ENGINES[code].name)]
        for code in np.unique(nulls.caveat[nulls.caveat > 0]):
            rows.note[at[nulls.caveat == code]] = texts[level_note(CAVEATS[code])]
        if found.remarks is not None:
            for pair in np.flatnonzero(found.remarks != "").tolist():
                rows.note[at[pair]] = texts.joined(found.remarks[pair], tuple(texts)[rows.note[at[pair]]])


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
    tail = nulls.sf(found.value)
    p_value = np.maximum(tail, nulls.holds_to) if name == "auto" else tail
    return ClosedForms(at, found, found.bound, nulls, choice, tail, p_value)


def _are_duplicates(job: Job, x: Column, y: Column) -> bool:
    known = None if job.sums is None else are_duplicates(job.sums, x, y)
    return are_near_duplicates(x, y) if known is None else known
