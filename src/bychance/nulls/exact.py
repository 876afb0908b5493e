"""Exact null distributions over all permutations: tables, Kendall's S, ranks, or enumeration.

In:  a prepared pair, and how much work is allowed.
Out: a discrete null, or None if it takes more work. If it was asked for, a CostError says how much.

The numbers of contingency tables and of distinct arrangements decide if enumeration is cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import exp, factorial, inf, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bychance import _native
from bychance.array_types import FloatArray, IndexArray, Int32Array, IntArray
from bychance.columns import coded
from bychance.errors import CostError
from bychance.measures.base import Measure
from bychance.measures.structures import CellSum, PairSum, RootOf, SignSum, Structure, TraceForm
from bychance.messages import Call, Option
from bychance.nulls.base import DiscreteNull
from bychance.nulls.kendall import MAX_KENDALL_N, has_exact_distribution, kendall_null
from bychance.pair import Pair

__all__ = [
    "ASKED",
    "AUTO",
    "INSTANT",
    "MAX_RANK_NULL_N",
    "MOST_ENUMERATED",
    "Effort",
    "enumerate_null",
    "exact_null",
    "fourfold_null",
    "group_sizes",
    "hypergeometric",
    "is_at_most",
    "is_evenly_spaced",
    "least_log_table_count",
    "log_fewest_arrangements",
    "log_least_arrangements",
    "log_table_count",
    "rank_null",
    "too_many_arrangements",
    "values_under",
]

MAX_RANK_NULL_N = 12  # rows of the exact null of Spearman's ρ², which takes under 0.1 s (time; taste)
MOST_ENUMERATED = 20  # rows up to which "auto" may enumerate all arrangements (time; taste)
_FEW_TABLES = 64  # tables or arrangements up to which no continuous distribution is close (taste)
_CHUNK = 1 << 16  # row indices of permutations evaluated at a time (memory; taste)
Groups = tuple[IndexArray, IndexArray]
Numbers = float | FloatArray | IntArray


@dataclass(frozen=True, slots=True)
class Effort:
    """Limits on the work that an exact null distribution may take, by kind of work.

    A caller who asked for the exact null gets an error with the reason if it takes more.
    """

    tables: float  # contingency tables with the totals of the pair
    table_operations: float  # to compute their distribution
    arrangements: int  # distinct arrangements of x or y
    arranged_tables: float  # contingency tables if arrangements are enumerated
    cell_arrangements: int  # within the cells of covariates
    kendall_rows: int  # for Kendall's S
    fourfold_entries: float  # rows of all 2 × 2 tables that are evaluated
    cell_operations: float  # of a convolution over the cells of covariates
    is_asked: bool = False

    def reason(self, why: str) -> str:
        """Return the reason for an exact null that users see: "asked for" if it was, else `why`."""
        return "asked for" if self.is_asked else why


# ASKED takes up to several seconds, for null="exact". AUTO takes a few milliseconds. INSTANT, for "moments",
# allows an exact null only if no continuous distribution is close to it (time; taste).
ASKED = Effort(inf, 3e7, 4_000_000, inf, 4_000_000, MAX_KENDALL_N, 2e8, 1e9, is_asked=True)
AUTO = Effort(20_000, 1e6, 10_000, inf, 10_000, 200, 0, 1e7)
INSTANT = Effort(_FEW_TABLES, 1e6, 10_000, _FEW_TABLES, _FEW_TABLES, 0, 0, 0)


def exact_null(pair: Pair, effort: Effort) -> DiscreteNull | None:
    """Return the exact null distribution by the cheapest method, or None if it takes too much work."""
    has_few_rows = effort.is_asked or pair.n <= effort.kendall_rows
    for structure in pair.structures:
        if (cells := _cells_of(structure)) is not None:
            null = _table_null(*cells, effort)
            if null is not None or isinstance(structure, RootOf):
                return null
        if isinstance(structure, SignSum) and has_exact_distribution(*structure.ties) and has_few_rows:
            reason = effort.reason("ties in one variable at most: the distribution is known")
            return kendall_null([structure.ties], structure.scale, reason=reason)
    if (null := fourfold_null(pair, effort)) is not None:
        return null
    if not effort.is_asked and pair.n <= MAX_RANK_NULL_N and _is_rank_correlation(pair):
        return rank_null(pair.n)
    return _arranged_null(pair, effort)


def _cells_of(structure: Structure) -> tuple[CellSum, float | None] | None:
    """Return a measure's sum over table cells and the factor under its root, None if it is no such sum."""
    if isinstance(structure, RootOf):
        return next(s for s in structure.base if isinstance(s, CellSum)), structure.factor
    return (structure, None) if isinstance(structure, CellSum) else None


