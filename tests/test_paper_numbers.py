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
    """Y = x with an exact share of points replaced by uniform noise."""
    x = rng.random(n)
    y = x.copy()
    replaced = rng.choice(n, round(share * n), replace=False)
    y[replaced] = rng.random(len(replaced))
    return x, y


def scores(rng, share, names):
    """One row per run of each of these scores at each n, with the paper's null."""
    table = {name: np.empty((RUNS, len(SIZES))) for name in names}
    for run in range(RUNS):
        for column, n in enumerate(SIZES):
            r = bc.adjust("r2", *linear_with_noise(rng, n, share), null="paper")
            table["r2"][run, column], table["Ar2"][run, column] = r.observed, r.adjusted
            table["Sr2"][run, column], table["p"][run, column] = r.standardized, -r.p_value
            for alpha in (0.05, 0.1, 0.4):
                if (name := f"Ar2({str(alpha).removeprefix('0')})") in table:
                    table[name][run, column] = r.adjusted_at(alpha)
    return table


def assert_shares_match(table, reference):
    for name, expected in reference.items():
        # A p-value can underflow to 0 for several n at once; such ties are shared out evenly.
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
    results = [bc.adjust("r2", *linear_with_noise(rng, 30, step / 10), null="paper") for _ in range(3_000)]
    for name, values in [("r2", [r.observed for r in results]), ("Ar2", [r.adjusted for r in results])]:
        error = np.hypot(np.std(values) / np.sqrt(len(values)), 0.0005)

        assert abs(np.mean(values) - NOISE_30[name][step]) < 4 * error


def test_three_categories_beat_two_as_often_as_the_paper_says(rng):
    """Example 2: P(Gini(X₂) > Gini(X₁)) = 0.7075 at n = 100, where 0.5 would be fair."""
    runs, wins = 20_000, 0
    for _ in range(runs):
        y = rng.integers(2, size=100)
        wins += bc.measure("gini", rng.integers(3, size=100), y) > bc.measure(
            "gini", rng.integers(2, size=100), y
        )

    assert wins / runs == pytest.approx(0.7075, abs=0.005 + 4 * np.sqrt(0.7075 * 0.2925 / runs))


def test_penalties_of_example_two_are_the_papers():
    y = np.arange(100) % 2
    penalties = [
        bc.adjust("gini", np.repeat(np.arange(k), sizes), y, null="paper").null.quantile(0.95)
        for k, sizes in [(2, [50, 50]), (3, [34, 33, 33])]
    ]

    assert [round(p, 3) for p in penalties] == [0.036, 0.053]
