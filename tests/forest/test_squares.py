"""Distributions of sums of squares of unequal variances, against simulated sums."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.forest.importance import EqualSquares, p_value_of_ratio, p_values_of_z

UNEQUAL = [[1], [1, 0.25], [1, 0.2, 0.2, 0.2], [1, 1, 0.5, 0.5]]


@pytest.mark.parametrize("variances", UNEQUAL)
def test_p_values_of_sums_of_unequal_squares_are_uniform(variances, rng):
    """200,000 sums of squares less their means, over their errors from rows, are within 6% at .05."""
    variances = np.array(variances)
    squares = rng.chisquare(1, (200_000, len(variances)))
    z_scores = (squares - 1) @ variances / np.sqrt(squares @ variances**2)

    p_values = p_values_of_z(z_scores, np.full(len(squares), EqualSquares.of(variances).skewed))

    assert np.mean(p_values <= 0.05) == pytest.approx(0.05, rel=0.06)


@pytest.mark.parametrize("variances", UNEQUAL)
@pytest.mark.parametrize("level", [0.2, 0.05, 0.001])
def test_p_values_of_ratios_of_unequal_squares_are_uniform_to_far_in_the_tail(variances, level, rng):
    """400,000 sums over means from 60 other squares are within 5%, and at .001 within 25%.

    By as many equal squares as vary as much, p-values of .001 would come out as .0005 for the third.
    """
    variances = np.array(variances)
    sums = rng.chisquare(1, (400_000, len(variances))) @ variances
    ratios = sums / variances.sum() / (rng.chisquare(60, len(sums)) / 60)

    p_value = p_value_of_ratio(np.quantile(ratios, 1 - level), EqualSquares.of(variances), 60)

    assert p_value == pytest.approx(level, rel=0.05 if level > 0.01 else 0.25)


def test_equal_squares_are_as_many_as_there_are():
    assert EqualSquares.of(np.array([3.0, 3.0, 3.0])) == EqualSquares(3, 3)


def test_squares_of_products_are_products_of_squares():
    first, second = np.array([1.0, 0.5]), np.array([3.0, 1.0, 1.0])
    both, together = (
        EqualSquares.of(first) * EqualSquares.of(second),
        EqualSquares.of(np.outer(first, second)),
    )

    assert both.varying == pytest.approx(together.varying)
    assert both.skewed == pytest.approx(together.skewed)


def test_a_sum_of_no_squares_has_a_p_value_of_1():
    np.testing.assert_array_equal(p_values_of_z(np.zeros(2), np.array([0.0, 0.0])), 1)


@pytest.mark.filterwarnings("ignore:.*weights are frequencies")
@pytest.mark.parametrize("weight", [1e-56, 1e51])
def test_the_unit_of_weights_makes_no_difference(weight, rng):
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    forest = bc.RandomForestRegressor(20, random_state=0).fit(X, y, sample_weight=np.full(60, weight))

    assert forest.feature_importances_p_[0] < 1e-4
