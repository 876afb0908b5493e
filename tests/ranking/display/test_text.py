"""A ranking as text and as HTML: the figures of the frame, in words, and names that do no harm."""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest

import bychance as bc
from bychance.datasets import make_demo
from bychance.wording import probability
from tests.engine.ranking import numbers_as_text, short_name, summarize

HOSTILE = ["<script>alert(1)</script>", "\x1b[31mred", "two\nlines", 'quote"&amp;', "w" * 300]


def cells_of(text):
    """Return the table between the first two blank lines."""
    header, *lines = text.split("\n\n")[1].splitlines()
    return header.split(), [line.split() for line in lines]


def test_the_headline_counts_what_the_frame_holds(harvest):
    q_values = np.array(harvest.to_frame()["q_value"].to_pylist())
    verdict, headline = repr(harvest).splitlines()[:2]

    assert verdict == harvest.verdict()
    assert headline == (
        "11 columns against yield by explained, ordered by adjusted_at at alpha = 0.05; "
        f"11 tested, {np.sum(q_values < 0.05)} with q < 0.05"
    )


def test_the_table_shows_the_figures_of_the_best(harvest):
    header, lines = cells_of(repr(harvest))
    best = next(harvest.best(1))

    assert " ".join(header) == "rank x n ± observed by chance adjusted 95% limits at 0.05 p q"
    assert lines[0] == [
        "1", "rainfall", "400", "+", f"{best['observed']:.3f}", f"{best['null_mean']:.3f}",
        f"{best['adjusted']:.3f}", f"{best['adjusted_low']:.3f}", "to", f"{best['adjusted_high']:.3f}",
        f"{best['adjusted_at']:.3f}", "<1e-08", "6e-08",
    ]  # fmt: skip
    assert len(lines) == 10


def test_pairs_show_both_names_and_measures_where_they_differ():
    measures = {"numeric": "r2", "mixed": "eta2"}
    ranking = bc.rank(make_demo(), x=["soil", "rainfall"], y="yield", measure=measures, null="moments")
    headings = [heading.text for heading in summarize(ranking).headings]

    assert headings[:4] == ["rank", "x", "y", "measure"]


def test_the_score_that_orders_is_shown():
    ranking = bc.rank(make_demo(), target="yield", by="standardized", null="moments")

    assert "standardized" in [heading.text for heading in summarize(ranking).headings]
    assert "ordered by standardized;" in repr(ranking)


def test_monte_carlo_errors_are_shown():
    ranking = bc.rank(make_demo(), target="yield", null=bc.Permutation(999), top=3)

    assert re.search(r"0\.2\d\d \(MC 0\.00\d\)", repr(ranking))
    assert "; MC: Monte Carlo error" in repr(ranking)
    assert "11 tested, 3 with q < 0.05; the best 3 kept" in repr(ranking)


def test_what_was_folded_left_out_and_noticed_is_told():
    rng = np.random.default_rng(0)
    a = rng.normal(size=40)
    few, none = np.full(40, np.nan), np.full(40, np.nan)
    few[:5], none[-5:] = 1.5, [1, 2, 3, 4, 6]
    text = [f"P{k}" for k in range(40)]
    table = {"a": a, "feet": 3.3 * a, "few": few, "none": none, "flat": np.ones(40)}
    table |= {f"id{k}": text for k in range(5)}
    lines = repr(bc.rank(table)).splitlines()

    assert "Near-duplicates folded: 1 pair (a ~ feet)" in lines
    untested = next(line for line in lines if "not tested" in line)
    assert untested.startswith("9 pairs were not tested: ")
    assert "fewer than 10 shared rows (6)" in untested
    assert "no shared rows (1)" in untested
    assert [line for line in lines if line.startswith("Note: ")] == [
        "Note: 'id0', 'id1', 'id2', 'id3', 'id4' were set aside: an identifier: 40 of 40 values are distinct"
    ]


