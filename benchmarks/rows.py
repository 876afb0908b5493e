"""Tables larger than memory: time and memory beside pyarrow's reading, DuckDB's corr and Dask's.

    python -m benchmarks.rows FOLDER --rows 10000000

writes Parquet files of 40 columns (30 numeric with 10% missing, 10 categorical of 2 to 1,000 labels) into the
folder, unless they are there, and runs each contender in a separate process with two threads: wall and CPU
time of the call (imports are done by a first one on few rows), CPU time of the process, and peak memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.memory import peak_mb

LABELS = (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
N_NUMERIC = 30
PART_ROWS = 1_000_000
WARM_UP = "warm-up.parquet"


def write_parts(folder: Path, n_rows: int) -> None:
    """Write the table in files of a million rows, except parts that exist."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    parts = {f"part-{start // PART_ROWS:03}.parquet": start for start in range(0, n_rows, PART_ROWS)}
    for name, start in {WARM_UP: n_rows - 1000, **parts}.items():
        path = folder / name
        if path.exists():
            continue
        rng, n = np.random.default_rng(start // PART_ROWS), min(PART_ROWS, n_rows - start)
        common, columns = rng.normal(size=n), {}
        for k in range(N_NUMERIC):
            values = rng.normal(size=n) + (0.002 * k) * common
            columns[f"x{k}"] = pa.array(values, mask=rng.random(n) < 0.1)
        for size in LABELS:
            columns[f"c{size}"] = pa.array([f"label {k}" for k in range(size)]).take(rng.integers(0, size, n))
        pq.write_table(pa.table(columns), path, row_group_size=250_000, compression="zstd")


def bychance_mixed(files: list[str]) -> object:
    """Rank all pairs of all columns by explained, with nulls, p and q."""
    import bychance as bc

    return len(bc.rank(files, stream=True))


def bychance_numeric(files: list[str]) -> object:
    """Rank all pairs of the numeric columns by r², with nulls, p and q."""
    import bychance as bc

    return len(bc.rank(files, stream=True, measure="r2", drop=[f"c{size}" for size in LABELS]))


def bychance_memory(files: list[str]) -> object:
    """Rank all pairs of all columns by explained, in memory."""
    import bychance as bc

    return len(bc.rank(files, stream=False))


def pyarrow_mixed(files: list[str]) -> object:
    return _read(files, None)


def pyarrow_numeric(files: list[str]) -> object:
    return _read(files, [f"x{k}" for k in range(N_NUMERIC)])


def duckdb_corr(files: list[str]) -> object:
    """Compute corr of the 435 pairs of numeric columns, in one query."""
    import duckdb

    terms = [f"corr(x{i}, x{j})" for i in range(N_NUMERIC) for j in range(i)]
    query = f"select {', '.join(terms)} from read_parquet({files!r})"
    connection = duckdb.connect()
    connection.execute("set threads to 2")
    return len(connection.execute(query).fetchone())


def dask_corr(files: list[str]) -> object:
    """Compute dask.dataframe's corr of the numeric columns."""
    import dask
    import dask.dataframe as dd

    with dask.config.set(scheduler="threads", num_workers=2):
        frame = dd.read_parquet(files, columns=[f"x{k}" for k in range(N_NUMERIC)])
        return frame.corr().compute().shape


def _read(files: list[str], columns: list[str] | None) -> int:
    from pyarrow import dataset

    scanner = dataset.dataset(files).scanner(columns=columns, batch_readahead=4, fragment_readahead=1)
    return sum(batch.num_rows for batch in scanner.to_batches())


CONTENDERS = {
    each.__name__: each
    for each in (
        pyarrow_numeric, bychance_numeric, duckdb_corr, dask_corr, pyarrow_mixed, bychance_mixed,
        bychance_memory,
    )
}  # fmt: skip


def measure(name: str, files: list[str]) -> dict[str, object]:
    import pyarrow as pa

    pa.set_cpu_count(2)
    CONTENDERS[name]([str(Path(files[0]).with_name(WARM_UP))])
    start, cpu = time.monotonic(), time.process_time()
    answer = CONTENDERS[name](files)
    return {
        "contender": name,
        "wall_s": round(time.monotonic() - start, 2),
        "cpu_s": round(time.process_time() - cpu, 2),
        "process_cpu_s": round(time.process_time(), 2),
        "peak_mb": round(peak_mb()),
        "answer": str(answer),
    }


def main() -> None:
    """Write the files, then run each contender in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--only", nargs="*", default=list(CONTENDERS))
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    write_parts(given.folder, given.rows)
    n_files = -(-given.rows // PART_ROWS)
    files = [str(path) for path in sorted(given.folder.glob("part-*.parquet"))[:n_files]]
    if given.inside:
        print(json.dumps(measure(given.inside, files)))
        return
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "2")
    for name in given.only:
        command = [sys.executable, "-m", "benchmarks.rows", str(given.folder), "--rows", str(given.rows)]
        subprocess.run([*command, "--inside", name], env={**os.environ, **threads}, check=False)


if __name__ == "__main__":
    main()
