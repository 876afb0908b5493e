"""The law of ranks without ties against all permutations, and the cases that use it."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
import pytest

import bychance as bc
from tests.engine.nulls import MAX_RANK_NULL_N, rank_null
from tests.oracle import measures as oracle
from tests.oracle.enumeration import all_values, upper_tail


@pytest.mark.parametrize("n", [3, 4, 6])
def test_the_law_equals_all_permutations(n):
    x = list(range(n))
    values = all_values(oracle.spearman, x, x)

    for observed in {float(v) for v in values}:
        assert rank_null(n).sf(observed) == pytest.approx(float(upper_tail(values, observed, slack=1e-9)))


@pytest.mark.parametrize("null", ["auto", "moments"])
def test_a_perfect_order_of_ten_rows_has_two_pairings_of_all(null):
    x = np.arange(10.0)
    result = bc.adjust("spearman", x, np.exp(x), null=null)

    assert result.null.engine == "exact permutations"
    assert result.p_value == pytest.approx(float(Fraction(2, factorial(10))))


def test_the_law_has_the_exact_moments():
    null, n = rank_null(MAX_RANK_NULL_N), MAX_RANK_NULL_N
    fourth = 3 * (25 * n**3 - 38 * n**2 - 35 * n + 72) / (25 * n * (n + 1) * (n - 1) ** 3)

    assert null.mean == pytest.approx(1 / (n - 1))
    assert null.std == pytest.approx(np.sqrt(fourth - null.mean**2))


def test_ties_and_uneven_values_take_another_law():
    x = np.arange(9.0)

    assert bc.adjust("r2", x, x**2).null.engine != "exact permutations"
    assert bc.adjust("spearman", x, np.minimum(x, 7)).null.engine != "exact permutations"
