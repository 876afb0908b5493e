"""Two categorical covariates or more: the crossing is controlled, whatever the number of its cells."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bychance as bc

RUNS = 200


def crossed(rng, n, *counts, noise=0.5):
    """Draw two columns that depend on the crossing of covariates only, and the covariates."""
    labels = [rng.integers(0, k, n) for k in counts]
    cells = rng.standard_normal(counts)[tuple(labels)]
    x, y = (cells + noise * rng.standard_normal(n) for _ in range(2))
    return x, y, [np.array([f"{name}{v}" for v in codes]) for name, codes in zip("abc", labels, strict=False)]


@pytest.mark.parametrize(
    ("n", "counts"), [(300, (12, 12)), (200, (12, 12)), (200, (12, 6)), (150, (6, 5, 4))]
)
def test_what_depends_on_the_crossing_only_is_not_related(n, counts):
    p_values = [
        bc.adjust("explained", x, y, given=z).p_value
        for x, y, z in (crossed(np.random.default_rng([k, n]), n, *counts) for k in range(20))
    ]

    assert np.median(p_values) > 0.2
    assert min(p_values) > 1e-5


def test_it_does_not_matter_which_label_comes_first(rng):
    x, y, (site, month) = crossed(rng, 200, 12, 12)
    first, second = (bc.adjust("explained", x, y, given=z) for z in ([site, month], [month, site]))

    assert first.p_value == pytest.approx(second.p_value, rel=1e-9)
    assert first.given.n_cells == second.given.n_cells


def test_it_is_what_strata_say(rng):
    x, y, z = crossed(rng, 300, 12, 12)
    smooth, strata = (
        bc.adjust("explained", x, y, given=bc.Given(z, control=c)) for c in ("smooth", "strata")
    )

    assert (smooth.observed, smooth.p_value) == (strata.observed, strata.p_value)


def test_p_values_have_no_cliff_where_rows_are_added(rng):
    """The old rule controlled 72 cells from 216 rows on, and let p go from 2e-30 to .55 there."""
    x, y, z = crossed(rng, 240, 12, 6, noise=0.2)
    p_values = [
        bc.adjust("explained", x[:n], y[:n], given=[v[:n] for v in z], null="moments").p_value
        for n in range(200, 240, 4)
    ]

    assert min(p_values) > 1e-3
    assert np.ptp(np.log10(p_values)) < 2


def test_a_relation_within_cells_is_found_where_most_rows_share_no_cell(rng):
    x, y, z = crossed(rng, 200, 12, 25)
    found = bc.adjust("explained", x, y + 2 * x, given=z)

    assert found.p_value < 1e-4
    assert found.given.n_used < 200


@pytest.mark.parametrize(("k", "n"), [(30, 40), (1000, 40)])
def test_too_few_rows_that_share_a_cell_give_no_small_p_and_are_told(k, n):
    rng = np.random.default_rng(1)
    x, y, z = crossed(rng, n, k, k)
    found = bc.adjust("explained", x, y, given={"site": z[0], "month": z[1]})
    frame = pd.DataFrame({"x": x, "y": y, "site": z[0], "month": z[1]})
    ranking = bc.rank(frame, target="y", given=["site", "month"], categorical=["site", "month"])

    assert not found.p_value < 1
    assert "at least 3 must be left" in found.note or "no two rows share site and month" in found.note
    assert found.note in ranking.verdict()
    assert ranking.n_tested == 0


def test_few_rows_that_share_a_cell_are_told_of_every_pair(rng):
    x, y, z = crossed(rng, 100, 12, 12)
    frame = pd.DataFrame({f"x{k}": x + k * rng.standard_normal(100) for k in range(6)})
    frame = frame.assign(y=y, site=z[0], month=z[1])
    ranking = bc.rank(frame, target="y", given=["site", "month"])
    single = bc.adjust("explained", x, y, given={"site": z[0], "month": z[1]})

    assert "few rows for so many covariates" in single.given.caveats
    assert all("few rows for so many covariates" in pair["note"] for pair in ranking)


@pytest.mark.statistical
@pytest.mark.parametrize("kinds", ["numbers", "a category and a number", "categories"])
@pytest.mark.parametrize(("n", "counts"), [(60, (6, 5)), (200, (15, 12)), (300, (10, 8, 6))])
def test_levels_hold_beyond_the_crossing(kinds, n, counts):
    small = 0
    for seed in range(RUNS):
        rng = np.random.default_rng([9, seed, n])
        x, y, z = crossed(rng, n, *counts, noise=1.0)
        if kinds != "numbers":
            x = np.digitize(x, np.quantile(x, [0.3, 0.7])).astype(str)
        if kinds == "categories":
            y = (y > np.median(y)).astype(str)
        small += bc.adjust("explained", x, y, given=z).p_value <= 0.05

    assert small / RUNS <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)
