"""Out-of-bag choices of level and shrinkage, and scores independent of each row's own choice."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bychance as bc
from bychance.forest.grow import GrownTrees, Votes
from bychance.forest.out_of_bag import losses_of, tune
from bychance.forest.parameters import GRID, SHRINKAGES
from bychance.forest.tree import Training
from tests.forest.frames import blobs


def tuned(**settings):
    return bc.RandomForestClassifier.from_paper(
        **{"alpha": "oob", "n_estimators": 30, "random_state": 0, **settings}
    )


def test_the_level_has_the_least_out_of_bag_loss():
    X, y = blobs()
    model = tuned().fit(X, y)

    assert model.alpha_grid_.tolist() == list(GRID)
    assert model.alpha_ == GRID[int(np.argmin(model.alpha_losses_))]


def test_the_forest_is_that_of_the_chosen_level():
    X, y = blobs()
    model = tuned().fit(X, y)
    plain = tuned(alpha=model.alpha_).fit(X, y)

    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(model.feature_importances_, plain.feature_importances_)


def test_losses_are_log_losses_with_one_even_vote_more():
    rng = np.random.default_rng(0)
    shares, y = rng.dirichlet(np.ones(3), size=50) * 8, rng.integers(3, size=50).astype(np.int32)
    votes = Votes(("none",), shares[None], np.full(50, 8))

    expected = log_loss(y, (shares + 1 / 3) / 9, labels=[0, 1, 2])

    assert losses_of(votes, Training(None, y, 3)).mean() == pytest.approx(expected, rel=1e-12)


def test_weights_count_in_the_choice():
    y = np.array([0, 1], dtype=np.int32)
    shares = {0.1: [[1.0, 0], [1, 0]], 0.2: [[0.0, 1], [0, 1]]}

    def choose(weights):
        training = Training(None, y, 2, weights)
        grow = {
            a: GrownTrees([], Votes(("none",), np.array([s]), np.ones(2, int))) for a, s in shares.items()
        }
        return tune(training, grow.__getitem__, (0.1, 0.2)).alpha

    assert choose(np.array([5.0, 1])) == 0.1
    assert choose(np.array([1.0, 5])) == 0.2


@pytest.mark.parametrize("n_layers", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_has_no_say_in_what_it_is_scored_by(n_layers, n_classes):
    """A change of its class changes predictions of the other half alone."""
    rng = np.random.default_rng(3)
    y = rng.integers(n_classes, size=40).astype(np.int32)
    alphas = tuple(np.linspace(0.1, 0.8, 8).tolist())
    votes = rng.dirichlet(np.ones(n_classes), size=(8, n_layers, 40)) * 5
    forests = {
        a: GrownTrees([], Votes(SHRINKAGES[:n_layers], v, np.full(40, 5)))
        for a, v in zip(alphas, votes, strict=True)
    }

    def answers(y):
        training = Training(None, y, n_classes, None)
        return tune(training, forests.__getitem__, alphas).cross_fitted_votes(training, 7)

    before, n_moved = answers(y), np.zeros(40, dtype=int)
    for row in range(40):
        changed = y.copy()
        changed[row] = (y[row] + 1) % n_classes
        after = answers(changed)
        np.testing.assert_array_equal(after[row], before[row])
        n_moved += (after != before).any(axis=1)
    assert (n_moved > 0).sum() >= 20 >= n_moved.max()


@pytest.mark.statistical
def test_the_out_of_bag_score_of_a_tuned_forest_is_not_optimistic():
    """In 100 tables of noise accuracy is 0.5 within four standard errors, with eight levels tried."""
    scores = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.integers(4, size=(60, 4)).astype(str).astype(object)
        y = rng.permutation(np.arange(60) % 2)
        scores.append(tuned(n_estimators=15, oob_score=True, random_state=seed).fit(X, y).oob_score_)

    # Rows out of bag see more of the other class in training, so that noise scores a little below a half.
    error = np.std(scores, ddof=1) / 10
    assert 0.42 < np.mean(scores) < 0.5 + 4 * error