@pytest.mark.parametrize("shape", [repr, lambda ranking: ranking._repr_html_(), lambda r: repr(r.sweep())])
def test_hostile_names_do_no_harm(shape):
    rng = np.random.default_rng(0)
    shown = shape(bc.rank({name: rng.normal(size=20) for name in HOSTILE}))

    assert "\x1b" not in shown
    assert "two\nlines" not in shown
    assert "w" * 41 not in shown
    if shown.startswith("<div"):
        assert shown.count("<script") == 1
        assert "<script>alert" not in shown


def test_a_hostile_target_does_no_harm():
    rng = np.random.default_rng(0)
    ranking = bc.rank({name: rng.normal(size=20) for name in HOSTILE}, target=HOSTILE[1])

    assert "\x1b" not in repr(ranking) + ranking._repr_html_()


def test_html_is_balanced_and_brings_nothing_from_elsewhere(harvest):
    class Balance(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.rows = [], 0

        def handle_starttag(self, tag, attributes):
            self.open.append(tag)
            self.rows += tag == "tr"
            assert not {name for name, _ in attributes} - {"style", "shadowrootmode"}

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    page = harvest._repr_html_()
    balance = Balance()
    balance.feed(page)

    assert balance.open == []
    assert balance.rows == 2 * 11
    assert "linear-gradient" in page


@pytest.mark.slow
def test_a_sweep_shows_places_at_each_level(harvest):
    sweep = harvest.sweep([0.4, 0.05], k=3)
    lines = repr(sweep).splitlines()

    assert lines[0].startswith("Ranks of 11 pairs at alpha = 0.4, 0.05: ")
    assert lines[2] == "In the top 3 at every alpha:"
    assert lines[3].split() == ["x", "n", "at", "0.4", "at", "0.05"]
    first = sweep.stable()
    shown = [line.split()[0] for line in lines[4 : 4 + len(first)]]
    assert shown == first["x"].to_pylist()


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.5, 0.0004], ["0.500", "0.000"]),
        ([0.0004, 0.002], ["4.0e-04", "2.0e-03"]),
        ([1234.5, -3], ["1234.5", "-3.0"]),
        ([0.0, None], ["0.000", "—"]),
    ],
)
def test_a_column_has_the_digits_that_its_largest_asks_for(values, shown):
    assert numbers_as_text(values) == shown


@pytest.mark.parametrize(("value", "shown"), [(1.0, "1.0000"), (0.0001, "0.0001"), (9.9e-5, "1e-04")])
def test_small_probabilities_are_orders_of_magnitude(value, shown):
    assert probability(value) == shown


@pytest.mark.parametrize(("width", "shown"), [(9, "abcdefghi"), (8, "abcd…ghi"), (3, "a…i")])
def test_long_names_lose_their_middle(width, shown):
    assert short_name("abcdefghi", width) == shown


def test_blank_names_are_seen():
    assert (short_name("", 8), short_name(" ", 8)) == ("''", "' '")
    table = {"": [1, 2, 3, 4] * 5, "y": [1, 3, 2, 4] * 5}
    assert bc.rank(table, target="y").verdict().startswith("'' is related to y:")


def test_near_duplicates_are_shown_where_there_is_nothing_else():
    table = {"x": range(30), "y": [2 * k for k in range(30)]}
    summary = summarize(bc.rank(table, null="moments"))

    assert len(summary.cells) == 1
    assert "Near-duplicates: 1 pair (x ~ y)" in summary.remarks


def test_one_is_singular():
    ranking = bc.rank({"a": [1, 2, 3, 4] * 5, "b": [1, 3, 2, 4] * 5}, measure="r2", null="paper")

    assert str(ranking).splitlines()[1].startswith("1 pair of 2 columns by r2")
    assert str(ranking.sweep([0.1, 0.05])).startswith("Ranks of 1 pair at alpha")


def test_every_figure_that_is_shown_has_a_meaning_and_text_the_main_ones_in_a_line():
    for options in (
        {"target": "yield"},
        {
            "x": ["soil", "rainfall"],
            "y": "yield",
            "measure": {"numeric": "r2", "mixed": "eta2"},
            "by": "standardized",
        },
    ):
        ranking = bc.rank(make_demo(), null="moments", **options)
        summary = summarize(ranking)
        explained = dict(summary.legend)

        assert {h.text for h in summary.headings if h.is_number} - {"rank"} <= set(explained)
        assert (
            repr(ranking)
            .splitlines()[-2]
            .startswith("adjusted: the number to report (0 chance, 1 maximum); q: false discovery rate")
        )
        folded = ranking._repr_html_().split("What the columns mean</summary>")[1]
        assert all(meaning in folded for meaning in map(escape, explained.values()))


