"""Pages in headless Chromium: how soon they answer after they are opened, and how soon the slider does."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import bychance as bc
from benchmarks.timing import best_time
from bychance.report import LEVELS

DATA = Path(os.environ.get("BYCHANCE_DATA", Path(__file__).parents[2] / "shared" / "data"))
FLAGS = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
ROUNDS = 5

# From the input event to the second frame after it: the first one has painted the new rows.
SLIDE = """async (level) => {
  const slider = document.getElementById("alpha");
  const started = performance.now();
  slider.value = level;
  slider.dispatchEvent(new Event("input"));
  await new Promise((done) => { requestAnimationFrame(() => { setTimeout(done); }); });
  return performance.now() - started;
}"""


def facts() -> Iterator[str]:
    program = shutil.which(os.environ.get("BYCHANCE_CHROMIUM", "chromium"))
    if program is None or not (DATA / "WHO.csv").exists():
        yield "pages: not measured, for want of chromium or of WHO.csv"
        return
    table = bc.read_table(DATA / "WHO.csv", drop=["Country", "CountryID", "Continent"])
    options = {"measure": "r2", "null": "paper", "alpha": [0.05, *LEVELS]}
    with tempfile.TemporaryDirectory() as folder:
        for target in ("Breast_cancer_number_of_female_deaths", None):
            ranking = bc.rank(table, target=target, **options)
            page = Path(folder) / "page.html"
            seconds = best_time(lambda: ranking.report(page))  # noqa: B023 called at once
            opened, drawn, slid = in_browser(program, page)
            yield (
                f"page of {len(ranking):,} pairs: written in {seconds:.1f} s, "
                f"{page.stat().st_size / 1e6:.1f} MB; answers {opened:.2f} s after it is opened, charts "
                f"{drawn:.2f} s; slider to painted table {slid:.0f} ms (medians over {ROUNDS} openings)"
            )


def in_browser(program: str, page_file: Path) -> tuple[float, float, float]:
    """Measure seconds until the table and the charts answer, and milliseconds of the slider."""
    from playwright.sync_api import sync_playwright

    opened, drawn, slid = [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS.split())
        for _ in range(ROUNDS):
            page = browser.new_page()
            page.goto(page_file.as_uri())
            page.wait_for_selector("html[data-ready]")
            marks = page.evaluate("performance.getEntriesByType('mark').map((mark) => mark.startTime)")
            opened.append(marks[0] / 1e3)
            drawn.append(marks[1] / 1e3)
            page.wait_for_timeout(500)
            times = [page.evaluate(SLIDE, level) for level in range(len(LEVELS))]
            slid.append(median(times))
            page.close()
        browser.close()
    return median(opened), median(drawn), median(slid)


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
