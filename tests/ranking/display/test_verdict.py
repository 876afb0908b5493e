"""The sentence that displays open with: its figures are those of the frame, in plain words."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo


def test_it_counts_what_is_related_and_names_the_first(harvest):
    best = next(harvest.best(1))
    n_found = sum(record["q_value"] < 0.05 for record in harvest.best())

    assert harvest.verdict().startswith(
        f"{n_found} of 11 columns are related to yield; {best['x']} most: it explains"
    )
    assert f"{best['adjusted']:.0%}" in harvest.verdict()
    assert f"by chance it would be {best['null_mean']:.1%}." in harvest.verdict()
    assert harvest.verdict().endswith(f". {harvest.at_least_true()}")


def test_q_values_under_any_dependence_come_with_such_a_guarantee(rng):
    y = rng.normal(size=80)
    table = {f"x{k}": rng.normal(size=80) + 0.35 * y for k in range(30)} | {"y": y}
    ranking = bc.rank(table, target="y", null="moments", fdr="by", fdr_level=0.2)
    robust, simes = (str(ranking.at_least_true(method=method)) for method in ("robust", "simes"))

    assert robust != simes
    assert robust in ranking.verdict()


def test_of_few_pairs_or_none_found_nothing_is_sure(rng):
    table = {"y": rng.normal(size=60)} | {f"x{k}": rng.normal(size=60) for k in range(10)}
    few = {name: table[name] for name in list(table)[:9]} | {"x0": table["y"] + rng.normal(size=60)}

    assert "confidence)" not in bc.rank(table, target="y").verdict()
    assert bc.rank(few, target="y").n_found == 1
    assert "confidence)" not in bc.rank(few, target="y").verdict()
    assert bc.rank(table | few, target="y").verdict().endswith("is related to y (95% confidence).")


@pytest.mark.slow
def test_keeping_the_top_changes_no_word(harvest):
    assert bc.rank(make_demo(), target="yield", top=3).verdict() == harvest.verdict()


def test_keeping_fewer_than_are_found_leaves_the_strongest_unknown(harvest):
    kept = bc.rank(make_demo(), target="yield", top=2).verdict()

    assert kept == harvest.verdict().replace("rainfall most", "rainfall first")


def test_a_file_changes_no_word(tmp_path, demo_pairs):
    best = bc.rank_to_file(make_demo(), tmp_path / "pairs.csv", top=96, null="moments")

    assert best.verdict() == demo_pairs.verdict()


def test_where_not_all_rows_are_kept_directions_count(demo_pairs):
    best = bc.rank(make_demo(), top=50, null="moments")

    assert best.verdict().startswith("4 of 65 tested pairs (each direction counted) are related; ")
    assert best.verdict().partition("; ")[2].startswith(demo_pairs.verdict().partition("; ")[2][:60])


def test_two_directions_of_a_measure_are_one_pair(rng):
    group, x, z = rng.choice([*"abc"], 120), rng.normal(size=120), rng.normal(size=120)
    ranking = bc.rank({"g": group, "x": x + (group == "a"), "z": z, "h": rng.choice([*"uv"], 120)})

    assert (ranking.n_tested, ranking.n_found) == (11, 2)
    assert ranking.verdict().startswith("1 of 6 pairs is related, namely ")
    told = ranking.at_least_true(), ranking.at_least_true(2)
    assert [(each.at_least, each.n_selected) for each in told] == [(1, 6), (1, 1)]


@pytest.mark.parametrize(
    ("by", "says"), [("p_value", "long first: it explains 4"), ("adjusted", "short most")]
)
def test_most_is_what_is_strongest(by, says):
    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=(2, 120))
    short = np.where(np.arange(120) < 14, y + 0.3 * noise, np.nan)
    verdict = bc.rank({"y": y, "long": y + rng.normal(size=120), "short": short}, target="y", by=by).verdict()

    assert f"2 of 2 columns are related to y; {says}" in verdict


def test_only_what_was_tested_is_counted():
    rng = np.random.default_rng(0)
    y, noise, other = rng.normal(size=(3, 60))
    columns = {f"constant {k}": np.ones(60) for k in range(3)} | {"noise": noise}

    table = columns | {"x": y + other, "y": y}
    verdict = bc.rank(table, target="y").verdict()
    assert verdict.startswith("1 of 2 tested columns is related to y, namely x: it explains ")
    table["x"] = other
    assert bc.rank(table, target="y").verdict().startswith("None of 2 tested columns is related to y by")
    assert bc.rank(columns | {"y": y}, target="y").verdict().startswith("noise is not related to y by")


@pytest.mark.parametrize("target", [None, "group", "value"])
def test_categories_explain_numbers_by_eta_squared(target):
    """Numbers explain another share of three categories, which eta2 is not."""
    rng = np.random.default_rng(0)
    group = np.repeat(["a", "b", "c"], 20)
    table = {"value": (group == "a") + rng.normal(size=60) / 2, "group": group}
    verdict = bc.rank(table, measure="eta2", target=target).verdict()

    assert ("group is related to value: it explains" if target == "value" else ": group explains") in verdict
    assert "each" not in verdict
    assert ("of value" in verdict) == (target != "value")
    noise = {"value": np.tile(np.arange(3.0), 20), "group": group, "other": rng.normal(size=60)}
    assert "explains" not in bc.rank(noise, measure="eta2", target="group").verdict()


@pytest.mark.parametrize("is_rare", [True, False])
def test_noise_beside_few_values_is_hardly_ever_another_shape(is_rare):
    """Rare values leave ranks with few arrangements. One table in forty may have a shape by chance."""
    n_told = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        table = {f"x{k}": rng.normal(size=40) for k in range(40)}
        table["y"] = (rng.random(40) < 0.1).astype(float) if is_rare else rng.poisson(0.3, 40).astype(float)
        verdict = bc.rank(table, target="y", null="moments").verdict()
        n_told += "by ranks" in verdict or "shape" in verdict

    assert n_told <= 1


def test_copies_of_rows_are_no_other_shape():
    rng = np.random.default_rng(0)
    verdict = bc.rank({name: np.repeat(rng.normal(size=60), 2) for name in "yab"}, target="y").verdict()

    assert verdict.startswith("None of 2 columns is related to y by a straight line beyond chance;")


def test_a_measure_above_its_bound_is_not_called_adjusted():
    def total(x, y):
        return abs(x @ y)

    x, noise = np.random.default_rng(0).normal(size=(2, 50))
    ranking = bc.rank({"x": x, "y": x + noise}, target="y", measure=total)

    assert ranking.verdict().endswith("its upper bound is too low to adjust by.")
    assert "upper bound" in ranking[0]["note"]


@pytest.mark.parametrize(
    ("measure", "says"), [("explained", "soil explains"), ("r2", "each explains"), ("dcor", "dcor is")]
)
def test_pairs_are_told_by_their_direction_and_measure(measure, says):
    table = {name: values for name, values in make_demo().items() if name in ("soil", "yield", "rainfall")}
    if measure == "explained":
        del table["rainfall"]
    verdict = bc.rank(table, measure=measure, null="moments").verdict()

    assert f": {says}" in verdict
    assert ("→" in verdict) == (measure == "explained")


def test_near_duplicates_do_not_lead_where_there_are_others():
    table = make_demo()
    table["rainfall_mm"] = 25.4 * table["rainfall"]
    verdict = bc.rank(table, null="moments").verdict()

    assert "; yield ↔ rainfall" in verdict  # or rainfall_mm: they differ by rounding


def test_noise_is_not_related_and_said_beside_chance():
    rng = np.random.default_rng(0)
    ranking = bc.rank({name: rng.normal(size=30) for name in "abc"}, target="a")
    first = next(ranking.best(1))

    assert ranking.n_found == 0
    assert ranking.verdict() == (
        "None of 2 columns is related to a by a straight line beyond chance; "
        f"the first, {first['x']}, explains {first['observed']:.0%} where chance gives 3.4%."
    )


def test_one_column_is_not_counted():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 60))

    related = bc.rank({"x": x, "y": x + noise}, target="y").verdict()
    assert related.startswith("x is related to y: it explains ")
    unrelated = bc.rank({"x": x, "y": noise}, target="y").verdict()
    assert unrelated.startswith("x is not related to y by a straight line beyond chance: it explains ")
    assert bc.rank({"x": x, "y": x + noise}).verdict().startswith("x ↔ y are related: each explains ")


def test_a_straight_line_is_named_where_another_shape_says_more():
    x = np.linspace(0.01, 1, 200)
    noise = np.random.default_rng(0).normal(size=200)
    curved = bc.rank({"x": x, "y": np.exp(8 * x)}, target="y").verdict()
    straight = bc.rank({"x": x, "y": x + 0.2 * noise}, target="y").verdict()

    assert " by a straight line, and another shape more; by chance" in curved
    assert "line" not in straight


def test_narrow_limits_are_told_from_their_figure():
    rng = np.random.default_rng(0)
    x, noise = rng.normal(size=(2, 50_000))
    verdict = bc.rank({"x": x, "y": 2 * x + noise}, target="y").verdict()

    figures = re.findall(r"[0-9.]+%", verdict)[:3]
    assert len(set(figures)) == 3


def test_nothing_to_test_is_said():
    assert bc.rank({"a": [1] * 30, "b": range(30)}).verdict() == (
        "a ↔ b could not be tested: a column is constant, or every value is unique."
    )


@pytest.mark.slow
def test_related_pairs_beyond_the_kept_ones_are_counted():
    ranking = bc.rank(make_demo(), target="yield", by="observed", top=1)

    assert (
        ranking.verdict()
        == "3 of 11 columns are related to yield, none of them among the best 1 by observed. "
        "At least 3 of the 11 columns are related to yield (95% confidence)."
    )


@pytest.fixture
def outlier():
    """Draw a dose that follows y but for one value of a million, and noise."""
    rng = np.random.default_rng(1)
    y, error, noise = rng.normal(size=(3, 80))
    dose = y + error / 2
    dose[7] = 1e6
    return {"y": y, "dose": dose, "noise": noise}


def test_one_extreme_value_does_not_make_it_say_none(outlier):
    ranking = bc.rank(outlier, target="y")
    ranks = bc.adjust("spearman", outlier["dose"], outlier["y"]).adjusted
    told = f"by ranks: they explain {ranks:.0%}, a straight line 0%."

    assert ranking.n_found == 0
    assert ranking.verdict() == f"1 of 2 columns is related to y, namely dose {told}"
    del outlier["noise"]
    assert bc.rank(outlier, target="y").verdict() == f"dose is related to y {told}"


def test_what_only_ranks_find_is_told_beside_what_a_line_finds(outlier):
    outlier["line"] = outlier["y"] + np.random.default_rng(2).normal(size=80)
    verdict = bc.rank(outlier, target="y").verdict()

    assert verdict.startswith("2 of 3 columns are related to y; line most: it explains ")
    assert "; dose by ranks: they explain 7" in verdict


@pytest.mark.parametrize(("n_blocks", "is_found"), [(40, True), (3, False)])
def test_the_second_look_permutes_what_the_ranking_does(outlier, n_blocks, is_found):
    """Six orders of three blocks leave no small p-value."""
    null = bc.Permutation(n_resamples=999, block=-(-80 // n_blocks))
    verdict = bc.rank(outlier, target="y", null=null, alpha=0.05).verdict()

    assert ("namely dose by ranks" in verdict) == is_found


def test_if_one_sentence_counts_both_lists_each_is_held_to_half_the_level(rng):
    """A pair with a q-value of 0.04 counts alone, and not beside one that the second look finds."""
    x = rng.normal(size=(6, 200))
    table = {f"x{k}": column for k, column in enumerate(x)} | {"y": x[0] + rng.normal(size=200) * 6}
    ranking = bc.rank(table, target="y")
    q = ranking[0]["q_value"]
    arch = {"arch": np.abs(table["y"] - np.median(table["y"]))}
    both = [bc.rank(table | arch, target="y", fdr_level=level) for level in (1.5 * q, 2.5 * q)]

    assert bc.rank(table, target="y", fdr_level=1.5 * q).n_found == 1
    assert ["1 of 7" in both[0].verdict(), "2 of 7" in both[1].verdict()] == [True, True]


@pytest.mark.parametrize("top", [1, 3, None])
def test_the_second_look_covers_pairs_that_are_not_kept(rng, top):
    x = rng.normal(size=(12, 300))
    arch = np.linspace(-1, 1, 300)
    table = {f"x{k}": column for k, column in enumerate(x)} | {"y": x[1] + 5 * arch**2, "arch": arch}

    assert "; arch by its shape: it explains 66%" in bc.rank(table, target="y", top=top).verdict()


def test_a_category_hidden_by_outliers_is_seen_by_ranks(rng):
    condition = rng.integers(2, size=140)
    price = 40 + 10 * condition + rng.normal(size=140) * 5
    price[condition.argmax()], price[condition.argmin()] = 330, 700
    labels = np.where(condition == 1, "new", "used")
    verdict = bc.rank({"cond": labels, "price": price, "noise": rng.normal(size=140)}, "price").verdict()

    assert "namely cond by the ranks of price: it explains" in verdict
    assert "of them, group means" in verdict


def test_a_spread_that_differs_is_the_shape_of_the_number(rng):
    group = rng.integers(2, size=300)
    value = rng.normal(size=300) * np.where(group == 1, 3.0, 0.5)
    verdict = bc.rank({"group": np.where(group == 1, "a", "b"), "value": value}, "value").verdict()

    assert verdict.startswith("group is related to value by the shape of value: a curve in value explains")
    assert " of group, a straight line " in verdict


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("inches",), "inches is nearly a copy of y: it explains over 99.9%; by chance"),
        (("noise", "inches"), "1 of 2 columns is related to y: inches is nearly a copy of y."),
        (("inches", "more"), "2 of 2 columns are related to y: more and inches are nearly copies of y."),
        (("inches", "line"), " inches is nearly a copy of y."),
    ],
)
def test_copies_of_the_target_are_named(outlier, names, says):
    y = outlier["y"]
    outlier |= {"inches": np.round(y / 2.54, 2), "more": y + 1}
    outlier["line"] = y + np.random.default_rng(2).normal(size=80)
    verdict = bc.rank({name: outlier[name] for name in ("y", *names)}, target="y").verdict()

    assert says in verdict


def test_one_extreme_value_in_both_makes_no_copy(outlier):
    outlier["y"][7] = 1e6
    ranking = bc.rank(outlier | {"dose": outlier["noise"] + 1e6 * (np.arange(80) == 7)}, target="y")

    assert ranking[0]["observed"] > 0.999
    assert ranking.n_duplicates == 0
    assert "copy" not in ranking.verdict()
    assert ": in these rows its share is 100%, but that rests on one row (8), and" in ranking.verdict()
    assert "dose: rests on extreme values: ranks explain" in repr(ranking)


def test_a_relation_that_one_row_carries_is_told(rng):
    x, y = rng.normal(size=(2, 60))
    x[41] = y[41] = 9
    verdict = bc.rank({"x": x, "y": y}, "y").verdict()

    assert verdict.startswith("x is related to y: it explains ")
    assert ", but that rests on one row (42); by chance " in verdict
    x[:41] += y[:41]
    assert "rests on" not in bc.rank({"x": x, "y": y}, "y").verdict()


def test_limits_from_nothing_to_all_leave_the_sentence_to_these_rows(rng):
    sex = np.repeat(["f", "m", "hermaphroditic"], (20, 35, 1))
    mass = 70 + 10 * rng.normal(size=56)
    mass[-1] = 1358
    verdict = bc.rank({"sex": sex, "mass": mass}, "mass").verdict()

    assert "sex is related to mass: in these rows its share is 9" in verdict
    assert "%, but that rests on one row (56), and limits reach from 0% to 100%;" in verdict
    assert "explains" not in verdict


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ([3, 1, 2], "code has one value per species: is it a code of it?"),
        ([1, 1, 2], "code has one value per species: is it a code of it?"),
        (None, "code determines species: is it known before it?"),
    ],
)
def test_a_column_that_determines_the_target_is_told_first(rng, code, says):
    species = rng.integers(3, size=200)
    numbers = rng.integers(40, size=200) * 3 + species if code is None else np.array(code)[species]
    size = species + rng.normal(size=200)
    table = {"species": np.array(["a", "b", "c"])[species], "code": numbers, "size": size}
    verdict = bc.rank(table, "species").verdict()

    assert f" related to species; {says} Of the others, size is first: it " in verdict


def test_few_rows_per_value_determine_nothing(rng):
    name = np.append(np.arange(60), np.arange(20)) + 100
    y = np.where(name % 3 == 0, "u", "v")
    table = bc.read_table({"name": name, "y": y, "x": rng.normal(size=80)}, categorical="name")

    assert "?" not in bc.rank(table, "y").verdict()


@pytest.mark.parametrize("kind", ["number", "category"])
def test_missing_values_that_follow_the_target_are_told(rng, kind):
    income = rng.lognormal(size=300)
    target = income if kind == "number" else np.where(income < 1, "no", "yes")
    is_missing = rng.random(300) < np.where(income < 1, 0.6, 0.05)
    hours, other = rng.normal(size=(2, 300))
    other[rng.random(300) < 0.3] = np.nan
    table = {"y": target, "hours": np.where(is_missing, np.nan, hours), "other": other}
    verdict = bc.rank(table, "y").verdict()

    assert re.search(
        rf"hours is missing more often if y is {'low' if kind == 'number' else 'no'} \(p = \de-\d+\)\.$",
        verdict,
    )


@pytest.mark.statistical
def test_missing_values_of_noise_are_told_rarely():
    rng, n_told = np.random.default_rng(3), 0
    for k in range(200):
        x = rng.normal(size=(4, 80))
        x[rng.random((4, 80)) < 0.2] = np.nan
        y = rng.standard_cauchy(80) if k % 2 else rng.integers(3, size=80).astype(str)
        n_told += (
            " missing "
            in bc.rank(dict(zip("abcd", x, strict=True)) | {"y": y}, "y", null="moments").verdict()
        )

    assert n_told <= 19  # 5% of the tables, and three standard errors


def test_without_its_data_a_ranking_says_the_same(outlier):
    ranking = bc.rank(outlier, target="y")

    assert "dose by ranks" in ranking.verdict()
    assert repr(ranking.without_data()) == repr(ranking)


def test_rows_that_follow_time_carry_a_caution_on_other_shapes():
    when = np.arange("2020-01-01", "2021-02-04", dtype="M8[D]")
    wave = np.cos(6 * np.pi * (np.arange(400) + 0.5) / 400)
    verdict = bc.rank({"when": when, "wave": wave}, target="wave").verdict()

    assert verdict.startswith("when is related to wave by its shape: it explains")
    assert "Caution: rows follow when and resemble their neighbors: 400 rows count as " in verdict


def test_relations_that_are_no_line_are_told_where_ranks_are_sure():
    """Ranks explain 8% at p = 1e-8. The sentence said 'None' when 10% more than a line was needed."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=400)
    y = x + 1.5 * rng.standard_cauchy(400)
    verdict = bc.rank({"x": x, "w": rng.normal(size=400), "y": y}, target="y").verdict()

    assert verdict.endswith("namely x by ranks: they explain 7.8%, a straight line 0%.")


