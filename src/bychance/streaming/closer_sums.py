"""Second pass over a stream for pairs whose sums lose digits by cancellation, about their own means.

A column that is nearly constant on the rows it shares with another, far from its other values, loses
digits in sums about the center of all its values. The first sums give the means on shared rows, precisely
enough to sum again about them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bychance.moments.complete import moments_of
from bychance.moments.from_sums import MAX_CANCELLATION
from bychance.moments.row_sums import Batch, RowSums, Wanted
from bychance.streaming import StreamSource
from bychance.streaming.read import in_lots
from bychance.streaming.typed_batches import Typing

__all__ = ["with_closer_sums"]

_MOST_PAIRS = 256  # pairs in the second pass, to bound its time; further pairs are estimated from the sample
_FEWEST_ROWS = 10  # shared rows, below which a second pass is not worth its time
_LEAST_SPREAD = 1e-8  # share of the mean: the precision of spreads from the first sums

Pair = tuple[int, int]
"""Positions of a numeric column and another one among all columns, numeric ones first."""


def with_closer_sums(
    sums: RowSums, source: StreamSource, typing: Typing, tick: Callable[[int], None]
) -> RowSums:
    """Sum pairs again whose sums lose digits by cancellation, about their means on shared rows.

    This needs a source that can be read twice.
    """
    is_of_use = source.can_reread and not sums.wanted.given
    pairs = _cancelling(sums)[:_MOST_PAIRS] if is_of_use else []
    if not pairs:
        return sums
    names = [*sums.names[0], *sums.names[1]]
    used = {names[k] for pair in pairs for k in pair}
    few = typing.only(used)
    closer = {pair: _empty(sums, pair) for pair in pairs}
    places = {name: k for k, name in enumerate(few.names)}
    for part in source.parts:
        for rows in in_lots(part.batches([name for name in source.schema.names if name in used])):
            batch = few.read(rows)
            for pair, found in closer.items():
                shared = _shared(batch, [places[names[k]] for k in pair], len(few.numeric))
                if shared.n_rows:
                    closer[pair] = found.add(shared)
            tick(rows.num_rows)
    return replace(sums, closer={frozenset((names[a], names[b])): found for (a, b), found in closer.items()})


def _cancelling(sums: RowSums) -> list[Pair]:
    """Find pairs of columns whose sums on shared rows lose digits although the column varies."""
    n_numeric = len(sums.names[0])
    n = sums.counts[:, :n_numeric].astype(np.float64)
    moments = moments_of(sums.powers, n, MAX_CANCELLATION)
    cancels = ~moments.is_sound & (sums.distinct > 1) & (n >= _FEWEST_ROWS)
    # With a target, sums of pairs without the target were not computed.
    cancels &= sums.powers[:, 1] > 0
    found = {
        (number, mask) if mask >= n_numeric else (min(mask, number), max(mask, number))
        for mask, number in zip(*(side.tolist() for side in np.nonzero(cancels)), strict=True)
        if mask != number
    }
    return sorted(found)


def _empty(sums: RowSums, pair: Pair) -> RowSums:
    """Create empty sums of two columns, scaled about their means on the rows that both have."""
    n_numeric, (a, b) = len(sums.names[0]), pair
    numbers = [(a, b), (b, a)] if b < n_numeric else [(a, b)]
    scalings = np.array([_scaling(sums, number, mask) for number, mask in numbers])
    names = tuple(sums.names[0][number] for number, _ in numbers)
    labels = () if b < n_numeric else (sums.names[1][b - n_numeric],)
    return RowSums.none(names, labels, scalings, Wanted(groups=bool(labels), tables=False))


def _scaling(sums: RowSums, number: int, mask: int) -> NDArray[np.float64]:
    before, center, after = sums.scalings[number]
    s1, s2 = sums.powers[mask, :2, number]
    n = float(sums.counts[mask, number])
    mean = s1 / n
    spread = max(np.sqrt(max(s2 / n - mean**2, 0.0)), _LEAST_SPREAD * abs(mean))
    return np.array([before, center + mean / after, after * np.ldexp(1.0, -int(np.frexp(spread)[1]) - 3)])


def _shared(batch: Batch, places: list[int], n_numeric: int) -> Batch:
    """Return the two columns of a batch, on the rows in which neither is missing."""
    numbers = [batch.numbers[k] for k in places if k < n_numeric]
    codes = [k - n_numeric for k in places if k >= n_numeric]
    only = Batch(
        batch.n_rows,
        numbers,
        [batch.is_missing[k] for k in places],
        [batch.codes[k] for k in codes],
        [batch.labels[k] for k in codes],
    )
    return only.at(~(only.is_missing[0] | only.is_missing[1]))
