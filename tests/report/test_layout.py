"""Layout of the page: what opens it, nothing clipped at three widths, and print without blank sheets."""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

import bychance as bc
from bychance.report import LEVELS
from tests.report.conftest import Opened, as_opened, listed, make_table, see_all_charts

WIDTHS = [1400, 800, 390]
CLIPPED = """(selector) => [...document.querySelectorAll(selector)]
  .filter((e) => e.offsetParent && (e.scrollWidth > e.clientWidth + 1
    || (e.matches("p, h3") && e.scrollHeight > e.clientHeight + 2)))
  .map((e) => `${e.className}: ${e.textContent}`)"""


@pytest.fixture(scope="module")
def dated():
    """Draw a table with dates, a row counter and an identifier, sampled so that errors show."""
    day = np.array("2020-01-01T00:00", dtype="M8[ns]") + np.arange(400) * np.timedelta64(86_400 * 10**9, "ns")
    table = {**make_table(), "day of the visit": day, "row": np.arange(400)}
    table |= {"id": [f"p{k}" for k in range(400)]}
    return bc.rank(table, null="moments", alpha=[0.05, *LEVELS])


@pytest.fixture(scope="module", params=WIDTHS)
def sized(dated, browser, write_page, request):
    """Return the page at a width, and the width, with one page for all tests."""
    opened = Opened(browser, write_page(dated), viewport={"width": request.param, "height": 900})
    opened.page.wait_for_selector("html[data-ready]")
    yield opened.page, request.param
    opened.context.close()
    assert opened.troubles == []


@pytest.fixture
def dated_page(dated, keep_open):
    """Return the page at its full size, the same for all tests, as it was when it opened."""
    one = keep_open(dated)
    yield as_opened(one.page)
    assert one.troubles == []


def tops(page, *parts):
    return [page.locator(part).bounding_box()["y"] for part in parts]


def test_the_sentence_comes_first_then_the_picture_then_the_ranking_then_the_others(dated, sized):
    page, width = sized
    parts = ("#ranking", "#stability", "#bias", "#matrix", "#columns", "#left-out", "#repeat")

    assert page.locator(".verdict").inner_text() == dated.verdict()
    assert page.locator("nav a").first.inner_text() == "Ranking"
    assert tops(page, *parts) == sorted(tops(page, *parts))
    sentence, picture, ranking = tops(page, ".verdict", ".picture", "#ranking")
    assert picture < ranking
    assert sentence < (picture if width < 720 else ranking)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (768, 1024), (1400, 900)])