@pytest.mark.parametrize(
    ("kinds", "by"),
    [("n", " by a straight line"), ("nc", " by a straight line or by categories"), ("c", "")],
)
def test_what_was_looked_for_is_said(kinds, by):
    rng = np.random.default_rng(0)
    columns = {"n": rng.normal(size=60), "c": [f"v{k}" for k in rng.integers(3, size=60)]}
    table = {kind: columns[kind] for kind in kinds}
    ranking = bc.rank({**table, "y": rng.normal(size=60)}, target="y")

    assert ranking.n_found == 0
    assert f"related to y{by} beyond chance" in ranking.verdict()


@pytest.mark.statistical
def test_what_the_second_look_finds_in_noise_is_rare():
    rng, n_told = np.random.default_rng(5), 0
    for _ in range(100):
        table = {f"c{k}": rng.normal(size=60) if k % 2 else rng.integers(3, size=60) * 1.0 for k in range(8)}
        verdict = bc.rank({**table, "y": rng.standard_t(2, size=60)}, target="y").verdict()
        n_told += " by ranks" in verdict or " shape" in verdict

    assert n_told <= 7  # 2.5% of the tables at most, and three standard errors


def test_a_copy_of_the_target_in_few_rows_is_told_by_its_figures():
    table = {"y": [0, 1.5, 3, 4.5], "x": [0, 1.5, 3, 4.5]}

    assert "it explains 100% where chance gives 33%" in bc.rank(table, target="y", min_n=3).verdict()


