"""Tails of nulls that all pairs without ties share: run once, kept in the store, read off for every pair.

In:  the key of a shared null, the number of a run, and a threshold.
Out: the curve of that run, deep enough for the threshold: levels, and log10 of the chance to reach each.

A run for the whole tail goes the same way whatever is read off it: a pair's p-value depends neither on how
deep others needed the curve nor on who came first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.store import NullKey, default_store

__all__ = ["DEPTHS", "TailCurve", "curve_reaching"]

DEPTHS = (-3.0, -6.0, -12.0)  # log10 of the p-values at which a curve may end


@dataclass(frozen=True, eq=False)
class TailCurve:
    """What one run saw on its way: levels in ascending order, and log10 of the chance to reach each."""

    levels: NDArray[np.float64]
    log10_p: NDArray[np.float64]

    def reaches(self, threshold: float) -> bool:
        """Whether the threshold is within the curve."""
        return bool(len(self.levels)) and threshold <= self.levels[-1]

    def at(self, threshold: float) -> float:
        """log10 p of a threshold: between two levels on the line between them, beyond the last as there.

        >>> curve = TailCurve(np.array([1.0, 2.0, 4.0]), np.array([-0.25, -0.5, -1.0]))
        >>> [float(curve.at(threshold)) for threshold in (0.5, 2.0, 3.0, 9.0)]
        [0.0, -0.5, -0.75, -1.0]
        """
        if not len(self.levels):
            return 0.0
        return float(np.interp(threshold, self.levels, self.log10_p, left=0.0))


def curve_reaching(
    threshold: float, key: NullKey, number: int, version: int, run: Callable[[float], TailCurve]
) -> TailCurve:
    """The stored curve of a run, extended while it ends below the threshold; `run` takes the depth."""
    curve = TailCurve(np.empty(0), np.empty(0))
    for depth in DEPTHS:
        settings = ("tail", str(version)), ("run", str(number)), ("depth", f"{depth:g}")
        kept = replace(key, settings=(*key.settings, *settings))

        def compute(depth: float = depth) -> NDArray[np.float64]:
            made = run(depth)
            return np.concatenate([made.levels, made.log10_p])

        levels, log10_p = np.split(default_store().whole(kept, compute), 2)
        curve = TailCurve(levels, log10_p)
        if curve.reaches(threshold) or not len(levels) or log10_p[-1] > depth:  # no permutation is beyond
            break
    return curve
