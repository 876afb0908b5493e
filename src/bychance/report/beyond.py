"""Values for the report's plots given covariates: residuals of numeric columns, and strata."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, crossed, numbers_of
from bychance.covariates.cells import Cells
from bychance.covariates.covariates import Covariates
from bychance.kinds import Kind

__all__ = ["residuals_of", "strata_of"]


def residuals_of(column: Column, covariates: Covariates) -> NDArray[np.float64] | None:
    """Return a numeric column's residuals given covariates, or None if they cannot be computed."""
    if column.kind is not Kind.NUMERIC:
        return None
    rows = None if column.is_missing is None else ~column.is_missing
    if rows is not None and not rows.any():
        return None
    design = covariates.design(covariates.control, rows)
    if design.df >= design.n:
        return None
    left = design.residualize(numbers_of(column, rows, "given"))
    if rows is None:
        return left
    whole = np.full(len(column), np.nan)
    whole[rows] = left
    return whole


def strata_of(covariates: Covariates) -> Column | None:
    """Combine all categorical covariates to one column, or return None if all covariates are numeric."""
    labeled = [column for column in covariates.columns if column.kind is Kind.CATEGORICAL]
    if not labeled:
        return None
    codes = np.zeros(len(labeled[0]), dtype=np.int64)
    for column in labeled:
        codes = crossed(codes, column.values)
    cells = Cells.of(codes)
    first = [int(rows[0]) for rows in cells.rows]
    labels = tuple(", ".join(_label(column, row) for column in labeled) for row in first)
    return Column("strata", Kind.CATEGORICAL, cells.codes, None, labels)


def _label(column: Column, row: int) -> str:
    value = column.values[row]
    return str(bool(value)) if column.values.dtype.kind == "b" else str(column.labels[int(value)])
