"""Raw estimates against plain definitions, outside references, and the laws each measure claims."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score, rand_score

import bychance as bc
from bychance.measures import registry
from tests.oracle import measures as oracle
from tests.strategies import has_distances, labelings, numeric_pairs

NUMERIC = ["r2", "spearman", "kendall", "dcor", "hsic"]
LABELS = ["gini", "goodman_kruskal", "mi", "phi2", "cramers_v", "rand", "agreement"]
SYMMETRIC = [m.name for m in bc.list_measures() if m.symmetric]


@pytest.mark.parametrize("measure", NUMERIC)
@given(pair=numeric_pairs(min_size=5, max_size=12))
def test_numeric_estimate_equals_its_definition(measure, pair):
    x, y = pair
    assume(measure != "dcor" or has_distances(*pair))
    expected = getattr(oracle, measure)(x.tolist(), y.tolist())

    assert bc.measure(measure, x, y) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("measure", [*NUMERIC, "xi"])
@given(pair=numeric_pairs(min_size=5, max_size=7, tied=True))
def test_numeric_estimate_equals_its_definition_with_ties(measure, pair):
    x, y = pair
    assume(measure != "dcor" or has_distances(*pair))
    expected = getattr(oracle, measure)(x.tolist(), y.tolist())

    assert bc.measure(measure, x, y) == pytest.approx(expected, rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("measure", LABELS)
@given(pair=labelings(constant=False))
def test_categorical_estimate_equals_its_definition(measure, pair):
    x, y = pair
    expected = getattr(oracle, measure)(x.tolist(), y.tolist())

    assert bc.measure(measure, x, y) == pytest.approx(expected, rel=1e-9, abs=1e-10)


@given(pair=labelings(constant=False), seed=st.integers(0, 99))
def test_eta2_takes_its_arguments_in_either_order(pair, seed):
    groups, y = pair[0].astype(str), np.random.default_rng(seed).random(len(pair[0]))
    expected = oracle.eta2(list(groups), list(y))

    assert bc.measure("eta2", groups, y) == pytest.approx(expected)
    assert bc.measure("eta2", y, groups) == pytest.approx(expected)


@given(pair=labelings(constant=False), seed=st.integers(0, 99))
def test_explained_is_r2_eta2_tau_or_their_analogue(pair, seed):
    labels, classes = pair[0].astype(str), pair[1].astype(str)
    x, y = np.random.default_rng(seed).random((2, len(labels)))

    assert bc.measure("explained", x, y) == pytest.approx(oracle.r2(list(x), list(y)))
    assert bc.measure("explained", labels, y) == pytest.approx(oracle.eta2(list(labels), list(y)))
    assert bc.measure("explained", labels, classes) == pytest.approx(
        oracle.goodman_kruskal(list(labels), list(classes)), abs=1e-12
    )
    assert bc.measure("explained", x, classes) == pytest.approx(
        oracle.explained_numeric_by_class(list(x), list(classes)), abs=1e-12
    )


def test_auto_is_explained(rng):
    x, y = rng.random((2, 20))

    assert bc.measure("auto", x, y) == bc.measure("explained", x, y)


@given(pair=numeric_pairs(min_size=5, tied=True))
def test_rank_measures_equal_scipy(pair):
    x, y = pair

    assert bc.measure("spearman", x, y) == pytest.approx(scipy.stats.spearmanr(x, y)[0] ** 2)
    assert bc.measure("kendall", x, y) == pytest.approx(scipy.stats.kendalltau(x, y)[0] ** 2)


def test_xi_equals_scipy_without_ties_in_x(rng):
    for _ in range(20):
        x, y = rng.random(50), np.round(rng.standard_normal(50), 1)

        assert bc.measure("xi", x, y) == pytest.approx(scipy.stats.chatterjeexi(x, y).statistic)


@given(pair=labelings(constant=False))
def test_label_measures_equal_scikit_learn(pair):
    x, y = pair

    assert bc.measure("mi", x, y) == pytest.approx(mutual_info_score(x, y) / np.log(2), abs=1e-12)
    assert bc.measure("rand", x, y) == pytest.approx(rand_score(x, y))


@given(pair=labelings(constant=False))
def test_cramers_v_equals_scipy(pair):
    table = np.zeros((4, 4), dtype=int)
    np.add.at(table, pair, 1)
    table = table[table.any(axis=1)][:, table.any(axis=0)]

    assert bc.measure("cramers_v", *pair) == pytest.approx(
        scipy.stats.contingency.association(table, method="cramer"), abs=1e-9
    )


@pytest.mark.parametrize("measure", [m for m in SYMMETRIC if m != "eta2"])
def test_symmetric_measures_are_symmetric(measure, rng):
    """A test above covers eta2, which takes columns of different kinds."""
    x, y = rng.integers(5, size=(2, 40))

    assert bc.measure(measure, x, y) == pytest.approx(bc.measure(measure, y, x), rel=1e-12)


@pytest.mark.parametrize("measure", [m.name for m in bc.list_measures()])
def test_row_order_does_not_matter(measure, rng):
    x, y = rng.integers(5, size=(2, 40))
    order = rng.permutation(40)

    assert bc.measure(measure, x[order], y[order]) == pytest.approx(bc.measure(measure, x, y), rel=1e-12)


@pytest.mark.parametrize("measure", [*LABELS, "explained"])
def test_relabeling_does_not_matter(measure, rng):
    x, y = rng.integers(4, size=(2, 60))
    names = np.array(["pear", "apple", "fig", "kiwi"])

    assert bc.measure(measure, names[x], names[y]) == pytest.approx(
        bc.measure(measure, x.astype(str), y.astype(str)), rel=1e-12
    )


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic"])
@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1e5, 1e300])
def test_scale_and_shift_do_not_matter(measure, scale, rng):
    """No magnitude overflows or underflows on its way to a measure that does not depend on it."""
    x, y = rng.standard_normal((2, 30))

    assert bc.measure(measure, x * scale, y) == pytest.approx(bc.measure(measure, x, y), rel=1e-9)
    assert bc.measure(measure, x + 1e3, y) == pytest.approx(bc.measure(measure, x, y), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic"])
@pytest.mark.parametrize("exponent", [-1074, -1000, 1021])
def test_whole_numbers_times_a_power_of_two_give_the_same_to_the_last_digit(measure, exponent):
    """The mean of two distances of 5e-324 was rounded, and that of two of 1e308 was infinite."""
    x = np.array([-1.0, 0, -2, 3, -4, -1, -2, 2])
    y = np.array([2.0, 2, 2, 2, 0, 0, 0, 2])
    halves = np.where(np.arange(30) % 2, 7.0, -7.0) + np.arange(30) / 32

    for a, b in ((x, y), (halves if exponent > 0 else np.round(halves), np.arange(30.0) % 7)):
        expected = bc.measure(measure, a, b)
        assert bc.measure(measure, np.ldexp(a, exponent), b) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_distance_correlation_survives_an_outlier(rng):
    """A gap that separates one row from all others drops out of U-centered distances."""
    x, y = rng.standard_normal((2, 30))
    far, farther = x.copy(), x.copy()
    far[np.argmax(x)], farther[np.argmax(x)] = 1e3, 1e12

    assert bc.measure("dcor", farther, y) == pytest.approx(bc.measure("dcor", far, y), rel=1e-9)


@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "explained"])
def test_signed_measures_report_their_sign(measure, rng):
    x = rng.random(20)

    assert bc.adjust(measure, x, 3 * x).sign == 1
    assert bc.adjust(measure, x, -x).sign == -1


def test_unsigned_measures_report_none(rng):
    x, y = rng.integers(3, size=(2, 20))

    assert bc.adjust("mi", x, y).sign is None


@pytest.mark.parametrize("measure", [m.name for m in bc.list_measures()])
@pytest.mark.slow
def test_no_pairing_exceeds_the_bound(measure, rng):
    """The bound holds over random permutations and for a column with itself."""
    for _ in range(20):
        x = rng.integers(4, size=25)
        y = rng.integers(3, size=25)
        for other in (y, x, rng.permutation(x)):
            result = bc.adjust(measure, x, other, null=bc.Permutation(19))

            assert result.observed <= result.bound + 1e-12


def test_attainable_bound_is_the_largest_over_all_pairings():
    from itertools import permutations

    x, y = np.array([1, 1, 2, 2, 2, 3, 4]), np.array([0, 0, 0, 1, 1, 2, 2])
    pairings = [y[list(order)] for order in permutations(range(7))]
    for measure in ["r2", "spearman", "kendall"]:
        largest = max(getattr(oracle, measure)(list(x), list(p)) for p in pairings[::7])
        bound = bc.adjust(measure, x, y, bound="attainable").bound

        assert bound == pytest.approx(largest)


def test_registered_function_is_known_by_its_name(monkeypatch):
    monkeypatch.setattr(registry, "_measures", registry._measures.copy())
    bc.register("first_match", lambda x, y: float(x[0] == y[0]), kinds="categorical", overwrite=True)
    names = [m.name for m in bc.list_measures()]

    assert "first_match" in names
    assert bc.measure("first_match", ["a", "b", "c"], ["a", "c", "b"]) == 1.0
    with pytest.raises(ValueError, match="taken"):
        bc.register("first_match", lambda x, y: 0.0)
