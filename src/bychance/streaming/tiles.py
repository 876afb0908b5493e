"""Splitting of a wide table's columns into tiles, so that machines can share the work on one part.

In:  a task on all columns of a part.
Out: tasks on some columns each, such that every pair of columns is in one of them. Their results are joined
     to the result of the whole task.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from bychance.streaming.read import Found, PartTask
from bychance.streaming.row_sample import RowSample

__all__ = ["joined", "tiles_of"]

TILE_COLUMNS = 400  # columns per task, from which pairs cost more time than reading columns several times


def tiles_of(task: PartTask) -> list[PartTask]:
    """Split a task into tasks on tiles of columns, or keep it whole if the columns are few.

    With covariates it stays whole. Two groups of columns make a tile, or one with the target. Each group
    is sampled in its first tile.
    """
    names, target = task.typing.names, task.options.wanted.target
    if len(names) <= TILE_COLUMNS or task.options.wanted.given:
        return [task]
    others = [name for name in names if name != target]
    size = TILE_COLUMNS - 1 if target in names else TILE_COLUMNS // 2
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


def joined(tiles: Sequence[Found], whole: PartTask) -> Found:
    """Combine the results of all tiles to the result for all columns."""
    none = whole.nothing()
    columns = {
        name: tile.sample.rows.column(name)
        for tile in tiles
        if tile.sample.rows is not None
        for name in tile.sample.rows.column_names
    }
    return Found(none.sums.with_tiles([tile.sums for tile in tiles]), _joined_rows(tiles, columns, whole))


def _joined_rows(tiles: Sequence[Found], columns: dict[str, Any], whole: PartTask) -> RowSample:
    """Combine the samples of all tiles, which hold the same rows in the same order."""
    import pyarrow as pa

    one = next((tile.sample for tile in tiles if tile.sample.rows is not None), tiles[0].sample)
    if one.rows is None:
        return one
    return replace(one, rows=pa.table({name: columns[name] for name in whole.columns}))
