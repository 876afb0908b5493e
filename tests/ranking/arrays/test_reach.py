"""No pair can have a p-value at or below p with a smaller r² than `least_r2(p)`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bychance import _native
from tests.engine.nulls import beta_parameters
from tests.engine.screens import Reach, line_invariants


def laws(n, x_fourth, y_fourth):
    at = np.arange(len(x_fourth)), np.arange(len(y_fourth))
    rows = np.full(len(x_fourth), float(n))
    mean, variance, _, _ = _native.trace_moments(
        line_invariants(x_fourth), line_invariants(y_fourth), rows, *at
    )
    return beta_parameters(mean, variance)


@pytest.mark.parametrize("n", [21, 60, 1000, 100_000])
@pytest.mark.parametrize("most", [4.0, 12.0, None])
@pytest.mark.parametrize("p", [0.5, 1e-3, 1e-10, 1e-60])
def test_every_law_between_the_corners_reaches_p_only_beyond(n, most, p):
    rng = np.random.default_rng(1)
    high = 0.5 if most is None else min(0.5, most / n)
    x, y = rng.uniform(1 / n, high, size=(2, 500))
    x[:2], y[:2] = (1 / n, high), (high, 1 / n)
    reach = Reach.of(n, x, y)
    a, b = laws(n, x, y)
    quantiles = stats.beta.isf(p, a, b)

    assert min(a.min(), b.min()) > 0
    assert reach.least_r2(p) <= quantiles.min()
    assert reach.least_p(reach.least_r2(p)) >= p * (1 - 1e-9)


def test_for_columns_alike_the_bound_is_the_quantile_itself():
    n, fourth = 1000, np.array([0.0029, 0.0031])
    quantile = stats.beta.isf(1e-10, *laws(n, fourth, fourth)).min()

    assert 0.995 * quantile <= Reach.of(n, fourth, fourth).least_r2(1e-10) <= quantile


def test_any_p_reaches_one():
    assert Reach.of(100, np.array([0.03]), np.array([0.03])).least_r2(1.0) == 0.0
