"""Variables that follow the covariates more finely than what was taken out, and what is said of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bychance as bc
from bychance.wording import FOLLOW
from tests.engine.given import covariates_of

RUNS = 40


def waves(rng, n=300):
    z = rng.random(n)
    return np.sin(16 * np.pi * z), z


def jumps(rng, n=300):
    z = rng.random(n)
    return 2.0 * ((z > 0.37) & (z < 0.71)), z


def product(rng, n=300):
    first, second = rng.standard_normal((2, n))
    return first * second, [first, second]


def bumps(rng, n=300):
    first, second = rng.random((2, n))
    f = sum(
        2 * np.exp(-((first - a) ** 2 + (second - b) ** 2) / 0.02)
        for a, b in ((0.3, 0.2), (0.7, 0.4), (0.4, 0.8))
    )
    return f, [first, second]


def weekdays(rng, n=300):
    day = np.arange(n, dtype=float)
    return np.array([0, 0.3, 0.5, 0.2, 0.8, 2.0, 2.4])[(day % 7).astype(int)], day


def ring(rng, n=100):
    first, second = rng.standard_normal((2, n))
    return np.sin(4 * np.hypot(first, second)), [first, second]


def box_beside_a_category(rng, n=300):
    site, z = rng.integers(0, 3, n), rng.random(n)
    return 2.0 * ((z > 0.3) & (z < 0.55)) + site / 2, [site.astype(str), z]


def waves_of_one_of_two(rng, n=300):
    first, second = rng.random((2, n))
    return np.sin(14 * np.pi * first) + second, [first, second]


def smooth(rng, n=300):
    z = rng.standard_normal(n)
    return z**2, z


def trend(rng, n=300):
    day = np.arange(n, dtype=float)
    return day / n, day


def pair(make, seed, noise=0.3):
    rng = np.random.default_rng([7, seed])
    f, z = make(rng)
    return f + noise * rng.standard_normal(len(f)), f + noise * rng.standard_normal(len(f)), z


FOLLOWED = [waves, jumps, product, bumps, weekdays, ring, box_beside_a_category, waves_of_one_of_two]


def is_told(found):
    return found.given.still_follow


def share_told(make, **how):
    pairs = (pair(make, seed, **how) for seed in range(RUNS))
    return np.mean([is_told(bc.adjust("explained", x, y, given=z, null="moments")) for x, y, z in pairs])


@pytest.mark.parametrize("make", FOLLOWED)
def test_what_is_followed_more_finely_than_the_cells_is_told(make):
    told = [
        is_told(bc.adjust("r2", x, y, given=z, null="moments"))
        for x, y, z in (pair(make, k) for k in range(8))
    ]

    assert np.mean(told) > 0.5


@pytest.mark.statistical
@pytest.mark.parametrize("make", FOLLOWED)
def test_it_is_told_in_four_of_five_data_sets(make):
    assert share_told(make) >= 0.8 - 2 * np.sqrt(0.8 * 0.2 / RUNS)


@pytest.mark.statistical
def test_it_is_told_in_few_data_sets_where_nothing_is_left():
    assert share_told(smooth, noise=1.0) <= 0.1 + 2 * np.sqrt(0.1 * 0.9 / RUNS)


@pytest.mark.statistical
def test_days_of_columns_that_are_nearly_one_are_told_in_few_data_sets():
    """Both tests say the same then: a level of .05 of the periods, beside that of neighbors, is too high."""
    told = 0
    for seed in range(2 * RUNS):
        x, noise, day = pair(trend, seed, noise=1.0)
        told += is_told(bc.adjust("r2", x, x + 0.3 * noise, given=day, null="moments"))

    assert told / (2 * RUNS) <= 0.1


def test_one_column_alone_does_no_harm_and_is_not_told(rng):
    x, _, z = pair(waves, 1)
    told = [
        is_told(bc.adjust("r2", x, z + rng.standard_normal(300), given=z, null="moments")) for _ in range(20)
    ]

    assert np.mean(told) <= 0.25


def test_categories_are_tested_together(rng):
    x, y, z = pair(waves, 2)
    label = np.digitize(x, [-0.5, 0.5]).astype(str)

    assert is_told(bc.adjust("explained", label, y, given=z, null="moments"))
    assert not is_told(bc.adjust("explained", rng.permutation(label), y, given=z, null="moments"))


def test_categories_given_leave_nothing_of_them(rng):
    site = rng.integers(0, 6, 300).astype(str)
    x, y = (site.astype(float) * 3 + rng.standard_normal(300) for _ in range(2))

    assert bc.adjust("r2", x, y, given=site).given.caveats == ()


def test_a_line_is_tested_beside_the_default_design(rng):
    x, y, z = pair(smooth, 3, noise=1.0)
    linear = bc.adjust("r2", x, y, given=bc.Given(z, control="linear"))

    assert is_told(linear)
    assert not is_told(bc.adjust("r2", x, y, given=z))


def test_units_and_the_order_of_rows_do_not_matter(rng):
    x, y, z = pair(waves, 4)
    order = rng.permutation(300)
    one = covariates_of(z, 300).residual_tests("smooth", None)
    other = covariates_of(100 * z[order] - 7, 300).residual_tests("smooth", None)
    columns = np.column_stack([x, y, rng.standard_normal(300)])

    assert (
        one.follows(columns).tolist() == other.follows(1e6 * columns[order]).tolist() == [True, True, False]
    )


def test_a_constant_follows_nothing(rng):
    tests = covariates_of(rng.random(100), 100).residual_tests("smooth", None)

    assert tests.follows(np.ones((100, 2))).tolist() == [False, False]


def test_a_pattern_without_noise_is_told():
    day = np.arange(210.0)
    pattern = (day % 7 > 4).astype(float)

    tests = covariates_of(day, 210).residual_tests("smooth", None)
    assert tests.follows(pattern[:, np.newaxis]).tolist() == [True]


@pytest.mark.parametrize("step", [1.0, 0.1, 86_400e9, 1e-320])
def test_numbers_of_equal_steps_have_periods(step):
    z = step * np.arange(200)
    periods = [len(cells) for cells in covariates_of(z, 200).residual_tests("smooth", None).phases]

    assert periods == list(range(2, 32))


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_other_numbers_have_none(rng, scale):
    z = scale * rng.standard_normal(100)

    assert covariates_of(z, 100).residual_tests("smooth", None).phases == ()


class TestWords:
    def test_the_summary_says_so(self):
        x, y, z = pair(waves, 5)

        assert f"Both columns follow day {FOLLOW}: the answer may be too large." in (
            bc.adjust("r2", x, y, given={"day": z}).summary()
        )

    @pytest.mark.parametrize("target", ["y", None])
    def test_the_verdict_says_so(self, rng, target):
        x, y, z = pair(waves, 5)
        frame = pd.DataFrame({"x": x + y, "y": y, "u": rng.standard_normal(300), "day": z})
        ranking = bc.rank(frame, target=target, given="day")

        assert (
            f"Caution: 1 pair follows day {FOLLOW}, so that the answer may be too large." in ranking.verdict()
        )

    @pytest.mark.parametrize("how", [{"null": bc.Permutation(99)}, {"stream": True}])
    def test_pairs_measured_in_other_ways_say_so_too(self, rng, how):
        x, y, z = pair(waves, 5)
        frame = pd.DataFrame({"x": x + y, "y": y, "u": rng.standard_normal(300), "day": z})
        ranking = bc.rank(frame, given="day", **how)
        told = [(row["x"], row["y"]) for row in ranking if FOLLOW in row["note"]]

        assert told == [("x", "y")]
        assert f"Caution: 1 pair follows day {FOLLOW}" in ranking.verdict()

    def test_the_verdict_is_silent_where_nothing_is_left(self, rng):
        x, y, z = pair(smooth, 6)
        ranking = bc.rank(pd.DataFrame({"x": x, "y": y + x, "z": z}), target="y", given="z")

        assert "Caution" not in ranking.verdict()


class TestDoors:
    """Every door says the same of a pair."""

    @pytest.fixture
    def table(self):
        rng = np.random.default_rng(8)
        f, z = waves(rng)
        frame = pd.DataFrame({f"x{k}": (k % 3 > 0) * f + 0.3 * rng.standard_normal(300) for k in range(6)})
        site = np.array([f"s{k}" for k in rng.integers(0, 40, 300)])
        return frame.assign(exact=z + 1e-3 * rng.standard_normal(300), z=z, site=site)

    @pytest.mark.parametrize("given", [["z"], ["z", "site"], ["site"]])
    @pytest.mark.parametrize("control", ["smooth", "linear", "strata"])
    def test_a_ranking_has_the_remarks_of_single_pairs(self, table, given, control):
        kept = table[[name for name in table.columns if name in given or name not in ("z", "site")]]
        how = bc.Given(given, control=control)
        settings = bc.Given({name: table[name] for name in given}, control=control)
        for measure in ("r2", "spearman"):
            for row in bc.rank(kept, measure=measure, given=how, null="moments"):
                single = bc.adjust(measure, table[row["x"]], table[row["y"]], given=settings, null="moments")
                named = [single.note.replace(f" of {side}", f" of {row[side]}") for side in ("x", "y")]
                assert row["note"] in (named[0], named[1])

    def test_gaps_change_rows_not_words(self, table):
        """Pairs of few shared masks are measured together, others one by one."""
        table.loc[:9, "x1"] = np.nan
        ranking = bc.rank(table.drop(columns="site"), measure="r2", given="z", null="moments")
        flags = ranking._rows.still_follow[ranking._best()]
        for row, does_follow in zip(ranking, flags, strict=True):
            single = bc.adjust(
                "r2", table[row["x"]], table[row["y"]], given={"z": table["z"]}, null="moments"
            )
            assert (FOLLOW in row["note"]) == is_told(single) == does_follow

    @pytest.mark.parametrize("control", ["smooth", "linear"])
    def test_a_stream_tests_its_sample(self, table, control, tmp_path):
        table.drop(columns="site").to_csv(tmp_path / "t.csv", index=False)
        how = {"given": bc.Given("z", control=control), "measure": "r2", "null": "moments"}
        streamed, whole = (bc.rank(tmp_path / "t.csv", stream=stream, **how) for stream in (True, False))

        told = [{(p["x"], p["y"]) for p in ranking if FOLLOW in p["note"]} for ranking in (streamed, whole)]
        assert told[0] == told[1]
        assert told[0]
