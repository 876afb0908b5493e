"""Scores of columns by mean gains, against whole matrices and all permutations of the responses."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from bychance.columns import Column
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.forest.tables import table_of
from tests.oracle import mean_gain as oracle

X = np.array([1, 1, 2, 3, 3, 3, 4, 5])
Y = np.array([0, 0, 0, 1, 0, 1, 1, 2])
ONES = np.ones(8)
MATRICES = {Kind.NUMERIC: oracle.matrix_of_cuts, Kind.CATEGORICAL: oracle.matrix_of_categories}


def root_of(x, y, n_classes, kind, *, is_missing=None, weights=None, **options):
    values = x * 1.0 if kind is Kind.NUMERIC else x.astype(np.int32)
    labels = None if kind is Kind.NUMERIC else tuple(range(int(x.max()) + 1))
    column = Column("x", kind, values, is_missing, *([labels] if labels else []))
    settings = GrowSettings(
        criterion="fair",
        categorical_split="multiway",
        max_features=1,
        max_depth=1,
        n_grow=len(y),
        **options,
    )
    target = y.astype(np.int32) if n_classes else y
    training = Training(table_of([column]), target, n_classes, weights)
    return grow_tree(training, settings, (1, 2)).node(0)


@pytest.mark.parametrize(
    ("kind", "T", "E", "V", "z"),
    [
        (Kind.NUMERIC, 1.386630, 0.678571, 0.124311, 1.726240),
        (Kind.CATEGORICAL, 3.416667, 2.714286, 0.458248, 1.042214),
    ],
)
def test_eight_rows_have_the_figures_worked_out_for_them(kind, T, E, V, z):
    A, B = MATRICES[kind](X, ONES), oracle.responses(Y, ONES, True)

    assert oracle.moments(A, B, ONES) == pytest.approx((T, E, V), abs=5e-7)
    assert root_of(X, Y, 3, kind).score == pytest.approx(z, abs=5e-7)


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("has_gap", [False, True])
def test_moments_are_those_over_all_arrangements(kind, has_gap):
    groups = np.where(np.arange(8) % 3 == 1, -1, X) if has_gap else X
    A = MATRICES[kind](groups, ONES)
    if has_gap:
        A = A + oracle.matrix_of_gap(groups, ONES)
    arrangements = [np.array(y) for y in set(permutations(Y.tolist()))]
    T = [oracle.moments(A, oracle.responses(y, ONES, True), ONES)[0] for y in arrangements]
    _, E, V = oracle.moments(A, oracle.responses(Y, ONES, True), ONES)

    assert len(T) == 280
    assert pytest.approx((np.mean(T), np.var(T))) == (E, V)


@pytest.mark.parametrize("kind", MATRICES)
@pytest.mark.parametrize("n_classes", [0, 2, 3])
@pytest.mark.parametrize("has_missing", [False, True])
@pytest.mark.parametrize("weight", ["none", "whole", "half"])
def test_scores_of_columns_are_those_of_their_matrices(kind, n_classes, has_missing, weight, rng):
    for n_values in (2, 5, 40):
        n = int(rng.integers(12, 40))
        x = np.unique(rng.integers(0, n_values, n), return_inverse=True)[1]
        y = rng.integers(0, n_classes, n) if n_classes else rng.normal(size=n) ** 3
        is_missing = rng.random(n) < 0.3 if has_missing else None
        weights = {"none": None, "whole": rng.integers(1, 4, n) * 1.0, "half": rng.integers(2, 7, n) / 2}[
            weight
        ]
        w = np.ones(n) if weights is None else weights
        groups = np.where(is_missing, -1, x) if has_missing else x
        root = root_of(x, y, n_classes, kind, is_missing=is_missing, weights=weights, missing="best")
        left_out = root_of(x, y, n_classes, kind, is_missing=is_missing, weights=weights)

        A = MATRICES[kind](groups, w)
        if (groups < 0).any():
            A = A + oracle.matrix_of_gap(groups, w)
        B = oracle.responses(y, w, n_classes > 0)
        assert root.score == pytest.approx(oracle.score(A, B, w), rel=1e-9)
        kept = groups >= 0
        A = MATRICES[kind](groups[kept], w[kept])
        B = oracle.responses(y[kept], w[kept], n_classes > 0)
        assert left_out.score == pytest.approx(oracle.score(A, B, w[kept]), rel=1e-9)


@pytest.mark.parametrize("n_classes", [0, 2])
def test_a_gap_counts_as_a_category_of_its_own(n_classes, rng):
    x, is_missing = rng.integers(0, 2, 50), rng.random(50) < 0.4
    y = rng.integers(0, 2, 50) if n_classes else rng.normal(size=50)
    three = np.where(is_missing, 2, x)

    as_number = root_of(x, y, n_classes, Kind.NUMERIC, is_missing=is_missing, missing="best")
    as_categories = root_of(three, y, n_classes, Kind.CATEGORICAL)

    assert as_number.score == pytest.approx(as_categories.score, rel=1e-9)


def test_the_chosen_column_is_cut_where_it_gains_most(rng):
    """A step near the end of a column has a small mean gain, but its best cut is found."""
    x = np.arange(200.0)
    y = (x >= 185).astype(np.int32)
    noise = Column("noise", Kind.NUMERIC, rng.normal(size=200), None)
    settings = GrowSettings(criterion="fair", max_features=2, max_depth=1, n_grow=200)
    features = table_of([noise, Column("x", Kind.NUMERIC, x, None)])
    root = grow_tree(Training(features, y, 2), settings, (1, 2)).node(0)

    assert (root.feature, root.threshold) == (1, 184.5)


def test_next_to_no_gain_has_next_to_no_score_however_skewed_its_null(rng):
    """A column flags one row, and another row is an outlier. Without the bound of h the score is 4."""
    x, y = np.zeros(200), rng.normal(size=200)
    x[7], y[100] = 1, 1e6

    assert 0 < root_of(x, y, 0, Kind.NUMERIC).score < 0.2
