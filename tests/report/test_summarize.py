"""The plain dict behind a page: the figures of the frame and the places of the sweep."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.errors import BychanceError
from bychance.report import LEVELS, summarize
from tests.engine.settings import put
from tests.report.conftest import make_table

MODULE = sys.modules["bychance.report.summarize"]  # the package calls its function by the same name
SHOWN = ("observed", "adjusted", "standardized", "p_value", "q_value", "null_mean", "null_std")


def without_arrays(value):
    """Replace arrays by lists and NaN by nothing, as JSON needs."""
    if isinstance(value, dict):
        return {key: without_arrays(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [without_arrays(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return np.where(np.isfinite(value), value, -1).tolist()
    return value


@pytest.fixture(scope="module")
def summary(ranking):
    return summarize(ranking)


def test_all_of_it_is_plain(summary):
    assert json.loads(json.dumps(without_arrays(summary), allow_nan=False))["n_pairs"] == summary["n_pairs"]


def test_figures_are_those_of_the_frame(ranking, summary):
    pairs, names, texts = summary["pairs"], summary["names"], summary["texts"]
    order = np.argsort(summary["places"]["levels"][LEVELS.index(0.05)], kind="stable")
    frame = ranking.to_frame()

    assert [names[k] for k in pairs["x"][order]] == frame["x"].to_pylist()
    assert [names[k] for k in pairs["y"][order]] == frame["y"].to_pylist()
    for name in ("measure", "engine", "note"):
        assert [texts[k] for k in pairs[name][order]] == frame[name].to_pylist()
    np.testing.assert_array_equal(pairs["n"][order], frame["n"].to_numpy())
    for name in SHOWN:
        wanted = np.array([np.nan if v is None else v for v in frame[name].to_pylist()])
        np.testing.assert_allclose(pairs[name][order], wanted, rtol=1e-6, atol=1e-30, equal_nan=True)


def test_places_are_those_of_the_sweep(ranking, summary):
    sweep = ranking.sweep(LEVELS)

    np.testing.assert_array_equal(summary["places"]["levels"].T, sweep.places)
    np.testing.assert_allclose(summary["scores"].T, sweep.scores, rtol=1e-6, atol=1e-7, equal_nan=True)


@pytest.mark.parametrize("by", ["observed", "adjusted", "standardized", "p_value"])
def test_places_in_other_orders_are_those_of_rankings_by_them(summary, by):
    np.testing.assert_array_equal(summary["places"][by], bc.rank(make_table(), null="moments", by=by)._place)


@pytest.mark.slow
def test_a_ranking_that_kept_the_top_has_all_pairs_on_its_page(ranking, summary):
    top = summarize(bc.rank(make_table(), null="moments", top=5))

    np.testing.assert_array_equal(top["places"]["levels"], summary["places"]["levels"])
    np.testing.assert_array_equal(top["pairs"]["q_value"], ranking._q_value)


def test_the_rankings_own_level_is_among_those_of_the_slider():
    levels = summarize(bc.rank(make_demo(), target="yield", null="moments", alpha=0.07))["levels"]

    assert levels == sorted({*LEVELS, 0.07}, reverse=True)


def test_levels_that_were_kept_are_those_of_the_slider(monkeypatch):
    ranking = bc.rank(make_demo(), target="yield", null="moments", alpha=[0.05, 0.5, 0.2])
    summarize(ranking)  # which looks at pairs by other measures, and keeps what they explain
    put(monkeypatch, run_blocks=None)

    assert summarize(ranking)["levels"] == [0.5, 0.2, 0.05]


def test_levels_finer_than_the_draws_are_left_out(mic_ranking):
    assert min(summarize(mic_ranking)["levels"]) == 0.01


@pytest.mark.filterwarnings("ignore:9 permutations are too few")
def test_the_rankings_own_level_stays_where_it_is_finer_than_the_draws():
    options = {"measure": "r2", "null": bc.Permutation(9), "by": "adjusted"}
    ranking = bc.rank(make_demo(), target="yield", alpha=[0.05, *LEVELS], **options)
    summary = summarize(ranking)

    assert summary["levels"][-2:] == [0.1, 0.05]
    assert all("9 permutations are too few for alpha = 0.05" in row["note"] for row in ranking.best())


def test_the_chart_of_places_follows_pairs_that_lead_somewhere(ranking, summary):
    bump, sweep = summary["bump"], ranking.sweep(LEVELS, k=summary["bump"]["k"])
    places, leading = np.array(bump["places"]), np.flatnonzero(sweep.in_top.any(axis=1)).tolist()

    assert set(bump["pairs"]) <= set(leading)
    assert len(bump["pairs"]) + bump["n_left"] == len(leading)
    assert (places.min(axis=1) <= bump["k"]).all()
    np.testing.assert_array_equal(bump["is_stable"], (places <= bump["k"]).all(axis=1))


def test_the_heat_map_shows_every_column_once(summary):
    assert sorted(summary["heat"]["down"]) == list(range(14))
    assert summary["heat"]["down"] == summary["heat"]["across"]


def test_the_heat_map_puts_copies_side_by_side(summary):
    order = [summary["names"][k] for k in summary["heat"]["down"]]

    assert abs(order.index("rainfall") - order.index("rainfall_mm")) == 1


def test_one_target_makes_no_heat_map():
    assert summarize(bc.rank(make_demo(), target="yield", null="moments"))["heat"] is None


@pytest.mark.slow
def test_wide_tables_show_the_best_connected_columns(rng):
    table = {f"c{k}": rng.normal(size=30) for k in range(70)}
    table["c69"] = table["c0"] + 0.01 * rng.normal(size=30)
    heat = summarize(bc.rank(table, measure="r2", null="moments"), alphas=[0.05])["heat"]

    assert (len(heat["down"]), heat["n_down"]) == (60, 70)
    assert {0, 69} <= set(heat["down"])


def test_what_was_left_out_is_told():
    table = {**make_table(), "id": [f"P{k}" for k in range(400)]}
    left = summarize(bc.rank(table, null="moments"), alphas=[0.05])["left_out"]

    assert [name for name, _ in left["Columns"]] == ["id"]
    assert any("constant" in reason for _, reason in left["Pairs that could not be tested"])


def test_more_pairs_than_a_page_holds_are_refused(ranking, monkeypatch):
    put(monkeypatch, most_page_pairs=100)
    with pytest.raises(BychanceError, match="at most 100 pairs, got 127"):
        summarize(ranking)


def test_pairs_beyond_those_listed_are_counted(ranking, summary, monkeypatch):
    put(monkeypatch, listed_page_pairs=50)
    some = summarize(ranking)

    assert len(some["pairs"]["n"]) == 50
    assert some["left_out"]["Pairs that are not listed"][0][0] == "77 pairs"
    shown = np.isin(summary["places"]["observed"], some["places"]["observed"])
    np.testing.assert_array_equal(some["places"]["levels"], summary["places"]["levels"][:, shown])
    assert some["bump"]["places"] == summary["bump"]["places"]


def test_bounds_above_0_count_pairs_that_are_not_listed(ranking, monkeypatch):
    put(monkeypatch, listed_page_pairs=5)
    summary = summarize(ranking)
    sweep, order = ranking.sweep(summary["levels"]), np.argsort(ranking._place)
    for scores, above in zip(sweep.scores.T, summary["above"], strict=True):
        found = ranking.at_least_true(scores[order] > 0)

        assert above == {"n": found.n_selected, "least": found.at_least}
    assert max(above["n"] for above in summary["above"]) > 5


def test_a_ranking_without_data_has_a_page_without_plots_of_it(ranking):
    summary = summarize(ranking.without_data())

    assert summary["values"]["columns"] == {}
    assert dict(summary["settings"])["table"] == "a dict: 14 columns"
    assert dict(summarize(ranking)["settings"])["table"] == "a dict: 400 rows, 14 columns"


def test_names_that_a_spreadsheet_would_run_are_told_to_the_page():
    table = {"=cmd": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5, "-c": [2, 1] * 10}

    assert summarize(bc.rank(table, measure="r2"))["inert"] == {"=cmd": "'=cmd", "-c": "'-c"}
