"""Peak memory: each row is a fresh process that does one thing and says how much it took at most."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.timing import Figure, Row

N_STREAMED = 1_000_000


def rows() -> Iterator[Row]:
    """Return each row with the work of its process."""
    from benchmarks.who_mic import lacks

    wanting = {who: lacks()}
    for what, work in WORK.items():
        yield Row(
            f"memory: {what}", lambda what=what: lambda: in_a_process(what), lacks=wanting.get(work, "")
        )


def in_a_process(what: str) -> Figure:
    """Return the peak memory of a process that does this alone."""
    command = [sys.executable, "-m", "benchmarks.memory", what]
    return Figure(float(subprocess.run(command, capture_output=True, text=True, check=True).stdout), "MB")


def peak_mb() -> float:
    """Return the peak memory of this process, because getrusage starts at the parent's peak."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def who() -> None:
    import bychance as bc
    from benchmarks.report import DATA

    bc.rank(DATA / "WHO.csv")


def one_table() -> None:
    from benchmarks.many_pairs import gappy_arrays, rank_of_table

    rank_of_table(*gappy_arrays())


def two_arrays() -> None:
    import bychance as bc
    from benchmarks.many_pairs import TOP, gappy_arrays

    x, y = gappy_arrays()
    bc.rank_arrays(x, y, top=TOP)


def stream() -> None:
    from benchmarks.rows import bychance_mixed
    from benchmarks.streams import parts

    bychance_mixed(parts(N_STREAMED))


def to_file() -> None:
    import numpy as np

    import bychance as bc

    table = np.random.default_rng(0).normal(size=(2_000, 5_000))
    with tempfile.TemporaryDirectory() as folder:
        bc.rank_to_file(table, Path(folder) / "pairs.parquet", measure="r2", null="moments")


WORK: dict[str, Callable[[], None]] = {
    "WHO with defaults": who,
    "640,000 pairs with missing values, one table": one_table,
    "640,000 pairs with missing values, two arrays, top 1,000": two_arrays,
    f"a stream of {N_STREAMED:,} rows × 40": stream,
    "12.5 million pairs to Parquet": to_file,
}


if __name__ == "__main__":
    WORK[sys.argv[1]]()
    print(peak_mb())
