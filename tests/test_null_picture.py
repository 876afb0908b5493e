"""The notebook's picture of an estimate: its sentence, its null, and the observed value."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

import bychance as bc
from tests.engine.nulls import null_bins

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(2, 60))


def picture_of(page):
    return ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


def line_of(page):
    return float(picture_of(page).find("line").get("x1"))


@pytest.mark.parametrize("null", ["auto", "normal", bc.Permutation(199)])
@pytest.mark.parametrize("slope", [0.0, 0.3, 30.0])
def test_a_notebook_shows_the_sentence_and_the_null(null, slope):
    estimate = bc.adjust("r2", X, Y + slope * X, null=null)
    page = estimate._repr_html_()

    bars = picture_of(page).findall("rect")
    assert page.startswith("<p>r2 = ")
    assert len(bars) == len(null_bins(estimate.null, estimate.observed).density)
    assert all(float(bar.get(name)) >= 0 for bar in bars for name in ("x", "y", "width", "height"))
    assert all(float(bar.get("x")) + float(bar.get("width")) < 361 for bar in bars)
    assert 0 <= line_of(page) <= 360


def test_bars_that_reach_the_observed_value_hold_the_p_value():
    estimate = bc.adjust("r2", X, Y + 0.2 * X)
    bins = null_bins(estimate.null, estimate.observed)
    probability = bins.density * np.diff(bins.edges)

    assert probability[bins.is_reached].sum() == pytest.approx(estimate.p_value, abs=6e-4)
    assert probability.sum() == pytest.approx(1, abs=2e-3)


def test_the_line_is_where_the_observed_value_is():
    low, high = (bc.adjust("r2", X, Y + slope * X)._repr_html_() for slope in (0.2, 3))

    assert line_of(low) < line_of(high)


def test_without_a_null_there_is_no_picture():
    constant = bc.adjust("r2", X, np.ones(60))
    short = bc.adjust("r2", [1.0, np.nan, np.nan], [1.0, 2.0, 3.0])

    assert "<svg" not in constant._repr_html_()
    assert "<svg" not in short._repr_html_()


def test_names_are_escaped():
    def named(x, y):
        return float(np.mean(x * y) ** 2)

    named.__name__ = "<b>"
    page = bc.adjust(named, X, Y, null=bc.Permutation(99))._repr_html_()

    assert "<b>" not in page
    assert "&lt;b&gt;" in page
