"""Shared by the tests of the store: a key, draws that can be told apart, and a count of calls."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tests.engine.nulls import NullKey


def make_key(**changes) -> NullKey:
    fields = {"measure": "mic", "settings": (("exponent", "0.6"),), "n": 60, "seed": 7, "kernel_version": 1}
    return NullKey(**{**fields, **changes})


def roots(first: int, count: int) -> np.ndarray:
    """Draw number s is √s, so that a draw in the wrong place shows."""
    return np.sqrt(np.arange(first, first + count, dtype=np.float64))


@dataclass
class Kernel:
    """√s, with a record of requests. With `dies_at` it is interrupted before that draw."""

    dies_at: int | None = None
    calls: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, first: int, count: int) -> np.ndarray:
        if self.dies_at is not None and first + count > self.dies_at:
            raise KeyboardInterrupt
        self.calls.append((first, count))
        return roots(first, count)

    @property
    def computed(self) -> list[int]:
        return [s for first, count in self.calls for s in range(first, first + count)]
