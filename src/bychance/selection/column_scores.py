"""Scores, p-values and q-values of each column of X for y, from a ranking."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.multiclass import type_of_target

from bychance.array_types import FloatArray, IndexArray
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.estimators import checked_target, seed_of
from bychance.io import Table, is_frame, read_table
from bychance.io.cells import as_arrow
from bychance.io.frames import as_kind, from_memory
from bychance.kinds import Kind
from bychance.ranking import Ranking, rank
from bychance.ranking.api import DEFAULTS, all_options
from bychance.ranking.options import Job, make_job
from bychance.ranking.results import scores_of
from bychance.read_column import read_column
from bychance.streaming import open_source
from bychance.validation import one_of

if TYPE_CHECKING:
    from bychance.selection.selector import ChanceSelector

__all__ = ["ColumnScores", "check_varies", "scores_of_columns", "scores_of_source"]

TARGET_KINDS = ("auto", "categorical", "numeric")
_ROWS_PER_CLASS = 5  # rows per distinct whole number on average, below which y is numbers (taste)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScores:
    """Scores, p-values and q-values of each column of X, NaN for columns that were not tested."""

    scores: FloatArray
    p_values: FloatArray
    q_values: FloatArray
    best_first: IndexArray
    ranking: Ranking


def scores_of_columns(X: Any, y: Any, selector: ChanceSelector) -> ColumnScores:
    """Rank every column of X, a frame or two-dimensional array, by its relation to y."""
    names = None if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]
    table = read_table(X, names=names)
    columns = list(from_memory(X, names).columns)
    options = _options(selector)
    target = read_target(y, selector.target_kind, make_job(all_options(**options)), taken=columns)
    check_consistent_length(X, target)
    ranking = rank(
        Table((*table.columns, target), table.notes, table.library, table.origin),
        target=target.name,
        n_jobs=selector.n_jobs,
        **options,
    )
    return _by_position(ranking, columns)


def scores_of_source(source: Any, target: str, selector: ChanceSelector) -> tuple[list[str], ColumnScores]:
    """Rank the columns of a file or dataset against its target, and return their names and results."""
    opened = open_source(source)
    if opened is None or not opened.can_reread:
        raise BychanceError(
            "`y` may name a column where X is a path, a dataset or a Dask DataFrame; "
            f"got {target!r} with X a {type(source).__name__}.",
            "y",
        )
    ranking = rank(
        source,
        target=target,
        n_jobs=selector.n_jobs,
        **_options(selector),
        numeric=target if selector.target_kind == "numeric" else (),
        categorical=target if selector.target_kind == "categorical" else (),
    )
    names = [name for name in opened.schema.names if name != target]
    return names, _by_position(ranking, names)


def _options(selector: ChanceSelector) -> dict[str, Any]:
    """Return the selector's parameters as options of `bc.rank`."""
    named = {name: value for name, value in selector.get_params(deep=False).items() if name in DEFAULTS}
    if selector.fdr_level is None:
        del named["fdr_level"]
    return {**named, "rng": seed_of(selector.random_state)}


def _by_position(ranking: Ranking, names: Sequence[str]) -> ColumnScores:
    """Convert a ranking of columns to scores in the order of the columns in X."""
    scores, p_values, q_values, places = np.full((4, len(names)), np.nan)
    positions = {name: k for k, name in enumerate(names)}
    at = [positions[ranking._plan.table.names[k]] for k in ranking._rows.x]
    scores[at] = scores_of(ranking._rows, ranking.by)[0]
    p_values[at], q_values[at] = ranking._rows.p_value, ranking._q_value
    places[at] = ranking._place
    # Columns without a score come last, since NaN sorts last.
    best_first = np.argsort(np.where(np.isnan(scores), np.nan, places), kind="stable")
    return ColumnScores(scores, p_values, q_values, best_first, ranking)


def read_target(y: Any, kind: str, job: Job, *, taken: Container[str]) -> Column:
    """Convert the target y to a named column, numeric or categorical as `kind` asks.

    `ChanceSelector` describes the rule for the kind "auto".
    """
    one_of(kind, "target_kind", TARGET_KINDS)
    name = getattr(y, "name", None)
    if not isinstance(name, str) or not name or name in taken:
        name = next(free for n in count() if (free := "y" + "_" * n) not in taken)
    column = read_column(as_arrow(y if _is_series(y) else checked_target(y)), "y")
    present = column.present
    check_varies(present)
    return replace(as_kind(column, _kind(column, present, job) if kind == "auto" else Kind(kind)), name=name)


def check_varies(values: NDArray[Any]) -> None:
    """Raise an error if the target is constant or empty."""
    if len(values) == 0 or bool(np.all(values == values[0])):
        what = "one class or value throughout" if len(values) else "no values"
        raise BychanceError(f"`y` must vary, got {what}: nothing can explain it.")


def _kind(column: Column, present: NDArray[Any], job: Job) -> Kind:
    if column.kind is Kind.CATEGORICAL or job.only_numbers:
        return column.kind
    n_classes = len(np.unique(present))
    if n_classes > 2 and _ROWS_PER_CLASS * n_classes > len(present):
        return Kind.NUMERIC
    return Kind.CATEGORICAL if type_of_target(present) in ("binary", "multiclass") else Kind.NUMERIC


def _is_series(y: Any) -> bool:
    """Return True if y is a pandas, polars, pyarrow or narwhals series, which has typed values."""
    module = type(y).__module__.split(".")[0]
    return module in ("narwhals", "pandas", "polars", "pyarrow") and hasattr(y, "__len__") and not is_frame(y)
