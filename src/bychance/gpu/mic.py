"""Permutation draws of MIC, MIC_e and TIC_e on a GPU.

Draw k of a random key uses the permutation that `_native.Repairings.free(key, n)` numbers k. The search
works in integers, multiples of a unit that the budget of cells fixes: a value does not depend on what else
is drawn, and differs from the CPU's by less than `tolerance`.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.gpu.device import DeviceError
from bychance.gpu.launch import Gpu, Launch, gpu, in_parts, most_pairings, shuffled
from bychance.gpu.mic_plan import MicPlan
from bychance.messages import Option
from bychance.parallel import raise_if_stopped

__all__ = ["MOST_ROWS", "Key", "draw_mic", "tolerance"]

Key = tuple[int, int]
Variables = tuple[_native.MicVariable, _native.MicVariable]

MOST_ROWS = 1_000  # beyond, a block's tables outgrow shared memory
_FEWEST_PIECES = 16
_PAIRINGS_BYTES = 1 << 27  # of re-pairings in hand: up to a fifth of a second
_MOST_PER_WARP = 8  # draws of one warp of a block


def tolerance(name: str, bound: NDArray[np.float64] | float) -> Any:
    """Return the largest difference between a GPU draw and the CPU's: 2e-7, for `tic_e` times its bound."""
    return 2e-7 * np.maximum(bound, 1.0) if name == "tic_e" else 2e-7


def draw_mic(
    pairs: Sequence[Variables],
    keys: Sequence[Key],
    first: int,
    count: int,
    *,
    name: str,
    exponent: float,
    clumps: float,
) -> NDArray[np.float64]:
    """Return draws first, first + 1, … of each pair's null under its random key, one row per pair."""
    device = gpu()
    budgets = np.array([int(x.budget) for x, _ in pairs], dtype=np.int64)
    pieces = np.array([_most_pieces(*pair) for pair in pairs], dtype=np.int64)
    order = np.lexsort([pieces, budgets])
    changes = np.flatnonzero(np.diff(budgets[order]) | np.diff(pieces[order])) + 1
    draws, parts = np.empty((len(pairs), count)), np.split(order, changes)
    plans = [MicPlan.of(name, int(budgets[at[0]]), exponent, clumps) for at in parts]
    with device.session():
        for plan in plans:
            _request(device, plan)
        for at, plan in zip(parts, plans, strict=True):
            some = [pairs[k] for k in at], np.array([keys[k] for k in at], dtype=np.uint64)
            part = np.empty((len(at), count))
            _draw_alike(device, plan, int(pieces[at[0]]), *some, first, count, part)
            draws[at] = part
    return draws


def _most_pieces(x: _native.MicVariable, y: _native.MicVariable) -> int:
    """Return the larger number of tie groups of the pair, rounded up to a power of two."""
    n_groups = max(x.n_groups, y.n_groups)
    return max(_FEWEST_PIECES, 1 << (n_groups - 1).bit_length())


def _draw_alike(
    device: Gpu,
    plan: MicPlan,
    pieces: int,
    pairs: Sequence[Variables],
    keys: NDArray[np.uint64],
    first: int,
    count: int,
    out: NDArray[np.float64],
) -> None:
    """Draw the nulls of pairs that have the same budget of cells and similar numbers of tie groups."""
    if plan.shared_bytes(pieces, 1, device.shared_bytes) > device.shared_bytes:
        raise DeviceError(
            Option("device", "cuda")
            + f" cannot hold MIC of {plan.budget} cells in {device.shared_bytes:,} bytes of "
            "shared memory; use " + Option("device", "cpu") + ".",
            "device",
        )
    for part, start, size in in_parts(len(pairs), count, most_pairings(device, plan.most_n, _PAIRINGS_BYTES)):
        raise_if_stopped()
        drawn = _batch(device, plan, pieces, pairs[part], keys[part], first + start, size)
        device.get(drawn, out[part, start : start + size])


def _batch(
    device: Gpu,
    plan: MicPlan,
    pieces: int,
    pairs: Sequence[Variables],
    keys: NDArray[np.uint64],
    first: int,
    count: int,
) -> Any:
    n_pairs, most_n = len(pairs), plan.most_n
    variables, places = _distinct([each for pair in pairs for each in pair])
    n_of = device.put(np.array([x.n for x, _ in pairs], dtype=np.int32))
    layout = [device.put(array) for array in _native.mic_layout(variables, most_n)]
    pairings = shuffled(device, keys, n_of, most_n, (first, count))
    out = device.empty(n_pairs * count, np.float64)

    room, n_warps = plan.room(pieces, device.shared_bytes), plan.n_warps(device.shared_bytes)
    per_warp = n_pairs * count // (8 * device.n_multiprocessors * n_warps)
    per_block = n_warps * max(1, min(_MOST_PER_WARP, per_warp))
    n_blocks = n_pairs * ceil(count / per_block)
    search = _request(device, plan).result()
    arguments = [
        *map(np.int32, room),
        device.empty(max(1, n_blocks * n_warps * room.n_far_bytes), np.uint8),
        device.put(plan.table()),
        np.float64(plan.unit),
        n_of,
        device.put(places[0::2]),
        device.put(places[1::2]),
        *layout,
        pairings,
        np.int32(count),
        np.int32(per_block),
        out,
    ]
    n_bytes = plan.shared_bytes(pieces, n_warps, device.shared_bytes)
    search(n_blocks, 32 * n_warps, n_bytes, arguments)
    return out


def _request(device: Gpu, plan: MicPlan) -> Future[Launch]:
    return device.request("mic.cu", "mic_draws", **plan.defines(device.shared_bytes))


def _distinct(
    variables: Sequence[_native.MicVariable],
) -> tuple[list[_native.MicVariable], NDArray[np.int32]]:
    """Return the distinct variables, and each variable's position among them."""
    places: dict[int, int] = {}
    at = [places.setdefault(id(each), len(places)) for each in variables]
    kept = {id(each): each for each in variables}
    return [kept[key] for key in places], np.array(at, dtype=np.int32)
