"""Rows → columns under their public names, and those → files that appear whole or not at all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, strings_of
from bychance.errors import BychanceError
from bychance.names import display_name, first_line, inert
from bychance.ranking.job import BY
from bychance.ranking.limits import Limits
from bychance.ranking.pair_rows import NO_SIGN, P_KINDS, Rows
from bychance.sealed_files import replacing_whole

__all__ = [
    "cannot_be_written",
    "check_output",
    "file_format",
    "open_writer",
    "ranking_columns",
    "replacing",
]

Write = Callable[[Mapping[str, Any]], None]
"""Takes columns: the next rows of the file."""


def ranking_columns(
    rows: Rows,
    index: NDArray[np.intp] | slice,
    place: NDArray[np.uint32],
    q_value: NDArray[np.float64],
    column_names: Sequence[str],
    limits: Limits | None = None,
) -> dict[str, Any]:
    """The columns of a ranking's frame for some of its rows; what is unknown is null.

    `place` and `q_value` belong to all rows, as `index` does; `limits`, where given, to the picked ones.
    """
    picked = rows.pick(index)
    names, texts = _strings(column_names), _strings(picked.texts)
    figures = {name: _known(array) for name, array in picked.arrays().items() if array.ndim == 1}
    return {
        "rank": arrow_of_numpy(place[index].astype(np.int64)),
        "x": names.take(figures["x"]),
        "y": names.take(figures["y"]),
        "measure": texts.take(figures["measure"]),
        "n": figures["n"],
        "sign": arrow_of_numpy(picked.sign, picked.sign == NO_SIGN),
        **{name: figures[name] for name in BY},
        "q_value": _known(q_value[index]),
        "p_kind": _strings(P_KINDS).take(figures["p_kind"]),
        "p_se": figures["p_se"],
        **{name: figures[name] for name in ("null_mean", "null_std")},
        "engine": texts.take(figures["engine"]),
        "n_resamples": arrow_of_numpy(picked.n_resamples, picked.n_resamples < 0),
        **{name: figures[name] for name in ("adjusted_se", "standardized_se", "adjusted_at_se")},
        **{
            name: _known(side)
            for name, side in zip(("adjusted_low", "adjusted_high"), limits or (), strict=False)
        },
        "note": texts.take(figures["note"]),
    }


def _strings(texts: Sequence[str]) -> Any:
    return strings_of(texts).cast(pa.string())


def _known(values: NDArray[Any]) -> Any:
    """The values as an Arrow array, NaN as null."""
    is_unknown = np.isnan(values)
    return arrow_of_numpy(values, is_unknown if is_unknown.any() else None)


def file_format(path: str | os.PathLike[str]) -> str:
    """What the name's ending asks for: parquet, csv or json."""
    target = Path(path)
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in _FORMATS:
        raise BychanceError(
            f"The output must end in .parquet, .csv or .json, got {display_name(str(target))}."
        )
    return suffix


def check_output(path: str | os.PathLike[str], source: Any) -> None:
    """An error, before any work, for a directory, for the table's own file, and where nothing can be written.

    >>> check_output("no/such/place/pairs.csv", {"a": [1, 2, 3]})
    Traceback (most recent call last):
    bychance.errors.BychanceError: no/such/place/pairs.csv cannot be written: No such file or directory.
    """
    target = Path(path)
    if target.is_dir():
        raise BychanceError(f"{display_name(str(target))} cannot be written: it is a directory.")
    if isinstance(source, (str, os.PathLike)) and target.exists() and target.samefile(source):
        raise BychanceError(f"{display_name(str(target))} is the table itself: name another file to write.")
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}."):
            pass
    except OSError as error:
        raise cannot_be_written(target, error) from None


def cannot_be_written(path: Path, error: OSError) -> BychanceError:
    """The error for an output that the system refuses."""
    return BychanceError(
        f"{display_name(str(path))} cannot be written: {error.strerror or first_line(error)}."
    )


@contextmanager
def open_writer(
    path: str | os.PathLike[str],
    suffix: str | None = None,
    *,
    directory: Path | None = None,
    raw_names: bool = False,
) -> Iterator[Write]:
    """A function that writes columns to the file, in as many calls as it takes.

    Until it is whole it lies beside its path, or in `directory`. In CSV, texts that a spreadsheet would take
    for formulas get an apostrophe, unless `raw_names`.
    """
    kind = file_format(path) if suffix is None else suffix
    with replacing(path, directory=directory) as temporary, _WRITERS[kind](temporary) as write:
        yield write if raw_names or kind != "csv" else lambda columns: write(_inert_texts(columns))


@contextmanager
def replacing(path: str | os.PathLike[str], *, directory: Path | None = None) -> Iterator[Path]:
    """A temporary file, renamed to the path at the end; an error that names the path where that fails."""
    target = Path(path)
    try:
        with replacing_whole(target, directory=directory) as temporary:
            yield temporary
    except OSError as error:
        raise cannot_be_written(target, error) from None


def _inert_texts(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns with texts that no spreadsheet runs; numbers stay as they are."""
    table = pa.table(dict(columns))
    return {
        name: _inert(column.combine_chunks()) if pa.types.is_string(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }


def _inert(texts: Any) -> Any:
    coded = texts.dictionary_encode()
    return _strings([inert(text) for text in coded.dictionary.to_pylist()]).take(coded.indices)


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    import pyarrow.parquet as pq

    with _PerSchema(lambda schema: pq.ParquetWriter(path, schema, compression="zstd")) as write:
        yield write


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    import pyarrow.csv

    with _PerSchema(lambda schema: pyarrow.csv.CSVWriter(str(path), schema)) as write:
        yield write


@contextmanager
def _json(path: Path) -> Iterator[Write]:
    with path.open("w", encoding="utf-8") as file:
        separators = iter(["[\n"])

        def write(columns: Mapping[str, Any]) -> None:
            for record in pa.table(dict(columns)).to_pylist():
                file.write(next(separators, ",\n"))
                _write_record(file, record)

        yield write
        file.write(next(separators, "") + "\n]\n")


def _write_record(file: IO[str], record: dict[str, Any]) -> None:
    finite = {k: v if not isinstance(v, float) or math.isfinite(v) else None for k, v in record.items()}
    json.dump(finite, file, ensure_ascii=False, allow_nan=False)


class _PerSchema:
    """A pyarrow writer that is opened by the first columns, which name and type all that follow."""

    def __init__(self, open_with: Callable[[pa.Schema], Any]) -> None:
        self._open_with = open_with
        self._writer: Any = None

    def __enter__(self) -> Write:
        return self._write

    def __exit__(self, *error: object) -> None:
        if self._writer is not None:
            self._writer.close()

    def _write(self, columns: Mapping[str, Any]) -> None:
        table = pa.table(dict(columns))
        if self._writer is None:
            self._writer = self._open_with(table.schema)
        self._writer.write_table(table)


@contextmanager
def _arrow(path: Path) -> Iterator[Write]:
    with _PerSchema(lambda schema: pa.ipc.new_file(str(path), schema)) as write:
        yield write


_WRITERS = {"parquet": _parquet, "csv": _csv, "json": _json, "arrow": _arrow}
_FORMATS = ("parquet", "csv", "json")
