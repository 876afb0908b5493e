"""Answers for many rows at once, against the answers of their nodes summed over trees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance import _native
from bychance.forest.features import encode, read_like

N = 3_000


def frame(rng, n=N, is_new=False):
    """Draw numbers and categories with missing values, and new rows with a category unseen in training."""
    categories = np.array([f"v{k}" for k in range(12)] + ["new"] * is_new, dtype=object)
    number, tied = rng.normal(size=n), rng.integers(4, size=n).astype(float)
    number[rng.random(n) < 0.1] = np.nan
    many, few = categories[rng.integers(len(categories), size=n)], categories[rng.integers(-3, 2, size=n)]
    many[rng.random(n) < 0.1] = None
    return pd.DataFrame({"number": number, "tied": tied, "many": many, "few": few, "third": many[::-1]})


def response(X, rng):
    codes = pd.factorize(X["many"], sort=True)[0]
    return np.nan_to_num(X["number"]) + (codes * 7 % 5) / 2 + X["tied"] + rng.normal(size=len(X))


def sums_by_node(forest, rows, n_outputs):
    """Sum one answer per row and tree, looked up at the node of the row."""
    total = np.zeros((rows.n_rows, n_outputs))
    for tree in forest.estimators_:
        ends = tree.native.apply(rows)
        answers = {end: tree.node(int(end)).shares for end in np.unique(ends)}
        total += np.array([answers[end] for end in ends])
    return total


def encoded(forest, X):
    return encode(forest._features, read_like(X, forest._features))


@pytest.mark.parametrize("split", ["ordered", "multiway"])
@pytest.mark.parametrize("shrinkage", ["none", "rows", "leaf10"])
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_many_rows_get_the_answers_of_the_nodes_where_they_end(split, shrinkage, n_classes, rng):
    X, new = frame(rng), frame(rng, is_new=True)
    y = response(X, rng)
    options = dict(n_estimators=3, categorical_split=split, shrinkage=shrinkage, random_state=0)
    if n_classes:
        edges = np.quantile(y, np.arange(1, n_classes) / n_classes)
        forest = bc.RandomForestClassifier(**options).fit(X, np.searchsorted(edges, y))
    else:
        forest = bc.RandomForestRegressor(**options).fit(X, y)
    rows, n_outputs = encoded(forest, new), n_classes or 1
    total = np.zeros((N, n_outputs))
    _native.add_answers([tree.native for tree in forest.estimators_], rows, total)
    np.testing.assert_array_equal(total, sums_by_node(forest, rows, n_outputs))


def test_few_rows_get_what_they_get_among_many(rng):
    X = frame(rng)
    forest = bc.RandomForestRegressor(3, random_state=0).fit(X, response(X, rng))
    new = frame(rng, is_new=True)
    few = np.concatenate([forest.predict(new[start : start + 5]) for start in range(0, 50, 5)])
    np.testing.assert_array_equal(forest.predict(new)[:50], few)


def test_a_tree_without_splits_answers_for_many_rows():
    forest = bc.RandomForestClassifier(2, random_state=0).fit([["a"], ["b"]] * 50, ["yes"] * 100)
    assert forest.predict([["a"], ["c"]] * 500).tolist() == ["yes"] * 1_000


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_arrays_are_read_alike_however_they_lie_in_memory(order, dtype, rng):
    X = (10 * rng.normal(size=(2_000, 7))).astype(dtype)
    forest = bc.RandomForestRegressor(2, random_state=0).fit(X, X[:, 0])
    backwards = np.asarray(X, order=order)[::-1]  # a view, which is not copied
    np.testing.assert_array_equal(forest.predict(backwards)[::-1], forest.predict(backwards[::-1]))
