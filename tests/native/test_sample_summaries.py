"""Figures of sampled nulls, beside order statistics and a plain calibration of their quantiles."""

from __future__ import annotations

import numpy as np
import pytest

from bychance import _native
from tests.oracle.calibration import sharpened_quantiles

P = 0.95


def figures(draws, observed, mean, std, is_exact):
    """Return moments' errors and the P-quantile with its error, one row per null, with a bound of 1."""
    n = len(draws)
    values = (np.full(n, value) for value in (observed, observed, 1.0, mean, std))
    exact = (np.full(n, is_exact), np.full(n, is_exact))
    return _native.sample_summaries(np.sort(draws, axis=1), *values, *exact, np.array([P]))


@pytest.mark.parametrize("size", [199, 398, 399, 999])
def test_calibrated_quantiles_are_those_of_plain_arrays(rng, size):
    draws = np.sort(rng.beta(0.5, 20, (40, size)), axis=1)
    mean, std = 0.5 / 20.5, np.sqrt(10 / 20.5**2 / 21.5)
    _, found = figures(draws, 0.1, mean, std, is_exact=True)
    rank, step = P * (size + 1), 2 * np.sqrt(size * P * (1 - P))
    positions = np.arange(1, size + 1)
    high, low = (
        np.array([np.interp(min(rank + sign * step, size), positions, row) for row in draws])
        for sign in (1, -1)
    )
    ones, plain = np.ones(40), draws[:, int(np.ceil(round(rank, 9))) - 1]
    values, errors = sharpened_quantiles(draws, mean * ones, std * ones, ones, P, plain, (high - low) / 4)

    np.testing.assert_allclose(found[:, 0], np.clip(values, draws[:, 0], 1.0), rtol=1e-9)
    np.testing.assert_allclose(found[:, 1], errors, rtol=1e-7)


def test_without_exact_moments_they_are_order_statistics(rng):
    draws = rng.lognormal(size=(30, 199))
    moments, found = figures(draws, 2.0, 1.5, 2.0, is_exact=False)

    np.testing.assert_array_equal(found[:, 0], np.sort(draws, axis=1)[:, 189])
    np.testing.assert_array_equal(moments[:, 0], np.sum(draws >= 2.0, axis=1))


def test_draws_that_are_too_few_give_the_bound(rng):
    _, found = figures(rng.random((5, 9)), 0.5, 0.5, 0.3, is_exact=True)

    assert found[:, 0].tolist() == [1.0] * 5
    assert np.isnan(found[:, 1]).all()
