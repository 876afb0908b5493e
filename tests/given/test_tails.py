"""Splitting beyond covariates: swaps stay within cells, so that tails are those of the null within them."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.given.covariates import read_covariates
from bychance.given.pair import prepare_given
from bychance.measures import registry
from bychance.nulls.choose import choose_null
from bychance.nulls.splitting import split_tail, tail_pair
from bychance.read_column import read_column
from tests.given.tables import berkeley


def pair_of(measure, x, y, given):
    columns = read_column(x, "x"), read_column(y, "y")
    return prepare_given(registry.resolve(measure), *columns, read_covariates(given, len(x)))


def log10_tail(pair, n_particles=128):
    null = choose_null("moments", pair)
    return split_tail(tail_pair(pair, bc.Permutation(), null.std), n_particles=n_particles)


@pytest.mark.slow
def test_tails_given_labels_are_those_of_the_exact_law():
    """Two-valued numbers: what splitting finds beside Mantel and Haenszel's exact law."""
    gender, admitted, department = berkeley()
    is_a = department == "A"
    x, y = (gender == "man").astype(float)[is_a], (admitted == "yes").astype(float)[is_a]
    given = np.arange(is_a.sum()) % 3
    pair = pair_of("r2", x, y, given.astype(str))
    exact = choose_null("exact", pair).sf(pair.observed)

    assert exact < 1e-4
    assert log10_tail(pair).log10_p == pytest.approx(np.log10(exact), abs=0.35)


def test_a_relation_between_strata_leaves_no_tail(rng):
    """Free swaps would find it; swaps within strata find what is left."""
    site = np.repeat(np.arange(4), 15)
    x, y = 10 * site + rng.standard_normal((2, 60))
    pair = pair_of("r2", x, y, site.astype(str))

    assert bc.adjust("r2", x, y, tails="all").p_value == 1e-12
    assert log10_tail(pair).log10_p > -3


@pytest.mark.slow
def test_tails_given_numbers_are_near_the_matched_law(rng):
    z = rng.standard_normal(60)
    x = z + rng.standard_normal(60)
    y = z + 0.8 * x + rng.standard_normal(60)
    pair = pair_of("explained", x, y, z)
    matched = choose_null("moments", pair).sf(pair.observed)

    assert matched < 1e-4
    assert log10_tail(pair, 64).log10_p == pytest.approx(np.log10(matched), abs=0.8)
