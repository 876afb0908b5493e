"""Numbers of contingency tables and of distinct arrangements, to decide if enumeration is cheap."""

from __future__ import annotations

from math import exp, lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = [
    "AUTO_ARRANGEMENTS",
    "FEW_TABLES",
    "LOG_FEW_ARRANGEMENTS",
    "arrangement_count",
    "fewest_arrangements",
    "group_sizes",
    "has_few_tables",
    "log_arrangements",
    "log_count_of_splits",
    "log_fewest_arrangements",
    "log_fewest_splits",
    "log_least_arrangements",
    "log_splits",
    "log_table_count",
    "may_have_few_tables",
    "table_count",
]

Numbers = float | NDArray[np.float64] | NDArray[np.int64]

# What "auto" spends on an exact law before it looks for something cheaper: a few milliseconds.
AUTO_ARRANGEMENTS = 10_000
_LOG_AUTO_TABLES = log(20_000)
# With more arrangements, as a logarithm that may be rounded, all are never looked at.
LOG_FEW_ARRANGEMENTS = log(AUTO_ARRANGEMENTS + 1)
# So few tables, or arrangements within cells, that no continuous law can stand for them: even "moments" takes
# the whole law.
FEW_TABLES = 64


def table_count(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """Estimate the number of contingency tables with these row and column totals (Good 1976)."""
    return exp(min(log_table_count(rows, columns), 700.0))


def log_table_count(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> float:
    """Estimate the log of the number of contingency tables with these row and column totals."""
    n, r, c = float(rows.sum()), len(rows), len(columns)
    return float(log_count_of_splits(n, r, c, log_splits(rows, c).sum(), log_splits(columns, r).sum()))


def log_count_of_splits(
    n: Numbers, n_rows: Numbers, n_columns: Numbers, row_splits: Numbers, column_splits: Numbers
) -> NDArray[np.float64]:
    """Estimate the log of the number of contingency tables with given totals.

    `row_splits` and `column_splits` are sums of `log_splits` over the rows and over the columns.
    """
    cells = np.multiply(n_rows, n_columns)
    return np.asarray(row_splits + column_splits - log_splits(n, cells))


def log_splits(totals: Numbers, n_parts: Numbers) -> NDArray[np.float64]:
    """Return the log of the number of ways to write each total as a sum of `n_parts` counts."""
    totals = np.asarray(totals, dtype=np.float64)
    return np.asarray(
        special.gammaln(totals + n_parts) - special.gammaln(n_parts) - special.gammaln(totals + 1)
    )


def log_fewest_splits(
    n: Numbers, n_groups: Numbers, smallest: Numbers, n_parts: Numbers
) -> NDArray[np.float64]:
    """Return the smallest possible sum of `log_splits` over groups of at least `smallest` rows.

    The logarithm is concave in the total, so all groups but one are at their smallest.
    """
    others = np.subtract(n_groups, 1)
    largest = n - others * smallest
    return np.asarray(others * log_splits(smallest, n_parts) + log_splits(largest, n_parts))


def fewest_arrangements(x: Any, y: Any) -> float:
    """Count the distinct arrangements of x or of y, whichever has fewer."""
    return arrangement_count(log_fewest_arrangements(x, y))


def log_fewest_arrangements(x: Any, y: Any) -> float:
    """Return the log of the number of distinct arrangements of x or y, whichever has fewer.

    One over that number bounds p-values below.
    """
    return min(log_arrangements(x), log_arrangements(y))


def log_least_arrangements(n: NDArray[np.int64], most_alike: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a lower bound on the log of the number of arrangements of n rows, given their ties.

    `most_alike` is the largest possible count of one value. The logarithm is convex, so that ties are most
    frequent if all groups are of this size.
    """
    t = np.maximum(most_alike, 1)
    return np.asarray(special.gammaln(n + 1.0) - n / t * special.gammaln(t + 1.0))


def arrangement_count(log_count: float) -> float:
    """Convert the log of a number of arrangements to the number."""
    return round(exp(min(log_count, 700.0)))


def log_arrangements(variable: Any) -> float:
    """Return the log of the number of distinct arrangements of a prepared variable."""
    sizes = group_sizes(variable)
    if len(sizes) == variable.n:
        return lgamma(variable.n + 1)
    return lgamma(variable.n + 1) - float(special.gammaln(sizes[sizes > 1] + 1).sum())


def group_sizes(variable: Any) -> NDArray[np.int64]:
    """Count the rows that have each value of a prepared variable."""
    sizes = getattr(variable, "sizes", None)
    return np.unique(variable.labels, return_counts=True)[1] if sizes is None else sizes


def has_few_tables(log_count: float | NDArray[np.float64], *, is_moments: bool = False) -> NDArray[np.bool_]:
    """Return True if there are few enough contingency tables for `auto` (or "moments") to enumerate them."""
    return np.less_equal(log_count, log(FEW_TABLES) if is_moments else _LOG_AUTO_TABLES)


def may_have_few_tables(
    n: NDArray[np.int64],
    x_groups: NDArray[np.int64],
    y_groups: NDArray[np.int64],
    x_smallest: NDArray[np.int64],
    y_smallest: NDArray[np.int64],
    *,
    is_moments: bool = False,
) -> NDArray[np.bool_]:
    """Return True if there may be few contingency tables, from the numbers of groups and the smallest groups.

    It is True for every pair with `has_few_tables`, and for some others.
    """
    row_splits = log_fewest_splits(n, x_groups, x_smallest, y_groups)
    column_splits = log_fewest_splits(n, y_groups, y_smallest, x_groups)
    log_count = log_count_of_splits(n, x_groups, y_groups, row_splits, column_splits)
    return has_few_tables(log_count, is_moments=is_moments)
