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
from bychance.nulls.on_gpu import draw_ranked, is_drawn_on_gpu, or_on_cpu, slack_of
from bychance.nulls.permutation import Permutation
from bychance.nulls.store import NullKey, default_store, memory_store
from bychance.pair import Pair
from bychance.progress import Progress
from bychance.seeding import stream_key

__all__ = ["Source", "draw_many", "draw_source", "repairings_of", "shared_key", "shared_pair", "shared_ranks"]


@dataclass
class Source:
    """The first so many draws of a null's stream, as they are asked for, and what they were drawn by."""

    draws: Callable[[int], NDArray[np.float64]]
    device: str = "cpu"
    slack: float = 0.0  # how far they may lie from the CPU's


_CHUNK = 1 << 17  # indices in flight where a measure asks for rows: half a megabyte
_FIRST_CHUNK, _CHUNK_S = 1, 0.05  # chunks grow while they are short, so that Ctrl-C is heard at once


def draw_source(pair: Pair, settings: Permutation) -> Source:
    """The draws of one pair's null, those already made kept for a larger request."""
    shared = shared_ranks(pair, settings)
    measure, n_draws = pair.measure, settings.most_draws
    is_on_gpu = shared is not None and is_drawn_on_gpu(pair.device, measure, pair.n, n_draws)
    if is_on_gpu and shared is not None and isinstance(measure, MIC):
        return _source_on_gpu(pair, measure, shared)
    if shared is not None:
        return Source(_shared_source(pair, shared_key(pair, shared)))
    repairings, held = repairings_of(pair, settings), np.empty(0)

    def draws(size: int) -> NDArray[np.float64]:
        nonlocal held
        if len(held) < size:
            more = _draw(pair.measure, pair.x, pair.y, repairings, len(held), size - len(held), pair.progress)
            held = np.concatenate([held, more])
        return held[:size]

    return Source(draws)


def _source_on_gpu(pair: Pair, measure: MIC, ranks: SharedRanks) -> Source:
    """The draws of one pair that a GPU makes."""
    key, held = shared_key(pair, ranks), np.empty(0)
    on_cpu = _shared_source(pair, key)
    x, y = (variable.kernel for variable in shared_pair(measure, key))

    def draws(size: int) -> NDArray[np.float64]:
        nonlocal held
        if len(held) < size:
            first, count = len(held), size - len(held)
            more, source.device = or_on_cpu(
                pair.device,
                lambda: draw_ranked(measure, [(x, y)], [key.stream], first, count)[0],
                lambda: on_cpu(size)[first:],
            )
            held = np.concatenate([held, more])
        return held[:size]

    source = Source(draws, "cuda", float(slack_of(measure, pair.bound)))
    return source


def draw_many(pairs: Sequence[Pair], settings: Permutation, first: int, count: int) -> NDArray[np.float64]:
    """Draws first, first + 1, … of each pair's null, one row per pair.

    Pairs of built-in measures are drawn in one native call, which holds no lock of the interpreter.
    """
    draws = np.empty((len(pairs), count))
    native: list[tuple[int, _native.Statistic, _native.Repairings]] = []
    shared: dict[NullKey, list[int]] = {}
    for k, pair in enumerate(pairs):
        if (ranks := shared_ranks(pair, settings)) is not None:
            shared.setdefault(shared_key(pair, ranks), []).append(k)
        elif (statistic := pair.measure.statistic(pair.x, pair.y)) is not None:
            native.append((k, statistic, repairings_of(pair, settings)))
        else:
            repairings = repairings_of(pair, settings)
            draws[k] = _draw(pair.measure, pair.x, pair.y, repairings, first, count, pair.progress)
    if native:
        at, statistics, repairings_list = zip(*native, strict=True)
        draws[list(at)] = _native.draw_block(list(statistics), list(repairings_list), first, count)
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
    return draws


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
        return _native.draw_block([s for s in made if s is not None], repairings, first, count)

    return default_store().draws_many(keys, size, extend)


def shared_key(pair: Pair, ranks: SharedRanks) -> NullKey:
    """What a null that is shared by its ranks depends on."""
    return NullKey(
        measure=pair.measure.name,
        settings=tuple((name, repr(value)) for name, value in pair.measure.settings.items()),
        n=pair.n,
        x_tie_groups=ranks.x_tie_groups,
        y_tie_groups=ranks.y_tie_groups,
        seed=pair.root,
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
    draws = np.empty(count)
    done, chunk = 0, min(_FIRST_CHUNK, max(1, _CHUNK // x.n))
    with Progress("permutations", total=count, enabled=progress) as bar:
        while done < count:
            size = min(chunk, count - done)
            started = time.perf_counter()
            draws[done : done + size] = measure.resample(x, y, repairings, first + done, size)
            if time.perf_counter() - started < _CHUNK_S:
                chunk = min(4 * chunk, max(1, _CHUNK // x.n))
            done += size
            bar.advance(size)
    return draws
