"""Pairs of columns with gaps → those that may reach a threshold on the rows that they share, by products.

Let z and w be two masked lines (masked.py) with masks a and b. Six matrix products in float64 give, for every
pair, n = a·b, z·b, z²·b, a·w, a·w² and z·w: all that r on the shared rows consists of,

    r = cov/√(q_z·q_w),   cov = z·w − (z·b)(a·w)/n,   q_z = z²·b − (z·b)²/n,   q_w likewise.

How far r can be off. A float64 sum of N products, in any order and with or without fused additions, is off by
at most γ = 4N·2⁻⁵³ times the sum of the terms' sizes (four times what is needed). Those sizes add up to at
most 1 for z·w and z²·b and, by Cauchy and Schwarz, to √n for z·b; n is exact. So cov and q are off by at
most γ + 2γ + γ² and what a few more roundings add: less than 4γ. With q_z and q_w, as computed, at least δ
(`_LEAST_SHARE`), dividing changes r by at most 4γ/δ for cov and 4γ/δ for the root. The lines themselves are
off by 1e-10 in norm (`MAX_ERROR`), relatively 1e-10/√δ on the shared rows, and twice that after scaling: for
both less than 1e-9/√δ. Together |computed − r| ≤ 8γ/δ + 1e-9/√δ: 1e-8 for 1,000 rows.

Which r matters. A pair is judged by its r only where it is sure that its null is a Beta law with mean
1/(n − 1) and the exact variance: enough rows differ from the most common value, Σc⁴ is small in both columns,
and one of them at least has more than two values, all on the shared rows. There c = (z − mean)/√q, so that
Σc⁴ ≤ (‖z‖₄ + n^¼·|mean|)⁴/q² (Minkowski). Bands of n (bands.py) then say which |r| a p-value needs. All
other pairs pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.errors import BychanceError
from bychance.messages import Option
from bychance.nulls.exact import MOST_ENUMERATED
from bychance.ranking.all_pairs.backend import Backend
from bychance.ranking.all_pairs.bands import Bands, Limits
from bychance.ranking.all_pairs.gap_columns import TWO_VALUES, GapColumns, gaps_of, most_fourth
from bychance.ranking.all_pairs.lines import MAX_ERROR, most_others
from bychance.ranking.all_pairs.masked import Masked, masked_lines
from bychance.ranking.all_pairs.reach import Reach
from bychance.ranking.all_pairs.screen import MOST_CANDIDATES
from bychance.ranking.all_pairs.sides import Lines, Side

__all__ = ["GapCandidates", "GapScreen", "gap_bound"]

_LEAST_SHARE = 0.01  # δ: of a column's sum of squares that the shared rows must have
_FEWEST_PAIRS = 2**14  # for which a screen is worth it
_N_BINS = 256  # of |r|
_TILES_AT_ONCE = 6  # as many columns fewer per block: tiles are of float64, and two dozen are in hand

Numbers = NDArray[np.int64]
LeastR = Callable[[Reach], float]


def gap_bound(n_rows: int) -> float:
    """How far r of a pair that is judged by it can be off.

    >>> gap_bound(1000) < 1.1e-8
    True
    """
    return float(8 * 4 * n_rows * 2.0**-53 / _LEAST_SHARE + 10 * MAX_ERROR / _LEAST_SHARE**0.5)


@dataclass(frozen=True, slots=True, eq=False)
class GapCandidates:
    """Pairs that may pass, and of the others how many were tested and at least what p-values they have."""

    x: Numbers
    y: Numbers
    least_p: NDArray[np.float64]
    counts: Numbers  # how many others have at least each of these

    @property
    def n_others(self) -> int:
        """How many tested pairs are no candidates."""
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True, eq=False)
class _Rectangle:
    x: Numbers
    y: Numbers
    is_triangle: bool = False


class GapScreen:
    """Usable columns of both sides, of which one at least has gaps, ready for passes over tiles."""

    def __init__(
        self, sides: tuple[Side, Side], columns: tuple[GapColumns, GapColumns], backend: Backend, min_n: int
    ) -> None:
        self.columns, self.sides, self._backend, self._min_n = columns, sides, backend, min_n
        n_rows = sides[0].n_rows
        self._step = max(1, backend.block_columns(n_rows) // _TILES_AT_ONCE)
        self._most_fourth = most_fourth(*columns)
        self._bands, self._bound = Bands(n_rows, self._most_fourth), gap_bound(n_rows)
        xp = backend.xp
        self._most_others = xp.asarray(np.array([most_others(max(n, 1)) for n in range(n_rows + 1)]))
        self._band_of = xp.asarray(self._bands.of)

    @classmethod
    def of(cls, x: Lines, y: Lines, backend: Backend, min_n: int) -> GapScreen | None:
        """That of two sides; None where too few pairs have gaps, or ranks, which change with the rows."""
        gaps = [gaps_of(x)]
        gaps.append(gaps[0] if x is y else gaps_of(y))
        n_pairs = gaps[0].sum() * len(y.side) + gaps[1].sum() * len(x.side)
        if x.is_ranked or not n_pairs or n_pairs < _FEWEST_PAIRS:
            return None
        columns = [GapColumns.of(x, backend, gaps[0], is_every=bool(gaps[1].any()))]
        is_every = bool(gaps[0].any())
        columns.append(columns[0] if x is y else GapColumns.of(y, backend, gaps[1], is_every=is_every))
        return cls((x.side, y.side), (columns[0], columns[1]), backend, min_n)

    def n_pairs(self) -> int:
        """How many pairs are screened."""
        (gaps, whole), (y_gaps, y_whole) = (
            [
                np.bincount(c.is_many[c.is_usable & (c.has_gaps == is_gap)], minlength=2)
                for is_gap in (True, False)
            ]
            for c in self.columns
        )
        if self.sides[0] is self.sides[1]:
            few, many = gaps.tolist()
            return int(many * (many - 1) // 2 + many * few + gaps.sum() * whole.sum() - few * whole[0])
        with_gaps = gaps.sum() * (y_gaps + y_whole).sum() - gaps[0] * (y_gaps + y_whole)[0]
        return int(with_gaps + whole.sum() * y_gaps.sum() - whole[0] * y_gaps[0])

    def run(self, least_r: LeastR) -> GapCandidates:
        """All pairs that may have at least the |r| that the rule asks of their number of rows."""
        limits = Limits(self._bands, least_r)
        counts = np.zeros(len(self._bands) * _N_BINS, dtype=np.int64)
        found: list[tuple[Numbers, Numbers]] = [(np.empty(0, dtype=np.int64),) * 2]
        n_found = 0
        for x, y, at, others in self._tiles(limits):
            found.append((x[at // len(y)], y[at % len(y)]))
            counts += others
            n_found += len(at)
            if n_found > MOST_CANDIDATES:
                raise BychanceError(
                    f"More than {MOST_CANDIDATES:,} pairs pass the screen: lower `threshold` or "
                    + Option("top")
                    + "."
                )
        pairs = np.concatenate([part[0] for part in found]), np.concatenate([part[1] for part in found])
        order = np.lexsort((pairs[1], pairs[0]))
        return GapCandidates(pairs[0][order], pairs[1][order], *self._least_p(counts, limits))

    def _least_p(self, counts: Numbers, limits: Limits) -> tuple[NDArray[np.float64], Numbers]:
        """Per band and bin of |r| with pairs: at least what p-values these have, and how many they are."""
        used = np.flatnonzero(counts)
        band, edge = used // _N_BINS, (used % _N_BINS + 1) / _N_BINS + self._bound
        most_r = np.minimum(np.where(used % _N_BINS == _N_BINS - 1, 1.0, edge), limits.of_band[band])
        least = [
            self._bands.reach(b).least_p(r * r) for b, r in zip(band.tolist(), most_r.tolist(), strict=True)
        ]
        return np.array(least, dtype=np.float64), counts[used]

    def _tiles(self, limits: Limits) -> Iterator[tuple[Numbers, Numbers, Numbers, Numbers]]:
        """Numbers of columns, the candidates' places among them, and counts of the others."""
        for rectangle in self._rectangles():
            for top in range(0, len(rectangle.x), self._step):
                x = rectangle.x[top : top + self._step]
                a = self._masked(0, x)
                for left in range(top if rectangle.is_triangle else 0, len(rectangle.y), self._step):
                    y = rectangle.y[left : left + self._step]
                    b = a if rectangle.is_triangle and left == top else self._masked(1, y)
                    at, others = self._judged(a, b, self._are_asked(x, y, rectangle.is_triangle), limits)
                    yield x, y, at, others

    def _rectangles(self) -> list[_Rectangle]:
        (gaps, whole), (y_gaps, y_whole) = (
            (np.flatnonzero(c.is_usable & c.has_gaps), np.flatnonzero(c.is_usable & ~c.has_gaps))
            for c in self.columns
        )
        if self.sides[0] is self.sides[1]:
            return [_Rectangle(gaps, gaps, is_triangle=True), _Rectangle(gaps, whole)]
        return [_Rectangle(gaps, np.concatenate([y_gaps, y_whole])), _Rectangle(whole, y_gaps)]

    def _masked(self, which: int, numbers: Numbers) -> Masked:
        with self._backend.stream():
            values = self._backend.put(self.sides[which].picked(numbers))
        return masked_lines(values, self._backend.xp)

    def _are_asked(self, x: Numbers, y: Numbers, is_triangle: bool) -> NDArray[np.bool_]:
        asked: NDArray[np.bool_] = self.columns[0].is_many[x][:, None] | self.columns[1].is_many[y]
        return asked & (x[:, None] < y) if is_triangle else asked

    def _judged(
        self, a: Masked, b: Masked, are_asked: NDArray[np.bool_], limits: Limits
    ) -> tuple[Numbers, Numbers]:
        xp, fetch = self._backend.xp, self._backend.fetch
        r, n, is_sure = shared_correlations(a, b, self._most_others, self._most_fourth, xp)
        is_tested = xp.asarray(are_asked) & (n >= self._min_n)
        band = self._band_of[n]
        limits.ask(np.flatnonzero(fetch(xp.bincount(band.ravel(), minlength=len(self._bands)))))
        limit = xp.asarray(limits.of_band - self._bound)[band]
        is_other = is_tested & is_sure & (r < limit)
        bins = xp.minimum(r * _N_BINS, _N_BINS - 1).astype(np.int64)
        n_codes = len(self._bands) * _N_BINS
        codes = xp.where(is_other, band * _N_BINS + bins, n_codes)
        counts = xp.bincount(codes.ravel(), minlength=n_codes + 1)[:n_codes]
        at = xp.flatnonzero(is_tested & ~is_other)
        return fetch(at).astype(np.int64), fetch(counts).astype(np.int64)


