"""Input of `rank`: a table in memory, or for a stream a row sample and sums over all rows.

In:  anything that `read_table` takes, and sources that are read in batches.
Out: Streamed: a table, with sums where it holds only some of the rows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from bychance.covariates.settings import as_given
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.dialect import Layout
from bychance.io.frames import Wishes, from_memory
from bychance.io.read import read_source
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option
from bychance.moments.bent_sums import N_SLOT_COLUMNS
from bychance.moments.row_sums import Wanted
from bychance.parallel import Workers, added_on_dask, dask_client, run_tasks
from bychance.progress import Progress
from bychance.ranking.limits_of_work import check_sums, memory_of_process
from bychance.ranking.options import Job, RankOptions, Streaming, names_of
from bychance.streaming import Streamed, StreamOptions, StreamSource, open_source, read_stream
from bychance.streaming.parts import OncePart
from bychance.streaming.read import Run, read_rows
from bychance.streaming.resume import SavedSums, pack, unpack
from bychance.streaming.sums import Found, PartTask, joined_tiles, tiles_of, with_closer_sums

__all__ = ["READING", "load", "read_whole", "sums_beside"]

_MOST_PACKED = 100  # bytes in memory per byte of a compressed file, at most (taste)
_WAVE = 256  # parts of a Dask frame whose sums are merged at a time: enough for all workers (taste)
_COPIES = 3  # copies of the values in memory while a table is read and typed
# What `read_table` is told of columns and cells.
READING = ("numeric", "categorical", "drop", "missing", "merge", "day_first")
_ON_LAYOUT = ("text_format", "names", "header", "skip_rows", "sheet")


def sums_beside(output: Path, *, resume: bool) -> SavedSums:
    """Return the file beside the output that stores finished sums until the output is written."""
    return SavedSums(output.with_name(f".{output.name}.sums"), resume=resume)


def load(
    source: Any,
    job: Job,
    asked: RankOptions,
    options: Mapping[str, Any],
    workers: Workers,
    kept: SavedSums | None = None,
) -> Streamed:
    """Return the table, or a sample of its rows with sums over all rows if it is a stream.

    With a target, sums are only of the pairs that it is in; they leave out rows that lack what is `given`.
    """
    if isinstance(source, Streamed):
        return source
    if isinstance(source, Table):
        return Streamed(source, None)
    stream = asked["stream"]
    settings = stream if isinstance(stream, Streaming) else Streaming()
    is_file = isinstance(source, str | os.PathLike) and os.path.isfile(source)
    is_read = is_file and (stream is False or (stream is None and _is_small(source)))
    opened = None if is_read else open_source(source, _layout(options))
    if opened is None and not stream:
        return Streamed(_read(source, options), None)
    opened = _of_memory(source) if opened is None else opened
    wishes = _wishes(options).for_names(opened.schema.names, ())
    if not stream:
        opened, fits = _fitting(opened, stream is False)
        if fits:
            return Streamed(_read(source, options) if is_file else _in_memory(opened, options), None)
    if wishes.merge:
        raise BychanceError(
            Option("merge")
            + " needs the whole table in memory: "
            + Option("stream", False)
            + " reads it whole.",
            "merge",
        )
    how = StreamOptions(
        sample_rows=settings.sample_rows,
        seed=job.root,
        wanted=_wanted(job, asked["target"], asked["given"]),
        as_numbers=job.only_numbers,
    )
    check_sums(
        len(opened.schema.names) - len(wishes.drop), 1 if how.wanted.bends is None else 1 + N_SLOT_COLUMNS
    )
    opened = opened.without_totals(wishes)
    streamed = read_stream(opened, wishes, how, _runner(workers), kept)
    if streamed.sums is None or streamed.typing is None:
        return streamed
    if _client(workers) is None:
        with Progress("rows read again", total=opened.n_rows, enabled=workers.progress, has_rate=True) as bar:
            closer = with_closer_sums(streamed.sums, opened, streamed.typing, bar.advance)
        streamed = replace(streamed, sums=closer)
    return _with_note(streamed)


def read_whole(source: Any, options: Mapping[str, Any]) -> Table:
    """Read one file or several as one table in memory, whatever the size."""
    is_file = isinstance(source, str | os.PathLike) and os.path.isfile(source)
    opened = None if is_file else open_source(source, _layout(options))
    return _read(source, options) if opened is None else _in_memory(opened, options)


def _read(source: Any, options: Mapping[str, Any]) -> Table:
    return read_source(source, _on_columns(options), _layout(options))


def _in_memory(opened: StreamSource, options: Mapping[str, Any]) -> Table:
    wishes = _wishes(options)
    opened = opened.without_totals(wishes)
    columns = [name for name in opened.schema.names if name not in wishes.drop]
    return read_rows(opened, opened.table(columns), wishes)


def _wishes(options: Mapping[str, Any]) -> Wishes:
    return Wishes.of(**_on_columns(options))


def _on_columns(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in READING if name in options}


def _layout(options: Mapping[str, Any]) -> Layout:
    return Layout.of(**{name: options[name] for name in _ON_LAYOUT if name in options})


def _of_memory(source: Any) -> StreamSource:
    """Return a frame in memory as a stream."""
    import pyarrow as pa

    if isinstance(source, str | os.PathLike):
        shown = os.fsdecode(source)
        raise BychanceError(
            Option("stream", True) + f" needs Parquet, Feather, Arrow or CSV, got {shown!r}.", "stream"
        )
    named = from_memory(source, None, is_strict=False)
    table = pa.table({name: _arrow(values) for name, values in named.columns.items()})
    part = OncePart(named.origin, table.to_batches())
    return StreamSource(named.origin, table.schema, (part,), notes=named.notes, library=named.library)


def _arrow(values: Any) -> Any:
    import pyarrow as pa

    from bychance.io.cells import as_arrow

    made = as_arrow(values)
    return made if isinstance(made, pa.Array | pa.ChunkedArray) else pa.array(made, from_pandas=True)


def _is_small(path: str | os.PathLike[str]) -> bool:
    """Return True if the file surely fits in memory, judged by its compressed size alone."""
    there_is = memory_of_process()
    return there_is is None or os.path.getsize(path) * _MOST_PACKED <= there_is // _COPIES


def _fitting(opened: StreamSource, is_wanted: bool) -> tuple[StreamSource, bool]:
    """Return the source, read until its size is known, and True if it is to be held in memory."""
    there_is = memory_of_process()
    if is_wanted or there_is is None:
        return opened, is_wanted or opened.can_reread
    budget = there_is // _COPIES
    if opened.can_reread:
        return opened, opened.n_bytes is not None and opened.n_bytes <= budget
    batches, n_bytes = [], 0
    stream_of = opened.parts[0].batches(opened.schema.names)
    for batch in stream_of:
        batches.append(batch)
        n_bytes += batch.nbytes
        if n_bytes > budget // 4:
            break
    part = OncePart(opened.parts[0].name, chain(batches, stream_of))
    return replace(opened, parts=(part,)), n_bytes <= budget // 4


def _wanted(job: Job, target: object, given: Any) -> Wanted:
    """Return the kinds of sums over a stream that the measures, target and covariates need."""
    numeric, labels = Kind.NUMERIC, Kind.CATEGORICAL
    settings, kinds = None if given is None else as_given(given), set(job.measures)
    return Wanted(
        lines=(numeric, numeric) in kinds,
        groups=bool({(numeric, labels), (labels, numeric)} & kinds),
        tables=(labels, labels) in kinds,
        target=None if target is None else str(target),
        given=() if settings is None else tuple(dict.fromkeys(names_of(settings.columns))),
        is_linear=settings is not None and settings.control == "linear",
        bends={}
        if settings is None and any(measure.bends_levels for measure in job.measures.values())
        else None,
    )


def _client(workers: Workers) -> Any:
    """Return the Dask client whose workers read the data, or None."""
    return None if workers.n_jobs == 1 else dask_client()


def _runner(workers: Workers) -> Run:
    def run(
        tasks: Mapping[int, Callable[[], PartTask]], n_rows: int | None
    ) -> Iterator[tuple[int, Found, int]]:
        with Progress("rows", total=n_rows, enabled=workers.progress, has_rate=True) as bar:
            client = _client(workers)
            if client is not None:
                yield from _read_on_dask(client, tasks, tick=bar.advance)
                return
            for number, found in run_tasks(tasks, n_jobs=workers.n_jobs, tick=bar.advance):
                yield number, found, 1

    return run


def _read_on_dask(
    client: Any, tasks: Mapping[int, Callable[[], PartTask]], *, tick: Callable[[int], None]
) -> Iterator[tuple[int, Found, int]]:
    """Yield (number of first part, number of parts, sums) for groups of parts in order, computed on Dask.

    Long tables are split by rows, wide ones by tiles of their columns as well.
    """
    numbers = list(tasks)
    for start in range(0, len(numbers), _WAVE):
        wave = numbers[start : start + _WAVE]
        parts = [tasks[number]() for number in wave]
        by_part = [tiles_of(part) for part in parts]
        packed = added_on_dask(client, zip(*by_part, strict=True), _read_part, _merged, pack)
        tiles = [unpack(each, tile.nothing()) for each, tile in zip(packed, by_part[0], strict=True)]
        found = tiles[0] if len(tiles) == 1 else joined_tiles(tiles, parts[0])
        tick(len(found))
        yield wave[0], found, len(wave)


def _read_part(task: PartTask) -> Found:
    return task.run(lambda steps: None).trimmed()


def _merged(one: Found, other: Found) -> Found:
    return one.merge(other).trimmed()


def _with_note(streamed: Streamed) -> Streamed:
    table, sums = streamed.table, streamed.sums
    assert sums is not None
    note = Note.on_table(
        Code.STREAMED,
        n_rows=sums.n_rows,
        n_sample=table.n_rows,
        given=True if sums.given is not None else None,
    )
    return replace(streamed, table=replace(table, notes=(note, *table.notes)))
