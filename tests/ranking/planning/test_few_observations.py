"""Columns with one value per group: a caution where both sides of a pair have few observations, repeated."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import Code, Option
from tests.engine.ranking import few_observations_of

SCHOOL = np.arange(300) % 15


def schools(seed=0, *, named=True):
    """15 schools of 20 pupils; teachers, budget and funding are the school's and independent."""
    rng = np.random.default_rng(seed)
    table = {"school": np.array([f"school {k}" for k in range(15)])[SCHOOL]} if named else {}
    table["teachers"] = rng.integers(10, 40, size=15)[SCHOOL]
    table |= {name: rng.normal(50, 9, size=15).round(2)[SCHOOL] for name in ("budget", "funding")}
    return table | {"score": rng.normal(size=300)}


def found_in(table, target=None):
    table = read_table(table)
    return few_observations_of(table, range(len(table.columns)), target)


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("target", ["funding", None])
def test_columns_of_schools_have_as_many_observations_as_schools(named, target):
    for seed in range(10):
        found = found_in(schools(seed, named=named), target)
        assert {"funding", "teachers", "budget"} >= {*found.columns} >= {"funding"}
        assert len(found.columns) >= 2
        assert found.n_observations == 15
        assert found.group == ("school" if named else None)


def test_verdict_and_notes_say_what_it_means_and_what_to_do():
    ranking = bc.rank(schools(4), target="funding", null="moments")

    assert ranking.n_found > 1
    assert ranking.verdict().endswith(
        "Caution: rows repeat 15 observations of funding, teachers and budget, one per school; p counts 300."
    )
    note = ranking.notes[0]
    assert (note.code, note.suggestion) == (Code.FEW_OBSERVATIONS, Option("groups", ...))
    assert note.values["columns"] == ("funding", "teachers", "budget")
    assert [note.values[name] for name in ("group", "n_rows", "n_observations")] == ["school", 300, 15]
    assert ranking.without_data().verdict() == ranking.verdict()
    assert ranking.without_data().notes == ranking.notes


def test_without_a_name_of_the_groups_one_row_of_each_is_kept():
    ranking = bc.rank(schools(4, named=False), target="funding", null="moments")

    assert ranking.verdict().endswith("observations of funding, teachers and budget; p counts 300.")
    assert (ranking.notes[0].code, ranking.notes[0].values["n_observations"]) == (Code.VALUES_TOGETHER, 15)


def test_other_pairs_need_no_caution():
    rng = np.random.default_rng(0)
    table = schools(0)
    table["effort"] = table["score"] + rng.normal(size=300)
    ranking = bc.rank(table, x=["budget", "effort"], y=["teachers", "score"], fdr_level=1e-12, null="moments")

    assert ranking.n_found == 1
    assert "Caution" not in ranking.verdict()
    assert found_in(table, "score") is None


def test_with_groups_no_remark_asks_for_another_measure():
    table = schools(0, named=False)
    curve = np.linspace(-1, 1, 300)
    table |= {"x": curve, "y": curve**2}
    within = bc.rank(table, target="y", null=bc.Permutation(99, groups=SCHOOL))

    assert "another shape" not in repr(within)
    assert "another shape" in repr(bc.rank(table, target="y", null=bc.Permutation(99)))
    told = bc.rank(table, target="funding", null=bc.Permutation(99, groups=SCHOOL))
    assert not any(note.says(Code.FEW_OBSERVATIONS, Code.VALUES_TOGETHER) for note in told.notes)
    assert "try mic" not in repr(told)


@pytest.mark.parametrize("name", [None, "text", "number"])
def test_a_joined_table_has_as_many_observations_as_the_smaller_one(name):
    rng = np.random.default_rng(1)
    product = rng.integers(30, size=600)
    table = {"stock": rng.integers(0, 500, size=30)[product], "quantity": rng.integers(1, 6, size=600)}
    table |= {key: rng.gamma(2, 10, size=30).round(2)[product] for key in ("price", "weight")}
    if name is not None:
        table["product"] = product + 1000 if name == "number" else np.array([f"P{k}" for k in product])
    found = found_in(table, "price")

    assert {"price", "weight"} <= {*found.columns} <= {"price", "weight", "stock", "product"}
    assert found.n_observations == 30
    assert found.group == ("product" if name is not None else None)


def degrees(rng):
    celsius = rng.normal(15, 8, size=600)
    return {
        "celsius": celsius.round(),
        "fahrenheit": (1.8 * celsius + 32).round(),
        "kelvin": celsius.round() + 273,
    }


def dates(rng):
    date = np.array("2015-01-01", dtype="M8[D]") + 20 * rng.integers(0, 100, size=600)
    return {"date": date, "year": date.astype("M8[Y]").astype(int) + 1970, "x": rng.normal(size=600).round(1)}


