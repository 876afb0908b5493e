"""A screen → the pairs that may be the best, or that have a small p-value, by their matched distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.ranking.all_pairs.exact import listed_rows
from bychance.ranking.all_pairs.lines import ColumnClass
from bychance.ranking.all_pairs.odd_pairs import odd_pairs
from bychance.ranking.all_pairs.rates import exact_up_to, rate_factor
from bychance.ranking.all_pairs.reach import Reach
from bychance.ranking.all_pairs.screen import Candidates, Screen
from bychance.ranking.all_pairs.sides import Side
from bychance.ranking.job import Job
from bychance.ranking.kept.best import Cut
from bychance.ranking.results import (
    PairResults,
    join_results,
    p_values_of_tests,
    places,
    q_values,
    rates_of,
    scores_of,
)

__all__ = ["Found", "Shortlist", "best_pairs", "judged", "pairs_below"]

_MORE = 1.3  # candidates per pair that is kept: scores have another order than r²
_LOWER = 8.0  # how much larger the next p is where candidates were too few

Tick = Callable[[int], None]
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Shortlist:
    """Pairs that passed a screen, by their columns' numbers, and what is known of all others.

    `other_p` are the p-values of further pairs that were looked at in float64. A q-value of up to `exact_q`,
    before Yekutieli's factor, is that of all p-values. Larger ones are upper bounds.
    """

    rows: PairResults
    other_p: Array
    n_tested: int
    exact_q: float


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Rows of pairs by their columns' numbers, with places and q-values among all.

    q-values up to `exact_q` are those that all p-values give, larger ones are upper bounds. `n_found` counts
    q-values below the level, of all pairs whose p-values are known.
    """

    rows: PairResults
    place: NDArray[np.uint32]
    q_value: Array
    n_found: int
    exact_q: float
    n_tested: int
    n_duplicates: int

    def pick(self, index: NDArray[np.intp]) -> Found:
        """Some of the rows."""
        rows, place, q_value = self.rows.pick(index), self.place[index], self.q_value[index]
        return replace(self, rows=rows, place=place, q_value=q_value)


def judged(shortlist: Shortlist, job: Job, size: int | None = None) -> Found:
    """Return the best `size` pairs of a shortlist, with and without near-duplicates, or all."""
    rows, n_tested = shortlist.rows, shortlist.n_tested
    place = places(_native.descending_order(*scores_of(rows, job.by)))
    chosen = np.arange(len(rows))
    if size is not None:
        chosen = np.flatnonzero((place <= size) | _is_among_originals(place, rows.is_duplicate, size))
    picked, factor = rows.pick(chosen), rate_factor(job.fdr, n_tested)
    known = np.concatenate([p_values_of_tests(rows), shortlist.other_p])
    rates = rates_of(known, known, n_tested, factor)
    return Found(
        picked,
        place[chosen],
        q_values(rates[chosen], picked),
        int(np.count_nonzero(rates < job.fdr_level)),
        min(1.0, shortlist.exact_q * factor),
        n_tested,
        int(rows.is_duplicate.sum()),
    )


def _is_among_originals(
    place: NDArray[np.uint32], is_duplicate: NDArray[np.bool_], size: int
) -> NDArray[np.bool_]:
    """Flag the best `size` rows that are not near-duplicates."""
    originals = np.sort(place[~is_duplicate])
    last = originals[min(size, len(originals)) - 1] if len(originals) else 0
    is_original: NDArray[np.bool_] = ~is_duplicate & (place <= last)
    return is_original


def pairs_below(screen: Screen, job: Job, limit: float, n_jobs: int | None, tick: Tick) -> Shortlist:
    """All pairs with a p-value of at most the limit."""
    job = replace(job, null="moments")
    reach, n_tested = _reach(screen), screen.n_pairs()
    parts = [_none(job)]
    if reach is not None:
        found = screen.run(math.sqrt(reach.least_r2(limit)), tick=tick)
        listed = listed_rows(_sides(screen), found.x, found.y, job)
        parts += [rows.pick(np.flatnonzero(p_values_of_tests(rows) <= limit)) for rows in listed]
    for measured in odd_pairs(screen.x, screen.y, job, None, n_jobs, tick):
        n_tested += int(np.count_nonzero(~np.isnan(measured.p_values)))
        parts.append(measured.rows.pick(np.flatnonzero(p_values_of_tests(measured.rows) <= limit)))
    rows = _oriented(join_results(parts), screen.is_same)
    return Shortlist(rows, np.empty(0), n_tested, limit)


