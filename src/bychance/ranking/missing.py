"""Missing values as data: columns of "known" and "missing", and their relation to a target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bychance.array_types import BoolArray
from bychance.columns import Column, coded
from bychance.errors import BychanceError
from bychance.io import Table, read_table
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.measures.explained import Explained, RankLine
from bychance.messages import Option
from bychance.ranking.results import P_KINDS, fdr_factor, rates_of

if TYPE_CHECKING:
    from bychance.ranking.ranking import Ranking

__all__ = ["Missing", "missing_with_target", "missingness"]

_LEAST_MISSING = 0.02  # of the rows, and known in as many


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
    columns = [_missing_column(columns[0]) for columns, _ in told]
    table = replace(plan.table, columns=(*columns, target))
    measure = RankLine() if target.kind is Kind.NUMERIC else Explained()
    x, y = np.arange(len(columns)), np.full(len(columns), len(columns))
    _, rows = ranking._measured(measure, x, y, table=table)
    for (columns, known), p_value, kind in zip(told, rows.p_value, rows.stated_kind, strict=True):
        yield Missing(tuple(c.name for c in columns), float(p_value), P_KINDS[kind], _when(known, target))


def _where_known(column: Column, target: Column) -> BoolArray:
    """Return a mask of missing values of the column, over rows with a known target."""
    assert column.is_missing is not None
    return column.is_missing if target.is_missing is None else column.is_missing[~target.is_missing]


def _varies(is_missing: BoolArray) -> bool:
    """Return True if at least 2% of the values are missing and at least 2% are present."""
    return bool(len(is_missing)) and _LEAST_MISSING <= is_missing.mean() <= 1 - _LEAST_MISSING


def _when(is_missing: BoolArray, target: Column) -> str:
    """Return text on the target values with more missing values, such as "if income is low"."""
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


def _missing_column(column: Column) -> Column:
    """Return a categorical column that is "known" or "missing" in each row of a column."""
    is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
    return Column(column.name, Kind.CATEGORICAL, is_missing.astype(np.int32), None, ("known", "missing"))
