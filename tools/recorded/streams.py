"""The recorded calls on sources that are read in batches: Parquet, text, streams that are read once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq

from tools.recorded.data import Table
from tools.recorded.figures import Call, Promise
from tools.recorded.interface import given, permutation, streamed
from tools.recorded.tables import stream_table, unsound_table
from tools.recorded.whole import ranking_in_full, with_warnings

__all__ = ["SAMPLE_ROWS", "parquet_parts", "stream_calls", "streamed_in_full"]

SAMPLE_ROWS = 250
_NUMBERS = ("x", "y", "outliers", "count", "age")
_LABELS = ("group", "many", "others", "tick", "site")
_MIXED = ("x", "y", "outliers", "group", "tick")
_PER_KIND = {"numeric": "r2", "mixed": "eta2", "categorical": "mi"}


def stream_calls() -> Iterator[Call]:
    for label, (names, options) in _of_parquet().items():
        promise: Promise = "bitwise" if options.get("measure") == "mic_e" else "1e-10"
        table = partial(_some, names)
        yield _call(f"parquet/{label}", table, parquet_parts, options, promise)
    for label, (table, source, options) in _of_other_sources().items():
        yield _call(label, table, source, options)


def _call(
    label: str,
    table: Callable[[], Table],
    source: Callable[[Table, Path], Any],
    options: Mapping[str, Any],
    promise: Promise = "1e-10",
) -> Call:
    run = partial(streamed_in_full, table, source, options)
    return Call(f"stream/{label}", promise, partial(with_warnings, run))


def _of_parquet() -> dict[str, tuple[tuple[str, ...], dict[str, Any]]]:
    """Return columns and options by label. Covariates are among the columns."""
    linear, smooth = ({"control": control} for control in ("linear", "smooth"))
    return {
        "mixed": (_MIXED, {}),
        "numbers, moments": (_NUMBERS, {"measure": "r2", "null": "moments"}),
        "numbers, normal": (_NUMBERS, {"measure": "r2", "null": "normal", "by": "p_value"}),
        "numbers, permutation": (_NUMBERS, {"measure": "r2", "null": permutation(99)}),
        "large integers and dates": (("large", "day", "x", "tick"), {}),
        "labels, goodman_kruskal": (_LABELS, {"measure": "goodman_kruskal"}),
        "labels, mi": (_LABELS, {"measure": "mi", "by": "standardized"}),
        "labels, cramers_v, permutation": (_LABELS, {"measure": "cramers_v", "null": permutation(99)}),
        "per kind": (_MIXED, {"measure": _PER_KIND, "min_n": 700}),
        "spearman": (_NUMBERS, {"measure": "spearman"}),
        "mic_e": (("x", "y", "outliers"), {"measure": "mic_e", "null": permutation(19)}),
        "kendall, target": (_NUMBERS, {"measure": "kendall", "target": "y", "null": "moments"}),
        "target of numbers": ((*_MIXED, "many"), {"target": "y"}),
        "target of labels": ((*_MIXED, "many"), {"target": "group", "tails": "none"}),
        "x and y": (_MIXED, {"x": ["x", "group"], "y": ["y", "tick"]}),
        "top=4, sweep": (_MIXED, {"top": 4, "sweep": [0.4, 0.01], "fdr": "by", "alpha": 0.2}),
        "n_jobs=2": (_MIXED, {"n_jobs": 2}),
        "given label, linear": ((*_NUMBERS, "site"), {"given": given("site", **linear)}),
        "given both, linear": (
            (*_NUMBERS, "site"),
            {"given": given(["age", "site"], **linear), "measure": "r2"},
        ),
        "given number, linear, normal": (
            _NUMBERS,
            {"given": given("age", **linear), "measure": "r2", "null": "normal"},
        ),
        "given both, linear, mixed": (
            (*_MIXED, "age", "site"),
            {"given": given(["age", "site"], **linear), "target": "x"},
        ),
        "given both, smooth": ((*_MIXED, "age", "site"), {"given": given(["age", "site"], **smooth)}),
        "given label, separate": (
            (*_MIXED, "site"),
            {"given": given("site", effect="separate"), "target": "group"},
        ),
    }


def _of_other_sources() -> dict[str, tuple[Any, Any, dict[str, Any]]]:
    """Return table, source and options by label."""
    mixed, dated = partial(_some, _MIXED), partial(_some, ("day", "x", "group", "large", "y"))
    numbers: dict[str, Any] = {"measure": "r2", "null": "moments"}
    return {
        "csv/mixed": (mixed, _csv_parts, {}),
        "csv/dates, target": (dated, _csv_parts, {"target": "x"}),
        "csv/packed, given": (
            partial(_some, (*_NUMBERS, "site")),
            _packed_csv,
            {"given": given("site", control="linear")},
        ),
        "feather/mixed": (mixed, _feather_dataset, {}),
        "reader/mixed": (mixed, _reader, {}),
        "unsound/parquet": (unsound_table, parquet_parts, numbers),
        "unsound/parquet, mixed": (unsound_table, parquet_parts, {"target": "side"}),
        "unsound/parquet, given": (
            unsound_table,
            parquet_parts,
            {"measure": "r2", "given": given("group", control="linear")},
        ),
        "unsound/reader": (unsound_table, _reader, numbers),
        "unsound/target": (unsound_table, parquet_parts, {**numbers, "target": "far"}),
    }


def streamed_in_full(
    table: Callable[[], Table], source: Callable[[Table, Path], Any], options: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return the streamed ranking of a table that is first written as this source."""
    with tempfile.TemporaryDirectory() as folder:
        where = source(table(), Path(folder))
        return ranking_in_full(streamed(where, sample_rows=SAMPLE_ROWS, **options))


def parquet_parts(table: Table, folder: Path, n_parts: int = 3, n_rows: int = 150) -> list[str]:
    """Write files with row groups of limited size."""
    write = partial(pq.write_table, row_group_size=n_rows)
    return _in_parts(table, folder, "parquet", write, n_parts)


def _csv_parts(table: Table, folder: Path) -> list[str]:
    return _in_parts(table, folder, "csv", pa.csv.write_csv)


def _packed_csv(table: Table, folder: Path) -> list[str]:
    def write(part: pa.Table, path: Path) -> None:
        with pa.CompressedOutputStream(str(path), "gzip") as file:
            pa.csv.write_csv(part, file)

    return _in_parts(table, folder, "csv.gz", write)


def _feather_dataset(table: Table, folder: Path) -> pa.dataset.Dataset:
    return pa.dataset.dataset(_in_parts(table, folder, "feather", pa.feather.write_feather), format="feather")


def _reader(table: Table, folder: Path) -> pa.RecordBatchReader:
    return _arrow(table).to_reader(max_chunksize=200)


def _in_parts(
    table: Table, folder: Path, ending: str, write: Callable[[pa.Table, Path], object], n_parts: int = 3
) -> list[str]:
    whole = _arrow(table)
    n_rows = -(-whole.num_rows // n_parts)
    paths = [folder / f"part-{k}.{ending}" for k in range(n_parts)]
    for k, path in enumerate(paths):
        write(whole.slice(k * n_rows, n_rows), path)
    return [str(path) for path in paths]


def _arrow(table: Table) -> pa.Table:
    return pa.table({name: pa.array(values, from_pandas=True) for name, values in table.items()})


def _some(names: tuple[str, ...]) -> Table:
    table = stream_table()
    return {name: table[name] for name in names}
