"""A ranking on a terminal: columns that stay, columns that a narrow terminal drops, and the lines below."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest
from rich.console import Console

import bychance as bc
from bychance.cli.show import NARROWEST, show_ranking
from bychance.datasets import make_demo
from tests.cli.running import table_of

CORE = ("n", "observed", "by chance", "adjusted", "at 0.05", "q")


def shown(ranking, top, width):
    """Return the lines of the table, without blanks at their ends."""
    out = io.StringIO()
    Console(file=out, width=width).print(table_of(ranking, top, width))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("name", ["😀" * 50, "収入" * 30, "w" * 60])
def test_wide_characters_leave_room_for_figures(name):
    rng = np.random.default_rng(0)
    ranking = bc.rank({name: rng.normal(size=40), name[::-1] + "!": rng.normal(size=40)})
    heading, *lines = shown(ranking, 1, 80)

    assert all(text in heading for text in ("rank", *CORE))
    assert "".join(lines).count("…") == 2


@pytest.mark.parametrize("target", [None, "yield"])
@pytest.mark.parametrize("null", ["moments", bc.Permutation(999)])
@pytest.mark.parametrize("width", [80, 100, 200])
def test_the_core_figures_stay_from_80_columns_on(null, target, width):
    table = {f"{name} in a long name": column for name, column in make_demo().items()}
    target = target and f"{target} in a long name"
    lines = shown(bc.rank(table, target=target, null=null), 5, width)

    assert max(map(len, lines)) <= width
    assert all(heading in lines[0] for heading in CORE)
    assert not any("…" in line.split("  ", 2)[2] for line in lines[1:] if line[:4].strip() and width == 200)


@pytest.mark.parametrize("width", [60, 72])
def test_narrower_tables_fit_with_the_score_and_q(width):
    lines = shown(bc.rank(make_demo(), measure="r2", null=bc.Permutation(999)), 5, width)

    assert max(map(len, lines)) <= width
    assert {"rank", "x", "observed", "q"} <= set(lines[0].split())


def test_both_names_are_stacked_where_they_do_not_fit_side_by_side():
    table = {f"{name} in a long name": column for name, column in make_demo().items()}
    heading, first, second, *_ = shown(bc.rank(table, null="moments"), 1, 80)

    assert "y" not in heading.split()
    assert "yield in" in first
    assert second.split()[0] == "↔"
    assert "rainfall" in second


@pytest.mark.parametrize("width", [1, 20, 59])
def test_a_narrow_terminal_gets_no_empty_lines(width, monkeypatch, capsys):
    monkeypatch.setattr("bychance.cli.show.terminal_width", lambda: max(width, NARROWEST))
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    show_ranking(bc.rank(make_demo(), null="moments"), 3)
    opening, table, _ = capsys.readouterr().out.split("\n\n")

    heading, *rows = table.splitlines()
    assert opening.startswith("3 of 43 tested pairs are related; yield ↔ rainfall most")
    assert heading.split()[:2] == ["rank", "x"]
    assert sum(row[:4].strip() != "" for row in rows) == 3
    assert all(row.strip() and "…" not in row for row in rows)


def test_the_legend_is_one_line_on_what_is_shown(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    ranking = bc.rank(make_demo(), target="yield", null=bc.Permutation(999))
    explained = {}
    for width in (70, 160):
        monkeypatch.setattr("bychance.cli.show.terminal_width", lambda width=width: width)
        show_ranking(ranking, 3)
        explained[width] = capsys.readouterr().out.split("\n\n")[-1]

    assert explained[70] == "adjusted: the number to report (0 chance, 1 maximum)\n"
    assert explained[160] == (
        "adjusted: the number to report (0 chance, 1 maximum); q: false discovery rate; "
        "<: a bound; MC: Monte Carlo error\n"
    )


def test_notes_come_before_the_legend(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "dumb")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr(sys.stderr, "write", sys.stdout.write)
    show_ranking(bc.rank({**make_demo(), "row": np.arange(400)}, target="yield"), 3)
    *_, note, legend = capsys.readouterr().out.splitlines()

    assert note.startswith("Note: ")
    assert legend.startswith("adjusted: ")


def test_ranks_of_near_duplicates_have_no_names():
    rng = np.random.default_rng(0)
    a, noise = rng.normal(size=(2, 80))
    lines = shown(bc.rank({"a": a, "twice": 2 * a, "b": a + noise}), 5, 100)

    assert lines[1].split() == ["1", "(folded)"]
