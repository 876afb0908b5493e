"""Errors from what a measure is without each row: size, degrees of freedom, and the side they lean to."""

from __future__ import annotations

import numpy as np
import pytest

from bychance.influence import error_of_influences, jackknife_error


def means_without_each_row(values):
    return (values.sum() - values) / (len(values) - 1)


def test_the_error_of_a_mean_is_the_one_of_the_textbook():
    values = np.random.default_rng(0).exponential(size=50)
    error = jackknife_error(means_without_each_row(values))

    assert error.size == pytest.approx(values.std(ddof=1) / np.sqrt(50))


def test_normal_rows_give_about_as_many_degrees_of_freedom_as_there_are_rows():
    """A χ² of n rows has n degrees of freedom, because kurtosis 3 makes 2n / (3 − 1)."""
    values = np.random.default_rng(1).normal(size=20_000)

    assert jackknife_error(means_without_each_row(values)).df == pytest.approx(20_000, rel=0.1)


def test_rare_rows_on_both_sides_that_hold_the_error_leave_twice_as_many_degrees_of_freedom():
    values = np.zeros(500)
    values[:4] = 1.0, 1.0, -1.0, -1.0

    assert jackknife_error(means_without_each_row(values)).df == pytest.approx(8, rel=0.02)


def test_rare_rows_on_one_side_show_in_the_acceleration_alone():
    """Few exceptions among many rows vary as a Poisson count does: k of them have the skewness 1/√k."""
    values = np.zeros(5000)
    values[:4] = 1.0
    error = jackknife_error(means_without_each_row(values))

    assert error.acceleration == pytest.approx(1 / (6 * 2), rel=0.01)
    assert error.df > 1e6


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_acceleration_is_a_sixth_of_the_skewness_of_the_estimate(sign):
    """For a mean of exponential rows it is 2 / (6√n)."""
    values = np.random.default_rng(2).exponential(size=20_000)
    error = jackknife_error(means_without_each_row(values), sign=sign)

    assert error.acceleration == pytest.approx(sign * 2 / (6 * np.sqrt(20_000)), rel=0.1)


def test_weights_count_equal_rows():
    pulls, weights = np.array([-2.0, 0.5, 1.0]), np.array([3.0, 4.0, 4.0])
    repeated = error_of_influences(np.repeat(pulls, weights.astype(int)))

    assert error_of_influences(pulls, weights) == pytest.approx(repeated)


@pytest.mark.parametrize("pull", [0.0, 1e-200])
def test_pulls_too_small_to_compare_lean_to_no_side(pull):
    error = error_of_influences(np.array([-pull, pull]))

    assert error.size == pytest.approx(0)
    assert error.acceleration == 0
