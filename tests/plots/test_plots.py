"""Figures show the figures: what is drawn is what the results hold, and names cannot break a drawing."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.plots import style


@pytest.fixture(autouse=True)
def _drawn():
    """Draw every figure of a test, because names are only read then, and close it."""
    yield
    for number in plt.get_fignums():
        plt.figure(number).canvas.draw()
    plt.close("all")


@pytest.fixture(scope="module")
def ranking():
    return bc.rank(make_demo(), target="yield")


def texts(artists):
    return [artist.get_text() for artist in artists]


def legend(ax):
    return texts(ax.get_legend().get_texts())


def test_a_ranking_shows_its_best_pairs_in_order(ranking):
    ax = ranking.plot(5)
    best = list(ranking.best(5))

    assert texts(ax.get_yticklabels()) == [record["x"] for record in best]
    drawn = np.concatenate([line.get_xdata() for line in ax.get_lines()])
    assert sorted(drawn) == sorted(record["observed"] for record in best)
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    np.testing.assert_allclose(ends, [record["observed"] - record["adjusted_at"] for record in best])


def test_sampled_nulls_have_whiskers():
    exact, sampled = (
        bc.rank(make_demo(), target="yield", null=null)
        for null in ("moments", bc.Permutation(n_resamples=99))
    )

    assert len(sampled.plot().containers) == len(exact.plot().containers) + 1


def test_a_ranking_without_nulls_cannot_be_drawn():
    ranking = bc.rank({"a": [1.0, 2.0, 3.0, np.nan], "b": [1.0, 3.0, 2.0, 5.0]})

    with pytest.raises(bc.BychanceError, match="no pair to draw"):
        ranking.plot()
    with pytest.raises(bc.BychanceError, match="no pair to draw"):
        bc.plot_bias(ranking)


def test_a_sweep_draws_the_places_of_the_leading_pairs(ranking):
    sweep = ranking.sweep([0.4, 0.05, 0.01], k=3)
    ax = bc.plot_sweep(sweep)
    lines = [tuple(line.get_ydata()) for line in ax.get_lines() if len(line.get_ydata())]

    assert set(lines) == {tuple(places) for places in sweep.places[sweep.in_top.any(axis=1)]}
    assert texts(ax.get_xticklabels()) == ["0.4", "0.05", "0.01"]


def test_near_duplicates_take_no_places_in_a_sweep():
    x = np.arange(60.0)
    copies = {f"copy {k}": x + k for k in range(6)}
    sweep = bc.rank({**copies, "a": x**2 + 300 * np.sin(x), "b": np.sin(x)}, measure="r2").sweep(
        [0.4, 0.05], k=3
    )
    ax = bc.plot_sweep(sweep)
    first = min(int(places) for line in ax.get_lines() for places in line.get_ydata())

    assert sweep.rows.is_duplicate.sum() == 15
    assert sweep.places[sweep.stable_rows].min() > 15
    assert first == 1
    assert len(ax.texts) == 3


def test_the_bias_is_drawn_raw_and_adjusted():
    rng = np.random.default_rng(0)
    table = {f"c{k}": np.where(rng.random(300) < k / 25, np.nan, rng.normal(size=300)) for k in range(24)}
    ranking = bc.rank(table, measure="r2", null="moments")
    ax = bc.plot_bias(ranking)
    raw, adjusted = (line for line in ax.get_lines() if len(line.get_xdata()) > 2)

    assert legend(ax) == ["raw", "adjusted"]
    assert raw.get_ydata()[0] > 0.05 > abs(adjusted.get_ydata()[0])


@pytest.mark.parametrize(
    ("measure", "x", "y"),
    [("r2", range(12), [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]), ("mi", list("aabbccaabb"), list("uvuvuvuvuu"))],
)
def test_a_null_has_area_one(measure, x, y):
    estimate = bc.adjust(measure, list(x), y)
    ax = bc.plot_null(estimate)
    stairs = ax.patches[0].get_data()

    assert np.sum(stairs.values * np.diff(stairs.edges)) == pytest.approx(1, abs=0.002)
    assert f"observed {estimate.observed:.3g}" in legend(ax)


def test_the_area_from_the_observed_value_on_is_the_p_value():
    rng = np.random.default_rng(3)
    estimate = bc.adjust("mic", rng.random(30), rng.random(30))
    stairs = bc.plot_null(estimate).patches[1].get_data()

    assert np.sum(stairs.values * np.diff(stairs.edges)) == pytest.approx(estimate.p_value, abs=0.002)


def test_a_null_of_one_value_shows_the_observed_value_alone():
    assert legend(bc.plot_null(bc.adjust("r2", [1, 1, 1, 1], [1, 2, 3, 4]))) == ["observed 0"]


def test_a_pair_without_a_null_cannot_be_drawn():
    with pytest.raises(bc.BychanceError, match="2 shared rows"):
        bc.plot_null(bc.adjust("r2", [1, 2, np.nan], [1, 2, 3]))


def test_numbers_are_points_on_the_rows_both_have():
    ax = bc.plot_pair([1, 2, np.nan, 4], [5, np.nan, 6, 7])

    assert ax.collections[0].get_offsets().tolist() == [[1, 5], [4, 7]]
    assert ax.get_title("left") == "n = 2"


@pytest.mark.parametrize("library", ["numpy", "pandas", "polars"])
def test_dates_have_an_axis_of_dates(library):
    days = np.arange("2020-01-01", "2020-03-01", dtype="datetime64[D]").astype("datetime64[us]")
    days[3] = np.datetime64("NaT")
    given = {"numpy": days, "pandas": pd.Series(days, name="day"), "polars": pl.Series("day", days)}[library]
    ax = bc.plot_pair(given, np.arange(60.0), measure="mic")
    ax.figure.canvas.draw()

    assert ax.get_title("left").startswith("n = 59")
    assert "2020-01" in " ".join(texts(ax.get_xticklabels()))
    assert ax.get_xlabel() == ("x" if library == "numpy" else "day")
    assert len(bc.plot_pair(list("ab") * 30, given).get_xticklabels()) == 2


def test_mic_shows_the_grid_that_won():
    x = np.linspace(0, 1, 40)
    grid = bc.mic_grid(x, (x - 0.5) ** 2)
    ax = bc.plot_pair(x, (x - 0.5) ** 2, measure="mic")

    cuts = {float(value) for line in ax.get_lines() for value in np.ravel(line.get_data())} - {0.0, 1.0}
    assert cuts == {*grid.x_cuts, *grid.y_cuts}
    assert not bc.plot_pair(x, x, measure="mic_e").get_lines()


@pytest.mark.parametrize("is_upright", [True, False])
def test_labels_and_numbers_are_boxes(is_upright):
    pair = (["a", "b", "a", "b", "b"], [1, 2, 3, 4, 5])
    ax = bc.plot_pair(*(pair if is_upright else pair[::-1]))

    assert texts(ax.get_xticklabels() if is_upright else ax.get_yticklabels()) == ["a (2)", "b (3)"]


def test_labels_are_a_mosaic_of_shares():
    x, y = pd.Series(list("aaab"), name="color"), pd.Series([True, True, False, False], name="big")
    ax = bc.plot_pair(x, y)

    assert (ax.get_xlabel(), ax.get_ylabel()) == ("color", "big")
    assert [round(bar.get_width(), 3) for bar in ax.patches] == [0.75, 0.25, 0.75, 0.25]
    assert [round(bar.get_height(), 3) for bar in ax.patches] == [0.333, 1, 0.667, 0]


def test_of_many_categories_the_most_common_are_drawn():
    rng = np.random.default_rng(0)
    codes = np.append(rng.integers(100, size=900), [7] * 50)
    ax = bc.plot_pair([f"k{code:02}" for code in codes], rng.random(950))

    labels = texts(ax.get_xticklabels())
    assert len(labels) == 20
    assert any(label.startswith("k07 ") for label in labels)


def test_importances_of_forests_and_tests_are_drawn_best_first():
    X = pd.DataFrame(make_demo())
    y = X.pop("yield")
    forest = bc.RandomForestClassifier(n_estimators=50, random_state=0).fit(X, y > y.median())
    test = bc.RandomForestClassifier(n_estimators=20, random_state=0).importance_test(
        X, y > y.median(), n_permutations=19
    )

    best = X.columns[np.argsort(-forest.feature_importances_)[:2]]
    assert best[0] == "rainfall"
    assert texts(bc.plot_importances(forest, 2).get_yticklabels()) == list(best)
    assert legend(bc.plot_importances(test))[0] == "p ≤ 0.05"
    bare = bc.RandomForestClassifier(n_estimators=5, random_state=0).fit(np.eye(8), [0, 1] * 4)
    assert texts(bc.plot_importances(bare, 1).get_yticklabels()) == ["column 0"]


def test_names_cannot_break_a_figure():
    evil = ["$x_{", "_hidden", "a\nb\x1b", "$\\frac$", "<script>"]
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 5)), columns=evil)
    ranking = bc.rank(table)
    labels = np.array(evil)[rng.integers(5, size=40)]

    assert len(ranking.plot().get_yticklabels()) == 10
    bc.plot_sweep(ranking.sweep([0.4, 0.05], k=5))
    assert "_hidden" in [text.strip() for text in legend(bc.plot_pair(labels, labels))]
    bc.plot_pair(pd.Series(labels, name="$x_{"), table["_hidden"])


@pytest.mark.parametrize("name", [name for name in bc.__all__ if name.startswith("plot_")])
def test_figures_are_drawn_into_the_axes_that_are_given(name, ranking):
    x = np.arange(20.0)
    given = {
        "plot_alpha_curve": lambda: (curve(),),
        "plot_bias": lambda: (ranking,),
        "plot_importances": lambda: (bc.DecisionTreeClassifier().fit(x[:, None], x > 9),),
        "plot_null": lambda: (bc.adjust("r2", x, x % 7),),
        "plot_pair": lambda: (x, x % 7),
        "plot_ranking": lambda: (ranking,),
        "plot_sweep": lambda: (ranking.sweep([0.4, 0.05]),),
    }[name]()
    _, ax = plt.subplots()

    assert getattr(bc, name)(*given, ax=ax) is ax
    assert plt.get_fignums() == [1]
    assert ax.get_xlabel()
    assert ax.get_ylabel() or texts(ax.get_yticklabels())


def curve():
    x = np.arange(40.0)
    forest = bc.RandomForestClassifier.from_paper(n_estimators=5)
    return bc.alpha_curve(x[:, None], x > 19, alphas=[0.05, 0.5], n_repeats=2, forest=forest)


def test_the_style_ends_where_it_should():
    before = plt.rcParams["axes.grid"]
    with style():
        assert plt.rcParams["axes.grid"]
    assert plt.rcParams["axes.grid"] == before
