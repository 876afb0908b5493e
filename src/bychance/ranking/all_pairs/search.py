"""Search for candidate pairs in a screen: the best pairs, or those with small matched p-values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.parallel import Workers, run_tasks
from bychance.ranking.all_pairs.doubtful import set_doubtful_aside
from bychance.ranking.all_pairs.lines import ColumnClass
from bychance.ranking.all_pairs.plans import ArraysPlan, plan_of_all
from bychance.ranking.all_pairs.reach import Reach, exact_up_to
from bychance.ranking.all_pairs.screen import Passed, Screen, Stripes
from bychance.ranking.collector import Best
from bychance.ranking.options import Job
from bychance.ranking.plan import Plan
from bychance.ranking.results import Cut, Measured, PairResults, join_results, p_values_of_tests, scores_of

__all__ = ["Shortlist", "best_pairs", "pairs_below"]

_MORE = 1.3  # candidates per pair that is kept: scores have another order than r²
_LOWER = 8.0  # how much larger the next p is where candidates were too few
_TILE_BYTES = 2**28  # of the columns on one side that are in hand
_MOST_PAIRS = 2**31  # that go without a screen

Tick = Callable[[int], None]
Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Shortlist:
    """Candidate pairs with matched p-values, and what is known about all other pairs.

    `other_p` are p-values of further pairs that were measured. A q-value of up to `exact_q`, before
    Yekutieli's factor, is that of all p-values. Larger ones are upper bounds. `n_doubtful` counts pairs that
    a matched p-value admitted or left out, though the distribution may be far off.
    """

    rows: PairResults
    other_p: Array
    n_tested: int
    exact_q: float
    n_doubtful: int = 0


def pairs_below(
    screen: Screen, job: Job, limit: float, workers: Workers, tick: Tick, stripes: Stripes
) -> Shortlist:
    """Return all pairs with a matched p-value of at most `limit`, and those with an unreliable one if few."""
    n_doubtful, matched = set_doubtful_aside(screen, job), replace(job, null="moments")
    reach, n_tested = _reach(screen), screen.n_pairs()
    parts = [_none(job)]
    if reach is not None:
        passed = screen.run(math.sqrt(reach.least_r2(limit)), tick=tick, stripes=stripes)
        rows = _measured(screen, passed, matched, workers)
        parts.append(rows.pick(np.flatnonzero(p_values_of_tests(rows) <= limit)))
    for measured in _unscreened(screen, matched, None, workers, tick):
        n_tested += int(np.count_nonzero(~np.isnan(measured.p_values)))
        is_wanted = p_values_of_tests(measured.rows) <= limit
        if job.null == "auto" and not n_doubtful:
            is_wanted |= measured.rows.is_approximate
        parts.append(measured.rows.pick(np.flatnonzero(is_wanted)))
    return Shortlist(_in_order(join_results(parts)), np.empty(0), n_tested, limit, n_doubtful)


def best_pairs(screen: Screen, job: Job, size: int, workers: Workers, tick: Tick) -> Shortlist:
    """Return candidate pairs that include the best by matched score, with and without near-duplicates.

    All unscreened pairs are among them if they are few. If they are many, the p-values of those left out
    count as unknown, unless the job asks for matched ones.
    """
    n_doubtful, matched = set_doubtful_aside(screen, job), replace(job, null="moments")
    reach, n_screened = _reach(screen), screen.n_pairs()
    best, of_screen, parts, screened = Best(job.by, size), _none(job), [_none(job)], None
    if reach is not None:
        passed, of_screen = _passed(screen, reach, matched, size, workers, tick)
        screened = passed, reach, screen.bound
        best.add(_keys(of_screen), of_screen)
        best.compare()
    is_listed = not n_doubtful and job.null == "auto"
    others, left = [np.empty(0)], [np.empty(0)]
    for measured in _unscreened(screen, matched, None if is_listed else lambda: best.cut, workers, tick):
        others.append(measured.p_values)
        left.append(np.delete(measured.p_values, measured.at))
        parts.append(measured.rows)
        best.add(_keys(measured.rows), measured.rows)
    rows = join_results(parts)
    if not is_listed and len(rows):
        best.compare()
        is_left = (scores_of(rows, job.by)[0] < best.cut.least) & ~rows.is_duplicate
        left.append(p_values_of_tests(rows)[is_left])
        rows = rows.pick(np.flatnonzero(~is_left))
    odd_p, other_p = np.concatenate(others), np.concatenate(left)
    n_tested = n_screened + int(np.count_nonzero(~np.isnan(odd_p)))
    unknown = np.empty(0) if job.null == "moments" else other_p[~np.isnan(other_p)]
    exact = exact_up_to(screened, odd_p, n_tested, n_screened, unknown)
    known = other_p if job.null == "moments" else np.empty(0)
    return Shortlist(_in_order(join_results([of_screen, rows])), known, n_tested, exact, n_doubtful)


def _passed(
    screen: Screen, reach: Reach, job: Job, size: int, workers: Workers, tick: Tick
) -> tuple[Passed, PairResults]:
    """Return screened pairs that include the `size` best, not counting near-duplicates, and their results."""
    n_pairs = screen.n_pairs()
    keep, share = min(n_pairs, math.ceil(_MORE * size) + 64), min(1.0, 1.5 * size / n_pairs)
    while True:
        least_r = math.sqrt(reach.least_r2(share)) if keep < n_pairs else 0.0
        found = screen.run(least_r, keep=keep, is_counted=True, tick=tick)
        rows = _measured(screen, found, job, workers)
        n_originals = len(rows) - int(rows.is_duplicate.sum())
        if n_originals >= size or len(rows) == n_pairs:
            break
        keep, share = min(n_pairs, 2 * keep + int(rows.is_duplicate.sum())), min(1.0, share * _LOWER)
    if len(rows) == n_pairs:
        found.reach = 0.0
        return found, rows
    needed = _least_r(reach, job, _least_kept_score(rows, job, size))
    if needed < found.reach:
        counts = found.counts
        found = screen.run(needed, tick=tick)
        found.counts = counts
        rows = _measured(screen, found, job, workers)
    return found, rows


def _least_r(reach: Reach, job: Job, score: float) -> float:
    """Return the smallest |r| that a pair with this score can have."""
    if job.by == "p_value":
        r2 = reach.least_r2(-score)
    elif job.by == "adjusted_at":
        r2 = score + reach.least_r2(job.alpha)
    elif job.by == "standardized":
        r2 = reach.mean + score * reach.std if score > 0 else 0.0
    else:
        r2 = score if job.by == "observed" else reach.mean + score * (1 - reach.mean)
    return math.sqrt(max(r2, 0.0) * (1 - 1e-9))


def _least_kept_score(rows: PairResults, job: Job, size: int) -> float:
    """Return the `size`-th best score, not counting near-duplicates."""
    score, _ = scores_of(rows, job.by)
    score = np.where(rows.is_duplicate | np.isnan(score), -np.inf, score)
    return float(np.partition(score, len(score) - size)[len(score) - size])


def _reach(screen: Screen) -> Reach | None:
    """Return the bounds between r² and p-value of all screened pairs, or None without pairs."""
    if not screen.n_pairs():
        return None
    fourths = (s.facts.fourth[s.facts.kind != ColumnClass.ODD] for s in (screen.x, screen.y))
    return Reach.of(screen.x.side.n_rows, *fourths)


def _in_order(rows: PairResults) -> PairResults:
    """Sort the pairs by x and then by y."""
    return rows.pick(np.lexsort((rows.y, rows.x)))


def _keys(rows: PairResults) -> Numbers:
    """Return an integer key per pair, sorted by x and then by y."""
    return (rows.x.astype(np.int64) << 32) | rows.y


def _measured(screen: Screen, passed: Passed, job: Job, workers: Workers) -> PairResults:
    """Measure the pairs that passed the screen."""
    sides = screen.x.side, screen.y.side
    y = passed.y + (0 if screen.is_same else len(sides[0]))
    plan = ArraysPlan.of_pairs(sides, passed.x, y, job, workers)
    blocks = _blocks(plan, None, workers, lambda steps: None)
    return join_results([_none(job), *(block.rows for _, block in sorted(blocks, key=itemgetter(0)))])


def _unscreened(
    screen: Screen, job: Job, cut: Callable[[], Cut] | None, workers: Workers, tick: Tick
) -> Iterator[Measured]:
    """Measure the pairs that are left out of the screen, and yield the results per block."""
    sides = screen.x.side, screen.y.side
    n_pairs = screen.n_unscreened()
    if n_pairs > _MOST_PAIRS:
        raise BychanceError(
            f"{n_pairs:,} pairs have columns that cannot be screened, with missing values, rare values or "
            f"outliers, and at most {_MOST_PAIRS:,} can: fill or leave out such columns."
        )
    for x, y, is_triangle in _tiles(screen):
        plan = plan_of_all(sides, x, y, job, workers, is_triangle=is_triangle)
        places = x if is_triangle else np.concatenate([x, y + (0 if screen.is_same else len(sides[0]))])
        for _, measured in _blocks(plan, cut, workers, tick):
            first, second = places[measured.rows.x], places[measured.rows.y]
            first, second = np.minimum(first, second), np.maximum(first, second)
            rows = replace(measured.rows, x=first.astype(np.int32), y=second.astype(np.int32))
            yield replace(measured, rows=rows)


def _blocks(
    plan: Plan, cut: Callable[[], Cut] | None, workers: Workers, tick: Tick
) -> Iterator[tuple[int, Measured]]:
    tasks = {number: partial(plan.block, number, cut) for number in range(len(plan.tiles))}
    for number, measured in run_tasks(tasks, n_jobs=workers.n_jobs, tick=tick):
        assert isinstance(measured, Measured)  # this cut is not shared
        yield number, measured


def _tiles(screen: Screen) -> Iterator[tuple[Numbers, Numbers, bool]]:
    """Yield the x and y columns of unscreened pairs, and whether both are one list paired with itself."""
    size = max(1, _TILE_BYTES // (8 * screen.x.side.n_rows))
    for x, y, is_triangle in _rectangles(screen):
        for top in range(0, len(x), size):
            for left in range(top if is_triangle else 0, len(y), size):
                some, others = x[top : top + size], y[left : left + size]
                is_once = is_triangle and left == top
                if len(some) > 1 or not is_once:
                    yield some, others, is_once


def _rectangles(screen: Screen) -> Iterator[tuple[Numbers, Numbers, bool]]:
    plain, two, odd = (np.flatnonzero(screen.y.facts.kind == kind) for kind in ColumnClass)
    if screen.is_same:
        yield odd, odd, True
        yield odd, np.union1d(plain, two), False
        yield two, two, True
        return
    x_plain, x_two, x_odd = (np.flatnonzero(screen.x.facts.kind == kind) for kind in ColumnClass)
    yield x_odd, np.arange(len(screen.y.side)), False
    yield np.union1d(x_plain, x_two), odd, False
    yield x_two, two, False


def _none(job: Job) -> PairResults:
    nothing = np.empty(0, dtype=np.intp)
    return PairResults.unknown(nothing, nothing, np.empty(0, dtype=np.int64), len(job.sweep))
