"""The power that class shares are raised to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss

import bychance as bc
from bychance.forest.grow import Votes
from bychance.forest.sharpness import best_sharpness, sharpened
from bychance.forest.tree import Training

N_TREES = 1000


def drawn_from(odds: np.ndarray, rng: np.random.Generator) -> Training:
    """Classes with these chances."""
    y = (rng.random((len(odds), 1)) > np.cumsum(odds, axis=1)[:, :-1]).sum(axis=1)
    return Training(None, y.astype(np.int32), odds.shape[1])


def votes_for(shares: np.ndarray, n_trees: int = N_TREES) -> Votes:
    return Votes(("none",), n_trees * shares[None], np.full(len(shares), n_trees))


def mean_of_trees(model: Any, X: np.ndarray) -> np.ndarray:
    answers, rows = np.zeros((len(X), 2)), model._encoder.encode(model._seen(X))
    for tree in model.estimators_:
        tree.add_answers(rows, answers)
    return answers / len(model.estimators_)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("power", [0.5, 2.0])
def test_the_power_that_was_taken_off_is_found(n_classes: int, power: float) -> None:
    rng = np.random.default_rng(1)
    odds = rng.dirichlet(np.full(n_classes, 2.0), size=20_000)
    found = best_sharpness(votes_for(sharpened(odds, 1 / power)), 0, drawn_from(odds, rng))
    assert found == pytest.approx(power, rel=0.06)


def test_a_weight_counts_rows() -> None:
    rng = np.random.default_rng(2)
    odds = rng.dirichlet((1.0, 2.0), size=300)
    training, counts = drawn_from(odds, rng), rng.integers(1, 4, 300)
    shares = sharpened(odds, 0.4)
    weighted = Training(None, training.y, 2, counts.astype(np.float64))
    repeated = Training(None, np.repeat(training.y, counts), 2)
    found = best_sharpness(votes_for(shares), 0, weighted)
    assert found == pytest.approx(
        best_sharpness(votes_for(np.repeat(shares, counts, axis=0)), 0, repeated), rel=1e-3
    )
    assert found > 1.5


def test_rows_that_are_not_in_use_or_have_no_votes_have_no_say() -> None:
    rng = np.random.default_rng(3)
    odds = rng.dirichlet((1.0, 1.0), size=600)
    training, is_used = drawn_from(odds, rng), np.arange(600) < 300
    shares = sharpened(odds, 0.5)
    found = best_sharpness(votes_for(shares), 0, training, is_used)
    first = Training(None, training.y[:300], 2)
    assert found == best_sharpness(votes_for(shares[:300]), 0, first)
    unseen = votes_for(shares)
    unseen.shares[0, 300:], unseen.n_trees[300:] = 0, 0
    assert found == best_sharpness(unseen, 0, training)
    assert best_sharpness(unseen, 0, training, ~is_used) == 1


def test_shares_stay_where_there_is_too_little_to_tell() -> None:
    rng = np.random.default_rng(4)
    odds = rng.dirichlet((5.0, 5.0), size=12)
    kept = [best_sharpness(votes_for(odds), 0, drawn_from(odds, rng)) == 1 for _ in range(40)]
    assert np.mean(kept) > 0.2


def test_sums_zeros_and_the_order_of_classes_stay() -> None:
    shares = np.array([[0.5, 0.3, 0.2], [0.0, 1.0, 0.0], [0.0, 6.0, 4.0], [0.0, 0.0, 0.0]])
    raised = sharpened(shares, 3)
    assert raised.sum(axis=1) == pytest.approx(shares.sum(axis=1))
    assert np.array_equal(np.argsort(raised, axis=1), np.argsort(shares, axis=1))
    assert np.array_equal(raised == 0, shares == 0)
    assert sharpened(shares, 1) is shares


def test_a_forest_is_sharpened_where_its_trees_are_too_timid() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 8))
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 0).astype(int)
    X, new, y, new_y = X[:400], X[400:], y[:400], y[400:]
    model = bc.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    plain = mean_of_trees(model, new)
    assert model.predict_proba(new) == pytest.approx(sharpened(plain, model.sharpness_))
    assert model.sharpness_ > 1.3
    assert log_loss(new_y, model.predict_proba(new)) < log_loss(new_y, plain) - 0.03
    assert np.array_equal(model.predict(new), np.argmax(plain, axis=1))
    out_of_bag = np.clip(model.oob_decision_function_[np.arange(400), y], 1e-3, 1)
    assert -np.mean(np.log(out_of_bag)) == pytest.approx(log_loss(new_y, model.predict_proba(new)), abs=0.05)


@pytest.mark.parametrize("options", [{"shrinkage": "rows"}, {"max_samples": None, "bootstrap": False}])
def test_a_forest_that_chooses_nothing_out_of_bag_is_not_sharpened(options: dict[str, object]) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 3))
    model = bc.RandomForestClassifier(20, random_state=0, **options).fit(X, X[:, 0] > 0)
    assert model.sharpness_ == 1


def test_the_paper_s_forest_answers_with_the_mean_of_its_trees() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100, 3))
    model = bc.RandomForestClassifier.from_paper(n_estimators=20, oob_score=True, random_state=0)
    model.fit(X, X[:, 0] > 0)
    assert model.sharpness_ == 1
    assert np.array_equal(model.predict_proba(X), mean_of_trees(model, X))
