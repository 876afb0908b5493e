"""Data for the report's plots: sampled rows of columns, residuals and strata, and MIC grids."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import FloatArray, IndexArray
from bychance.columns import Column, crossed, numbers_of, shared_rows
from bychance.covariates.cells import Cells
from bychance.covariates.covariates import Covariates
from bychance.io import Table
from bychance.kinds import Kind
from bychance.measures.mic import mic_grid
from bychance.messages import Dialect
from bychance.names import count_of
from bychance.ranking.plan import Plan
from bychance.ranking.results import PairResults

__all__ = ["grids_of", "holds", "sampled_values"]

_MOST_VALUES = 400_000  # values of the table in a page (taste)
_MOST_ROWS, _FEWEST_ROWS = 2_000, 250  # rows of the sample that plots show (taste)
_MOST_LABELS, _LABEL_WIDTH = 200, 120  # categories of a column, and characters of each (taste)
_GRID_PAIRS, _GRID_ROWS = 200, 50_000  # best pairs with MIC's grid, and their rows together (taste)


def sampled_values(plan: Plan, rows: PairResults, best: IndexArray) -> dict[str, Any]:
    """Sample values of the columns in the best pairs, on the same rows for all columns.

    A small table is not sampled. With covariates, numeric columns come with residuals, and categorical
    covariates with strata.
    """
    table, covariates = plan.table, plan.job.covariates
    ends = np.stack([rows.y[best], rows.x[best]], axis=1).ravel()
    _, first = np.unique(ends, return_index=True)
    used = ends[np.sort(first)]
    n_sampled = min(table.n_rows, _MOST_ROWS, max(_MOST_VALUES // max(len(used), 1), _FEWEST_ROWS))
    used = used[: max(_MOST_VALUES // max(n_sampled, 1), 1)]
    sample = np.sort(np.random.default_rng(0).choice(table.n_rows, n_sampled, replace=False))
    columns = {str(k): _values(table.columns[k], sample) for k in used.tolist()} if n_sampled else {}
    found: dict[str, Any] = {"n_sampled": n_sampled, "columns": columns}
    if covariates is not None and n_sampled:
        for k in used.tolist():
            if (residuals := _residuals_of(table.columns[k], covariates)) is not None:
                columns[str(k)]["residuals"] = residuals[sample].astype(np.float32)
        if (strata := _strata_of(covariates)) is not None:
            found["strata"] = _values(strata, sample)
    return found


def holds(table: Table, values: dict[str, Any], dialect: Dialect) -> str:
    """Return a sentence on how many of the table's values the report contains, and how to leave them out."""
    columns = count_of(len(values["columns"]), "column")
    if not values["columns"]:
        return "This page holds results about the table, and none of its values."
    rows = f"{values['n_sampled']:,} of {count_of(table.n_rows, 'row')}"
    without = "ranking.without_data()" if dialect is Dialect.PYTHON else "--no-data"
    return (
        f"This page holds the data: values of {columns}, {rows}. Who gets it gets them too; "
        f"{without} leaves them out."
    )


def _values(column: Column, sample: IndexArray) -> dict[str, Any]:
    values = column.values[sample]
    is_missing = np.zeros(len(sample), np.bool_) if column.is_missing is None else column.is_missing[sample]
    if column.clock is not None and column.clock.has_dates:
        return {"numbers": np.where(is_missing, np.nan, column.clock.milliseconds(values)), "is_date": True}
    if column.kind is Kind.NUMERIC:
        numbers = np.where(is_missing, np.nan, values.astype(np.float64))
        fits = np.nanmax(np.abs(numbers), initial=0) < np.finfo(np.float32).max
        return {"numbers": numbers.astype(np.float32) if fits else numbers}
    labels = column.labels or (False, True)
    codes = values.astype(np.intp)
    counts = np.bincount(codes[~is_missing], minlength=len(labels))
    kept = np.argsort(-counts, kind="stable")[: min(_MOST_LABELS, np.count_nonzero(counts))]
    # Categories beyond the most frequent share the last number.
    renumbered = np.full(len(labels), len(kept), dtype=np.int16)
    renumbered[kept] = np.arange(len(kept))
    n_other = int(np.count_nonzero(counts)) - len(kept)
    return {
        "codes": np.where(is_missing, np.int16(-1), renumbered[codes]),
        "labels": [_label(labels[k]) for k in kept] + ([f"{n_other:,} others"] if n_other else []),
    }


def _label(label: object) -> str:
    text = str(label)
    return text if len(text) <= _LABEL_WIDTH else text[: _LABEL_WIDTH - 1] + "…"


def _residuals_of(column: Column, covariates: Covariates) -> FloatArray | None:
    """Return a numeric column's residuals given covariates, or None if they cannot be computed."""
    if column.kind is not Kind.NUMERIC:
        return None
    rows = None if column.is_missing is None else ~column.is_missing
    if rows is not None and not rows.any():
        return None
    design = covariates.design(covariates.control, rows)
    if design.df >= design.n:
        return None
    residuals = np.full(len(column), np.nan)
    residuals[slice(None) if rows is None else rows] = design.residualize(numbers_of(column, rows, "given"))
    return residuals


def _strata_of(covariates: Covariates) -> Column | None:
    """Combine all categorical covariates into one categorical column, or return None if all are numeric."""
    labeled = [column for column in covariates.columns if column.kind is Kind.CATEGORICAL]
    if not labeled:
        return None
    codes = np.zeros(len(labeled[0]), dtype=np.int64)
    for column in labeled:
        codes = crossed(codes, column.values)
    cells = Cells.of(codes)
    first = [int(rows[0]) for rows in cells.rows]
    labels = tuple(", ".join(_label_of(column, row) for column in labeled) for row in first)
    return Column("strata", Kind.CATEGORICAL, cells.codes, None, labels)


def _label_of(column: Column, row: int) -> str:
    return str((column.labels or (False, True))[int(column.values[row])])


def grids_of(plan: Plan, rows: PairResults, best: IndexArray) -> dict[str, Any]:
    """Compute the cut points of the MIC grid for each of the best pairs, keyed by position in `rows`."""
    columns = plan.table.columns
    return {
        str(k): {"x": _shown(columns[rows.x[k]], grid.x_cuts), "y": _shown(columns[rows.y[k]], grid.y_cuts)}
        for k, grid in _grids(plan, rows, best)
    }


def _shown(column: Column, numbers: NDArray[Any]) -> list[float]:
    """Convert a column's numbers to the units of its plot axis, dates to milliseconds since 1970."""
    clock = column.clock
    shown: list[float] = (clock.milliseconds(numbers) if clock and clock.has_dates else numbers).tolist()
    return shown


def _grids(plan: Plan, rows: PairResults, best: IndexArray) -> Iterator[tuple[int, Any]]:
    measure = plan.job.measures.get((Kind.NUMERIC, Kind.NUMERIC))
    if measure is None or not measure.has_grid or not plan.table.n_rows:
        return
    is_measured = (rows.text("measure") == measure.name) & ~np.isnan(rows.observed)
    best = best[is_measured[best]][:_GRID_PAIRS]
    for k in best[np.cumsum(rows.n[best]) <= max(_GRID_ROWS, rows.n[best[:1]].sum())].tolist():
        x, y = (plan.table.columns[c] for c in (rows.x[k], rows.y[k]))
        values = [numbers_of(column, shared_rows(x, y), measure.name) for column in (x, y)]
        yield k, mic_grid(*values, **measure.settings)
