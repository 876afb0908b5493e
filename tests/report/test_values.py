"""Plotted values of a page: the table's values, sampled if they are many, and MIC grids."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.report import summarize
from tests.report.conftest import make_hostile, make_table


def values_of(table, **options):
    ranking = bc.rank(table, null="moments", **options)
    values = summarize(ranking, alphas=[0.05])["values"]
    names = ranking._plan.table.names
    return values["n_sampled"], {names[int(k)]: column for k, column in values["columns"].items()}


def test_small_tables_are_there_whole():
    table = make_table()
    n_sampled, columns = values_of(table)

    assert n_sampled == 400
    assert set(columns) == set(table)
    np.testing.assert_allclose(columns["survey_1"]["numbers"], table["survey_1"], rtol=1e-6)
    labels = np.array(columns["soil"]["labels"])
    np.testing.assert_array_equal(labels[columns["soil"]["codes"]], table["soil"])


def test_large_tables_are_sampled(rng):
    x = rng.normal(size=10_000)
    n_sampled, columns = values_of({"x": x, "y": x + rng.normal(size=10_000)})
    sampled = columns["x"]["numbers"]

    assert n_sampled == len(sampled) == 2_000
    assert set(sampled.tolist()) <= set(x.astype(np.float32).tolist())


@pytest.mark.slow
def test_of_very_many_columns_the_best_are_there(rng):
    table = {f"c{k}": rng.normal(size=300) for k in range(2_000)}
    table["y"] = table["c7"] + rng.normal(size=300)
    n_sampled, columns = values_of(table, target="y")

    assert n_sampled * len(columns) <= 400_000
    assert len(columns) < 2_001
    assert {"c7", "y"} <= set(columns)


def test_gaps_stay_gaps():
    table = {"a": [1.0, None, 3.0] * 10, "b": ["u", "v", None] * 10, "c": [True, None, False] * 10}
    _, columns = values_of(table, min_n=5)

    assert np.isnan(columns["a"]["numbers"][1])
    assert columns["b"]["codes"][2] == -1
    assert [columns["c"]["labels"][k] for k in columns["c"]["codes"][[0, 2]]] == ["True", "False"]


def test_rare_labels_share_one(rng):
    table = {"x": rng.normal(size=2_000), "label": [f"no. {k}" for k in rng.integers(900, size=2_000)]}
    _, columns = values_of(table)

    assert len(columns["label"]["labels"]) == 201
    assert columns["label"]["labels"][-1].endswith(" others")
    assert columns["label"]["codes"].max() == 200


def test_numbers_beyond_single_precision_are_kept():
    _, columns = values_of({"a": np.linspace(1, 2, 30) * 1e300, "b": np.arange(30.0)})

    assert np.isfinite(columns["a"]["numbers"]).all()


def test_long_labels_are_cut():
    _, columns = values_of(make_hostile())

    assert max(map(len, columns["labels"]["labels"])) == 120


def test_grids_are_those_behind_mic(mic_ranking):
    summary = summarize(mic_ranking)
    table, rows = mic_ranking._plan.table, mic_ranking._rows

    assert len(summary["grids"]) == 3
    for k in range(3):
        grid = bc.mic_grid(*(table.columns[c].values for c in (rows.x[k], rows.y[k])))
        assert summary["grids"][str(k)] == {"x": grid.x_cuts.tolist(), "y": grid.y_cuts.tolist()}


def test_dates_are_milliseconds_from_1970():
    days = np.array("1999-12-31", dtype="M8[D]") + np.arange(40)
    rng = np.random.default_rng(0)
    table = {"day": days, "second": days.astype("M8[s]") + np.arange(40), "y": rng.normal(size=40)}
    table["day"][0] = np.datetime64("NaT")
    columns = values_of(table)[1]

    assert columns["day"]["is_date"]
    np.testing.assert_array_equal(columns["day"]["numbers"][1:], days.astype("M8[ms]").astype(float)[1:])
    assert np.isnan(columns["day"]["numbers"][0])
    seconds = table["second"].astype("M8[ms]").astype(float)
    np.testing.assert_array_equal(columns["second"]["numbers"], seconds)
    assert "is_date" not in columns["y"]


def test_grids_of_dates_are_cut_at_dates():
    days = np.array("2020-01-01", dtype="M8[D]") + np.arange(60)
    table = {"day": days, "y": np.abs(np.arange(60) - 30.0)}
    ranking = bc.rank(table, measure="mic", null=bc.Permutation(19), alpha=0.1)
    grid = next(iter(summarize(ranking, alphas=[0.1])["grids"].values()))

    low, high = (float(days[k].astype("M8[ms]").astype(float)) for k in (0, -1))
    assert all(low < cut < high for cut in grid["x"])
    assert max(grid["y"]) < 30


def test_only_a_measure_with_a_grid_is_asked_for_it():
    class Halved(bc.MIC):
        def estimate(self, x, y):
            return super().estimate(x, y) / 2

    assert bc.MIC().has_grid
    assert not any(measure.has_grid for measure in (bc.MICe(), bc.TICe(), Halved()))
