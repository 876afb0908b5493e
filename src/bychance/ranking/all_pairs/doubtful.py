"""Columns whose matched null distributions are unreliable at this number of rows, excluded from the screen.

The proof that a screen loses no pair holds for matched p-values. It does not cover pairs whose matched
distribution is unreliable, for example of two skewed columns, since these are sampled by permutation. If such
pairs are few, all are measured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bychance.memory import Memory
from bychance.moments.column_pairs import ColumnPairs
from bychance.ranking.all_pairs.lines import ColumnClass
from bychance.ranking.all_pairs.screen import Screen
from bychance.ranking.all_pairs.sides import Lines
from bychance.ranking.block import closed_forms
from bychance.ranking.options import Job

__all__ = ["MOST_SAMPLED", "set_doubtful_aside"]

MOST_SAMPLED = 100_000  # pairs without a sure distribution that are sampled: a minute with 500 rows

Numbers = NDArray[np.intp]


def set_doubtful_aside(screen: Screen, job: Job) -> int:
    """Exclude columns with unreliable nulls from the screen. Return 0, or the unscreened pairs if too many.

    Each column is judged with one of the other array: the one with the largest Σc⁴ (c: standardized values)
    among those with reliable nulls.
    """
    if job.null != "auto":
        return 0
    x, y, room = screen.x, screen.y, MOST_SAMPLED
    n_x, n_y = len(x.side), len(y.side)
    of_x, of_y = _suspects(x, room // n_y + 1), _suspects(y, room // n_x + 1)
    odd_y = of_y[~_are_sure(y, of_y, y, None, job)]
    odd_x = of_x[~_are_sure(x, of_x, y, _worst(y, odd_y), job)]
    odd_y = odd_x if screen.is_same else of_y[~_are_sure(y, of_y, x, _worst(x, odd_x), job)]
    n_pairs = len(odd_x) * n_y + (0 if screen.is_same else len(odd_y) * n_x)
    n_unscreened = screen.n_unscreened() + n_pairs
    if n_unscreened > room:
        return n_unscreened
    x.facts.kind[odd_x], y.facts.kind[odd_y] = ColumnClass.ODD, ColumnClass.ODD
    return 0


def _suspects(lines: Lines, most: int) -> Numbers:
    """Return the columns with the largest Σc³ and Σc⁴ (c: standardized values), at most `most` by each."""
    known = np.flatnonzero(lines.facts.kind != ColumnClass.ODD)
    figures = np.abs(lines.facts.third[known]), lines.facts.fourth[known]
    return np.unique(np.concatenate([known[np.argsort(-figure, kind="stable")[:most]] for figure in figures]))


def _worst(lines: Lines, odd: Numbers) -> int | None:
    """Return the non-binary column with the largest Σc⁴ (c: standardized values) outside `odd`."""
    left = np.setdiff1d(np.flatnonzero(lines.facts.kind == ColumnClass.PLAIN), odd)
    return int(left[np.argmax(lines.facts.fourth[left])]) if len(left) else None


def _are_sure(
    lines: Lines, numbers: Numbers, other: Lines, partner: int | None, job: Job
) -> NDArray[np.bool_]:
    """Flag columns whose null distribution is reliable when paired with `partner`, or with themselves."""
    are_sure, (kinds, measure) = np.zeros(len(numbers), dtype=np.bool_), next(iter(job.measures.items()))
    if not len(numbers):
        return are_sure
    columns = lines.side.columns(numbers)
    first = second = np.arange(len(columns))
    if partner is not None:
        columns = *columns, *other.side.columns(np.array([partner]))
        second = np.full(len(first), len(first))
    pairs = ColumnPairs(columns, columns, first, second, Memory(), is_listed=True)
    found = closed_forms(measure.forms[kinds], measure, replace(job, null="moments"), pairs)
    if found is not None:
        are_sure[found.sure.at] = found.sure.nulls.is_trusted
    return are_sure
