"""Shrunk trees against the definition, and the choice of a shrinkage by out-of-bag loss."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import bychance as bc
from bychance import _native
from bychance.forest.grow import Votes
from bychance.forest.out_of_bag import best_shrinkage
from bychance.forest.parameters import SHRINKAGES, GrowSettings
from bychance.forest.tree import Training
from tests.forest.frames import LIBRARIES, blobs, forest, mixed
from tests.forest.tables import SmallTable, rows_of, shrunk

MIXED = ["number", ("ties", 4), ("labels", 3), ("labels", 8)]


def kept(tree, node, shrinkage):
    """Compute the part of the children's differences that is kept, by the definition."""
    if shrinkage.startswith("leaf") and min(tree.node(k).n for k in node.children) < int(shrinkage[4:]):
        return 0
    if shrinkage != "chance":
        return node.n / (node.n + 4)
    shares = node.class_counts / node.n
    gain = -np.sum(shares**2)
    for child in map(tree.node, node.children):
        gain += child.n / node.n * np.sum((child.class_counts / child.n) ** 2)
    by_chance = (len(node.children) - 1) / (node.n - 1) * (1 - np.sum(shares**2))
    return max(0, 1 - by_chance / gain / 2) if gain > 1e-12 else 0


def expected_shares(tree, shrinkage, k=0, above=None, is_undone=False):
    """Compute the shares node by node from the root."""
    node = tree.node(k)
    answers = {k: node.class_counts / node.n if above is None else above}
    part = 0 if is_undone or node.is_leaf else kept(tree, node, shrinkage)
    for child in node.children:
        own = tree.node(child).class_counts / tree.node(child).n
        start = answers[k] if shrinkage == "chance" else node.class_counts / node.n
        shares = answers[k] + part * (own - start)
        answers |= expected_shares(tree, shrinkage, child, shares, part == 0 and shrinkage != "chance")
    return answers


def small_tree(rng, n_classes=2, split="ordered", weights=None):
    table = SmallTable(rng, MIXED, 120, n_classes=n_classes, missing=0.1)
    settings = GrowSettings(criterion="gini", categorical_split=split, max_features=2, n_grow=60, n_order=30)
    return table, table.grown(settings, weights=weights)


