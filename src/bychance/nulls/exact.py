"""Exact null distributions over all permutations: tables, Kendall's S, ranks, or enumeration.

In:  a measure, two prepared variables, and how much work is allowed.
Out: a discrete null, or a CostError that says how much work it would be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial, reduce
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.columns import coded
from bychance.errors import CostError
from bychance.measures.base import Measure
from bychance.measures.structures import CellSum, PairSum, RootOf, SignSum, Structure, TraceForm
from bychance.messages import Call, Option
from bychance.nulls.arrangements import (
    AUTO_ARRANGEMENTS,
    FEW_TABLES,
    fewest_arrangements,
    group_sizes,
    has_few_tables,
    log_arrangements,
    log_table_count,
    table_count,
)
from bychance.nulls.base import DiscreteNull, Null
from bychance.nulls.kendall import Ties, has_exact_distribution, s_distribution
from bychance.pair import Pair

__all__ = [
    "MAX_ARRANGEMENTS",
    "MAX_RANK_NULL_N",
    "MOST_ENUMERATED",
    "cheap_exact",
    "enumerate_null",
    "exact_null",
    "fourfold_null",
    "hypergeometric",
    "is_evenly_spaced",
    "kendall_null",
    "rank_null",
    "too_many_arrangements",
]

_TABLE_OPERATIONS = 3e7  # several seconds
MAX_ARRANGEMENTS = 4_000_000
MAX_KENDALL_N = 400
MAX_FOURFOLD_ENTRIES = 2e8  # rows of all pairings that are looked at: a few seconds
_CHUNK = 1 << 16  # entries of permutation rows in flight
Groups = tuple[NDArray[np.intp], NDArray[np.intp]]

MAX_RANK_NULL_N = 12  # a few hundredths of a second, once
MOST_ENUMERATED = 20  # rows of which all arrangements are looked at, if they are few
_AUTO_TABLE_OPERATIONS = 1e6
_AUTO_KENDALL_N = 200


def exact_null(measure: Measure[Any], x: Any, y: Any, structures: tuple[Structure, ...]) -> Null:
    """Return the exact null distribution by the cheapest method, or raise a CostError."""
    for structure in structures:
        if (cells := _cells_of(structure)) is not None:
            return _table_null(*cells, max_operations=_TABLE_OPERATIONS, reason="asked for")
        if isinstance(structure, SignSum) and has_exact_distribution(*structure.ties):
            return kendall_null([structure.ties], structure.scale, reason="asked for")
    max_tables = int(MAX_FOURFOLD_ENTRIES // x.n)
    fourfold = fourfold_null(measure, x, y, structures, max_tables=max_tables, reason="asked for")
    if fourfold is not None:
        return fourfold
    if (count := fewest_arrangements(x, y)) > MAX_ARRANGEMENTS:
        raise too_many_arrangements(count)
    return _enumerate_pair(measure, x, y, reason="asked for")


def _cells_of(structure: Structure) -> tuple[CellSum, float | None] | None:
    """Return the structure's sum over table cells, and its factor if the measure is a root, or None."""
    if isinstance(structure, RootOf):
        return next(s for s in structure.base if isinstance(s, CellSum)), structure.factor
    return (structure, None) if isinstance(structure, CellSum) else None


def _table_null(
    cells: CellSum, root_factor: float | None, *, max_operations: float, reason: str
) -> DiscreteNull:
    """Return the null distribution over all contingency tables with these totals.

    With a root factor, the values are √(factor · value).
    """
    try:
        values, probabilities = _native.table_law(cells.function, cells.rows, cells.columns, max_operations)
    except OverflowError:
        raise CostError(
            f"the exact law over about {table_count(cells.rows, cells.columns):.1e} tables takes more than "
            f"{max_operations:.0e} operations; "
            + Option("null", "moments")
            + " and "
            + Option("null", Call("`bc.Permutation()`", "permutation"))
            + " are quick."
        ) from None
    measured = cells.offset + cells.scale * values
    if root_factor is not None:
        measured = np.sqrt(np.maximum(measured * root_factor, 0.0))
    return DiscreteNull.of(measured, probabilities, engine="exact tables", reason=reason)


