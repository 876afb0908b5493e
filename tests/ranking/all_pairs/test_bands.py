"""Bands of n: every n above 20 has one, and no law of a band reaches p below what the band says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.engine.screens import Bands, Limits
from tests.ranking.all_pairs.test_reach import laws


def test_bands_follow_n_and_are_narrow():
    of = Bands(3000, 0.3).of

    assert not of[:21].any()
    assert of[21] == 1
    assert set(np.diff(of[21:]).tolist()) == {0, 1}
    for band in range(1, of[-1] + 1):
        rows = np.flatnonzero(of == band)
        assert rows[-1] <= 1.011 * rows[0]


@pytest.mark.parametrize("n", [21, 100, 612, 2000])
@pytest.mark.parametrize("p", [0.05, 1e-4, 1e-30])
def test_no_law_of_a_band_reaches_p_below_what_the_band_says(n, p):
    rng, bands = np.random.default_rng(1), Bands(2000, 0.2)
    band = int(bands.of[n])
    reach = bands.reach(band)

    for rows in np.flatnonzero(bands.of == band):
        x, y = rng.uniform(1 / rows, 0.2, size=(2, 200))
        x[:2], y[:2] = (1 / rows, 0.2), (1 / rows, 0.2)
        quantiles = stats.beta.isf(p, *laws(rows, x, y))
        assert reach.least_r2(p) <= quantiles.min() * (1 + 1e-9)
        assert reach.least_p(quantiles.min() * (1 - 1e-9)) <= p


def test_a_rule_is_asked_once_per_band():
    asked = []
    limits = Limits(Bands(50, 0.3), lambda reach: asked.append(reach) or 0.5)

    limits.ask(np.array([0, 3, 4]))
    limits.ask(np.array([3, 4, 5]))

    assert len(asked) == 3
    assert limits.of_band[[0, 3, 4, 5]].tolist() == [0.0, 0.5, 0.5, 0.5]
