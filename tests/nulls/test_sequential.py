"""Sampling stops once decisions are settled, and its p-values keep their level."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bychance as bc
from tests.engine.nulls import (
    Stated,
    discovery_threshold,
    limits_of_p,
    needs_tail,
    sample_until_known,
    summary_of_draws,
    undecided,
)


def stopped_p(rng, p, cap=9_999):
    """Return the p-value at which sampling stops if a draw reaches the observed value with probability p."""
    draws = (rng.random(cap) < p).astype(float)
    return sample_until_known(lambda size: draws[:size], 1.0, None, cap, 0.05)


@pytest.mark.slow
def test_stopped_p_values_keep_their_level(rng):
    """Over uniform p-values P(p ≤ a) is at most a, within four standard errors, at every level."""
    found = np.array([stopped_p(rng, p)[1].value for p in rng.random(6_000)])
    for level in (0.005, 0.0105, 0.05, 0.2):
        share = np.mean(found <= level)
        assert share <= level + 4 * np.sqrt(level / len(found))
        assert share >= 0.8 * level - 4 * np.sqrt(level / len(found))


def test_a_large_p_value_takes_999_draws_and_a_small_one_the_cap(rng):
    assert len(stopped_p(rng, 0.4)[0]) == 999
    draws, p = stopped_p(rng, 0.0)
    assert len(draws) == 9_999
    assert p.value == 1 / 10_000


def test_the_tenth_draw_that_reaches_it_gives_the_p_value():
    draws = np.zeros(9_999)
    draws[100:2_000:200] = 1.0  # the tenth at index 1,900
    p = sample_until_known(lambda size: draws[:size], 1.0, None, 9_999, 0.05)[1]

    assert p.value == 10 / 1_901
    assert p.kind == "monte carlo"
    assert p.se == pytest.approx(0.1373, abs=1e-4)


def test_limits_are_those_of_clopper_and_pearson():
    low, high = limits_of_p(np.array([0, 3, 199]), np.array([199, 199, 199]))
    for k, a, b in zip((0, 3, 199), low, high, strict=True):
        expected = stats.binomtest(k, 199).proportion_ci(1 - 0.1 / 7)
        assert (a, b) == pytest.approx((expected.low, expected.high))


def test_threshold_is_that_of_benjamini_and_hochberg(rng):
    p = np.concatenate([rng.random(200), rng.random(30) ** 4 / 100, [np.nan]])
    threshold = discovery_threshold(p, 0.05, 1.0)
    q = stats.false_discovery_control(p[:-1])

    assert np.array_equal(p[:-1] <= threshold, q <= 0.05)
    assert discovery_threshold(np.array([0.9, 0.8, np.nan]), 0.05, 1.0) == 0.025


def test_pairs_far_from_the_threshold_are_decided():
    low, high = np.array([0.0, 0.01, 0.4]), np.array([0.001, 0.06, 0.6])
    known = np.concatenate([np.full(10, 0.001), np.full(10, 0.9)])

    assert undecided(low, high, known, 0.05, 1.0).tolist() == [False, True, False]


def stated(value, *, matched=np.nan, exceedances=-1, size=-1):
    """Return one p-value with its kind and limits."""
    counts = (np.array([count], dtype=np.int64) for count in (exceedances, size))
    return Stated(np.array([value]), np.array([matched]), *counts)


@pytest.mark.parametrize(
    ("p", "n_discoveries", "is_open"),
    [
        (stated(1e-6, matched=1e-40), 0, False),  # the bound is a discovery among 1,000 tests
        (stated(1e-3, matched=1e-40), 0, True),
        (stated(1e-3, matched=4e-3), 0, True),  # 80 times too large for a discovery
        (stated(1e-2, matched=6e-3), 0, False),
        (stated(1e-3, matched=1e-40), 40, False),  # with 40 others p ≤ 0.002 is one
        (stated(1e-4, exceedances=0, size=9_999), 0, True),
        (stated(5e-3, exceedances=0, size=199), 0, False),  # draws go on first
        (stated(11e-4, exceedances=10, size=9_999), 0, False),
        (stated(1e-4, exceedances=0, size=9_999), 20, False),
        (stated(1e-40), 0, False),
        (stated(np.nan, matched=1e-40), 0, False),
    ],
)
def test_p_values_that_settle_a_pair_need_no_tail(p, n_discoveries, is_open):
    known = np.concatenate([np.full(n_discoveries, 1e-9), np.full(999 - n_discoveries, 0.9)])

    assert needs_tail(p, known, 0.05, 1.0, 9_999).tolist() == [is_open]


def test_bounds_count_as_discoveries_only_where_all_of_them_are():
    """Two pairs of which each would be a discovery if the other was."""
    both = [np.concatenate([one, one]) for one in vars_of(stated(8e-5, matched=1e-9))]

    assert needs_tail(Stated(*both), np.full(998, 0.9), 0.05, 1.0, 9_999).tolist() == [False, False]
    assert needs_tail(Stated(*both), np.full(1_998, 0.9), 0.05, 1.0, 9_999).tolist() == [True, True]


def vars_of(p):
    return p.value, p.matched, p.exceedances, p.size


@pytest.mark.parametrize(("size", "limit"), [(199, 0.45), (999, 0.16)])
def test_exact_moments_sharpen_quantiles(size, limit, rng):
    """On the null of r² of heavy-tailed columns the error falls well below an order statistic's."""
    x, y = rng.lognormal(size=(2, 60))
    exact = bc.adjust("r2", x, y, null="moments").null
    draws = bc.adjust("r2", x, y, null=bc.Permutation(200_000)).null.draws.copy()
    truth = np.quantile(draws, 0.95)
    rng.shuffle(draws)
    samples = draws[: 150 * size].reshape(150, size)
    ones, unknown = np.ones(150), np.full(150, np.nan)
    exact_moments = {"exact_mean": exact.mean * ones, "exact_std": exact.std * ones}
    sharp, plain = (
        summary_of_draws(samples, observed=ones, bound=ones, levels=[0.95], **moments)
        for moments in (exact_moments, dict.fromkeys(exact_moments, unknown))
    )
    errors, plain_errors = ((found.quantiles[:, 0] - truth) / exact.std for found in (sharp, plain))

    assert np.sqrt(np.mean(errors**2)) < min(limit, 0.85 * np.sqrt(np.mean(plain_errors**2)))
    assert 0.85 <= np.mean(np.abs(errors) <= 2 * sharp.quantile_se / exact.std) <= 0.995
