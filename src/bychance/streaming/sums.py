"""Sums over the rows of a part and a sample of them, and a second pass for few pairs.

A wide table's columns are split into tiles, so that machines can share the work on one part. Pairs whose sums
lose digits by cancellation are summed again: a column that is nearly constant on the rows it shares with
another, far from its other values, loses digits in sums about the center of all its values. The first sums
give the means on shared rows, precisely enough to sum again about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from bychance.array_types import FloatArray
from bychance.messages import OPEN, Option
from bychance.moments.complete import moments_of
from bychance.moments.from_sums import MAX_CANCELLATION
from bychance.moments.row_sums import Batch, RowSums, Wanted
from bychance.names import display_name
from bychance.streaming.parts import BATCH_ROWS, Part, StreamSource
from bychance.streaming.row_sample import MOST, RowSample
from bychance.streaming.typed_batches import TypeBreak, Typing

__all__ = [
    "Found",
    "PartTask",
    "StreamOptions",
    "joined_tiles",
    "regrouped",
    "tiles_of",
    "with_closer_sums",
]

_TILE_COLUMNS = 400  # columns per task, from which pairs cost more time than reading columns several times
_MOST_PAIRS = 256  # pairs in the second pass, to bound its time; further pairs are estimated from the sample
_FEWEST_ROWS = 10  # shared rows, below which a second pass is not worth its time (taste)
_LEAST_SPREAD = 1e-8  # least standard deviation over the mean that sums can resolve (root of float precision)

Pair = tuple[int, int]
"""Positions of a numeric column and another one among all columns, numeric ones first."""


@dataclass(frozen=True, slots=True)
class StreamOptions:
    """Options for reading a stream: size and seed of the sample, sums to compute, booleans as numbers."""

    sample_rows: int
    wanted: Wanted
    seed: int = 0
    as_numbers: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Sums over the rows of some parts, and a sample of these rows."""

    sums: RowSums
    sample: RowSample

    @classmethod
    def none(cls, typing: Typing, options: StreamOptions, sample: RowSample) -> Found:
        """Return empty sums with an empty sample."""
        numeric, labels = (tuple(each.name for each in side) for side in (typing.numeric, typing.labels))
        return cls(RowSums.none(numeric, labels, typing.scalings, options.wanted), sample)

    def __len__(self) -> int:
        return self.sums.n_rows

    def trimmed(self) -> Found:
        """Return the sums, with the sample cut to its final size."""
        return Found(self.sums, self.sample.trimmed())

    def merge(self, other: Found) -> Found:
        """Merge with the sums and sample of other parts."""
        return Found(self.sums.merge(other.sums), self.sample.merge(other.sample))


@dataclass(frozen=True, slots=True, eq=False)
class PartTask:
    """Task of reading one part into sums and a sample, on any machine."""

    part: Part
    number: int
    columns: list[str]
    typing: Typing
    options: StreamOptions
    limit: np.uint64 = MOST  # priority above which rows are not sampled, since enough rows have smaller ones
    sampled: list[str] | None = None  # columns of the sample; None for all

    def nothing(self) -> Found:
        """Return empty sums and an empty sample."""
        sample = RowSample(self.options.sample_rows, self.options.seed, limit=self.limit)
        return Found.none(self.typing, self.options, sample)

    def run(self, tick: Callable[[int], None]) -> Found:
        """Sum and sample the rows of the part, and report the number of rows read to `tick`."""
        found, first = self.nothing(), 0
        sums, sample = found.sums, found.sample
        for rows in regrouped(self.part.batches(self.columns)):
            try:
                batch = self.typing.read(rows)
            except TypeBreak as error:
                raise self._located(error, rows, first) from None
            sums = sums.add(batch)
            if self.sampled is None or self.sampled:
                picked = rows if self.sampled is None else rows.select(self.sampled)
                sample = sample.add(picked, self.number, first, sums.has_given(batch))
            first += rows.num_rows
            tick(rows.num_rows)
        return Found(sums, sample)

    def _located(self, error: TypeBreak, rows: Any, first: int) -> TypeBreak:
        """Return the type error with the part and the row in which it occurs."""
        low, high = 0, rows.num_rows - 1  # bounds of the first row that cannot be read
        while low < high:
            middle = (low + high) // 2
            try:
                self.typing.read(rows.slice(0, middle + 1))
                low = middle + 1
            except TypeBreak as nearer:
                error, high = nearer, middle
        name = error.column
        told = error.said.with_values(
            row=first + low,
            part=display_name(self.part.name),
            reads=Option("missing", (OPEN,)),
            keeps=Option("categorical", (name,)),
            drops=Option("drop", (name,)),
        )
        return TypeBreak(told, name)


