"""Numbers of the paper and of the handbook's simulations, within four standard errors of both."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc

pytestmark = pytest.mark.statistical
SIZES = [20, 40, 60, 80, 100]
REFERENCE_RUNS = 200_000
RUNS = 4_000

INDEPENDENT = {
    "r2": [0.4453, 0.2317, 0.1463, 0.1021, 0.0745],
    "Ar2": [0.2553, 0.2002, 0.1777, 0.1727, 0.1941],
    "Sr2": [0.2027, 0.2002, 0.1988, 0.2000, 0.1983],
    "p": [0.1980, 0.2002, 0.1999, 0.2017, 0.2002],
}
NOISE_10 = {
    "r2": [0.3671, 0.2230, 0.1639, 0.1336, 0.1124],
    "Ar2": [0.3570, 0.2224, 0.1664, 0.1374, 0.1168],
    "Sr2": [0.0000, 0.0000, 0.0000, 0.0376, 0.9624],
    "p": [0.0009, 0.0097, 0.0560, 0.2310, 0.7023],
    "Ar2(.05)": [0.0305, 0.1738, 0.2317, 0.2693, 0.2947],
    "Ar2(.1)": [0.0862, 0.2022, 0.2273, 0.2393, 0.2449],
    "Ar2(.4)": [0.2858, 0.2255, 0.1848, 0.1611, 0.1428],
}
NOISE_30 = {
    "r2": [1, 0.8135, 0.6472, 0.5023, 0.3773, 0.2711, 0.1845, 0.1190, 0.0709, 0.0432, 0.0344],
    "Ar2": [1, 0.8068, 0.6346, 0.4846, 0.3551, 0.2450, 0.1554, 0.0876, 0.0378, 0.0090, -0.0001],
}


def linear_with_noise(rng, n, share):
    """Draw y = x with an exact share of points replaced by uniform noise."""
    x = rng.random(n)
    y = x.copy()
    replaced = rng.choice(n, round(share * n), replace=False)
    y[replaced] = rng.random(len(replaced))
    return x, y


def figures(rng, n, share, runs, alphas=()):
    """Return the values of `adjust` with the paper's null, per name one number per run.

    That null depends on n alone, so that of the first pair serves all. For 30 pairs every figure is compared.
    """
    pairs = np.array([linear_with_noise(rng, n, share) for _ in range(runs)])
    x, y = np.moveaxis(pairs - pairs.mean(axis=2, keepdims=True), 1, 0)
    observed = np.sum(x * y, axis=1) ** 2 / (np.sum(x**2, axis=1) * np.sum(y**2, axis=1))
    first = bc.adjust("r2", *pairs[0], null="paper")
    mean, std = first.null.mean, first.null.std
    found = {
        "r2": observed,
        "Ar2": (observed - mean) / (first.bound - mean),
        "Sr2": (observed - mean) / std,
        "p": np.array([-first.null.sf(value) for value in observed]),
    }
    found |= {name_at(alpha): observed - first.null.quantile(1 - alpha) for alpha in alphas}
    for run in range(30):
        r = bc.adjust("r2", *pairs[run], null="paper")
        wanted = [r.observed, r.adjusted, r.standardized, -r.p_value, *(r.adjusted_at(a) for a in alphas)]
        assert [values[run] for values in found.values()] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    return found


def name_at(alpha):
    return f"Ar2({str(alpha).removeprefix('0')})"


def scores(rng, share, names):
    """Return one row per run of each of these scores at each n, with the paper's null."""
    alphas = [alpha for alpha in (0.05, 0.1, 0.4) if name_at(alpha) in names]
    columns = [figures(rng, n, share, RUNS, alphas) for n in SIZES]
    return {name: np.column_stack([column[name] for column in columns]) for name in names}


def assert_shares_match(table, reference):
    for name, expected in reference.items():
        # A p-value can underflow to 0 for several n at once. Such ties are shared out evenly.
        is_best = table[name] == table[name].max(axis=1, keepdims=True)
        shares = (is_best / is_best.sum(axis=1, keepdims=True)).mean(axis=0)
        p = np.array(expected)
        error = np.sqrt(np.maximum(p * (1 - p), 1e-4) * (1 / RUNS + 1 / REFERENCE_RUNS))

        assert np.all(np.abs(shares - p) < 4 * error), (name, shares, expected)


def test_selection_under_independence_matches_the_handbook(rng):
    assert_shares_match(scores(rng, 1.0, INDEPENDENT), INDEPENDENT)


def test_selection_at_ten_percent_noise_matches_the_handbook(rng):
    assert_shares_match(scores(rng, 0.1, NOISE_10), NOISE_10)


@pytest.mark.parametrize("step", range(11))
def test_noise_table_at_thirty_points_matches_the_handbook(step, rng):
    found = figures(rng, 30, step / 10, 3_000)
    for name in NOISE_30:
        values = found[name]
        error = np.hypot(np.std(values) / np.sqrt(len(values)), 0.0005)

        assert abs(np.mean(values) - NOISE_30[name][step]) < 4 * error


def test_three_categories_beat_two_as_often_as_the_paper_says(rng):
    """Example 2: P(Gini(X₂) > Gini(X₁)) = 0.7075 at n = 100, and 0.5 would be fair."""
    runs = 20_000
    y, two, three = (rng.integers(k, size=(runs, 100)) for k in (2, 2, 3))
    gains = [gini_gains(x, y) for x in (two, three)]
    for x, found in zip((two, three), gains, strict=True):
        wanted = [bc.measure("gini", x[run], y[run]) for run in range(200)]
        assert found[:200] == pytest.approx(wanted, abs=1e-12)
    wins = np.sum(gains[1] > gains[0])

    assert wins / runs == pytest.approx(0.7075, abs=0.005 + 4 * np.sqrt(0.7075 * 0.2925 / runs))


def gini_gains(x, y):
    """Compute Gini gains of each row of two matrices of labels, those of y 0 or 1."""
    impurity = np.zeros(len(x))
    for value in range(x.max() + 1):
        is_here = x == value
        size, ones = is_here.sum(axis=1), (is_here & (y == 1)).sum(axis=1)
        impurity += 2 * ones * (size - ones) / np.maximum(size, 1)
    share = y.mean(axis=1)
    return 2 * share * (1 - share) - impurity / x.shape[1]


def test_penalties_of_example_two_are_the_papers():
    y = np.arange(100) % 2
    penalties = [
        bc.adjust("gini", np.repeat(np.arange(k), sizes), y, null="paper").null.quantile(0.95)
        for k, sizes in [(2, [50, 50]), (3, [34, 33, 33])]
    ]

    assert [round(p, 3) for p in penalties] == [0.036, 0.053]
