"""How two ways of doing one thing are timed: in turns, the best of several rounds; noise hits both."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Comparison:
    what: str
    null: str
    ours_s: float
    peer: str
    peer_s: float
    target: str

    @property
    def ratio(self) -> float:
        return self.peer_s / self.ours_s


def best_time(function: Callable[[], object], *, number: int = 1) -> float:
    started = time.perf_counter()
    for _ in range(number):
        function()
    return (time.perf_counter() - started) / number


def in_turns(
    ours: Callable[[], object],
    peer: Callable[[], object],
    *,
    rounds: int = 5,
    number: int = 1,
    peer_number: int | None = None,
) -> tuple[float, float]:
    """Best seconds a call of each over alternating rounds, after one call of each to warm up.

    `number` calls make a round; a much slower peer may make fewer (`peer_number`).
    """
    ours(), peer()
    peer_number = peer_number or number
    times = [(best_time(ours, number=number), best_time(peer, number=peer_number)) for _ in range(rounds)]
    return min(t[0] for t in times), min(t[1] for t in times)


def print_table(title: str, comparisons: Iterable[Comparison]) -> None:
    print(f"\n{title}")
    print(f"{'what':58} {'null':24} {'ours':>10} {'peer':>10} {'ratio':>8}  {'peer':28} target")
    for c in comparisons:
        print(
            f"{c.what:58} {c.null:24} {_seconds(c.ours_s):>10} {_seconds(c.peer_s):>10} {c.ratio:>7.1f}×"
            f"  {c.peer:28} {c.target}",
            flush=True,
        )


def _seconds(value: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"
