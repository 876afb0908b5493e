"""The law of 2 × 2 tables against the same law in whole numbers."""

from __future__ import annotations

from math import comb, log2

import numpy as np
import pytest

from bychance import _native

VALUES = ["contingency", "information"]


def values_and_ways(n, a, b, value):
    """Return the value of the table with each possible count, and its number of permutations."""
    counts = range(max(0, a + b - n), min(a, b) + 1)
    ways = [comb(a, m) * comb(n - a, b - m) for m in counts]
    if value == "contingency":
        return [(n * m - a * b) ** 2 / (a * (n - a) * b * (n - b)) for m in counts], ways
    cells = [((m, a, b), (a - m, a, n - b), (b - m, n - a, b), (n - a - b + m, n - a, n - b)) for m in counts]
    bits = [sum(c / n * log2(c * n / (r * s)) for c, r, s in table if c) for table in cells]
    return [max(v, 0.0) for v in bits], ways


def random_totals(rng):
    n = int(rng.integers(2, 80))
    return n, int(rng.integers(1, n)), int(rng.integers(1, n))


def arrays(*totals):
    return [np.array([t]) for t in totals]


@pytest.mark.parametrize("value", VALUES)
def test_tails_count_every_table_as_large(value, rng):
    for _ in range(300):
        totals = random_totals(rng)
        values, ways = values_and_ways(*totals, value)
        observed = values[int(rng.integers(len(values)))] * (1 - 1e-12) - 1e-14
        expected = sum(w for v, w in zip(values, ways, strict=True) if v >= observed) / sum(ways)

        found = _native.fourfold_tails(*arrays(*totals), np.array([observed]), value)
        assert found[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("value", VALUES)
def test_quantiles_are_the_smallest_values_that_leave_so_little_above(value, rng):
    for _ in range(200):
        totals, p = random_totals(rng), float(rng.choice([0.0, 0.3, 0.5, 0.95, 0.999, 1.0]))
        values, ways = values_and_ways(*totals, value)
        allowed = (1 - p + 1e-12) * sum(ways)
        above = {v: sum(w for u, w in zip(values, ways, strict=True) if u > v + 1e-11) for v in values}
        expected = max(values) if p == 1 else min(v for v in values if above[v] <= allowed)

        assert _native.fourfold_quantiles(*arrays(*totals), p, value)[0] == pytest.approx(expected, abs=1e-10)


def test_the_far_tail_keeps_its_digits():
    """All 500 rows of one value meet all 500 of the other: one pairing of C(1000, 500), about 1e-300."""
    found = _native.fourfold_tails(*arrays(1_000, 500, 500), np.array([1.0 - 1e-12]), "contingency")

    assert found[0] == pytest.approx(2 / comb(1_000, 500), rel=1e-12)


@pytest.mark.parametrize(("a", "b"), [(0, 3), (3, 10), (-1, 2)])
def test_totals_outside_the_table_are_refused(a, b):
    with pytest.raises(ValueError, match="0 < a, b < n"):
        _native.fourfold_tails(*arrays(10, a, b), np.array([0.5]), "contingency")
