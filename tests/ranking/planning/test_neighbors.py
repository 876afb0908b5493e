"""Steps from row to row: the statistic of categories is that of their indicators, and sorting leaves −1/2."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bychance.io import read_table
from tests.engine.ranking import SHUFFLED, agreement_of_steps, correlation_of_steps, sorted_rows_of

ONE = np.zeros(2_000, dtype=np.int64)


@pytest.mark.parametrize("n_series", [1, 7])
def test_categories_are_judged_by_their_indicators(rng, n_series):
    codes, series = rng.integers(4, size=90), np.sort(rng.integers(n_series, size=90))
    products = squares = 0.0
    n_both = n_steps = 0
    for k in range(89):
        if series[k] != series[k + 1]:
            continue
        step = np.eye(4)[codes[k + 1]] - np.eye(4)[codes[k]]
        squares, n_steps = squares + step @ step, n_steps + 1
        if k + 2 < 90 and series[k + 2] == series[k]:
            after = np.eye(4)[codes[k + 2]] - np.eye(4)[codes[k + 1]]
            products, n_both = products + step @ after, n_both + 1

    expected = (products / n_both) / (squares / n_steps)
    assert agreement_of_steps(codes, series) == pytest.approx(expected)


def test_noise_around_anything_slow_looks_like_rows_in_any_order(rng):
    noise, k = rng.normal(size=2_000), np.arange(2_000)
    for slow in (0, k / 100, np.sin(k / 200), 3 * rng.normal(size=20)[k // 100]):
        assert correlation_of_steps(slow + noise, ONE) == pytest.approx(SHUFFLED, abs=0.06)


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_a_series_shows_by_its_autocorrelation(rng, share):
    values = rng.normal(size=2_000)
    for k in range(1, 2_000):
        values[k] += share * values[k - 1]

    assert correlation_of_steps(values, ONE) == pytest.approx(-(1 - share) / 2, abs=0.06)


def test_too_few_changes_say_nothing():
    assert math.isnan(correlation_of_steps(np.repeat(np.arange(10.0), 200), ONE))
    assert math.isnan(agreement_of_steps(np.repeat(np.arange(10), 200), ONE))


def test_one_column_may_be_sorted_within_another(rng):
    site, day = np.repeat([*"bac"], 40), np.tile(np.repeat(np.arange(8), 5), 3)
    table = read_table({"x": rng.normal(size=120), "site": site, "day": day, "y": rng.choice([*"pq"], 120)})
    found = sorted_rows_of(table.columns, ONE[:120])

    assert found.columns == {1, 2}
    assert len(np.unique(found.runs)) == 24
    assert not found.is_listing


def test_files_one_below_the_other_are_sorted_too(rng):
    x = np.concatenate([np.sort(rng.normal(size=50)) for _ in range(3)])

    assert sorted_rows_of(read_table({"x": x, "y": rng.normal(size=150)}).columns, ONE[:150]).columns == {0}
