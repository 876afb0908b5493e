"""Draws of Monte Carlo nulls: values of a measure under random permutations, on CPU or GPU.

Nulls that depend on ranks alone go through the cache, so that all pairs share them and none is drawn
twice. Every other pair has its own random stream, keyed by the names of both columns: draw k of a pair
never depends on earlier draws or on the thread. GPU draws are not cached, since reading files would take
longer.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, TypeVar

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import BychanceWarning
from bychance.gpu.device import DeviceError
from bychance.kinds import Role
from bychance.measures.base import Measure, is_built_in
from bychance.measures.dcor import DistanceCorrelation
from bychance.measures.mic import MIC, MICe, TICe
from bychance.measures.structures import SharedRanks
from bychance.measures.trace import TraceMeasure
from bychance.nulls.cache import NullKey, default_store, memory_store
from bychance.nulls.permutation import Permutation
from bychance.pair import Pair
from bychance.parallel import current_stop
from bychance.progress import Progress
from bychance.seeding import stream_key

__all__ = [
    "draw_many",
    "draw_ranked",
    "draw_statistics",
    "has_kernels",
    "is_drawn_on_gpu",
    "or_on_cpu",
    "permutations_of",
    "shared_key",
    "shared_pair",
    "shared_ranks",
    "slack_of",
]

T = TypeVar("T")

_CPU_STEPS_PER_S = 1e9  # steps of `mic_cost` that one core does per second, roughly (measured)
_TRACE_STEPS_PER_S = 2e8  # steps of tr(A·B) that one core does per second, roughly (measured)
_WORTH_S = 2.0  # seconds of one core from which a GPU is used, whose start takes about as long (measured)
_CHUNK = 1 << 17  # row indices listed at a time for `resample`: half a megabyte (memory; taste)
_FIRST_CHUNK, _CHUNK_S = 1, 0.05  # draws of the first chunk, and seconds up to which chunks grow (taste)


def draw_many(
    pairs: Sequence[Pair],
    settings: Permutation,
    first: int,
    count: int,
    device: str = "cpu",
    *,
    n_draws: int | None = None,
) -> tuple[FloatArray, str]:
    """Compute each pair's measure under permutations first, first + 1, …, one row per pair.

    Also return the device used.

    Pairs of built-in measures are drawn in one native call, which holds no lock of the interpreter. A GPU
    draws if it is worth it for `n_draws` of each pair, by default for these. It draws nulls of ranks if
    `n_draws` is given: for one pair alone, by a caller that allows for `slack_of`.
    """
    is_alone, n_draws = n_draws is not None, n_draws or count
    draws, used = np.empty((len(pairs), count)), "cpu"
    native: list[tuple[int, _native.Statistic, _native.Permutations]] = []
    shared: dict[NullKey, list[int]] = {}
    for k, pair in enumerate(pairs):
        if (ranks := shared_ranks(pair, settings)) is not None:
            key = shared_key(pair.measure, pair.n, ranks, pair.root)
            shared.setdefault(key, []).append(k)
            continue
        statistic, permutations = pair.measure.statistic(pair.x, pair.y), permutations_of(pair, settings)
        if statistic is None or (
            pair.progress and not traces_on_gpu(device, [statistic], [permutations], n_draws)
        ):
            draws[k] = _draw(pair, statistic, permutations, first, count)
        else:
            native.append((k, statistic, permutations))
    if native:
        at, statistics, all_permutations = zip(*native, strict=True)
        draws[list(at)], used = draw_statistics(device, statistics, all_permutations, first, count, n_draws)
    rare: dict[NullKey, int] = {}
    for key, asking in shared.items():
        pair = pairs[asking[0]]
        if not is_alone and len(asking) == 1 and key.has_ties and is_built_in(type(pair.measure)):
            rare[key] = asking[0]
        elif is_alone and is_drawn_on_gpu(device, pair.measure, pair.n, n_draws):
            on_gpu = partial(_draw_shared_on_gpu, pair, key, first, count)
            drawn, used = or_on_cpu(device, on_gpu, partial(_draw_shared, pair, key, first, count))
            draws[asking] = drawn
        else:  # others may ask for it at this moment: threads draw these together
            draws[asking] = _draw_shared(pair, key, first, count)
    if rare:
        measures = [pairs[k].measure for k in rare.values()]
        draws[list(rare.values())] = _draw_many_shared(list(rare), measures, first + count)[:, first:]
    return draws, used


def permutations_of(
    pair: Pair, settings: Permutation, key: tuple[int, int] | None = None
) -> _native.Permutations:
    """Return the numbered random permutations of the pair's rows, from its own random key or `key`."""
    key = stream_key(pair.root, "pair", *sorted(pair.names)) if key is None else key
    return settings.permutations(key, pair.n, pair.rows, len(pair.columns[0]), pair.cells)


