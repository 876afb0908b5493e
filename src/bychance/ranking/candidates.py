"""Candidate pairs that passed a screen, with their columns and scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, rows_alike
from bychance.memory import Memory
from bychance.moments.ties import Ties, ties_of
from bychance.nulls.statistics import PairStatistics, joined

__all__ = ["Candidates", "put_together"]

Positions = NDArray[np.intp]
Side = tuple[tuple[Column, ...], Positions]
"""Columns and their positions in the table, or in their array."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidate pairs as indices into the columns of x and of y, with their numbers among all pairs.

    `scores` are those that the screen found, and `statistics` what it computed.
    """

    x: Side
    y: Side
    first: Positions
    second: Positions
    numbers: NDArray[np.int64]
    scores: NDArray[np.float64]
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
    """Merge candidates into pairs over one list of columns, with the cache of these columns.

    Making rows takes milliseconds of Python per call, in one thread at a time. So rows of many blocks are
    made at once.
    """
    sides: dict[int, tuple[Side, NDArray[np.float64]]] = {}
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
    ties = Ties.joined([ties_of(own, memory) for own, _ in lists])
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
