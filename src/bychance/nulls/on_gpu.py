"""Sampled nulls on a GPU: which, whether that is worth it, and their draws under the CPU's streams.

Draws are not stored: on a GPU they take less time than a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import BychanceWarning
from bychance.gpu.device import DeviceError
from bychance.measures.base import Measure, is_built_in
from bychance.measures.dcor import DistanceCorrelation
from bychance.measures.mic import MIC, MICe, TICe
from bychance.measures.trace import TraceMeasure
from bychance.stopping import current_stop

__all__ = [
    "draw_ranked",
    "draw_statistics",
    "draw_traces",
    "has_kernels",
    "is_drawn_on_gpu",
    "or_on_cpu",
    "slack_of",
    "traces_on_gpu",
]

Array = NDArray[np.float64]
T = TypeVar("T")

_CPU_STEPS_PER_S = 1e9  # about; of what `mic_cost` counts most are spared
_TRACE_STEPS_PER_S = 2e8
_WORTH_S = 2.0  # of one core: a GPU's start takes about as long


def has_kernels(measure: Measure[Any]) -> bool:
    """Whether a GPU can draw nulls of this measure."""
    is_trace = isinstance(measure, TraceMeasure | DistanceCorrelation) and is_built_in(type(measure))
    return is_trace or type(measure) in (MIC, MICe, TICe)


def is_drawn_on_gpu(device: str, measure: Measure[Any], n: Any = 0, n_draws: int | None = None) -> bool:
    """Whether so many draws of nulls on n rows, of one pair or of many, go to the GPU; None are many draws.

    It has MIC, MIC_e and TIC_e themselves, not what a subclass makes of them.
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
    repairings: Sequence[_native.Repairings],
    n_draws: int,
) -> list[int]:
    """The places of those statistics of which a GPU makes so many draws each."""
    if device == "cpu":
        return []
    at = [k for k, each in enumerate(statistics) if repairings[k].key and _native.kernel_of(each)]
    n_steps = float(sum(statistics[k].steps for k in at)) * n_draws
    if device == "auto" and n_steps <= _WORTH_S * _TRACE_STEPS_PER_S:
        return []
    from bychance.gpu.traces import has_room

    return or_on_cpu(device, lambda: [k for k in at if has_room(statistics[k])], list[int])[0]


def draw_traces(
    statistics: Sequence[_native.Statistic],
    repairings: Sequence[_native.Repairings],
    first: int,
    count: int,
) -> Array:
    """Draws first, first + 1, … by a GPU, bit by bit the CPU's, one row per statistic."""
    from bychance.gpu.traces import draw_traces

    return draw_traces(statistics, [each.key or (0, 0) for each in repairings], first, count)


def draw_statistics(
    device: str,
    statistics: Sequence[_native.Statistic],
    repairings: Sequence[_native.Repairings],
    first: int,
    count: int,
) -> tuple[Array, str]:
    """Draws first, first + 1, … of each statistic under its permutations, one row each; and which device."""
    on_gpu = traces_on_gpu(device, statistics, repairings, count)
    if not on_gpu:
        drawn = _native.draw_block(list(statistics), list(repairings), first, count, current_stop())
        return drawn, "cpu"
    rest = sorted(set(range(len(statistics))).difference(on_gpu))
    some, others = (
        ([statistics[k] for k in at], [repairings[k] for k in at], first, count) for at in (on_gpu, rest)
    )
    on_cpu = partial(_native.draw_block, stop=current_stop())
    drawn, used = or_on_cpu(device, partial(draw_traces, *some), partial(on_cpu, *some))
    if not rest:
        return drawn, used
    draws = np.empty((len(statistics), count))
    draws[on_gpu], draws[rest] = drawn, on_cpu(*others)
    return draws, used


def slack_of(measure: Measure[Any], bound: Any) -> Any:
    """How far draws may lie from the CPU's; so much below the observed value still counts as equal to it."""
    from bychance.gpu.mic import tolerance

    return tolerance(measure.name, bound)


def draw_ranked(
    measure: MIC,
    pairs: Sequence[tuple[_native.MicVariable, _native.MicVariable]],
    keys: Sequence[tuple[int, int]],
    first: int,
    count: int,
) -> Array:
    """Draws first, first + 1, … of nulls of ranks, one row per pair; each key is drawn once."""
    from bychance.gpu.mic import draw_mic

    places: dict[tuple[int, int], int] = {}
    at = [places.setdefault(key, len(places)) for key in keys]
    representatives = dict(zip(keys, pairs, strict=True))
    draws = draw_mic(
        [representatives[key] for key in places],
        list(places),
        first,
        count,
        name=measure.name,
        exponent=measure.exponent,
        clumps=measure.clumps,
    )
    return draws if len(places) == len(keys) else draws[at]


def or_on_cpu(device: str, on_gpu: Callable[[], T], on_cpu: Callable[[], T]) -> tuple[T, str]:
    """What the GPU gives, or with "auto" where it fails the CPU, with a warning; and which of them it was."""
    try:
        return on_gpu(), "cuda"
    except DeviceError as error:
        if device != "auto":
            raise
        warnings.warn(f"{error} The CPU is used instead.", BychanceWarning, stacklevel=2)
        return on_cpu(), "cpu"
