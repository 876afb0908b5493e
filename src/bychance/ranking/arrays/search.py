"""Search for candidate pairs in a screen: the best pairs, or those with small matched p-values.

The proof that a screen loses no pair holds for matched p-values. It does not cover pairs whose matched
distribution is unreliable, for example of two skewed columns, since these are sampled by permutation. If such
pairs are few, all are measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np

from bychance.array_types import BoolArray, IntArray
from bychance.columns import Memory
from bychance.errors import BychanceError
from bychance.moments.column_pairs import ColumnPairs
from bychance.parallel import Workers, run_tasks
from bychance.ranking.arrays.bounds import Reach, exact_up_to
from bychance.ranking.arrays.columns import ArraysPlan
from bychance.ranking.arrays.lines import ColumnClass, Lines
from bychance.ranking.arrays.tiles import Passed, Screen
from bychance.ranking.block import closed_forms
from bychance.ranking.collector import RowsInMemory
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import Cut, Measured, PairResults, join_results, p_values_of_tests, scores_of
from bychance.ranking.resume import Parts

__all__ = ["MOST_SAMPLED", "Search", "Shortlist"]

MOST_SAMPLED = 100_000  # pairs with unreliable nulls up to which all are permuted: a minute with 500 rows
_MORE = 1.3  # candidates by |r| per pair wanted, since scores order pairs otherwise (taste, speed only)
_LOWER = 8.0  # factor by which p grows in the next search if candidates were too few (taste, speed only)
_TILE_BYTES = 2**28  # bytes of the x columns, or y columns, that are measured at a time (memory)
_MOST_PAIRS = 2**31  # pairs that may be measured in full (time)


@dataclass(frozen=True, slots=True, eq=False)
class Shortlist:
    """Candidate pairs with p-values, the number of tested pairs, and the level up to which q is exact.

    A q-value of up to `exact_q`, before Yekutieli's factor, is that of all p-values. Larger ones are upper
    bounds. `n_doubtful` counts pairs that a matched p-value admitted or left out, though the distribution may
    be far off. P-values are matched if `is_matched`, and otherwise sampled: `n_open` pairs stay undecided.
    """

    rows: PairResults
    n_tested: int
    exact_q: float
    n_doubtful: int = 0
    device: str = "cpu"
    is_matched: bool = False
    n_open: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Search for the best or significant column pairs by |r|, confirmed with moment-matched p-values."""

    screen: Screen
    job: Job
    workers: Workers
    tick: Callable[[int], None]

    def below(self, limit: float, parts: Parts) -> Shortlist:
        """Return all pairs with a moment-matched p ≤ `limit`, and those with unreliable p if few."""
        n_doubtful = _exclude_unreliable_columns(self.screen, self.job)
        reach, n_tested = self._reach(), self.screen.n_pairs()
        found = [_none()]
        if reach is not None:
            passed = self.screen.run(math.sqrt(reach.least_r2(limit)), tick=self.tick, parts=parts)
            rows = self._measured(passed)
            found.append(rows.pick(np.flatnonzero(p_values_of_tests(rows) <= limit)))
        for measured in self._unscreened(None):
            n_tested += int(np.count_nonzero(~np.isnan(measured.p_values)))
            is_wanted = p_values_of_tests(measured.rows) <= limit
            if not n_doubtful:
                is_wanted |= measured.rows.is_approximate
            found.append(measured.rows.pick(np.flatnonzero(is_wanted)))
        return Shortlist(_in_order(found), n_tested, limit, n_doubtful)

    def best(self, size: int) -> Shortlist:
        """Return candidates that include the `size` best pairs, with and without near-duplicates.

        All unscreened pairs are among them if they are few. If they are many, the p-values of those left out
        count as unknown.
        """
        n_doubtful = _exclude_unreliable_columns(self.screen, self.job)
        reach, n_screened = self._reach(), self.screen.n_pairs()
        best, passed, screened = RowsInMemory(self.job.by, size), None, _none()
        if reach is not None:
            passed, screened = self._passed(reach, size)
            best.add(_keys(screened), screened)
            best.compare()
        parts, others, left = [_none()], [np.empty(0)], [np.empty(0)]
        for measured in self._unscreened((lambda: best.cut) if n_doubtful else None):
            others.append(measured.p_values)
            left.append(np.delete(measured.p_values, measured.at))
            parts.append(measured.rows)
            best.add(_keys(measured.rows), measured.rows)
        rows = join_results(parts)
        if n_doubtful:
            best.compare()
            is_left = (scores_of(rows, self.job.by)[0] < best.cut.least) & ~rows.is_duplicate
            left.append(p_values_of_tests(rows)[is_left])
            rows = rows.pick(np.flatnonzero(~is_left))
        known, unknown = (np.concatenate(each) for each in (others, left))
        known, unknown = known[~np.isnan(known)], unknown[~np.isnan(unknown)]
        n_tested = n_screened + len(known)
        bounds = None if reach is None or passed is None else (passed, reach, self.screen.bound)
        exact = exact_up_to(bounds, known, n_tested, n_screened, unknown)
        return Shortlist(_in_order([screened, rows]), n_tested, exact, n_doubtful)

    def _passed(self, reach: Reach, size: int) -> tuple[Passed, PairResults]:
        """Return pairs found by |r|, with the `size` best without near-duplicates, and their results."""
        n_pairs = self.screen.n_pairs()
        keep, share = min(n_pairs, math.ceil(_MORE * size) + 64), min(1.0, 1.5 * size / n_pairs)
        while True:
            least_r = math.sqrt(reach.least_r2(share)) if keep < n_pairs else 0.0
            found = self.screen.run(least_r, keep=keep, is_counted=True, tick=self.tick)
            rows = self._measured(found)
            n_duplicates = int(rows.is_duplicate.sum())
            if len(rows) - n_duplicates >= size or len(rows) == n_pairs:
                break
            keep, share = min(n_pairs, 2 * keep + n_duplicates), min(1.0, share * _LOWER)
        if len(rows) == n_pairs:
            found.reach = 0.0
            return found, rows
        needed = self._least_r(reach, rows, size)
        if needed < found.reach:
            counts = found.counts
            found = self.screen.run(needed, tick=self.tick)
            found.counts = counts
            rows = self._measured(found)
        return found, rows

    def _least_r(self, reach: Reach, rows: PairResults, size: int) -> float:
        """Return the |r| below which no pair can be among the `size` best, from the results found so far."""
        by, scores = self.job.by, scores_of(rows, self.job.by)[0]
        scores = np.where(rows.is_duplicate | np.isnan(scores), -np.inf, scores)
        score = float(np.partition(scores, len(scores) - size)[len(scores) - size])
        if by == "p_value":
            r2 = reach.least_r2(-score)
        elif by == "adjusted_at":
            r2 = score + reach.least_r2(self.job.alpha)
        elif by == "standardized":
            r2 = reach.mean + score * reach.std if score > 0 else 0.0
        else:
            r2 = score if by == "observed" else reach.mean + score * (1 - reach.mean)
        return math.sqrt(max(r2, 0.0) * (1 - 1e-9))

    def _reach(self) -> Reach | None:
        """Return bounds that relate r² to p-values of the screened pairs, or None without such pairs."""
        if not self.screen.n_pairs():
            return None
        fourths = (facts.fourth[facts.is_screened] for facts in (self.screen.x.facts, self.screen.y.facts))
        return Reach.of(self.screen.sides.n_rows, *fourths)

    def _measured(self, passed: Passed) -> PairResults:
        """Return full results, with moment-matched nulls, of the pairs that passed the screen."""
        sides, matched = self.screen.sides, replace(self.job, null="moments")
        plan = ArraysPlan.of_pairs(sides, passed.x, passed.y + sides.first_of_y, matched, self.workers)
        blocks = self._blocks(plan, None, lambda steps: None)
        return join_results([_none(), *(found.rows for _, found in sorted(blocks, key=itemgetter(0)))])

    def _unscreened(self, cut: Callable[[], Cut] | None) -> Iterator[Measured]:
        """Measure the pairs excluded from the search by |r|, and yield their results block by block."""
        screen, matched = self.screen, replace(self.job, null="moments")
        n_pairs = screen.n_unscreened()
        if n_pairs > _MOST_PAIRS:
            raise BychanceError(
                f"{n_pairs:,} pairs have columns that cannot be screened, with missing values, rare values "
                f"or outliers, and at most {_MOST_PAIRS:,} can: fill or leave out such columns."
            )
        for x, y in _unscreened_tiles(screen):
            plan, used = screen.sides.plan_of_all(x, y, matched, self.workers)
            for _, measured in self._blocks(plan, cut, self.tick):
                ends = used[measured.rows.x], used[measured.rows.y]
                first, second = np.minimum(*ends).astype(np.int32), np.maximum(*ends).astype(np.int32)
                yield replace(measured, rows=replace(measured.rows, x=first, y=second))

    def _blocks(
        self, plan: Plan, cut: Callable[[], Cut] | None, tick: Callable[[int], None]
    ) -> Iterator[tuple[int, Measured]]:
        tasks = {number: partial(plan.block, number, cut) for number in range(len(plan.tiles))}
        for number, measured in run_tasks(tasks, n_jobs=self.workers.n_jobs, tick=tick):
            assert isinstance(measured, Measured)  # this cut is not shared
            yield number, measured


