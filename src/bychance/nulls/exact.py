"""Exact distributions over all permutations: tables, Kendall's S, ranks, or every distinct arrangement.

In:  a measure, two prepared variables, and how much work is allowed.
Out: a discrete null, or a CostError that says how much work it would be.
"""

from __future__ import annotations

from functools import lru_cache
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
    _arrangement_count,
    fewest_arrangements,
    group_sizes,
    has_few_tables,
    log_table_count,
    table_count,
)
from bychance.nulls.base import DiscreteNull, Null
from bychance.nulls.kendall import has_exact_law, s_law
from bychance.pair import Pair

__all__ = [
    "MAX_ARRANGEMENTS",
    "MAX_RANK_LAW_N",
    "MOST_ENUMERATED",
    "cheap_exact",
    "enumerate_law",
    "exact_law",
    "fourfold_null",
    "is_evenly_spaced",
    "kendall_null",
    "rank_null",
    "table_null",
]

MAX_TABLE_OPERATIONS = 3e7  # several seconds
MAX_ARRANGEMENTS = 4_000_000
MAX_KENDALL_N = 400
MAX_FOURFOLD_ENTRIES = 2e8  # rows of all pairings that are looked at: a few seconds
_CHUNK = 1 << 16
Groups = tuple[NDArray[np.intp], NDArray[np.intp]]

MAX_RANK_LAW_N = 12  # a few hundredths of a second, once
MOST_ENUMERATED = 20  # rows of which all arrangements are looked at, if they are few
_AUTO_TABLE_OPERATIONS = 1e6
_AUTO_KENDALL_N = 200


