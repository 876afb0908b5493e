"""Conditional importance: p-values of each column given the other columns.

Variation that other columns explain is noise to a test of one column alone. So forests are grown on the
columns that may matter, each without some of them. Every column is tested against the residuals of a forest
without it and without columns that correlate with it. The residuals are those of its out-of-bag answers and
of linear fits: once in all other columns, once in the columns that it does not correlate with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from scipy.linalg import orth
from scipy.stats import hmean

from bychance.array_types import FloatArray
from bychance.forest.features import FeatureTable
from bychance.forest.grow import Votes, choice_step, grow_forest
from bychance.forest.importance import (
    EqualSquares,
    LeaveOneOutFit,
    centered,
    p_value_of_ratio,
    p_values_of_z,
    response_variances,
    responses_of,
    root_fit,
)
from bychance.forest.parameters import GrowSettings, Shrinkage
from bychance.forest.tree import Training
from bychance.seeding import stream_key

__all__ = ["conditional_p_values"]

_MAY_MATTER = 0.05  # largest p-value of columns that may matter: others add more noise than they explain
_N_PARTS = 10  # parts of the columns that may matter, each left out of one forest
_N_TREES = 50  # trees per forest
_ROWS_PER_COLUMN, _MOST_COLUMNS = 10, 200
_RELATED, _RELATED_SE = 0.3, 4  # related columns have a larger correlation, also in standard errors
_NOTHING, _ROUNDING = 1e-12, 1e-6  # rounding errors of a sum, and of a direction
_LEAST = np.finfo(float).tiny


def conditional_p_values(
    training: Training,
    p_values: FloatArray,
    settings_of: Callable[[FeatureTable], GrowSettings],
    root: int,
    n_jobs: int | None,
) -> FloatArray:
    """Compute a p-value of each column given the other columns, by tests against residuals of forests.

    Columns with small `p_values` may matter. `settings_of` makes the settings of trees for a table.
    """
    matter = [int(k) for k in np.argsort(p_values, kind="stable") if p_values[k] <= _MAY_MATTER]
    ranks = _RankColumns.of(training, matter)
    parts = ranks.parts(matter)
    shrinkages: tuple[Shrinkage, ...] = ("rows",)
    step = choice_step(len(training.y))
    total = Votes.empty(training, shrinkages, step)
    residuals = []
    for number, part in enumerate(parts):
        columns = [k for k in matter if k not in part]
        votes = Votes.empty(training, shrinkages, step)
        if columns:
            table, own_root = training.features.at(columns), stream_key(root, "beyond", str(number))[0]
            own, settings = replace(training, features=table), settings_of(table)
            votes = grow_forest(
                own, settings, [], _N_TREES, own_root, shrinkages=shrinkages, step=step, n_jobs=n_jobs
            ).votes
        total.add(votes)
        residuals.append(_residuals_given(training, votes, ranks.at(columns)))
    residuals_of_all = _residuals_given(training, total, ranks.at(matter))

    def p_value(k: int) -> float:
        related = ranks.related(_centered_ranks(training, k))
        number = next((number for j in (k, *related) for number, part in enumerate(parts) if j in part), None)
        if number is None:
            return _p_value(training, k, residuals_of_all)
        near = [j for j in parts[number] if j != k]
        unrelated = [j for j in near if j not in related]
        both = [_p_value(training, k, residuals[number].given(ranks.at(unrelated)))]
        if unrelated != near:
            both.append(_p_value(training, k, residuals[number].given(ranks.at(near))))
        return float(hmean(np.maximum(both, _LEAST)))

    return np.array([p_value(k) for k in range(len(p_values))])


@dataclass(frozen=True, slots=True, eq=False)
class _RankColumns:
    """Centered ranks of the columns with small p-values, best first, unscaled and scaled to unit length."""

    columns: list[int]
    values: FloatArray
    units: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, training: Training, matter: Sequence[int]) -> _RankColumns:
        """Compute ranks of the numeric and binary columns in `matter`, at most one column per 10 rows."""
        weights = _responses(training)[1]
        most = min(len(weights) // _ROWS_PER_COLUMN, _MOST_COLUMNS)
        columns = [k for k in matter if len(training.features.columns[k].categories or ()) <= 2][:most]
        values = np.column_stack(
            [np.empty((len(weights), 0)), *(_centered_ranks(training, k) for k in columns)]
        )
        return cls(columns, values, _unit_columns(values, weights), weights)

    def at(self, columns: Sequence[int]) -> FloatArray:
        """Return the ranks of the given columns as columns of an array."""
        return self.values[:, np.isin(self.columns, columns)]

    def related(self, column_ranks: FloatArray) -> list[int]:
        """Return the columns whose ranks correlate with `column_ranks`, the largest correlation first."""
        sizes = np.abs(self.units.T @ _unit_columns(column_ranks[:, None], self.weights)[:, 0])
        least = max(_RELATED, _RELATED_SE / np.sqrt(len(column_ranks)))
        return [self.columns[k] for k in np.argsort(-sizes, kind="stable") if sizes[k] > least]

    def parts(self, matter: Sequence[int]) -> list[list[int]]:
        """Divide the columns in `matter` into at most 10 groups that keep correlated columns together."""
        groups: list[list[int]] = []
        for k in matter:
            related = self.related(self.at([k])[:, 0]) if k in self.columns else []
            groups_of = [group for j in related for group in groups if j in group]
            if groups_of:
                groups_of[0].append(k)
            else:
                groups.append([k])
        return [list(chain(*groups[number::_N_PARTS])) for number in range(min(_N_PARTS, len(groups)))]


def _unit_columns(ranks: FloatArray, weights: FloatArray) -> FloatArray:
    """Center each column, multiply by root weights, and scale to norm 1, or to 0 if constant."""
    weighted = centered(ranks, weights) * np.sqrt(weights)[:, None]
    lengths = np.linalg.norm(weighted, axis=0)
    return np.asarray(weighted / np.where(lengths > _NOTHING, lengths, np.inf))


@dataclass(frozen=True, slots=True, eq=False)
class _Residuals:
    """Residuals of the target after regression on some columns, and an orthonormal basis of these columns."""

    basis: FloatArray
    left: FloatArray
    roots: FloatArray  # square roots of the weights, as a column

    def given(self, columns: FloatArray) -> _Residuals:
        """Project `columns` out of these residuals, and return the new residuals."""
        weighted = columns * self.roots
        spread = np.linalg.norm(weighted, axis=0)
        weighted -= self.basis @ (self.basis.T @ weighted)
        is_new = np.linalg.norm(weighted, axis=0) > _ROUNDING * spread
        if not is_new.any():
            return self
        more = orth(weighted[:, is_new] / spread[is_new], rcond=_ROUNDING)
        return _Residuals(np.hstack([self.basis, more]), self.left - more @ (more.T @ self.left), self.roots)


def _residuals_given(training: Training, votes: Votes, ranks: FloatArray) -> _Residuals:
    """Return the residuals of the target after its regression on out-of-bag predictions and `ranks`."""
    y, weights = _responses(training)
    has_votes = votes.n_trees[:, None] > 0
    answers = votes.shares[0][:, -y.shape[1] :] / np.maximum(votes.n_trees, 1)[:, None]
    w = weights[:, None] * has_votes
    answers = np.where(has_votes, answers - np.sum(w * answers, axis=0) / max(w.sum(), _NOTHING), 0)
    roots = np.sqrt(weights)[:, None]
    nothing = _Residuals(np.empty((len(y), 0)), y * roots, roots)
    return nothing.given(np.ones((len(y), 1))).given(answers).given(ranks)


def _centered_ranks(training: Training, column: int) -> FloatArray:
    """Return the centered ranks of a column, 0 for missing values and for three or more categories."""
    codes = training.features.native.codes(column)[:: choice_step(len(training.y))]
    has_rank = (codes >= 0) & (len(training.features.columns[column].categories or ()) <= 2)
    ranks = np.where(has_rank, codes / max(1, int(codes.max())), 0)
    return np.asarray(np.where(has_rank, ranks - ranks.sum() / max(1, has_rank.sum()), 0))


def _p_value(training: Training, column: int, residuals: _Residuals) -> float:
    """Return the larger p-value of two tests of association between the column and the residuals.

    The first compares the squares that the column fits with those that it leaves. The basis explains a part
    of the column, if only by chance, so only the rest of the column counts. The second judges each row by the
    fit of the other rows, since a row of a long tail fits itself and rows of a rare class may agree by
    chance.
    """
    codes = training.features.native.codes(column)[:: choice_step(len(training.y))]
    rows = np.flatnonzero((codes >= 0) & (residuals.roots[:, 0] > 0))
    if len(rows) <= 2:
        return 1.0
    weights = residuals.roots[rows, 0] ** 2
    both = centered(np.hstack([residuals.left, residuals.basis])[rows] / residuals.roots[rows], weights)
    is_categorical = training.features.columns[column].categories is not None
    fit = root_fit(codes[rows], both, weights, is_categorical=is_categorical)
    n_responses = residuals.left.shape[1]
    y, squares = both[:, :n_responses], weights @ (both * fit.fitted)
    leverage, explained_before = float(weights @ fit.leverage), float(squares[n_responses:].sum())
    parts, responses = EqualSquares.of(fit.parts), EqualSquares.of(response_variances(y, weights))
    n_left = weights.sum() ** 2 / np.sum(weights**2) - residuals.basis.shape[1] - parts.varying
    if n_left <= 0 or leverage - explained_before <= _ROUNDING * leverage:
        return 1.0
    new_part = (leverage - explained_before) / leverage
    explained = float(squares[:n_responses].sum()) / new_part
    spread = float(weights @ np.sum(y * y, axis=1))
    if explained <= 0:
        return 1.0
    ratio = explained / leverage / max((spread - explained) / n_left, _NOTHING * spread)
    of_squares = p_value_of_ratio(ratio, parts * responses, responses.varying * n_left)
    own = replace(fit, fitted=fit.fitted[:, :n_responses], leverage=new_part * fit.leverage)
    z_score, freedom = LeaveOneOutFit.of(own, y, weights).z_score, parts.skewed * responses.skewed
    return max(of_squares, float(p_values_of_z(np.array(z_score), np.array(freedom))))


def _responses(training: Training) -> tuple[FloatArray, FloatArray]:
    some = training.every(choice_step(len(training.y)))
    return responses_of(some)[0], some.row_weights
