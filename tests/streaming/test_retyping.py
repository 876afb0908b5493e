"""Streamed text is read as whole files are, also where only later rows tell how."""

from __future__ import annotations

import numpy as np
import pytest

import bychance as bc
from bychance.messages import Code
from tests.engine.settings import put


@pytest.fixture(autouse=True)
def few_first_rows(monkeypatch):
    put(monkeypatch, head_rows=200, batch_rows=100)


def both(path, lines):
    """The same figures, streamed and whole, and the notes of the stream."""
    path.write_text("\n".join(lines) + "\n")
    streamed, whole = (
        bc.rank(path, target="y", stream=stream, sample_rows=150, null="moments") for stream in (True, False)
    )
    figures = [{r["x"]: (r["n"], r["observed"]) for r in ranking.best()} for ranking in (streamed, whole)]
    assert figures[0].keys() == figures[1].keys()
    for name, (n, observed) in figures[1].items():
        assert figures[0][name] == (n, pytest.approx(observed, rel=1e-9))
    return streamed.notes


def written(seconds):
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@pytest.mark.parametrize("is_late", [True, False])
def test_minutes_and_seconds_are_spans_in_every_batch(tmp_path, rng, is_late):
    seconds = np.concatenate([rng.integers(300, 1380, 500), rng.integers(3600, 7200, 100)])
    seconds = seconds if is_late else seconds[::-1]
    rows = [f"{written(s)},{s + rng.normal(0, 500):.1f}" for s in seconds]

    notes = both(tmp_path / "runs.csv", ["time,y", *rows])
    assert any(note.says(Code.MINUTES_AND_SECONDS) for note in notes)


@pytest.mark.parametrize("place", [50, 450])
def test_names_that_stand_there_again_are_left_out(tmp_path, rng, place):
    rows = [f"{x:.3f},{x + e:.3f},{'ab'[k % 2]}" for k, (x, e) in enumerate(rng.normal(size=(500, 2)))]
    rows.insert(place, "x,y,group")

    notes = both(tmp_path / "log.csv", ["x,y,group", *rows])
    assert any(note.says(Code.NAMES_REPEATED_IN_STREAM) for note in notes)


def test_rows_that_look_like_totals_are_told(tmp_path, rng):
    rows = [f"{['North', 'South'][k % 2]},{y:.3f},{k % 7}" for k, y in enumerate(rng.normal(size=500))]
    rows = [
        line for k, row in enumerate(rows) for line in ([row, "North total,50,"] if k % 50 == 49 else [row])
    ]

    notes = both(tmp_path / "sales.csv", ["region,y,z", *rows])
    (found,) = (note.values for note in notes if note.code is Code.TOTALS_AMONG_SAMPLE)
    assert (found["cells"], found["column"]) == (("North total",), "region")


def test_what_is_missing_is_no_country_in_any_batch(tmp_path, rng):
    drawn = rng.choice(["DE", "FR", "ZA", "US", "BW", "IT", *["NA"] * 3], 600)
    rows = [f"{country},{y:.3f}" for country, y in zip(drawn, rng.normal(size=600), strict=True)]

    notes = both(tmp_path / "countries.csv", ["country,y", *rows])
    assert any(note.says(Code.NA_BESIDE_CODES) for note in notes)


@pytest.mark.parametrize(
    "names",
    [["# lab; 3", "#", "# x,y"], ["EXTF,,", "x,y,z"], [",y,y", "day,x,z", "at,,"]],
)
def test_names_are_found_alike(tmp_path, rng, names):
    width = names[-1].count(",") + 1
    rows = [",".join(f"{x:.3f}" for x in row) for row in rng.normal(size=(500, width))]
    (tmp_path / "log.csv").write_text("\n".join([*names, *rows]) + "\n")
    pairs = [
        {(row["x"], row["y"]): row["n"] for row in bc.rank(tmp_path / "log.csv", stream=stream).best()}
        for stream in (True, False)
    ]

    assert pairs[0] == pairs[1]
    assert set(pairs[0].values()) == {500}


def test_comments_are_left_out(tmp_path, rng):
    rows = [f"{x:.3f},{x + e:.3f}" for x, e in rng.normal(size=(500, 2))]
    rows.insert(450, "# restarted")

    both(tmp_path / "log.csv", ["x,y", *rows])
