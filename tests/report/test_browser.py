"""The page in a real browser: what it lists is what the library says, by mouse and by keyboard."""

from __future__ import annotations

import csv
import io
import math
import re
from pathlib import Path

import numpy as np
import pytest

import bychance as bc
from bychance.report import LEVELS, summarize
from bychance.wording import stated_probability
from tests.report.conftest import HOSTILE, SCRIPT, as_opened, listed, make_hostile, make_table, see_all_charts

FIRST = 12


def expected(frame, order):
    """Return names by an order, without near-duplicates."""
    records = sorted(frame.to_pylist(), key=order)
    return [(r["x"], r["y"]) for r in records if "near-duplicates" not in r["note"]]


def move_slider(page, level):
    page.locator("#alpha").evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }", str(level)
    )


def column(page, name):
    return page.locator(f"#rows tr[data-pair] td.{name}").all_inner_texts()


def downloaded(page):
    """Return what the button saves, one dict per row."""
    with page.expect_download() as download:
        page.locator("#download").click()
    text = Path(download.value.path()).read_bytes().decode("utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def null_bars(page):
    """Return start, width and share of each bar of the null."""
    traces = page.evaluate("document.getElementById('null-chart').data")
    return list(zip(traces[0]["x"], traces[0]["width"], traces[0]["y"], strict=True))


@pytest.fixture
def mic_page(mic_ranking, keep_open):
    one = keep_open(mic_ranking)
    yield as_opened(one.page)
    assert one.troubles == []


def test_the_slider_gives_the_order_of_the_sweep(ranking, page):
    sweep, folded = ranking.sweep(LEVELS), ~ranking._rows.is_duplicate
    names = ranking._plan.table.names
    seen = set()
    for level in range(len(LEVELS)):
        move_slider(page, level)
        best = [k for k in sweep.places[:, level].argsort() if folded[k]][:FIRST]
        assert listed(page)[:FIRST] == [(names[ranking._rows.x[k]], names[ranking._rows.y[k]]) for k in best]
        assert page.locator("#alpha-shown").inner_text() == f"= {LEVELS[level]:g}"
        seen.add(tuple(best))
    assert len(seen) > 3


@pytest.mark.parametrize("by", ["observed", "adjusted", "standardized"])
def test_the_other_orders_are_those_of_the_library(page, by):
    page.locator(f"input[value={by}]").check(force=True)
    frame = bc.rank(make_table(), null="moments", by=by).to_frame()

    assert listed(page)[:FIRST] == expected(frame, lambda r: r["rank"])[:FIRST]


def test_headings_sort_both_ways_and_back(page):
    before = listed(page)
    page.locator("#headings .n button").click()
    most = [int(n) for n in column(page, "n")]
    page.locator("#headings .n button").click()
    fewest = [int(n) for n in column(page, "n")]
    sorts = page.locator("#headings th[aria-sort]")
    assert (sorts.inner_text().split()[0], sorts.get_attribute("aria-sort")) == ("n", "ascending")
    page.locator("#headings .n button").click()

    assert most == sorted(most, reverse=True)
    assert fewest == sorted(fewest)
    assert most[0] > fewest[0]
    assert listed(page) == before


def test_names_sort_by_the_alphabet(page):
    page.locator("#headings .names button").click()
    names = listed(page)

    assert names == sorted(names)


def test_search_and_filters_leave_what_they_say(ranking, page):
    records = [r for r in ranking.to_frame().to_pylist() if "near-duplicates" not in r["note"]]
    page.locator("#search").fill("YIELD sur")
    assert set(listed(page)) == {
        (r["x"], r["y"]) for r in records if "yield" in (r["x"], r["y"]) and "survey" in r["x"] + r["y"]
    }
    page.locator("button[type=reset]").click()
    page.locator("#min-n").fill("100")
    page.locator("#max-q").select_option("0.01")
    wanted = [r for r in records if r["n"] >= 100 and r["q_value"] is not None and r["q_value"] < 0.01]

    assert page.locator("#count").inner_text().startswith(f"{len(wanted)} of")
    assert set(listed(page)) == {(r["x"], r["y"]) for r in wanted}
    page.locator("#search").fill("no such column")
    assert listed(page) == []
    assert "no pair passes" in page.locator("#announcement").inner_text()
    page.locator("button[type=reset]").click()
    page.locator("#has-note").select_option("yes")
    noted = ranking._rows.text("note") != ""
    noted[[int(k) for k in summarize(ranking)["advice"]]] = True
    n_noted = int((noted & ~ranking._rows.is_duplicate).sum())
    assert page.locator("#count").inner_text().startswith(f"{n_noted} of")


def test_the_csv_is_the_frame(ranking, page):
    page.locator("#fold").uncheck()
    rows = downloaded(page)
    frame = ranking.to_frame().to_pylist()

    assert list(rows[0]) == [*list(frame[0])[:6], "alpha", *list(frame[0])[6:]]
    assert len(rows) == len(frame)
    for row, record in zip(rows, frame, strict=True):
        assert float(row.pop("alpha")) == ranking.alpha
        for name, value in record.items():
            if isinstance(value, float):
                assert math.isclose(float(row[name]), value, rel_tol=1e-6, abs_tol=1e-12), name
            else:
                assert row[name] == ("" if value is None else str(value))


def test_a_pair_is_selected_by_keyboard(page):
    order = listed(page)
    page.locator("#table").focus()
    for key, position in [("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("PageDown", 11), ("Home", 0)]:
        page.keyboard.press(key)
        selected = page.locator("#rows tr[aria-selected=true]")
        assert tuple(selected.locator(".names").inner_text().split("\n")) == order[position]
        assert page.locator("#table").get_attribute("aria-activedescendant") == selected.get_attribute("id")
    page.keyboard.press("End")
    last = page.locator("#rows tr[data-pair]").last

    assert last.get_attribute("aria-selected") == "true"
    assert last.get_attribute("aria-rowindex") == page.locator("#table").get_attribute("aria-rowcount")
    title = page.locator("#pair-title bdi").all_inner_texts()
    assert [title[0], title[1].removeprefix("↔ ").removeprefix("→ ")] == last.locator(
        ".names"
    ).inner_text().split("\n")


@pytest.mark.parametrize(
    ("search", "marks"),
    [
        ("rainfall yield", ".scatterlayer .point"),
        ("farmer yield", ".boxlayer .box"),
        ("soil farmer", ".barlayer path"),
    ],
)
def test_the_data_are_drawn_by_their_kinds(page, search, marks):
    page.locator("#search").fill(search)
    page.locator("#rows tr[data-pair]").first.click()
    page.wait_for_selector(f"#data-chart {marks}", state="attached")

    assert page.locator(f"#data-chart {marks}").count() > 1
    assert page.locator("#null-chart .shapelayer path").count() == 3


def test_the_null_is_marked_at_the_levels_quantile(ranking, page):
    move_slider(page, LEVELS.index(0.3))
    page.wait_for_selector("#null-chart .annotation-text:has-text('α = 0.3')")
    best = ranking.sweep([0.3])
    k = int(best.places[:, 0].argmin())
    quantile = ranking._rows.observed[k] - best.scores[k, 0]
    page.locator("#fold").uncheck()
    page.locator("#rows tr[data-pair]").first.click()

    assert f"passes {quantile:.3f} with probability at most 0.3" in page.locator("#null-remark").inner_text()


def test_the_bars_of_the_null_hold_its_probabilities(ranking, page):
    best = next(ranking.best(1, fold=True))
    table = make_table()
    null = bc.adjust(best["measure"], table[best["x"]], table[best["y"]], null="moments").null
    bars = null_bars(page)

    assert sum(mass for *_, mass in bars) == pytest.approx(0.9999)
    for start, width, mass in bars:
        assert mass == pytest.approx(null.sf(start) - null.sf(start + width), abs=0.04)


def test_of_few_levels_only_what_they_tell_of_the_null_is_drawn(open_page):
    page = open_page(bc.rank(make_table(), null="moments", alpha=[0.05, 0.4]))
    page.wait_for_selector("#null-chart .barlayer path", state="attached")

    assert sum(mass for *_, mass in null_bars(page)) == pytest.approx(0.35)
    assert "from its 60% to its 95% quantile" in page.locator("#null-remark").inner_text()


def test_the_grid_behind_mic_is_drawn(mic_ranking, mic_page):
    page = mic_page
    page.wait_for_selector("#data-chart .shapelayer path", state="attached")
    best = next(mic_ranking.best(1))
    table = mic_ranking._plan.table
    grid = bc.mic_grid(table[best["x"]].values, table[best["y"]].values)

    assert page.locator("#data-chart .shapelayer path").count() == len(grid.x_cuts) + len(grid.y_cuts)
    page.locator("#as-ranks").check()
    assert page.locator("#data-chart .shapelayer path").count() == len(grid.x_cuts) + len(grid.y_cuts)


def test_p_values_say_what_kind_of_number_they_are(mic_ranking, page, mic_page):
    assert page.locator("#pair-results .p dd").inner_text().endswith(" (matched)")
    sampled = mic_page
    records = list(mic_ranking.best(3))
    is_bound = [record["p_kind"] == "bound" for record in records]

    assert set(is_bound) == {True, False}
    told = [stated_probability(record["p_value"], record["p_kind"]) for record in records]
    assert column(sampled, "p_value") == told
    assert [text.startswith("<0.005") for text in told] == is_bound
    sampled.locator("#table").focus()
    for record in records:
        shown = sampled.locator("#pair-results .p dd").inner_text()
        if record["p_kind"] == "bound":
            assert shown == "<0.005"
        else:
            assert shown.endswith(f"within a factor of {10 ** (2 * record['p_se']):.2g}")
        sampled.keyboard.press("ArrowDown")


def test_changes_are_announced(page):
    said = page.locator("[aria-live=polite]")
    move_slider(page, 0)

    assert said.inner_text().startswith("At α = 1: ")
    assert "of the first 10" in said.inner_text()


def test_a_pair_that_is_the_same_in_both_directions_is_listed_once(open_page):
    rng = np.random.default_rng(0)
    a = rng.normal(size=60)
    table = {"a": a, "flag": a + rng.normal(size=60) > 0, "soil": rng.choice(list("xyz"), 60)}
    page = open_page(bc.rank(table, null="moments", alpha=[0.05, *LEVELS]))
    arrows = page.locator("#rows .names bdi + bdi").evaluate_all("(all) => all.map((e) => e.dataset.arrow)")

    assert sorted(arrows) == ["→", "→", "→", "→", "↔"]
    assert len({frozenset(pair) for pair in listed(page)}) == 3
    assert page.locator("#count").inner_text() == (
        "5 of 6 pairs; 1 the same in both directions, listed once as ↔"
    )


def test_every_control_has_a_name(page):
    unnamed = page.evaluate(
        "[...document.querySelectorAll('input, select, button')]"
        ".filter((e) => !e.labels?.length && !e.textContent.trim()).map((e) => e.outerHTML)"
    )

    assert unnamed == []


def test_a_page_of_untested_pairs_says_so(open_page):
    page = open_page(bc.rank({"a": [1] * 30, "b": range(30)}, null="moments", alpha=[0.05, *LEVELS]))
    page.wait_for_selector("html[data-ready]")

    assert page.locator("#announcement").inner_text() == "At α = 0.05: no pair could be tested."
    assert page.locator("#bump-remark").inner_text() == "No pair could be tested."
    assert not page.locator("#bump-chart").is_visible()
    assert column(page, "observed") == ["0.000"]


def test_remarks_count_in_plain_english(ranking, page, open_page):
    one = open_page(bc.rank({"a": range(20), "b": [3, 1, 2, 0] * 5}, null="moments", alpha=[0.05, *LEVELS]))
    remarks = one.locator("#bump-remark"), one.locator("#bias-remark")
    one.wait_for_selector("html[data-ready]")

    assert remarks[0].inner_text() == "1 pair is among the first 3 at some α."
    assert remarks[1].inner_text() == "The ring is the selected pair; a box drawn around points ticks them."
    assert "pairs are among" in page.locator("#bump-remark").inner_text()
    assert page.locator("#bias-remark").inner_text().startswith("The line is")


def test_small_figures_have_powers_on_the_axis(open_page):
    rng = np.random.default_rng(0)
    table = {"a": rng.normal(size=20_000), "b": rng.normal(size=20_000)}
    page = open_page(bc.rank(table, null="moments", alpha=[0.05, *LEVELS]))
    page.wait_for_selector("#null-chart .xtick")
    ticks = "".join(page.locator("#null-chart .xtick").all_text_contents())

    assert "×10" in ticks
    assert "μ" not in ticks


def test_hostile_names_are_shown_as_they_are(open_page):
    page = open_page(bc.rank(make_hostile(), null="moments", alpha=[0.05, *LEVELS]))
    page.locator("#search").fill("<script>")
    titles = page.locator("#rows .names").evaluate_all("(cells) => cells.map((cell) => cell.title)")
    assert all(SCRIPT in title for title in titles)
    page.locator("#rows tr[data-pair]").first.click()
    assert SCRIPT in page.locator("#pair-title").inner_text()
    assert SCRIPT in page.locator("#data-chart").text_content()
    page.locator("#search").fill("<b> labels")
    page.locator("#rows tr[data-pair]").first.click()
    page.wait_for_selector("#data-chart .barlayer path", state="attached")

    assert "<b>bold</b>" in page.locator("#data-chart").text_content()
    see_all_charts(page)
    assert page.locator("b, a[href^=javascript]").filter(has_text="bold").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    page.locator("#search").fill("")
    names = {name for row in downloaded(page) for name in (row["x"], row["y"])}
    assert names == {*HOSTILE, "labels", "<b>bold</b>", "'=1+1"} - {"=1+1"}


def test_clicking_a_chart_selects_the_pair(page):
    page.locator("#stability").scroll_into_view_if_needed()
    page.wait_for_selector("#bump-chart .annotation-text")
    name = page.locator("#bump-chart .annotation").last
    shown = name.text_content().split(maxsplit=1)[1]
    name.click()

    assert page.locator("#pair-title bdi").first.inner_text() == re.split(" [→↔] ", shown)[0]


def test_without_scripts_the_page_says_so(ranking, open_page):
    page = open_page(ranking, java_script_enabled=False)

    assert page.get_by_text("scripts, which are off").is_visible()
    assert page.get_by_text("Benjamini–Hochberg").is_visible()
    assert "bc.rank(" in page.locator("#command").inner_text()


def test_notebooks_show_the_table_under_a_shadow_root(browser, ranking):
    shown = ranking._repr_html_()
    page = browser.new_page()
    page.set_content(f"<style>td {{ display: none !important }}</style>{shown}")
    assert page.evaluate("document.querySelector('div').shadowRoot.querySelectorAll('tr').length") == 12
    assert page.evaluate("document.querySelector('div').shadowRoot.querySelector('td').offsetHeight") > 0
    # Inserted later, as notebooks do: without the script the table outside is what shows.
    page.evaluate("html => { document.body.innerHTML = html; }", shown)
    assert page.evaluate("document.querySelector('div').shadowRoot") is None
    assert page.locator("table").first.is_visible()
    page.close()


def test_nothing_moves_while_the_page_opens(ranking, open_page):
    page = open_page(ranking)
    page.wait_for_selector("#data-chart .main-svg")
    shift = page.evaluate(
        "new Promise((done) => { new PerformanceObserver((list) => done("
        "list.getEntries().reduce((sum, entry) => sum + entry.value, 0)))"
        ".observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done(0), 200); })"
    )

    assert shift < 0.02
