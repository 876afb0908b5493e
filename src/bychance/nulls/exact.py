"""The whole permutation law: all tables, Kendall's S, or every distinct arrangement of the smaller kind.

In:  a measure, two prepared variables, and how much work is allowed.
Out: a discrete null, or a CostError that says how much work it would be.
"""

from __future__ import annotations

from math import exp, lgamma
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.columns import coded
from bychance.errors import CostError
from bychance.measures.base import Measure
from bychance.measures.structures import CellSum, PairSum, RootOf, SignSum, Structure, TraceForm
from bychance.messages import Call, Option
from bychance.nulls.base import Null
from bychance.nulls.discrete import DiscreteNull
from bychance.nulls.kendall import has_exact_law, s_law

__all__ = [
    "enumerate_law",
    "exact_law",
    "fewest_arrangements",
    "fourfold_null",
    "group_sizes",
    "kendall_null",
    "log_count_of_splits",
    "log_fewest_arrangements",
    "log_fewest_splits",
    "log_splits",
    "log_table_count",
    "table_count",
    "table_null",
]

MAX_TABLE_OPERATIONS = 3e7  # several seconds
MAX_ARRANGEMENTS = 4_000_000
MAX_KENDALL_N = 400
MAX_FOURFOLD_ENTRIES = 2e8  # rows of all pairings that are looked at: a few seconds
_CHUNK = 1 << 16

Numbers = float | NDArray[np.float64] | NDArray[np.int64]
Groups = tuple[NDArray[np.intp], NDArray[np.intp]]


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


def table_count(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """About how many tables have these totals (Good 1976)."""
    return exp(min(log_table_count(rows, columns), 700.0))


def log_table_count(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """The logarithm of that."""
    n, r, c = float(rows.sum()), len(rows), len(columns)
    return float(log_count_of_splits(n, r, c, log_splits(rows, c).sum(), log_splits(columns, r).sum()))


def log_count_of_splits(
    n: Numbers, n_rows: Numbers, n_columns: Numbers, row_splits: Numbers, column_splits: Numbers
) -> NDArray[np.float64]:
    """The same, of one table or of many, from the sums of `log_splits` over its rows and over its columns."""
    cells = np.multiply(n_rows, n_columns)
    return np.asarray(row_splits + column_splits - log_splits(n, cells))


def log_splits(totals: Numbers, n_parts: Numbers) -> NDArray[np.float64]:
    """The logarithm of the number of ways to write each total as a sum of so many parts, zeros allowed."""
    totals = np.asarray(totals, dtype=np.float64)
    return np.asarray(
        special.gammaln(totals + n_parts) - special.gammaln(n_parts) - special.gammaln(totals + 1)
    )


def log_fewest_splits(
    n: Numbers, n_groups: Numbers, smallest: Numbers, n_parts: Numbers
) -> NDArray[np.float64]:
    """The least that the sum of `log_splits` over groups can be, no group below the smallest.

    The logarithm is concave in the total, so all groups but one are at their smallest.
    """
    others = np.subtract(n_groups, 1)
    largest = n - others * smallest
    return np.asarray(others * log_splits(smallest, n_parts) + log_splits(largest, n_parts))


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
    while len(rows := arrangements.next(max(_CHUNK // n, 1), n)):
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


def fewest_arrangements(x: Any, y: Any) -> float:
    """How many distinct arrangements the prepared variable with fewer of them has."""
    return min(_arrangement_count(x), _arrangement_count(y))


def log_fewest_arrangements(x: Any, y: Any) -> float:
    """The logarithm of that: no p-value of the pair is below one over it."""
    return min(_log_arrangements(x), _log_arrangements(y))


def _arrangement_count(variable: Any) -> float:
    return round(exp(min(_log_arrangements(variable), 700.0)))


def _log_arrangements(variable: Any) -> float:
    sizes = group_sizes(variable)
    if len(sizes) == variable.n:
        return lgamma(variable.n + 1)
    return lgamma(variable.n + 1) - float(special.gammaln(sizes[sizes > 1] + 1).sum())


def group_sizes(variable: Any) -> NDArray[np.int64]:
    """How many rows of a prepared variable have each value."""
    sizes = getattr(variable, "sizes", None)
    return np.unique(variable.labels, return_counts=True)[1] if sizes is None else sizes


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
