"""The Monte Carlo engine: streams, restrictions, order statistics and standard errors."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceWarning
from bychance.seeding import stream_key
from tests.engine.nulls import FixedAuto, SampleNull
from tests.engine.settings import put


def draws(n, key=(1, 2), **settings):
    spec = bc.Permutation(**settings)
    return spec.permutations(key, n).rows(0, spec.n_resamples)


def test_every_draw_is_a_permutation():
    for row in draws(17, n_resamples=200):
        assert sorted(row) == list(range(17))


def test_a_request_for_fewer_draws_is_a_prefix():
    assert np.array_equal(draws(60, n_resamples=5_000)[:99], draws(60, n_resamples=99))


def test_all_permutations_are_equally_likely():
    """χ² over the 24 permutations of four rows, at the 0.1% point."""
    counts = np.unique(draws(4, n_resamples=24_000), axis=0, return_counts=True)[1]

    assert len(counts) == 24
    assert np.sum((counts - 1000) ** 2 / 1000) < 49.7


def test_other_keys_give_other_draws():
    assert not np.array_equal(draws(30, key=(1, 2), n_resamples=5), draws(30, key=(1, 3), n_resamples=5))
    assert stream_key(0, "a", "bc") != stream_key(0, "ab", "c")


def test_groups_stay_within_their_stratum():
    groups = np.array(list("aabbbaccca"))
    for row in draws(10, n_resamples=100, groups=groups):
        assert sorted(row) == list(range(10))
        assert np.array_equal(groups[row], groups)


def test_blocks_stay_whole():
    for row in draws(10, n_resamples=50, block=3):
        assert sorted(row) == list(range(10))
        starts = [k for k in range(10) if k == 0 or row[k] != row[k - 1] + 1]
        assert all(row[k] % 3 == 0 for k in starts)


def test_same_seed_gives_the_same_answer(rng):
    x, y = rng.standard_cauchy((2, 50))
    first, second, other = (bc.adjust("r2", x, y, null=bc.Permutation(999), rng=seed) for seed in (5, 5, 6))

    assert first == second
    assert first.null.mean != other.null.mean


def test_no_seed_samples_anew_in_every_call(rng):
    x, y = rng.standard_cauchy((2, 50))
    adjusted = [bc.adjust("r2", x, y, null=bc.Permutation(99), rng=None) for _ in range(2)]
    rankings = [bc.rank({"x": x, "y": y}, null=bc.Permutation(99), rng=None) for _ in range(2)]
    means = [result.null.mean for result in adjusted] + [next(r.best())["null_mean"] for r in rankings]

    assert len(set(means)) == 4
    # What a sweep computes later stands on the draws of its own ranking.
    assert rankings[0].sweep([0.1, 0.05]).scores[0, 1] == next(rankings[0].best())["adjusted_at"]


def test_generator_is_used_once_to_draw_the_root(rng):
    x, y = rng.random((2, 30))
    results = [bc.adjust("r2", x, y, null=bc.Permutation(99), rng=np.random.default_rng(3)) for _ in range(2)]

    assert results[0] == results[1]


@pytest.mark.parametrize(
    "measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic", "gini", "mi", "phi2", "rand", "agreement"]
)
def test_native_loop_equals_the_loop_over_calls(measure, rng):
    """A built-in measure and the same measure as a callable see the same permutations."""
    x, y = rng.integers(4, size=(2, 15)).astype(float)
    native = bc.adjust(measure, x, y, null=bc.Permutation(60), rng=1).null
    called = bc.adjust(lambda a, b: bc.measure(measure, a, b), x, y, null=bc.Permutation(60), rng=1).null

    np.testing.assert_allclose(native.draws, called.draws, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "measure", ["r2", "spearman", "kendall", "xi", "dcor", "hsic", "gini", "mi", "phi2", "rand"]
)
def test_monte_carlo_meets_exact_moments(measure, rng):
    """Sampled mean and SD lie within four standard errors of the algebra's."""
    x, y = np.round(rng.standard_normal((2, 60)), 1)
    sampled = bc.adjust(measure, x, y, null=bc.Permutation(4_999)).null
    exact = bc.adjust(measure, x, y, null="moments").null

    assert abs(sampled.mean - exact.mean) < 4 * sampled.mean_se
    assert abs(sampled.std - exact.std) < 4 * sampled.std_se


def test_p_value_is_never_zero():
    x = np.arange(30.0)
    result = bc.adjust("r2", x, x, null=bc.Permutation(99))

    assert result.p_value == 1 / 100


def test_quantile_is_an_order_statistic_of_s_plus_one():
    null = SampleNull.of(np.arange(1.0, 100.0), bound=1000.0, reason="")

    assert null.quantile(0.95) == 95
    assert null.quantile(0.0) == 1
    assert null.quantile(0.995) == 1000.0


def test_paper_rule_takes_the_order_statistic_of_s():
    null = SampleNull.of(np.arange(1.0, 31.0), bound=1000.0, reason="", is_paper_rule=True)

    assert null.quantile(0.95) == 29
    assert null.quantile(1.0) == 30


