"""reproduction/page.py: what the page of docs says of results that are made up."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from reproduction import ITEMS
from reproduction.errata_checks import CHECKS
from reproduction.page import (
    DOCS,
    LARGEST,
    TEXT,
    compress,
    counts,
    errata,
    exceptions,
    forest_table,
    page,
    read_records,
)


def record(item, verdict, claim="a claim"):
    return {"item": item, "source": "Table 1", "claim": claim, "paper": "1", "ours": "2", "tolerance": "",
            "verdict": verdict, "size": "10 runs"}  # fmt: skip


def test_there_are_words_for_every_item_and_every_erratum():
    assert set(TEXT["captions"]) == set(ITEMS)
    assert {int(number) for number in TEXT["errata"]} == set(range(1, 21)) >= set(CHECKS)


def test_claims_that_do_not_hold_are_on_the_page_if_they_are_few():
    good, bad = record("example_1", "holds", "good"), record("example_1", "does not hold", "bad")

    assert "bad" in exceptions([good, bad])
    assert "good" not in exceptions([good, bad])
    assert exceptions([bad]) == ""
    assert exceptions([good]) == ""


def test_the_page_and_the_claims_beside_it_count_alike():
    claims = read_records(DOCS / "paper" / "verdicts.csv")

    assert counts(claims) in (DOCS / "paper.md").read_text(encoding="utf-8")


def test_the_forest_table_has_our_figures_and_the_papers():
    row = {"set": "steel", "forest": "AGini(tuned)", "AUC": "99.9444", "standard error": "0.002", "mark": "-",
           "paper": "99.94", "paper's mark": "=", "level": "0.7"}  # fmt: skip

    assert forest_table([row]) == [
        {"set": "steel", "AGini(tuned)": "99.94 ± 0.00 (−) [99.94 (=)]", "α": "0.7"}
    ]


def test_an_erratum_stands_with_its_numbers():
    row = {"erratum": "3", "what": "a quantile", "printed": "0.036", "right": "0.0200000001"}
    rows = errata([row])

    assert rows[2]["computed"] == "a quantile: printed 0.036, computed 0.02"
    assert rows[3]["computed"] == ""


def test_a_figure_stays_small_and_the_same(tmp_path):
    figure = Figure()
    figure.subplots().plot(range(9), "o-")
    figure.savefig(tmp_path / "large.png", dpi=150)
    compress(tmp_path / "large.png", tmp_path / "small.png")

    assert (tmp_path / "small.png").stat().st_size < (tmp_path / "large.png").stat().st_size / 2


def test_only_items_with_results_are_on_the_page(tmp_path):
    for name, text in {
        "verdicts": "item,verdict\nexample_1,holds\n",
        "example_1": "n\n20\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(text)
    text = page(tmp_path)

    assert re.findall(r"!\[.*\]\((.*)\)", text) == ["paper/example_1.png"]


@pytest.mark.skipif(not (DOCS / "paper.md").is_file(), reason="the page is not part of this copy")
def test_the_page_and_its_figures_belong_together():
    figures = re.findall(r"\]\((paper/.*\.png)\)", (DOCS / "paper.md").read_text(encoding="utf-8"))

    assert {Path(name).name for name in figures} == {path.name for path in (DOCS / "paper").glob("*.png")}
    assert all((DOCS / name).stat().st_size < LARGEST for name in figures)
