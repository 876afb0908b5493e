"""A ranking's rows are what a single pair gives, in the right order, with the right notes."""

from __future__ import annotations

import math
from typing import get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import bychance as bc
from tests.engine.ranking import RankOptions
from tests.ranking.conftest import make_table, records

COLUMNS = [
    "rank",
    "x",
    "y",
    "measure",
    "n",
    "sign",
    "observed",
    "adjusted",
    "standardized",
    "adjusted_at",
    "p_value",
    "q_value",
    "p_kind",
    "p_se",
    "null_mean",
    "null_std",
    "engine",
    "n_resamples",
    "adjusted_se",
    "standardized_se",
    "adjusted_at_se",
    "adjusted_low",
    "adjusted_high",
    "note",
]
FIGURES = ["observed", "adjusted", "standardized", "p_value"]


def assert_same_as_adjust(row, columns, measure, null, alpha):
    alone = bc.adjust(measure, columns[row["x"]], columns[row["y"]], null=null)
    for name in FIGURES:
        assert row[name] == pytest.approx(getattr(alone, name), rel=1e-8, abs=1e-12), name
    assert row["adjusted_at"] == pytest.approx(alone.adjusted_at(alpha), rel=1e-8, abs=1e-12)
    assert (row["null_mean"], row["null_std"]) == pytest.approx((alone.null.mean, alone.null.std), rel=1e-8)
    assert (row["engine"], row["n"], row["sign"]) == (alone.null.engine, alone.n, alone.sign)
    assert row["n_resamples"] == alone.null.n_resamples


@pytest.mark.parametrize(
    ("measure", "null"),
    [
        ("auto", "moments"),
        ("r2", "moments"),
        ("r2", "paper"),
        ("r2", "normal"),
        ("spearman", "moments"),
        ("eta2", "moments"),
        ("eta2", "normal"),
        ("gini", "moments"),
        ("gini", "paper"),
        ("goodman_kruskal", "multinomial"),
        ("phi2", "moments"),
        ("mi", "moments"),
        ("mi", "auto"),
        ("phi2", "auto"),
        ("cramers_v", "moments"),
        ("kendall", "moments"),
        ("rand", "moments"),
    ],
)
@pytest.mark.parametrize("n", [30, 90, 400])
def test_every_row_is_what_the_pair_alone_gives(measure, null, n):
    columns = make_table(n, n=n)
    ranking = bc.rank(columns, measure=measure, null=null, alpha=0.1)
    measured = [row for row in ranking.best() if row["observed"] is not None and not row["n_resamples"]]

    assert measured
    for row in measured:
        assert_same_as_adjust(row, columns, row["measure"], null, 0.1)


def test_sampled_nulls_keep_what_algebra_knows(table):
    """With "auto" the skewed column must be sampled, and its mean and standard deviation stay exact."""
    sampled = [row for row in bc.rank(table, measure="r2").best() if row["n_resamples"]]

    assert sampled
    for row in sampled:
        exact = bc.adjust("r2", table[row["x"]], table[row["y"]], null="moments")
        assert (row["null_mean"], row["null_std"]) == pytest.approx((exact.null.mean, exact.null.std))
        assert row["adjusted_se"] == 0 < row["adjusted_at_se"]
        assert abs(row["p_value"] - exact.p_value) < 0.1


def test_pairs_that_cannot_be_measured_stay_with_a_note(table):
    rows = records(bc.rank(table, measure="r2", null="moments"))

    assert rows["a", "rare"]["n"] == 8
    assert rows["a", "rare"]["note"] == "fewer than 10 shared rows"
    assert rows["a", "rare"]["observed"] is None
    assert "constant" in rows["a", "constant"]["note"]
    assert (rows["a", "constant"]["adjusted"], rows["a", "constant"]["p_value"]) == (0.0, 1.0)
    assert rows["a", "constant"]["q_value"] == 1.0


def test_no_shared_rows_are_noted():
    half = np.r_[np.arange(20.0), np.full(20, np.nan)]
    rows = records(bc.rank({"a": half, "b": half[::-1], "c": np.arange(40.0) % 7}))

    assert rows["a", "b"]["note"] == "no shared rows"
    assert rows["a", "c"]["n"] == 20
    assert rows["a", "c"]["observed"] is not None


def test_q_values_are_benjamini_and_hochbergs(table):
    rows = [r for r in bc.rank(table, null="moments").best() if r["null_std"]]
    p_values = [row["p_value"] for row in rows]

    assert len(rows) > 20
    for fdr in ("bh", "by"):
        found = {(r["x"], r["y"]): r["q_value"] for r in bc.rank(table, null="moments", fdr=fdr).best()}
        expected = stats.false_discovery_control(p_values, method=fdr)
        np.testing.assert_allclose([found[r["x"], r["y"]] for r in rows], expected, rtol=1e-12)


