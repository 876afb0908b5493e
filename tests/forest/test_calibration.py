"""Class probabilities from votes, with one power and one weight per class."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.metrics import log_loss, roc_auc_score

import bychance as bc
from bychance import _native
from bychance.forest.features import encode, read_like
from bychance.forest.grow import Votes
from bychance.forest.out_of_bag import Calibration, best_shrinkage, fit_calibration, fit_logit
from bychance.forest.parameters import SHRINKAGES
from bychance.forest.tree import Training

N_TREES = 1000


def draw(chances: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw classes with these chances."""
    y = (rng.random((len(chances), 1)) > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1)
    return y.astype(np.int32)


def flattened(chances: np.ndarray, power: float) -> np.ndarray:
    """Take the power off chances, beside those of their mean."""
    mean = chances.mean(axis=0)
    odds = mean * (chances / mean) ** (1 / power)
    return odds / odds.sum(axis=1, keepdims=True)


def fit(shares: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> Calibration:
    found, _ = fit_calibration(
        N_TREES * shares, y, np.ones(len(y)) if weights is None else weights, shares.shape[1]
    )
    assert found is not None
    return found


def logit(
    logs: np.ndarray, chances: np.ndarray, weights: np.ndarray, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Fit the slope of the best multinomial logit with intercepts and its mean loss by another optimizer."""

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        z = point[0] * logs + point[1:]
        excess = weights[:, None] * (softmax(z, axis=1) - chances)
        value = -np.sum(weights[:, None] * chances * log_softmax(z, axis=1))
        return value, np.append(np.sum(excess * logs), excess.sum(axis=0))

    free = [(None, None)] * logs.shape[1]
    start = np.append(np.clip(1.0, *bounds), np.zeros(logs.shape[1]))
    options = {"ftol": 1e-15, "gtol": 1e-10, "maxiter": 5000}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[bounds, *free], options=options)
    return float(found.x[0]), float(found.fun)


def slope_of(answers: np.ndarray, chances: np.ndarray) -> float:
    """Return the slope that would calibrate the answers: 1 is best, above 1 is too timid."""
    return logit(np.log(answers), chances, np.full(len(answers), 1 / len(answers)), (0, 50))[0]


def mean_of_trees(model: Any, X: np.ndarray) -> np.ndarray:
    answers, rows = np.zeros((len(X), 2)), encode(model._features, read_like(X, model._features))
    for tree in model.estimators_:
        _native.add_answers([tree.native], rows, answers)
    return answers / len(model.estimators_)


@pytest.mark.oracle
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("bounds", [(0.25, 4.0), (0.25, 0.6), (2.5, 4.0)])
def test_the_logit_has_the_least_loss(n_classes: int, bounds: tuple[float, float]) -> None:
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.arange(1.0, n_classes + 1), size=300)
    y, weights = draw(chances, rng), rng.dirichlet(np.ones(300))
    logs = np.log(flattened(chances, 1.5)) + rng.normal(size=(300, 1))
    slope, intercepts, losses = fit_logit(logs.T.copy(), y, weights, np.zeros(n_classes), bounds)

    expected = logit(logs, np.eye(n_classes)[y], weights, bounds)
    assert (slope, losses @ weights) == pytest.approx(expected, abs=1e-5)
    shares = softmax(slope * logs + intercepts, axis=1)
    np.testing.assert_allclose(losses, -np.log(shares[np.arange(300), y]), atol=1e-12)
    np.testing.assert_allclose(weights @ shares, weights @ np.eye(n_classes)[y], atol=1e-8)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("power", [0.5, 2.0])
def test_the_power_that_was_taken_off_is_found(n_classes: int, power: float) -> None:
    rng = np.random.default_rng(1)
    chances = rng.dirichlet(np.arange(2.0, n_classes + 2), size=20_000)
    found = fit(flattened(chances, power), draw(chances, rng))
    assert found.power == pytest.approx(power, rel=0.06)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("kind", ["right", "wrong", "nothing", "noise", "some"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_mean_probability_of_a_class_is_its_share(n_classes: int, kind: str, is_weighted: bool) -> None:
    """It is so for any votes, also if none or all of them are for the class of the row."""
    rng = np.random.default_rng(2)
    y = draw(np.tile(rng.dirichlet(np.ones(n_classes)), (90, 1)), rng)
    y[:n_classes] = np.arange(n_classes)
    weights = rng.exponential(size=90) if is_weighted else np.ones(90)
    own, noise = np.eye(n_classes), rng.dirichlet(np.full(n_classes, 0.3), size=90)
    shares = {
        "right": own[y],
        "wrong": own[(y + 1) % n_classes],
        "nothing": np.full((90, n_classes), 1 / n_classes),
        "noise": noise,
        "some": (own[y] + noise) / 2,
    }[kind]
    found = fit(shares, y, weights).probabilities(N_TREES * shares)

    assert found.min() > 0
    assert found.max() < 1
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    expected = np.bincount(y, weights, n_classes) / weights.sum()
    np.testing.assert_allclose(np.average(found, axis=0, weights=weights), expected, atol=2e-6)


def test_a_weight_counts_rows() -> None:
    rng = np.random.default_rng(2)
    chances = rng.dirichlet((1.0, 2.0), size=300)
    shares, y, counts = flattened(chances, 2.5), draw(chances, rng), rng.integers(1, 4, 300)
    weighted = fit(shares, y, counts.astype(np.float64))
    repeated = fit(np.repeat(shares, counts, axis=0), np.repeat(y, counts))

    assert weighted.power == pytest.approx(repeated.power, abs=1e-5)
    np.testing.assert_allclose(weighted.weights, repeated.weights, atol=1e-5)
    assert weighted.power > 1.5


def test_rows_that_are_not_in_use_or_have_no_votes_have_no_say() -> None:
    rng = np.random.default_rng(3)
    chances = rng.dirichlet((1.0, 1.0), size=600)
    y, is_used, shares = draw(chances, rng), np.arange(600) < 300, flattened(chances, 2)

    def choose(shares: np.ndarray, y: np.ndarray, is_used: Any = None) -> Calibration | None:
        layers = np.repeat(N_TREES * shares[None], len(SHRINKAGES), axis=0)
        votes = Votes(SHRINKAGES, layers, shares.any(axis=1) * N_TREES)
        return best_shrinkage(votes, Training(None, y, 2), is_used)[1]

    first = choose(shares[:300], y[:300])
    unseen = np.where(is_used[:, None], shares, 0)
    for found in (choose(shares, y, is_used), choose(unseen, y)):
        assert first is not None
        assert found is not None
        assert found.power == first.power
        np.testing.assert_array_equal(found.weights, first.weights)
    assert choose(unseen, y, ~is_used) is None


def test_a_class_without_rows_stays_possible() -> None:
    rng = np.random.default_rng(4)
    chances = rng.dirichlet((3.0, 2.0, 0.1), size=200)
    y = draw(chances[:, :2] / chances[:, :2].sum(axis=1, keepdims=True), rng)
    found = fit(chances, y)
    rare = np.argmax(chances[:, 2])

    assert found.shares[2] == pytest.approx(0.5 / 200)
    answers = found.probabilities(N_TREES * chances)
    assert answers[:, 2].min() > 0
    assert np.argmax(answers[:, 2]) == rare
    assert fit_calibration(chances, np.zeros(200, dtype=np.int32), np.ones(200), 3)[0] is None


@pytest.mark.parametrize(("n", "share"), [(60, 0.3), (1000, 0.05), (1000, 0.3), (1000, 0.5), (4000, 0.3)])
def test_noise_is_predicted_by_the_share_of_the_class(n: int, share: float) -> None:
    rng = np.random.default_rng([n, 3])
    n_own = round(share * n)
    y = rng.permutation(np.arange(n) < n_own)
    model = bc.RandomForestClassifier(40, random_state=0).fit(rng.normal(size=(n, 6)), y)
    answers = model.predict_proba(rng.normal(size=(2000, 6)))[:, 1]

    assert answers.mean() == pytest.approx(share, abs=0.2 * np.sqrt(share * (1 - share) / n) + 0.003)


def test_noise_of_many_classes_is_predicted_by_their_shares() -> None:
    rng = np.random.default_rng(0)
    chances = np.array([0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.05, 0.05])
    y = rng.permutation(np.repeat(np.arange(8), (1000 * chances).astype(int)))
    model = bc.RandomForestClassifier(40, random_state=0).fit(rng.normal(size=(1000, 6)), y)

    answers = model.predict_proba(rng.normal(size=(1000, 6)))
    np.testing.assert_allclose(answers.mean(axis=0), chances, atol=0.01)


def test_four_classes_are_predicted_neither_timidly_nor_boldly() -> None:
    slopes = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        lines = np.zeros((10, 4))
        lines[:3] = 0.7 * rng.normal(size=(3, 4))
        X = rng.normal(size=(3000, 10))
        chances = softmax(X @ lines + np.log([0.55, 0.25, 0.15, 0.05]), axis=1)
        y = draw(chances, rng)
        model = bc.RandomForestClassifier(100, random_state=0).fit(X[:1000], y[:1000])
        slopes.append(slope_of(model.predict_proba(X[1000:]), chances[1000:]))

    assert np.mean(slopes) == pytest.approx(1, abs=0.15)


def test_weights_of_classes_say_what_noise_is_predicted_by() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(600, 5)), rng.permutation(np.arange(600) < 120)
    for balance in ({"class_weight": "balanced"}, {"class_weight": {False: 1, True: 4}}):
        model = bc.RandomForestClassifier(40, random_state=0, **balance).fit(X, y)
        assert model.predict_proba(rng.normal(size=(1000, 5)))[:, 1].mean() == pytest.approx(0.5, abs=0.02)


def test_two_classes_keep_the_order_that_trees_give_rows() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(800, 5))
    y = X[:, 0] + 2 * rng.normal(size=800) > 2
    model = bc.RandomForestClassifier(40, random_state=0).fit(X[:300], y[:300])
    plain, found = mean_of_trees(model, X[300:])[:, 1], model.predict_proba(X[300:])[:, 1]

    order = np.argsort(plain)
    assert model.sharpness_ != 1
    assert np.diff(found[order]).min() > -1e-12
    scores = (roc_auc_score(y[300:], answers.round(9)) for answers in (plain, found))
    assert next(scores) == pytest.approx(next(scores), abs=1e-4)


def test_clear_classes_stay_clear() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 1, -1)
    model = bc.RandomForestClassifier(60, random_state=0).fit(X[:150], y[:150])

    assert model.score(X[150:], y[150:]) == 1
    assert log_loss(y[150:], model.predict_proba(X[150:])) < 0.01


def test_a_forest_is_sharpened_where_its_trees_are_too_timid() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(900, 8))
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 0).astype(int)
    X, new, y, new_y = X[:400], X[400:], y[:400], y[400:]
    model = bc.RandomForestClassifier(60, oob_score=True, random_state=0).fit(X, y)
    plain = mean_of_trees(model, new)
    again = pickle.loads(pickle.dumps(model))

    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    assert model.sharpness_ > 1.3
    assert log_loss(new_y, model.predict_proba(new)) < log_loss(new_y, plain) - 0.03
    out_of_bag = np.clip(model.oob_decision_function_[np.arange(400), y], 1e-3, 1)
    assert -np.mean(np.log(out_of_bag)) == pytest.approx(log_loss(new_y, model.predict_proba(new)), abs=0.05)


@pytest.mark.parametrize("options", [{"shrinkage": "rows"}, {"max_samples": None, "bootstrap": False}])
def test_a_forest_that_chooses_nothing_out_of_bag_is_not_calibrated(options: dict[str, object]) -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 3))
    model = bc.RandomForestClassifier(20, random_state=0, **options).fit(X, X[:, 0] > 0)
    assert model.sharpness_ == 1
    np.testing.assert_allclose(model.predict_proba(X), mean_of_trees(model, X), atol=1e-12)


def test_the_paper_s_forest_answers_with_the_mean_of_its_trees() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(100, 3))
    model = bc.RandomForestClassifier.from_paper(n_estimators=20, oob_score=True, random_state=0)
    model.fit(X, X[:, 0] > 0)
    assert model.sharpness_ == 1
    assert np.array_equal(model.predict_proba(X), mean_of_trees(model, X))
