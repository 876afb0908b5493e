"""MIC as a measure beside the others: its null shared by ranks, the paper's numbers, grids and costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bychance as bc
from tests.engine.nulls import NullStore
from tests.engine.settings import put
from tests.oracle import mic as oracle
from tests.strategies import numeric_pairs


@given(pair=numeric_pairs(min_size=4, max_size=25, tied=True))
def test_mic_equals_its_definition_with_ties(pair):
    x, y = pair

    assert bc.measure("mic", x, y) == pytest.approx(oracle.mic(x.tolist(), y.tolist()), abs=1e-9)


@given(pair=numeric_pairs(min_size=4, max_size=25), scale=st.floats(0.1, 10))
def test_mic_sees_ranks_alone(pair, scale):
    x, y = pair

    assert bc.measure("mic", scale * x**3, y) == bc.measure("mic", x**3, y)
    assert bc.measure("mic", x, y) == bc.measure("mic", y, x)


@pytest.mark.parametrize(("n", "mean"), [(20, 0.358), (60, 0.258), (80, 0.245)])
@pytest.mark.statistical
def test_null_mean_is_what_the_paper_reports(n, mean, rng):
    """E[MIC₀] is 0.36, 0.26, 0.25 in the paper, and has three digits here."""
    null = bc.adjust("mic", rng.random(n), rng.random(n), null=bc.Permutation(9_999)).null

    assert null.mean == pytest.approx(mean, abs=0.003)  # three standard errors of n = 20


@pytest.mark.parametrize("n", [20, 40, 60, 80])
@pytest.mark.filterwarnings("ignore:999 permutations are too few")
@pytest.mark.statistical
def test_adjusted_mic_of_independent_data_averages_zero(n, rng):
    """The 4,005 pairs are independent, because relative orders of untied columns are."""
    ranking = bc.rank(rng.random((n, 90)), measure="mic", null=bc.Permutation(999))
    scores = np.array(ranking["adjusted"].to_pylist())

    assert len(scores) == 4_005
    assert abs(np.mean(scores)) < 0.005 + 4 * np.std(scores) / np.sqrt(len(scores))


@pytest.mark.parametrize("n", [60, 100, 200])
@pytest.mark.parametrize("function", [lambda x: x, lambda x: (x - 0.5) ** 2])
def test_adjusted_mic_of_a_noiseless_relation_is_one(n, function):
    x = (np.arange(n) + 0.5) / n

    assert bc.adjust("mic", x, function(x), null=bc.Permutation(999)).adjusted > 0.999


def test_one_null_serves_all_untied_pairs_of_a_size(rng):
    first, second = (bc.adjust("mic", *rng.random((2, 50)), null=bc.Permutation(199)) for _ in range(2))

    assert np.array_equal(first.null.draws, second.null.draws)


def test_ties_have_nulls_of_their_own(rng):
    """Ties lower the null: one for tie-free data would be conservative."""
    untied, tied = rng.random((2, 60)), rng.integers(5, size=(2, 60))
    means = [bc.adjust("mic", *pair, null=bc.Permutation(499)).null.mean for pair in (untied, tied)]

    assert means[1] < means[0] - 0.02


def test_shared_null_is_the_permutation_null_of_the_pair(rng):
    """Drawn from the tie groups alone, it has the law of the pair's own permutations."""
    x, y = np.round(rng.standard_normal((2, 40)))
    shared = bc.adjust("mic", x, y, null=bc.Permutation(1_999)).null
    own = bc.adjust(lambda a, b: bc.measure("mic", a, b), x, y, null=bc.Permutation(1_999)).null

    assert abs(shared.mean - own.mean) < 4 * np.hypot(shared.mean_se, own.mean_se)
    assert abs(shared.quantile(0.9) - own.quantile(0.9)) < 5 * np.hypot(
        shared.quantile_se(0.9), own.quantile_se(0.9)
    )


def test_answer_does_not_depend_on_what_the_store_held(rng, monkeypatch):
    x, y = rng.random((2, 30))
    results = []
    for first_request in (None, 50, 900):
        store = NullStore(None)
        put(monkeypatch, store_of_draws=lambda store=store: store)
        if first_request:
            bc.adjust("mic", x, y, null=bc.Permutation(first_request))
        results.append(bc.adjust("mic", x, y, null=bc.Permutation(300)))

    assert results[0] == results[1] == results[2]


