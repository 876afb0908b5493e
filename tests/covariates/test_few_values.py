"""Counts and scores given: each value is a cell if the rows allow it."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.given import covariates_of, with_few_values


def test_counts_are_controlled_as_their_categories(rng):
    z = rng.poisson(2, 300)
    x, y = rng.poisson(np.exp(0.7 * z - 1)), rng.poisson(np.exp(0.7 * z - 1))
    as_numbers, as_text = (
        bc.adjust("explained", x, y, given=given) for given in (z.astype(float), z.astype(str))
    )

    assert (as_numbers.p_value, as_numbers.adjusted) == (as_text.p_value, as_text.adjusted)
    assert as_numbers.given.n_cells == len(np.unique(z))


@pytest.mark.statistical
def test_counts_that_act_steeply_keep_the_level():
    small = 0
    for seed in range(200):
        rng = np.random.default_rng([6, seed])
        z = rng.poisson(2, 300)
        x, y = rng.poisson(np.exp(0.7 * z - 1)), rng.poisson(np.exp(0.7 * z - 1))
        small += bc.adjust("explained", x, y, given=z, null="moments").p_value <= 0.05

    assert small / 200 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 200)


def test_values_of_few_rows_each_stay_numbers(rng):
    zeros_and_amounts = np.where(rng.random(300) < 0.7, 0.0, rng.exponential(size=300))
    years = np.round(50 + 12 * rng.standard_normal(100))

    assert with_few_values([], [zeros_and_amounts], 300) == [False]
    assert with_few_values([], [years], 100) == [False]


def test_values_are_crossed_while_cells_keep_enough_rows(rng):
    first, second, third = (rng.integers(0, k, 300).astype(float) for k in (5, 6, 7))

    assert with_few_values([], [first, second, third], 300) == [True, True, False]
    assert with_few_values([np.arange(300, dtype=np.int32) // 2], [first], 300) == [False]


def test_a_line_is_a_line_of_few_values_too(rng):
    z = rng.integers(0, 4, 200).astype(float)
    covariates = covariates_of(bc.Given(z, control="linear"), 200)

    assert covariates.n_numeric == 1
    assert covariates.design("linear", None).df == 2


def test_measures_within_strata_see_every_value(rng):
    z = rng.integers(0, 4, 200)
    x, y = rng.integers(0, 2, (2, 200)).astype(str)
    found = bc.adjust("mi", x, y, given=z.astype(float))

    assert found.given.n_cells == 4
    assert found.given.caveats == ()
