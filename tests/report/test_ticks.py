"""Ticks of the page in a real browser: the bound is the library's, and the link brings them back."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bychance as bc
from bychance.report import LEVELS
from tests.report.conftest import as_opened
from tests.report.test_browser import move_slider


@pytest.fixture(scope="module")
def related():
    """Draw pairs with different n, a third of them related, one untested."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=120)
    table = {f"x{k}": rng.normal(size=120) + (0.8 * hidden if k < 6 else 0) for k in range(12)}
    for k in range(12):
        table[f"x{k}"][: 5 * k] = np.nan
    return bc.rank(table | {"flat": np.ones(120)}, measure="r2", null="moments", alpha=[0.05, *LEVELS])


@pytest.fixture
def ticking(related, keep_open):
    one = keep_open(related)
    page = as_opened(one.page)
    page.evaluate(
        "() => { if (!document.getElementById('untick').hidden) document.getElementById('untick').click(); }"
    )
    yield page
    assert one.troubles == []


def boxes(page):
    return page.locator("#rows tr[data-pair] input")


def said(page, output="ticked"):
    """Return the least number and the number of pairs that the page states."""
    text = page.locator(f"#{output}-bound").inner_text()
    found = re.search(r"(?:at least ([\d,]+)|(none)) of ([\d,]+) pairs? ", text)
    assert "95% confidence, for any selection you make" in text
    return int(found[1] or 0), int(found[3])


def bound(ranking, selection):
    found = ranking.at_least_true(selection)
    return found.at_least, found.n_selected


def test_ticked_rows_have_the_bound_of_the_library(related, ticking):
    assert ticking.locator("#ticked-bound").inner_text().startswith("Tick rows")
    for k in (0, 2, 7):
        boxes(ticking).nth(k).check()
    assert said(ticking) == bound(related, [0, 2, 7])
    boxes(ticking).nth(2).uncheck()
    assert said(ticking) == bound(related, [0, 7])
    for k in (1, 2, 3, 4, 5, 6, 8, 9):
        boxes(ticking).nth(k).check()
    assert said(ticking) == bound(related, 10)
    assert said(ticking)[0] > 3
    ticking.locator("#untick").click()
    assert not boxes(ticking).first.is_checked()
    assert ticking.locator("#ticked-bound").inner_text().startswith("Tick rows")


def test_on_a_phone_the_bound_is_in_sight_while_rows_are_ticked(related, ticking):
    ticking.set_viewport_size({"width": 390, "height": 844})
    for k in (0, 1):
        boxes(ticking).nth(k).check()
    ticking.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    box = ticking.locator("#ticked-bound").bounding_box()
    table = ticking.locator("#scroller").bounding_box()

    assert said(ticking) == bound(related, [0, 1])
    assert table["y"] < 844 < table["y"] + table["height"]
    assert 0 < box["y"] < box["y"] + box["height"] <= 844


def test_the_space_bar_ticks_the_selected_pair(ticking):
    ticking.locator("#table").focus()
    ticking.keyboard.press("ArrowDown")
    ticking.keyboard.press("Space")

    assert boxes(ticking).nth(1).is_checked()
    assert said(ticking)[1] == 1
    ticking.keyboard.press("Space")
    assert not boxes(ticking).nth(1).is_checked()


def test_ticks_stay_with_their_pairs_when_the_order_changes(ticking):
    boxes(ticking).first.check()
    name = ticking.locator("#rows tr[data-pair] .names").first.inner_text()
    ticking.locator("#headings .names button").click()
    rows = ticking.locator("#rows tr[data-pair]")
    ticked = [
        rows.nth(k).locator(".names").inner_text() for k in range(12) if boxes(ticking).nth(k).is_checked()
    ]
    for _ in range(2):
        ticking.locator("#headings .names button").click()

    assert set(ticked) <= {name}
    assert boxes(ticking).first.is_checked()


def test_the_slider_shows_the_bound_of_what_lies_above_0(related, ticking):
    sweep = related.sweep(LEVELS)
    order = np.argsort(related._place)
    seen = set()
    for level in (0, LEVELS.index(0.4), LEVELS.index(0.05), LEVELS.index(0.001)):
        move_slider(ticking, level)
        assert said(ticking, "above") == bound(related, sweep.scores[order, level] > 0)
        seen.add(said(ticking, "above"))
    assert len(seen) > 2


def test_a_box_on_the_plot_ticks_the_points_in_it(related, ticking):
    ticking.evaluate("document.getElementById('bias').scrollIntoView({ behavior: 'instant' })")
    ticking.wait_for_selector("#adjusted-chart .main-svg")
    area = ticking.locator("#adjusted-chart .nsewdrag").bounding_box()
    ends = ticking.evaluate(
        """() => {
          const { xaxis, yaxis } = document.getElementById("adjusted-chart")._fullLayout;
          return { x: xaxis.l2p(Math.log10(90)), y: yaxis.l2p(0.1) };
        }"""
    )
    ticking.mouse.move(area["x"] + ends["x"], area["y"] + ends["y"])
    ticking.mouse.down()
    ticking.mouse.move(area["x"] + area["width"] - 1, area["y"] + 1, steps=5)
    ticking.mouse.up()
    ticking.wait_for_selector("#untick:not([hidden])")  # charts report a box a moment later
    frame = related.to_pandas()
    inside = (frame.n >= 90) & (frame.adjusted >= 0.1)

    assert 1 < inside.sum() < len(frame) / 2
    assert said(ticking) == said(ticking, "boxed") == bound(related, inside)


def test_the_link_brings_ticks_back(related, ticking, browser):
    for k in (0, 1, 5):
        boxes(ticking).nth(k).check()
    before = said(ticking)
    ticking.locator("nav a[href='#bias']").click()
    link = ticking.evaluate("new Promise((seen) => setTimeout(() => seen(location.href), 100))")
    assert "#ticked=" in link
    other = browser.new_page()
    other.goto(link)
    other.wait_for_selector("html[data-ready]")

    assert said(other) == before
    assert [boxes(other).nth(k).is_checked() for k in range(6)] == [True, True, False, False, False, True]
    other.goto(link.split("#")[0] + "#ticked=0-1.99999999.x.3")
    other.wait_for_selector("#ticked-bound:has-text(' of 3 pairs ')")
    other.locator("#untick").click()
    assert "#" not in other.evaluate("location.href")
    other.close()
