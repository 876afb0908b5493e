"""A small part of studies/given_levels.py: levels if x and y depend on the covariates alone."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from studies.given_levels import LABELS, NUMBERS, STRATA, beyond, levels, textbook

RUNS = 200

pytestmark = pytest.mark.statistical


def highest(limit):
    """Return three standard errors above: one test in a thousand fails by chance."""
    return limit + 3 * np.sqrt(limit * (1 - limit) / RUNS)


@pytest.mark.parametrize(
    "name", ["3z", "z²", "2·1{z > 0}", "z, errors heavy-tailed (t₂)", "z, both spreads 0.2 + abs z"]
)
def test_numbers_are_controlled_whatever_they_act_by(name):
    row = next(row for row in NUMBERS if row.name == name)
    at_five, at_one, adjusted = levels(row, 200, RUNS, beyond())

    assert at_five <= highest(row.limits[0])
    assert at_one <= highest(row.limits[1])
    assert abs(adjusted) < (0.012 if "heavy" in name else 0.005)


@pytest.mark.parametrize("row", [STRATA[1], STRATA[3], STRATA[6]], ids=lambda row: row.name)
def test_strata_of_any_size_and_spread_are_controlled(row):
    assert levels(row, 0, RUNS, beyond())[0] <= highest(0.06)


@pytest.mark.parametrize("effect", ["common", "separate"])
def test_labels_within_strata_are_controlled(effect):
    assert levels(LABELS[0], 0, RUNS, beyond(effect=effect))[0] <= highest(0.06)


@pytest.mark.parametrize("kind", ["numbers", "categories"])
def test_mic_of_a_rare_target_keeps_its_level(kind):
    small = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([20, seed])
        x, target = rng.normal(size=100), (rng.permutation(100) < 2).astype(float)
        z = rng.normal(size=100) if kind == "numbers" else rng.choice(list("abc"), 100)
        small += bc.adjust("mic", x, target, given=z, null=bc.Permutation(19), rng=seed).p_value <= 0.05

    assert small / RUNS <= highest(0.05)


def test_the_textbook_fails_where_the_guide_says_so():
    squares = next(row for row in NUMBERS if row.name == "z²")

    assert levels(squares, 200, 50, beyond(control="linear"))[0] > 0.9
    assert levels(STRATA[1], 0, 200, textbook)[0] > 0.15
