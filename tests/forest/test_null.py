"""The null of a split at a node, against the library's nulls of the Gini gain and permutations."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.columns import Column
from bychance.forest.parameters import GrowSettings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind
from tests.forest.tables import table_of
from tests.oracle import split_scores as oracle

TABLES = [
    [[3, 1], [2, 4]],
    [[1, 0], [0, 1], [4, 5]],
    [[2, 2, 1], [0, 3, 3], [1, 1, 4], [2, 0, 0]],
    [[500, 400], [90, 110], [1, 0]],
    [[1, 1], [0, 1]],
]


def pair_of(table):
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    x, y = zip(*cells, strict=True)
    return [str(i) for i in x], [str(j) for j in y]


@pytest.mark.parametrize("null", ["moments", "multinomial"])
@pytest.mark.parametrize("table", TABLES)
def test_moments_of_the_oracle_are_those_of_the_gini_measure(table, null):
    """tests/oracle/forest.py compares scores of trees with these moments."""
    expected = bc.adjust("gini", *pair_of(table), null=null).null
    plain = oracle.permutation_moments if null == "moments" else oracle.multinomial_moments

    mean, variance = plain(table)

    assert mean == pytest.approx(expected.mean, rel=1e-12)
    assert variance == pytest.approx(expected.std**2, rel=1e-9)


def grown(children, y, **options):
    """Return the root of a multiway tree on one categorical column."""
    names = tuple(f"c{k}" for k in range(children.max() + 1))
    column = Column("child", Kind.CATEGORICAL, children.astype(np.int32), None, names)
    settings = GrowSettings(categorical_split="multiway", max_features=1, n_grow=len(y), **options)
    return grow_tree(Training(table_of([column]), y.astype(np.int32), 2), settings, (1, 2)).node(0)


def test_variance_keeps_its_digits_in_large_nodes():
    """The plain formula loses nine digits to cancellation, so exact integers are the reference."""
    from fractions import Fraction

    table = [[400_000, 350_000], [100_001, 149_999]]
    mean, variance = oracle.permutation_moments([[Fraction(cell) for cell in row] for row in table])
    children, y = np.repeat([0, 0, 1, 1], np.ravel(table)), np.repeat([0, 1, 0, 1], np.ravel(table))

    node = grown(children, y, criterion="sgini", max_depth=1)

    assert node.score == pytest.approx((node.gain - float(mean)) / float(variance) ** 0.5, rel=1e-9)


@pytest.mark.parametrize("n_ones", [107, 110, 115])
def test_score_of_a_split_of_two_children_is_that_of_its_p_value(n_ones):
    """With 400 rows in two halves, the root of T is the absolute value of a normal number."""
    from scipy.special import log_ndtr, ndtri_exp

    y = np.repeat([0, 1, 0, 1], [n_ones, 200 - n_ones, 200 - n_ones, n_ones])
    node = grown(np.repeat([0, 1], 200), y, criterion="fair")

    log_p = np.log(2) + log_ndtr(-np.sqrt(399 * node.gain / 0.5))

    assert node.score == pytest.approx(-ndtri_exp(log_p), abs=0.1)


@pytest.mark.parametrize("n", [40, 100, 120])
def test_a_perfect_column_is_found_beside_one_that_marks_a_single_row(n):
    """A flag of one row of the common class has next to no gain, and must not win."""
    X = np.column_stack([np.arange(n) == 5, np.arange(n)]).astype(float)
    tree = bc.DecisionTreeClassifier().fit(X, np.arange(n) == n - 1)

    assert tree.tree_.node(0).feature == 1
    assert tree.get_n_leaves() == 2


def test_rare_values_and_classes_leave_no_node_unsplit(rng):
    """For any draw of columns a forest finds the number that separates the classes."""
    X = (rng.random((160, 30)) < 0.01).astype(float)
    X[:, 7] = np.arange(160)
    forest = bc.RandomForestClassifier(100, max_features=3, random_state=0).fit(X, np.arange(160) >= 158)

    for tree in forest.estimators_:
        nodes = [tree.node(k) for k in range(tree.n_nodes)]
        assert all(np.count_nonzero(node.class_counts) == 1 for node in nodes if node.is_leaf)
        assert not any(np.isnan(node.score) for node in nodes if not node.is_leaf)
