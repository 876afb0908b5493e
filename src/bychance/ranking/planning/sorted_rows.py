"""Tables that were sorted: by which columns, one within the other, and the runs of rows that this makes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance.columns import Column, codes_of
from bychance.kinds import Kind

__all__ = ["SortedRows", "sorted_rows_of"]

_SHORTEST_RUN = 5  # rows on average, in which neighbors can be compared
_SINGLE_ROWS = 2.0  # rows per run on average, of tables whose order is that of their categories
_MOST_LEVELS, _FEWEST_LEVELS = 12, 3
_BY_CHANCE = math.log(1e-6)
_RESTARTS = 3  # files may stand one below the other


@dataclass(frozen=True, slots=True, eq=False)
class SortedRows:
    """The columns that the rows are sorted by, the run that each row is in, and columns that recur in runs.

    Runs are those of equal values in the columns with ties. `cycles` hold the codes of columns that are in
    order within runs, as a factor of an experiment is. Where categories alone put each row in its place, as
    in a list of all their combinations, `is_listing`.
    """

    columns: frozenset[int]
    runs: NDArray[np.int64]
    cycles: tuple[NDArray[np.int64], ...]
    is_listing: bool


def sorted_rows_of(columns: Sequence[Column], series: NDArray[np.int64]) -> SortedRows:
    """What the rows are sorted by within the series that they are in.

    >>> from bychance.io import read_table
    >>> sites, days = ["a"] * 12 + ["b"] * 12, [*range(12)] * 2
    >>> table = read_table({"x": [3, 1, 2, 9, 8, 7] * 4, "site": sites, "day": days})
    >>> found = sorted_rows_of(table.columns, np.zeros(24, dtype=np.int64))
    >>> sorted(table.names[k] for k in found.columns), len(np.unique(found.runs))
    (['day', 'site'], 2)
    """
    runs = _numbered(series[1:] != series[:-1])
    codes = {k: codes_of(c, None).astype(np.int64) for k, c in enumerate(columns) if c.is_missing is None}
    found, taken, kept = set[int](), list[int](), runs
    for _ in range(_MOST_LEVELS):
        left = codes.keys() - set(taken)
        ends = {k: _changes(codes[k], runs) for k in left if _is_sorted(columns[k], codes[k], runs)}
        found |= ends.keys()
        tied = {k: 1 + int(np.count_nonzero(is_end)) for k, is_end in ends.items() if _has_ties(codes[k])}
        finer = [k for k, n_runs in sorted(tied.items()) if n_runs > runs[-1] + 1]
        if not finer:
            break
        taken.append(min(finer, key=tied.__getitem__))
        runs = _numbered(ends[taken[-1]])
        kept = runs if tied[taken[-1]] * _SHORTEST_RUN <= len(runs) else kept
    found |= {k for k in codes if _is_sorted(columns[k], codes[k], kept)}
    cycles = tuple(codes[k] for k in sorted(found) if _has_ties(codes[k]) and _varies(codes[k], kept))
    n_categorical = sum(columns[k].kind is Kind.CATEGORICAL for k in taken)
    is_listing = n_categorical >= _FEWEST_LEVELS and len(runs) <= _SINGLE_ROWS * (runs[-1] + 1)
    return SortedRows(frozenset(found), kept, cycles, is_listing)


def _is_sorted(column: Column, codes: NDArray[np.int64], runs: NDArray[np.int64]) -> bool:
    """Whether numbers rise in all runs or fall in all, or categories come one after the other in each.

    In short runs this may come by chance: the probability is Πc!/m! for m rows with c of each value, times
    d! for d categories in any order.
    """
    n_values = int(codes.max()) + 1
    is_numeric = column.kind is Kind.NUMERIC
    if is_numeric:
        steps = np.diff(codes)[runs[1:] == runs[:-1]]
        backward = min(steps[steps < 0], steps[steps > 0], key=len)
        # Where files stand one below the other, it goes back by most of its range.
        if len(backward) > _RESTARTS or (2 * np.abs(backward) < n_values).any():
            return False
    cells, counts = np.unique(runs * n_values + codes, return_counts=True)
    if not is_numeric and 1 + np.count_nonzero(_changes(codes, runs)) > len(cells) + _RESTARTS:
        return False
    chance = special.gammaln(counts + 1).sum() - special.gammaln(np.bincount(runs) + 1).sum()
    if not is_numeric:
        chance += special.gammaln(np.bincount(cells // n_values) + 1).sum()
    return bool(chance < _BY_CHANCE)


def _has_ties(codes: NDArray[np.int64]) -> bool:
    return (int(codes.max()) + 1) * _SHORTEST_RUN <= len(codes)


def _varies(codes: NDArray[np.int64], runs: NDArray[np.int64]) -> bool:
    return bool(np.diff(codes)[runs[1:] == runs[:-1]].any())


def _changes(codes: NDArray[np.int64], runs: NDArray[np.int64]) -> NDArray[np.bool_]:
    changes: NDArray[np.bool_] = (codes[1:] != codes[:-1]) | (runs[1:] != runs[:-1])
    return changes


def _numbered(is_new: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(is_new)]).astype(np.int64)