@pytest.mark.slow
def test_standard_errors_match_repeated_sampling(rng):
    """Over 400 repetitions the spread of mean, SD, quantile and scores is what each null says of itself."""
    x, y = rng.random((2, 25))
    results = [bc.adjust("r2", x, y, null=bc.Permutation(399), rng=seed) for seed in range(400)]
    for spread, stated in [
        ([r.null.mean for r in results], [r.null.mean_se for r in results]),
        ([r.null.std for r in results], [r.null.std_se for r in results]),
        ([r.null.quantile(0.9) for r in results], [r.null.quantile_se(0.9) for r in results]),
        ([r.adjusted for r in results], [r.adjusted_se for r in results]),
        ([r.standardized for r in results], [r.standardized_se for r in results]),
        ([r.adjusted_at(0.1) for r in results], [r.adjusted_at_se(0.1) for r in results]),
    ]:
        assert np.mean(stated) == pytest.approx(np.std(spread), rel=0.2)


def test_counts_of_any_integer_type_are_taken(rng):
    x, y = rng.random((2, 12))

    assert bc.adjust("r2", x, y, null=bc.Permutation(np.int64(99))).null.n_resamples == 99


@pytest.mark.parametrize(
    ("n_resamples", "alpha", "needed"), [(199, 0.001, "999"), (9, 0.05, "19"), (3, 0.07, "14")]
)
def test_a_level_beyond_the_permutations_is_warned_of(n_resamples, alpha, needed, rng):
    result = bc.adjust("r2", *rng.random((2, 30)), null=bc.Permutation(n_resamples))
    message = f"{n_resamples} permutations are too few for alpha = {alpha}: it takes {needed};"
    with pytest.warns(BychanceWarning, match=message):
        assert result.adjusted_at(alpha) == result.observed - result.bound
    assert np.isnan(result.adjusted_at_se(alpha))

    enough = bc.adjust("r2", *rng.random((2, 30)), null=bc.Permutation(int(needed)))
    assert enough.adjusted_at(alpha) == enough.observed - enough.null.draws[-1]
    assert enough.adjusted_at_se(alpha) > 0


def test_sampling_goes_on_until_the_level_is_within_reach(rng):
    null = bc.adjust("r2", *rng.random((2, 30)), null=bc.Permutation("auto", alpha=0.001, rtol=1.0)).null

    assert null.n_resamples >= 999


def test_groups_must_fit_the_rows(rng):
    with pytest.raises(ValueError, match="one entry per row"):
        bc.adjust("r2", rng.random(9), rng.random(9), null=bc.Permutation(9, groups=[1, 2]))


def test_groups_follow_the_shared_rows(rng):
    x, y = rng.random((2, 40))
    x[::5] = np.nan
    result = bc.adjust("r2", x, y, null=bc.Permutation(99, groups=np.arange(40) % 2))

    assert result.n == 32


@pytest.mark.parametrize(
    "settings", [{"n_resamples": 0}, {"n_resamples": 1.5}, {"block": 0}, {"groups": [1, 1], "block": 2}]
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(ValueError, match=r"`(n_resamples|block|groups)`"):
        bc.Permutation(**settings)


def test_auto_keeps_exact_moments_where_it_must_sample(rng):
    """Only the tails of heavy-tailed r² need sampling: its mean and variance are algebra, without error."""
    x, y = rng.standard_cauchy((2, 80))
    result = bc.adjust("r2", x, y)

    assert result.null.engine == "permutation"
    assert result.null.mean == pytest.approx(1 / 79)
    assert result.null.std == bc.adjust("r2", x, y, null="moments").null.std
    assert (result.adjusted_se, result.standardized_se) == (0, 0)
    assert result.adjusted_at_se(0.05) > 0


def test_table_too_large_for_its_variance_is_sampled_and_says_so(monkeypatch, rng):
    """The mean stays exact, so that AMI keeps all its digits."""
    from sklearn.metrics import adjusted_mutual_info_score

    put(monkeypatch, most_variance_operations=10.0)
    x, y = rng.integers(9, size=(2, 300))
    result = bc.adjust("mi", x, y, null="moments", bound="arithmetic")

    assert "operations" in result.null.reason
    assert result.null.n_resamples == 999
    assert result.adjusted == pytest.approx(adjusted_mutual_info_score(x, y), abs=1e-12)
    assert result.standardized_se > 0


def one_hot(n, row):
    return (np.arange(n) == row).astype(float)


@pytest.mark.parametrize("null", [bc.Permutation(199), bc.Permutation("auto"), FixedAuto(199)])
def test_equal_draws_do_not_hide_a_perfect_relation(null):
    """One row in a thousand: most samples never meet it, so it is rare and not chance."""
    x = one_hot(1_000, 5)
    result = bc.adjust("r2", x, x, null=null)

    assert result.observed == pytest.approx(1.0)
    assert result.p_value <= 0.02
    assert result.adjusted == pytest.approx(1.0, abs=0.01)


def test_spread_unknown_from_equal_draws_is_said():
    result = bc.adjust("r2", one_hot(1_000, 5), one_hot(1_000, 5), null=bc.Permutation(9))

    assert np.isnan(result.standardized)
    assert "draw more" in result.note