@pytest.mark.parametrize("by", ["observed", "adjusted", "standardized", "adjusted_at", "p_value"])
def test_the_order_is_that_of_the_figure_asked_for(table, by):
    frame = bc.rank(pd.DataFrame(table), null="moments", by=by).to_frame()
    is_tested = (frame["null_std"] > 0).to_numpy()
    figures = frame[by].to_numpy()[is_tested]
    steps = np.diff(figures) if by == "p_value" else -np.diff(figures)

    assert frame["rank"].tolist() == list(range(1, len(frame) + 1))
    assert (steps >= 0).all()
    assert is_tested[: is_tested.sum()].all(), "those of which nothing is known come last"


@pytest.mark.filterwarnings("ignore:99 permutations are too few")
def test_equal_p_values_are_ordered_by_the_standardized_score(table):
    linked = table | {"d": table["a"] ** 3, "e": np.exp(table["a"])}
    rows = list(bc.rank(linked, measure="r2", null=bc.Permutation(99), by="p_value").best())
    tied = [row["standardized"] for row in rows if row["p_value"] == 0.01]

    assert len(tied) > 2
    assert tied == sorted(tied, reverse=True)


def test_a_direction_gives_a_row_each_way_and_numbers_one(table):
    rows = records(bc.rank(table, null="moments"))

    assert ("a", "b") in rows
    assert ("b", "a") not in rows
    assert rows["a", "group"]["observed"] != rows["group", "a"]["observed"]
    assert ("group", "coin") in rows
    assert ("coin", "group") in rows


def test_a_target_is_y(table):
    ranking = bc.rank(table, target="group", null="moments")

    assert {row["y"] for row in ranking.best()} == {"group"}
    assert {row["x"] for row in ranking.best()} == set(table) - {"group"}


def test_x_and_y_choose_the_pairs(table):
    rows = records(bc.rank(table, x=["a", "group"], y=["b", "c"], null="moments"))

    assert set(rows) == {("a", "b"), ("a", "c"), ("group", "b"), ("group", "c")}


def test_names_on_both_sides_give_one_row_where_there_is_no_direction(table):
    ranking = bc.rank(table, x=["a", "b", "group"], y=["b", "a", "group"], null="moments")

    assert set(records(ranking)) == {
        ("a", "b"),
        ("a", "group"),
        ("b", "group"),
        ("group", "a"),
        ("group", "b"),
    }
    matrix = ranking.matrix("observed").to_pydict()
    assert matrix["a"][matrix["column"].index("b")] == matrix["b"][matrix["column"].index("a")]


def test_a_measure_is_chosen_by_the_kind_of_pair(table):
    choice = {"numeric": "spearman", "mixed": "eta2", "categorical": "mi"}
    rows = records(bc.rank(table, measure=choice, null="moments"))

    assert rows["a", "b"]["measure"] == "spearman"
    assert rows["a", "group"]["measure"] == "eta2"
    assert rows["group", "letters"]["measure"] == "mi"


def test_columns_that_no_measure_takes_are_noted(table):
    ranking = bc.rank(table, measure="r2", null="moments")

    assert {note.column for note in ranking.notes if note.is_set_aside} >= {"group", "letters"}
    assert ("a", "coin") in records(ranking), "booleans stand for 0 and 1"


def test_estimates_without_a_null_are_still_ordered_by_their_size(table):
    rows = list(bc.rank(table, measure="r2", null="exact", by="observed").best())
    sizes = [row["observed"] for row in rows if row["note"].startswith("no null")]

    assert len(sizes) > 3
    assert sizes == sorted(sizes, reverse=True)
    assert rows[0]["observed"] == max(sizes)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_the_frame_comes_back_in_the_callers_library(table, library):
    frame = bc.rank(library({k: table[k] for k in ("a", "b", "group")}), null="moments").to_frame()

    assert isinstance(frame, type(library({"a": [1]})))
    assert list(frame.columns if library is not pa.table else frame.column_names) == COLUMNS


def test_files_are_ranked_too(table, tmp_path):
    pd.DataFrame(table).to_csv(tmp_path / "table.csv", index=False)
    from_file = bc.rank(tmp_path / "table.csv", null="moments")
    from_memory = bc.rank(pd.DataFrame(table), null="moments")

    assert isinstance(from_file.to_frame(), pa.Table)
    np.testing.assert_allclose(from_file._rows.observed, from_memory._rows.observed, rtol=1e-12)