def exact_law(measure: Measure[Any], x: Any, y: Any, structures: tuple[Structure, ...]) -> Null:
    """The whole law by the cheapest way that there is, or a CostError."""
    for structure in structures:
        if isinstance(structure, CellSum):
            return table_null(structure, max_operations=MAX_TABLE_OPERATIONS, reason="asked for")
        if isinstance(structure, RootOf):
            base = next(s for s in structure.base if isinstance(s, CellSum))
            return table_null(
                base, max_operations=MAX_TABLE_OPERATIONS, reason="asked for", root_factor=structure.factor
            )
        if isinstance(structure, SignSum) and has_exact_law(structure.n, structure.x_ties, structure.y_ties):
            return kendall_null(structure, reason="asked for")
    max_tables = int(MAX_FOURFOLD_ENTRIES // x.n)
    fourfold = fourfold_null(measure, x, y, structures, max_tables=max_tables, reason="asked for")
    return enumerate_law(measure, x, y, reason="asked for") if fourfold is None else fourfold


def table_null(
    cells: CellSum, *, max_operations: float, reason: str, root_factor: float | None = None
) -> DiscreteNull:
    """The law over all tables with these totals; of √(factor · value) where a factor is given."""
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


def kendall_null(signs: SignSum, *, reason: str) -> DiscreteNull:
    """The law of τ_b² where at most one variable has ties."""
    if signs.n > MAX_KENDALL_N:
        raise CostError(
            f"the exact law of kendall takes at most {MAX_KENDALL_N} rows, got {signs.n}; "
            + Option("null", "moments")
            + " is quick; its mean and variance are exact."
        )
    s, probabilities = s_law(signs.n, signs.x_ties, signs.y_ties)
    # S and −S give one value of τ²: the law folds at 0.
    half = len(s) // 2 + len(s) % 2
    folded = probabilities[:half].copy()
    folded[: len(s) // 2] += probabilities[::-1][: len(s) // 2]
    return DiscreteNull.of(s[:half] ** 2 * signs.scale, folded, engine="exact Kendall", reason=reason)


def fourfold_null(
    measure: Measure[Any], x: Any, y: Any, structures: tuple[Structure, ...], *, max_tables: int, reason: str
) -> DiscreteNull | None:
    """The law of any measure where both variables have two values: one pairing for each 2 × 2 table.

    A sum over pairs of rows is a quadratic function of one cell, so that three pairings tell it whole. None
    where a variable has more values, or more tables than allowed would have to be evaluated.
    """
    x_groups, y_groups = _two_groups(x), _two_groups(y)
    if x_groups is None or y_groups is None:
        return None
    n, a, b = x.n, len(x_groups[1]), len(y_groups[1])
    first, last = max(0, a + b - n), min(a, b)
    is_quadratic = any(isinstance(s, TraceForm | SignSum | PairSum) for s in structures)
    if last - first >= max_tables and not is_quadratic:
        return None
    together = np.arange(first, last + 1)
    if is_quadratic and len(together) > 3:
        nodes = together[[0, len(together) // 2, -1]]
        draws = _interpolate(nodes, _evaluate_tables(measure, x, y, x_groups, y_groups, nodes), together)
    else:
        draws = _evaluate_tables(measure, x, y, x_groups, y_groups, together)
    # P(m + 1)/P(m) of the hypergeometric law; its largest term is 1 until the law is normalized.
    m = together[:-1].astype(np.float64)
    steps = np.log((a - m) * (b - m)) - np.log((m + 1) * (n - a - b + m + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    return DiscreteNull.folded(draws, np.exp(logs - logs.max()), engine="exact tables", reason=reason)


def _evaluate_tables(
    measure: Measure[Any], x: Any, y: Any, x_groups: Groups, y_groups: Groups, together: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The measure where so many rows have the higher value of both variables."""
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
    """The quadratic function through three points."""
    found = np.zeros(len(at))
    for node, value in zip(nodes, values, strict=True):
        others = nodes[nodes != node]
        found += value * np.prod([(at - other) / (node - other) for other in others], axis=0)
    return found


def enumerate_law(measure: Measure[Any], x: Any, y: Any, *, reason: str) -> DiscreteNull:
    """The law over every distinct arrangement of the variable that has fewer."""
    is_x_arranged = _arrangement_count(x) < _arrangement_count(y)
    count = fewest_arrangements(x, y)
    if count > MAX_ARRANGEMENTS:
        raise CostError(
            f"the exact law needs all {count:.3g} arrangements, more than {MAX_ARRANGEMENTS:,}; "
            + Option("null", Call("`bc.Permutation()`", "permutation"))
            + " samples them."
        )
    codes = coded((x if is_x_arranged else y).labels)
    arrangements, draws, n = _native.Arrangements(codes), [], len(codes)
    while len(rows := arrangements.next(max(_CHUNK // n, 1))):
        # Arranging x one way re-pairs as arranging y the inverse way.
        permutations = np.argsort(rows, axis=1).astype(np.int32) if is_x_arranged else rows
        draws.append(values_under(measure, x, y, permutations))
    values = np.concatenate(draws)
    return DiscreteNull.folded(values, np.ones(len(values)), engine="exact permutations", reason=reason)


def values_under(
    measure: Measure[Any], x: Any, y: Any, permutations: NDArray[np.int32]
) -> NDArray[np.float64]:
    """The measure under each row of permutation indices."""
    return measure.resample(x, y, _native.Repairings.listed(permutations), 0, len(permutations))


def _two_groups(variable: Any) -> Groups | None:
    """The rows of either value of a variable with two of them."""
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
    """Whether the sorted values of a numeric variable all lie one step apart, as untied ranks do."""
    values = variable.labels
    if values.dtype.kind != "f":
        return False
    steps = np.diff(np.sort(values))
    return bool(steps.min() > 0 and np.ptp(steps) <= 1e-9 * steps.max())


@lru_cache(maxsize=MAX_RANK_LAW_N)
def rank_null(n: int) -> DiscreteNull:
    """The law of ρ² for n rows without ties.

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
    """How many permutations have Σ k·π(k) = s, k and π(k) from 0, for each s."""
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
    """The exact law, where it takes a few milliseconds.

    "moments" uses it only for pairs of two-valued columns and for few tables.
    """
    for structure in pair.structures:
        if isinstance(structure, RootOf):
            cells = next(s for s in structure.base if isinstance(s, CellSum))
            return _cheap_tables(cells, structure.factor, is_moments)
        if (
            isinstance(structure, CellSum)
            and (null := _cheap_tables(structure, None, is_moments)) is not None
        ):
            return null
        if isinstance(structure, SignSum) and not is_moments and _has_cheap_law(structure):
            return kendall_null(structure, reason="ties in one variable at most: the law is known")
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
    if x.n <= MAX_RANK_LAW_N and _is_rank_correlation(pair):
        return rank_null(x.n)
    if x.n <= MOST_ENUMERATED and len(x.labels) and fewest_arrangements(x, y) <= AUTO_ARRANGEMENTS:
        if is_moments and not has_few_tables(log_table_count(*map(group_sizes, (x, y))), is_moments=True):
            return None
        return enumerate_law(pair.measure, x, y, reason="few rows: all arrangements are cheap")
    return None


def _is_rank_correlation(pair: Pair) -> bool:
    """Whether the measure is r² between evenly spaced values."""
    has_lines = any(isinstance(s, TraceForm) and s.law == "beta" for s in pair.structures)
    has_lines &= len(pair.x.labels) == len(pair.y.labels) == pair.n  # or it is known by its sums alone
    return has_lines and is_evenly_spaced(pair.x) and is_evenly_spaced(pair.y)


def _cheap_tables(cells: CellSum, root_factor: float | None, is_moments: bool) -> Null | None:
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
        return table_null(
            cells, max_operations=_AUTO_TABLE_OPERATIONS, reason=reason, root_factor=root_factor
        )
    except CostError:
        return None


def _has_cheap_law(signs: SignSum) -> bool:
    return signs.n <= _AUTO_KENDALL_N and has_exact_law(signs.n, signs.x_ties, signs.y_ties)
