"""q-values of some pairs among all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.engine.ranking import fdr_factor, rates_of


def test_with_all_p_values_they_are_those_of_benjamini_and_hochberg():
    p_values = np.random.default_rng(0).uniform(size=500) ** 3

    rates = rates_of(p_values, "bh", 500)

    np.testing.assert_allclose(rates, stats.false_discovery_control(p_values), rtol=1e-12)


def test_with_some_they_are_never_smaller():
    p_values = np.random.default_rng(0).uniform(size=500) ** 3
    some = np.sort(p_values)[:100]
    of_all = np.sort(stats.false_discovery_control(p_values))

    assert (rates_of(some, "bh", 500) >= of_all[:100] - 1e-15).all()


@pytest.mark.parametrize("n", [10**6 - 1, 10**6, pytest.param(10**7, marks=pytest.mark.slow)])
def test_the_sum_of_reciprocals_is_that_of_all(n):
    assert fdr_factor("by", n) == pytest.approx(np.sum(1 / np.arange(1, n + 1)), rel=1e-12)
