"""Whole trees against trees grown from lists of rows, and invariants of trees."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bychance import _native
from bychance.columns import Column
from bychance.forest.features import encode
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from bychance.read_column import read_column
from tests.forest.tables import SmallTable, assert_same_tree, rows_of, shrunk, table_of
from tests.oracle import forest as oracle

MIXED = ["number", ("ties", 4), ("labels", 2), ("labels", 3), ("labels", 9)]
CRITERIA = [
    dict(criterion="gini"),
    dict(criterion="entropy"),
    dict(criterion="sgini"),
    dict(criterion="sgini", null="multinomial"),
    dict(criterion="agini"),
    dict(criterion="agini", alpha=0.3, null="multinomial"),
    dict(criterion="agini", quantile="gamma"),
    dict(criterion="agini", alpha=1.0),
    dict(criterion="fair"),
]


def name_of(options):
    return "-".join(map(str, options.values()))


def settings_for(table, **options):
    defaults = dict(max_features=2, n_grow=table.n, categorical_split="multiway")
    return GrowSettings(**defaults | options)


def expected_tree(table, tree, settings, key, weights=None):
    data = table.data(tree, weights)
    rows = np.flatnonzero(tree.native.roles() == 0).tolist()
    return data, oracle.grow(data, rows, settings, key)


@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("options", CRITERIA, ids=name_of)
@pytest.mark.slow
def test_trees_equal_the_oracles(options, n_classes, split, rng):
    table = SmallTable(rng, MIXED, 60, n_classes)
    settings = settings_for(table, categorical_split=split, n_grow=40, n_order=12, **options)
    tree = table.grown(settings, (3, 4))

    assert_same_tree(*with_tree(expected_tree(table, tree, settings, (3, 4)), tree))


@pytest.mark.parametrize("missing", ["majority", "best"])
@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("options", CRITERIA, ids=name_of)
@pytest.mark.slow
def test_trees_with_missing_values_equal_the_oracles(options, split, missing, rng):
    table = SmallTable(rng, MIXED, 50, 3, missing=0.25)
    settings = settings_for(table, categorical_split=split, missing=missing, **options)
    tree = table.grown(settings)

    assert_same_tree(*with_tree(expected_tree(table, tree, settings, (7, 11)), tree))


@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("options", CRITERIA, ids=name_of)
@pytest.mark.slow
def test_weighted_trees_equal_the_oracles(options, split, rng):
    table = SmallTable(rng, MIXED, 40, 3, missing=0.1)
    weights = rng.integers(4, 9, 40) / 2  # two rows weigh more than three
    settings = settings_for(table, categorical_split=split, **options)
    tree = table.grown(settings, weights=weights)

    assert_same_tree(*with_tree(expected_tree(table, tree, settings, (7, 11), weights), tree))


@pytest.mark.parametrize(
    "limits",
    [
        dict(max_depth=2),
        dict(min_samples_split=9),
        dict(min_samples_leaf=4),
        dict(min_adjusted_gain=0.3),
        dict(max_features=5),
    ],
    ids=name_of,
)
@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.slow
def test_limits_are_those_of_the_oracle(limits, split, rng):
    table = SmallTable(rng, MIXED, 80, 2, missing=0.1)
    settings = settings_for(table, criterion="fair", categorical_split=split, **limits)
    tree = table.grown(settings)

    assert_same_tree(*with_tree(expected_tree(table, tree, settings, (7, 11)), tree))


@pytest.mark.parametrize("n_distinct", [3, 40, 900, 5000])
@pytest.mark.parametrize("n", [33, 200, 5000])
def test_cuts_of_large_nodes_equal_a_plain_search(n, n_distinct, rng):
    """Codes are counted in tables, or keys sorted in one or more passes."""
    x = rng.integers(0, n_distinct, n) / 7
    y = (rng.random(n) < 0.3 + 0.4 * (x > np.median(x))).astype(np.int32)
    settings = GrowSettings(criterion="gini", max_features=1, max_depth=1, n_grow=n)

    root = grow_tree(Training(table_of([read_column(x, "x")]), y, 2), settings, (1, 1)).node(0)

    gains = {cut: plain_gain(x <= cut, y) for cut in np.unique(x)[:-1]}
    best = max(gains, key=gains.get)
    assert root.gain == pytest.approx(gains[best], rel=1e-9)
    assert best < root.threshold < x[x > best].min()


def plain_gain(is_left, y):
    def impurity(classes):
        return len(classes) / len(y) * 2 * classes.mean() * (1 - classes.mean())

    return impurity(y) - impurity(y[is_left]) - impurity(y[~is_left])


def test_columns_of_very_many_values_are_cut_too(rng):
    """Keys of 70,000 values times two classes have more than 16 bits."""
    x = np.arange(70_000) / 3
    y = (x > 12_345.6).astype(np.int32)
    features = table_of([read_column(rng.permutation(x), "noise"), read_column(x, "x")])
    settings = GrowSettings(criterion="fair", max_features=2, n_grow=70_000)

    tree = grow_tree(Training(features, y, 2), settings, (1, 1))

    assert (tree.n_leaves, tree.node(0).feature) == (2, 1)
    assert x[y == 0].max() < tree.node(0).threshold < x[y == 1].min()


@pytest.mark.parametrize("split", ["multiway", "ordered"])
def test_new_rows_end_where_the_oracle_says(split, rng):
    table = SmallTable(rng, MIXED, 60, 3, missing=0.2)
    settings = settings_for(table, criterion="sgini", categorical_split=split, n_grow=30)
    tree = table.grown(settings)
    data, root = expected_tree(table, tree, settings, (7, 11))
    other = SmallTable(rng, [*MIXED[:-1], ("labels", 14)], 50, 3, missing=0.2)
    # Labels are numbers, with the same codes in both tables.
    out = np.zeros((50, 3))

    _native.add_answers([tree.native], encode(table.features.columns, other.columns), out)

    for k in range(50):
        end = oracle.final_node(data, root, [column[k] for column in other.plain])
        assert out[k] == pytest.approx(oracle.shares(data, end, 3)), k


def test_out_of_bag_rows_get_the_shares_of_their_leaf(rng):
    table = SmallTable(rng, MIXED, 90)
    tree = table.grown(settings_for(table, criterion="gini", n_grow=40, n_order=20))
    everywhere, out = np.zeros((90, 2)), np.zeros((1, 90, 2))
    counts = np.zeros(90, dtype=np.int64)

    _native.add_answers([tree.native], rows_of(table.features), everywhere)
    tree.native.add_out_of_bag(table.features.native, ["none"], 1, out, counts)

    assert np.bincount(tree.native.roles()).tolist() == [40, 20, 30]
    assert counts.tolist() == (tree.native.roles() == 2).astype(int).tolist()
    assert (out[0] == everywhere * counts[:, None]).all()


def test_bootstrap_draws_rows_again_and_leaves_the_others(rng):
    table = SmallTable(rng, MIXED, 200)
    settings = settings_for(table, criterion="gini", n_grow=200, n_order=20, bootstrap=True)
    tree = table.grown(settings)

    assert tree.node(0).n == 200
    assert 100 < np.sum(tree.native.roles() == 0) < 150
    assert np.sum(tree.native.roles() == 1) == 20


@pytest.mark.parametrize("other", ["gini", "variance"])
def test_rows_drawn_several_times_count_once_in_fair_splits_and_as_often_in_answers(other, rng):
    x, numbers = rng.standard_normal((2, 150))
    y, n_classes = ((numbers > 0).astype(np.int32), 2) if other == "gini" else (numbers, 0)

    def grown(rows, **options):
        column = Column("x", Kind.NUMERIC, x[rows], None)
        settings = GrowSettings(max_features=1, **options)
        return grow_tree(Training(table_of([column]), y[rows], n_classes), settings, (7, 11))

    everything = np.arange(150)
    tree = grown(everything, criterion="fair", n_grow=150, bootstrap=True, min_samples_split=60)
    drawn = grown(everything, criterion=other, n_grow=150, bootstrap=True, min_samples_split=60)
    rows = np.flatnonzero(tree.native.roles() == 0)
    once = grown(rows, criterion="fair", n_grow=len(rows))

    root, root_once = tree.node(0), once.node(0)
    assert (root.score, root.gain) == pytest.approx((root_once.score, root_once.gain))
    assert root.threshold == root_once.threshold
    assert root.n == drawn.node(0).n == 150
    if n_classes:
        assert root.class_counts.tolist() == drawn.node(0).class_counts.tolist()
    else:
        assert root.mean == pytest.approx(drawn.node(0).mean)
        assert sorted(tree.native.arrays()["rows"]) == sorted(drawn.native.arrays()["rows"])
        leaf = np.flatnonzero(tree.native.arrays()["split_of"] < 0)[0]
        first, n_rows = (int(tree.native.arrays()[name][leaf]) for name in ("first_row", "n_rows_of"))
        rows = tree.native.arrays()["rows"][first : first + n_rows]
        assert tree.node(int(leaf)).mean == pytest.approx(np.mean(y[rows]))


def test_the_same_key_gives_the_same_tree(rng):
    table = SmallTable(rng, MIXED, 90, missing=0.1)
    settings = settings_for(table, criterion="fair", n_grow=60)
    first, again, other = (table.grown(settings, key) for key in [(1, 2), (1, 2), (1, 3)])

    assert all(
        (a == b).all()
        for a, b in zip(first.native.arrays().values(), again.native.arrays().values(), strict=True)
    )
    assert first.native.arrays()["feature"].tolist() != other.native.arrays()["feature"].tolist()


def test_trees_survive_pickling(rng):
    table = SmallTable(rng, MIXED, 90, missing=0.1)
    tree = table.grown(settings_for(table, criterion="fair", n_grow=60))
    back = pickle.loads(pickle.dumps(tree))

    rows = rows_of(table.features)
    assert back.native.apply(rows).tolist() == tree.native.apply(rows).tolist()
    assert back.native.roles().tolist() == tree.native.roles().tolist()
    assert (back.n_nodes, back.n_leaves, back.depth) == (tree.n_nodes, tree.n_leaves, tree.depth)


@pytest.mark.parametrize(
    ("name", "value", "rule"),
    [
        ("first_child", 0, "higher numbers than their parent"),
        ("first_child", -1, "children must be nodes"),
        ("first_child", 10**6, "children must be nodes"),
        ("n_children", 0, "children"),
        ("n_children", 2**31 - 1, "children"),
        ("missing_child", -1, "rows without a value"),
        ("missing_child", 50, "rows without a value"),
        ("feature", -1, "columns of the tree"),
        ("feature", 5, "columns of the tree"),
        ("kind", 4, "kinds of splits"),
        ("first_category", 10**6, "one category a child"),
        ("first_category", -1, "one category a child"),
        ("split_of", 10**6, "a split of the tree"),
        ("value_of", 10**6, "values"),
        ("value_of", -9, "values"),
        ("order_start", 7, "must ascend"),
        ("sample", 0, "of one length"),
    ],
)
def test_arrays_that_lead_out_of_the_tree_or_round_in_it_are_refused(name, value, rule, rng):
    """Every split and node of a tree of multiway splits is damaged."""
    table = SmallTable(rng, [("labels", 3)] * 5, 90, missing=0.1)
    arrays = table.grown(settings_for(table, criterion="gini", n_grow=60)).native.arrays()
    assert restored(arrays).n_nodes == len(arrays["split_of"])

    for place in range(len(arrays[name]) if name != "sample" else 1):
        damaged = {**arrays, name: arrays[name].copy()}
        damaged[name][place] = value
        with pytest.raises(ValueError, match=rule):
            restored(damaged)


def restored(arrays):
    """Return the tree of these arrays, as unpickling does."""
    tree = _native.Tree.__new__(_native.Tree)
    tree.__setstate__(arrays)
    return tree


@pytest.mark.parametrize("name", ["split_of", "value_of", "size_of", "threshold", "kind", "answers"])
def test_arrays_of_another_length_are_refused(name, rng):
    table = SmallTable(rng, MIXED, 90)
    arrays = shrunk(table.grown(settings_for(table, criterion="gini")), "rows").native.arrays()

    with pytest.raises(ValueError, match=r"of one length|one number a node"):
        restored({**arrays, name: arrays[name][:-1]})


@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("options", CRITERIA, ids=name_of)
def test_row_order_and_names_of_categories_do_not_change_the_root(options, split, rng):
    table = SmallTable(rng, MIXED, 120)
    settings = settings_for(table, max_features=5, max_depth=1, categorical_split=split, **options)
    reference = table.grown(settings).native.apply(rows_of(table.features))
    order = rng.permutation(120)
    moved = []
    for column in table.columns:
        values, labels = column.values[order], column.labels
        if column.kind is Kind.CATEGORICAL:
            renamed = rng.permutation(len(labels)).astype(np.int32)
            values = renamed[values]
        moved.append(Column(column.name, column.kind, values, column.is_missing[order], labels))
    features = table_of(moved)

    found = grow_tree(Training(features, table.y[order], 2), settings, (5, 6)).native.apply(rows_of(features))

    same = reference[order][:, None] == reference[order]
    assert ((found[:, None] == found) == same).all()


@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("options", CRITERIA, ids=name_of)
def test_whole_weights_are_repeated_rows(options, split, rng):
    table = SmallTable(rng, MIXED, 60, 3, missing=0.1)
    weights = rng.integers(0, 4, 60)
    rows = np.repeat(np.arange(60), weights)
    settings = settings_for(table, max_features=5, categorical_split=split, **options)
    repeated = [Column(c.name, c.kind, c.values[rows], c.is_missing[rows], c.labels) for c in table.columns]

    tree = table.grown(settings, weights=weights.astype(float))
    features = table_of(repeated)
    longer = GrowSettings(max_features=5, n_grow=len(rows), categorical_split=split, **options)
    again = grow_tree(Training(features, table.y[rows], 3), longer, (7, 11))

    assert again.n_nodes == tree.n_nodes
    ends = tree.native.apply(rows_of(table.features))
    assert again.native.apply(rows_of(features)).tolist() == ends[rows].tolist()


@pytest.mark.parametrize("split", ["multiway", "ordered"])
@pytest.mark.parametrize("options", [o for o in CRITERIA[2:] if "null" not in o], ids=name_of)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_constant_and_all_distinct_labels_are_never_chosen(n_classes, options, split, rng):
    n = 80
    y = rng.integers(0, n_classes, n).astype(np.int32)
    names = [f"id{k}" for k in range(n)]
    columns = [read_column(names, "id"), read_column(["same"] * n, "same"), read_column([1.5] * n, "one")]
    settings = GrowSettings(
        max_features=3, n_grow=50, n_order=20, categorical_split=split, max_depth=1, **options
    )

    assert grow_tree(Training(table_of(columns), y, n_classes), settings, (1, 1)).n_nodes == 1


def test_two_rows_are_parted_by_any_column():
    features = table_of([read_column(["same", "same"], "a"), read_column([1.0, 2.0], "b")])
    for criterion in ("gini", "sgini", "agini", "fair"):
        settings = GrowSettings(criterion=criterion, max_features=1, n_grow=2)
        tree = grow_tree(Training(features, np.array([0, 1], dtype=np.int32), 2), settings, (1, 1))
        assert tree.n_leaves == 2


def test_pure_rows_make_a_single_leaf():
    features = table_of([read_column([1.0, 2.0, 3.0], "x")])
    settings = GrowSettings(criterion="fair", max_features=1, n_grow=3)
    tree = grow_tree(Training(features, np.array([1, 1, 1], dtype=np.int32), 2), settings, (1, 1))

    assert (tree.n_nodes, tree.depth, tree.node(0).class_counts.tolist()) == (1, 0, [0, 3])


def test_rows_must_have_weight():
    features = table_of([read_column([1.0, 2.0, 3.0], "x")])
    settings = GrowSettings(criterion="fair", max_features=1, n_grow=3)
    y = np.array([0, 1, 1], dtype=np.int32)

    with pytest.raises(ValueError, match="must have weight"):
        grow_tree(Training(features, y, 2, np.zeros(3)), settings, (1, 1))
    with pytest.raises(ValueError, match="not exceed the rows"):
        grow_tree(Training(features, y, 2), GrowSettings(criterion="fair", max_features=1, n_grow=4), (1, 1))


def with_tree(expected, tree):
    data, root = expected
    return data, tree, root
