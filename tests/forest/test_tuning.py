"""alpha="oob": the least out-of-bag loss decides, and no row is scored at a level chosen on its class."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bychance as bc
from bychance.forest.grow import Grown, Training, Votes
from bychance.forest.out_of_bag import log_losses
from bychance.forest.parameters import GRID
from bychance.forest.tuning import tune_alpha
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
    votes = Votes(shares, np.full(50, 8))

    expected = log_loss(y, (shares + 1 / 3) / 9, labels=[0, 1, 2])

    assert log_losses(votes, y).mean() == pytest.approx(expected, rel=1e-12)


def test_weights_count_in_the_choice():
    y = np.array([0, 1], dtype=np.int32)
    shares = {0.1: [[1.0, 0], [1, 0]], 0.2: [[0.0, 1], [0, 1]]}

    def choose(weights):
        training = Training(None, y, 2, weights)
        grow = {a: Grown([], Votes(np.array(s), np.ones(2, dtype=np.int64))) for a, s in shares.items()}
        return tune_alpha(training, grow.__getitem__, (0.1, 0.2), 0).alpha

    assert choose(np.array([5.0, 1])) == 0.1
    assert choose(np.array([1.0, 5])) == 0.2


def test_a_row_has_no_say_in_the_level_that_it_is_scored_at():
    """Whatever the votes for one half are, those of the same half are taken at an unchanged level."""
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=40).astype(np.int32)
    training = Training(None, y, 2, None)
    alphas = tuple(np.linspace(0.1, 0.8, 8).tolist())
    votes = [Votes(rng.dirichlet([1, 1], size=40) * 5, np.full(40, 5)) for _ in alphas]

    def levels(votes):
        forests = {a: Grown([], v) for a, v in zip(alphas, votes, strict=True)}
        taken = tune_alpha(training, forests.__getitem__, alphas, 7).votes.shares
        return np.array([[np.array_equal(v.shares[k], taken[k]) for v in votes] for k in range(40)]).argmax(1)

    before = levels(votes)
    halves = [before == level for level in np.unique(before)]
    assert sorted(half.sum() for half in halves) == [20, 20]

    changed = [Votes(v.shares.copy(), v.n_trees) for v in votes]
    for each in changed:
        each.shares[halves[0]] = rng.dirichlet([1, 1], size=20) * 5
    after = levels(changed)

    np.testing.assert_array_equal(after[halves[0]], before[halves[0]])


@pytest.mark.statistical
def test_the_out_of_bag_score_of_a_tuned_forest_is_not_optimistic():
    """On pure noise, 100 tables: accuracy 0.5 within four standard errors, though eight levels were tried."""
    scores = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.integers(4, size=(60, 4)).astype(str).astype(object)
        y = rng.permutation(np.arange(60) % 2)
        scores.append(tuned(n_estimators=15, oob_score=True, random_state=seed).fit(X, y).oob_score_)

    # Rows out of bag see more of the other class in training, so that noise scores a little below a half.
    error = np.std(scores, ddof=1) / 10
    assert 0.42 < np.mean(scores) < 0.5 + 4 * error
