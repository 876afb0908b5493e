"""Shares of selection, and their errors and claims."""

from __future__ import annotations

import numpy as np
import pytest

from reproduction.noise_by_n import spread
from reproduction.selection import SIZES, Selection, _shares, check_claims


def test_a_tie_is_shared_out_evenly():
    scores = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 0.0]])

    np.testing.assert_allclose(_shares(scores), [0.25, 0.25, 0.5])


@pytest.fixture
def selection():
    return Selection({("independent", "r²"): np.array([0.4, 0.3, 0.2, 0.1, 0.0])}, runs=1_000)


def test_errors_are_binomial_and_never_zero(selection):
    error = selection.error("independent", "r²")

    assert error[0] == pytest.approx(np.sqrt(0.4 * 0.6 / 1_000))
    assert error[-1] == pytest.approx(np.sqrt(0.001 * 0.999 / 1_000))


def test_the_error_of_a_difference_knows_that_both_shares_come_from_the_same_runs(selection, rng):
    chosen = rng.choice(5, size=(20_000, 1_000), p=[0.4, 0.3, 0.2, 0.1, 0.0])
    differences = (chosen == 0).mean(axis=1) - (chosen == 4).mean(axis=1)
    over, error = selection.difference("independent", "r²")

    assert over == pytest.approx(0.4)
    assert error == pytest.approx(differences.std(), rel=0.05)


def test_the_table_has_a_row_a_size(selection):
    table = selection.table()

    assert table["n"] == SIZES
    assert table["share"] == [0.4, 0.3, 0.2, 0.1, 0.0]
    assert set(table["score"]) == {"r²"}


def test_a_check_fails_where_one_share_is_off(selection):
    same = {("independent", "r²"): (0.4, 0.3, 0.2, 0.1, 0.0)}
    other = {("independent", "r²"): (0.4, 0.2, 0.3, 0.1, 0.0)}

    assert [claim.verdict for claim in check_claims(selection, same, 10**6)] == ["holds"]
    assert [claim.verdict for claim in check_claims(selection, other, 10**6)] == ["does not hold"]


def test_the_spread_is_the_largest_mean_less_the_smallest():
    means = np.array([[0.5, 0.2], [0.3, 0.6], [0.4, 0.4]])
    errors = np.array([[0.03, 0.01], [0.04, 0.02], [0.5, 0.5]])
    apart, error = spread(np.stack([means, errors]))

    np.testing.assert_allclose(apart, [0.2, 0.4])
    np.testing.assert_allclose(error, [0.05, np.hypot(0.01, 0.02)])
