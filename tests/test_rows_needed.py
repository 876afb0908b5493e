"""rows_needed(): its power beside simulations, known answers, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc

N_SIMULATED = 2000


def numbers(rng, n, effect):
    x = rng.normal(size=n)
    return x, np.sqrt(effect) * x + np.sqrt(1 - effect) * rng.normal(size=n)


def groups(n_groups):
    def draw(rng, n, effect):
        means = np.linspace(-1, 1, n_groups)
        means *= np.sqrt(effect / np.mean(means**2))
        label = rng.permutation(np.arange(n) % n_groups)
        return label.astype(str), means[label] + np.sqrt(1 - effect) * rng.normal(size=n)

    return draw


def classes(n_groups):
    """Draw numbers that explain a share `effect` of labels, with a part for each dimension of them."""

    def draw(rng, n, effect):
        label, number = groups(n_groups)(rng, n, effect * (n_groups - 1))
        return number, label

    return draw


def crossed(n_x, n_y):
    def draw(rng, n, effect):
        x, y = (np.linspace(-1, 1, k) for k in (n_x, n_y))
        phi2 = effect * (n_y - 1)
        table = 1 + np.outer(x, y) * np.sqrt(phi2 / (np.mean(x**2) * np.mean(y**2)))
        assert table.min() > 0
        cell = rng.choice(n_x * n_y, size=n, p=(table / table.sum()).ravel())
        return (cell // n_y).astype(str), (cell % n_y).astype(str)

    return draw


DESIGNS = {
    "numbers": (0.09, ("numeric", "numeric"), numbers),
    "strong": (0.3, ("numeric", "numeric"), numbers),
    "groups": (0.09, (4, "numeric"), groups(4)),
    "classes": (0.05, ("numeric", 3), classes(3)),
    "crossed": (0.03, (3, 4), crossed(3, 4)),
}


@pytest.mark.statistical
@pytest.mark.parametrize("power", [0.5, 0.8])
@pytest.mark.parametrize("name", DESIGNS)
def test_simulated_power_is_the_one_asked_for(name, power):
    """2,000 data sets: within 3.5 standard errors, and 0.01 for the approximation of chi²."""
    effect, kinds, draw = DESIGNS[name]
    n = bc.rows_needed(effect, kinds=kinds, power=power)
    found = 0
    for seed in range(N_SIMULATED):
        x, y = draw(np.random.default_rng(seed), n, effect)
        found += bc.adjust("explained", x, y, null="moments").p_value <= 0.05

    assert abs(found / N_SIMULATED - power) < 3.5 * np.sqrt(power * (1 - power) / N_SIMULATED) + 0.01


def test_a_correlation_of_0_3_takes_the_rows_of_the_textbook():
    """84 or 85: exact tables of the correlation test say 84 (Cohen's approximation: 85)."""
    assert bc.rows_needed(0.09, "r2") in (84, 85)


def test_more_power_a_smaller_alpha_or_a_smaller_effect_take_more_rows():
    n = bc.rows_needed(0.1)

    assert bc.rows_needed(0.1, power=0.9) > n
    assert bc.rows_needed(0.1, alpha=0.001) > n
    assert bc.rows_needed(0.05) > n
    assert bc.rows_needed(0.1, kinds=(5, "numeric")) > n


def test_a_measure_of_labels_has_its_own_scale():
    by_tau = bc.rows_needed(0.02, "goodman_kruskal", (3, 3))

    assert by_tau == bc.rows_needed(0.02, "explained", (3, 3)) == bc.rows_needed(0.04, "phi2", (3, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"effect": 0.0}, "`effect` must lie in"),
        ({"effect": 1.0}, "`effect` must be below 1 for kinds="),
        ({"effect": 0.5, "kinds": ("numeric", 4)}, "`effect` must be below 0.333 for kinds="),
        ({"measure": "mic"}, "`measure` must be one of"),
        ({"kinds": "numeric"}, "`kinds` must be two"),
        ({"kinds": ("numeric", "ordinal")}, "`kinds` must be one of"),
        ({"kinds": ("numeric", 1)}, "at least 2 categories, got 1"),
        ({"power": 0.01}, "`power` must lie between `alpha` and 1"),
        ({"power": 1.0}, "`power` must lie between `alpha` and 1"),
        ({"effect": 1e-9}, "More than 10,000,000 rows"),
    ],
)
def test_what_it_does_not_take_is_named(arguments, message):
    with pytest.raises(bc.BychanceError, match=message):
        bc.rows_needed(**{"effect": 0.1, **arguments})
