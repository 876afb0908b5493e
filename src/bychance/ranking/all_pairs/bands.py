"""Pairs by how many rows they share: bands of nearly equal n, and what each needs to reach a p-value."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.all_pairs.reach import Reach

__all__ = ["Bands", "Limits"]

_WIDTH = 0.01  # how much n grows within a band
_MOST_CELLS = 256  # of one band


class Bands:
    """Bands of n from 21 to all rows, for columns whose Σc⁴ is at most `most_fourth`.

    `of[n]` is the band of n; 0 is that of fewer rows, which has no law.

    >>> bands = Bands(1000, 0.3)
    >>> round(bands.reach(int(bands.of[950])).least_r2(1e-10), 2)
    0.03
    """

    def __init__(self, n_rows: int, most_fourth: float) -> None:
        n = np.arange(n_rows + 1)
        steps = np.floor(np.log(np.maximum(n, 1)) / _WIDTH)
        steps[: MOST_ENUMERATED + 1] = -1
        self.of: NDArray[np.int64] = np.unique(steps, return_inverse=True)[1].astype(np.int64)
        self._most_fourth = most_fourth
        self._reaches: dict[int, Reach] = {}

    def __len__(self) -> int:
        return int(self.of[-1]) + 1

    def reach(self, band: int) -> Reach:
        """That of all pairs of a band. No column of n rows has a Σc⁴ below 1/n."""
        if band not in self._reaches:
            rows = np.flatnonzero(self.of == band)
            fourths = np.array([1 / rows[-1], self._most_fourth])
            self._reaches[band] = Reach.of(rows, fourths, fourths, _MOST_CELLS)
        return self._reaches[band]


class Limits:
    """Which |r| a pair of each band has at least, by a rule that is asked once per band that occurs."""

    def __init__(self, bands: Bands, least_r: Callable[[Reach], float]) -> None:
        self._bands, self._least_r = bands, least_r
        self.of_band = np.full(len(bands), math.nan)

    def ask(self, bands: NDArray[np.int64]) -> None:
        """Find those of these bands."""
        for band in bands[np.isnan(self.of_band[bands])].tolist():
            self.of_band[band] = self._least_r(self._bands.reach(band)) if band else 0.0