def test_a_ranking_shows_no_internals(table):
    ranking = bc.rank(table, null="moments")

    assert {name for name in vars(ranking) if name[0] != "_"} == {
        "n_pairs",
        "n_tested",
        "n_found",
        "n_duplicates",
    }


def test_a_ranking_without_data_holds_none(table):
    ranking = bc.rank(table, null="moments")
    kept = ranking.without_data()

    assert not any(len(column) for column in kept._plan.table)
    assert kept.to_frame().equals(ranking.to_frame())


def test_the_matrix_is_square_and_symmetric_where_the_measure_is(table):
    matrix = bc.rank(pd.DataFrame(table), measure="r2", null="moments").matrix("observed")
    directed = bc.rank(pd.DataFrame(table), null="moments").matrix("observed")

    np.testing.assert_array_equal(matrix.to_numpy(), matrix.to_numpy().T)
    assert matrix.loc["a", "b"] == pytest.approx(bc.measure("r2", table["a"], table["b"]))
    assert directed.loc["group", "a"] == pytest.approx(bc.measure("explained", table["group"], table["a"]))
    assert directed.loc["a", "group"] != directed.loc["group", "a"]
    assert math.isnan(matrix.loc["a", "a"])


def test_the_fdr_level_counts_what_is_found_and_changes_no_figure(table):
    usual, loose = (bc.rank(table, null="moments", **options) for options in ({}, {"fdr_level": 0.2}))
    q_values = np.array([row["q_value"] for row in loose.best() if row["null_std"]])

    assert (usual.fdr_level, loose.fdr_level) == (0.05, 0.2)
    assert f", {np.sum(q_values < 0.2)} with q < 0.2" in repr(loose)
    assert np.sum(q_values < 0.05) < np.sum(q_values < 0.2)
    assert loose.to_frame().equals(usual.to_frame())


def test_pairs_of_which_nothing_can_be_learned_come_last(table):
    for by in ("observed", "adjusted", "standardized", "adjusted_at", "p_value"):
        rows = list(bc.rank(table, measure="r2", null="moments", by=by).best())
        tested = [row["null_std"] is not None and row["null_std"] > 0 for row in rows]
        assert tested == sorted(tested, reverse=True)


def test_a_column_called_column_keeps_its_place_in_the_matrix(rng):
    matrix = bc.rank({"column": rng.normal(size=20), "b": rng.normal(size=20)}).matrix("observed")

    assert matrix.to_pydict()["column_"] == ["column", "b"]


def test_many_different_notes_are_no_trouble():
    """Every pair shares another number of rows, and none enough."""
    rng = np.random.default_rng(0)
    columns = {f"c{k}": np.where(rng.random(3_000) < rng.random(), np.nan, 1.0) for k in range(40)}
    ranking = bc.rank(columns, measure="r2", null="moments", min_n=2_999)

    assert {row["note"] for row in ranking.best()} == {"fewer than 2999 shared rows"}


def test_numbers_of_numpy_are_numbers(table):
    numbers = bc.rank(table, null="moments", min_n=np.int64(10), top=np.int64(2))

    assert len(list(numbers.best(np.int64(2)))) == 2


def test_names_of_frames_may_be_numbers(rng):
    frame = pd.DataFrame(rng.normal(size=(20, 3)))

    assert {row["y"] for row in bc.rank(frame, target=1).best()} == {"1"}
    assert {row["x"] for row in bc.rank(frame, x=[0, 2], y=1).best()} == {"0", "2"}


def test_rankings_keep_dates_and_integers_that_float64_cannot_hold_apart():
    years = np.arange("1700", "2000", dtype="M8[Y]").astype("M8[ns]")
    table = {
        "day": np.append(years, np.datetime64("2262-04-11", "ns")),
        "id": np.append(-(2**62), 2**62 + np.arange(300)),
        "row": np.arange(301.0),
    }

    for measure in ("spearman", "kendall", "r2", "xi"):
        for pair in bc.rank(table, measure=measure).to_frame().to_pylist():
            expected = bc.measure(measure, table[pair["x"]], table[pair["y"]])
            assert pair["observed"] == pytest.approx(expected)
            if measure in ("spearman", "kendall"):
                assert expected == pytest.approx(1)


def test_the_options_of_rank_are_of_the_types_that_rank_to_file_takes():
    elsewhere = {"source", "top", "n_jobs", "progress", "return"}
    of_rank = {name: hint for name, hint in get_type_hints(bc.rank).items() if name not in elsewhere}

    assert get_type_hints(RankOptions) == of_rank
