"""Splitting beyond covariates: swaps stay within cells, so that tails are those of the null within them."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.covariates.tables import berkeley
from tests.engine.given import prepare
from tests.engine.nulls import null_of, tail_of


def log10_tail(pair, n_particles=128):
    return tail_of(pair, null_of("moments", pair).std, n_particles=n_particles)


@pytest.mark.slow
def test_tails_given_labels_are_those_of_the_exact_law():
    """Two-valued numbers: what splitting finds beside Mantel and Haenszel's exact distribution."""
    gender, admitted, department = berkeley()
    is_a = department == "A"
    x, y = (gender == "man").astype(float)[is_a], (admitted == "yes").astype(float)[is_a]
    given = np.arange(is_a.sum()) % 3
    pair = prepare("r2", x, y, given.astype(str))
    exact = null_of("exact", pair).sf(pair.observed)

    assert exact < 1e-4
    assert log10_tail(pair).log10_p == pytest.approx(np.log10(exact), abs=0.35)


def test_a_relation_between_strata_leaves_no_tail(rng):
    """Free swaps would find it. Swaps within strata find what is left."""
    site = np.repeat(np.arange(4), 15)
    x, y = 10 * site + rng.standard_normal((2, 60))
    pair = prepare("r2", x, y, site.astype(str))

    assert bc.adjust("r2", x, y, null=bc.Auto(tails="all")).p_value == 1e-12
    assert log10_tail(pair).log10_p > -3


@pytest.mark.slow
def test_tails_given_numbers_are_near_the_matched_law(rng):
    z = rng.standard_normal(60)
    x = z + rng.standard_normal(60)
    y = z + 0.8 * x + rng.standard_normal(60)
    pair = prepare("explained", x, y, z)
    matched = null_of("moments", pair).sf(pair.observed)

    assert matched < 1e-4
    assert log10_tail(pair, 64).log10_p == pytest.approx(np.log10(matched), abs=0.8)
