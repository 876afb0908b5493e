"""The run: units of work in a fixed order over two processes, until there were enough calls."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

from tests.fuzz import few_atoms, rare_flags, small, streams, two_arrays, within
from tests.fuzz.outcome import Outcome
from tests.fuzz.state import State, fingerprint, load, save

CASES = {small: 20, few_atoms: 10, streams: 20, within: 10, two_arrays: 20}  # per unit, by part


@dataclass(frozen=True)
class Unit:
    """Some cases: one table of rare flags, or a block of random ones."""

    seed: int
    index: int
    rows: int = 0
    is_full: bool = False

    def run(self) -> Outcome:
        if self.rows:
            return rare_flags.run_case(self.seed, self.index, self.rows, is_full=self.is_full)
        outcome = Outcome()
        for part, n_cases in CASES.items():
            for k in range(n_cases):
                outcome.add(part.run_case(self.seed, self.index * n_cases + k))
        return outcome


@dataclass(frozen=True)
class Settings:
    """Settings of a run. `calls` is the number of random cases."""

    seed: int = 14
    calls: int = 100_000
    tables: int = rare_flags.TABLES
    is_full: bool = False

    @property
    def n_tables(self) -> int:
        return self.tables * len(rare_flags.ROWS)


def units(settings: Settings) -> Iterator[Unit]:
    """Yield tables of rare flags first, then random cases without end."""
    for index in range(settings.tables):
        for rows in rare_flags.ROWS:
            yield Unit(settings.seed, index, rows, settings.is_full)
    for index in count():
        yield Unit(settings.seed, index)


def run(settings: Settings, *, jobs: int, path: Path | None, report: Callable[[State], None]) -> Outcome:
    """Resume from the state at `path`, or start, and return the outcome of all units together."""
    key = fingerprint(settings=settings)
    state = load(path, key) if path else State()
    saved = time.monotonic()
    try:
        with _Workers(jobs) as workers:
            outcomes = workers.outcomes(islice(units(settings), state.units, None))
            while not _is_complete(state, settings):
                _take(state, settings, next(outcomes))
                if path and time.monotonic() - saved > 1:
                    save(path, key, state, is_complete=False)
                    saved = time.monotonic()
                report(state)
    finally:
        if path:
            save(path, key, state, is_complete=_is_complete(state, settings))
    return state.outcome


def _is_complete(state: State, settings: Settings) -> bool:
    return state.units >= settings.n_tables and state.random_calls >= settings.calls


def _take(state: State, settings: Settings, outcome: Outcome) -> None:
    state.random_calls += outcome.calls if state.units >= settings.n_tables else 0
    state.units += 1
    state.outcome.add(outcome)


class _Workers:
    """Processes that are a few units ahead, so that the end of a run wastes little."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool = multiprocessing.get_context("spawn").Pool(jobs) if jobs > 1 else None

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()

    def outcomes(self, todo: Iterable[Unit]) -> Iterator[Outcome]:
        """Yield outcomes in the order of the units, whichever is done first."""
        if self._pool is None:
            yield from map(Unit.run, todo)
            return
        todo, ahead = iter(todo), []
        while True:
            next_units = islice(todo, 4 * self._jobs - len(ahead))
            ahead += [self._pool.apply_async(unit.run) for unit in next_units]
            yield ahead.pop(0).get()