def test_stored_null_is_not_drawn_again(rng, monkeypatch, tmp_path):
    """A second process with the same cache would find it on disk: here a second store does."""
    x, y = rng.random((2, 30))
    put(monkeypatch, store_of_draws=lambda: NullStore(tmp_path))
    first = bc.adjust("mic", x, y, null=bc.Permutation(300))
    put(monkeypatch, draw_ranks=pytest.fail)

    assert bc.adjust("mic", x, y, null=bc.Permutation(300)) == first


def test_restricted_permutations_are_the_pairs_own(rng):
    x, y = rng.random((2, 40))
    result = bc.adjust("mic", x, y, null=bc.Permutation(99, groups=np.arange(40) % 2))

    assert result.null.n_resamples == 99


def test_paper_null_takes_the_papers_order_statistic(rng):
    null = bc.adjust("mic", *rng.random((2, 20)), null="paper").null

    assert null.n_resamples == 10_000
    assert null.quantile(0.95) == null.draws[9_500 - 1]


def test_adaptive_sampling_stops_when_precise(rng):
    """The errors of all three scores are within the tolerance, and would not be with half the draws."""
    x, y = rng.random((2, 50))
    loose, tight = (bc.adjust("mic", x, y, null=bc.Permutation("auto", rtol=t)) for t in (0.3, 0.05))

    assert loose.null.n_resamples < tight.null.n_resamples
    assert tight.adjusted_at_se(0.05) <= 0.05 * tight.null.std
    assert tight.standardized_se <= 0.05 * max(1, abs(tight.standardized))


def test_adaptive_sampling_of_a_strong_relation_uses_few_draws():
    x = np.arange(100.0)
    result = bc.adjust("mic", x, x, null=bc.Permutation("auto", rtol=0.3))

    assert result.null.n_resamples <= 799


def test_settings_change_the_measure(rng):
    x, y = rng.random((2, 200))

    assert bc.measure(bc.MIC(exponent=0.4), x, y) != bc.measure("mic", x, y)
    assert repr(bc.MIC(clumps=5)) == "MIC(exponent=0.6, clumps=5.0)"


@pytest.mark.parametrize("settings", [{"exponent": 0}, {"exponent": 1.5}, {"clumps": -1}, {"exponent": "a"}])
def test_settings_out_of_range_are_refused(settings):
    with pytest.raises(ValueError, match=r"`(exponent|clumps)` must lie in"):
        bc.MIC(**settings)


def test_a_million_rows_are_refused_with_their_cost():
    with pytest.raises(bc.CostError, match=r"1,000,000 rows would take about .* GB and .* s"):
        bc.measure("mic", np.arange(1e6), np.arange(1e6))


def test_grid_explains_the_value(rng):
    """Counting the rows between the cut points gives the counts, and their mutual information the value."""
    x = rng.random(80)
    y = (x - 0.5) ** 2 + 0.05 * rng.standard_normal(80)
    grid = bc.mic_grid(x, y)
    counts = np.histogram2d(y, x, [[-np.inf, *grid.y_cuts, np.inf], [-np.inf, *grid.x_cuts, np.inf]])[0]
    labels_y, labels_x = np.digitize(y, grid.y_cuts), np.digitize(x, grid.x_cuts)

    assert np.array_equal(counts, grid.counts)
    assert grid.value == bc.measure("mic", x, y) == np.nanmax(grid.characteristic)
    assert bc.measure("mi", labels_x, labels_y) / np.log2(min(counts.shape)) == pytest.approx(grid.value)


def test_grid_of_missing_values_uses_the_shared_rows(rng):
    x, y = rng.random((2, 40))
    x[::4] = np.nan

    assert bc.mic_grid(x, y).n == 30


def test_grid_needs_rows():
    with pytest.raises(ValueError, match="3 shared rows, got 2"):
        bc.mic_grid([1, 2], [1, 2])


def test_tic_e_is_bounded_by_its_number_of_grids(rng):
    x = rng.random(100)
    result = bc.adjust("tic_e", x, x, null=bc.Permutation(19))

    assert result.observed <= result.bound
    assert result.adjusted == pytest.approx(1.0, abs=0.05)
