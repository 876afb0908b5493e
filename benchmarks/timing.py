"""Rows of `make bench`: two ways of doing one thing timed in turns, and the median of several runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median_low
from typing import Any

Clock = Callable[[], float]
CPU: Clock = time.process_time  # of all threads: other work on the machine does not count
WALL: Clock = time.perf_counter

LESS_IS_BETTER = ("MB", "× the time")


@dataclass(frozen=True)
class Figure:
    """Result of one run: "×" is the speed relative to the peer."""

    value: float
    unit: str = "×"
    ours_s: float = float("nan")
    peer_s: float = float("nan")
    remark: str = ""


@dataclass(frozen=True)
class Row:
    """A figure that is measured repeatedly. `start` makes the data and returns one run."""

    what: str
    start: Callable[[], Callable[[], Figure]]
    null: str = ""
    peer: str = ""
    target: str = ""
    lacks: str = ""  # what this machine does not have

    @property
    def name(self) -> str:
        """The name by which a row is picked and recorded."""
        what = ", ".join(filter(None, (self.what, self.null)))
        return f"{what} / {self.peer}" if self.peer else what


def beside(
    what: str,
    start: Callable[[], tuple[Callable[[], Any], Callable[[], Any]]],
    *,
    peer: str,
    null: str = "",
    target: str = "",
    lacks: str = "",
    number: int = 1,
    peer_number: int | None = None,
    units: tuple[int, int] = (1, 1),
    clock: Clock = CPU,
    unit: str = "×",
    remark: Callable[[Any, Any], str] = lambda ours, peer: "",
) -> Row:
    """Make a row of ours beside a peer: `start` returns both, and `remark` sees what both gave.

    `number` calls make a run, and a much slower peer may make fewer (`peer_number`). A call of ours does
    `units[0]` of what is compared, a call of the peer `units[1]`.
    """

    def begun() -> Callable[[], Figure]:
        ours, other = start()

        def run() -> Figure:
            ours_s, found = timed(ours, number=number, clock=clock)
            peer_s, expected = timed(other, number=peer_number or number, clock=clock)
            ours_s, peer_s = ours_s / units[0], peer_s / units[1]
            value = ours_s / peer_s if unit in LESS_IS_BETTER else peer_s / ours_s
            return Figure(value, unit, ours_s, peer_s, remark(found, expected))

        return run

    return Row(what, begun, null, peer, target, lacks)


def timed(function: Callable[[], Any], *, number: int = 1, clock: Clock = WALL) -> tuple[float, Any]:
    """Return the mean seconds of a number of calls, and the answer of the last one."""
    started, found = clock(), None
    for _ in range(number):
        found = function()
    return (clock() - started) / number, found


def best_time(function: Callable[[], object], *, number: int = 1) -> float:
    """Return the seconds of a call by the wall clock."""
    return timed(function, number=number)[0]


def measure(row: Row, runs: int) -> tuple[Figure, list[float]]:
    """Return the run with the median value, and the values of all runs."""
    run = row.start()
    figures = [run() for _ in range(runs)]
    values = [figure.value for figure in figures]
    return figures[values.index(median_low(values))], values


def share_of(found: Figure, recorded: float) -> float:
    """Return how good a figure is as a share of the recorded one: below 1 it is worse."""
    return recorded / found.value if found.unit in LESS_IS_BETTER else found.value / recorded
