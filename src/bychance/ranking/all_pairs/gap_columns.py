"""Which columns have gaps, and which can be screened on the rows that they share with others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bychance.ranking.all_pairs.backend import Backend
from bychance.ranking.all_pairs.lines import ColumnClass, most_others
from bychance.ranking.all_pairs.masked import masked_lines
from bychance.ranking.all_pairs.sides import Lines

__all__ = ["MOST_FOURTH", "TWO_VALUES", "GapColumns", "gaps_of", "most_fourth"]

MOST_FOURTH = 0.3  # Σc⁴ on the shared rows
_MORE_FOURTH = 4.0  # how much larger it may be there than any column's on all its rows
# To nulls/matching.py a column has two values where Σ(z − u)²(z − v)² is at most 1e-7·q²·Σc⁴, and
# gap_screen.py bounds q²·Σc⁴.
TWO_VALUES = 1e-6

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class GapColumns:
    """Of each column of a side: whether it has gaps, can be screened with gaps, and has many values."""

    has_gaps: Flags
    is_usable: Flags
    is_many: Flags
    fourth: NDArray[np.float64]  # Σz⁴ of usable columns, else 0

    @classmethod
    def none(cls, n_columns: int) -> GapColumns:
        """Columns none of which are screened with gaps."""
        flags = np.zeros((3, n_columns), dtype=np.bool_)
        return cls(flags[0], flags[1], flags[2], np.zeros(n_columns))

    @classmethod
    def of(cls, lines: Lines, backend: Backend, has_gaps: Flags, *, is_every: bool) -> GapColumns:
        """Those of a side; complete columns are looked at only where the other side has gaps (`is_every`)."""
        side, known = lines.side, cls.none(len(lines.side))
        known.has_gaps[:] = has_gaps
        is_wanted = has_gaps | (lines.facts.kind != ColumnClass.ODD) if is_every else has_gaps
        wanted, step = np.flatnonzero(is_wanted), backend.block_columns(side.n_rows)
        for numbers in (wanted[start : start + step] for start in range(0, len(wanted), step)):
            with backend.stream():
                values = backend.put(side.picked(numbers))
            m = masked_lines(values, backend.xp)
            n, most_alike, root, spread, triples, is_sound = (
                backend.fetch(figure)
                for figure in (m.n, m.most_alike, m.root, m.spread, m.n_triples, m.is_sound)
            )
            fewest = np.array([most_others(max(int(k), 1)) for k in n])
            is_usable = is_sound & (root**4 <= MOST_FOURTH) & (n - most_alike > fewest)
            known.is_usable[numbers] = is_usable
            known.is_many[numbers] = triples * spread > TWO_VALUES * root**4
            known.fourth[numbers] = np.where(is_usable, root**4, 0.0)
        return known


def most_fourth(x: GapColumns, y: GapColumns) -> float:
    """Up to which Σc⁴ on shared rows pairs are judged: the less, the nearer their laws are to each other."""
    largest = max(float(side.fourth.max(initial=0.0)) for side in (x, y))
    return min(MOST_FOURTH, _MORE_FOURTH * largest)


def gaps_of(lines: Lines) -> Flags:
    """Which columns have gaps; all of these are odd."""
    side, has_gaps = lines.side, np.zeros(len(lines.side), dtype=np.bool_)
    if side.values.dtype.kind == "f":
        odd = np.flatnonzero(lines.facts.kind == ColumnClass.ODD)
        for numbers in (odd[start : start + 1024] for start in range(0, len(odd), 1024)):
            has_gaps[numbers] = np.isnan(side.picked(numbers)).any(axis=0)
    return has_gaps
