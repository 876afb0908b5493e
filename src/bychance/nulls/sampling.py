"""Draws of Monte Carlo nulls: of one pair as they are asked for, and of many pairs in one native call.

Nulls that depend on ranks alone go through the store, so that all pairs share them and none is drawn twice.
Every other pair has its stream, keyed by the names of both columns: draw k of a pair is the same
whatever was drawn before, and on whichever thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.kinds import Role
from bychance.measures.base import Measure, is_built_in
from bychance.measures.mic import MIC
from bychance.measures.structures import SharedRanks
from bychance.nulls.on_gpu import (
    draw_ranked,
    draw_statistics,
    draw_traces,
    is_drawn_on_gpu,
    or_on_cpu,
    slack_of,
    traces_on_gpu,
)
from bychance.nulls.permutation import Permutation
from bychance.nulls.store import NullKey, default_store, memory_store
from bychance.pair import Pair
from bychance.progress import Progress
from bychance.seeding import stream_key
from bychance.stopping import current_stop

__all__ = ["Source", "draw_many", "draw_source", "repairings_of", "shared_key", "shared_pair", "shared_ranks"]


@dataclass
class Source:
    """The first so many draws of a null's stream, as they are asked for, and what they were drawn by."""

    draws: Callable[[int], NDArray[np.float64]]
    device: str = "cpu"
    slack: float = 0.0  # how far they may lie from the CPU's


_Extend = Callable[[int, int], NDArray[np.float64]]
"""The number of the first draw and how many → these draws."""

_CHUNK = 1 << 17  # indices in flight where a measure asks for rows: half a megabyte
_FIRST_CHUNK, _CHUNK_S = 1, 0.05  # chunks grow while they are short, so that Ctrl-C is heard at once


def draw_source(pair: Pair, settings: Permutation) -> Source:
    """The draws of one pair's null, those already made kept for a larger request."""
    measure, x, y = pair.measure, pair.x, pair.y
    if (shared := shared_ranks(pair, settings)) is not None:
        key = shared_key(measure, pair.n, shared, pair.root)
        stored = _shared_source(pair, key)
        if not (
            is_drawn_on_gpu(pair.device, measure, pair.n, settings.most_draws) and isinstance(measure, MIC)
        ):
            return Source(stored)
        variables = [tuple(variable.kernel for variable in shared_pair(measure, key))]
        return _source_on_gpu(
            pair,
            lambda first, count: draw_ranked(measure, variables, [key.stream], first, count)[0],
            lambda first, count: stored(first + count)[first:],
            float(slack_of(measure, pair.bound)),
        )
    repairings = repairings_of(pair, settings)

    def on_cpu(first: int, count: int) -> NDArray[np.float64]:
        return _draw(measure, x, y, repairings, first, count, pair.progress)

    made = None if pair.device == "cpu" else measure.statistic(x, y)
    if made is None or not traces_on_gpu(pair.device, [made], [repairings], settings.most_draws):
        return Source(_kept(on_cpu))
    return _source_on_gpu(
        pair, lambda first, count: draw_traces([made], [repairings], first, count)[0], on_cpu
    )


def _source_on_gpu(pair: Pair, on_gpu: _Extend, on_cpu: _Extend, slack: float = 0.0) -> Source:
    """The draws of one pair that a GPU makes."""

    def extend(first: int, count: int) -> NDArray[np.float64]:
        more, source.device = or_on_cpu(
            pair.device, lambda: on_gpu(first, count), lambda: on_cpu(first, count)
        )
        return more

    source = Source(_kept(extend), "cuda", slack)
    return source


def _kept(extend: _Extend) -> Callable[[int], NDArray[np.float64]]:
    """The first so many draws, of which each is made once."""
    held = np.empty(0)

    def draws(size: int) -> NDArray[np.float64]:
        nonlocal held
        if len(held) < size:
            held = np.concatenate([held, extend(len(held), size - len(held))])
        return held[:size]

    return draws


def draw_many(
    pairs: Sequence[Pair], settings: Permutation, first: int, count: int, device: str = "cpu"
) -> tuple[NDArray[np.float64], str]:
    """Draws first, first + 1, … of each pair's null, one row per pair, and whether a GPU made some.

    Pairs of built-in measures are drawn in one native call, which holds no lock of the interpreter.
    """
    draws, used = np.empty((len(pairs), count)), "cpu"
    native: list[tuple[int, _native.Statistic, _native.Repairings]] = []
    shared: dict[NullKey, list[int]] = {}
    for k, pair in enumerate(pairs):
        if (ranks := shared_ranks(pair, settings)) is not None:
            key = shared_key(pair.measure, pair.n, ranks, pair.root)
            shared.setdefault(key, []).append(k)
        elif (statistic := pair.measure.statistic(pair.x, pair.y)) is not None:
            native.append((k, statistic, repairings_of(pair, settings)))
        else:
            repairings = repairings_of(pair, settings)
            draws[k] = _draw(pair.measure, pair.x, pair.y, repairings, first, count, pair.progress)
    if native:
        at, statistics, repairings_list = zip(*native, strict=True)
        draws[list(at)], used = draw_statistics(device, statistics, repairings_list, first, count)
    rare: dict[NullKey, int] = {}
    for key, asking in shared.items():
        pair = pairs[asking[0]]
        if len(asking) == 1 and key.has_ties and is_built_in(type(pair.measure)):
            rare[key] = asking[0]
        else:  # others may ask for it at this moment: threads draw these together
            draws[asking] = _shared_source(pair, key)(first + count)[first:]
    if rare:
        draws[list(rare.values())] = _draw_rare(
            list(rare), [pairs[k].measure for k in rare.values()], first + count
        )[:, first:]
    return draws, used