def _table_null(cells: CellSum, root_factor: float | None, effort: Effort) -> DiscreteNull | None:
    """Return the exact null over all contingency tables with given totals, or None if they are too many.

    With a root factor, the values are √(factor · value).
    """
    log_count, most = log_table_count(cells.rows, cells.columns), effort.tables
    if len(cells.rows) == len(cells.columns) == 2 and not effort.is_asked:
        # Sums over cells of 2 × 2 tables are matched in closed form. Other measures are enumerated here.
        is_matched = root_factor is None and cells.function in ("gain", "contingency", "information")
        most = _FEW_TABLES if is_matched else inf
    if log_count > log(most):
        return None
    operations = effort.table_operations
    try:
        values, probabilities = _native.table_distribution(
            cells.function, cells.rows, cells.columns, operations
        )
    except OverflowError:
        if not effort.is_asked:
            return None
        raise CostError(
            f"the exact distribution over about {_count(log_count):.1e} tables takes more than "
            f"{operations:.0e} operations; "
            + Option("null", "moments")
            + " and "
            + Option("null", Call("`bc.Permutation()`", "permutation"))
            + " are quick."
        ) from None
    measured = cells.offset + cells.scale * values
    if root_factor is not None:
        measured = np.sqrt(np.maximum(measured * root_factor, 0.0))
    reason = effort.reason("few tables have these totals")
    return DiscreteNull.of(measured, probabilities, engine="exact tables", reason=reason)


