"""Missing values as data: columns of "known" and "missing", and their relation to a target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bychance.array_types import BoolArray
from bychance.columns import Column, coded
from bychance.errors import BychanceError
from bychance.io import Table, read_table
from bychance.kinds import Kind
from bychance.measures.explained import Explained, RankLine
from bychance.messages import Option
from bychance.ranking.plan import Plan
from bychance.ranking.results import P_KINDS, rates_of
from bychance.ranking.run import measured_by

__all__ = ["Missing", "missing_with_target", "missingness"]

_LEAST_MISSING = 0.02  # share of rows that must lack a value, and that must have it (taste)


def missingness(source: Any, target: str | None = None, **options: Any) -> Table:
    """Return a table with "known" or "missing" for each row of each column with missing values.

    Parameters
    ----------
    source
        As for `bc.read_table`, which also takes `options`.
    target : str, optional
        A column to keep as it is, for `bc.rank` to rank the others against.

    Returns
    -------
    Table
        Columns without missing values are left out.

    Examples
    --------
    >>> import bychance as bc
    >>> income = np.arange(40.0)
    >>> table = {"income": income, "hours": np.where(income < 15, np.nan, income % 7), "age": income % 9}
    >>> bc.rank(bc.missingness(table, "income"), "income").verdict()
    'hours is related to income: it explains 70% (54% to 81%); by chance it would be 2.6%.'
    """
    table = read_table(source, **options)
    kept = None if target is None else table.position(target, "target")
    columns = [
        column if k == kept else _missing_column(column)
        for k, column in enumerate(table.columns)
        if k == kept or column.is_missing is not None
    ]
    if len(columns) == (kept is not None):
        raise BychanceError(
            "No column has missing values; " + Option("missing") + " says what stands for them."
        )
    return replace(table, columns=tuple(columns), notes=())


@dataclass(frozen=True, slots=True)
class Missing:
    """Columns that are missing more often if the target is low or high, or has the named value.

    `p_value` is their largest. `n_more` counts further columns, missing more often for other values.
    """

    names: list[str]
    value: str
    p_value: float
    p_kind: str
    n_more: int


def missing_with_target(plan: Plan) -> Missing | None:
    """Return the columns whose missing values depend most clearly on the target, by separate q-values.

    A column counts if at least 2% of the rows lack it and 2% have it. Whether it is missing is a column of
    two values: ranks of a numeric target are compared between them, or counts of a categorical one.

    >>> import bychance as bc
    >>> income = np.arange(100.0)
    >>> table = {"income": income, "hours": np.where(income < 30, np.nan, income % 7)}
    >>> missing_with_target(bc.rank(table, "income")._plan).value
    'low'
    """
    if plan.target is None or not plan.table.n_rows or plan.job.covariates is not None:
        return None
    target = plan.table.columns[plan.pairs.y[0]]
    by_rows = dict[bytes, list[Column]]()
    for column in (plan.table.columns[k] for k in np.unique(plan.pairs.x)):
        if column is not target and column.is_missing is not None:
            by_rows.setdefault(column.is_missing.tobytes(), []).append(column)
    groups = [
        columns for columns in by_rows.values() if _varies(_missing_if_target_known(columns[0], target))
    ]
    if not groups or np.all(target.present == target.present[0]):
        return None
    measure = RankLine() if target.kind is Kind.NUMERIC else Explained()
    x, y = np.arange(len(groups)), np.full(len(groups), len(groups))
    asked = (*(_missing_column(columns[0]) for columns in groups), target)
    rows = measured_by(plan, measure, x, y, columns=asked)[1]
    rates = rates_of(rows.p_value, plan.job.fdr, len(groups))
    order = np.argsort(rows.p_value, kind="stable")
    found = order[rates[order] < plan.job.fdr_level].tolist()
    values = {
        k: _value_with_most_missing(target, _missing_if_target_known(groups[k][0], target)) for k in found
    }
    alike = [k for k in found if values[k] == values[found[0]]]
    if not alike:
        return None
    names = [column.name for k in alike for column in groups[k]]
    n_more = sum(len(groups[k]) for k in found) - len(names)
    last = alike[-1]
    return Missing(names, values[last], rows.p_value[last], P_KINDS[rows.stated_kind[last]], n_more)


def _missing_if_target_known(column: Column, target: Column) -> BoolArray:
    """Return the column's mask of missing values in the rows whose target is known."""
    assert column.is_missing is not None
    return column.is_missing if target.is_missing is None else column.is_missing[~target.is_missing]


def _varies(is_missing: BoolArray) -> bool:
    """Return True if at least 2% of the values are missing and at least 2% are present."""
    return bool(len(is_missing)) and _LEAST_MISSING <= is_missing.mean() <= 1 - _LEAST_MISSING


def _value_with_most_missing(target: Column, is_missing: BoolArray) -> str:
    """Return the target's category with the most missing values, or "low" or "high" for a numeric target."""
    codes = coded(target.present)
    counts = np.bincount(codes)
    if target.kind is Kind.NUMERIC and len(counts) > 2:
        midranks = (np.cumsum(counts) - counts / 2)[codes]
        return "low" if midranks[is_missing].mean() < midranks[~is_missing].mean() else "high"
    # Rare categories have high shares by chance: half a row is added to each, of the whole table's share.
    shares = (np.bincount(codes, is_missing) + is_missing.mean()) / (counts + 1)
    most = np.unique(target.present)[shares.argmax()]
    return str(target.labels[int(most)] if target.labels else most.item())


def _missing_column(column: Column) -> Column:
    """Return a categorical column that is "known" or "missing" in each row of a column."""
    is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
    return Column(column.name, Kind.CATEGORICAL, is_missing.astype(np.int32), None, ("known", "missing"))
