"""Extra trees: scikit-learn's contract, the range of drawn cuts, and fairness to noise."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from sklearn.utils.estimator_checks import parametrize_with_checks

import bychance as bc
from bychance.columns import Column
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.forest.frames import LIBRARIES, mixed
from tests.forest.tables import table_of
from tests.forest.test_regressor import expected_to_fail
from tests.forest.test_selection import root_features


@parametrize_with_checks(
    [bc.ExtraTreesClassifier(n_estimators=20), bc.ExtraTreesRegressor(n_estimators=20)],
    expected_failed_checks=expected_to_fail,
)
@pytest.mark.slow
def test_scikit_learn_finds_nothing_to_object_to(estimator, check):
    check(estimator)


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames_with_gaps_and_categories_are_learned_from(library):
    columns, y = mixed(400)
    model = bc.ExtraTreesClassifier(100, oob_score=True, random_state=0)

    assert model.fit(LIBRARIES[library](columns), y).oob_score_ > 0.72


def root_cuts(x, n_trees, **options):
    """Return the thresholds of trees of one split on one column, all rows in the tree."""
    y = (np.arange(len(x)) % 2).astype(np.int32)
    settings = GrowSettings(
        criterion="gini", max_features=1, max_depth=1, n_grow=len(x), random_cuts=True, **options
    )
    training = Training(table_of([Column("x", Kind.NUMERIC, x, None)]), y, 2)
    nodes = [grow_tree(training, settings, (k, 1)).node(0) for k in range(n_trees)]
    return np.array([node.threshold for node in nodes if not node.is_leaf])


def test_cuts_are_uniform_between_the_least_and_the_largest_value():
    """Values are dense near 0, but cuts have the mean and spread of uniform numbers, within 4 errors."""
    x = np.arange(1, 52.0) ** 3
    cuts = (root_cuts(x, 2000) - x[0]) / (x[-1] - x[0])

    assert 0 <= cuts.min() < cuts.max() < 1
    assert np.mean(cuts) == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / len(cuts)))
    assert np.std(cuts) == pytest.approx(np.sqrt(1 / 12), abs=0.02)


def test_children_have_enough_rows_wherever_the_cut_is_drawn():
    x = np.arange(1, 42.0) ** 4
    sizes = [np.sum(x <= cut) for cut in root_cuts(x, 300, min_samples_leaf=6)]

    assert min(sizes) >= 6
    assert max(sizes) <= 35


def test_smooth_functions_are_predicted_better_than_by_searched_cuts():
    X, y = make_friedman1(800, noise=1.0, random_state=0)
    forests = [
        kind(max_features=None, random_state=0) for kind in (bc.ExtraTreesRegressor, bc.RandomForestRegressor)
    ]
    extra, searched = (forest.fit(X[:400], y[:400]).score(X[400:], y[400:]) for forest in forests)

    assert extra > searched


@pytest.mark.statistical
def test_fair_chooses_every_kind_of_noise_equally_often(rng):
    """Shares of numbers and ordered categories are within 15% of 1/6 and four errors of 3000 tables (16%)."""
    shares = root_features(rng, 3000, criterion="fair", categorical_split="ordered", random_cuts=True)

    assert shares * 6 == pytest.approx(1, abs=0.15 + 0.16)
