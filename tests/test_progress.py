"""The time left that a progress bar shows: it grows while nothing happens, and never forgets a slow start."""

from __future__ import annotations

import io
import sys

import pytest
from rich.console import Console

from bychance import progress
from bychance.progress import Progress, duration, time_left


def test_an_even_pace_is_carried_on():
    assert time_left(0.0, [(0.0, 0), (30.0, 30)], now=30.0, total=100) == pytest.approx(70)


def test_time_without_a_step_counts():
    """A thousand quick pairs, then slow ones: the estimate grows while the next is waited for."""
    recent = [(0.98, 988), (0.99, 989), (1.0, 990)]
    waited = [time_left(0.0, recent, now=now, total=1_000) for now in (2.0, 20.0, 200.0)]

    assert waited == pytest.approx([10, 190, 1990])


def test_news_of_many_steps_is_waited_for_longer():
    assert time_left(0.0, [(0.0, 0), (10.0, 256)], now=15.0, total=512) == pytest.approx(15)


def test_a_slower_pace_of_late_counts_and_a_faster_one_does_not():
    assert time_left(0.0, [(10.0, 90), (20.0, 95)], now=20.0, total=100) == pytest.approx(10)
    assert time_left(0.0, [(10.0, 10), (11.0, 90)], now=11.0, total=100) == pytest.approx(11 / 90 * 10)


def test_nothing_done_tells_nothing():
    assert time_left(0.0, [(0.0, 0)], now=5.0, total=10) is None


def test_the_bar_shows_the_honest_time(monkeypatch):
    """Ninety steps in three seconds, then ten minutes without one."""
    clock, shown = [0.0], io.StringIO()
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    with Progress("pairs", total=100, enabled=True) as bar:
        for _ in range(90):
            clock[0] += 1 / 30
            bar.advance(1)
        assert bar.left() == "about 1 second left"
        clock[0] += 600
        assert bar.left() == "about 1.7 hours left"
        Console(file=shown, width=100).print(bar._bar.shown.get_renderable())

    assert "90/100" in shown.getvalue()
    assert "about 1.7 hours left" in shown.getvalue()


def test_without_rich_the_bar_is_a_line_that_is_cleared(monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    monkeypatch.setitem(sys.modules, "rich", None)
    with Progress("pairs", total=100, enabled=True) as bar:
        clock[0] = 3.0
        bar.advance(75)
        shown = capsys.readouterr().err

    assert shown.strip() == "pairs 75/100 about 1 second left"
    assert capsys.readouterr().err.strip() == ""


def test_short_or_silent_work_shows_no_bar():
    for enabled in (True, False):
        with Progress("pairs", total=10, enabled=enabled) as bar:
            bar.advance(10)
            assert bar._bar is None


@pytest.mark.parametrize(("seconds", "words"), [(0.1, "1 second"), (90, "90 seconds"), (600, "10 minutes")])
def test_spans_of_time_have_their_unit(seconds, words):
    assert duration(seconds) == words
