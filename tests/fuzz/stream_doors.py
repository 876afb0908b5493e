"""The doors of a stream: parts, or all rows, → what a caller gives `rank`."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Sequence
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset as ds
import pyarrow.feather
import pyarrow.parquet as pq

Parts = Sequence[pa.Table]

ON_FILESYSTEM = "/fuzz"
TEXT = frozenset({"csv", "csv.gz", "url of text"})
"""Doors that say nothing of types."""
NOT_THROUGH = {
    **dict.fromkeys(TEXT, ("unsigned hashes", "signed and unsigned")),  # codes as text, by how many differ
    "relation": ("spans",),  # DuckDB has intervals of months
    "dask": ("decimals", "numbers in some parts"),  # text in Dask's frames, and so categories
}


def _parquet(parts: Parts, folder: Path) -> Path:
    for number, part in enumerate(parts):
        pq.write_table(part, folder / f"{number}.parquet")
    return folder


def _arrow(parts: Parts, folder: Path) -> Path:
    for number, part in enumerate(parts):
        pyarrow.feather.write_feather(part, folder / f"{number}.arrow")
    return folder


def _csv(parts: Parts, folder: Path) -> Path:
    for number, part in enumerate(parts):
        pa.csv.write_csv(_plain(part), folder / f"{number}.csv")
    return folder


def _text(parts: Parts) -> bytes:
    sink = pa.BufferOutputStream()
    for number, part in enumerate(parts):
        pa.csv.write_csv(_plain(part), sink, pa.csv.WriteOptions(include_header=number == 0))
    return sink.getvalue().to_pybytes()


def _packed(parts: Parts, folder: Path) -> Path:
    (folder / "rows.csv.gz").write_bytes(gzip.compress(_text(parts), 1))
    return folder / "rows.csv.gz"


def _plain(part: pa.Table) -> pa.Table:
    """Return the part as text, if Arrow writes its types to no CSV."""
    strings = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type)
        else column.cast(pa.string()) if pa.types.is_decimal(column.type)
        else column
        for column in part.columns
    ]  # fmt: skip
    return pa.table(dict(zip(part.column_names, strings, strict=True)))


def _url(parts: Parts, folder: Path) -> str:
    memory = fsspec.filesystem("memory")
    for number, part in enumerate(parts):
        sink = pa.BufferOutputStream()
        pq.write_table(part, sink)
        memory.pipe(f"{ON_FILESYSTEM}/{number}.parquet", sink.getvalue().to_pybytes())
    return f"memory:/{ON_FILESYSTEM}"


def _url_of_text(parts: Parts, folder: Path) -> str:
    fsspec.filesystem("memory").pipe(f"{ON_FILESYSTEM}/rows.csv", _text(parts))
    return f"memory:/{ON_FILESYSTEM}/rows.csv"


def _dask(parts: Parts, folder: Path) -> object:
    import dask
    import dask.dataframe as dd

    frames = [part.to_pandas() for part in parts]
    return dd.from_delayed(list(map(dask.delayed, frames)), meta=frames[0].iloc[:0], verify_meta=False)


def _row_groups(whole: pa.Table, folder: Path) -> Path:
    pq.write_table(whole, folder / "rows.parquet", row_group_size=101)
    return folder / "rows.parquet"


def _relation(whole: pa.Table, folder: Path) -> object:
    import duckdb

    connection = duckdb.connect()
    connection.register("rows", whole)
    return connection.table("rows")


def _lazy(whole: pa.Table, folder: Path) -> object:
    import polars as pl

    return pl.from_arrow(whole).lazy()


def _scanned(whole: pa.Table, folder: Path) -> object:
    import polars as pl

    return pl.scan_parquet(_row_groups(whole, folder))


OF_PARTS: dict[str, Callable[[Parts, Path], object]] = {
    "parquet": _parquet,
    "arrow": _arrow,
    "csv": _csv,
    "csv.gz": _packed,
    "glob": lambda parts, folder: str(_parquet(parts, folder) / "*.parquet"),
    "list": lambda parts, folder: sorted(_parquet(parts, folder).iterdir()),
    "dataset": lambda parts, folder: ds.dataset(_parquet(parts, folder)),
    "url": _url,
    "url of text": _url_of_text,
    "dask": _dask,
}
OF_ROWS: dict[str, Callable[[pa.Table, Path], object]] = {
    "row groups": _row_groups,
    "dataset in memory": lambda whole, folder: ds.dataset(whole),
    "reader": lambda whole, folder: whole.to_reader(70),
    "lazy frame": _lazy,
    "scanned": _scanned,
    "relation": _relation,
    "frame": lambda whole, folder: whole,
    "pandas": lambda whole, folder: whole.to_pandas(),
}
