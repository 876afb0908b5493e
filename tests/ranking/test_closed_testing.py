"""Closed testing by its shortcuts, beside all intersections one by one."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.guarantee import Hull, Threshold

ALPHAS = (0.0625, 0.25, 0.5)  # binary fractions: products with those of the grid are exact


def every_set(m):
    return (np.arange(1 << m)[:, None] >> np.arange(m)) & 1 == 1


def bounds_by_enumeration(p, alpha, factor, chosen):
    """Return the chosen of all 2^m selections, and how many true discoveries closed testing finds in each."""
    order, sets = np.argsort(p, kind="stable"), every_set(len(p))
    members, sizes = sets[:, order], sets.sum(axis=1)
    place, weight = np.cumsum(members, axis=1), np.array([0, *factor])[sizes][:, None]
    is_rejected = (members & (weight * p[order] <= place * alpha)).any(axis=1)
    shared = sets[chosen].astype(np.float32) @ sets[~is_rejected].astype(np.float32).T
    return sets[chosen], sizes[chosen] - shared.max(axis=1).astype(int)


def random_p_values(rng, m):
    """Draw uniform ones, small ones, ones on a grid with ties, and some that are 0 or 1."""
    p = rng.random(m) ** rng.choice([1, 3, 10])
    if rng.random() < 0.5:
        p = np.ceil(p * 64) / 64
    p[rng.random(m) < 0.15] = 1.0
    p[rng.random(m) < 0.03] = 0.0
    return p


@pytest.mark.parametrize("is_robust", [False, True])
def test_bounds_are_those_of_all_intersections(is_robust):
    rng = np.random.default_rng(42)
    n_found = 0
    for _ in range(2_000):
        m = int(rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))
        p, alpha = random_p_values(rng, m), rng.choice(ALPHAS)
        steps = np.arange(1, m + 1)
        factor = steps * np.cumsum(1 / steps) if is_robust else steps
        chosen = np.append(rng.integers(1 << m, size=8), -1)
        sets, bounds = bounds_by_enumeration(p, alpha, factor, chosen)
        hull = Hull.of(p)
        threshold = hull.threshold(alpha, is_robust=is_robust)

        assert [threshold.discoveries(p[one]) for one in sets] == bounds.tolist(), p
        assert m - hull.largest(alpha, is_robust=is_robust) == bounds[-1]
        n_found += bounds[-1]
    assert n_found > 2_000


def test_the_hull_of_many_p_values_keeps_all_that_counts():
    rng = np.random.default_rng(1)
    for power in (1, 2, 6):
        p = np.sort(rng.random(20_000) ** power)
        hull, m = Hull.of(np.append([np.nan] * 5, p)), len(p)
        is_robust = power == 2
        for alpha in (0.001, 0.05, 0.3):
            h = hull.largest(alpha, is_robust=is_robust)

            assert hull.n_tests == m
            assert len(hull.ranks) < 1_000
            for size, is_rejected in ((h, False), (h + 1, True)):
                if 0 < size <= m:
                    weight = size * (1 / np.arange(1, size + 1)).sum() if is_robust else size
                    worst = p[m - size :]
                    assert (weight * worst <= alpha * np.arange(1, size + 1)).any() == is_rejected


def test_without_tests_nothing_is_found():
    hull = Hull.of(np.array([np.nan, np.nan]))

    assert hull.largest(0.05, is_robust=False) == 0
    assert hull.threshold(0.05, is_robust=True).discoveries(np.empty(0)) == 0


def test_nothing_is_sure_among_p_values_of_one():
    threshold = Hull.of(np.ones(50)).threshold(0.05, is_robust=False)

    assert threshold == Threshold(50.0, 0.05)
    assert threshold.discoveries(np.ones(50)) == 0