@pytest.mark.parametrize("n_columns", [1, 2, 5])
def test_numbers_that_a_word_made_categories_are_named(n_columns):
    prices = [f"€{1000 + k:,}" for k in range(40)] + ["on request"] * 10
    columns = {f"price {k}": prices for k in range(n_columns)}

    said = bc.rank({**columns, "area": [k * k % 17 for k in range(50)]}, target="area").verdict()
    have = "have numbers or dates beside words and count as categories: see their notes."
    assert said.endswith(
        {
            1: " price 0 has numbers or dates beside words and counts as categories: see its note.",
            2: f" price 0 and price 1 {have}",
            5: f", price 2 and 2 more {have}",
        }[n_columns]
    )


@pytest.mark.parametrize(("options", "is_told"), [({}, True), ({"missing": -999}, False)])
@pytest.mark.parametrize("target", ["yield", "Feed"])
def test_a_sentinel_of_the_columns_it_names_is_told(rng, options, is_told, target):
    feed = rng.normal(50, 5, 300)
    table = {"Feed": np.where(np.arange(300) % 5 == 0, -999, feed), "other": rng.normal(size=300)}
    table["yield"] = table["Feed"] + rng.normal(size=300)
    told = "-999 in 60 rows of Feed is read as a number; if it means missing: missing=[-999]."

    assert (told in bc.rank(table, target=target, **options).verdict()) == is_told
    del table["Feed"]
    assert "-999" not in bc.rank(table, target="other", **options).verdict()