def regrouped(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield tables of up to 65,536 rows, made from batches of any size."""
    import pyarrow as pa

    lot: list[Any] = []
    n_rows = 0
    for batch in batches:
        for start in range(0, batch.num_rows, BATCH_ROWS):
            piece = batch.slice(start, BATCH_ROWS)
            if n_rows + piece.num_rows > BATCH_ROWS:
                yield pa.Table.from_batches(lot).combine_chunks()
                lot, n_rows = [], 0
            lot.append(piece)
            n_rows += piece.num_rows
    if n_rows:
        yield pa.Table.from_batches(lot).combine_chunks()


def tiles_of(task: PartTask) -> list[PartTask]:
    """Split a task into tasks on pairs of column groups, or keep it whole if the columns are few.

    With covariates it stays whole. Two groups of columns make a tile, or one with the target. Each group
    is sampled in its first tile.
    """
    names, target = task.typing.names, task.options.wanted.target
    if len(names) <= _TILE_COLUMNS or task.options.wanted.given:
        return [task]
    others = [name for name in names if name != target]
    size = _TILE_COLUMNS - 1 if target in names else _TILE_COLUMNS // 2
    groups = [tuple(others[start : start + size]) for start in range(0, len(others), size)]
    pairs = [(group, (str(target),)) for group in groups] if target in names else combinations(groups, 2)
    # Columns without a type are in no sums, but the sample needs them for notes.
    sampled = set(names)
    tiles = []
    for number, pair in enumerate(pairs):
        own = {name for group in pair for name in group}
        new = sampled & own | (set() if number else set(task.columns) - set(names))
        columns = [name for name in task.columns if name in own | new]
        typing = task.typing.only(own)
        tiles.append(replace(task, columns=columns, typing=typing, sampled=[c for c in columns if c in new]))
        sampled -= own
    return tiles


def joined_tiles(tiles: Sequence[Found], whole: PartTask) -> Found:
    """Combine the results of tasks on groups of columns, all on the same rows, into one of all columns."""
    import pyarrow as pa

    sums = whole.nothing().sums.with_tiles([tile.sums for tile in tiles])
    samples = [tile.sample for tile in tiles if tile.sample.rows is not None]
    if not samples:
        return Found(sums, tiles[0].sample)
    columns = {name: own.rows.column(name) for own in samples for name in own.rows.column_names}
    rows = pa.table({name: columns[name] for name in whole.columns})
    return Found(sums, replace(samples[0], rows=rows))


def with_closer_sums(
    sums: RowSums, source: StreamSource, typing: Typing, tick: Callable[[int], None]
) -> RowSums:
    """Recompute sums of pairs that lost digits to cancellation, centered at their means on shared rows.

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
        for rows in regrouped(part.batches([name for name in source.schema.names if name in used])):
            batch = few.read(rows)
            for pair, found in closer.items():
                shared = _shared(batch, [places[names[k]] for k in pair], len(few.numeric))
                if shared.n_rows:
                    closer[pair] = found.add(shared)
            tick(rows.num_rows)
    return replace(sums, closer={frozenset((names[a], names[b])): found for (a, b), found in closer.items()})


def _cancelling(sums: RowSums) -> list[Pair]:
    """Return column pairs whose power sums on shared rows cancel, so that variances lose digits."""
    n_numeric = len(sums.names[0])
    n, powers = sums.counts[:, :n_numeric].astype(np.float64), sums.powers[:, :, :n_numeric]
    moments = moments_of(powers, n, MAX_CANCELLATION)
    cancels = ~moments.is_sound & (sums.distinct > 1) & (n >= _FEWEST_ROWS)
    # With a target, sums of pairs without the target were not computed.
    cancels &= powers[:, 1] > 0
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


def _scaling(sums: RowSums, number: int, mask: int) -> FloatArray:
    before, center, after = sums.scalings[number]
    s1, s2 = sums.powers[mask, :2, number]
    n = float(sums.counts[mask, number])
    mean = s1 / n
    spread = max(np.sqrt(max(s2 / n - mean**2, 0.0)), _LEAST_SPREAD * abs(mean))
    return np.array([before, center + mean / after, after * np.ldexp(1.0, -int(np.frexp(spread)[1]) - 3)])


def _shared(batch: Batch, places: list[int], n_numeric: int) -> Batch:
    """Return two columns of a batch, restricted to the rows in which neither is missing."""
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
