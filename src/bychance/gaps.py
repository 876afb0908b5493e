"""Missing values as data: one categorical column of "known" and "missing" per column of a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io import Table, read_table
from bychance.kinds import Kind
from bychance.messages import Option

__all__ = ["missing_column", "missingness"]


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
        column if k == kept else missing_column(column)
        for k, column in enumerate(table.columns)
        if k == kept or column.is_missing is not None
    ]
    if len(columns) == (kept is not None):
        raise BychanceError(
            "No column has missing values; " + Option("missing") + " says what stands for them."
        )
    return replace(table, columns=tuple(columns), notes=())


def missing_column(column: Column) -> Column:
    """Return a categorical column that is "known" or "missing" in each row of a column."""
    is_missing = np.zeros(len(column), np.bool_) if column.is_missing is None else column.is_missing
    return Column(column.name, Kind.CATEGORICAL, is_missing.astype(np.int32), None, ("known", "missing"))