@pytest.mark.parametrize("shrinkage", ["rows", "chance", "leaf5", "leaf10"])
@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("split", ["ordered", "multiway"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_nodes_answer_as_defined(shrinkage, n_classes, split, is_weighted, rng):
    weights = rng.integers(1, 4, 120).astype(float) if is_weighted else None
    _, tree = small_tree(rng, n_classes, split, weights)
    own = [tree.node(k).shares for k in range(tree.n_nodes)]

    drawn = shrunk(tree, shrinkage)
    found = np.array([drawn.node(k).shares for k in range(tree.n_nodes)])
    expected = expected_shares(tree, shrinkage)

    np.testing.assert_allclose(found, [expected[k] for k in range(tree.n_nodes)], atol=1e-12)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert found.min() > -1e-12
    assert np.abs(found - own).max() > 0.05

    np.testing.assert_array_equal([tree.node(k).shares for k in range(tree.n_nodes)], own)
    again = shrunk(drawn, "none")
    np.testing.assert_array_equal([again.node(k).shares for k in range(tree.n_nodes)], own)


def test_two_rows_of_two_classes_say_half_of_what_they_seem_to():
    """Chance explains all that a split of two rows gains."""
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    model = forest(n_estimators=1, max_samples=None, shrinkage="chance").fit(X, y)

    np.testing.assert_allclose(model.predict_proba(X), [[0.75, 0.25], [0.25, 0.75]])


@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("split", ["ordered", "multiway"])
def test_out_of_bag_layers_are_what_shrunk_trees_answer(split, step, rng):
    table, tree = small_tree(rng, n_classes=3, split=split)
    out, counts = np.zeros((len(SHRINKAGES), 120 // step, 3)), np.zeros(120 // step, dtype=np.int64)
    tree.native.add_out_of_bag(table.features.native, list(SHRINKAGES), step, out, counts)

    for layer, shrinkage in enumerate(SHRINKAGES):
        answers = np.zeros((120, 3))
        _native.add_answers([shrunk(tree, shrinkage).native], rows_of(table.features), answers)
        np.testing.assert_array_equal(out[layer], answers[::step] * counts[:, None])
    assert (counts == (tree.native.roles()[::step] == 2)).all()


def best_of(training, *layers, n_trees=None):
    """Return which of these shares of the second class is taken."""
    shares = np.array([np.column_stack([1 - layer, layer]) for layer in layers])
    counts = np.full(shares.shape[1], 10) if n_trees is None else n_trees
    votes = Votes(SHRINKAGES[: len(layers)], shares * counts[:, None], counts)
    return best_shrinkage(votes, training)[0]


def test_a_layer_must_be_better_by_more_than_half_its_error(rng):
    y = np.repeat([0, 1], 100).astype(np.int32)
    training = Training(None, y, 2, None)
    noise = rng.random(200)

    assert best_of(training, noise, 0.9 * noise) == 0
    assert best_of(training, 0.5 * noise + 0.3 * y, noise) == 0
    assert best_of(training, noise, 0.5 * noise + 0.3 * y) == 1
    assert best_of(training, noise, 0.5 * noise + 0.1 * y, 0.5 * noise + 0.4 * y) == 2
    # Five pairs of rows are swapped for the better and four for the worse: less than half an error.
    close, other = np.sort(noise), np.sort(noise)
    for k in (0, 4, 8, 12, 16):
        close[[99 - k, 101 + k]] = close[[101 + k, 99 - k]]
    for k in (2, 6, 10, 14):
        other[[99 - k, 101 + k]] = other[[101 + k, 99 - k]]
    assert best_of(training, close, other) == 0


def test_a_layer_that_calibration_makes_of_another_is_no_better(rng):
    """Shares of ten trees whose odds, with one vote more, are a power of the others'."""
    y = np.repeat([0, 1], 100).astype(np.int32)
    shares = 1 / (1 + np.exp(rng.normal(size=200) - y))
    odds = (1 + 20 * shares) / (21 - 20 * shares)
    sharper = 1.1 * odds**1.2 / (1 + odds**1.2) - 0.05

    assert np.abs(sharper - shares).max() > 0.04
    assert best_of(Training(None, y, 2, None), sharper, shares) == 0
    assert best_of(Training(None, y, 2, None), shares, sharper) == 0


def test_rows_without_votes_and_weights_count_in_the_choice(rng):
    y = np.repeat([0, 1], 100).astype(np.int32)
    noise = rng.random(200)
    better = 0.5 * noise + 0.4 * y
    is_even = np.arange(200) % 2 == 0
    half_better = np.where(is_even, better, 1 - better)

    plain = Training(None, y, 2, None)
    assert best_of(plain, noise, half_better, n_trees=np.where(is_even, 10, 0)) == 1
    assert best_of(plain, noise, half_better) == 0
    assert best_of(Training(None, y, 2, np.where(is_even, 50.0, 0.01)), noise, half_better) == 1


def test_noisy_classes_are_shrunk_and_clear_ones_are_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    noisy = (X[:, :4].sum(axis=1) + 4 * rng.normal(size=600) > 0).astype(int)

    assert forest(n_estimators=100).fit(X, noisy).shrinkage_ != "none"
    clear = X[:, 0] + X[:, 1] > 0
    assert forest(n_estimators=100).fit(X, clear).shrinkage_ in ("none", "chance")


@pytest.mark.statistical
def test_shrinking_noisy_classes_tells_new_rows_apart_better():
    """Mean gain in AUC over 20 samples, more than three standard errors above 0."""
    gains = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2300, 8))
        y = (X[:, :4].sum(axis=1) + 4 * rng.normal(size=2300) > 0).astype(int)
        shrunk, plain = (
            forest(n_estimators=100, random_state=seed, shrinkage=shrinkage).fit(X[:300], y[:300])
            for shrinkage in ("oob", "none")
        )
        scores = [roc_auc_score(y[300:], model.predict_proba(X[300:])[:, 1]) for model in (shrunk, plain)]
        gains.append(scores[0] - scores[1])

    assert np.mean(gains) > 3 * np.std(gains, ddof=1) / np.sqrt(20)


@pytest.mark.parametrize("shrinkage", ["rows", "chance", "leaf5", "none"])
def test_a_given_shrinkage_is_kept_to(shrinkage):
    columns, y = mixed()
    X = LIBRARIES["pandas"](columns)
    model = forest(shrinkage=shrinkage, oob_score=True).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    answers = np.mean(
        [
            [tree.node(k).shares for k in leaves]
            for tree, leaves in zip(model.estimators_, model.apply(X).T, strict=True)
        ],
        axis=0,
    )

    assert model.shrinkage_ == shrinkage
    np.testing.assert_allclose(model.predict_proba(X), answers, atol=1e-12)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_without_rows_out_of_bag_nothing_is_chosen():
    X, y = blobs()
    assert forest(max_samples=None).fit(X, y).shrinkage_ == "none"
    assert forest(max_samples=None, shrinkage="rows").fit(X, y).shrinkage_ == "rows"


def test_an_unknown_shrinkage_is_named():
    X, y = blobs()
    with pytest.raises(ValueError, match="Did you mean 'rows'"):
        forest(shrinkage="row").fit(X, y)
    with pytest.raises(ValueError, match="must be one of chance, leaf10, leaf5, none, oob, rows; got None"):
        bc.RandomForestClassifier(shrinkage=None).fit(X, y)


def test_many_rows_have_the_answers_of_few(rng):
    """At 20,000 rows and more, trees copy them to small tables."""
    n = 20_500
    codes = rng.integers(0, 12, n)
    X = {"x": rng.normal(size=n), "label": [None if k == 11 else f"c{k}" for k in codes]}
    X["x"][::50] = np.nan
    y = (np.nan_to_num(X["x"]) + codes / 6 + rng.normal(size=n) > 1).astype(int)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model = forest(n_estimators=3, shrinkage="none", oob_score=True).fit(LIBRARIES["pandas"](X), y)

    expected, counts = np.zeros((n, 2)), np.zeros(n)
    for tree in model.estimators_:
        answers = np.zeros((n, 2))
        _native.add_answers([tree.native], rows_of(model._training.features), answers)
        expected += answers * (tree.native.roles() == 2)[:, None]
        counts += tree.native.roles() == 2
    with np.errstate(invalid="ignore"):
        expected /= counts[:, None]

    np.testing.assert_array_equal(model.oob_decision_function_, expected)


def test_a_drawn_tree_names_what_it_answers():
    X, y = blobs()
    model = forest(shrinkage="rows", class_weight={0: 1, 1: 0.2}).fit(X, y)
    drawn = bc.export_tree(model, class_names=["none", "some"])
    leaves = [
        node for node in map(model.estimators_[0].node, range(model.estimators_[0].n_nodes)) if node.is_leaf
    ]

    n_some = sum(int(np.argmax(node.shares)) for node in leaves)
    assert drawn.count(": some  (") == n_some
    assert n_some < sum(int(np.argmax(node.class_counts)) for node in leaves)


def test_trees_of_another_forest_stay_as_they_are():
    X, y = blobs()
    first = forest(shrinkage="none", warm_start=True).fit(X, y)
    before = first.predict_proba(X)
    copy.copy(first).set_params(shrinkage="rows", n_estimators=first.n_estimators + 1).fit(X, y)

    np.testing.assert_array_equal(first.predict_proba(X), before)


def test_trees_of_a_smaller_forest_keep_their_answers(rng):
    X, y = rng.normal(size=(200, 3)), rng.normal(size=200)
    model = bc.RandomForestRegressor(3, shrinkage="rows", warm_start=True, random_state=0).fit(X, y)
    first = list(model.estimators_)
    before = [tree.node(1).shares for tree in first]
    model.set_params(n_estimators=5, shrinkage="leaf10").fit(X, y)

    np.testing.assert_array_equal([tree.node(1).shares for tree in first], before)
    assert any(tree.node(1).shares != kept for tree, kept in zip(model.estimators_, before, strict=False))
