"""A block of pairs → their rows: pure, small, and carrying all it needs, so that it can run anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import Column
from bychance.kinds import Kind
from bychance.nulls.laws import once
from bychance.pairs import n_shared
from bychance.ranking.closed_form import Cut, Figures, Sides, known_at_once
from bychance.ranking.duplicates import DUPLICATES, are_near_duplicates
from bychance.ranking.job import Job
from bychance.ranking.order import p_values_of_tests
from bychance.ranking.pair_rows import Measured, Rows, TextList
from bychance.ranking.pearson import are_complete
from bychance.ranking.per_pair import measure_one_by_one
from bychance.ranking.screen import Screened, screen
from bychance.ranking.side_memory import SideMemory
from bychance.ranking.streamed import StreamedSides, are_duplicates, has_sums_for, shared_counts
from bychance.ranking.ties import join_ties, rows_alike, ties_of
from bychance.ranking.trace_rows import join_traces

__all__ = ["Block", "Looked", "measure_block", "measured_together"]

# An estimate so close to its bound is looked at more closely: the columns may be near-duplicates. Where r² is
# above 0.999, Kendall's τ² is about 0.96 of its bound, and ξ little less.
_CLOSE = (0.9, 0.999)  # of two numeric columns, and where one has labels

Kinds = tuple[Kind, Kind]
Picked = dict[Kinds, tuple[NDArray[np.intp], Screened]]


@dataclass(frozen=True, eq=False)
class Block:
    """Pairs of the columns on either side, by their places there (`first`, `second`).

    `x` and `y` are the columns' positions in the table; the columns are one list where both sides hold the
    same. With a cut, only rows that can be among the best are wanted; where it has a tally, `starts` are the
    numbers of each x's first pair. Where `is_listed`, the pairs are few of all that the columns make.
    """

    x_columns: tuple[Column, ...]
    y_columns: tuple[Column, ...]
    x: NDArray[np.intp]
    y: NDArray[np.intp]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    job: Job
    cut: Cut | None = None
    memory: SideMemory = field(default_factory=SideMemory)
    is_listed: bool = False
    starts: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.first)

    def run(self, tick: Callable[[int], None]) -> Measured | Looked:
        """Measure the pairs, or look at them so far as a thread can without Python."""
        screened = _screened(self)
        looked = _looked(self, screened)
        if looked is not None:
            tick(len(self))
            return looked
        return _measured(self, screened, tick)

    def n_shared(self) -> NDArray[np.int64]:
        """How many rows each pair shares."""
        if self.job.sums is not None:
            counts = shared_counts(self.job.sums, self.x_columns, self.y_columns)
            return counts[self.first, self.second]
        if all(self.memory.of("complete", side, are_complete) for side in (self.x_columns, self.y_columns)):
            return np.broadcast_to(np.int64(len(self.x_columns[0])), len(self))
        shared: NDArray[np.int64] = n_shared(self.x_columns, self.y_columns)[self.first, self.second]
        return shared

    def of_kinds(self, kinds: Kinds) -> NDArray[np.bool_]:
        """Which pairs are of these two kinds."""
        if self._are_all(kinds):
            return np.broadcast_to(np.True_, len(self))
        (_, x), (_, y) = self._of(self.x_columns, kinds[0]), self._of(self.y_columns, kinds[1])
        of_kinds: NDArray[np.bool_] = (x[self.first] >= 0) & (y[self.second] >= 0)
        return of_kinds

    def picked(self, kinds: Kinds, n: NDArray[np.int64], least: int) -> NDArray[np.intp]:
        """Which pairs are of these two kinds and have at least so many of the n shared rows."""
        if len(once(n)) == 1 and n[0] >= least and self._are_all(kinds):
            return np.arange(len(self))
        return np.flatnonzero(self.of_kinds(kinds) & (n >= least))

    def sides(self, picked: NDArray[np.intp], kinds: Kinds) -> Sides:
        """The columns of these two kinds, and some of their pairs as places among them."""
        (x, x_place), (y, y_place) = self._of(self.x_columns, kinds[0]), self._of(self.y_columns, kinds[1])
        first, second = self.first, self.second
        if len(picked) < len(self):
            first, second = first[picked], second[picked]
        if x is not self.x_columns:
            first = x_place[first]
        if y is not self.y_columns:
            second = y_place[second]
        if self.job.sums is not None:
            return StreamedSides(x, y, first, second, self.memory, sums=self.job.sums)
        return Sides(x, y, first, second, self.memory, self.is_listed)

    def _are_all(self, kinds: Kinds) -> bool:
        sides = zip((self.x_columns, self.y_columns), kinds, strict=True)
        return all(self._of(side, kind)[0] is side for side, kind in sides)

    def _of(self, side: Sequence[Column], kind: Kind) -> tuple[Sequence[Column], NDArray[np.intp]]:
        return self.memory.of(kind, side, lambda columns: _of_kind(columns, kind))


def measure_block(block: Block, tick: Callable[[int], None] = lambda steps: None) -> Measured:
    """Every pair of the block with its null and adjustments; `tick` hears how many are done.

    >>> from bychance.ranking.job import make_job
    >>> from bychance.ranking.plan import make_plan
    >>> from bychance.table import read_table
    >>> table = read_table({"a": np.arange(20.0), "b": np.arange(20.0) ** 2})
    >>> job = make_job(measure="r2", null="paper", by="adjusted", alpha=0.05, min_n=10, fdr="bh", rng=0)
    >>> rows = measure_block(make_plan(table, job).block(0)).rows
    >>> rows.n.tolist(), rows.observed.round(3).tolist()
    ([20], [0.932])
    """
    return _measured(block, _screened(block), tick)


@dataclass(frozen=True, eq=False)
class Looked:
    """A block whose p-values are in the tally, and of its pairs those that can be wanted.

    Rows take Python, of which only one thread runs at a time, and milliseconds however few they are: those of
    many blocks are made at once.
    """

    block: Block
    kinds: Kinds
    scores: NDArray[np.float64]
    sides: Sides
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.block)

    def above(self, least: float) -> Looked:
        """Without the pairs that score less."""
        at = np.flatnonzero(self.scores >= least)
        if len(at) == len(self.scores):
            return self
        return replace(self, scores=self.scores[at], sides=self.sides.at(at), numbers=self.numbers[at])


def _looked(block: Block, screened: Picked) -> Looked | None:
    """What was seen of the block, where that is all about all of its pairs and this process has a tally."""
    tally = None if block.cut is None else block.cut.tally
    if tally is None or block.starts is None or len(screened) != 1:
        return None
    ((kinds, (picked, found)),) = screened.items()
    is_whole = len(picked) == len(block) and found.sides.x is block.x_columns
    if not (is_whole and found.sides.y is block.y_columns and found.are_all_known):
        return None
    _native.put_runs(tally.p_values, block.starts, block.first, found.p_values)
    first = block.first[found.wanted]
    numbers = block.starts[first] + found.wanted - np.searchsorted(block.first, first)
    return Looked(block, kinds, found.scores, found.sides, numbers)


def measured_together(looked: Sequence[Looked], cut: Cut) -> tuple[NDArray[np.int64], Measured]:
    """The wanted pairs of all these blocks by their numbers, and their rows as far as the cut leaves them."""
    job, memory, kinds = looked[0].block.job, looked[0].block.memory, looked[0].kinds
    lists: dict[int, tuple[Sequence[Column], NDArray[np.intp], NDArray[np.float64]]] = {}
    known = []
    for each in looked:
        block, traces = each.block, each.sides.traces
        assert traces is not None  # of what was looked at they are known
        known.append(traces)
        lists[id(block.x_columns)] = block.x_columns, block.x, traces.x_invariants
        lists[id(block.y_columns)] = block.y_columns, block.y, traces.y_invariants
    parts, places, invariants = zip(*lists.values(), strict=True)
    ends = np.cumsum([len(part) for part in parts])
    start = dict(zip(lists, [0, *ends[:-1].tolist()], strict=True))
    columns = tuple(column for part in parts for column in part)
    first = np.concatenate([each.sides.first + start[id(each.block.x_columns)] for each in looked])
    second = np.concatenate([each.sides.second + start[id(each.block.y_columns)] for each in looked])
    joint = SideMemory()
    joint.of("alike", columns, lambda _: np.concatenate([rows_alike(part, memory) for part in parts]))
    joint.of("ties", columns, lambda _: join_ties([ties_of(part, memory) for part in parts]))
    traces = join_traces(known, np.concatenate(invariants), (first, second))
    sides = Sides(columns, columns, first, second, joint, traces=traces)
    position, everything = np.concatenate(places), np.arange(len(first))
    found = Screened(np.full(len(first), np.nan), everything, np.empty(0), sides, are_all_known=True)
    block = Block(columns, columns, position, position, first, second, job, cut, joint)
    numbers = np.concatenate([each.numbers for each in looked])
    return numbers, _measured(block, {kinds: (everything, found)}, lambda steps: None)


def _screened(block: Block) -> Picked:
    """By kinds: which pairs they have, and which of these can be wanted, as far as that is known at once."""
    found: Picked = {}
    if block.cut is None or block.job.sums is not None:
        return found
    n, job = block.n_shared(), block.job
    for kinds, measure in job.measures.items():
        form, picked = measure.algebra(*kinds), block.picked(kinds, n, max(job.min_n, measure.min_n))
        if form is None or not len(picked):
            continue
        sides, close = block.sides(picked, kinds), _CLOSE[Kind.CATEGORICAL in kinds]
        screened = screen(form, measure, job, sides, block.cut, close)
        if screened is not None:
            found[kinds] = picked, screened
    return found


def _measured(block: Block, looked_at: Picked, tick: Callable[[int], None]) -> Measured:
    job, texts = block.job, TextList()
    n = block.n_shared()
    p_values = np.full(len(block), np.nan)
    is_wanted = np.full(len(block), block.cut is None or block.cut.least == -np.inf)
    done: dict[Kinds, tuple[NDArray[np.intp], NDArray[np.float64], Figures | None]] = {}
    for kinds, measure in job.measures.items():
        form, known, figures = measure.algebra(*kinds), None, None
        close = _CLOSE[Kind.CATEGORICAL in kinds]
        if kinds in looked_at:
            picked, screened = looked_at[kinds]
            tick(len(picked) - len(screened.wanted))
            if len(picked) == len(block):
                is_wanted[:], p_values = False, screened.p_values.copy()
            else:
                is_wanted[picked], p_values[picked] = False, screened.p_values
            sides, picked = screened.sides, picked[screened.wanted]
        else:
            picked = block.picked(kinds, n, max(job.min_n, measure.min_n))
            sides = block.sides(picked, kinds)
        has_form = form is not None if job.sums is None else has_sums_for(form)
        if form is not None and has_form and len(picked):
            known = known_at_once(form, measure, job, sides)
        is_left = np.ones(len(picked), dtype=np.bool_)
        if known is not None:
            is_left[known.figures.at] = False
            figures = replace(known.figures, at=picked[known.figures.at])
            tick(len(figures.at))
            p_values[figures.at] = figures.p_value
            if block.cut is not None:
                is_wanted[figures.at] = False
                is_close = figures.observed > close * once(figures.bound)
                if job.is_automatic:
                    is_close |= figures.is_stretched
                figures = figures.pick(figures.contenders(job, block.cut, is_close))
                is_wanted[figures.at] = True
        left = np.flatnonzero(is_left)
        is_wanted[picked[left]] = True
        moments = np.full((2, len(left)), np.nan)
        if known is not None:
            moments[:, np.searchsorted(left, known.sampled)] = known.mean, known.std
        done[kinds] = picked[left], moments, figures
    at = np.flatnonzero(is_wanted)
    rows = Rows.unknown(block.x[block.first[at]], block.y[block.second[at]], n[at], len(job.sweep))
    for kinds, (left, moments, figures) in done.items():
        _fill(block, rows, kinds, at, left, moments, figures, texts, tick)
    rows = replace(rows, texts=texts.texts())
    p_values[at] = p_values_of_tests(rows)
    return Measured(rows, at, p_values, is_open=rows.is_open)


def _fill(
    block: Block,
    rows: Rows,
    kinds: Kinds,
    at: NDArray[np.intp],
    left: NDArray[np.intp],
    moments: NDArray[np.float64],
    figures: Figures | None,
    texts: TextList,
    tick: Callable[[int], None],
) -> None:
    """Write the rows of two kinds: `figures` as they are, what is left pair by pair."""
    job, measure = block.job, block.job.measures[kinds]
    of_kinds = block.of_kinds(kinds)
    rows.measure[of_kinds[at]] = texts.number(measure.name)
    least = max(job.min_n, measure.min_n)
    is_short = of_kinds[at] & (rows.n < least)
    rows.note[is_short] = texts.number(f"fewer than {least} shared rows")
    rows.note[is_short & (rows.n == 0)] = texts.number("no shared rows")
    bounds = np.full(len(rows), np.nan)
    if figures is not None:
        known = np.searchsorted(at, figures.at)
        figures.fill(rows, known, job, texts)
        bounds[known] = figures.bound
    if len(left):
        columns = (
            [block.x_columns[k] for k in block.first[left]],
            [block.y_columns[k] for k in block.second[left]],
        )
        alone = np.searchsorted(at, left)
        bounds[alone] = measure_one_by_one(measure, job, rows, alone, columns, moments, texts, tick)
    tick(int(is_short.sum()))
    is_close = rows.observed > _CLOSE[Kind.CATEGORICAL in kinds] * bounds
    for k in np.flatnonzero(is_close & (rows.null_std > 0)):
        if _are_duplicates(job, block.x_columns[block.first[at[k]]], block.y_columns[block.second[at[k]]]):
            rows.is_duplicate[k] = True
            notes = (texts.texts()[rows.note[k]], DUPLICATES)
            rows.note[k] = texts.number("; ".join(filter(None, notes)))


def _are_duplicates(job: Job, x: Column, y: Column) -> bool:
    known = None if job.sums is None else are_duplicates(job.sums, x, y)
    return are_near_duplicates(x, y) if known is None else known


def _of_kind(columns: Sequence[Column], kind: Kind) -> tuple[Sequence[Column], NDArray[np.intp]]:
    """The columns of a kind, and of every column its place among these, −1 where it has none."""
    is_of = np.array([column.kind is kind for column in columns], dtype=np.bool_)
    those = columns if is_of.all() else [columns[k] for k in np.flatnonzero(is_of).tolist()]
    return those, np.where(is_of, np.cumsum(is_of) - 1, -1)
