"""Measurement of one block of pairs, with all its inputs in one object for any thread or process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column, are_complete, shared_rows
from bychance.kinds import Kind
from bychance.memory import Memory
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.from_sums import are_duplicates, has_sums_for, shared_counts
from bychance.nulls.choose import Choice
from bychance.nulls.distributions import once
from bychance.nulls.statistics import PairStatistics
from bychance.pair import sign_of_levels
from bychance.pairs import n_shared, n_shared_listed
from bychance.ranking.best import Cut
from bychance.ranking.by_pair import measure_by_pair
from bychance.ranking.candidates import Candidates
from bychance.ranking.closed_forms import ClosedForms, closed_forms
from bychance.ranking.duplicates import DUPLICATES, are_near_duplicates
from bychance.ranking.options import Job
from bychance.ranking.results import NO_SIGN, Measured, PairResults, TextNumbers, p_values_of_tests
from bychance.ranking.screen import Screened, screen

__all__ = ["Block", "measure_block"]

# An estimate so close to its bound is looked at more closely: the columns may be near-duplicates. Where r² is
# above 0.999, Kendall's τ² is about 0.96 of its bound, and ξ little less.
_CLOSE = (0.9, 0.999)  # of two numeric columns, and where one has categories

Kinds = tuple[Kind, Kind]


class BlockPart(NamedTuple):
    """Pairs of a block that are of two given kinds, and those among them with enough rows."""

    of_kinds: NDArray[np.bool_]
    picked: NDArray[np.intp]
    pairs: ColumnPairs  # of the picked


ScreenedParts = dict[Kinds, tuple[BlockPart, Screened]]


@dataclass(frozen=True, eq=False)
class Block:
    """One block of pairs: their columns, given by index (`first`, `second`), and the options.

    `x` and `y` are the columns' positions in the table. Both sides are one list if their columns are the
    same. With a cut, only rows that may be among the best are kept. If it has a tally, `starts` are the
    numbers of each x's first pair. `is_listed` says that the pairs are few of all that the columns make.
    `known` has the statistics of pairs of one kind, if a screen computed them.
    """

    x_columns: tuple[Column, ...]
    y_columns: tuple[Column, ...]
    x: NDArray[np.intp]
    y: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    job: Job
    cut: Cut | None = None
    memory: Memory = field(default_factory=Memory)
    is_listed: bool = False
    starts: NDArray[np.int64] | None = None
    known: PairStatistics | None = None

    @classmethod
    def listed(
        cls, candidates: Candidates, job: Job, cut: Cut | None = None, memory: Memory | None = None
    ) -> Block:
        """Return a block of the pairs that passed a screen."""
        (x_columns, x), (y_columns, y) = candidates.x, candidates.y
        own, known = memory or Memory(), candidates.statistics
        places = x_columns, y_columns, x, y, candidates.first, candidates.second
        return cls(*places, job, cut, own, is_listed=True, known=known)

    def __len__(self) -> int:
        return len(self.first)

    def __getstate__(self) -> dict[str, Any]:
        """Return the pickled state, without the stream sums of unused columns."""
        if self.job.sums is None:
            return self.__dict__
        names = {column.name for column in (*self.x_columns, *self.y_columns)}
        return {**self.__dict__, "job": replace(self.job, sums=self.job.sums.only(names))}

    def run(self, tick: Callable[[int], None]) -> Measured | Candidates:
        """Measure the pairs, or only screen them if no Python code is needed."""
        screened = {} if self.cut is None else _screened(self, self.cut)
        if screened and (candidates := _candidates(self, screened)) is not None:
            tick(len(self))
            return candidates
        return _measured(self, screened, tick)

    def n_shared(self) -> NDArray[np.int64]:
        """Count the rows per pair with both values present."""
        if self.job.sums is not None:
            counts = shared_counts(self.job.sums, self.x_columns, self.y_columns)
            return counts[self.first, self.second]
        if all(self.memory.of("complete", side, are_complete) for side in (self.x_columns, self.y_columns)):
            return np.broadcast_to(np.int64(len(self.x_columns[0].values)), len(self.first))
        if self.is_listed:
            return n_shared_listed(self.x_columns, self.y_columns, self.first, self.second)
        shared: NDArray[np.int64] = n_shared(self.x_columns, self.y_columns)[self.first, self.second]
        return shared

    def part(self, kinds: Kinds, n: NDArray[np.int64], least: int) -> BlockPart:
        """Return the pairs of these two kinds with at least `least` shared rows."""
        (x, x_place), (y, y_place) = (
            self.memory.of(kind, side, partial(_of_kind, kind=kind))
            for kind, side in zip(kinds, (self.x_columns, self.y_columns), strict=True)
        )
        first = self.first if x is self.x_columns else x_place[self.first]
        second = self.second if y is self.y_columns else y_place[self.second]
        is_whole = x is self.x_columns and y is self.y_columns
        of_kinds = np.broadcast_to(np.True_, len(n)) if is_whole else (first >= 0) & (second >= 0)
        if is_whole and len(once(n)) == 1 and n[0] >= least:
            picked = np.arange(len(n))
        else:
            picked = np.flatnonzero(of_kinds & (n >= least))
            first, second = first[picked], second[picked]
        pairs = ColumnPairs(x, y, first, second, self.memory, self.is_listed, self.job.sums, self.known)
        return BlockPart(of_kinds, picked, pairs)


def measure_block(block: Block) -> Measured:
    """Measure every pair of the block, with its null and adjustments.

    >>> from bychance.ranking.api import plan_ranking
    >>> table = {"a": np.arange(20.0), "b": np.arange(20.0) ** 2}
    >>> rows = measure_block(plan_ranking(table, measure="r2", null="paper").block(0)).rows
    >>> rows.n.tolist(), rows.observed.round(3).tolist()
    ([20], [0.932])
    """
    return _measured(block, {} if block.cut is None else _screened(block, block.cut), lambda steps: None)


def _candidates(block: Block, screened: ScreenedParts) -> Candidates | None:
    """Return the screened candidates, or None if some p-values are unknown or processes differ."""
    tally = None if block.cut is None else block.cut.tally
    if tally is None or block.starts is None or len(screened) != 1:
        return None
    ((part, found),) = screened.values()
    is_whole = len(part.picked) == len(block) and found.pairs.x is block.x_columns
    if not (is_whole and found.pairs.y is block.y_columns and found.are_all_known):
        return None
    _native.put_runs(tally.p_values, block.starts, block.first, found.p_values)
    first, second = block.first[found.wanted], block.second[found.wanted]
    numbers = block.starts[first] + found.wanted - np.searchsorted(block.first, first)
    sides = (block.x_columns, block.x), (block.y_columns, block.y)
    return Candidates(*sides, first, second, numbers, found.scores, found.pairs.known)


def _screened(block: Block, cut: Cut) -> ScreenedParts:
    """Return the pairs per two kinds, and the candidates among them that a screen can find."""
    found: ScreenedParts = {}
    if block.job.sums is not None or block.known is not None:
        return found
    n, job = block.n_shared(), block.job
    for kinds, measure in job.measures.items():
        form, part = measure.forms.get(kinds), block.part(kinds, n, max(job.min_n, measure.min_n))
        if form is None or not len(part.picked):
            continue
        screened = screen(form, measure, job, part.pairs, cut, _CLOSE[Kind.CATEGORICAL in kinds])
        if screened is not None:
            found[kinds] = part, screened
    return found


def _measured(block: Block, screened_parts: ScreenedParts, tick: Callable[[int], None]) -> Measured:
    job, texts = block.job, TextNumbers({"": 0})
    n = block.n_shared()
    p_values = np.full(len(n), np.nan)
    is_wanted = np.full(len(n), block.cut is None or block.cut.least == -np.inf)
    done: dict[Kinds, tuple[BlockPart, NDArray[np.intp], NDArray[np.float64], ClosedForms | None]] = {}
    for kinds, measure in job.measures.items():
        form, known, figures = measure.forms.get(kinds), None, None
        close = _CLOSE[Kind.CATEGORICAL in kinds]
        if kinds in screened_parts:
            part, screened = screened_parts[kinds]
            tick(len(part.picked) - len(screened.wanted))
            if len(part.picked) == len(n):
                is_wanted[:], p_values = False, screened.p_values.copy()
            else:
                is_wanted[part.picked], p_values[part.picked] = False, screened.p_values
            sides, picked = screened.pairs, part.picked[screened.wanted]
        else:
            part = block.part(kinds, n, max(job.min_n, measure.min_n))
            sides, picked = part.pairs, part.picked
        has_form = form is not None if job.sums is None else has_sums_for(form)
        if form is not None and has_form and len(picked):
            known = closed_forms(form, measure, job, sides)
        is_left = np.ones(len(picked), dtype=np.bool_)
        if known is not None:
            figures = known.sure
            is_left[figures.at] = False
            figures = replace(figures, at=picked[figures.at])
            tick(len(figures.at))
            p_values[figures.at] = figures.p_value
            if block.cut is not None:
                is_wanted[figures.at] = False
                is_close = (figures.observed > close * once(figures.bound)) | figures.is_bound
                figures = figures.pick(figures.contenders(job, block.cut, is_close))
                is_wanted[figures.at] = True
        left = np.flatnonzero(is_left)
        is_wanted[picked[left]] = True
        moments = np.full((2, len(left)), np.nan)
        if known is not None:
            sampled = np.flatnonzero(known.choice == Choice.SAMPLE)
            nulls = known.nulls.mean[sampled], known.nulls.std[sampled]
            moments[:, np.searchsorted(left, known.at[sampled])] = nulls
        done[kinds] = part, picked[left], moments, figures
    at = np.flatnonzero(is_wanted)
    rows = PairResults.unknown(block.x[block.first[at]], block.y[block.second[at]], n[at], len(job.sweep))
    failures = [
        _fill(block, rows, kinds, at, part.of_kinds[at], left, moments, figures, texts, tick)
        for kinds, (part, left, moments, figures) in done.items()
    ]
    rows = replace(rows, texts=tuple(texts))
    p_values[at] = p_values_of_tests(rows)
    return Measured(rows, at, p_values, next(filter(None, failures), ""))


def _fill(
    block: Block,
    rows: PairResults,
    kinds: Kinds,
    at: NDArray[np.intp],
    of_kinds: NDArray[np.bool_],
    left: NDArray[np.intp],
    moments: NDArray[np.float64],
    figures: ClosedForms | None,
    texts: TextNumbers,
    tick: Callable[[int], None],
) -> str:
    """Write results of pairs of two kinds, from closed forms or else pair by pair.

    Returns how a function of the user's own failed first, where it did.
    """
    job, measure, failure = block.job, block.job.measures[kinds], ""
    rows.measure[of_kinds] = texts[measure.name]
    least = max(job.min_n, measure.min_n)
    is_short = of_kinds & (rows.n < least)
    rows.note[is_short] = texts[f"fewer than {least} shared rows"]
    rows.note[is_short & (rows.n == 0)] = texts["no shared rows"]
    bounds = np.full(len(at), np.nan)
    if figures is not None:
        known = np.searchsorted(at, figures.at)
        figures.fill(rows, known, job, texts)
        bounds[known] = figures.bound
        if figures.sign is None and job.covariates is None:
            _put_signs_of_levels(block, rows, measure, known, figures.at)
    if len(left):
        columns = (
            [block.x_columns[k] for k in block.first[left]],
            [block.y_columns[k] for k in block.second[left]],
        )
        alone = np.searchsorted(at, left)
        bounds[alone], failure = measure_by_pair(
            measure, job, block.memory, rows, alone, columns, moments, texts, tick
        )
    tick(int(is_short.sum()))
    is_close = rows.observed > _CLOSE[Kind.CATEGORICAL in kinds] * bounds
    for k in np.flatnonzero(is_close & (rows.null_std > 0)):
        if _are_duplicates(job, block.x_columns[block.first[at[k]]], block.y_columns[block.second[at[k]]]):
            rows.is_duplicate[k] = True
            notes = (tuple(texts)[rows.note[k]], DUPLICATES)
            rows.note[k] = texts["; ".join(filter(None, notes))]
    return failure


def _put_signs_of_levels(
    block: Block, rows: PairResults, measure: Any, known: NDArray[np.intp], at: NDArray[np.intp]
) -> None:
    """Write the signs of associations with ordered categories."""
    sides = (block.x_columns, block.first), (block.y_columns, block.second)
    are_ordered = [np.array([c.is_ordered for c in columns])[places[at]] for columns, places in sides]
    for k in np.flatnonzero(are_ordered[0] | are_ordered[1]).tolist():
        x, y = (columns[places[at[k]]] for columns, places in sides)
        sign = sign_of_levels(measure, x, y, shared_rows(x, y))
        rows.sign[known[k]] = NO_SIGN if sign is None else sign


def _are_duplicates(job: Job, x: Column, y: Column) -> bool:
    known = None if job.sums is None else are_duplicates(job.sums, x, y)
    return are_near_duplicates(x, y) if known is None else known


def _of_kind(columns: Sequence[Column], kind: Kind) -> tuple[Sequence[Column], NDArray[np.intp]]:
    """Return the columns of a kind, and each column's index among them (−1 if of another kind)."""
    is_of = np.array([column.kind is kind for column in columns], dtype=np.bool_)
    those = columns if is_of.all() else [columns[k] for k in np.flatnonzero(is_of).tolist()]
    return those, np.where(is_of, np.cumsum(is_of) - 1, -1)
