"""Trees of numbers: splits against plain searches, nulls against the library's, and fairness."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.columns import Column
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.forest.tables import shrunk, table_of
from tests.forest.test_selection import N_GROW, N_ORDER, noise_columns


def central_moments(y):
    return np.mean((y - y.mean()) ** 2), np.mean((y - y.mean()) ** 4)


def plain_moments(sizes, n, variance, fourth):
    """Return mean and variance of a reduction of variance: the normal model's, and a term of kurtosis."""
    r, v2 = len(sizes), variance**2
    normal = 2 * v2 * (r - 1) * (n - r) / ((n - 1) ** 2 * (n + 1))
    uneven = n * (n + 1) * (np.sum(1 / sizes) - (2 * r - 1) / n) - (n - 1) * (r * r - 1)
    kurtosis = ((n + 1) * fourth - 3 * (n - 1) * v2) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3))
    return (r - 1) / (n - 1) * variance, normal + uneven * kurtosis


@pytest.mark.parametrize("n", [5, 12, 60])
@pytest.mark.parametrize("r", [2, 4])
def test_moments_are_those_of_eta2(n, r, rng):
    x, y = np.arange(n) % r, rng.exponential(size=n)
    expected = bc.adjust("eta2", [f"c{k}" for k in x], y, null="moments").null
    variance, fourth = central_moments(y)

    mean, spread = plain_moments(np.bincount(x), n, variance, fourth)

    assert mean == pytest.approx(expected.mean * variance, rel=1e-9)
    assert np.sqrt(spread) == pytest.approx(expected.std * variance, rel=1e-9)


def plain_splits(x, y, weights, kind):
    """List every split of a column, its children as masks."""
    values = np.unique(x[~np.isnan(x)])
    if kind == "multiway":
        return [[x == value for value in values]]
    return [[x <= value, x > value] for value in values[:-1]]


def plain_score(children, y, weights, criterion):
    """Compute the reduction of variance on the rows with a value, as the criterion sees it."""
    present = np.any(children, axis=0)
    n, all_y = weights[present].sum(), y[present]
    mean = np.average(all_y, weights=weights[present])
    sizes = np.array([weights[child].sum() for child in children])
    means = np.array([np.average(y[child], weights=weights[child]) for child in children])
    gain = np.sum(sizes / n * (means - mean) ** 2)
    if criterion == "variance":
        return gain, gain
    powers = [np.average((all_y - mean) ** power, weights=weights[present]) for power in (2, 4)]
    expected, spread = plain_moments(sizes, n, *powers)
    if criterion == "standardized":
        return gain, (gain - expected) / np.sqrt(spread)
    return gain, gain - expected - np.sqrt(19 * spread)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("kind", ["threshold", "multiway"])
@pytest.mark.parametrize("criterion", ["variance", "standardized", "adjusted"])
def test_root_split_is_the_best_of_a_plain_search(criterion, kind, missing, is_weighted, rng):
    n = 70
    x = rng.integers(0, 9, n) * 1.0
    y = np.where(x > 4, 1.0, 0.0) + (x == 2) + rng.normal(size=n) + 1000
    is_missing = rng.random(n) < missing
    weights = rng.integers(1, 5, n) / 2.0 if is_weighted else np.ones(n)
    codes = np.where(is_missing, 0, x).astype(np.int32)
    column = (
        Column("x", Kind.NUMERIC, x, is_missing)
        if kind == "threshold"
        else Column("x", Kind.CATEGORICAL, codes, is_missing, tuple(range(9)))
    )
    split = "multiway" if kind == "threshold" else kind
    settings = GrowSettings(
        criterion=criterion, categorical_split=split, max_features=1, max_depth=1, n_grow=n
    )
    training = Training(table_of([column]), y, 0, weights if is_weighted else None)
    node = grow_tree(training, settings, (1, 2)).node(0)

    x[is_missing] = np.nan
    found = [plain_score(part, y, weights, criterion) for part in plain_splits(x, y, weights, kind)]
    gain, score = max(found, key=lambda each: each[1])
    unit = (
        1
        if criterion == "standardized"
        else np.average((y - np.average(y, weights=weights)) ** 2, weights=weights)
    )

    assert node.gain == pytest.approx(gain, rel=1e-6)
    assert node.score * unit == pytest.approx(score, rel=1e-6)


