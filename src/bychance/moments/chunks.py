"""Splitting of pairs into runs of about a quarter of a second, so that Ctrl-C takes effect between runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["chunks", "joined"]

# About a quarter of a second.
_MAX_NANOSECONDS = 2.5e8


def chunks(nanoseconds: float | NDArray[np.float64], n_pairs: int) -> Iterator[slice]:
    """Yield slices of consecutive pairs that take about equal time. Without pairs, yield one empty slice.

    >>> list(chunks(np.array([1e8, 1e8, 1e8, 9e8]), 4))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None)]
    """
    run = (np.cumsum(np.broadcast_to(nanoseconds, n_pairs)) // _MAX_NANOSECONDS).astype(np.int64)
    cuts = [0, *(np.flatnonzero(np.diff(run)) + 1).tolist(), n_pairs]
    yield from map(slice, cuts[:-1], cuts[1:])


def joined(parts: Iterable[tuple[NDArray[Any], ...]]) -> tuple[NDArray[Any], ...]:
    """Join the arrays of all runs."""
    return tuple(np.concatenate(arrays) for arrays in zip(*parts, strict=True))