def ages(rng):
    age = rng.integers(20, 60, size=600)
    bands = np.array([*"abcd"])[age // 10 - 2]
    return {"age": age, "born": 2020 - age, "band": bands, "is_old": (age > 50).astype(int)}


def rain(rng):
    is_wet = rng.random(300) < 0.25
    return {name: np.where(is_wet, rng.gamma(1, 5, size=300).round(1), 0) for name in ("rain", "hours")}


NOT_FEW = {
    "answers": lambda rng: {name: rng.integers(1, 6, size=300) for name in "abc"},
    "rounded": lambda rng: {name: rng.normal(size=300).round(1) for name in "abc"},
    "coins": lambda rng: {name: rng.integers(0, 2, size=300) for name in "abc"},
    "a square": lambda rng: (lambda x: {"x": x, "y": x**2})(rng.integers(-10, 11, size=600)),
    "degrees": degrees,
    "dates": dates,
    "ages": ages,
    "mostly 0": rain,
    "a code and its name": lambda rng: (lambda k: {"code": k, "name": np.array([*"hcadgbef"])[k]})(
        rng.integers(8, size=300)
    ),
}


@pytest.mark.parametrize("make", NOT_FEW.values(), ids=NOT_FEW)
def test_formulas_and_ties_by_chance_are_not_told_of(make):
    for seed in range(10):
        assert found_in(make(np.random.default_rng(seed))) is None


def test_gaps_do_not_hide_it():
    table, rng = schools(0), np.random.default_rng(0)
    table["budget"] = np.where(rng.random(300) < 0.2, np.nan, table["budget"])

    assert "budget" in found_in(table).columns


def test_tables_of_many_rows_are_looked_at_by_a_sample_and_counted_whole():
    rng = np.random.default_rng(0)
    product = rng.integers(2_000, size=20_000)
    found = found_in({name: rng.normal(size=2_000)[product] for name in "abc"})

    assert found.columns == ("a", "b", "c")
    assert found.n_observations == len(np.unique(product))


UNIT = np.repeat(np.arange(12), 30)


def units(seed=0, *, named=True, differ=0.7):
    """12 units of 30 patients: beds are the unit's and noise; the stay differs between units, and within."""
    rng = np.random.default_rng(seed)
    table = {"unit": np.array([f"unit {k}" for k in range(12)])[UNIT]} if named else {}
    table["beds"] = rng.permutation(np.arange(10, 58, 4))[UNIT]
    table["stay"] = 5 + differ * rng.normal(size=12)[UNIT] + 1.5 * rng.normal(size=360)
    return table | {"age": rng.normal(60, 12, size=360)}


@pytest.mark.parametrize("named", [True, False])
def test_a_target_that_differs_between_groups_and_a_column_of_groups_are_told_of(named):
    tables = [units(seed, named=named) for seed in range(30)]
    claimed = [t for t in tables if bc.adjust("r2", t["beds"], t["stay"]).p_value < 0.02]
    told = [found for table in claimed if (found := found_in(table, "stay"))]

    assert len(claimed) > 5
    assert len(told) >= 0.8 * len(claimed)
    assert {found.columns for found in told} == {("beds", "stay")}
    assert {(found.n_observations, found.group) for found in told} == {(12, "unit" if named else None)}


def test_the_verdict_says_how_many_groups_there_are():
    ranking = bc.rank(units(7), target="stay", null="moments")
    blocks = bc.rank(units(7, named=False), target="stay", null="moments")

    assert "beds has one value per unit (12 in all), and stay differs between these; p counts 360." in (
        ranking.verdict()
    )
    note = ranking.notes[0]
    assert (note.code, note.values["columns"]) == (Code.FEW_BESIDE_TARGET, ("beds",))
    assert [note.values[name] for name in ("per", "target", "n_rows", "n_observations")] == [
        "unit", "stay", 360, 12,
    ]  # fmt: skip
    assert "beds has one value per block of rows (12 in all), and stay differs between blocks" in (
        blocks.verdict()
    )


def test_classes_that_differ_between_groups_are_told_of():
    rng = np.random.default_rng(0)
    rates = np.argsort(rng.permutation(12) + 4 * rng.normal(size=12)) / 14 + 0.1
    table = units(0) | {"died": rng.random(360) < rates[UNIT]}
    table["beds"] = (50 * rates + 9 * rng.normal(size=12)).round()[UNIT]

    assert found_in(table, "died").columns == ("beds", "died")


@pytest.mark.parametrize("named", [True, False])
def test_a_target_that_does_not_differ_between_groups_needs_no_caution(named):
    assert [found_in(units(seed, named=named, differ=0), "stay") for seed in range(20)] == [None] * 20


def test_what_groups_as_single_observations_prove_needs_no_caution():
    table = units(0)
    table["stay"] = table["stay"] + 0.3 * table["beds"]

    assert found_in(table, "stay") is None


def test_ordinary_categories_bands_and_codes_are_not_told_of():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        region, age = rng.integers(8, size=300), rng.integers(18, 80, size=300)
        table = {
            "region": np.array([*"abcdefgh"])[region],
            "code": region,
            "half": np.array([*"uuuuvvvv"])[region],
        }
        table |= {
            "age": age,
            "band": np.array([f"{k}s" for k in range(8)])[age // 10],
            "noise": rng.normal(size=300),
        }
        table |= {"income": age / 20 + rng.normal(size=300), "sorted": np.sort(rng.integers(12, size=300))}
        assert [found_in(table, target) for target in ("noise", "income")] == [None, None]


def test_categories_of_categories_are_not_told_of():
    rng = np.random.default_rng(0)
    state = rng.integers(20, size=600)
    profit = (rng.normal(size=20) + np.arange(20) / 9)[state] + rng.normal(size=600)
    table = {"state": np.array([f"s{k}" for k in state]), "region": np.array([*"NESW"])[state // 5]}

    assert bc.adjust("eta2", table["region"], profit).p_value < 0.001
    assert found_in(table | {"profit": profit}, "profit") is None
