"""Samples of nulls as laws: their ends."""

from __future__ import annotations

import pytest

from tests.engine.nulls import SampleNull


@pytest.mark.parametrize("size", [199, 999])
def test_the_lower_end_of_a_sharpened_sample_is_its_smallest_draw(rng, size):
    draws = rng.exponential(size=size)
    null = SampleNull.of(draws, bound=100.0, reason="", exact_mean=1.0, exact_std=1.0)

    assert null.quantile(0.0) == draws.min()
