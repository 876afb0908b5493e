"""Plots of a page given covariates: residuals of numeric columns, and strata."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.report import summarize


@pytest.fixture
def table(rng):
    site, age = rng.integers(0, 3, 120), rng.standard_normal(120)
    x = np.where(rng.random(120) < 0.1, np.nan, age + rng.standard_normal(120))
    return {
        "x": x,
        "y": age + site + rng.standard_normal(120),
        "tag": rng.choice(["u", "v"], 120),
        "age": age,
        "site": np.array(list("pqr"))[site],
        "is_new": rng.random(120) < 0.5,
    }


def summary_of(table, given):
    ranking = bc.rank(table, given=given, null="moments")
    summary = summarize(ranking, alphas=[0.05])
    columns = {ranking._plan.table.names[int(k)]: v for k, v in summary["values"]["columns"].items()}
    return summary, columns


def test_numbers_have_residuals(table):
    summary, columns = summary_of(table, ["age"])
    left = columns["y"]["residuals"]

    assert summary["given"] == "age"
    assert "beyond age, " in summary["headline"]
    assert abs(np.corrcoef(left, table["age"])[0, 1]) < 1e-5
    assert np.array_equal(np.isnan(columns["x"]["residuals"]), np.isnan(table["x"]))
    assert "residuals" not in columns["tag"]
    assert "strata" not in summary["values"]


def test_labels_make_strata(table):
    strata = summary_of(table, ["site", "is_new"])[0]["values"]["strata"]
    names = np.array(strata["labels"])[strata["codes"]]

    assert list(names[:3]) == [
        f"{s}, {new}" for s, new in zip(table["site"][:3], table["is_new"][:3], strict=True)
    ]


def test_pages_without_covariates_say_nothing_of_them(table):
    summary = summarize(bc.rank(table, null="moments"), alphas=[0.05])

    assert summary["given"] is None
    assert "strata" not in summary["values"]


def test_the_code_of_a_page_names_the_covariates(table):
    plain = bc.rank(table, given=["age"], null="moments")
    linear = bc.rank(table, given=bc.Given("age", control="linear"), null="moments")

    assert "given=['age']," in summarize(plain, alphas=[0.05])["command"]
    command = summarize(linear, alphas=[0.05])["command"]
    assert "given=bc.Given(['age'], control='linear', effect='common')," in command
    assert ("given", "beyond age, 1 cell") in summarize(linear, alphas=[0.05])["settings"]


def test_the_panel_shows_what_is_left_and_every_stratum(table, open_page):
    page = open_page(bc.rank(table, given=["age", "site"], null="moments"))
    page.wait_for_selector("html[data-ready]")
    n_drawn = set()
    for row in page.locator("#rows tr[data-pair]").all():
        row.click()
        page.locator("#given-chart").scroll_into_view_if_needed()
        page.wait_for_selector("#given-chart .main-svg")
        axes = page.evaluate("Object.keys(document.getElementById('given-chart').layout)")
        names = row.locator(".names").inner_text().split()
        n_drawn.add((sum("xaxis" in axis for axis in axes), {"x", "y"} <= set(names)))

    assert page.locator("#given-title").inner_text() == "Beyond age and site"
    assert n_drawn == {(4, True), (3, False)}  # residuals of two numbers, and three strata
