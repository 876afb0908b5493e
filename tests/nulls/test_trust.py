"""The range in which a law was shown to hold, from the figures of a pair."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance import _native
from bychance.nulls.trust import reach_of_beta


def array(value):
    return np.array([float(value)])


def beta_reach(n, rank=1, third=0.0, variance_ratio=1.0):
    return reach_of_beta(
        n=np.array([n]), rank=array(rank), third=array(third), variance_ratio=array(variance_ratio)
    )[0]


@pytest.mark.parametrize(("n", "reach"), [(12, 1e-3), (20, 1e-4), (40, 1e-6), (60, 1e-8)])
def test_more_rows_reach_further(n, reach):
    assert beta_reach(n) == reach


def test_skewness_of_both_variables_ends_the_reach():
    """Ten times the third cumulants cost about two powers of ten."""
    assert [beta_reach(1_000, third=t) for t in (5e-4, 2e-3, 8e-3, 2e-2)] == [1e-8, 1e-6, 1e-4, 1e-3]


def test_many_groups_need_more_rows():
    assert beta_reach(100, rank=1) < beta_reach(100, rank=9)


def test_a_step_is_not_taken_over_one_that_fails():
    """Few rows end the reach, however even the variables are."""
    assert beta_reach(20, third=0.0, variance_ratio=1.0) == 1e-4
    assert beta_reach(500, variance_ratio=1.04) == 1e-4


def test_a_law_with_the_exact_skewness_bears_more_of_it():
    given = {"n": np.array([1_000]), "rank": array(1), "third": array(0.05)}

    assert _native.reach_of_gamma(np.array(list(given.values()), dtype=float))[0] == 1e-4
    assert reach_of_beta(**given, variance_ratio=array(1.0))[0] == 1e-3


@pytest.mark.parametrize(("least", "reach"), [(5, 1e-4), (12, 1e-6), (30, 1e-8)])
def test_mutual_information_reaches_as_far_as_its_emptiest_cell_is_full(least, reach):
    assert _native.reach_of_information(np.array([[least]], dtype=float))[0] == reach


def test_every_null_says_how_far_it_holds(rng):
    x, y = rng.normal(size=(2, 200))

    assert bc.adjust("r2", x, y).null.holds_to == 1e-8
    assert bc.adjust("r2", x, y, null=bc.Permutation(99)).null.holds_to == 0
    assert bc.adjust("kendall", x[:30], y[:30], null="exact").null.holds_to == 0
    assert bc.adjust("r2", x**9, y**9, null="moments").null.holds_to == 1
    assert bc.adjust("dcor", x, y).null.holds_to == 1e-2