@pytest.mark.parametrize("criterion", ["fair", "variance"])
@pytest.mark.parametrize("n", [60, 20_000])
def test_rows_of_weight_one_grow_the_tree_of_rows_without_weights(n, criterion, rng):
    """Trees are equal bit for bit."""
    columns = [
        rng.normal(size=n),
        rng.integers(0, 7, n),
        rng.integers(0, n // 3, n),
        np.round(rng.normal(size=n), 1),
    ]
    features = table_of([Column(f"x{k}", Kind.NUMERIC, x * 1.0, None) for k, x in enumerate(columns)])
    y = np.round(columns[0] * columns[3] + rng.normal(size=n), 2)
    settings = GrowSettings(criterion=criterion, max_features=2, n_grow=n)

    plain, weighted = (
        grow_tree(Training(features, y, 0, weights), settings, (1, 2)) for weights in (None, np.ones(n))
    )

    assert plain.n_nodes > n
    for name, array in plain._arrays.items():
        np.testing.assert_array_equal(array, weighted._arrays[name], err_msg=name)


def test_nodes_know_mean_and_variance_of_their_rows(rng):
    x, y = np.arange(40.0), rng.normal(size=40) + 1e6
    settings = GrowSettings(criterion="variance", max_features=1, max_depth=2, n_grow=40)
    tree = grow_tree(Training(table_of([Column("x", Kind.NUMERIC, x, None)]), y, 0), settings, (1, 2))
    left, right = (tree.node(k) for k in tree.node(0).children)
    is_left = x <= tree.node(0).threshold

    assert (left.mean, left.variance) == pytest.approx((y[is_left].mean(), y[is_left].var()), rel=1e-9)
    assert (right.mean, right.variance) == pytest.approx((y[~is_left].mean(), y[~is_left].var()), rel=1e-9)
    assert tree.node(0).gain == pytest.approx(
        y.var() - np.average([left.variance, right.variance], weights=[left.n, right.n])
    )


@pytest.mark.parametrize("shrinkage", ["rows", "chance"])
def test_shrunk_means_follow_their_formula(shrinkage, rng):
    X, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    tree = bc.DecisionTreeRegressor(max_depth=3).fit(X, y).tree_
    drawn = shrunk(tree, shrinkage)

    for k in range(tree.n_nodes):
        own, answer = tree.node(k), drawn.node(k).shares[0]
        for child in own.children:
            if shrinkage == "rows":
                expected = answer + own.n / (own.n + 4) * (tree.node(child).mean - own.mean)
            else:
                kept = max(0.0, 1 - own.variance / (own.n - 1) / own.gain / 2)
                expected = answer + kept * (tree.node(child).mean - answer)
            assert drawn.node(child).shares[0] == pytest.approx(expected)


def test_categories_are_ordered_by_means_of_other_rows(rng):
    """With an order learned on other rows, the best cut separates low means from high means."""
    codes = np.arange(600) % 12
    means = rng.permutation(12) * 1.0
    y = means[codes] + rng.normal(size=600) / 10
    column = Column("c", Kind.CATEGORICAL, codes.astype(np.int32), None, tuple(range(12)))
    settings = GrowSettings(
        criterion="fair", categorical_split="ordered", max_features=1, max_depth=1, n_grow=300, n_order=300
    )
    node = grow_tree(Training(table_of([column]), y, 0), settings, (1, 2)).node(0)

    assert max(means[node.categories[0]]) < min(means[node.categories[1]])


def root_features(rng, n_tables, draw, **options):
    n = N_GROW + N_ORDER
    defaults = dict(criterion="fair", max_features=6, max_depth=1, n_grow=N_GROW, n_order=N_ORDER)
    settings = GrowSettings(**defaults | options)
    counts = np.zeros(6)
    for k in range(n_tables):
        training = Training(table_of(noise_columns(rng, n)), draw(rng, n), 0)
        counts[grow_tree(training, settings, (k, 5)).node(0).feature] += 1
    return counts / n_tables


DRAWN = {
    "normal": lambda rng, n: rng.standard_normal(n),
    "exponential": lambda rng, n: rng.standard_exponential(n),
    "counts": lambda rng, n: rng.poisson(1.0, n).astype(float),
}


@pytest.mark.statistical
@pytest.mark.parametrize("name", DRAWN)
def test_fair_chooses_every_kind_of_noise_equally_often(name, rng):
    """Shares are within 15% of 1/6 and four standard errors of 3000 tables (16%)."""
    assert root_features(rng, 3000, DRAWN[name]) * 6 == pytest.approx(1, abs=0.15 + 0.16)


@pytest.mark.statistical
def test_raw_reductions_prefer_many_categories(rng):
    shares = root_features(rng, 200, DRAWN["normal"], criterion="variance", categorical_split="multiway")

    assert shares[5] > 0.95


@pytest.mark.parametrize("criterion", ["fair", "variance"])
def test_a_weight_that_is_nothing_beside_others_ends_no_tree(criterion):
    """Rows right of the last cut have tiny weights, so no cut may leave them alone."""
    n = 60
    x, weights = np.arange(n) * 1.0, np.ones(n)
    weights[-1] = 1e-18
    features = table_of([Column("x", Kind.NUMERIC, x, None)])
    settings = GrowSettings(criterion=criterion, max_features=1, max_depth=1, n_grow=n)
    tree = grow_tree(Training(features, x, 0, weights), settings, (1, 2))

    assert tree.n_nodes == 3
    assert 20 < tree.node(0).threshold < 40
