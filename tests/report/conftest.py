"""Rankings with pages, and one browser for all tests of a worker, which are skipped without one."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.report import LEVELS

SCRIPT = "<script>alert(1)</script>"
HOSTILE = [
    SCRIPT,
    "</script><!--",
    "\u2028two\nlines\ttab",
    "ע\u202eברית",
    "😀" * 40,
    "w" * 10_000,
    "\"quoted', &amp;",
    "=1+1",
]
VIEWPORT = {"width": 1280, "height": 2300}  # the selected pair is in sight whole
_FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def make_table():
    """Draw numbers with gaps, labels, a copy in other units, and a constant column."""
    table = make_demo()
    return {**table, "rainfall_mm": 25.4 * table["rainfall"], "flat": np.ones(400)}


def make_hostile():
    rng = np.random.default_rng(0)
    table = {name: rng.normal(size=40) for name in HOSTILE}
    labels = [SCRIPT, 'say "hi"', "a\nb", "🌧️", "مرحبا", "l" * 10_000]
    return {**table, "labels": rng.choice(labels, size=40), "<b>bold</b>": rng.choice(labels[:3], size=40)}


@pytest.fixture(scope="session")
def ranking():
    return bc.rank(make_table(), null="moments", alpha=[0.05, *LEVELS])


@pytest.fixture(scope="session")
def mic_ranking():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = {"x": x, "parabola": x**2 + 0.1 * rng.normal(size=60), "noise": rng.normal(size=60)}
    return bc.rank(table, measure="mic", null=bc.Permutation(199), alpha=[0.05, *LEVELS])


@pytest.fixture(scope="session")
def write_page(tmp_path_factory):
    """Return a function from a ranking to its page, which is written once."""
    written = {}

    def write(ranking):
        if id(ranking) not in written:
            path = tmp_path_factory.mktemp("pages") / "report.html"
            written[id(ranking)] = (ranking, ranking.report(path))
        return written[id(ranking)][1]

    return write


@pytest.fixture(scope="session")
def browser():
    program = shutil.which(os.environ.get("BYCHANCE_CHROMIUM", "chromium"))
    if program is None:
        reason = "chromium is not installed (apt-get install chromium), or name it in BYCHANCE_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=_FLAGS.split())
        yield started
        started.close()


class Opened:
    """A page with what went wrong in it: messages, errors, dialogs, and requests to anywhere."""

    def __init__(self, browser, path, **options):
        self.troubles = []
        self.context = browser.new_context(**{"viewport": VIEWPORT, **options})
        self.page = self.context.new_page()
        note = self.troubles.append
        self.page.on("console", lambda message: note(message.text))
        self.page.on("pageerror", lambda error: note(str(error)))
        self.page.on("dialog", lambda dialog: (note(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda r: None if r.url.startswith(("file:", "blob:")) else note(r.url))
        self.page.goto(path.as_uri())


@pytest.fixture
def open_page(browser, write_page):
    """Return a function that opens a ranking's page from disk, and check for errors in the end."""
    opened = []

    def open_one(ranking, **options):
        opened.append(Opened(browser, write_page(ranking), **options))
        return opened[-1].page

    yield open_one
    for one in opened:
        one.context.close()
        assert one.troubles == []


@pytest.fixture(scope="session")
def keep_open(browser, write_page):
    """Return a function from a ranking to its page, opened once for tests that put it back by `as_opened`."""
    opened = {}

    def keep(ranking):
        if id(ranking) not in opened:
            opened[id(ranking)] = Opened(browser, write_page(ranking))
            opened[id(ranking)].page.wait_for_selector("html[data-ready]")
        return opened[id(ranking)]

    yield keep
    for one in opened.values():
        one.context.close()


def as_opened(page):
    """Return the page with everything as it was when it opened."""
    page.emulate_media(color_scheme="light", media="screen")
    page.set_viewport_size(VIEWPORT)
    page.evaluate(
        """async () => {
          const [slider, ranks] = ["alpha", "as-ranks"].map((id) => document.getElementById(id));
          document.querySelector("button[type=reset]").click();
          ranks.checked = false;
          const levels = [...document.getElementById("alpha-levels").options];
          slider.value = levels.findIndex((level) => level.label === "0.05");
          slider.dispatchEvent(new Event("input"));
          document.getElementById("scroller").scrollTop = 0;
          await new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)));
          document.querySelector("#rows tr[data-pair]").click();
          scrollTo({ top: 0, behavior: "instant" });
        }"""
    )
    return page


@pytest.fixture
def page(ranking, keep_open):
    """Return the page of `ranking`, the same for all tests, as it was when it opened."""
    one = keep_open(ranking)
    yield as_opened(one.page)
    assert one.troubles == []


def see_all_charts(page):
    """Scroll to each chart, which is drawn when it is seen."""
    page.wait_for_selector("html[data-ready]")
    for part in ("stability", "bias", "matrix"):
        page.locator(f"#{part}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{part} .main-svg")


def listed(page):
    """Return the pairs of the rows that exist, in order."""
    rows = page.locator("#rows tr[data-pair] .names")
    return [tuple(names.split("\n")) for names in rows.all_inner_texts()]
