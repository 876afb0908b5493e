"""Sampled nulls on a GPU: which, whether that is worth it, and their draws under the CPU's streams.

Draws are not stored: on a GPU they take less time than a file.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import BychanceWarning
from bychance.gpu.device import DeviceError
from bychance.measures.base import Measure
from bychance.measures.mic import MIC, MICe, TICe

__all__ = ["are_lines_on_gpu", "draw_lines", "draw_ranked", "is_drawn_on_gpu", "or_on_cpu", "slack_of"]

Array = NDArray[np.float64]

_CPU_STEPS_PER_S = 1e9  # about; of what `mic_cost` counts most are spared
_LINE_STEPS_PER_S = 2e8  # rows of a draw
_WORTH_S = 2.0  # of one core: a GPU's start takes about as long


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


def are_lines_on_gpu(device: str, n: NDArray[np.int64], n_draws: int) -> bool:
    """Whether so many draws of r² on n rows each go to the GPU."""
    if device == "cpu":
        return False
    from bychance.gpu.lines import MOST_ROWS

    is_worth_it = float(np.sum(n, dtype=np.float64)) * n_draws > _WORTH_S * _LINE_STEPS_PER_S
    return bool(np.max(n) <= MOST_ROWS) and (device == "cuda" or is_worth_it)


def draw_lines(
    statistics: Sequence[_native.Statistic], keys: Sequence[tuple[int, int]], first: int, count: int
) -> Array:
    """Draws first, first + 1, … of r², bit by bit the CPU's, one row per pair."""
    from bychance.gpu.lines import draw_lines

    return draw_lines(statistics, keys, first, count)


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


def or_on_cpu(device: str, on_gpu: Callable[[], Array], on_cpu: Callable[[], Array]) -> tuple[Array, str]:
    """What the GPU gives, or with "auto" where it fails the CPU, with a warning; and which of them it was."""
    try:
        return on_gpu(), "cuda"
    except DeviceError as error:
        if device != "auto":
            raise
        warnings.warn(f"{error} The CPU is used instead.", BychanceWarning, stacklevel=2)
        return on_cpu(), "cpu"