def test_figures_beyond_covariates_are_said_to_be_so():
    table = {"a": [1, 2, 3, 4] * 8, "b": [1, 3, 2, 4] * 8, "c": [1, 1, 2, 2, 3, 3, 4, 5] * 4}
    legend = dict(summarize(bc.rank(table, given="c", null="moments")).legend)

    assert legend["n"] == "rows that both columns have, beside what is given"
    assert legend["p"].endswith("if the columns were independent given c")


def test_arrows_tell_directions_and_are_explained_once(demo_pairs, harvest):
    rows = [line.split() for line in repr(demo_pairs).splitlines() if re.match(r" +\d", line)]
    arrows = {(row[1], row[3]): row[2] for row in rows}

    assert arrows["yield", "rainfall"] == "↔"
    assert arrows["soil", "yield"] == arrows["yield", "soil"] == "→"
    assert repr(demo_pairs).count("x → y: what x says about y") == 1
    assert "→" not in repr(harvest)


def test_where_ranks_jump_the_folded_ones_are_said():
    table = make_demo()
    table["rainfall_mm"] = 25.4 * table["rainfall"]
    lines = repr(bc.rank(table, null="moments")).splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("rank"))

    assert lines[first + 1].split() == ["1", "(folded)"]
    assert lines[first + 2].split()[0] == "2"


def test_a_p_value_that_no_permutation_reached_is_a_bound():
    x = np.arange(40.0)
    ranking = bc.rank({"x": x, "y": x + np.sin(x), "z": np.sin(x)}, measure="r2", null=bc.Permutation(99))
    shown = repr(ranking)

    assert "  <0.01 " in shown
    assert "; <: a bound" in shown.splitlines()[-2]
    assert ranking["p_kind"].to_pylist() == ["bound", "monte carlo", "monte carlo"]
    assert [se is None for se in ranking["p_se"].to_pylist()] == [True, False, False]
    assert "<0" not in repr(bc.rank({"x": x, "y": x + np.sin(x)}, measure="r2", null="moments"))


@pytest.mark.parametrize("names", ["ab", "abc"])
def test_limits_of_several_pairs_are_said_to_be_of_one_chosen_beforehand(names):
    rng = np.random.default_rng(0)
    summary = summarize(bc.rank({name: rng.normal(size=30) for name in names}))

    assert ("chosen beforehand" in dict(summary.legend)["95% limits"]) == (len(names) > 2)


@pytest.fixture(scope="module")
def two_valued():
    """Draw numbers, a column of two categories, a column of three."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=200)
    table = {"a": a, "b": a + rng.normal(size=200), "flag": a + rng.normal(size=200) > 0}
    return table | {"sex": rng.choice(["f", "m"], 200), "soil": rng.choice(list("xyz"), 200)}


def test_a_pair_that_is_the_same_in_both_directions_is_listed_once(two_valued):
    ranking = bc.rank(two_valued)
    records = summarize(ranking, 19).records
    listed = [(record["x"], record["y"]) for record in records]
    once = [frozenset(pair) for pair in listed if "soil" not in pair]
    rows = [line.split()[1:4] for line in repr(ranking).splitlines() if re.match(r" +\d+  \w", line)]

    assert len(once) == len(set(once)) == 6
    assert {frozenset(pair) for pair in listed} == {frozenset((r["x"], r["y"])) for r in ranking.best()}
    assert len(list(ranking.best(fold=True))) == ranking.n_pairs == 19
    assert [arrow for x, arrow, y in rows if {x, y} == {"a", "flag"}] == ["↔"]
    assert sorted(arrow for x, arrow, y in rows if {x, y} == {"b", "soil"}) == ["→", "→"]
    assert "5 pairs are the same in both directions: x ↔ y" in repr(ranking)
