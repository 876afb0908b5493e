"""X and y → what the ranking says of each column of X."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length

from bychance.errors import BychanceError
from bychance.estimators import seed_of
from bychance.nulls.choose import NullSpec
from bychance.ranking import Ranking, rank
from bychance.ranking.job import MeasureChoice, make_job
from bychance.ranking.pair_rows import scores_of
from bychance.selection.target import read_target
from bychance.streaming import open_source
from bychance.table import Table, is_frame, read_table
from bychance.table.frames import from_memory

__all__ = ["Figures", "Settings", "figures_of", "figures_of_source"]


class Settings(Protocol):
    """What estimators carry as parameters, by the names that their users see."""

    measure: MeasureChoice
    by: str
    alpha: float
    given: Any
    fdr: str
    fdr_level: float | None
    null: NullSpec
    min_n: int
    target_kind: str
    n_jobs: int | None
    random_state: Any


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What the ranking says of each column of X; NaN where it says nothing."""

    scores: NDArray[np.float64]
    p_values: NDArray[np.float64]
    q_values: NDArray[np.float64]
    best_first: NDArray[np.intp]
    ranking: Ranking


def figures_of(X: Any, y: Any, settings: Settings) -> Figures:
    """The figures of every column of a frame or a two-dimensional array against y."""
    names = None if is_frame(X) else [f"x{k}" for k in range(X.shape[1])]
    table = read_table(X, names=names)
    check_consistent_length(X, y)
    positions = {name: k for k, name in enumerate(from_memory(X, names).columns)}
    options = _options(settings)
    target = read_target(y, settings.target_kind, make_job(**options), taken=positions)
    ranking = rank(
        Table((*table.columns, target), table.notes, table.library, table.origin),
        target=target.name,
        given=settings.given,
        n_jobs=settings.n_jobs,
        **options,
    )
    # The target comes last and is never an x; covariates have left the table.
    at = [positions.get(name, -1) for name in ranking._plan.table.names]
    return _by_position(ranking, at, len(positions))


def figures_of_source(source: Any, target: str, settings: Settings) -> tuple[list[str], Figures]:
    """The other columns of a source that may be larger than memory, and their figures against its target."""
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
        given=settings.given,
        n_jobs=settings.n_jobs,
        **_options(settings),
        numeric=target if settings.target_kind == "numeric" else (),
        categorical=target if settings.target_kind == "categorical" else (),
    )
    names = [name for name in opened.schema.names if name != target]
    positions = {name: k for k, name in enumerate(names)}
    at = [positions.get(name, -1) for name in ranking._plan.table.names]
    return names, _by_position(ranking, at, len(names))


def _options(settings: Settings) -> dict[str, Any]:
    """What the estimator's parameters ask of a ranking."""
    return {
        "measure": settings.measure,
        "null": settings.null,
        "by": settings.by,
        "alpha": settings.alpha,
        "min_n": settings.min_n,
        "fdr": settings.fdr,
        "fdr_level": 0.05 if settings.fdr_level is None else settings.fdr_level,
        "rng": seed_of(settings.random_state),
    }


def _by_position(ranking: Ranking, positions: Sequence[int], n_columns: int) -> Figures:
    """The figures of a ranking whose x stand at these positions of X."""
    scores, p_values, q_values, places = np.full((4, n_columns), np.nan)
    at = np.array(positions)[ranking._rows.x]
    scores[at] = scores_of(ranking._rows, ranking.by)[0]
    p_values[at], q_values[at] = ranking._rows.p_value, ranking._q_value
    places[at] = ranking._place
    # Those without a score come last, NaN as it is.
    best_first = np.argsort(np.where(np.isnan(scores), np.nan, places), kind="stable")
    return Figures(scores, p_values, q_values, best_first, ranking)
