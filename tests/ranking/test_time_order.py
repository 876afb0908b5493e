"""Order in time: a warning if rows resemble their neighbors as in a series, and only then."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceError
from bychance.messages import Code, Option

NOT_EXCHANGEABLE = (Code.ROWS_IN_ORDER, Code.ROWS_SHUFFLED, Code.NEIGHBORS_ALIKE)
MONTHS = np.array("1990-01", dtype="M8[M]") + np.arange(240)


def walks(n=240, seed=0):
    """Draw random walks, whose values resemble the one before, two of them unrelated."""
    rng = np.random.default_rng(seed)
    return {name: rng.normal(size=n).cumsum() for name in ("mines", "farms")}


def warnings_of(table, **options):
    notes = bc.rank(table, **({"null": "moments"} | options)).notes
    return [note for note in notes if note.says(*NOT_EXCHANGEABLE)]


@pytest.mark.parametrize("clock", [MONTHS.astype("M8[D]"), np.arange(240), np.arange(1780, 2020)])
def test_walks_beside_a_clock_are_warned_of(clock):
    (warning,) = warnings_of({"when": clock, **walks()})

    assert warning.code is Code.ROWS_IN_ORDER
    assert (warning.values["clock"], warning.values["columns"]) == ("when", ("mines", "farms"))
    assert str(warning) in repr(bc.rank({"when": clock, **walks()}, null="moments"))


def test_without_its_data_a_ranking_still_warns():
    ranking = bc.rank({"when": MONTHS.astype("M8[D]"), **walks()}, null="moments")
    notes = ranking.without_data().notes

    assert any(note.says(*NOT_EXCHANGEABLE) for note in notes)
    assert notes == ranking.notes
    assert ranking.without_data().verdict() == ranking.verdict()


DAYS = np.array("2020-01-05", dtype="M8[D]") + np.arange(240)
CLOCKS = {
    "newest first": {"day": DAYS[::-1]},
    "three rows per day": {"day": np.repeat(DAYS[:80], 3)},
    "days as numbers": {"day": [int(str(day).replace("-", "")) for day in DAYS]},
    "months as numbers": {"month": [int(str(month).replace("-", "")) for month in MONTHS]},
    "two columns": {"year": np.arange(240) // 12, "month": np.arange(240) % 12 + 1},
    "half seconds": {"second": np.arange(240) / 2},
    "months in words": {"month": [month.item().strftime("%b %Y") for month in MONTHS]},
    "nearly even": {"t": np.arange(240) * 86.4 // 1},
    "a gap": {"day": np.where(np.arange(240) == 100, np.datetime64("NaT"), DAYS)},
    "years with a gap": {"year": np.where(np.arange(240) == 7, np.nan, np.arange(1780, 2020))},
    "days as numbers with a gap": {
        "day": [None if k == 9 else int(str(day).replace("-", "")) for k, day in enumerate(DAYS)]
    },
}


@pytest.mark.parametrize("clock", CLOCKS.values(), ids=CLOCKS)
def test_whatever_way_time_is_written_walks_are_warned_of(clock):
    ranking = bc.rank({**clock, **walks(seed=2)}, target="mines", null="moments")

    assert any(note.says(*NOT_EXCHANGEABLE) for note in ranking.notes)
    assert re.search(r"Caution: .* resemble .*: 240 rows count as about \d+\.$", ranking.verdict())


CLOCKS_OF_NOISE = {
    "full": {"day": DAYS},
    "a gap": CLOCKS["a gap"],
    "fractions": {"Time [s]": np.arange(240) / 2},
    "a gap in fractions": {"Time [s]": np.where(np.arange(240) == 9, np.nan, np.arange(240) / 2)},
}


def noisy_walks(rng, n=240):
    """Draw two independent walks under enough noise to hide them from anybody without a clock."""
    return {
        name: size * (0.5 * rng.normal(size=n).cumsum() + rng.normal(size=n))
        for name, size in (("bearing", 0.5), ("oil", 0.3))
    }


@pytest.mark.parametrize("clock", CLOCKS_OF_NOISE.values(), ids=CLOCKS_OF_NOISE)
def test_noisy_walks_are_warned_of_as_with_a_full_date(clock):
    for seed in range(5):
        assert len(warnings_of({**clock, **noisy_walks(np.random.default_rng(seed))}, target="oil")) == 1


@pytest.mark.parametrize("clock", CLOCKS_OF_NOISE.values(), ids=CLOCKS_OF_NOISE)
def test_noise_beside_any_clock_is_fine(clock):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        noise = {"a": rng.normal(size=240), "b": rng.integers(5, size=240), "c": rng.choice([*"xyz"], 240)}
        assert warnings_of({**clock, **noise}) == []
        assert warnings_of({**clock, **noise}, target="a") == []


def test_shuffled_rows_of_which_one_lacks_its_date_are_warned_of():
    shuffled = np.random.default_rng(0).permutation(240)
    table = {name: values[shuffled] for name, values in {**CLOCKS["a gap"], **walks(seed=2)}.items()}

    (warning,) = warnings_of(table, target="mines")
    assert (warning.code, warning.values["clock"]) == (Code.ROWS_SHUFFLED, "day")


def test_shuffled_rows_that_carry_a_date_are_warned_of():
    shuffled = np.random.default_rng(0).permutation(240)
    table = {name: values[shuffled] for name, values in {"day": DAYS, **walks(seed=2)}.items()}
    ranking = bc.rank(table, target="mines", null="moments")

    note = ranking.notes[0]
    assert (note.code, note.suggestion) == (Code.ROWS_SHUFFLED, Option("block", ...))
    assert (note.values["clock"], note.values["columns"]) == ("day", ("mines", "farms"))
    assert "Caution: in the order of day rows resemble their neighbors" in ranking.verdict()


def test_without_a_clock_neighbors_tell():
    ranking = bc.rank(walks(seed=0), target="farms", null="moments")

    (warning,) = warnings_of(walks(seed=0), target="farms")
    assert (warning.code, warning.values["columns"]) == (Code.NEIGHBORS_ALIKE, ("farms", "mines"))
    assert "Caution: neighboring rows resemble each other in farms and mines: 240 rows" in ranking.verdict()


def related(rng, n=240, noise=1.0):
    """Draw five columns that have much in common, rows in any order."""
    common = rng.normal(size=n)
    return {name: common + noise * rng.normal(size=n) for name in "abcxy"}


def sorted_by(table, *names):
    order = np.lexsort([table[name] for name in reversed(names)])
    return {name: values[order] for name, values in table.items()}


def numbered(table):
    return {"id": np.arange(1, 241), **table}


def functions_of(x):
    """Return a column that the rows are sorted by, and two that rise and fall with it."""
    return {"x": x, "y": (x - 0.3) ** 2, "z": np.cos(x)}


def by_groups(rng):
    level = rng.normal(size=(12, 5))[np.sort(rng.integers(12, size=240))].T
    return {
        name: values + 2 * shift for (name, values), shift in zip(related(rng).items(), level, strict=True)
    }


def rounded(table, digits=0):
    return {name: np.round(values, digits) for name, values in table.items()}


def experiment(rng):
    temperature, dose = np.repeat(np.arange(24), 10), np.tile(np.arange(10), 24)
    response = {
        name: sign * temperature / 6 + dose + rng.normal(size=240) for name, sign in (("x", 1), ("y", -1))
    }
    return {"temperature": temperature, "dose": dose, **response}


EXCHANGEABLE = {
    "in any order": related,
    "by the target": lambda rng: numbered(sorted_by(related(rng), "y")),
    "by the target, rounded": lambda rng: numbered(sorted_by(rounded(related(rng), 1), "y")),
    "by another": lambda rng: sorted_by(related(rng), "x"),
    "by another, near": lambda rng: sorted_by(related(rng, noise=0.05), "x"),
    "by a lost one": lambda rng: {k: v for k, v in sorted_by(related(rng), "x").items() if k != "x"},
    "answers by two": lambda rng: sorted_by(rounded(related(rng)), "y", "x"),
    "lost groups": by_groups,
    "lost groups, numbered": lambda rng: numbered(by_groups(rng)),
    "an experiment": experiment,
    "functions of one": lambda rng: functions_of(np.sort(rng.normal(size=240)).round(1)),
    "mostly 0": lambda rng: {k: np.where(v > 1, v, 0) for k, v in sorted_by(related(rng), "x").items()},
    "birth dates": lambda rng: {"born": MONTHS[rng.permutation(240)].astype("M8[D]"), **related(rng)},
}


@pytest.mark.parametrize("make", EXCHANGEABLE.values(), ids=EXCHANGEABLE)
def test_sorted_and_grouped_tables_are_no_series(make):
    for seed in range(10):
        table = make(np.random.default_rng(seed))
        assert warnings_of(table, target="y") == []
        assert warnings_of(table) == []


def test_a_list_of_all_combinations_is_no_series():
    levels = np.array(np.meshgrid(*[np.arange(3)] * 5, indexing="ij")).reshape(5, -1)
    table = {f"attribute {k}": np.array([*"abc"])[column] for k, column in enumerate(levels)}
    table["class"] = np.where(levels[1] == levels[2], "yes", "no")

    assert warnings_of(table) == []
    assert warnings_of(table, target="class") == []


def test_a_number_of_the_row_and_a_walk_are_warned_of():
    table = {"row": np.arange(240), "mines": walks()["mines"]}

    (warning,) = warnings_of(table, target="mines")
    assert "neighboring rows resemble each other in mines and row" in warning


def test_a_table_that_was_sorted_by_a_measurement_is_no_series():
    rng = np.random.default_rng(0)
    x = np.sort(rng.normal(size=240))

    assert (
        warnings_of({"x": x, "y": x + 0.1 * rng.normal(size=240), "z": x + 0.1 * rng.normal(size=240)}) == []
    )


def test_independent_rows_beside_a_clock_are_fine():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        table = {"when": MONTHS.astype("M8[D]"), **{name: rng.normal(size=240) for name in "abc"}}
        assert warnings_of(table) == []


def test_dates_in_random_order_are_no_clock():
    when = np.random.default_rng(0).permutation(MONTHS.astype("M8[D]"))

    (warning,) = warnings_of({"when": when, **walks()})
    assert "neighboring rows resemble each other in mines and farms" in warning


@pytest.mark.parametrize("clock", [np.tile(MONTHS[:24].astype("M8[D]"), 10), np.tile(np.arange(24), 10)])
def test_series_one_below_the_other_are_warned_of(clock):
    (warning,) = warnings_of({"when": clock, **walks()})

    assert "10 series in the order of when, and mines and farms resemble" in warning


def test_rows_that_were_sorted_by_year_are_no_series():
    years, rng = np.repeat(MONTHS[::12].astype("M8[D]"), 12), np.random.default_rng(0)
    trend = np.arange(240) // 12 / 5

    assert warnings_of({"model year": years, **{name: trend + rng.normal(size=240) for name in "abc"}}) == []


def test_levels_of_series_are_no_resemblance():
    """Rows of a group resemble each other, which is not an order in time."""
    rng = np.random.default_rng(0)
    level = np.repeat(np.arange(10.0), 24)
    table = {"sample": np.tile(np.arange(24), 10), **{name: level + rng.normal(size=240) for name in "abc"}}

    assert warnings_of(table) == []


def test_a_series_and_its_clock_are_warned_of():
    table = {"when": MONTHS.astype("M8[D]"), "mines": walks()["mines"]}

    (warning,) = warnings_of(table, target="mines")
    assert "in the order of when, and mines resembles its neighbors" in warning


def test_a_target_without_order_needs_no_warning():
    rng = np.random.default_rng(0)

    assert warnings_of({"when": np.arange(240), **walks(), "y": rng.normal(size=240)}, target="y") == []


def test_the_verdict_does_not_hide_it():
    ranking = bc.rank({"when": np.arange(240), **walks(seed=2)}, null="moments")

    assert ranking.n_found
    assert "Caution: rows follow when and resemble their neighbors: 240 rows count " in ranking.verdict()


def test_the_verdict_on_other_pairs_needs_no_caution():
    rng = np.random.default_rng(5)
    x = rng.normal(size=240)
    table = {"when": np.arange(1780, 2020), "mines": walks()["mines"], "x": x, "y": x + rng.normal(size=240)}
    ranking = bc.rank(table, x=["x", "when"], y=["y", "mines"], null="moments", fdr_level=1e-20)

    assert ranking.notes[0].values["columns"] == ("mines",)
    assert ranking.n_found == 1
    assert "Caution" not in bc.rank(table, x="x", y="y", null="moments").verdict()


def test_blocks_and_groups_have_been_told():
    table = {"when": np.arange(240), **walks()}

    assert warnings_of(table, null=bc.Permutation(99, block=6)) == []
    assert warnings_of(table, null=bc.Permutation(99)) != []


def test_blocks_and_groups_do_not_mend_limits_and_a_note_says_so():
    table = {"when": np.arange(240), **walks()}
    groups = {"groups": np.arange(240) // 60}
    nulls = (bc.Permutation(99, **options) for options in ({"block": 6}, groups, {}))
    blocks, within, plain = (bc.rank(table, null=null) for null in nulls)

    told = (Code.PERMUTED_IN_BLOCKS, Code.PERMUTED_IN_GROUPS)
    assert (blocks.notes[0].code, within.notes[0].code) == told
    assert not any(note.says(*told) for note in plain.notes)


def test_few_blocks_leave_no_small_p_value():
    table = walks()
    ranking = bc.rank(table, null=bc.Permutation(199, block=60))

    note = ranking.notes[0]
    assert note.code is Code.PERMUTED_IN_FEW_BLOCKS
    assert (note.values["n"], note.values["n_orders"]) == (4, 24)
    assert note.values["smallest"] == pytest.approx(1 / 24)
    assert min(ranking["p_value"].to_pylist()) > 0.5 / 24
    with pytest.raises(BychanceError, match="`block` must be at most half of the 240 rows, got 121"):
        bc.rank(table, null=bc.Permutation(199, block=121))


def test_blocks_mend_what_is_warned_of():
    """Plain permutations find most unrelated walks, and blocks of ten years few."""
    plain, blocks = 0, 0
    for seed in range(20):
        x, y = walks(seed=seed).values()
        plain += bc.adjust("r2", x, y, null=bc.Permutation(99), rng=seed).p_value <= 0.05
        blocks += bc.adjust("r2", x, y, null=bc.Permutation(99, block=60), rng=seed).p_value <= 0.05

    assert plain >= 12
    assert blocks <= plain / 2


def spells(n=240, seed=0, stay=0.9):
    """Draw categories that last for some rows and come back."""
    rng = np.random.default_rng(seed)
    is_new = rng.random(n) > stay
    return np.array(["dry", "wet", "cold"])[np.cumsum(is_new * rng.integers(1, 3, size=n)) % 3]


def test_a_target_of_categories_that_last_is_warned_of():
    table = {"when": MONTHS.astype("M8[D]"), **walks(), "weather": spells()}

    (warning,) = warnings_of(table, target="weather")
    assert "weather, mines and farms resemble" in warning


@pytest.mark.slow
def test_categories_that_change_at_random_are_fine():
    for seed in range(20):
        rare = np.where(np.random.default_rng(seed).random(240) < 0.04, "yes", "no")
        for weather in (spells(seed=seed, stay=0.3), rare):
            table = {"when": MONTHS.astype("M8[D]"), **walks(seed=seed), "weather": weather}
            assert warnings_of(table, target="weather") == []


def test_a_table_that_was_sorted_by_its_classes_is_no_series():
    rng = np.random.default_rng(0)
    species = np.repeat(["a", "b", "c"], 80)
    table = {
        "Id": np.arange(240),
        "petal": rng.normal(size=240) + np.repeat([0, 3, 6], 80),
        "species": species,
    }

    assert warnings_of(table, target="species") == []


def test_a_category_that_is_constant_in_each_series_does_not_count():
    table = {
        "when": np.tile(MONTHS[:24].astype("M8[D]"), 10),
        **walks(),
        "country": np.repeat([*"ababacabac"], 24),
    }

    assert warnings_of(table, target="country") == []