@pytest.mark.parametrize(
    ("values", "options", "is_first"),
    [
        ([0, 1, 1], {}, True),
        ([1.0, 2.0, 3.0], {}, True),
        ([3, 7, 10], {"numeric": "state"}, False),
        ([0.5, 1, 2], {}, False),
        (range(11), {}, False),
        (["1", "2", "3"], {}, False),
    ],
)
def test_the_first_note_says_that_a_target_of_few_whole_numbers_may_be_classes(
    rng, values, options, is_first
):
    n = 30 * len(values)
    table = {"x": rng.normal(size=n), "zip": ["12", "10", "11"] * (n // 3), "state": [*values] * 30}
    first, *_ = map(str, bc.rank(table, target="state", **options).notes)
    said = "'state': read as numbers; categorical=['state'] takes them for classes"

    assert (first == said) == is_first


def test_beyond_covariates_the_verdict_says_that_a_straight_line_was_looked_for(rng):
    z, w, noise = rng.normal(size=(3, 300))
    x = rng.permutation(np.linspace(-2, 2, 300))
    verdict = bc.rank({"x": x, "z": z, "w": w, "y": x**2 + z + noise}, "y", given="w").verdict()

    assert verdict.startswith("1 of 2 columns is related to y beyond w by a straight line, namely z: ")