def repairings_of(pair: Pair, settings: Permutation) -> _native.Repairings:
    """The numbered permutations of this pair."""
    key = stream_key(pair.root, "pair", *sorted(pair.names))
    return settings.repairings(key, pair.n, pair.rows, len(pair.columns[0]), pair.cells)


def shared_ranks(pair: Pair, settings: Permutation) -> SharedRanks | None:
    """The ranks by which this pair shares its null with others; None where it has its own."""
    if settings.is_restricted:
        return None
    return next((s for s in pair.structures if isinstance(s, SharedRanks)), None)


def _shared_source(pair: Pair, key: NullKey) -> Callable[[int], NDArray[np.float64]]:
    """Draws of the null that all pairs with these tie groups share, from the store where it has them.

    They are made from the tie groups alone, rows in ascending order, so that they are the same whichever
    pair asks first. Only built-in measures are stored on disk.
    """
    measure = pair.measure
    store = default_store() if is_built_in(type(measure)) else memory_store(type(measure))

    def draws(size: int) -> NDArray[np.float64]:
        variables = cache(partial(shared_pair, measure, key))
        repairings = _native.Repairings.free(key.stream, key.n)

        def extend(first: int, count: int) -> NDArray[np.float64]:
            drawn = measure.resample(*variables(), repairings, first, count)
            bar.advance(count)
            return drawn

        with Progress("permutations", total=size, enabled=pair.progress) as bar:
            return store.draws(key, size, extend)

    return draws


def _draw_rare(keys: Sequence[NullKey], measures: Sequence[Measure[Any]], size: int) -> NDArray[np.float64]:
    """The first draws of nulls whose ties no other pair is likely to have, in one native call."""

    def extend(numbers: Sequence[int], first: int, count: int) -> NDArray[np.float64]:
        made = (measures[k].statistic(*shared_pair(measures[k], keys[k])) for k in numbers)
        repairings = [_native.Repairings.free(keys[k].stream, keys[k].n) for k in numbers]
        statistics = [s for s in made if s is not None]
        return _native.draw_block(statistics, repairings, first, count, current_stop())

    return default_store().draws_many(keys, size, extend)


def shared_key(measure: Measure[Any], n: int, ranks: SharedRanks, root: int) -> NullKey:
    """What a null of n rows that is shared by its ranks depends on."""
    return NullKey(
        measure=measure.name,
        settings=tuple((name, repr(value)) for name, value in measure.settings.items()),
        n=n,
        x_tie_groups=ranks.x_tie_groups,
        y_tie_groups=ranks.y_tie_groups,
        seed=root,
        kernel_version=ranks.kernel_version,
    )


def shared_pair(measure: Measure[Any], key: NullKey) -> tuple[Any, Any]:
    """Two variables with these tie groups, rows in ascending order, which stand for all such pairs."""
    rows = np.arange(key.n, dtype=np.float64)
    x, y = (
        measure.prepare(np.repeat(rows[: len(groups)], groups) if groups else rows, role)
        for groups, role in ((key.x_tie_groups, Role.X), (key.y_tie_groups, Role.Y))
    )
    return x, y


def _draw(
    measure: Measure[Any],
    x: Any,
    y: Any,
    repairings: _native.Repairings,
    first: int,
    count: int,
    progress: bool,
) -> NDArray[np.float64]:
    """Draws in chunks, so that a bar can advance and Ctrl-C is heard."""
    draws, statistic = np.empty(count), measure.statistic(x, y)
    most = max(1, _CHUNK // x.n) if statistic is None else count
    done, chunk = 0, _FIRST_CHUNK
    with Progress("permutations", total=count, enabled=progress) as bar:
        while done < count:
            size = min(chunk, count - done)
            started = time.perf_counter()
            if statistic is None:
                drawn = measure.resample(x, y, repairings, first + done, size)
            else:
                drawn = statistic.draw(repairings, first + done, size, current_stop())
            draws[done : done + size] = drawn
            if time.perf_counter() - started < _CHUNK_S:
                chunk = min(4 * chunk, most)
            done += size
            bar.advance(size)
    return draws