def shared_correlations(
    a: Masked, b: Masked, most_others_of: Any, most_fourth: float, xp: Any
) -> tuple[Any, Any, Any]:
    """|r| and n of each pair on its shared rows, and whether the pair may be judged by them."""
    n = a.mask @ b.mask.T
    rows = xp.maximum(n, 1.0)
    x_mean, y_mean = (a.lines @ b.mask.T) / rows, (a.mask @ b.lines.T) / rows
    x_square = a.squares @ b.mask.T - rows * x_mean * x_mean
    y_square = a.mask @ b.squares.T - rows * y_mean * y_mean
    count = xp.rint(n).astype(np.int64)
    others = most_others_of[count]
    is_sure = n > MOST_ENUMERATED
    may_have_two = xp.ones(n.shape, dtype=np.bool_)
    for side, mean, square, shape in ((a, x_mean, x_square, (-1, 1)), (b, y_mean, y_square, (1, -1))):
        fourth = (side.root.reshape(shape) + rows**0.25 * xp.abs(mean)) ** 4
        is_sure &= (square >= _LEAST_SHARE) & (fourth <= (1 - 1e-6) * most_fourth * square * square)
        is_sure &= count - side.most_alike.reshape(shape) > others
        triples = side.n_triples.reshape(shape) - (side.n.reshape(shape) - n)
        may_have_two &= triples * side.spread.reshape(shape) <= TWO_VALUES * fourth
    product = a.lines @ b.lines.T - rows * x_mean * y_mean
    r = xp.abs(product) / xp.sqrt(xp.maximum(x_square, _LEAST_SHARE) * xp.maximum(y_square, _LEAST_SHARE))
    return r, count, is_sure & ~may_have_two
