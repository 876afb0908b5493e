"""Scores, p-values and q-values of each column of X for y, from a ranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from bychance.errors import BychanceError
from bychance.estimators import seed_of
from bychance.io import Table, is_frame, read_table
from bychance.io.frames import from_memory
from bychance.ranking import Ranking, rank
from bychance.ranking.api import DEFAULTS, all_options
from bychance.ranking.options import make_job
from bychance.ranking.results import scores_of
from bychance.selection.target import read_target
from bychance.streaming import open_source

if TYPE_CHECKING:
    from bychance.selection.selector import ChanceSelector

__all__ = ["Figures", "figures_of", "figures_of_source"]


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """Scores, p-values and q-values of each column of X, NaN for columns that were not tested."""

    scores: NDArray[np.float64]
    p_values: NDArray[np.float64]
    q_values: NDArray[np.float64]
    best_first: NDArray[np.intp]
    ranking: Ranking


def figures_of(X: Any, y: Any, selector: ChanceSelector) -> Figures:
    """Rank every column of X, a frame or two-dimensional array, by its relation to y."""
    names = None if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]
    table = read_table(X, names=names)
    positions = {name: k for k, name in enumerate(from_memory(X, names).columns)}
    options = _options(selector)
    target = read_target(y, selector.target_kind, make_job(all_options(**options)), taken=positions)
    check_consistent_length(X, target)
    ranking = rank(
        Table((*table.columns, target), table.notes, table.library, table.origin),
        target=target.name,
        n_jobs=selector.n_jobs,
        **options,
    )
    # The target comes last and is never an x. Covariates are no longer in the table.
    at = [positions.get(name, -1) for name in ranking._plan.table.names]
    return _by_position(ranking, at, len(positions))


def figures_of_source(source: Any, target: str, selector: ChanceSelector) -> tuple[list[str], Figures]:
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
    positions = {name: k for k, name in enumerate(names)}
    at = [positions.get(name, -1) for name in ranking._plan.table.names]
    return names, _by_position(ranking, at, len(names))


def _options(selector: ChanceSelector) -> dict[str, Any]:
    """Return the selector's parameters as options of `bc.rank`."""
    named = {name: value for name, value in selector.get_params(deep=False).items() if name in DEFAULTS}
    if selector.fdr_level is None:
        del named["fdr_level"]
    return {**named, "rng": seed_of(selector.random_state)}


def _by_position(ranking: Ranking, positions: Sequence[int], n_columns: int) -> Figures:
    """Reorder a ranking's results from ranking order to the order of columns in X."""
    scores, p_values, q_values, places = np.full((4, n_columns), np.nan)
    at = np.array(positions)[ranking._rows.x]
    scores[at] = scores_of(ranking._rows, ranking.by)[0]
    p_values[at], q_values[at] = ranking._rows.p_value, ranking._q_value
    places[at] = ranking._place
    # Columns without a score come last, since NaN sorts last.
    best_first = np.argsort(np.where(np.isnan(scores), np.nan, places), kind="stable")
    return Figures(scores, p_values, q_values, best_first, ranking)
