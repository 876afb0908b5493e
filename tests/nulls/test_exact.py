"""Exact distributions against enumeration, and the refusal to enumerate too much."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings

import bychance as bc
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import law_of_binary_columns
from tests.oracle import measures as oracle
from tests.oracle.enumeration import all_values, upper_tail
from tests.strategies import has_distances, labelings, numeric_pairs

CATEGORICAL = ["gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement"]


@pytest.mark.parametrize("measure", CATEGORICAL)
@given(pair=labelings(n_labels=3, min_size=4, max_size=6, constant=False))
def test_exact_tables_equal_all_pairings(measure, pair):
    x, y = (v.tolist() for v in pair)
    function = getattr(oracle, measure)
    result = bc.adjust(measure, x, y, null="exact")
    expected = upper_tail(all_values(function, x, y), function(x, y), slack=1e-9)

    assert result.p_value == pytest.approx(float(expected), rel=1e-9)


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic"])
@settings(max_examples=25)
@given(pair=numeric_pairs(min_size=5, max_size=5, tied=True))
@pytest.mark.slow
def test_exact_permutations_equal_all_pairings(measure, pair):
    x, y = (v.tolist() for v in pair)
    assume(measure != "dcor" or has_distances(x, y))
    function = getattr(oracle, measure)
    result = bc.adjust(measure, x, y, null="exact")
    expected = upper_tail(all_values(function, x, y), function(x, y), slack=1e-9)

    assert result.p_value == pytest.approx(float(expected), rel=1e-9)


def test_two_by_two_tables_are_hypergeometric(rng):
    """P(φ² ≥ observed) is a two-sided tail of the hypergeometric distribution, by distance from its mean."""
    x, y = rng.integers(2, size=(2, 40))
    a, b, both = x.sum(), y.sum(), int((x & y).sum())
    law, support = scipy.stats.hypergeom(40, a, b), np.arange(41)
    distance = np.abs(support - law.mean())
    expected = law.pmf(support)[distance >= abs(both - law.mean()) - 1e-9].sum()

    assert bc.adjust("phi2", x, y, null="exact").p_value == pytest.approx(expected)


@pytest.mark.parametrize("n", [8, 30, 90])
def test_exact_kendall_equals_scipy(n, rng):
    x, y = rng.random((2, n))
    expected = scipy.stats.kendalltau(x, y, method="exact").pvalue

    assert bc.adjust("kendall", x, y, null="exact").p_value == pytest.approx(expected, rel=1e-9)


def test_exact_kendall_with_ties_in_one_variable_equals_enumeration():
    x, y = list(range(7)), [0, 0, 1, 1, 1, 2, 3]
    expected = upper_tail(all_values(oracle.kendall, x, y), oracle.kendall(x, y), slack=1e-12)

    assert bc.adjust("kendall", x, y, null="exact").p_value == pytest.approx(float(expected))
    assert bc.adjust("kendall", y, x, null="exact").p_value == pytest.approx(float(expected))


def test_exact_moments_of_the_law_equal_the_algebra(rng):
    for measure in ["gini", "mi", "rand", "phi2", "agreement"]:
        x, y = rng.integers(3, size=(2, 25))
        law, algebra = (bc.adjust(measure, x, y, null=null).null for null in ("exact", "moments"))

        assert law.mean == pytest.approx(algebra.mean, rel=1e-9)
        assert law.std == pytest.approx(algebra.std, rel=1e-9)


@pytest.mark.slow
def test_too_many_tables_are_refused_with_their_number(rng):
    x, y = rng.integers(12, size=(2, 400))
    with pytest.raises(bc.CostError, match="tables"):
        bc.adjust("gini", x, y, null="exact")


def test_too_many_arrangements_are_refused_with_their_number(rng):
    with pytest.raises(bc.CostError, match="arrangements"):
        bc.adjust("r2", rng.random(30), rng.random(30), null="exact")


def test_ties_make_enumeration_cheap():
    """Twelve rows with six ones have 924 arrangements, not 12!."""
    x, y = np.arange(12.0), np.repeat([0.0, 1.0], 6)
    null = bc.adjust("r2", x, y, null="exact").null
    best = Fraction(2, 924)

    assert null.engine == "exact permutations"
    assert null.tails[-1] == pytest.approx(float(best))


@pytest.mark.parametrize("measure", ["r2", "spearman", "dcor", "hsic", "mic"])
def test_order_of_arguments_does_not_change_the_exact_law(measure, rng):
    """Whichever variable has fewer arrangements is the one that is arranged."""
    x, y = np.r_[np.ones(3), np.zeros(8)], rng.standard_normal(11)
    first, second = (bc.adjust(measure, *pair, null="exact") for pair in ((x, y), (y, x)))

    assert first.null.engine == second.null.engine == "exact permutations"
    assert first.p_value == pytest.approx(second.p_value)


def test_rare_binary_columns_are_never_significant_by_absence():
    """Two single ones in different rows: every pairing but one looks like this."""
    x, y = (np.arange(40) == 0).astype(float), (np.arange(40) == 5).astype(float)

    assert bc.adjust("kendall", x, y).p_value > 0.9


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "explained", "dcor"])
@pytest.mark.parametrize("n", [150, 900])
def test_two_columns_of_two_values_have_the_hypergeometric_law(measure, n, rng):
    """More than 64 tables: none of them is evaluated but three."""
    x, y = (rng.random((2, n)) < 0.4).astype(float)
    a, b, both = int(x.sum()), int(y.sum()), int(x @ y)
    law, support = scipy.stats.hypergeom(n, a, b), np.arange(n + 1)
    distance = np.abs(support - law.mean())
    result = bc.adjust(measure, x, y)

    assert result.null.engine == "exact tables"
    assert result.null.holds_to == 0
    if measure in ("r2", "spearman", "kendall", "explained"):
        expected = law.pmf(support)[distance >= abs(both - law.mean()) - 1e-9].sum()
        assert result.p_value == pytest.approx(expected)


@pytest.mark.parametrize("measure", ["r2", "kendall", "xi", "dcor", "hsic"])
def test_three_tables_tell_the_law_that_all_of_them_have(measure, rng):
    x, y = (rng.random((2, 40)) < 0.3).astype(float)
    pair = prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))
    short = law_of_binary_columns(pair)
    vars(pair)["structures"] = ()  # nothing is known but the values of the measure
    whole = law_of_binary_columns(pair)

    np.testing.assert_allclose(short.values, whole.values, atol=1e-12)
    np.testing.assert_allclose(short.tails, whole.tails)


@pytest.mark.parametrize("measure", ["gini", "phi2", "mi", "cramers_v", "rand"])
def test_large_tables_of_two_labels_a_side_are_exact(measure, rng):
    """A count of 45,000 is one of more than 20,000 tables."""
    x, y = (rng.random((2, 100_000)) < 0.45).astype(int).astype(str)

    for null in ("auto", "moments"):
        assert bc.adjust(measure, x, y, null=null).null.engine == "exact tables"


@pytest.mark.parametrize("null", ["auto", "moments"])
@pytest.mark.parametrize("measure", ["r2", "spearman", "dcor", "eta2", "explained"])
def test_no_p_value_is_below_one_arrangement(measure, null):
    """Three ones in forty rows beside the three largest of forty numbers: one of 9,880 arrangements."""
    x, y = np.r_[np.ones(3), np.zeros(37)], np.r_[[1e9, 2e9, 3e9], np.arange(37.0)]
    given = x.astype(int).astype(str) if measure == "eta2" else x

    assert bc.adjust(measure, given, y, null=null).p_value >= 1 / 9_880 - 1e-12


def test_no_p_value_of_ten_rows_is_below_one_over_their_permutations():
    x = np.arange(10.0) ** 2
    result = bc.adjust("r2", x, x, null="moments")

    assert result.p_value == pytest.approx(1 / 3_628_800)
