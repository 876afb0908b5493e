"""Rows in groups: a caution if the target differs between units, and columns that say the same."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.io import read_table
from bychance.messages import Code, Option
from tests.engine.ranking import copies, diagnose

SCHOOL = np.arange(300) % 15


def schools(seed=0):
    """Draw 15 schools of 20 pupils, with independent teachers, budget and funding per school."""
    rng = np.random.default_rng(seed)
    table = {"school": np.array([f"school {k}" for k in range(15)])[SCHOOL]}
    table["teachers"] = rng.integers(10, 40, size=15)[SCHOOL]
    table |= {name: rng.normal(50, 9, size=15).round(2)[SCHOOL] for name in ("budget", "funding")}
    return table | {"score": rng.normal(size=300)}


def found_in(table, target=None):
    columns = read_table(table).columns
    found = diagnose(columns, range(len(columns)), target)
    return next((each for each in found if each.note.code is Code.ROWS_IN_GROUPS), None)


@pytest.mark.parametrize("target", ["funding", None])
def test_columns_of_schools_have_as_many_observations_as_schools(target):
    for seed in range(10):
        found = found_in(schools(seed), target)
        assert {"funding", "teachers", "budget"} <= {*found.columns}
        assert found.n_effective == 15
        assert found.note.values["group"] == "school"


def test_verdict_and_notes_say_what_it_means_and_what_to_do():
    ranking = bc.rank(schools(4), target="funding", null="moments")

    assert ranking.n_found > 1
    assert ranking.verdict().endswith(
        "rows are 15 groups by school, and funding differs between these: 300 rows count as about 15."
    )
    note = ranking.notes[0]
    assert (note.code, note.suggestion) == (Code.ROWS_IN_GROUPS, Option("groups", ...))
    assert [note.values[name] for name in ("group", "n_rows", "n_groups")] == ["school", 300, 15]
    assert ranking.without_data().verdict() == ranking.verdict()
    assert ranking.without_data().notes == ranking.notes


def test_a_target_within_groups_that_does_not_differ_between_them_needs_no_caution():
    assert [found_in(schools(seed), "score") for seed in range(20)] == [None] * 20


def pupils(rng, share, *, n=20, size=15):
    """Draw classes numbered from 1, their size, and a score that differs between them by this share."""
    of = np.repeat(np.arange(n), size)
    score = np.sqrt(share) * rng.normal(size=n)[of] + np.sqrt(1 - share) * rng.normal(size=n * size)
    return {
        "class": of + 1,
        "staff": rng.integers(8, 40, size=n)[of],
        "score": score,
        "iq": rng.normal(size=n * size),
    }


@pytest.mark.statistical
@pytest.mark.parametrize(("share", "least"), [(0.1, 0.3), (0.3, 0.9)])
def test_the_effective_number_is_that_of_moulton(share, least):
    """A column of the class counts as n/(1 + (m − 1)·ρ) rows."""
    rng = np.random.default_rng(0)
    found = [found_in(pupils(rng, share, n=60), "score") for _ in range(20)]
    told = [each.n_effective for each in found if each is not None]

    assert len(told) >= 0.9 * len(found)
    assert np.median(told) == pytest.approx(900 / (1 + 14 * share), rel=0.15)


@pytest.mark.parametrize("name", ["text", "number"])
def test_units_measured_at_each_time_are_told(rng, name):
    """No two rows have the unit and the time in common."""
    unit, day = np.repeat(np.arange(18), 10), np.tile(np.arange(10), 18)
    order = rng.permutation(180)
    reaction = rng.normal(size=18)[unit] + 0.3 * day + rng.normal(size=180) / 2
    named = np.array([f"S{k:02}" for k in unit * 7 % 100]) if name == "text" else unit * 37 % 101
    table = {"subject": named[order], "day": day[order], "reaction": reaction[order]}

    assert "groups by subject, and reaction differs between these" in found_in(table, "reaction").caution


def test_units_may_be_numbered_with_holes_if_their_rows_are_together(rng):
    number = np.sort(rng.choice(np.arange(2, 40), 29, replace=False))
    unit = np.repeat(np.arange(30), 8)
    table = {"child": np.append(1, number)[unit], "dose": rng.normal(size=240)}
    table["score"] = rng.normal(size=30)[unit] + rng.normal(size=240)

    assert "30 groups by child, and score differs between these" in found_in(table, "score").caution


def test_workers_who_use_each_machine_equally_often_are_told(rng):
    worker, machine = (cells.ravel() for cells in np.indices((6, 3)).repeat(3, axis=2))
    order = rng.permutation(54)
    score = 2 * rng.normal(size=6)[worker] + 3 * machine + rng.normal(size=54)
    table = {"worker": worker[order] * 7 % 11, "machine": machine[order], "score": score[order]}

    assert "6 groups by worker, and score differs between these" in found_in(table, "score").caution


def test_names_whose_rows_stand_together_are_told(rng):
    town = np.repeat(rng.permutation(20), 12)
    table = {"town": np.array([f"town {k}" for k in town]), "rent": rng.normal(size=20)[town]}
    table["rent"] = table["rent"] + rng.normal(size=240)

    assert "20 groups by town, and rent differs between these" in found_in(table, "rent").caution
    shuffled = rng.permutation(240)
    assert found_in({name: values[shuffled] for name, values in table.items()}, "rent") is None


def degrees(rng):
    celsius = rng.normal(15, 8, size=600)
    return {
        "celsius": celsius.round(),
        "fahrenheit": (1.8 * celsius + 32).round(),
        "y": celsius + rng.normal(size=600),
    }


def ages(rng):
    age = rng.integers(20, 60, size=600)
    bands = np.array([*"abcd"])[age // 10 - 2]
    return {"age": age, "born": 2020 - age, "band": bands, "y": age / 9 + rng.normal(size=600)}


def recoded(rng):
    """Make a category, its number, and a coarser one."""
    state = rng.integers(20, size=600)
    y = rng.normal(size=20)[state] + rng.normal(size=600)
    return {
        "state": np.array([f"s{k}" for k in state]),
        "code": state,
        "region": np.array([*"NESW"])[state // 5],
        "y": y,
    }


def days(rng):
    date = np.datetime64("2020-01-01") + rng.permutation(600)
    week = (date.astype("M8[D]").astype(int) + 3) % 7
    names = np.array(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"])[week]
    return {"date": date, "weekday": names, "number": week + 1, "y": (week > 4) + rng.normal(size=600)}


def jobs(rng):
    job = rng.integers(25, size=600)
    return {
        "job": np.array([f"job {k}" for k in job]),
        "y": rng.normal(size=25)[job] + rng.normal(size=600),
        "x": rng.normal(size=600),
    }


INDEPENDENT = {
    "formulas": degrees,
    "bands": ages,
    "recodes": recoded,
    "days of the week": days,
    "categories": jobs,
    "answers": lambda rng: {name: rng.integers(1, 6, size=300) for name in "aby"},
    "rounded": lambda rng: {name: rng.normal(size=300).round(1) for name in "aby"},
    "a square": lambda rng: (lambda x: {"x": x, "y": x**2})(rng.integers(-10, 11, size=600)),
}


@pytest.mark.parametrize("make", INDEPENDENT.values(), ids=INDEPENDENT)
def test_categories_codes_bands_and_formulas_are_no_groups(make):
    for seed in range(10):
        table = make(np.random.default_rng(seed))
        assert found_in(table, "y") is None
        assert found_in(table) is None


def test_gaps_do_not_hide_it():
    table, rng = schools(0), np.random.default_rng(0)
    table["budget"] = np.where(rng.random(300) < 0.2, np.nan, table["budget"])

    assert "budget" in found_in(table).columns


def test_groups_of_a_permutation_have_been_told():
    told = bc.rank(schools(0), target="funding", null=bc.Permutation(99, groups=SCHOOL))

    assert not any(note.says(Code.ROWS_IN_GROUPS) for note in told.notes)


@pytest.mark.parametrize(
    ("one", "other", "is_told"),
    [
        (lambda k: np.array(["Mo", "Tu", "We"])[k % 3], lambda k: k % 3 * 2, True),
        (lambda k: k**1.5, lambda k: 1.8 * k**1.5 + 32, True),
        (lambda k: k % 3, lambda k: k % 6, False),
        (lambda k: np.sin(k * 1.0), lambda k: np.cos(k * 1.0), False),
    ],
    ids=["code", "units", "function", "other"],
)
def test_predictors_that_say_the_same_are_told(rng, one, other, is_told):
    k = rng.permutation(90)
    y = (k % 3 == 1) + k**1.5 / 300 + rng.normal(size=90) / 9
    table = read_table({"one": one(k), "other": other(k), "y": y})
    ranking = bc.rank(table, "y")

    assert (copies(table.columns, "y") is not None) == is_told
    assert ranking.verdict().endswith("one and other say the same.") == is_told


def test_a_number_known_in_a_few_rows_of_a_column_is_no_property_of_its_values():
    rng = np.random.default_rng(2)
    coverage = rng.integers(0, 30, 200).astype(float)
    few = np.where(np.arange(200) % 25 == 0, rng.normal(size=200).round(3), np.nan)
    a, b = coverage + rng.normal(size=(2, 200))
    table = {"coverage": coverage, "few": few, "a": a, "b": b}
    assert not [note for note in bc.rank(table).notes if note.says(Code.ROWS_IN_GROUPS)]


def test_a_number_with_one_value_in_the_rows_of_a_column_is_no_property_of_its_values(rng):
    age, is_old = np.arange(300) % 30 + 20.0, np.arange(300) % 2 == 0
    table = {
        "age": np.where(is_old, age, np.nan),
        "grade": np.where(is_old, 7, np.arange(300) % 9),
        "a": rng.normal(size=300),
        "b": rng.normal(size=300),
    }

    assert found_in(table) is None