def _unscreened_tiles(screen: Screen) -> Iterator[tuple[IntArray, IntArray | None]]:
    """Yield column positions (x, y) of pairs that the search by |r| excludes, in small blocks.

    Each x is paired with each y. If y is None, the columns x are paired with each other.
    """
    size = max(1, _TILE_BYTES // (8 * screen.sides.n_rows))
    for x, y in _rectangles(screen):
        for top in range(0, len(x), size):
            some = x[top : top + size]
            if y is None and len(some) > 1:
                yield some, None
            others = x[top + size :] if y is None else y
            for left in range(0, len(others), size):
                yield some, others[left : left + size]


def _rectangles(screen: Screen) -> Iterator[tuple[IntArray, IntArray | None]]:
    first = screen.sides.first_of_y
    plain, two, odd = (np.flatnonzero(screen.y.facts.kind == kind) + first for kind in ColumnClass)
    if screen.sides.is_same:
        yield odd, None
        yield odd, np.union1d(plain, two)
        yield two, None
        return
    x_plain, x_two, x_odd = (np.flatnonzero(screen.x.facts.kind == kind) for kind in ColumnClass)
    yield x_odd, np.arange(len(screen.y.side)) + first
    yield np.union1d(x_plain, x_two), odd
    yield x_two, two


def _none() -> PairResults:
    nothing = np.empty(0, dtype=np.intp)
    return PairResults.unknown(nothing, nothing, np.empty(0, dtype=np.int64), 1)


def _in_order(parts: list[PairResults]) -> PairResults:
    """Join results, and sort the pairs by x and then by y."""
    rows = join_results(parts)
    return rows.pick(np.lexsort((rows.y, rows.x)))


def _keys(rows: PairResults) -> IntArray:
    """Return an integer key per pair, whose order is that of x and then of y."""
    return (rows.x.astype(np.int64) << 32) | rows.y


def _exclude_unreliable_columns(screen: Screen, job: Job) -> int:
    """Exclude columns with unreliable nulls from the search. If too many, return their number of pairs.

    Each column is judged with one of the other array: the one with the largest Σc⁴ (c: standardized values)
    among those with reliable nulls.
    """
    x, y, room, is_same = screen.x, screen.y, MOST_SAMPLED, screen.sides.is_same
    n_x, n_y = len(x.side), len(y.side)
    of_x, of_y = _with_large_moments(x, room // n_y + 1), _with_large_moments(y, room // n_x + 1)
    odd_y = of_y[~_have_reliable_null(y, of_y, y, None, job)]
    odd_x = of_x[~_have_reliable_null(x, of_x, y, _largest_fourth(y, odd_y), job)]
    odd_y = odd_x if is_same else of_y[~_have_reliable_null(y, of_y, x, _largest_fourth(x, odd_x), job)]
    n_unscreened = screen.n_unscreened() + len(odd_x) * n_y + (0 if is_same else len(odd_y) * n_x)
    if n_unscreened > room:
        return n_unscreened
    x.facts.kind[odd_x], y.facts.kind[odd_y] = ColumnClass.ODD, ColumnClass.ODD
    return 0


def _with_large_moments(lines: Lines, most: int) -> IntArray:
    """Return positions of the `most` columns with largest |Σc³|, and with largest Σc⁴ (c: standardized)."""
    known = np.flatnonzero(lines.facts.is_screened)
    figures = np.abs(lines.facts.third[known]), lines.facts.fourth[known]
    return np.unique(np.concatenate([known[np.argsort(-figure, kind="stable")[:most]] for figure in figures]))


def _largest_fourth(lines: Lines, odd: IntArray) -> IntArray:
    """Return the position of the non-binary column outside `odd` with largest Σc⁴, or an empty array."""
    left = np.setdiff1d(np.flatnonzero(lines.facts.kind == ColumnClass.PLAIN), odd)
    return left[np.argsort(-lines.facts.fourth[left], kind="stable")[:1]]


def _have_reliable_null(
    lines: Lines, numbers: IntArray, other: Lines, partner: IntArray | None, job: Job
) -> BoolArray:
    """Flag columns whose moment-matched null is reliable in a pair with `partner`, or with themselves."""
    are_reliable, (kinds, measure) = np.zeros(len(numbers), dtype=np.bool_), next(iter(job.measures.items()))
    if not len(numbers):
        return are_reliable
    columns = lines.side.columns(numbers)
    first = second = np.arange(len(columns))
    if partner is not None and len(partner):
        columns = *columns, *other.side.columns(partner)
        second = np.full(len(first), len(first))
    pairs = ColumnPairs(columns, columns, first, second, Memory(), is_listed=True)
    found = closed_forms(measure.forms[kinds], measure, replace(job, null="moments"), pairs)
    if found is not None:
        are_reliable[found.reliable.at] = found.reliable.nulls.is_valid
    return are_reliable