def fourfold_null(pair: Pair, effort: Effort) -> DiscreteNull | None:
    """Return the exact null of any measure of two binary variables, over all 2 × 2 tables.

    A sum over pairs of rows is a quadratic function of one cell, which three tables determine. Return None
    if a variable has more than two values, or if too many tables would have to be evaluated.
    """
    groups = [_two_groups(v) for v in (pair.x, pair.y)]
    if groups[0] is None or groups[1] is None:
        return None
    together, weights = hypergeometric(pair.x.n, len(groups[0][1]), len(groups[1][1]))
    nodes, most = together, max(_FEW_TABLES, effort.fourfold_entries // pair.x.n)
    if any(isinstance(s, TraceForm | SignSum | PairSum) for s in pair.structures) and len(together) > 3:
        nodes = together[[0, len(together) // 2, -1]]
    if len(nodes) > most:
        return None
    draws = _evaluate_tables(pair, groups[0], groups[1], nodes)
    if len(nodes) < len(together):
        draws = _interpolate(nodes, draws, together)
    reason = effort.reason("both variables have two values: the hypergeometric distribution")
    return DiscreteNull.folded(draws, weights, engine="exact tables", reason=reason)


def hypergeometric(n: int, a: int, b: int) -> tuple[IntArray, FloatArray]:
    """Return the possible overlaps of two sets of a and b rows among n, with their relative weights."""
    both = np.arange(max(0, a + b - n), min(a, b) + 1)
    m = both[:-1].astype(np.float64)
    steps = np.log((a - m) * (b - m)) - np.log((m + 1) * (n - a - b + m + 1))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    return both, np.exp(logs - logs.max())


def _evaluate_tables(pair: Pair, x_groups: Groups, y_groups: Groups, together: IntArray) -> FloatArray:
    """Compute the measure of two binary variables per number (`together`) of rows high in both."""
    (x_others, x_rows), (y_others, y_rows) = x_groups, y_groups
    n, a, at = pair.x.n, len(x_rows), np.concatenate([x_rows, x_others])
    draws, size = [], max(_CHUNK // n, 1)
    for part in np.split(together, range(size, len(together), size)):
        permutations = np.empty((len(part), n), dtype=np.int32)
        for row, m in zip(permutations, part, strict=True):
            row[at] = np.concatenate([y_rows[:m], y_others[: a - m], y_rows[m:], y_others[a - m :]])
        draws.append(values_under(pair.measure, pair.x, pair.y, permutations))
    return np.concatenate(draws)


def _interpolate(nodes: IntArray, values: FloatArray, at: IntArray) -> FloatArray:
    """Evaluate the quadratic function through three points (nodes, values) at the numbers `at`."""
    found = np.zeros(len(at))
    for node, value in zip(nodes, values, strict=True):
        others = nodes[nodes != node]
        found += value * np.prod([(at - other) / (node - other) for other in others], axis=0)
    return found


def _is_rank_correlation(pair: Pair) -> bool:
    """Return True if the measure is r² of two evenly spaced columns, as for ranks without ties."""
    has_lines = any(isinstance(s, TraceForm) and s.distribution == "beta" for s in pair.structures)
    has_lines &= len(pair.x.labels) == len(pair.y.labels) == pair.n  # or it is known by its sums alone
    return has_lines and is_evenly_spaced(pair.x) and is_evenly_spaced(pair.y)


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
        reason="few rows without ties: the distribution of ranks is known",
    )


def _sum_counts(n: int) -> FloatArray:
    """Count the permutations π of 0..n−1 with Σ k·π(k) = s, for each s."""
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
    counts: FloatArray = ways[-1]
    return counts


def _arranged_null(pair: Pair, effort: Effort) -> DiscreteNull | None:
    """Return the exact null over all distinct arrangements of x or y, or None if they are too many."""
    x, y = pair.x, pair.y
    if not effort.is_asked and x.n > MOST_ENUMERATED:
        return None
    log_counts = _log_arrangements(x), _log_arrangements(y)
    if not len(x.labels) or not is_at_most(
        min(log_counts), effort.arrangements
    ):  # or known by its sums alone
        if effort.is_asked:
            raise too_many_arrangements(min(log_counts))
        return None
    if log_table_count(group_sizes(x), group_sizes(y)) > log(effort.arranged_tables):
        return None
    is_x = log_counts[0] < log_counts[1]
    values_at, labels = partial(values_under, pair.measure, x, y), (x if is_x else y).labels
    reason = effort.reason("few rows: all arrangements are cheap")
    return enumerate_null(values_at, labels, [np.arange(x.n)], is_x=is_x, reason=reason)


def enumerate_null(
    values_at: Callable[[Int32Array], FloatArray],
    labels: NDArray[Any],
    cells: Sequence[IndexArray],
    *,
    is_x: bool,
    reason: str,
) -> DiscreteNull:
    """Return the exact null over all distinct arrangements of the labels within cells of rows.

    `values_at` computes the measure under rows of permutation indices of y.
    """
    identity = np.arange(len(labels), dtype=np.int32)[np.newaxis]
    waiting: Iterator[Int32Array] = iter([identity])
    for rows in cells:
        if len(rows) > 1:
            waiting = _with_cell(waiting, rows, coded(labels[rows]))
    # Arranging x one way pairs values as arranging y the inverse way.
    draws = [values_at(np.argsort(at, axis=1).astype(np.int32) if is_x else at) for at in waiting]
    values = np.concatenate(draws)
    return DiscreteNull.folded(values, np.ones(len(values)), engine="exact permutations", reason=reason)


def _with_cell(parts: Iterator[Int32Array], rows: IndexArray, codes: Int32Array) -> Iterator[Int32Array]:
    """Combine permutations of other cells (`parts`) with all distinct arrangements of one cell."""
    for part in parts:
        arrangements = _native.Arrangements(codes)
        size = max(_CHUNK // (part.shape[1] * len(part)), 1)
        while len(local := arrangements.next(size)):
            both = np.repeat(part[:, np.newaxis], len(local), axis=1)
            both[..., rows] = rows[local]
            yield both.reshape(-1, part.shape[1])


def values_under(measure: Measure[Any], x: Any, y: Any, permutations: Int32Array) -> FloatArray:
    """Return the measure under each permutation of y, given as a row of indices."""
    return measure.resample(x, y, _native.Permutations.listed(permutations), 0, len(permutations))


def _two_groups(variable: Any) -> Groups | None:
    """Return the rows with the lower and with the higher value of a binary variable, else None."""
    if np.count_nonzero(getattr(variable, "sizes", ())) > 2:
        return None
    labels = variable.labels
    if not len(labels):  # known by its sums alone
        return None
    is_low, is_high = labels == labels.min(), labels == labels.max()
    if np.any(is_low == is_high):
        return None
    return np.flatnonzero(is_low), np.flatnonzero(is_high)


def too_many_arrangements(log_count: float, where: str = "") -> CostError:
    """Create the error for an enumeration of too many arrangements."""
    return CostError(
        f"the exact distribution needs all {_count(log_count):.3g} arrangements{where}, "
        f"more than {ASKED.arrangements:,}; "
        + Option("null", Call("`bc.Permutation()`", "permutation"))
        + " samples them."
    )


def log_table_count(rows: IntArray, columns: IntArray) -> float:
    """Estimate the log of the number of contingency tables with these row and column totals (Good 1976)."""
    r, c = len(rows), len(columns)
    splits = _log_compositions(rows, c).sum() + _log_compositions(columns, r).sum()
    return float(splits - _log_compositions(float(rows.sum()), r * c))


def least_log_table_count(n: IntArray, groups: IntArray, smallest: IntArray) -> FloatArray:
    """Bound the log of the number of contingency tables below, from numbers and smallest sizes of groups.

    `groups` and `smallest` have one row for x and one for y. The log of the number of splits is concave in
    the total, so the bound is met if all groups but one are at their smallest.
    """
    others, parts = groups - 1, groups[::-1]
    splits = others * _log_compositions(smallest, parts) + _log_compositions(n - others * smallest, parts)
    return np.asarray(splits.sum(axis=0) - _log_compositions(n, groups.prod(axis=0)))


def _log_compositions(totals: Numbers, n_parts: Numbers) -> FloatArray:
    """Return the log of the number of ordered lists of `n_parts` counts (0, 1, …) that sum to each total."""
    totals = np.asarray(totals, dtype=np.float64)
    return np.asarray(
        special.gammaln(totals + n_parts) - special.gammaln(n_parts) - special.gammaln(totals + 1)
    )


def log_fewest_arrangements(x: Any, y: Any) -> float:
    """Return the natural log of the number of distinct arrangements of x or y, whichever has fewer.

    One over that number bounds p-values below.
    """
    return min(_log_arrangements(x), _log_arrangements(y))


def log_least_arrangements(n: IntArray, most_alike: IntArray) -> FloatArray:
    """Return a lower bound on the log number of orders of n rows if at most `most_alike` have one value.

    `most_alike` is the largest possible count of one value. The logarithm is convex, so that ties are most
    frequent if all groups are of this size.
    """
    t = np.maximum(most_alike, 1)
    return np.asarray(special.gammaln(n + 1.0) - n / t * special.gammaln(t + 1.0))


def _log_arrangements(variable: Any) -> float:
    """Return the log of the number of distinct arrangements of a prepared variable."""
    sizes = group_sizes(variable)
    return lgamma(variable.n + 1) - float(special.gammaln(sizes[sizes > 1] + 1).sum())


def group_sizes(variable: Any) -> IntArray:
    """Count the rows that have each value of a prepared variable."""
    sizes = getattr(variable, "sizes", None)
    return np.unique(variable.labels, return_counts=True)[1] if sizes is None else sizes


def is_at_most(log_count: Any, most: int) -> Any:
    """Return True if exp(log_count), a whole number up to rounding, is at most `most`."""
    return log_count < log(most + 0.5)


def _count(log_count: float) -> float:
    """Return exp(log_count), capped to avoid overflow."""
    return exp(min(log_count, 700.0))
