"""adjust() and its like read text as read_table() does, and say so."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bychance as bc
from bychance.errors import BychanceWarning

N = 30
Y = np.arange(N) ** 2 % 7
AREAS = [f"{k % 11} m²" for k in range(N)]
SIZES = np.arange(N) % 11


@pytest.mark.parametrize(
    "make", [list, pd.Series, np.array, pl.Series, pa.array, lambda v: np.array(v, object)]
)
@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (AREAS, SIZES, "`x` is text: numbers in m²"),
        ([f"${k * 700:,}" for k in SIZES], SIZES * 700, r"`x` is text: numbers in \$; commas separate"),
        ([f"3:{k + 10}:05" for k in SIZES], SIZES, "`x` is text: read as times"),
        ([f"2020-01-{k + 10}" for k in SIZES], SIZES, "`x` is text: read as dates"),
    ],
    ids=["units", "dollars", "times", "dates"],
)
def test_amounts_dates_and_times_are_read_with_a_warning(make, cells, numbers, said):
    with pytest.warns(BychanceWarning, match=said) as told:
        found = bc.adjust("explained", make(cells), Y)

    assert told[0].filename == __file__
    assert found.observed == pytest.approx(bc.measure("explained", numbers, Y), rel=1e-12)


def test_numbers_beside_a_word_stay_categories_with_a_warning_that_ranking_sets_them_aside():
    cells = [*(f"3:{k + 10}:05" for k in range(30)), "DNF"]

    with pytest.warns(
        BychanceWarning, match="31 categories, which bc.read_table sets aside: mixed: 30 of 31"
    ):
        bc.adjust("explained", cells, np.arange(31) ** 2 % 7)


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical([f"{k} m²" for k in range(30)]),
        [f"P{k}" for k in range(30)],
        [str(k) for k in range(30)],
        ["007", "042", "100"] * 10,
        ["1.5", "2.5", "7"] * 10,
        [True, False, True] * 10,
    ],
    ids=["declared", "codes", "codes of digits", "padded codes", "few decimals", "booleans"],
)
def test_other_categories_are_taken_without_a_word(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.adjust("explained", values, np.arange(30) ** 2 % 7)


def test_many_decimals_as_text_are_categories_with_a_warning():
    cells = [f"{k / 7:.3f}" for k in range(30)]

    with pytest.warns(BychanceWarning, match="`x` is text: 30 numbers, taken for categories; convert them"):
        bc.measure("explained", cells, Y)


def test_a_measure_of_categories_takes_numbers_as_text_without_a_word():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bc.adjust("mi", [str(k % 25) for k in range(60)], ["a", "b"] * 30)


@pytest.mark.parametrize("mark", ["NA", "", "n/a"])
def test_marks_of_missing_values_in_text_are_missing_as_in_a_table(mark):
    labels = np.array(["a", "b", mark] * 10)
    (row,) = bc.rank({"x": labels, "y": Y}, target="y", measure="explained")

    assert row["n"] == bc.adjust("explained", labels, Y).n == 20
    assert row["observed"] == pytest.approx(bc.measure("explained", labels, Y), rel=1e-12)


def test_covariates_are_read_alike():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, N))
    with pytest.warns(BychanceWarning, match="`area` is text: numbers in m²") as told:
        found = bc.adjust("r2", x, y, given={"area": AREAS})

    assert told[0].filename == __file__
    assert found.observed == bc.measure("r2", x, y, given={"area": SIZES})
    assert bc.measure("r2", x, y, given={"site": SIZES.astype(str)}) != found.observed


def test_grids_and_drawings_are_read_alike():
    with pytest.warns(BychanceWarning, match="`x` is text: numbers in m²"):
        grid = bc.mic_grid(AREAS, Y)
    with pytest.warns(BychanceWarning, match="`x` is text: numbers in m²"):
        axes = bc.plot_pair(AREAS, Y)

    assert grid.value == bc.mic_grid(SIZES, Y).value
    assert axes.get_xlim()[1] == pytest.approx(10.5)


@pytest.mark.parametrize("values", [[], np.array([], dtype=str), np.array([["a"], ["b"]])])
def test_what_is_no_column_is_an_error_as_before(values):
    with pytest.raises(ValueError, match=r"`x` must (not be empty|be one-dimensional)"):
        bc.adjust("explained", values, Y)
