"""Streams for tests: sources and their parts, sums over batches, samples of rows, what is packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from bychance.io import Table, read_table
from bychance.io.frames import Wishes
from bychance.moments.bent_sums import bends_of
from bychance.moments.row_sums import Batch, RowSums, Wanted
from bychance.streaming import open_source
from bychance.streaming.parts import cast_to, common_schema, common_type
from bychance.streaming.parts import joined as joined_tables
from bychance.streaming.read import _with_types_of_sums
from bychance.streaming.resume import SavedSums, json_in, pack, unpack
from bychance.streaming.row_sample import RowSample
from bychance.streaming.sources import in_folder, matching
from bychance.streaming.sums import Found, PartTask, StreamOptions, joined_tiles, tiles_of
from bychance.streaming.text import UpTo, end_of
from bychance.streaming.typed_batches import TypeBreak, Typing

__all__ = [
    "Batch",
    "RowSample",
    "SavedSums",
    "TypeBreak",
    "UpTo",
    "cast_to",
    "common_schema",
    "common_type",
    "end_of",
    "found_in",
    "in_folder",
    "joined_tables",
    "joined_tiles",
    "json_in",
    "matching",
    "open_source",
    "pack",
    "read_as_in_sums",
    "sums_of",
    "task_of",
    "tiles_of",
    "typing_of",
    "unpack",
]


class _Rows:
    """A part of a stream that holds a table, in batches of 200 rows."""

    name = "rows"

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return iter(self.table.select(columns).to_batches(max_chunksize=200))


def typing_of(known: Table, head: pa.Table, wishes: Wishes | None = None) -> Typing:
    """Return the reading of later batches after `known` was read of the first rows."""
    return Typing.of(known, head, wishes or Wishes(), None, as_numbers=False)


def task_of(
    table: pa.Table,
    *,
    categorical: Sequence[str] = (),
    columns_typed: Sequence[str] | None = None,
    sample_rows: int = 90,
    target: str | None = None,
    is_bent: bool = False,
) -> PartTask:
    """Return the task that sums the columns of a table, as one part, and samples its rows.

    Columns that are not among `columns_typed` are sampled only.
    """
    head = table if columns_typed is None else table.select(columns_typed)
    known = read_table(head, categorical=categorical)
    typing = typing_of(known, head, Wishes.of(categorical=categorical))
    bends = typing.bends(table) if is_bent else None
    how = StreamOptions(sample_rows=sample_rows, wanted=Wanted(target=target, bends=bends))
    return PartTask(_Rows(table), 0, table.column_names, typing, how)


def found_in(task: PartTask) -> Found:
    """Return the sums and the sampled rows of a task."""
    return task.run(lambda steps: None)


def sums_of(
    names: tuple[Sequence[str], Sequence[str]],
    batches: Iterable[Batch],
    *,
    scalings: np.ndarray | None = None,
    wanted: tuple[str, ...] = ("lines", "groups", "tables"),
    bends_of_values: dict[str, np.ndarray] | None = None,
) -> RowSums:
    """Return the sums over batches of numeric and label columns, of the kinds `wanted`.

    With scaled values of each numeric column, sums for lines bent at their quintiles are made too.
    """
    bends = bends_of_values and {name: bends_of(values) for name, values in bends_of_values.items()}
    if scalings is None:
        scalings = np.zeros((len(names[0]), 3))
    kinds = {kind: kind in wanted for kind in ("lines", "groups", "tables")}
    sums = RowSums.none(tuple(names[0]), tuple(names[1]), scalings, Wanted(**kinds, bends=bends))
    for batch in batches:
        sums = sums.add(batch)
    return sums


def read_as_in_sums(sample: pa.Table, read: Table, typing: Typing) -> Table:
    """Return a sample, as it was read, with the types that sums over all rows have."""
    names = tuple(column.name for column in typing.numeric)
    return _with_types_of_sums(read, typing, sample, RowSums.none(names, (), typing.scalings))