def shared_ranks(pair: Pair, settings: Permutation) -> SharedRanks | None:
    """Return the sizes of x's and y's tie groups if the null depends only on them, else None."""
    if settings.is_restricted:
        return None
    return next((s for s in pair.structures if isinstance(s, SharedRanks)), None)


def _draw_shared(pair: Pair, key: NullKey, first: int, count: int) -> FloatArray:
    """Return `count` draws of a null that depends only on tie groups, cached for all pairs that share it.

    Draws are made from the tie groups alone, rows in ascending order, so that they do not depend on which
    pair asks first. Only built-in measures are stored on disk.
    """
    measure = pair.measure
    store = default_store() if is_built_in(type(measure)) else memory_store(type(measure))
    variables = cache(partial(shared_pair, measure, key))
    permutations = _native.Permutations.free(key.stream, key.n)

    def extend(start: int, size: int) -> FloatArray:
        drawn = measure.resample(*variables(), permutations, start, size)
        bar.advance(size)
        return drawn

    with Progress("permutations", total=first + count, enabled=pair.progress) as bar:
        return store.draws(key, first + count, extend)[first:]


def _draw_shared_on_gpu(pair: Pair, key: NullKey, first: int, count: int) -> FloatArray:
    assert isinstance(pair.measure, MIC)
    x, y = shared_pair(pair.measure, key)
    return draw_ranked(pair.measure, [(x.kernel, y.kernel)], [key.stream], first, count)


def _draw_many_shared(keys: Sequence[NullKey], measures: Sequence[Measure[Any]], size: int) -> FloatArray:
    """Return `size` draws of each of many nulls that depend only on ties. One call draws those not cached."""

    def extend(numbers: Sequence[int], first: int, count: int) -> FloatArray:
        made = (measures[k].statistic(*shared_pair(measures[k], keys[k])) for k in numbers)
        permutations = [_native.Permutations.free(keys[k].stream, keys[k].n) for k in numbers]
        statistics = [s for s in made if s is not None]
        return _native.draw_block(statistics, permutations, first, count, current_stop())

    return default_store().draws_many(keys, size, extend)


def shared_key(measure: Measure[Any], n: int, ranks: SharedRanks, root: int) -> NullKey:
    """Return the cache key of a null that depends only on the measure, the number of rows and the ties."""
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
    """Create two prepared columns that have the key's tie groups, with rows in ascending order."""
    rows = np.arange(key.n, dtype=np.float64)
    x, y = (
        measure.prepare(np.repeat(rows[: len(groups)], groups) if groups else rows, role)
        for groups, role in ((key.x_tie_groups, Role.X), (key.y_tie_groups, Role.Y))
    )
    return x, y