def best_pairs(screen: Screen, job: Job, size: int, n_jobs: int | None, tick: Tick) -> Shortlist:
    """Pairs that hold the best by their scores, with and without near-duplicates.

    All figures are those of matched distributions. Unless the job asks for these, p-values of pairs without
    rows count as unknown.
    """
    is_matched, job = job.null == "moments", replace(job, null="moments")
    reach, n_screened = _reach(screen), screen.n_pairs()
    parts, cut, screened = [_none(job)], Cut(size, -np.inf), None
    if reach is not None:
        found, rows = _candidates(screen, reach, job, size, tick)
        screened = found, reach, screen.bound
        parts.append(rows)
        if len(rows) >= size:
            cut = Cut(size, _score_at(rows, job, size))
    others, left = [np.empty(0)], [np.empty(0)]
    for measured in odd_pairs(screen.x, screen.y, job, cut, n_jobs, tick):
        others.append(measured.p_values)
        left.append(np.delete(measured.p_values, measured.at))
        parts.append(measured.rows)
    rows, odd_p = _oriented(join_results(parts), screen.is_same), np.concatenate(others)
    n_tested = n_screened + int(np.count_nonzero(~np.isnan(odd_p)))
    other_p = np.concatenate(left)
    unknown = np.empty(0) if is_matched else other_p[~np.isnan(other_p)]
    exact = exact_up_to(screened, odd_p, n_tested, n_screened, unknown)
    return Shortlist(rows, other_p if is_matched else np.empty(0), n_tested, exact)


def _candidates(
    screen: Screen, reach: Reach, job: Job, size: int, tick: Tick
) -> tuple[Candidates, PairResults]:
    """Pairs that hold the best of those that are screened, near-duplicates aside, and their rows."""
    n_pairs = screen.n_pairs()
    keep, share = min(n_pairs, math.ceil(_MORE * size) + 64), min(1.0, 1.5 * size / n_pairs)
    while True:
        least_r = math.sqrt(reach.least_r2(share)) if keep < n_pairs else 0.0
        found = screen.run(least_r, keep=keep, is_counted=True, tick=tick)
        rows = join_results([_none(job), *listed_rows(_sides(screen), found.x, found.y, job)])
        n_originals = len(rows) - int(rows.is_duplicate.sum())
        if n_originals >= size or len(rows) == n_pairs:
            break
        keep, share = min(n_pairs, 2 * keep + int(rows.is_duplicate.sum())), min(1.0, share * _LOWER)
    if len(rows) == n_pairs:
        found.reach = 0.0
        return found, rows
    needed = _least_r(reach, job, _score_at(rows, job, size))
    if needed < found.reach:
        counts = found.counts
        found = screen.run(needed, tick=tick)
        found.counts = counts
        rows = join_results([_none(job), *listed_rows(_sides(screen), found.x, found.y, job)])
    return found, rows


def _least_r(reach: Reach, job: Job, score: float) -> float:
    """What |r| a pair has at least that reaches this score."""
    if job.by == "p_value":
        r2 = reach.least_r2(-score)
    elif job.by == "adjusted_at":
        r2 = score + reach.least_r2(job.alpha)
    elif job.by == "standardized":
        r2 = reach.mean + score * reach.std if score > 0 else 0.0
    else:
        r2 = score if job.by == "observed" else reach.mean + score * (1 - reach.mean)
    return math.sqrt(max(r2, 0.0) * (1 - 1e-9))


def _score_at(rows: PairResults, job: Job, size: int) -> float:
    """The score of the last pair that is kept, near-duplicates aside."""
    score, _ = scores_of(rows, job.by)
    score = np.where(rows.is_duplicate | np.isnan(score), -np.inf, score)
    return float(np.partition(score, len(score) - size)[len(score) - size])


def _reach(screen: Screen) -> Reach | None:
    """That of all screened pairs; None where there is none."""
    if not screen.n_pairs():
        return None
    fourths = (s.facts.fourth[s.facts.kind != ColumnClass.ODD] for s in (screen.x, screen.y))
    return Reach.of(screen.x.side.n_rows, *fourths)


def _sides(screen: Screen) -> tuple[Side, Side]:
    return screen.x.side, screen.y.side


def _oriented(rows: PairResults, is_same: bool) -> PairResults:
    """The rows in canonical order; of one array the earlier column is x."""
    x, y = (np.minimum(rows.x, rows.y), np.maximum(rows.x, rows.y)) if is_same else (rows.x, rows.y)
    order = np.lexsort((y, x))
    rows.x[:], rows.y[:] = x, y
    return rows.pick(order)


def _none(job: Job) -> PairResults:
    nothing = np.empty(0, dtype=np.intp)
    return PairResults.unknown(nothing, nothing, np.empty(0, dtype=np.int64), len(job.sweep))