def kendall_null(strata: Sequence[tuple[int, Ties, Ties]], scale: float, *, reason: str) -> DiscreteNull:
    """Return the null distribution of scale · (Σ S)² over strata, for Kendall's S.

    In each stratum at most one variable may have ties.
    """
    if (n := max(n for n, _, _ in strata)) > MAX_KENDALL_N:
        raise CostError(
            f"the exact law of kendall takes at most {MAX_KENDALL_N} rows, got {n}; "
            + Option("null", "moments")
            + " is quick; its mean and variance are exact."
        )
    law = reduce(np.convolve, (s_distribution(*ties) for ties in strata))
    # S and −S give one value of τ², so the distribution folds at 0.
    s = np.arange(len(law) - 1.0, -1.0, -2.0)
    folded = law[: len(s)].copy()
    folded[: len(law) // 2] += law[::-1][: len(law) // 2]
    return DiscreteNull.of(s**2 * scale, folded, engine="exact Kendall", reason=reason)


def fourfold_null(
    measure: Measure[Any], x: Any, y: Any, structures: tuple[Structure, ...], *, max_tables: int, reason: str
) -> DiscreteNull | None:
    """Return the exact null of any measure of two binary variables, over all 2 × 2 tables.

    A sum over pairs of rows is a quadratic function of one cell, which three tables determine. Return None
    if a variable has more than two values, or if more than `max_tables` would have to be evaluated.
    """
    x_groups, y_groups = _two_groups(x), _two_groups(y)
    if x_groups is None or y_groups is None:
        return None
    together, weights = hypergeometric(x.n, len(x_groups[1]), len(y_groups[1]))
    is_quadratic = any(isinstance(s, TraceForm | SignSum | PairSum) for s in structures)
    if len(together) > max_tables and not is_quadratic:
        return None
    if is_quadratic and len(together) > 3:
        nodes = together[[0, len(together) // 2, -1]]
        draws = _interpolate(nodes, _evaluate_tables(measure, x, y, x_groups, y_groups, nodes), together)
    else:
        draws = _evaluate_tables(measure, x, y, x_groups, y_groups, together)
    return DiscreteNull.folded(draws, weights, engine="exact tables", reason=reason)


def hypergeometric(n: int, a: int, b: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the possible overlaps of two sets of a and b rows among n, with their relative weights."""
    both = np.arange(max(0, a + b - n), min(a, b) + 1)
    m = both[:-1].astype(np.float64)
    steps = np.log((a - m) * (b - m)) - np.log((m + 1) * (n - a - b + m + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    return both, np.exp(logs - logs.max())


def _evaluate_tables(
    measure: Measure[Any], x: Any, y: Any, x_groups: Groups, y_groups: Groups, together: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the measure for each number of rows that have the higher value of both variables."""
    (x_others, x_rows), (y_others, y_rows) = x_groups, y_groups
    n, a = x.n, len(x_rows)
    draws, size = [], max(_CHUNK // n, 1)
    for part in np.split(together, range(size, len(together), size)):
        permutations = np.empty((len(part), n), dtype=np.int32)
        for row, m in zip(permutations, part, strict=True):
            row[x_rows] = np.concatenate([y_rows[:m], y_others[: a - m]])
            row[x_others] = np.concatenate([y_rows[m:], y_others[a - m :]])
        draws.append(values_under(measure, x, y, permutations))
    return np.concatenate(draws)


def _interpolate(
    nodes: NDArray[np.int64], values: NDArray[np.float64], at: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Evaluate at `at` the quadratic function through three points."""
    found = np.zeros(len(at))
    for node, value in zip(nodes, values, strict=True):
        others = nodes[nodes != node]
        found += value * np.prod([(at - other) / (node - other) for other in others], axis=0)
    return found


def too_many_arrangements(count: float, where: str = "") -> CostError:
    """Return the CostError for an enumeration that would take too long."""
    return CostError(
        f"the exact law needs all {count:.3g} arrangements{where}, more than {MAX_ARRANGEMENTS:,}; "
        + Option("null", Call("`bc.Permutation()`", "permutation"))
        + " samples them."
    )


def _enumerate_pair(measure: Measure[Any], x: Any, y: Any, *, reason: str) -> DiscreteNull:
    """Return the null over every distinct arrangement of x or y, whichever has fewer."""
    is_x = log_arrangements(x) < log_arrangements(y)
    values_at, labels = partial(values_under, measure, x, y), (x if is_x else y).labels
    return enumerate_null(values_at, labels, [np.arange(x.n)], is_x=is_x, reason=reason)


def enumerate_null(
    values_at: Callable[[NDArray[np.int32]], NDArray[np.float64]],
    labels: NDArray[Any],
    cells: Sequence[NDArray[np.intp]],
    *,
    is_x: bool,
    reason: str,
) -> DiscreteNull:
    """Return the null over every distinct arrangement of the labels within cells of rows.

    `values_at` computes the measure under rows of permutation indices of y.
    """
    identity = np.arange(len(labels), dtype=np.int32)[np.newaxis]
    waiting: Iterator[NDArray[np.int32]] = iter([identity])
    for rows in cells:
        if len(rows) > 1:
            waiting = _with_cell(waiting, rows, coded(labels[rows]))
    # Arranging x one way pairs values as arranging y the inverse way.
    draws = [values_at(np.argsort(at, axis=1).astype(np.int32) if is_x else at) for at in waiting]
    values = np.concatenate(draws)
    return DiscreteNull.folded(values, np.ones(len(values)), engine="exact permutations", reason=reason)


def _with_cell(
    parts: Iterator[NDArray[np.int32]], rows: NDArray[np.intp], codes: NDArray[np.int32]
) -> Iterator[NDArray[np.int32]]:
    """Yield each arrangement so far, combined with each arrangement of one cell's rows."""
    for part in parts:
        arrangements = _native.Arrangements(codes)
        size = max(_CHUNK // (part.shape[1] * len(part)), 1)
        while len(local := arrangements.next(size)):
            if len(rows) == part.shape[1]:  # one cell, which needs no copies
                yield local
                continue
            both = np.repeat(part[:, np.newaxis], len(local), axis=1)
            both[..., rows] = rows[local]
            yield both.reshape(-1, part.shape[1])


def values_under(
    measure: Measure[Any], x: Any, y: Any, permutations: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the measure under each permutation, given as rows of indices."""
    return measure.resample(x, y, _native.Repairings.listed(permutations), 0, len(permutations))


def _two_groups(variable: Any) -> Groups | None:
    """Return the row numbers of either value of a binary variable, or None."""
    if np.count_nonzero(getattr(variable, "sizes", ())) > 2:
        return None
    labels = variable.labels
    if not len(labels):  # known by its sums alone
        return None
    is_low, is_high = labels == labels.min(), labels == labels.max()
    if np.any(is_low == is_high):
        return None
    return np.flatnonzero(is_low), np.flatnonzero(is_high)


def is_evenly_spaced(variable: Any) -> bool:
    """Return True if the sorted values of a numeric variable have equal steps, as untied ranks do."""
    values = variable.labels
    if values.dtype.kind != "f":
        return False
    steps = np.diff(np.sort(values))
    return bool(steps.min() > 0 and np.ptp(steps) <= 1e-9 * steps.max())


@lru_cache(maxsize=MAX_RANK_NULL_N)
def rank_null(n: int) -> DiscreteNull:
    """Return the exact null distribution of Spearman's ρ² for n rows without ties.

    >>> null = rank_null(10)
    >>> round(null.sf(1.0) * 3628800, 9)
    2.0
    """
    counts = _sum_counts(n)
    highest, lowest = len(counts) - 1, (n - 2) * (n - 1) * n // 6
    distance = np.abs(2 * np.arange(lowest, highest + 1) - highest - lowest)
    atoms = np.bincount(distance, weights=counts[lowest:])
    possible = np.flatnonzero(atoms)
    return DiscreteNull.of(
        (possible / (highest - lowest)) ** 2,
        atoms[possible] / factorial(n),
        engine="exact permutations",
        reason="few rows without ties: the law of ranks is known",
    )


def _sum_counts(n: int) -> NDArray[np.float64]:
    """Count the permutations π with Σ k·π(k) = s for each s, with k and π(k) from 0."""
    highest = (n - 1) * n * (2 * n - 1) // 6
    masks = np.arange(1 << n)
    sizes = sum((masks >> bit) & 1 for bit in range(n))
    ways = np.zeros((1 << n, highest + 1))
    ways[0, 0] = 1
    for row in range(n):
        taken = masks[sizes == row]
        for value in range(n):
            free = taken[(taken >> value) & 1 == 0]
            shift = row * value
            ways[free | (1 << value), shift:] += ways[free, : highest + 1 - shift]
    counts: NDArray[np.float64] = ways[-1]
    return counts


def cheap_exact(pair: Pair, *, is_moments: bool = False) -> Null | None:
    """Return the exact null distribution if it takes a few milliseconds, or None.

    "moments" uses it only for pairs of binary columns and for few tables.
    """
    for structure in pair.structures:
        cells = _cells_of(structure)
        if cells is not None and (null := _cheap_tables(*cells, is_moments=is_moments)) is not None:
            return null
        if isinstance(structure, RootOf):
            return None
        if isinstance(structure, SignSum) and not is_moments and _is_cheap(structure):
            reason = "ties in one variable at most: the law is known"
            return kendall_null([structure.ties], structure.scale, reason=reason)
    x, y = pair.x, pair.y
    fourfold = fourfold_null(
        pair.measure,
        x,
        y,
        pair.structures,
        max_tables=FEW_TABLES,
        reason="both variables have two values: the hypergeometric law",
    )
    if fourfold is not None:
        return fourfold
    if x.n <= MAX_RANK_NULL_N and _is_rank_correlation(pair):
        return rank_null(x.n)
    if x.n <= MOST_ENUMERATED and len(x.labels) and fewest_arrangements(x, y) <= AUTO_ARRANGEMENTS:
        if is_moments and not has_few_tables(log_table_count(*map(group_sizes, (x, y))), is_moments=True):
            return None
        return _enumerate_pair(pair.measure, x, y, reason="few rows: all arrangements are cheap")
    return None


def _is_rank_correlation(pair: Pair) -> bool:
    """Return True if the measure is r² between evenly spaced values."""
    has_lines = any(isinstance(s, TraceForm) and s.law == "beta" for s in pair.structures)
    has_lines &= len(pair.x.labels) == len(pair.y.labels) == pair.n  # or it is known by its sums alone
    return has_lines and is_evenly_spaced(pair.x) and is_evenly_spaced(pair.y)


def _cheap_tables(cells: CellSum, root_factor: float | None, *, is_moments: bool) -> Null | None:
    log_count = log_table_count(cells.rows, cells.columns)
    if len(cells.rows) == len(cells.columns) == 2:
        # matching.py has the laws of 2 × 2 tables for sums over cells; other measures have theirs from here.
        has_law = root_factor is None and cells.function in ("gain", "contingency", "information")
        is_cheap = not has_law or bool(has_few_tables(log_count, is_moments=True))
    else:
        is_cheap = bool(has_few_tables(log_count, is_moments=is_moments))
    if not is_cheap:
        return None
    reason = "few tables have these totals"
    try:
        return _table_null(cells, root_factor, max_operations=_AUTO_TABLE_OPERATIONS, reason=reason)
    except CostError:
        return None


def _is_cheap(signs: SignSum) -> bool:
    return signs.ties[0] <= _AUTO_KENDALL_N and has_exact_distribution(*signs.ties)
