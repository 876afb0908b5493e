"""Remarks of the verdict on columns that determine the target, and on values missing depending on it.

In:  a ranking against a target, with its data.
Out: `Leak` and `Missing` records, with the words for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, coded, shared_rows
from bychance.gaps import missing_column
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.measures.explained import Explained, RankLine
from bychance.messages import Code
from bychance.ranking.results import P_KINDS, fdr_factor, rates_of

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["Leak", "Missing", "leaks_of", "missing_with_target"]

_FIRST_ROWS = 1_000  # looked at first: most columns differ there
_REPEATED = 0.5  # share of rows beyond the first of their value: with fewer, values may agree by chance
_BY_CHANCE = math.log(1e-6)
_LEAST_MISSING = 0.02  # of the rows, and known in as many


@dataclass(frozen=True, slots=True)
class Leak:
    """Column that determines the target, is determined by it, or both."""

    name: str
    determines: bool
    is_determined: bool


def leaks_of(ranking: Ranking) -> list[Leak]:
    """Return columns, other than copies, that determine the target (or vice versa) beyond chance.

    >>> import bychance as bc
    >>> species = ["a", "b", "c"] * 20
    >>> table = {"species": species, "code": [ord(s) * 7 % 5 for s in species], "x": range(60)}
    >>> leaks_of(bc.rank(table, "species"))
    [Leak(name='code', determines=True, is_determined=True)]
    """
    plan, rows = ranking._plan, ranking._rows
    if plan.target is None or not plan.table.n_rows:
        return []
    if any(found.note.says(Code.ROWS_IN_GROUPS) and found.is_constant_within for found in plan.diagnoses):
        return []  # columns of the groups determine each other
    y = plan.table[plan.target]
    others = np.setdiff1d(plan.pairs.x, rows.x[rows.is_duplicate])
    found = ((plan.table.names[k], _determination(plan.table.columns[k], y)) for k in others)
    return [Leak(name, *ways) for name, ways in found if any(ways)]


def _determination(x: Column, y: Column) -> tuple[bool, bool]:
    """Return two flags: x determines y, and y determines x."""
    rows = shared_rows(x, y)
    sides = [column.values if rows is None else column.values[rows] for column in (x, y)]
    for part in (slice(_FIRST_ROWS), slice(None)):
        codes = [coded(values[part]).astype(np.int64) for values in sides]
        if not len(codes[0]):
            return False, False
        n_cells = len(np.unique(codes[0] * (codes[1].max() + 1) + codes[1]))
        if n_cells > max(code.max() for code in codes) + 1:
            return False, False
    ways = n_cells == codes[0].max() + 1, n_cells == codes[1].max() + 1
    return ways[0] and _is_determined(codes[0], codes[1]), ways[1] and _is_determined(codes[1], codes[0])


def _is_determined(key: NDArray[np.int64], values: NDArray[np.int64]) -> bool:
    """Return True if `values` agree within equal `key` values too often for chance."""
    n_repeated = len(key) - int(key.max()) - 1
    shares = np.bincount(values) / len(values)
    return n_repeated >= _REPEATED * len(key) and n_repeated * math.log(shares @ shares) < _BY_CHANCE


@dataclass(frozen=True, slots=True)
class Missing:
    """Columns that are missing in the same rows, more often for some values of the target."""

    names: tuple[str, ...]
    p_value: float
    p_kind: str
    when: str


def missing_with_target(ranking: Ranking) -> list[Missing]:
    """Return the columns whose missing values depend on the target, by separate q-values, best first.

    A column counts if at least 2% of the rows lack it and 2% have it. Whether it is missing is a column of
    two values: ranks of a numeric target are compared between them, or counts of a categorical one.

    >>> import bychance as bc
    >>> income = np.arange(100.0)
    >>> table = {"income": income, "hours": np.where(income < 30, np.nan, income % 7)}
    >>> missing_with_target(bc.rank(table, "income"))[0].when
    'if income is low'
    """
    plan = ranking._plan
    if plan.target is None or not plan.table.n_rows or plan.job.covariates is not None:
        return []
    found = list(_tested(ranking, plan.table[plan.target]))
    p_values = np.array([missing.p_value for missing in found])
    rates = rates_of(p_values, p_values, len(found), fdr_factor(plan.job.fdr, max(len(found), 1)))
    order = np.argsort(p_values, kind="stable")
    return [found[k] for k in order if rates[k] < ranking.fdr_level]


def _tested(ranking: Ranking, target: Column) -> Iterator[Missing]:
    plan, names = ranking._plan, dict[bytes, list[Column]]()
    for position in np.unique(plan.pairs.x):
        column = plan.table.columns[position]
        if column is not target and column.is_missing is not None:
            names.setdefault(column.is_missing.tobytes(), []).append(column)
    told = [
        (columns, known) for columns in names.values() if _varies(known := _where_known(columns[0], target))
    ]
    if not told or np.all(target.present == target.present[0]):
        return
    columns = [missing_column(columns[0]) for columns, _ in told]
    table = replace(plan.table, columns=(*columns, target))
    measure = RankLine() if target.kind is Kind.NUMERIC else Explained()
    x, y = np.arange(len(columns)), np.full(len(columns), len(columns))
    _, rows = ranking._measured(measure, x, y, table=table)
    for (columns, known), p_value, kind in zip(told, rows.p_value, rows.stated_kind, strict=True):
        yield Missing(tuple(c.name for c in columns), float(p_value), P_KINDS[kind], _when(known, target))


def _where_known(column: Column, target: Column) -> NDArray[np.bool_]:
    """Return a mask of missing values of the column, over rows with a known target."""
    assert column.is_missing is not None
    return column.is_missing if target.is_missing is None else column.is_missing[~target.is_missing]


def _varies(is_missing: NDArray[np.bool_]) -> bool:
    """Return True if both enough missing and enough present values exist."""
    return bool(len(is_missing)) and _LEAST_MISSING <= is_missing.mean() <= 1 - _LEAST_MISSING


def _when(is_missing: NDArray[np.bool_], target: Column) -> str:
    """Describe the target values for which more is missing."""
    codes = coded(target.present)
    if target.kind is Kind.NUMERIC and codes.max() > 1:
        ranks = order_values(target.present.astype(np.float64)).midranks
        is_low = ranks[is_missing].mean() < ranks[~is_missing].mean()
        return f"if {target.name} is {'low' if is_low else 'high'}"
    counts = np.bincount(codes)
    # Rare categories have high shares by chance: half a row is added to each, of the whole table's share.
    shares = (np.bincount(codes, is_missing) + is_missing.mean()) / (counts + 1)
    most = np.unique(target.present)[shares.argmax()]
    return f"if {target.name} is {target.labels[int(most)] if target.labels else most.item()}"
