"""Covariates that x and y follow steeply: finer designs if the default leaves some of z behind."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from tests.engine.given import control_of, design_of

RUNS = 100


def steep(rng, n=300, noise=0.3):
    """Draw two columns that follow log²z, whose slope is unbounded for small z."""
    z = np.exp(1.5 * rng.standard_normal(n))
    f = np.log(z) ** 2
    return f + noise * rng.standard_normal(n), f + noise * rng.standard_normal(n), z


def shown(given, x, y):
    return bc.adjust("explained", x, y, given=given, null="moments")


class TestDesigns:
    @pytest.mark.parametrize("style", ["finer", "finest"])
    def test_what_is_left_follows_no_curve_on_any_scale(self, rng, style):
        z = np.exp(rng.standard_normal(300))
        left = design_of(style, [], [z], 300).residualize(rng.standard_normal(300))

        for scale in (z, np.log(z)):
            assert np.abs(left @ (scale / np.linalg.norm(scale))) < 1e-8

    @pytest.mark.parametrize("p", [1, 2])
    def test_cells_have_half_the_rows_of_the_default(self, rng, p):
        sizes = design_of("finer", [], list(rng.standard_normal((p, 300))), 300).cells.sizes

        assert sizes.min() >= 3 * (p + 1)
        assert sizes.max() < 6 * (p + 1)

    def test_lines_and_ranks_do_not_depend_on_the_scale(self, rng):
        z = rng.standard_normal(200)

        assert np.array_equal(
            design_of("finer", [], [z], 200).cells.codes, design_of("finer", [], [z**3], 200).cells.codes
        )


class TestChoice:
    def test_a_steep_curve_takes_a_finer_design(self, rng):
        x, y, z = steep(rng)

        assert control_of(z, x, y) != "smooth"

    @pytest.mark.parametrize("effect", [0.0, 0.6])
    def test_a_gentle_one_takes_the_default_whether_or_not_x_tells_of_y(self, effect):
        n_finer = 0
        for seed in range(RUNS):
            rng = np.random.default_rng([3, seed])
            z, shared = rng.standard_normal((2, 200))
            x, y = (z**2 + effect * shared + rng.standard_normal(200) for _ in range(2))
            n_finer += control_of(z, x, y) != "smooth"

        assert n_finer <= 0.05 * RUNS + 3 * np.sqrt(0.05 * 0.95 * RUNS)

    def test_spreads_that_change_with_z_are_not_taken_for_curves(self):
        n_finer = 0
        for seed in range(RUNS):
            rng = np.random.default_rng([4, seed])
            z = rng.standard_normal(200)
            x, y = (z + (0.2 + np.abs(z)) * rng.standard_normal(200) for _ in range(2))
            n_finer += control_of(z, x, y) != "smooth"

        assert n_finer <= 0.2 * RUNS

    def test_the_order_of_x_and_y_does_not_matter(self, rng):
        x, y, z = steep(rng, 120)

        assert control_of(z, x, y) == control_of(z, y, x)

    @pytest.mark.parametrize("control", ["linear", "strata"])
    def test_what_was_asked_for_is_done(self, rng, control):
        x, y, z = steep(rng)

        assert control_of(bc.Given(z, control=control), x, y) == control


class TestAnswers:
    @pytest.mark.statistical
    @pytest.mark.parametrize("transform", [lambda z: z, np.sqrt, np.log], ids=["z", "root", "log"])
    def test_a_steep_curve_is_taken_out_on_any_scale(self, transform):
        found = []
        for seed in range(RUNS):
            x, y, z = steep(np.random.default_rng([5, seed]))
            found.append(shown(transform(z), x, y))

        assert np.mean([e.p_value <= 0.05 for e in found]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)
        assert abs(np.mean([e.adjusted for e in found])) < 0.01

    def test_a_relation_beyond_a_steep_curve_is_found(self, rng):
        x, y, z = steep(rng)
        shared = 0.5 * rng.standard_normal(300)

        assert shown({"dose": z}, x + shared, y + shared).p_value < 1e-6

    def test_categories_and_two_covariates_take_finer_designs_too(self, rng):
        x, y, z = steep(rng)
        other = rng.standard_normal(300)

        assert shown([z, other], x, y).adjusted < 0.1
        assert shown(z, np.digitize(x, np.quantile(x, [0.3, 0.6])).astype(str), y).p_value > 1e-3

    def test_a_ranking_says_what_single_pairs_say(self, rng):
        x, y, z = steep(rng)
        shared = 0.5 * rng.standard_normal(300)
        table = {"a": x, "b": y, "c": x + shared, "d": y + shared, "e": z + rng.standard_normal(300), "z": z}
        rows = bc.rank(table, measure="r2", given="z", null="moments").to_frame().to_pylist()

        for row in rows:
            single = bc.adjust("r2", table[row["x"]], table[row["y"]], given=z, null="moments")
            assert row["adjusted"] == pytest.approx(single.adjusted, rel=1e-8, abs=1e-12)
            assert row["p_value"] == pytest.approx(single.p_value, rel=1e-6)


def test_a_ranking_takes_the_finer_design_where_it_leaves_nothing_of_a_column_as_a_single_pair_does():
    number = np.array([2, 0, 2, 2, 3, 1, 2, 3, 3, 2, 0, 1, 0, 1, 0.0])
    table = {
        "rare": np.where(np.arange(15) == 5, -1.0, 0.0),
        "count": np.array([2, 3, 1, 1, 0, 0, 1, 2, 3, 3, 3, 0, 2, 2, 1.0]),
        "other": np.arange(15.0) ** 2 % 7,
        "more": np.arange(15.0) ** 3 % 11,
    }
    given = {"site": list("vwvvuuvwuvuvuvv"), "number": number}

    pair = bc.adjust("spearman", table["rare"], table["count"], null="moments", given=given)
    rows = bc.rank({**table, **given}, measure="spearman", null="moments", given=list(given), min_n=3)
    row = next(r for r in rows.to_frame().to_pylist() if {r["x"], r["y"]} == {"rare", "count"})

    assert (pair.p_value, row["p_value"]) == (1.0, 1.0)
    assert row["note"] == pair.note.replace(", x does", ", rare does")