def _draw(
    pair: Pair,
    statistic: _native.Statistic | None,
    permutations: _native.Permutations,
    first: int,
    count: int,
) -> FloatArray:
    """Compute permutation draws of one pair in chunks, so that progress is shown and Ctrl-C works."""
    draws, done, chunk = np.empty(count), 0, _FIRST_CHUNK
    most = max(1, _CHUNK // pair.n) if statistic is None else count
    with Progress("permutations", total=count, enabled=pair.progress) as bar:
        while done < count:
            size = min(chunk, count - done)
            started = time.perf_counter()
            if statistic is None:
                drawn = pair.measure.resample(pair.x, pair.y, permutations, first + done, size)
            else:
                drawn = statistic.draw(permutations, first + done, size, current_stop())
            draws[done : done + size] = drawn
            if time.perf_counter() - started < _CHUNK_S:
                chunk = min(4 * chunk, most)
            done += size
            bar.advance(size)
    return draws


def has_kernels(measure: Measure[Any]) -> bool:
    """Return True if the GPU can compute this measure under permutations."""
    is_trace = isinstance(measure, TraceMeasure | DistanceCorrelation) and is_built_in(type(measure))
    return is_trace or type(measure) in (MIC, MICe, TICe)


def is_drawn_on_gpu(device: str, measure: Measure[Any], n: Any = 0, n_draws: int | None = None) -> bool:
    """Return True if the GPU should draw MIC nulls on n rows. None stands for many draws.

    The GPU has MIC, MIC_e and TIC_e themselves, not their subclasses.
    """
    if device == "cpu" or not isinstance(measure, MIC) or type(measure) not in (MIC, MICe, TICe):
        return False
    from bychance.gpu.mic import MOST_ROWS

    if np.max(n) > MOST_ROWS:
        return False
    return device == "cuda" or n_draws is None or _is_worth_it(measure, n, n_draws)


def _is_worth_it(measure: MIC, n: Any, n_draws: int) -> bool:
    rows, counts = np.unique(np.atleast_1d(n), return_counts=True)
    steps = [_native.mic_cost(int(k), measure.exponent, measure.clumps, measure.name)[0] for k in rows]
    return float(np.dot(steps, counts)) * n_draws > _WORTH_S * _CPU_STEPS_PER_S


def traces_on_gpu(
    device: str,
    statistics: Sequence[_native.Statistic],
    permutations: Sequence[_native.Permutations],
    n_draws: int,
) -> list[int]:
    """Return the positions of the statistics tr(A·B) that the GPU should draw, none if few draws."""
    if device == "cpu":
        return []
    at = [k for k, each in enumerate(statistics) if permutations[k].key and _native.kernel_of(each)]
    n_steps = float(sum(statistics[k].steps for k in at)) * n_draws
    if device == "auto" and n_steps <= _WORTH_S * _TRACE_STEPS_PER_S:
        return []
    from bychance.gpu.traces import has_room

    return or_on_cpu(device, lambda: [k for k in at if has_room(statistics[k])], list[int])[0]


def draw_statistics(
    device: str,
    statistics: Sequence[_native.Statistic],
    permutations: Sequence[_native.Permutations],
    first: int,
    count: int,
    n_draws: int | None = None,
) -> tuple[FloatArray, str]:
    """Compute draws of many C++ statistics from permutation `first` on, and return them and the device."""
    on_gpu = traces_on_gpu(device, statistics, permutations, n_draws or count)
    if not on_gpu:
        return _native.draw_block(statistics, permutations, first, count, current_stop()), "cpu"
    from bychance.gpu.traces import draw_traces

    def on_cpu(at: Sequence[int]) -> FloatArray:
        own = [statistics[k] for k in at], [permutations[k] for k in at]
        return _native.draw_block(*own, first, count, current_stop())

    keys = [permutations[k].key or (0, 0) for k in on_gpu]
    traces = partial(draw_traces, [statistics[k] for k in on_gpu], keys, first, count)
    draws, rest = np.empty((len(statistics), count)), sorted({*range(len(statistics))}.difference(on_gpu))
    draws[on_gpu], used = or_on_cpu(device, traces, partial(on_cpu, on_gpu))
    if rest:
        draws[rest] = on_cpu(rest)
    return draws, used


def slack_of(measure: Measure[Any], bound: Any) -> Any:
    """Return the largest rounding difference of a MIC value between GPU and CPU, for this upper bound."""
    from bychance.gpu.mic import tolerance

    return tolerance(measure.name, bound)


def draw_ranked(
    measure: MIC,
    pairs: Sequence[tuple[_native.MicVariable, _native.MicVariable]],
    keys: Sequence[tuple[int, int]],
    first: int,
    count: int,
) -> FloatArray:
    """Draw MIC nulls on the GPU, one row of draws per pair of columns prepared for MIC.

    Each key is drawn once.
    """
    from bychance.gpu.mic import draw_mic

    pair_of_key = dict(zip(keys, pairs, strict=True))
    draws = draw_mic(
        list(pair_of_key.values()),
        list(pair_of_key),
        first,
        count,
        name=measure.name,
        exponent=measure.exponent,
        clumps=measure.clumps,
    )
    row_of_key = {key: k for k, key in enumerate(pair_of_key)}
    return draws[[row_of_key[key] for key in keys]]


def or_on_cpu(device: str, on_gpu: Callable[[], T], on_cpu: Callable[[], T]) -> tuple[T, str]:
    """Call `on_gpu`, or `on_cpu` if that fails and `device` is "auto". Return result and device.

    The failure gives a warning.
    """
    try:
        return on_gpu(), "cuda"
    except DeviceError as error:
        if device != "auto":
            raise
        warnings.warn(f"{error} The CPU is used instead.", BychanceWarning, stacklevel=2)
        return on_cpu(), "cpu"
