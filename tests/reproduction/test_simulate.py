"""Simulated samples, and scores of many of them beside those of one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from reproduction.data import Data
from reproduction.run import Run
from reproduction.simulate import SHAPES, mean_and_error, noisy_sample, simulate


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_maps_the_unit_interval_onto_itself(shape):
    y = SHAPES[shape](np.linspace(0, 1, 100_001))

    assert y.min() == pytest.approx(0, abs=1e-8)
    assert y.max() == pytest.approx(1, abs=1e-8)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5, 1.0])
def test_noise_replaces_an_exact_share_of_the_points(noise, rng):
    x, y = noisy_sample(rng, "quadratic", 60, noise)

    assert (y != SHAPES["quadratic"](x)).sum() == round(60 * noise)
    assert ((y >= 0) & (y < 1.0000001)).all()


def test_complete_noise_is_independent(rng):
    samples = [noisy_sample(rng, "linear", 100, 1.0) for _ in range(400)]
    mean, error = mean_and_error(np.array([bc.measure("r2", x, y) for x, y in samples]))

    assert mean == pytest.approx(1 / 99, abs=4 * error)


@pytest.mark.parametrize("measure", ["r2", "mic"])
def test_scores_are_those_of_adjust_on_each_sample(measure, tmp_path):
    run = Run(tmp_path, Data(tmp_path), seed=7)
    scores = simulate(run, measure, sizes=[20], noises=[0.3], runs=5)[20, 0.3]
    rng = np.random.default_rng([7, 20, 30, 0])
    one_by_one = [
        bc.adjust(measure, *noisy_sample(rng, "linear", 20, 0.3), null="paper", rng=7) for _ in range(5)
    ]

    for ours, expected in [
        (scores.observed, [r.observed for r in one_by_one]),
        (scores.adjusted, [r.adjusted for r in one_by_one]),
        (scores.standardized, [r.standardized for r in one_by_one]),
        (scores.adjusted_at(0.1), [r.adjusted_at(0.1) for r in one_by_one]),
        (scores.p_values, [r.p_value for r in one_by_one]),
    ]:
        np.testing.assert_allclose(ours, expected, rtol=1e-12)
    assert scores.adjusted_mean[0] == pytest.approx(np.mean(scores.adjusted))


def test_the_error_of_the_null_counts_in_an_adjusted_mean(tmp_path):
    run = Run(tmp_path, Data(tmp_path))
    scores = simulate(run, "mic", sizes=[20], noises=[1.0], runs=50)[20, 1.0]
    alone = mean_and_error(scores.adjusted)[1]

    assert scores.null.mean_se > 0
    assert scores.adjusted_mean[1] > alone
