"""The root of a null: its moments are integrals of quantiles."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import bychance as bc
from tests.engine.nulls import Engine, beta_moments, law_of, law_of_root


def test_root_of_a_law_has_the_moments_of_the_root():
    base = law_of(Engine.BETA, *beta_moments(2.0, 5.0), first=2.0, second=5.0)
    draws = np.sqrt(scipy.stats.beta(2.0, 5.0).rvs(400_000, random_state=0) / 2)
    root = law_of_root(base, 0.5)

    assert root.mean == pytest.approx(draws.mean(), abs=4 * draws.std() / np.sqrt(len(draws)))
    assert root.std == pytest.approx(draws.std(), rel=0.01)
    assert root.quantile(0.9) == pytest.approx(np.quantile(draws, 0.9), rel=0.01)
    assert root.sf(root.quantile(0.9)) == pytest.approx(0.1)


def test_root_of_a_single_value_is_degenerate():
    """One row against a balanced column: every pairing gives one χ²."""
    result = bc.adjust("cramers_v", ["a"] + ["b"] * 39, ["u", "v"] * 20, null="moments")

    assert (result.adjusted, result.standardized, result.p_value) == (0, 0, 1)
