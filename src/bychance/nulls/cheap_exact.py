"""Whole laws where they cost a few milliseconds, and which pairs of a table might have one."""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

from bychance.errors import CostError
from bychance.measures.structures import (
    CellSum,
    RootOf,
    SignSum,
    TraceForm,
)
from bychance.nulls.base import Null
from bychance.nulls.exact import (
    enumerate_law,
    fewest_arrangements,
    fourfold_null,
    group_sizes,
    kendall_null,
    log_count_of_splits,
    log_fewest_splits,
    log_table_count,
    table_null,
)
from bychance.nulls.kendall import has_exact_law
from bychance.nulls.rank_law import MAX_RANK_LAW_N, is_evenly_spaced, rank_null
from bychance.pair import Pair

__all__ = [
    "LOG_FEW_ARRANGEMENTS",
    "MOST_ENUMERATED",
    "cheap_exact",
    "has_few_tables",
    "may_have_few_tables",
]

# What "auto" spends on an exact law before it looks for something cheaper: a few milliseconds.
_AUTO_ARRANGEMENTS = 10_000
MOST_ENUMERATED = 20  # rows of which all arrangements are looked at, if they are few
_LOG_AUTO_TABLES = log(20_000)
_AUTO_TABLE_OPERATIONS = 1e6
_AUTO_KENDALL_N = 200
# With more arrangements, as a logarithm that may be rounded, all are never looked at.
LOG_FEW_ARRANGEMENTS = log(_AUTO_ARRANGEMENTS + 1)
# So few tables that no continuous law can stand for them: even "moments" takes the whole law.
_FEW_TABLES = 64


def has_few_tables(log_count: float | NDArray[np.float64], *, is_moments: bool = False) -> NDArray[np.bool_]:
    """Whether `auto` (or "moments") looks at every table, given the logarithm of about how many there are."""
    return np.less_equal(log_count, log(_FEW_TABLES) if is_moments else _LOG_AUTO_TABLES)


def may_have_few_tables(
    n: NDArray[np.int64],
    x_groups: NDArray[np.int64],
    y_groups: NDArray[np.int64],
    x_smallest: NDArray[np.int64],
    y_smallest: NDArray[np.int64],
    *,
    is_moments: bool = False,
) -> NDArray[np.bool_]:
    """Whether `has_few_tables` might hold, given only how many groups per side and its smallest one.

    True wherever it does, and in some places more.
    """
    row_splits = log_fewest_splits(n, x_groups, x_smallest, y_groups)
    column_splits = log_fewest_splits(n, y_groups, y_smallest, x_groups)
    log_count = log_count_of_splits(n, x_groups, y_groups, row_splits, column_splits)
    return has_few_tables(log_count, is_moments=is_moments)


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
        max_tables=_FEW_TABLES,
        reason="both variables have two values: the hypergeometric law",
    )
    if fourfold is not None:
        return fourfold
    if x.n <= MAX_RANK_LAW_N and _is_rank_correlation(pair):
        return rank_null(x.n)
    if x.n <= MOST_ENUMERATED and len(x.labels) and fewest_arrangements(x, y) <= _AUTO_ARRANGEMENTS:
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
