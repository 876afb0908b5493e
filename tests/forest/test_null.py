"""The null of a split at a node: against the library's own nulls of the Gini gain and permutations."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance import _native
from bychance.columns import Column
from bychance.forest.features import FeatureTable
from bychance.forest.settings import GrowSettings
from bychance.forest.tree import grow_tree
from bychance.kinds import Kind
from tests.oracle import forest as oracle

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


@pytest.mark.parametrize("totals", [[10, 10], [3, 30], [500, 20], [4, 5, 6], [1, 1, 1, 30], [0, 7, 9]])
@pytest.mark.parametrize("d", [3, 8, 15, 40])
def test_law_of_the_best_cut_is_the_fitted_one(totals, d):
    law = _native.searched_law(d, np.array(totals, dtype=float))

    assert law == pytest.approx(oracle.searched_law(d, totals), rel=1e-9)


@pytest.mark.parametrize("n_ones", [130, 150, 180])
def test_score_of_a_strong_fixed_split_is_that_of_its_p_value(n_ones):
    """400 rows, two equal halves: the root of T is the size of a normal number."""
    from scipy.special import log_ndtr, ndtri_exp

    y = np.repeat([0, 1, 0, 1], [n_ones, 200 - n_ones, 200 - n_ones, n_ones]).astype(np.int32)
    column = Column("half", Kind.CATEGORICAL, np.repeat([0, 1], 200).astype(np.int32), None, ("a", "b"))
    settings = GrowSettings(criterion="fair", categorical_split="multiway", max_features=1, n_grow=400)
    node = grow_tree(FeatureTable.of([column]), y, 2, None, settings, (1, 2)).node(0)

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

    assert grow_tree(FeatureTable.of(columns), y, 2, None, settings, (1, 2)).node(0).feature == 1


@pytest.mark.statistical
@pytest.mark.parametrize("d", [5, 20, 200])
@pytest.mark.parametrize("totals", [[100, 100], [140, 60], [160, 40], [67, 67, 66], [140, 40, 20]])
def test_best_cut_has_a_standard_score_under_independence(totals, d, rng):
    """Over 2000 permutations the score has mean 0 within .15 and deviation 1 within .12."""
    n, b = sum(totals), np.array(totals, dtype=float)
    x, y = np.sort(np.arange(n) % d), np.repeat(np.eye(len(totals)), totals, axis=0)
    ends = np.flatnonzero(np.diff(x)) + 1
    center, scale = _native.searched_law(d, b)
    impurity, scores = 1 - np.sum((b / n) ** 2), []
    for _ in range(2000):
        left = np.cumsum(rng.permutation(y), axis=0)[ends - 1]
        children = (left**2).sum(axis=1) / ends + ((b - left) ** 2).sum(axis=1) / (n - ends)
        gain = children.max() / n - 1 + impurity
        scores.append((np.cbrt((n - 1) * gain / impurity) - center) / scale)

    assert np.mean(scores) == pytest.approx(0, abs=0.15)
    assert np.std(scores) == pytest.approx(1, abs=0.12)
