"""The null of a split at a node: against the library's own nulls of the Gini gain and permutations."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import hypergeom

import bychance as bc
from bychance import _native
from bychance.columns import Column
from bychance.forest.features import FeatureTable
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.oracle import split_scores as oracle

TABLES = [
    [[3, 1], [2, 4]],
    [[1, 0], [0, 1], [4, 5]],
    [[2, 2, 1], [0, 3, 3], [1, 1, 4], [2, 0, 0]],
    [[500, 400], [90, 110], [1, 0]],
    [[1, 1], [0, 1]],
]


def sizes_of(table):
    array = np.array(table, dtype=float)
    return array.sum(axis=1), array.sum(axis=0)


def pair_of(table):
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    x, y = zip(*cells, strict=True)
    return [str(i) for i in x], [str(j) for j in y]


@pytest.mark.parametrize("null", ["moments", "multinomial"])
@pytest.mark.parametrize("table", TABLES)
def test_moments_are_those_of_the_gini_measure(table, null):
    expected = bc.adjust("gini", *pair_of(table), null=null).null

    mean, variance = _native.split_null(*sizes_of(table), null)

    assert mean == pytest.approx(expected.mean, rel=1e-12)
    assert variance == pytest.approx(expected.std**2, rel=1e-9)


@pytest.mark.parametrize("null", ["moments", "multinomial"])
@pytest.mark.parametrize("table", TABLES)
def test_moments_equal_the_plain_formulas(table, null):
    plain = oracle.permutation_moments if null == "moments" else oracle.multinomial_moments

    assert _native.split_null(*sizes_of(table), null) == pytest.approx(plain(table), rel=1e-9)


def test_variance_keeps_its_digits_in_large_nodes():
    """The plain formula loses nine digits to cancellation there: compare with exact integers."""
    from fractions import Fraction

    table = [[Fraction(400_000), Fraction(350_000)], [Fraction(100_001), Fraction(149_999)]]
    exact = oracle.permutation_moments(table)[1]

    assert _native.split_null(*sizes_of(table), "moments")[1] == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 9, 20, 31, 32])
def test_the_law_kept_for_a_small_node_is_the_computed_one(n):
    """A weight that is no whole number is not looked up."""
    for n_rare in range(1, n // 2 + 1):
        for d in range(3, n + 1):
            kept = _native.searched_law(d, np.array([n_rare, n - n_rare], dtype=float))
            computed = _native.searched_law(d, np.array([n_rare + 1e-9, n - n_rare]))
            assert kept == pytest.approx(computed, rel=1e-6)


@pytest.mark.parametrize("n_ones", [130, 150, 180])
def test_score_of_a_strong_fixed_split_is_that_of_its_p_value(n_ones):
    """400 rows, two equal halves: the root of T is the size of a normal number."""
    from scipy.special import log_ndtr, ndtri_exp

    y = np.repeat([0, 1, 0, 1], [n_ones, 200 - n_ones, 200 - n_ones, n_ones]).astype(np.int32)
    column = Column("half", Kind.CATEGORICAL, np.repeat([0, 1], 200).astype(np.int32), None, ("a", "b"))
    settings = GrowSettings(criterion="fair", categorical_split="multiway", max_features=1, n_grow=400)
    node = grow_tree(Training(FeatureTable.of([column]), y, 2), settings, (1, 2)).node(0)

    log_p = np.log(2) + log_ndtr(-np.sqrt(399 * node.gain / 0.5))

    assert node.score == pytest.approx(-ndtri_exp(log_p), abs=0.15)


def test_strong_splits_are_ranked_by_their_gain_whatever_was_searched(rng):
    """Two labels that fail in 16 rows of 400 win over numbers whose best cut fails in 24."""
    y = (np.arange(400) % 2).astype(np.int32)
    labels, side = y.copy(), y.copy()
    labels[:16] = 1 - labels[:16]
    side[100:124] = 1 - side[100:124]
    columns = [
        Column("numbers", Kind.NUMERIC, side + rng.random(400), None),
        Column("labels", Kind.CATEGORICAL, labels, None, ("a", "b")),
    ]
    settings = GrowSettings(criterion="fair", categorical_split="multiway", max_features=2, n_grow=400)

    assert grow_tree(Training(FeatureTable.of(columns), y, 2), settings, (1, 2)).node(0).feature == 1


@pytest.mark.parametrize(("n_ones", "n_rare", "n_both"), [(1, 1, 0), (2, 3, 0), (2, 3, 1), (3, 3, 2)])
def test_score_of_a_skewed_split_is_that_of_its_exact_p_value(n_ones, n_rare, n_both):
    """A few ones among 100 rows, of which a few are of the rare class; equal gains count by half."""
    x, y = np.zeros(100), np.zeros(100, dtype=np.int32)
    y[:n_rare], x[n_rare - n_both : n_rare - n_both + n_ones] = 1, 1
    settings = GrowSettings(criterion="fair", max_features=1, n_grow=100, max_depth=1)
    node = grow_tree(
        Training(FeatureTable.of([Column("x", Kind.NUMERIC, x, None)]), y, 2), settings, (1, 2)
    ).node(0)

    law = hypergeom(100, n_ones, n_rare)
    p_value = law.sf(n_both) + law.pmf(n_both) / 2

    assert node.score == pytest.approx(-ndtri(p_value), rel=1e-9)


@pytest.mark.parametrize("n", [40, 100, 120])
def test_a_perfect_column_is_found_beside_one_that_marks_a_single_row(n):
    """One row of a rare class: what marks another row gains next to nothing, and must not hide the rest."""
    X = np.column_stack([np.arange(n) == 5, np.arange(n)]).astype(float)
    tree = bc.DecisionTreeClassifier().fit(X, np.arange(n) == n - 1)

    assert tree.tree_.node(0).feature == 1
    assert tree.get_n_leaves() == 2


def test_rare_values_and_classes_leave_no_node_unsplit(rng):
    """Whatever is drawn first, a forest finds the number that tells the classes without an error."""
    X = (rng.random((160, 30)) < 0.01).astype(float)
    X[:, 7] = np.arange(160)
    forest = bc.RandomForestClassifier(100, max_features=3, random_state=0).fit(X, np.arange(160) >= 158)

    for tree in forest.estimators_:
        nodes = [tree.node(k) for k in range(tree.n_nodes)]
        assert all(np.count_nonzero(node.class_counts) == 1 for node in nodes if node.is_leaf)
        assert not any(np.isnan(node.score) for node in nodes if not node.is_leaf)


LARGE_NODES = [[100, 100], [140, 60], [160, 40], [67, 67, 66], [140, 40, 20], [500, 20]]
SMALL_NODES = [[10, 10], [3, 30], [16, 16], [17, 17], [4, 5, 6], [1, 1, 1, 30], [0, 7, 9], [10, 15, 20]]


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("totals", "d"), [*product(LARGE_NODES, [5, 20, 200]), *product(SMALL_NODES, [8]), ([3, 30], 15)]
)
def test_best_cut_has_normal_upper_quantiles_under_independence(totals, d, rng):
    """Of 2000 permutations a tenth is beyond the normal quantile of .9 within .04, .05 beyond .95 within .03.

    Gains in small nodes take few values: within .07, and from .01 to .11.
    """
    n, totals = sum(totals), np.array(totals, dtype=float)
    ends = np.flatnonzero(np.diff(np.sort(np.arange(n) % d))) + 1
    classes = rng.permuted(np.tile(np.repeat(np.arange(len(totals)), totals.astype(int)), (2000, 1)), axis=1)
    children = np.zeros((2000, len(ends)))
    for j, total in enumerate(totals):
        left = np.cumsum(classes == j, axis=1)[:, ends - 1]
        children += left**2 / ends + (total - left) ** 2 / (n - ends)
    impurity = 1 - np.sum((totals / n) ** 2)
    gains = children.max(axis=1) / n - 1 + impurity
    center, scale = _native.searched_law(d, totals)
    scores = (np.cbrt((n - 1) * gains / impurity) - center) / scale

    assert np.mean(scores > ndtri(0.9)) == pytest.approx(0.1, abs=0.04 if n > 50 else 0.07)
    low, high = (0.02, 0.08) if n > 50 else (0.01, 0.11)
    assert low <= np.mean(scores > ndtri(0.95)) <= high
