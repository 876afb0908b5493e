"""What each column tells beyond the others: training rows and first p-values → p-values.

What other columns explain is noise to a test of one column alone. Columns that may matter grow forests, each
without some of them, so that for every column there is a forest that knows nothing of it. What its answers
out of bag, with lines in its columns, leave of the target is tested against the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_law

from bychance.forest.grow import Votes, choice_step
from bychance.forest.root_importance import centered, n_equal_responses, responses_of, root_fit
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Training
from bychance.forest.trial import grow_forest
from bychance.progress import Progress
from bychance.seeding import stream_key

__all__ = ["p_values_beyond"]

_MAY_MATTER = 0.05  # columns of larger p-values add more noise than they explain
_N_PARTS = 10  # of the columns that may matter; each is left out of a forest
_N_TREES = 50  # per forest
_ROWS_PER_LINE = 10
_NOTHING = 1e-12  # what rounding may leave of a sum


def p_values_beyond(
    training: Training,
    p_values: NDArray[np.float64],
    settings_of: Callable[[Sequence[int]], GrowSettings],
    root: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """The p-value of each column for what the others leave of the target; of many rows, some 20,000.

    `p_values` say which columns may matter, `settings_of` how trees of the columns at these positions grow.
    """
    matter = [int(k) for k in np.argsort(p_values, kind="stable") if p_values[k] <= _MAY_MATTER]
    total = Votes.empty(training, ("rows",), choice_step(len(training.y)))
    left: dict[int, NDArray[np.float64]] = {}
    for number in range(min(_N_PARTS, len(matter))):
        part = matter[number::_N_PARTS]
        columns = [k for k in matter if k not in part]
        votes = Votes.empty(training, total.shrinkages, total.step)
        if columns:
            some = replace(training, features=training.features.at(columns))
            own_root = stream_key(root, "beyond", str(number))[0]
            votes = _votes(some, settings_of(columns), votes, own_root, n_jobs)
        total.add(votes)
        left |= dict.fromkeys(part, _left(training, votes, columns))
    of_all = _left(training, total, matter)
    return np.array([_p_value(training, k, left.get(k, of_all)) for k in range(len(p_values))])


def _votes(training: Training, settings: GrowSettings, like: Votes, root: int, n_jobs: int | None) -> Votes:
    """Those of a small forest."""
    with Progress("trees", total=_N_TREES, enabled=False) as bar:
        return grow_forest(
            training,
            settings,
            [],
            _N_TREES,
            root,
            shrinkages=like.shrinkages,
            step=like.step,
            n_jobs=n_jobs,
            progress=bar,
        ).votes


def _left(training: Training, votes: Votes, columns: Sequence[int]) -> NDArray[np.float64]:
    """Responses less what the votes and lines in these columns, the best first, explain."""
    y, weights = _responses(training)
    has_votes = votes.n_trees[:, None] > 0
    sums = votes.shares[0][:, -y.shape[1] :]
    shares = np.where(has_votes, sums / np.maximum(votes.n_trees, 1)[:, None], 0)
    mean = np.sum(shares * weights[:, None] * has_votes, axis=0) / max(weights @ has_votes[:, 0], _NOTHING)
    labels = training.features.encoder.labels
    lines = [_line(training, k, votes.step) for k in columns if len(labels[k] or ()) <= 2]
    known = np.column_stack(
        [np.ones(len(y)), np.where(has_votes, shares - mean, 0), *lines[: len(y) // _ROWS_PER_LINE]]
    )
    roots = np.sqrt(weights)[:, None]
    parts = np.linalg.lstsq(known * roots, y * roots, rcond=_NOTHING)[0]
    return np.asarray(y - known @ parts)


def _line(training: Training, column: int, step: int) -> NDArray[np.float64]:
    """The column's ranks; rows without a value have the mean."""
    codes = training.features.native.codes(column)[::step]
    has_value = codes >= 0
    ranks = np.where(has_value, codes / max(1, int(codes.max())), 0)
    return np.asarray(np.where(has_value, ranks - ranks.sum() / max(1, has_value.sum()), 0))


def _p_value(training: Training, column: int, left: NDArray[np.float64]) -> float:
    """Of the squares that the column fits: an F law, as if several responses were so many of one variance."""
    codes = training.features.native.codes(column)[:: choice_step(len(training.y))]
    rows = np.flatnonzero(codes >= 0)
    weights = _responses(training)[1][rows]
    if len(rows) <= 2 or not weights.any():
        return 1.0
    y = centered(left[rows], weights)
    is_categorical = training.features.encoder.labels[column] is not None
    fit = root_fit(codes[rows], y, weights, is_categorical=is_categorical)
    explained, spread = (
        float(weights @ np.sum(y * fit.fitted, axis=1)),
        float(weights @ np.sum(y * y, axis=1)),
    )
    n_left = weights.sum() ** 2 / np.sum(weights**2) - 1 - fit.freedom
    n_squares = float(weights @ fit.leverage)
    if n_left <= 0 or n_squares <= 0 or explained <= 0:
        return 1.0
    ratio = explained / n_squares / max((spread - explained) / n_left, _NOTHING * spread)
    n_responses = n_equal_responses(y, weights)
    return float(f_law.sf(ratio, n_responses * fit.freedom, n_responses * n_left))


def _responses(training: Training) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    some = training.every(choice_step(len(training.y)))
    return responses_of(some)[0], np.ones(len(some.y)) if some.weights is None else some.weights
