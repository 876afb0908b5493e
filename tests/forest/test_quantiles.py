"""Quantiles of a forest of numbers, against sums over rows that share leaves, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error

import bychance as bc
from tests.forest.test_regressor import forest, numbers


def test_quantiles_are_those_of_the_rows_that_share_leaves():
    X, y = numbers(150)
    model = forest(n_estimators=7, min_samples_leaf=4).fit(X, y)
    new, levels = numbers(20, seed=1)[0], [0.0, 0.1, 0.5, 0.83, 1.0]
    in_training, ends = model.apply(X), model.apply(new)
    grown = np.array([tree.native.roles() == 0 for tree in model.estimators_]).T

    found = model.predict(new, quantiles=levels)

    order = np.argsort(y)
    for row, leaves in enumerate(ends):
        shares = (in_training == leaves) & grown
        weights = (shares / shares.sum(axis=0)).mean(axis=1)[order]
        below = np.cumsum(weights)
        expected = [y[order][np.argmax((below >= level - 1e-9) & (weights > 0))] for level in levels[:-1]]
        expected.append(y[order][np.flatnonzero(weights)[-1]])
        assert found[row] == pytest.approx(expected), row


def test_one_level_gives_one_column():
    X, y = numbers(100)
    model = forest().fit(X, y)

    np.testing.assert_array_equal(model.predict(X, quantiles=0.5), model.predict(X, quantiles=[0.5])[:, 0])


def test_intervals_cover_new_rows_as_often_as_they_say():
    """90% intervals cover slightly more of 1000 new rows, because leaves mix rows."""
    X, y = numbers(1000)
    new, truth = numbers(1000, seed=1)
    low, high = forest(n_estimators=100, min_samples_leaf=3).fit(X, y).predict(new, quantiles=[0.05, 0.95]).T

    assert 0.87 < np.mean((low <= truth) & (truth <= high)) < 0.99


@pytest.mark.parametrize("quantiles", [1.5, [-0.1], [], [[0.1]], [np.nan]])
def test_levels_outside_0_to_1_are_refused(quantiles):
    X, y = numbers(50)

    with pytest.raises(bc.BychanceError, match="`quantiles`"):
        forest(n_estimators=2).fit(X, y).predict(X, quantiles=quantiles)


def test_median_has_the_smaller_absolute_error_where_noise_is_skewed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3))
    y = X[:, 0] + rng.exponential(3, 1000)
    model = forest(n_estimators=60, min_samples_leaf=5).fit(X[:500], y[:500])
    median, mean = model.predict(X[500:], quantiles=0.5), model.predict(X[500:])

    assert mean_absolute_error(y[500:], median) < mean_absolute_error(y[500:], mean)
