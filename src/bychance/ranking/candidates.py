"""Pairs of a block that may be among the best, found in one native call, with their columns and scores.

For complete numeric columns whose null is a Beta distribution, a kernel converts sums of products to
p-values. Pairs that cannot be among the best need nothing more. The others are measured in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from bychance import _native
from bychance.array_types import FloatArray, IndexArray, IntArray
from bychance.columns import Column, Memory, rows_alike
from bychance.measures import Measure
from bychance.measures.structures import LINES, Algebra, Limit, Matrix, Trace, Unit
from bychance.moments.column_pairs import ColumnPairs
from bychance.moments.complete import room
from bychance.moments.dispatch import products_of
from bychance.moments.ties import cluster_sizes, ties_of
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.nulls.statistics import PairStatistics, joined
from bychance.ranking.options import Job
from bychance.ranking.results import Cut

__all__ = ["Candidates", "Screened", "put_together", "screen"]

Side = tuple[tuple[Column, ...], IndexArray]
"""Columns and their positions in the table, or in their array."""


class Screened(NamedTuple):
    """P-values of all pairs (NaN if unknown), and the pairs that may be among the best.

    The p-values are overwritten by this thread's next block.
    """

    p_values: FloatArray
    wanted: IndexArray
    scores: FloatArray  # of the wanted pairs, infinite where they are wanted anyway
    pairs: ColumnPairs  # of the wanted pairs
    are_all_known: bool  # whether the distributions of all these stand


def screen(
    form: Algebra, measure: Measure[Any], job: Job, pairs: ColumnPairs, cut: Cut, close: float
) -> Screened | None:
    """Return p-values, and the pairs that may be among the best or near-duplicates. None without a kernel."""
    if not isinstance(form, Trace) or not _has_kernel(form, job) or len(pairs.x[0]) <= MOST_ENUMERATED:
        return None
    products = products_of(pairs, form)
    if products is None or products.sums is None:
        return None
    p_values = room("p_values", (len(pairs.first),))
    wanted, scores, are_all_known = _native.screen_lines(
        products.x.native,
        products.y.native,
        products.n,
        products.sums,
        pairs.first,
        pairs.second,
        _limits(form.x, pairs.x, pairs.memory),
        _limits(form.x, pairs.y, pairs.memory),
        job.null == "auto",
        close,
        job.by,
        job.alpha,
        cut.least,
        cut.leaders or _native.Leaders(cut.size),
        p_values,
    )
    chosen = pairs.at(wanted)
    chosen = replace(chosen, known=products.rows(chosen.first, chosen.second))
    return Screened(p_values, wanted, scores, chosen, are_all_known)


def _has_kernel(form: Trace, job: Job) -> bool:
    """Return True if the measure is a squared correlation whose null is a Beta distribution."""
    is_matched = job.covariates is None and job.null in ("auto", "moments")
    is_share = form.distribution == "beta" and form.unit is Unit.ONE and form.limit is Limit.ONE
    return is_matched and is_share and form.x in LINES and form.y in LINES


def _limits(matrix: Matrix, side: Sequence[Column], memory: Memory) -> FloatArray:
    """Return two counts per column of rows unlike its most common values, and its smallest possible p-value.

    The counts are of rows that differ from its most common value and of those outside its largest cluster.
    There is one row for each of the three.
    """

    def find(columns: Sequence[Column]) -> FloatArray:
        n = len(columns[0])
        floor = np.exp(ties_of(columns, memory) - special.gammaln(n + 1.0))
        alike = memory.of("alike", columns, rows_alike), cluster_sizes(matrix, columns, memory)
        return np.vstack([np.maximum(n - np.array(alike), 0), floor])

    return memory.of(f"limits of {matrix.value}", side, find)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate pairs as indices into lists of x and y columns, with their numbers among all pairs.

    `scores` are those that the screen found, and `statistics` what it computed.
    """

    x: Side
    y: Side
    first: IndexArray
    second: IndexArray
    numbers: IntArray
    scores: FloatArray
    statistics: PairStatistics | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def above(self, least: float) -> Candidates:
        """Return the candidates with at least this score."""
        at = np.flatnonzero(self.scores >= least)
        if len(at) == len(self.scores):
            return self
        statistics = None if self.statistics is None else self.statistics.pick(at)
        places = self.first[at], self.second[at], self.numbers[at], self.scores[at]
        return Candidates(self.x, self.y, *places, statistics)


def put_together(parts: Sequence[Candidates], memory: Memory) -> tuple[Candidates, Memory]:
    """Merge candidates of several blocks over a joint list of columns, and return them with a cache.

    Making rows takes milliseconds of Python per call, in one thread at a time. So rows of many blocks are
    made at once.
    """
    sides: dict[int, tuple[Side, FloatArray]] = {}
    for part in parts:
        assert part.statistics is not None
        assert part.statistics.invariants is not None
        for side, known in zip((part.x, part.y), part.statistics.invariants, strict=True):
            sides[id(side[0])] = side, known
    lists, invariants = zip(*sides.values(), strict=True)
    ends = np.cumsum([len(positions) for _, positions in lists])
    start = dict(zip(sides, [0, *ends[:-1].tolist()], strict=True))
    columns = tuple(column for own, _ in lists for column in own)
    joint = Memory()
    alike = np.concatenate([memory.of("alike", own, rows_alike) for own, _ in lists])
    ties = np.concatenate([ties_of(own, memory) for own, _ in lists])
    joint.of("alike", columns, lambda _: alike)
    joint.of("ties", columns, lambda _: ties)
    first = np.concatenate([part.first + start[id(part.x[0])] for part in parts])
    second = np.concatenate([part.second + start[id(part.y[0])] for part in parts])
    found = [part.statistics for part in parts if part.statistics is not None]
    side = columns, np.concatenate([positions for _, positions in lists])
    numbers, scores = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("numbers", "scores")
    )
    statistics = joined(found, np.concatenate(invariants), (first, second))
    return Candidates(side, side, first, second, numbers, scores, statistics), joint
