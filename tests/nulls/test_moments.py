"""Exact moments against full enumeration: all pairings of small samples, every structure, ties included."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.measures import registry
from bychance.pair import prepare_pair
from bychance.read_column import read_column
from tests.engine.nulls import FixedAuto, moments_of, squared_s_moments
from tests.engine.settings import put
from tests.oracle import measures as oracle
from tests.oracle.enumeration import all_values, central_moment, mean

NUMERIC = {
    "untied": ([0.3, -1.2, 2.5, 0.9, 4.1, -0.4], [1.1, 0.2, -0.7, 3.3, 0.6, 2.0]),
    "tied in y": ([0.3, -1.2, 2.5, 0.9, 4.1, -0.4], [1, 1, 2, 2, 2, 5]),
    "tied in x": ([1, 1, 2, 3, 3, 3], [1.1, 0.2, -0.7, 3.3, 0.6, 2.0]),
    "tied in both": ([1, 1, 2, 3, 3, 3], [1, 2, 2, 2, 5, 5]),
    "an outlier": ([1, 2, 3, 4, 5, 1e6], [1.1, 0.2, -0.7, 3.3, 0.6, 2.0]),
}
LABELS = {
    "balanced": ("aabbcc", "uvwuvw"),
    "unbalanced": ("aaaabc", "uuuuvv"),
    "many": ("abcdee", "uuvvww"),
}


def algebraic(measure, x, y):
    pair = prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))
    return next(m for m in moments_of(pair.measure, pair.x, pair.y) if m is not None)


def assert_moments_match(measure, function, x, y):
    values = all_values(function, list(x), list(y))
    moments = algebraic(measure, list(x), list(y))

    assert moments.mean == pytest.approx(mean(values), rel=1e-9, abs=1e-12)
    assert moments.variance == pytest.approx(central_moment(values, 2), rel=1e-9)
    if np.isfinite(moments.third):
        assert moments.third == pytest.approx(central_moment(values, 3), rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("data", NUMERIC)
@pytest.mark.parametrize("measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic"])
@pytest.mark.slow
def test_numeric_moments_equal_enumeration(measure, data):
    assert_moments_match(measure, getattr(oracle, measure), *NUMERIC[data])


@pytest.mark.parametrize("data", LABELS)
@pytest.mark.parametrize("measure", ["gini", "goodman_kruskal", "mi", "phi2", "rand", "agreement"])
def test_categorical_moments_equal_enumeration(measure, data):
    x, y = LABELS[data]
    if measure == "agreement":
        y = y.replace("u", "a").replace("v", "b").replace("w", "c")
    assert_moments_match(measure, getattr(oracle, measure), x, y)


@pytest.mark.parametrize("data", LABELS)
def test_mixed_moments_equal_enumeration(data):
    groups, y = LABELS[data][0], NUMERIC["untied"][1]
    assert_moments_match("eta2", oracle.eta2, groups, y)
    assert_moments_match("explained", oracle.eta2, groups, y)
    assert_moments_match("explained", oracle.explained_numeric_by_class, y, groups)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_moments_hold_for_the_fewest_rows(n):
    """Terms whose blocks outnumber the rows are absent."""
    x, y = NUMERIC["untied"][0][:n], NUMERIC["untied"][1][:n]
    for measure in ["r2", "kendall", "xi"]:
        assert_moments_match(measure, getattr(oracle, measure), x, y)


def test_mean_of_explained_is_rank_over_n_minus_one(rng):
    """E[tr(AB)/tr(B)] = rank(A)/(n − 1) in every combination of kinds."""
    groups, classes = rng.integers(4, size=30).astype(str), rng.integers(3, size=30).astype(str)
    number = rng.standard_normal(30)

    assert algebraic("explained", number, rng.random(30)).mean == pytest.approx(1 / 29)
    assert algebraic("explained", groups, number).mean == pytest.approx(3 / 29)
    assert algebraic("explained", groups, classes).mean == pytest.approx(3 / 29)
    assert algebraic("explained", number, classes).mean == pytest.approx(1 / 29)


@pytest.mark.parametrize("n", [10, 100, pytest.param(1000, marks=pytest.mark.slow)])
def test_both_ways_to_kendalls_fourth_moment_agree(n):
    """The graph expansion (any ties) and the cumulants (ties in one variable) agree if both hold."""
    from tests.engine.nulls import fourth_moment_of_s

    ties = (3, 2, *[1] * (n - 5))
    untied = (1,) * n
    moments = squared_s_moments(n, untied, ties)

    assert fourth_moment_of_s(n, untied, ties) == pytest.approx(moments.variance + moments.mean**2, rel=1e-10)


@pytest.mark.parametrize("n", [50, 1000, 100_000])
def test_trace_moments_keep_their_digits(n, rng):
    """Spearman without ties has its fourth moment in closed form: 3(25n³−38n²−35n+72)/(25n(n+1)(n−1)³)."""
    moments = algebraic("spearman", rng.random(n), rng.random(n))
    fourth = 3 * (25 * n**3 - 38 * n**2 - 35 * n + 72) / (25 * n * (n + 1) * (n - 1) ** 3)

    assert moments.variance + moments.mean**2 == pytest.approx(fourth, rel=1e-10)


def test_distance_correlation_has_its_variance_whatever_the_data(rng):
    """Var = 2/(n(n − 3)) exactly, for any two samples."""
    for x in (rng.standard_cauchy(40), np.round(rng.standard_normal(40)), rng.exponential(size=40)):
        assert algebraic("dcor", x, rng.random(40)).variance == pytest.approx(2 / (40 * 37))


def test_variance_of_mutual_information_refuses_beyond_its_budget(monkeypatch, rng):
    """The cost is said, and nothing else is returned in its place."""
    put(monkeypatch, most_variance_operations=10.0)
    x, y = rng.integers(5, size=200), rng.integers(5, size=200)
    with pytest.raises(bc.CostError, match="operations"):
        algebraic("mi", x, y)


@pytest.mark.parametrize(("n", "n_rare"), [(10_000, 10), (100_000, 10), (1_000_000, 100)])
@pytest.mark.slow
def test_variance_of_rand_survives_rare_labels(n, n_rare):
    """No term cancels another, so that few rows among many keep their digits."""
    labels = (np.arange(n) < n_rare).astype(int)
    algebra, law = (
        bc.adjust("rand", labels, np.roll(labels, 3), null=null).null for null in ("moments", "exact")
    )

    assert algebra.std == pytest.approx(law.std, rel=1e-9)
    assert algebra.mean == pytest.approx(law.mean, rel=1e-12)


def test_kendall_with_very_many_tied_values_stays_close_to_the_exact_variance(monkeypatch, rng):
    """The shortcut for more distinct values than matrices can hold."""
    ties = tuple(np.unique(np.round(rng.standard_normal(400), 2), return_counts=True)[1].tolist())
    exact = squared_s_moments(400, ties, ties[::-1])
    put(monkeypatch, most_tied_groups=1)

    assert squared_s_moments(400, ties, ties[::-1]).variance == pytest.approx(exact.variance, rel=1e-7)


def skew_of(moments):
    return moments.third / moments.std**3


@pytest.mark.parametrize(
    ("draw", "tolerance"),
    [("standard_normal", 0.02), ("standard_exponential", 0.02), ("standard_cauchy", 0.1)],
)
@pytest.mark.slow
def test_third_moment_of_hsic_from_a_part_of_the_rows_is_close(draw, tolerance, monkeypatch, rng):
    """Beyond a cap evenly spaced order statistics stand for all rows in tr A³, and in nothing else.

    Here a third of the rows: the skewness moves by 2% at most, with outliers by a few percent more.
    """
    x, y = getattr(rng, draw)(1_500), getattr(rng, draw)(1_500)
    whole = algebraic("hsic", x, y)
    put(monkeypatch, most_rows_multiplied=500)
    part = algebraic("hsic", x, y)

    assert skew_of(part) == pytest.approx(skew_of(whole), rel=tolerance)
    assert (part.mean, part.variance) == (whole.mean, whole.variance)


@pytest.mark.slow
def test_outliers_among_many_rows_have_no_valid_smooth_law(rng):
    """However many rows there are, the skewness that outliers bring is seen, and the null sampled."""
    x, y = rng.standard_cauchy((2, 10_500))
    null = bc.adjust("dcor", x, y, null=FixedAuto(19)).null

    assert null.engine == "permutation"
    assert "skewness" in null.reason
