"""Columns as codes, and new rows with the same codes."""

from __future__ import annotations

import pickle
import weakref

import numpy as np
import pandas as pd
import pytest

from bychance import _native
from bychance.columns import Column
from bychance.forest.features import FeatureTable, encode, feature_readers, read_like
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from bychance.read_column import read_column
from tests.forest.tables import rows_of, table_of


def grown(values, y, **settings):
    features = table_of([read_column(values, "x")])
    y = np.asarray(y, dtype=np.int32)
    settings = dict(criterion="gini", max_features=1, n_grow=len(y), categorical_split="multiway") | settings
    return features, grow_tree(Training(features, y, int(y.max()) + 1), GrowSettings(**settings), (1, 2))


def shares(tree, rows, n_classes=2):
    out = np.zeros((rows.n_rows, n_classes))
    _native.add_answers([tree.native], rows, out)
    return out.tolist()


def test_labels_are_matched_by_label_not_by_code():
    features, tree = grown(["a", "b", "a", "b"], [0, 1, 0, 1])

    assert shares(tree, encode(features.columns, [read_column(["b", "a"], "x")])) == [[0, 1], [1, 0]]


def test_a_label_unseen_in_training_gets_the_shares_of_the_node():
    features, tree = grown(["a", "b", "a", "b"], [0, 1, 0, 1])

    assert shares(tree, encode(features.columns, [read_column(["z", "b"], "x")])) == [[0.5, 0.5], [0, 1]]


def test_a_category_without_training_rows_is_unseen():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["a", "b", "a", "b"], dtype=pandas.CategoricalDtype(["z", "b", "a"]))
    features, tree = grown(series, [0, 1, 0, 1], categorical_split="ordered")

    assert len(features.columns[0].categories) == 2
    assert shares(tree, encode(features.columns, [read_column(series.iloc[:1].replace("a", "z"), "x")])) == [
        [0.5, 0.5]
    ]


def test_missing_values_follow_the_larger_child():
    features, tree = grown([1.0, 2.0, 3.0, 4.0, None], [0, 1, 1, 1, 0])

    assert tree.node(0).threshold == 1.5
    assert tree.node(0).missing_child == tree.node(0).children[1]
    assert tree.native.apply(encode(features.columns, [read_column([None, 1.0], "x")])).tolist()[1] == 1


def test_a_column_without_a_label_is_missing_throughout():
    features, tree = grown(["a", "b", "b", "b"], [0, 1, 1, 1])

    assert shares(tree, encode(features.columns, [read_column([None, None], "x")])) == [[0, 1], [0, 1]]


def test_booleans_are_labels():
    features = FeatureTable.read(feature_readers(pd.DataFrame({"x": [True, False, True]}), "from_dtype"), 3)
    y = np.array([1, 0, 1], dtype=np.int32)
    settings = GrowSettings(criterion="fair", max_features=1, n_grow=3)
    tree = grow_tree(Training(features, y, 2), settings, (1, 2))

    assert features.columns[0].categories == (False, True)
    rows = read_like(pd.DataFrame({"x": [False, True]}), features.columns)
    assert shares(tree, encode(features.columns, rows)) == [[1, 0], [0, 1]]


def test_thresholds_lie_below_the_upper_value():
    low = 1.0
    high = np.nextafter(low, 2)
    _, tree = grown([low, high, low, high], [0, 1, 0, 1])
    _, far = grown([-1.7e308, 1.7e308], [0, 1])

    assert low <= tree.node(0).threshold < high
    assert far.node(0).threshold == 0


def test_columns_can_be_pickled():
    features, tree = grown(["a", "b", "a", "b"], [0, 1, 0, 1])
    columns = pickle.loads(pickle.dumps(features.columns))

    assert shares(tree, encode(columns, [read_column(["b"], "x")])) == [[0, 1]]


def test_training_rows_and_the_same_rows_encoded_end_alike(rng):
    values = rng.integers(0, 20, 60) / 7
    features, tree = grown(values, rng.integers(0, 2, 60))

    assert (
        tree.native.apply(rows_of(features)).tolist()
        == tree.native.apply(encode(features.columns, [read_column(values, "x")])).tolist()
    )


@pytest.mark.parametrize("n", [7, 5_000])
def test_numbers_are_ranked_as_numpy_ranks_them(n):
    rng = np.random.default_rng(n)
    last_digits = rng.integers(0, 2**20, n) * 2.0**-52
    close = (
        1 + last_digits,
        rng.permutation(np.repeat(rng.normal(size=n // 5), 5)) * (1 + last_digits[: n // 5 * 5]),
    )
    numbers = np.concatenate(
        [rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n), rng.integers(-3, 3, n), *close]
    )
    numbers[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324]
    features = table_of([Column("x", Kind.NUMERIC, numbers, None)])
    values, codes = np.unique(numbers[~np.isnan(numbers)], return_inverse=True)
    np.testing.assert_array_equal(features.native.values(0), values)
    np.testing.assert_array_equal(features.native.codes(0)[~np.isnan(numbers)], codes)
    assert (features.native.codes(0) < 0).tolist() == np.isnan(numbers).tolist()


@pytest.mark.parametrize("pair", [(1.0, 1 + 1e-12), (1e300, 2e300), (-2e300, -1e300), (0.0, 1e-300)])
def test_numbers_that_single_precision_runs_together_are_told_apart(pair):
    features, tree = grown([*pair, *pair], [0, 1, 0, 1])
    rows = encode(features.columns, [read_column([*pair, np.nan], "x")])

    assert shares(tree, rows)[:2] == shares(tree, rows_of(features))[:2] == [[1, 0], [0, 1]]


def test_rows_keep_the_columns_that_they_are_made_of():
    features, _ = grown([1.0, 2.0], [0, 1])
    numbers = np.array([1.0, 2.0])
    rows = encode(features.columns, [Column("x", Kind.NUMERIC, numbers, None)])
    kept = weakref.ref(numbers)
    del numbers

    assert kept() is not None
    del rows
    assert kept() is None


def test_many_numbers_are_kept_to_the_last_bit(rng):
    """Their ranks need more than 16 bits, and numbers next to 0 share few bits with their neighbors."""
    numbers = np.concatenate(
        [rng.normal(size=70_000), rng.normal(size=99) * 1e-300, [0.0, -0.0, 1e300, -1e300]]
    )
    numbers[:50] = np.nan
    table = table_of([read_column(numbers, "x")]).native
    values, ranks = np.unique(numbers[50:], return_inverse=True)

    np.testing.assert_array_equal(table.values(0), values)
    np.testing.assert_array_equal(table.codes(0), np.append(np.full(50, -1), ranks))
