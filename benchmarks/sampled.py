"""Tables of which many pairs are sampled, on two cores, each beside a peer measured on the same data.

`python -m benchmarks.sampled` needs WHO.csv in `BYCHANCE_DATA`; without it only made-up data are measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

N_JOBS = 2
N_ROWS, N_COLUMNS = 2_000_000, 30


def comparisons() -> Iterator[object]:
    """The default null against 9,999 draws for every pair that it samples, MIC, and long columns."""
    from benchmarks import who_mic

    yield from who()
    yield from who_mic.comparisons()
    yield from long_columns()


def who() -> Iterator[object]:
    """All pairs of the WHO table beside fixed sampling, and how many decisions differ."""
    import bychance as bc
    from benchmarks.report import DATA
    from benchmarks.timing import Comparison, best_time
    from bychance.nulls.choose import Auto

    if not (DATA / "WHO.csv").exists():
        return
    table = bc.read_table(DATA / "WHO.csv")
    found = []

    def rank_by(null: object) -> None:
        found.append(bc.rank(table, null=null, n_jobs=N_JOBS))

    ours, peer = best_time(partial(rank_by, "auto")), best_time(partial(rank_by, Auto(9_999)))
    first, second = (r.to_pandas().set_index(["x", "y"])["q_value"] < r.fdr_level for r in found)
    n_other = int((first != second.reindex(first.index)).sum())
    what = f"WHO, {N_JOBS} threads: {n_other} of {len(first):,} decisions differ"
    yield Comparison(what, "auto", ours, "9,999 draws per sampled pair", peer, "15 s, at most 5 of all")


def long_columns() -> Iterator[object]:
    """Two million rows of numbers, skewed numbers and labels, all pairs."""
    import numpy as np
    import pandas as pd

    import bychance as bc
    from benchmarks.timing import Comparison, best_time

    rng = np.random.default_rng(0)
    third = N_COLUMNS // 3
    numbers = rng.standard_normal((N_ROWS, 2 * third))
    numbers[:, third:] = np.exp(2 * numbers[:, third:])
    columns = {f"x{k}": numbers[:, k] for k in range(2 * third)}
    labels = rng.integers(8, size=(N_ROWS, third))
    columns |= {f"c{k}": pd.Categorical.from_codes(labels[:, k], list("abcdefgh")) for k in range(third)}
    frame = pd.DataFrame(columns)
    ours = best_time(partial(bc.rank, frame, n_jobs=N_JOBS))
    peer = best_time(frame.iloc[:, : 2 * third].corr)
    what = f"2 million rows × {N_COLUMNS} mixed columns, {N_JOBS} threads"
    yield Comparison(what, "auto", ours, f"pandas corr of {2 * third} of them", peer, "2 min")


def main() -> None:
    # Threads are counted when the libraries load, so the limit is set before anything is imported.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    from benchmarks.timing import print_table

    print_table("sampled tables", comparisons())


if __name__ == "__main__":
    main()