def test_the_table_starts_within_the_first_screen(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    first = page.locator("#rows tr[data-pair]").first.bounding_box()

    assert first["y"] + first["height"] < height


def test_the_picture_has_the_best_pairs_beside_what_chance_gives(dated, dated_page):
    drawn = dated_page.locator(".picture li")
    records = list(dated.best(8, fold=True))
    ends = [end for r in records for end in (r["observed"], r["observed"] - r["adjusted_at"])]
    for k, record in enumerate(records):
        row = drawn.nth(k)
        left, width = (float(row.locator(".chance").evaluate(f"(e) => e.style.{side}")[:-1])
                       for side in ("left", "width"))  # fmt: skip
        quantile = record["observed"] - record["adjusted_at"]

        assert row.locator("bdi").inner_text().split() == [record["x"], *arrow_and_name(record)]
        assert row.locator(".rows").inner_text() == f"n = {record['n']}"
        assert left == pytest.approx(100 * record["null_mean"] / max(ends), abs=0.02)
        assert left + width == pytest.approx(100 * quantile / max(ends), abs=0.02)
        point = row.locator(".dot")
        assert float(point.evaluate("(e) => e.style.left")[:-1]) == pytest.approx(
            100 * record["observed"] / max(ends), abs=0.02
        )
        assert ("hollow" in point.get_attribute("class")) == (record["adjusted_at"] <= 0)
    assert drawn.count() == 8
    assert dated_page.locator(".picture .axis span").first.inner_text() == "0"


def arrow_and_name(record):
    is_both = "soil" not in (record["x"], record["y"])  # the only column of categories among the best
    return ["↔" if is_both else "→", record["y"]]


def test_the_overview_of_columns_unfolds(dated, sized):
    page, _ = sized
    assert not page.locator(".overview").is_visible()
    page.locator("nav a", has_text="Columns").click()
    page.wait_for_selector(".overview", state="visible")
    names = page.locator(".overview tbody th").all_inner_texts()
    assert names == [column.name for column in dated._plan.table.overview()]
    assert page.locator(".overview svg").count() == len(dated._plan.table.columns)
    shown = page.locator(".overview tbody tr", has_text="day of the visit").inner_text()
    assert "2020-01-01 to 2021-02-03" in shown
    assert "it counts the rows" in page.locator(".overview tbody tr", has_text="counts").inner_text()
    assert "an identifier" in page.locator(".overview tbody tr", has_text="set aside").inner_text()


def test_every_heading_of_the_table_has_a_meaning_that_unfolds(sized):
    page, _ = sized
    assert not page.locator(".meanings dd").first.is_visible()
    page.locator(".meanings summary").click()
    meanings = dict(
        zip(
            page.locator(".meanings dt").all_inner_texts(),
            page.locator(".meanings dd").all_inner_texts(),
            strict=True,
        )
    )
    shown = page.locator("#headings th:visible button").all_inner_texts()

    assert set(shown) - {"#", "pair"} <= set(meanings)
    assert all(meanings.values())
    assert "the number to report" in meanings["adjusted"]
    assert page.locator(".meanings").get_by_text("pairs that stay on top at every α hold").is_visible()


def test_no_cell_is_clipped(sized):
    page, width = sized
    page.wait_for_timeout(200)  # names are fitted once the table has its width

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for parts in (
        "#table td, #table th, #scroller",
        ".overview td, .overview th",
        ".results dd",
        ".verdict, .lead, .remark, .announcement, .guarantee, .count",
    ):
        assert page.evaluate(CLIPPED, parts) == []


def test_the_recommended_level_is_marked_under_the_slider(sized):
    page, _ = sized
    slider, mark = (page.locator(part).bounding_box() for part in ("#alpha", ".recommended span"))
    thumb = slider["x"] + 8 + (slider["width"] - 16) * LEVELS.index(0.05) / (len(LEVELS) - 1)

    assert abs(mark["x"] + mark["width"] - thumb) < 8


def test_the_heat_map_names_rows_and_columns(sized):
    page, _ = sized
    page.locator("#matrix").scroll_into_view_if_needed()
    page.wait_for_selector("#heat-chart .ytick")
    n_columns = page.evaluate("document.getElementById('heat-chart').data[0].z.length")

    for side in "xy":
        ticks = page.locator(f"#heat-chart .{side}tick text").all_text_contents()
        assert len(ticks) == n_columns
        assert any(tick.startswith("rainf") for tick in ticks)
    assert "Rows explain columns" in page.locator("#heat-remark").inner_text()


def test_dates_are_dates_on_axes(sized):
    page, _ = sized
    page.locator("#search").fill("visit rainfall_mm")
    page.locator("#rows tr[data-pair]").first.click()
    page.locator("#data-chart").scroll_into_view_if_needed()
    page.wait_for_selector("#data-chart .xtick")
    page.wait_for_function("document.querySelector('#data-chart').textContent.includes('2020')")
    assert "×10" not in page.locator("#data-chart").text_content()
    page.locator("#as-ranks").check()
    page.wait_for_function("!document.querySelector('#data-chart').textContent.includes('2020')")


def test_where_ranks_jump_the_folded_pairs_are_said(dated_page):
    page = dated_page
    first = page.locator("#rows tr[data-pair] td.place").first

    assert "near-duplicates folded: their ranks are skipped" in page.locator("#count").inner_text()
    assert first.inner_text() != "1"
    page.locator("#fold").uncheck()
    assert "folded" not in page.locator("#count").inner_text()
    assert first.inner_text() == "1"


def test_arrows_tell_directions(dated_page):
    page = dated_page
    page.locator("#search").fill("soil yield")
    arrows = page.locator("#rows .names bdi + bdi").evaluate_all("(all) => all.map((e) => e.dataset.arrow)")
    page.locator("#search").fill("rainfall yield")
    both = page.locator("#rows .names bdi + bdi").evaluate_all("(all) => all.map((e) => e.dataset.arrow)")

    assert arrows == ["→", "→"]
    assert set(both) == {"↔"}


def test_notes_are_marked_where_there_is_no_room_for_them(dated_page):
    page = dated_page
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator("#has-note").select_option("yes")
    noted = page.locator("#rows .names[data-noted]")

    assert noted.count() == page.locator("#rows tr[data-pair]").count() > 0
    noted.first.click()
    assert page.locator("#pair-note").inner_text() != ""
    assert page.evaluate(CLIPPED, "#pair-note, #pair-title") == []


def test_limits_are_shown_with_the_pair(dated, dated_page):
    best = next(dated.best(1, fold=True))

    shown = dated_page.locator("#pair-results .limits dd").inner_text()
    assert shown == f"{best['adjusted_low']:.3f} to {best['adjusted_high']:.3f}"


def test_the_page_says_whether_it_holds_the_data(dated, dated_page, open_page):
    said = dated_page.locator("footer").inner_text()
    assert "holds the data: values of 16 columns, 400 of 400 rows" in said
    bare = open_page(dated.without_data())
    bare.wait_for_selector("html[data-ready]")

    assert "none of its values" in bare.locator("footer").inner_text()
    assert bare.locator(".overview svg").count() == 0
    assert bare.evaluate("Object.keys((document.querySelector('#data-chart').data ?? {})).length") == 0


def sheets_of(pdf):
    """Count the bytes that are drawn on each sheet."""
    objects = {int(m[1]): m[2] for m in re.finditer(rb"(\d+) 0 obj(.*?)endobj", pdf, re.DOTALL)}
    pages = [held for held in objects.values() if re.search(rb"/Type\s*/Page[^s]", held)]
    contents = [objects[int(re.search(rb"/Contents (\d+)", page)[1])] for page in pages]
    streams = [re.search(rb"stream\r?\n(.*)endstream", held, re.DOTALL)[1] for held in contents]
    return [len(zlib.decompress(stream.rstrip(b"\r\n"))) for stream in streams]


def test_print_has_no_blank_sheets(dated_page):
    drawn = sheets_of(dated_page.pdf(format="A4"))

    assert 3 <= len(drawn) <= 8
    assert min(drawn) > 2_000


def test_print_shows_the_columns_whole(dated, open_page):
    page = open_page(dated, viewport={"width": 688, "height": 900})
    page.wait_for_selector("html[data-ready]")
    page.emulate_media(media="print")
    page.wait_for_selector("#scroller[data-printed=yes]")
    box = page.locator(".scroller.columns").evaluate("(e) => [e.scrollHeight, e.clientHeight]")

    assert box[0] <= box[1] + 1
    assert page.locator(".overview tbody tr").count() == len(dated._plan.table.overview())
    assert page.evaluate("document.documentElement.scrollWidth") <= 688


@pytest.mark.parametrize("width", [360, 768, 1280])
def test_the_page_fits_its_width(page, tmp_path, width):
    page.set_viewport_size({"width": width, "height": 800})
    see_all_charts(page)
    folder = Path(os.environ.get("BYCHANCE_SCREENSHOTS", tmp_path))
    page.screenshot(path=folder / f"report-{width}.png", full_page=True)

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (folder / f"report-{width}.png").stat().st_size > 20_000


def test_charts_follow_the_dark_theme(page):
    from playwright.sync_api import expect

    background = "getComputedStyle(document.body).backgroundColor"
    tick = page.locator("#null-chart .xtick text").first
    light, light_fill = page.evaluate(background), tick.evaluate("(text) => getComputedStyle(text).fill")
    page.emulate_media(color_scheme="dark")

    expect(page.locator("#null-chart .xtick text").first).not_to_have_css("fill", light_fill)
    assert page.evaluate(background) != light


def test_print_is_light_and_whole(page):
    page.emulate_media(color_scheme="dark")
    page.emulate_media(media="print")
    page.wait_for_selector("#scroller[data-printed=yes]")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.wait_for_function("document.documentElement.scrollWidth <= 1280")  # charts are drawn anew for print
    assert not page.locator("nav").is_visible()
    assert len(listed(page)) == 40
    for chart in ("data", "null", "bump", "raw", "adjusted", "heat"):
        page.wait_for_selector(f"#{chart}-chart .main-svg", state="attached")
    box, detail = (page.locator(name).bounding_box() for name in ("#scroller", "#detail"))
    assert box["y"] + box["height"] <= detail["y"]


def test_print_fits_a_sheet(ranking, open_page):
    page = open_page(ranking, viewport={"width": 688, "height": 1400})  # A4 with its margins
    page.wait_for_selector("html[data-ready]")
    page.emulate_media(media="print")
    page.wait_for_selector("#scroller[data-printed=yes]")

    assert page.evaluate("document.documentElement.scrollWidth") <= 688


def test_charts_stay_in_their_frames_when_the_window_changes(page):
    see_all_charts(page)
    page.set_viewport_size({"width": 1000, "height": 800})
    page.wait_for_timeout(500)  # charts follow a little later

    for chart in ("bump-chart", "heat-chart"):
        box = page.locator(f"#{chart}").bounding_box()
        drawn = page.locator(f"#{chart} .main-svg").first.bounding_box()
        assert drawn["x"] + drawn["width"] <= box["x"] + box["width"] + 0.5


def test_a_phone_shows_the_figures_whole_that_order(page):
    page.set_viewport_size({"width": 360, "height": 800})
    for by in ("observed", "adjusted", "standardized", "adjusted_at"):
        page.locator(f"input[value={by}]").check(force=True)
        assert page.locator("#headings .adjusted").is_visible()
        cells = page.locator(f"#rows tr[data-pair] td.{by}")
        assert cells.first.is_visible()
        assert cells.evaluate_all("(all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth)") == []
