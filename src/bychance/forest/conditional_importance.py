"""What each column tells beyond the others: training rows and first p-values → p-values.

What other columns explain is noise to a test of one column alone. Columns that may matter grow forests, each
without some of them, so that for every column there is a forest that knows nothing of it, nor of columns that
correlate with it. What its answers out of bag, with lines in columns, leave of the target is tested against
the column: beyond the lines of all others, and beyond those of columns that it does not correlate with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orth
from scipy.stats import hmean

from bychance.forest.features import FeatureTable
from bychance.forest.grow import Votes, choice_step, grow_forest
from bychance.forest.importance import (
    Judged,
    Squares,
    centered,
    p_value_of_ratio,
    p_values_of_z,
    response_variances,
    responses_of,
    root_fit,
)
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training
from bychance.progress import Progress
from bychance.seeding import stream_key

__all__ = ["p_values_beyond"]

_MAY_MATTER = 0.05  # columns of larger p-values add more noise than they explain
_N_PARTS = 10  # of the columns that may matter; each is left out of a forest
_N_TREES = 50  # per forest
_ROWS_PER_LINE, _MOST_LINES = 10, 200
_RELATED, _RELATED_SE = 0.3, 4  # a correlation, and in standard errors: by chance hardly any
_NOTHING, _ROUNDING = 1e-12, 1e-6  # what rounding may leave of a sum, and of a direction
_LEAST = np.finfo(float).tiny


def p_values_beyond(
    training: Training,
    p_values: NDArray[np.float64],
    settings_of: Callable[[FeatureTable], GrowSettings],
    root: int,
    n_jobs: int | None,
) -> NDArray[np.float64]:
    """Compute p-values of columns for what the others leave of the target, on at most some 20,000 rows.

    `p_values` say which columns may matter, `settings_of` how trees of the columns at these positions grow.
    """
    matter = [int(k) for k in np.argsort(p_values, kind="stable") if p_values[k] <= _MAY_MATTER]
    lines = _Lines.of(training, matter)
    parts = lines.parts(matter)
    total = Votes.empty(training, ("rows",), choice_step(len(training.y)))
    known = []
    for number, part in enumerate(parts):
        columns = [k for k in matter if k not in part]
        votes = Votes.empty(training, total.shrinkages, total.step)
        if columns:
            some = replace(training, features=training.features.at(columns))
            own_root = stream_key(root, "beyond", str(number))[0]
            votes = _votes(some, settings_of(some.features), votes, own_root, n_jobs)
        total.add(votes)
        known.append(_known(training, votes, lines.at(columns)))
    of_all = _known(training, total, lines.at(matter))

    def p_value(k: int) -> float:
        related = lines.related(_line(training, k))
        number = next((number for j in (k, *related) for number, part in enumerate(parts) if j in part), None)
        if number is None:
            return _p_value(training, k, of_all)
        others = [j for j in parts[number] if j != k]
        unrelated = [j for j in others if j not in related]
        beyond_both = [_p_value(training, k, known[number].beyond(lines.at(unrelated)))]
        if unrelated != others:
            beyond_both.append(_p_value(training, k, known[number].beyond(lines.at(others))))
        return float(hmean(np.maximum(beyond_both, _LEAST)))

    return np.array([p_value(k) for k in range(len(p_values))])


def _votes(training: Training, settings: GrowSettings, like: Votes, root: int, n_jobs: int | None) -> Votes:
    """Grow a small forest and return its out-of-bag votes."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Ranks of the columns that may matter, the best first, and the same of length 1 once weighted."""

    columns: list[int]
    values: NDArray[np.float64]
    units: NDArray[np.float64]
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, training: Training, matter: Sequence[int]) -> _Lines:
        """Return the lines of numbers and of two categories, few enough for the rows."""
        weights = _responses(training)[1]
        most = min(len(weights) // _ROWS_PER_LINE, _MOST_LINES)
        columns = [k for k in matter if len(training.features.columns[k].categories or ()) <= 2][:most]
        values = np.column_stack([np.empty((len(weights), 0)), *(_line(training, k) for k in columns)])
        return cls(columns, values, _units(values, weights), weights)

    def at(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """Return the lines of these columns."""
        return self.values[:, np.isin(self.columns, columns)]

    def related(self, line: NDArray[np.float64]) -> list[int]:
        """Return the columns that correlate with a standardized column, the closest first."""
        sizes = np.abs(self.units.T @ _units(line[:, None], self.weights)[:, 0])
        least = max(_RELATED, _RELATED_SE / np.sqrt(len(line)))
        return [self.columns[k] for k in np.argsort(-sizes, kind="stable") if sizes[k] > least]

    def parts(self, matter: Sequence[int]) -> list[list[int]]:
        """Split the columns into a few parts, each with its closest better columns."""
        groups: list[list[int]] = []
        for k in matter:
            related = self.related(self.at([k])[:, 0]) if k in self.columns else []
            groups_of = [group for j in related for group in groups if j in group]
            if groups_of:
                groups_of[0].append(k)
            else:
                groups.append([k])
        return [list(chain(*groups[number::_N_PARTS])) for number in range(min(_N_PARTS, len(groups)))]


def _units(lines: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return centered and weighted columns of length 1, or 0 if a column is constant."""
    weighted = centered(lines, weights) * np.sqrt(weights)[:, None]
    lengths = np.linalg.norm(weighted, axis=0)
    return np.asarray(weighted / np.where(lengths > _NOTHING, lengths, np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What is known of rows, as orthonormal columns, and what it leaves of the responses; both weighted."""

    basis: NDArray[np.float64]
    left: NDArray[np.float64]
    roots: NDArray[np.float64]  # of the weights, as a column

    def beyond(self, columns: NDArray[np.float64]) -> _Known:
        """Return what is left of the responses beyond these columns too."""
        weighted = columns * self.roots
        spread = np.linalg.norm(weighted, axis=0)
        weighted -= self.basis @ (self.basis.T @ weighted)
        is_new = np.linalg.norm(weighted, axis=0) > _ROUNDING * spread
        if not is_new.any():
            return self
        more = orth(weighted[:, is_new] / spread[is_new], rcond=_ROUNDING)
        return _Known(np.hstack([self.basis, more]), self.left - more @ (more.T @ self.left), self.roots)


def _known(training: Training, votes: Votes, lines: NDArray[np.float64]) -> _Known:
    """Return what a forest's answers and lines leave of the responses."""
    y, weights = _responses(training)
    has_votes = votes.n_trees[:, None] > 0
    answers = votes.shares[0][:, -y.shape[1] :] / np.maximum(votes.n_trees, 1)[:, None]
    w = weights[:, None] * has_votes
    answers = np.where(has_votes, answers - np.sum(w * answers, axis=0) / max(w.sum(), _NOTHING), 0)
    roots = np.sqrt(weights)[:, None]
    nothing = _Known(np.empty((len(y), 0)), y * roots, roots)
    return nothing.beyond(np.ones((len(y), 1))).beyond(answers).beyond(lines)


def _line(training: Training, column: int) -> NDArray[np.float64]:
    """Return centered ranks of a column, 0 for missing values and for three categories or more."""
    codes = training.features.native.codes(column)[:: choice_step(len(training.y))]
    has_rank = (codes >= 0) & (len(training.features.columns[column].categories or ()) <= 2)
    ranks = np.where(has_rank, codes / max(1, int(codes.max())), 0)
    return np.asarray(np.where(has_rank, ranks - ranks.sum() / max(1, has_rank.sum()), 0))


def _p_value(training: Training, column: int, known: _Known) -> float:
    """Compare the squares that the column fits with those that it leaves.

    What is known explains some of the column, if only by chance: what the rest of it fits counts. A row of
    long tails explains itself where it is alone, and a few rows of a rare class may agree by chance: rows are
    judged by what others fit too, and the larger p-value counts.
    """
    codes = training.features.native.codes(column)[:: choice_step(len(training.y))]
    rows = np.flatnonzero((codes >= 0) & (known.roots[:, 0] > 0))
    if len(rows) <= 2:
        return 1.0
    weights = known.roots[rows, 0] ** 2
    both = centered(np.hstack([known.left, known.basis])[rows] / known.roots[rows], weights)
    is_categorical = training.features.columns[column].categories is not None
    fit = root_fit(codes[rows], both, weights, is_categorical=is_categorical)
    n_responses = known.left.shape[1]
    y, squares = both[:, :n_responses], weights @ (both * fit.fitted)
    leverage, of_known = float(weights @ fit.leverage), float(squares[n_responses:].sum())
    parts, responses = Squares.of(fit.parts), Squares.of(response_variances(y, weights))
    n_left = weights.sum() ** 2 / np.sum(weights**2) - known.basis.shape[1] - parts.varying
    if n_left <= 0 or leverage - of_known <= _ROUNDING * leverage:
        return 1.0
    new_part = (leverage - of_known) / leverage
    explained = float(squares[:n_responses].sum()) / new_part
    spread = float(weights @ np.sum(y * y, axis=1))
    if explained <= 0:
        return 1.0
    ratio = explained / leverage / max((spread - explained) / n_left, _NOTHING * spread)
    of_squares = p_value_of_ratio(ratio, parts * responses, responses.varying * n_left)
    own = replace(fit, fitted=fit.fitted[:, :n_responses], leverage=new_part * fit.leverage)
    z_score, freedom = Judged.of(own, y, weights).z_score, parts.skewed * responses.skewed
    return max(of_squares, float(p_values_of_z(np.array(z_score), np.array(freedom))))


def _responses(training: Training) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    some = training.every(choice_step(len(training.y)))
    return responses_of(some)[0], np.ones(len(some.y)) if some.weights is None else some.weights
