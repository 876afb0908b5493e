"""Importances of noise have mean zero and uniform p-values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

import bychance as bc
from bychance.forest.importance import EqualSquares
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from tests.forest.frames import LIBRARIES, blobs, mixed
from tests.forest.tables import SmallTable
from tests.oracle import importance as oracle

KINDS = ["number", ("ties", 4), ("labels", 2), ("labels", 3), ("labels", 9)]


def measured(tree, training):
    n_features = training.features.n_features
    importance, by_block = np.zeros(n_features), np.zeros((n_features, 7))
    table, target = training.features.native, training.target
    tree.native.add_importances(table, target, importance, np.zeros((2, n_features)), by_block)
    np.testing.assert_allclose(by_block.sum(axis=1), importance, atol=1e-12)
    return importance


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_importances_of_a_tree_equal_the_oracles(n_classes, split, is_weighted, rng):
    """With 0 classes the target is numbers that depend on the first column."""
    table = SmallTable(rng, KINDS, 240, max(n_classes, 2), missing=0.15)
    weights = rng.integers(1, 5, 240) / 2 if is_weighted else None
    first = np.array([0.0 if value is None else value for value in table.plain[0]])
    y = table.y if n_classes else first + rng.normal(size=240) + 5
    training = Training(table.features, y, n_classes, weights)
    settings = GrowSettings(criterion="fair", categorical_split=split, max_features=2, n_grow=100, n_order=40)
    tree = grow_tree(training, settings, (3, 4))
    arrays = tree.native.arrays()
    bounds = arrays["order_start"]
    positions = [arrays["positions"][a:b].tolist() for a, b in pairwise(bounds)]
    responses = np.eye(n_classes)[y] if n_classes else y[:, None]

    expected = oracle.importances(
        tree, table.plain, positions, responses, np.ones(240) if weights is None else weights, 5
    )

    np.testing.assert_allclose(measured(tree, training), expected, rtol=1e-9, atol=1e-12)


def noise(rng, n=120):
    """Draw columns that are unrelated to any class: numbers, missing values, and few and many categories."""
    gappy = rng.normal(size=n)
    gappy[rng.random(n) < 0.6] = np.nan
    labels = {f"{levels} labels": rng.integers(levels, size=n).astype(str) for levels in (2, 5, 20, 50)}
    steps = rng.integers(5, size=n).astype(float)
    return pd.DataFrame({"numbers": rng.normal(size=n), "steps": steps, "gappy": gappy, **labels})


@pytest.mark.statistical
@pytest.mark.parametrize("settings", [{}, {"criterion": "gini", "categorical_split": "multiway"}])
def test_noise_of_any_cardinality_has_mean_importance_zero(settings):
    """In 200 tables only `signal` matters: all other means are within four standard errors of 0."""
    importances = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        y = rng.integers(2, size=120)
        X = noise(rng).assign(signal=rng.normal(size=120) + 2 * y)
        forest = bc.RandomForestClassifier(20, random_state=seed, **settings).fit(X, y)
        importances.append(forest.feature_importances_)

    means = np.mean(importances, axis=0)
    errors = np.std(importances, axis=0, ddof=1) / np.sqrt(len(importances))

    assert (np.abs(means[:-1]) < 4 * errors[:-1]).all(), (means / errors).round(1)
    assert means[-1] > 20 * errors[-1]


def test_gains_on_the_rows_of_the_tree_would_not():
    """The gain of a chosen split on its own rows exceeds chance on noise as well: it is a maximum."""
    rng = np.random.default_rng(0)
    X, y = noise(rng), rng.integers(2, size=120)
    trees = bc.RandomForestClassifier(50, max_features=None, random_state=0).fit(X, y).estimators_

    assert np.mean([tree.node(0).score for tree in trees]) > 0.5


@pytest.mark.statistical
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_p_values_of_one_fit_are_uniform_where_nothing_matters(target):
    """In 120 tables of noise 3 to 7.5% of p-values are up to .05, 7 to 13% up to .1."""
    p_values = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        X = noise(rng, n=200)
        if target == "classes":
            forest = bc.RandomForestClassifier(60, random_state=seed).fit(X, rng.random(200) < 0.35)
        else:
            forest = bc.RandomForestRegressor(60, random_state=seed).fit(X, rng.normal(size=200))
        p_values.append(forest.feature_importances_p_)

    assert 0.03 < np.mean(np.array(p_values) <= 0.05) < 0.075
    assert 0.07 < np.mean(np.array(p_values) <= 0.1) < 0.13


@pytest.mark.parametrize("n_first", [10, 50, 200])
def test_rare_flags_that_no_row_of_a_class_has_are_no_discoveries(n_first, rng):
    """Chance gives rows of one class too."""
    y = np.arange(1000) < n_first
    X = np.column_stack([rng.permutation(1000) < 10 for _ in range(20)]).astype(float)

    forest = bc.RandomForestClassifier(50, random_state=0).fit(X, y)

    assert (forest.feature_importances_q_ > 0.05).all()
    exact = [fisher_exact(table(x, y)).pvalue for x in X.T]
    np.testing.assert_array_less(np.array(exact) / 2, forest.feature_importances_p_ + 1e-12)


def table(x, y):
    return [[np.sum((x == i) & (y == j)) for j in (0, 1)] for i in (0, 1)]


def test_rare_flags_that_matter_are_found(rng):
    """Six of ten rows of the first flag are in a class of 5%, and 0.5 are expected."""
    y = np.arange(1000) < 50
    X = np.column_stack([rng.permutation(1000) < 10 for _ in range(10)]).astype(float)
    X[:, 0] = np.isin(np.arange(1000), [*range(6), *range(900, 904)])

    forest = bc.RandomForestClassifier(50, random_state=0).fit(X, y)

    expected = fisher_exact(table(X[:, 0], y)).pvalue
    np.testing.assert_allclose(forest.feature_importances_p_[0], expected, rtol=1e-6)
    assert np.flatnonzero(forest.feature_importances_q_ <= 0.05).tolist() == [0]


@pytest.mark.parametrize("kind", ["outlier", "long tail"])
def test_many_categories_beside_a_long_tail_are_no_discoveries(kind, rng):
    """An outlier alone in its category is no evidence for the column."""
    y = rng.normal(size=200) if kind == "outlier" else np.exp(2 * rng.normal(size=200))
    y[7] = 1e6
    X = pd.DataFrame({f"x{k}": rng.integers(0, 80, 200).astype(str) for k in range(10)})
    X.loc[7, "x0"] = "alone"

    forest = bc.RandomForestRegressor(50, random_state=0).fit(X, y)

    assert forest.feature_importances_p_.min() > 0.001


@pytest.mark.slow
def test_weak_signals_are_found_among_columns_of_many_values():
    """Li et al.: five of the first ten of 50 columns matter, in ten tables of 200 rows."""
    from sklearn.metrics import roc_auc_score

    found = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = np.column_stack([rng.integers(0, j + 1, 200) for j in range(1, 51)]).astype(float)
        matters = rng.choice(10, 5, replace=False)
        z = ((X - X.mean(axis=0)) / X.std(axis=0))[:, matters].sum(axis=1)
        y = rng.random(200) < 1 / (1 + np.exp(1 - 0.4 * z))
        forest = bc.RandomForestClassifier(100, random_state=seed).fit(X, y)
        found.append(roc_auc_score(np.isin(np.arange(50), matters), forest.feature_importances_))

    assert np.mean(found) > 0.78


def test_p_and_q_values_tell_signal_from_noise():
    X, y = blobs(300)
    forest = bc.RandomForestClassifier(100, random_state=0).fit(X, y)

    assert forest.feature_importances_p_[:2].max() < 1e-4
    assert (forest.feature_importances_q_ >= forest.feature_importances_p_).all()


@pytest.mark.parametrize("exponent", [-190, 190])
def test_p_values_are_the_same_in_other_units_of_the_target(exponent, rng):
    """Units are close to the least and to the largest size that forests take."""
    X = rng.normal(size=(150, 3))
    y = X[:, 0] + rng.normal(size=150)
    forest = bc.RandomForestRegressor(20, shrinkage="none", max_features=1, random_state=0)

    expected = forest.fit(X, y).feature_importances_p_

    assert expected[0] < 1e-4
    np.testing.assert_array_equal(forest.fit(X, np.ldexp(y, exponent)).feature_importances_p_, expected)


@pytest.mark.parametrize(("n_classes", "n_squares"), [(2, 1), (3, 2), (5, 4)])
def test_equal_classes_have_one_square_less_than_there_are(n_classes, n_squares, rng):
    """Columns have two categories, which fit one number per class."""
    X, y = rng.integers(0, 2, (60, 2)).astype(str), np.arange(60) % n_classes
    forest = bc.RandomForestClassifier(5, random_state=0, missing="majority").fit(X, y)

    np.testing.assert_allclose(forest._importances.freedom, n_squares)


def test_numbers_have_the_squares_of_a_line_and_a_quarter_of_a_parabola(rng):
    """The root fits half of a parabola, and the trees, with the same weight, lines alone."""
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    forest = bc.RandomForestRegressor(5, random_state=0).fit(X, y)

    np.testing.assert_allclose(forest._importances.freedom, EqualSquares.of(np.array([1, 0.25])).skewed)


@pytest.mark.statistical
def test_p_values_are_uniform_where_nothing_matters():
    """In 100 tables with 19 permutations p-values of each column have mean 0.525 within four errors."""
    p_values = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X, y = noise(rng, n=60), rng.integers(2, size=60)
        forest = bc.RandomForestClassifier(10, random_state=seed)
        p_values.append(forest.importance_test(X, y, n_permutations=19).p_values)
    means, error = np.mean(p_values, axis=0), np.sqrt((20**2 - 1) / 12) / 20 / np.sqrt(len(p_values))

    # Columns that a forest never splits on tie at 0 with themselves, which makes p larger, never smaller.
    assert (means > 0.525 - 4 * error).all()
    assert (means[:2] < 0.525 + 4 * error).all()
    assert np.mean(np.array(p_values) <= 0.1) < 0.1 + 4 * np.sqrt(0.09 / np.size(p_values))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_test_finds_what_matters_and_says_so_in_the_callers_library(library):
    columns, y = mixed(300)
    X = LIBRARIES[library](columns)
    forest = bc.RandomForestClassifier(30, random_state=0)

    result = forest.importance_test(X, y, n_permutations=19)
    frame = result.to_frame()

    assert type(frame).__module__.split(".")[0] == library
    assert set(list(frame["column"])[:3] if library != "pyarrow" else frame["column"].to_pylist()[:3]) == {
        "dose", "city", "flag",
    }  # fmt: skip
    assert result.null.shape == (19, 5)
    np.testing.assert_array_equal(result.importances, forest.fit(X, y).feature_importances_)
    assert "5 columns, 19 permutations" in repr(result)


def test_a_test_leaves_the_estimator_alone():
    X, y = blobs()
    forest = bc.RandomForestClassifier(5, random_state=0)
    forest.importance_test(X, y, n_permutations=2)

    assert not hasattr(forest, "estimators_")
    with pytest.raises(ValueError, match="Importances need rows that trees are not grown on"):
        forest.set_params(bootstrap=False, max_samples=None).importance_test(X, y, n_permutations=2)
    with pytest.raises(ValueError, match="`n_permutations` must be a positive integer"):
        forest.importance_test(X, y, n_permutations=0)


def test_p_values_count_the_forest_itself():
    from bychance.forest.importance import ImportanceTest

    null = np.array([[0.1, 0.5], [0.2, 0.5], [0.3, 0.5]])

    np.testing.assert_allclose(ImportanceTest(("a", "b"), np.array([0.25, 0.6]), null).p_values, [0.5, 0.25])


@pytest.mark.slow
def test_standard_errors_are_those_over_trees():
    X, y = blobs()
    few, many = (
        [bc.RandomForestClassifier(n, random_state=s).fit(X, y) for s in range(30)] for n in (10, 40)
    )

    for forests in (few, many):
        spread = np.std([forest.feature_importances_[0] for forest in forests], ddof=1)
        stated = np.mean([forest.feature_importances_se_[0] for forest in forests])
        assert 0.6 < spread / stated < 1.5


def test_importances_are_unknown_without_rows_out_of_bag():
    X, y = blobs()
    forest = bc.RandomForestClassifier(5, random_state=0, bootstrap=False, max_samples=None).fit(X, y)

    assert np.isnan(forest.feature_importances_).all()
    assert np.isfinite(forest.set_params(bootstrap=True).fit(X, y).feature_importances_).all()
    assert np.isnan(bc.DecisionTreeClassifier().fit(X, y).feature_importances_).all()
    assert np.isfinite(bc.DecisionTreeClassifier(max_samples=0.7).fit(X, y).feature_importances_).all()
