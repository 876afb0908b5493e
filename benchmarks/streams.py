"""Streams: a million rows of `benchmarks.rows` beside DuckDB's corr and pyarrow's reading."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks import rows as contenders
from benchmarks.timing import Row, beside

FOLDER = Path(__file__).parents[1] / "build" / "bench" / "rows"
N_ROWS = 1_000_000


def rows() -> Iterator[Row]:
    """Time all pairs of the numeric columns, and of all columns."""

    def numeric():
        return partial(contenders.bychance_numeric, parts()), partial(contenders.duckdb_corr, parts())

    def mixed():
        return partial(contenders.bychance_mixed, parts()), partial(contenders.pyarrow_mixed, parts())

    what = f"stream of {N_ROWS:,} rows"
    yield beside(f"{what}, r2 of 30 numeric columns", numeric, null="auto", peer="DuckDB corr alone")
    yield beside(f"{what}, all pairs of 40 columns", mixed, null="auto", peer="pyarrow, reading alone")


def parts(n_rows: int = N_ROWS) -> list[str]:
    """Write the files unless they are there, and return their paths."""
    contenders.write_parts(FOLDER, n_rows)
    return [str(path) for path in sorted(FOLDER.glob("part-*.parquet"))]
