"""Output files: results under their public names, written completely or not at all.

Rankings with more pairs than fit in memory are written from the blocks that lie beside the output
(resume.py), in canonical order or sorted.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy
from bychance.errors import BychanceError
from bychance.names import display_name, inert
from bychance.ranking.collector import Standing, merged, picked
from bychance.ranking.plan import Plan
from bychance.ranking.results import q_values, ranking_columns, text_array
from bychance.ranking.resume import Parts
from bychance.sealed_files import cannot_be_written, replacing_whole

__all__ = [
    "ROWS_PER_WRITE",
    "check_output",
    "file_format",
    "open_writer",
    "replacing",
    "write_output",
]

ROWS_PER_WRITE = 1 << 16  # rows that are written at a time (memory)

Write = Callable[[Mapping[str, Any]], None]
"""Takes columns: the next rows of the file."""


def file_format(path: str | os.PathLike[str]) -> str:
    """Return the file format by the name's ending: parquet, csv or json."""
    target = Path(path)
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in _FORMATS:
        raise BychanceError(
            f"The output must end in .parquet, .csv or .json, got {display_name(str(target))}."
        )
    return suffix


def check_output(path: str | os.PathLike[str], source: Any) -> None:
    """Raise an error if the output is a directory, the input file, or not writable.

    >>> check_output("no/such/place/pairs.csv", {"a": [1, 2, 3]})
    Traceback (most recent call last):
    bychance.errors.BychanceError: no/such/place/pairs.csv cannot be written: No such file or directory.
    """
    target = Path(path)
    if target.is_dir():
        raise BychanceError(f"{display_name(str(target))} cannot be written: it is a directory.")
    is_file = isinstance(source, (str, os.PathLike)) and os.path.exists(source)  # no glob, no URL
    if is_file and target.exists() and target.samefile(source):
        raise BychanceError(f"{display_name(str(target))} is the table itself: name another file to write.")
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}."):
            pass
    except OSError as error:
        raise cannot_be_written(target, error) from None


@contextmanager
def open_writer(
    path: str | os.PathLike[str],
    suffix: str | None = None,
    *,
    directory: Path | None = None,
    raw_names: bool = False,
) -> Iterator[Write]:
    """Open a file and yield a function that writes batches of columns to it.

    Until it is whole it lies beside its path, or in `directory`. In CSV, texts that a spreadsheet would take
    for formulas get an apostrophe, unless `raw_names`.
    """
    kind = file_format(path) if suffix is None else suffix
    with replacing(path, directory=directory) as temporary, _WRITERS[kind](temporary) as write:
        yield write if raw_names or kind != "csv" else lambda columns: write(_inert_texts(columns))


@contextmanager
def replacing(path: str | os.PathLike[str], *, directory: Path | None = None) -> Iterator[Path]:
    """Open a temporary file that is renamed to the path on success."""
    target = Path(path)
    try:
        with replacing_whole(target, directory=directory) as temporary:
            yield temporary
    except OSError as error:
        raise cannot_be_written(target, error) from None


def _inert_texts(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Escape texts that a spreadsheet would run as formulas."""
    table = pa.table(dict(columns))
    return {
        name: _inert(column.combine_chunks()) if pa.types.is_string(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _inert(texts: Any) -> Any:
    coded = texts.dictionary_encode()
    return text_array([inert(text) for text in coded.dictionary.to_pylist()]).take(coded.indices)


@contextmanager
def _by_schema(open_with: Callable[[pa.Schema], Any]) -> Iterator[Write]:
    """Open a pyarrow writer with the schema of the first batch of columns."""
    writer = None

    def write(columns: Mapping[str, Any]) -> None:
        nonlocal writer
        table = pa.table(dict(columns))
        if writer is None:
            writer = open_with(table.schema)
        writer.write_table(table)

    try:
        yield write
    finally:
        if writer is not None:
            writer.close()


def _parquet(path: Path) -> AbstractContextManager[Write]:
    import pyarrow.parquet as pq

    return _by_schema(lambda schema: pq.ParquetWriter(path, schema, compression="zstd"))


def _csv(path: Path) -> AbstractContextManager[Write]:
    import pyarrow.csv

    return _by_schema(lambda schema: pyarrow.csv.CSVWriter(str(path), schema))


def _arrow(path: Path) -> AbstractContextManager[Write]:
    return _by_schema(lambda schema: pa.ipc.new_file(str(path), schema))


@contextmanager
def _json(path: Path) -> Iterator[Write]:
    with path.open("w", encoding="utf-8") as file:
        separators = iter(["[\n"])

        def write(columns: Mapping[str, Any]) -> None:
            for record in pa.table(dict(columns)).to_pylist():
                finite = {
                    k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in record.items()
                }
                file.write(next(separators, ",\n"))
                json.dump(finite, file, ensure_ascii=False, allow_nan=False)

        yield write
        file.write(next(separators, "") + "\n]\n")


_WRITERS = {"parquet": _parquet, "csv": _csv, "json": _json, "arrow": _arrow}
_FORMATS = ("parquet", "csv", "json")


def write_output(
    plan: Plan, parts: Parts, standing: Standing, output: Path, suffix: str, *, sort: bool, raw_names: bool
) -> None:
    """Write results of all pairs to `output`, best first or by x and y, with ranks and q-values."""
    # Until it is whole it lies among the parts: a resumed run removes what a killed one left of it.
    with open_writer(output, suffix, directory=parts.directory, raw_names=raw_names) as write:
        batches = _in_canonical_order(plan, parts, standing)
        for columns in _best_first(batches, parts, standing.order) if sort else batches:
            write(columns)


def _in_canonical_order(plan: Plan, parts: Parts, standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield batches of all pairs, sorted by x and then by y."""
    tiles = enumerate(plan.tiles)
    for _, stripe in groupby(tiles, key=lambda numbered: numbered[1].x.start):
        blocks = [(plan.numbers(number), parts.read(number)) for number, _ in stripe]
        firsts = np.unique(np.concatenate([rows.x for _, rows in blocks]))
        height = max(1, ROWS_PER_WRITE * len(firsts) // sum(len(rows) for _, rows in blocks))
        listed = plan.pairs.x[np.isin(plan.pairs.x, firsts)]
        for start in range(0, len(listed), height):
            wanted = listed[start : start + height]
            numbers, rows = merged([picked(block, np.isin(block[1].x, wanted)) for block in blocks])
            q_value = q_values(standing.rates[numbers], rows)
            yield ranking_columns(rows, slice(None), standing.place[numbers], q_value, plan.table.names)


def _best_first(
    batches: Iterator[dict[str, Any]], parts: Parts, order: NDArray[np.uint32]
) -> Iterator[dict[str, Any]]:
    """Store batches on disk, and yield their rows best first. The batches come sorted by x and y."""
    path = parts.directory / "canonical.arrow"
    with open_writer(path, "arrow") as write:
        for columns in batches:
            write(columns)
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    for start in range(0, len(order), ROWS_PER_WRITE):
        chunk = table.take(arrow_of_numpy(order[start : start + ROWS_PER_WRITE]))
        yield dict(zip(chunk.column_names, chunk.columns, strict=True))
