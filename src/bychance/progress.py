"""Progress bar for library and command line, shown once work has lasted two seconds."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Sequence
from importlib.util import find_spec
from types import TracebackType
from typing import Self

__all__ = ["Progress", "duration", "time_left"]

_PATIENCE_S = 2.0  # seconds of work before a bar is shown (taste)
_RECENT = 20  # last reports of steps that give the recent pace (taste)

Seen = tuple[float, int]
"""Time in seconds, and the number of steps done by then."""


class Progress:
    """Progress bar over `total` steps (None if unknown), shown if `enabled` and the work is long.

    >>> with Progress("permutations", total=10, enabled=False) as bar:
    ...     bar.advance(10)
    """

    def __init__(self, description: str, *, total: int | None, enabled: bool, has_rate: bool = False) -> None:
        self.description, self.total, self._enabled = description, total, enabled
        self._has_rate = has_rate
        self._done, self._started = 0, time.monotonic()
        self._recent: deque[Seen] = deque([(self._started, 0)], maxlen=_RECENT)
        self._bar: _PlainBar | _RichBar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, steps: int) -> None:
        """Add finished steps to the bar."""
        self._done += steps
        if not self._enabled:
            return
        now = time.monotonic()
        self._recent.append((now, self._done))
        if self._bar is None and now - self._started > _PATIENCE_S:
            self._bar = (_PlainBar if find_spec("rich") is None else _RichBar)(self)
        if self._bar is not None:
            self._bar.update(self._done)

    def left(self) -> str:
        """Return the estimated remaining time in words, after the rate if asked for."""
        now, words = time.monotonic(), []
        if self._has_rate and now > self._started:
            words.append(f"{self._done / (now - self._started):,.0f} {self.description} per second")
        if self.total is not None:
            seconds = time_left(self._started, self._recent, now, self.total)
            words += [] if seconds is None else [f"about {duration(seconds)} left"]
        return ", ".join(words)


class _PlainBar:
    """Progress line for terminals without rich, overwritten at every step."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def update(self, done: int) -> None:
        total = "" if self._progress.total is None else f"/{self._progress.total}"
        line = f"{self._progress.description} {done}{total} {self._progress.left()}"
        print(f"\r{line:<79}", end="", file=sys.stderr, flush=True)

    def stop(self) -> None:
        print(f"\r{'':<79}\r", end="", file=sys.stderr, flush=True)


class _RichBar:
    """Progress bar drawn by rich, which also moves between steps."""

    def __init__(self, progress: Progress) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, Task, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        class TimeLeft(ProgressColumn):
            """Column with the remaining time, which rich's own column freezes while no step is done."""

            def render(self, task: Task) -> Text:
                return Text(progress.left())

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
        self.shown = RichProgress(*columns, console=Console(stderr=True), transient=True)
        self._task = self.shown.add_task(progress.description, total=progress.total)
        self.shown.start()

    def update(self, done: int) -> None:
        self.shown.update(self._task, completed=done)

    def stop(self) -> None:
        self.shown.stop()


def time_left(started: float, recent: Sequence[Seen], now: float, total: int) -> float | None:
    """Estimate the remaining seconds by the overall or the recent pace, whichever is slower.

    Steps differ: a thousand closed forms may come before one long sample. Time since the last report
    therefore counts as if the average number of steps per report had taken it. It is None while nothing is
    done.

    >>> time_left(0.0, [(0.0, 0), (10.0, 5)], now=10.0, total=20)
    30.0
    >>> time_left(0.0, [(0.0, 980), (1.0, 990)], now=61.0, total=1_000)  # no news for a minute
    61.0
    """
    since, done = recent[-1]
    if done <= 0:
        return None
    paces = [(now - started) / done]
    if len(recent) > 1 and done > recent[0][1]:
        told = (done - recent[0][1]) / (len(recent) - 1)
        paces += [(now - recent[0][0]) / (done - recent[0][1]), (now - since) / told]
    return max(paces) * (total - done)


def duration(seconds: float) -> str:
    """Format seconds as a duration with two digits, in the unit that fits.

    >>> [duration(s) for s in (0.2, 42.2, 610, 9000, 400_000)]
    ['1 second', '42 seconds', '10 minutes', '2.5 hours', '4.6 days']
    """
    if seconds < 1.5:
        return "1 second"
    if seconds < 100:
        return f"{seconds:.0f} seconds"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours" if seconds < 48 * 3600 else f"{seconds / 86400:.1f} days"
