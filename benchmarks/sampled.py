"""Tables of which many pairs are sampled, on two cores, each beside a peer measured on the same data.

`python -m benchmarks.sampled` needs WHO.csv in `BYCHANCE_DATA`; without it only made-up data are measured.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

N_JOBS, N_PART = 2, 150
N_ROWS, N_COLUMNS = 2_000_000, 30


def comparisons() -> Iterator[object]:
    """The default null against 9,999 draws for every pair that it samples, MIC, and long columns."""
    from benchmarks import who_mic

    yield from who()
    yield from who_mic.comparisons()
    yield from long_columns()


def who() -> Iterator[object]:
    """The WHO table: all pairs beside numpy.corrcoef of as many, and a part beside fixed sampling."""
    import numpy as np

    import bychance as bc
    from benchmarks.report import DATA
    from benchmarks.timing import Comparison, best_time
    from bychance.nulls.choose import Auto

    if not (DATA / "WHO.csv").exists():
        return
    table = bc.read_table(DATA / "WHO.csv")
    part = bc.read_table(DATA / "WHO.csv", drop=list(table.names[N_PART:]))
    found = {}

    def rank_part(null: object) -> None:
        found[null] = bc.rank(part, null=null, n_jobs=N_JOBS)

    ours, peer = best_time(partial(rank_part, "auto")), best_time(partial(rank_part, Auto(9_999)))
    first, second = (r.to_pandas().set_index(["x", "y"])["q_value"] < r.fdr_level for r in found.values())
    n_other = int((first != second.reindex(first.index)).sum())
    what = f"WHO, {N_PART} columns, {N_JOBS} threads: {n_other} of {len(first):,} decisions differ"
    yield Comparison(what, "auto", ours, "9,999 draws per sampled pair", peer, "at most 5 of all")
    values = np.random.default_rng(0).normal(size=(len(table), len(table.columns)))
    ours = best_time(partial(bc.rank, table, n_jobs=N_JOBS))
    peer = best_time(partial(np.corrcoef, values.T))
    yield Comparison(f"WHO, all pairs, {N_JOBS} threads", "auto", ours, "np.corrcoef", peer, "15 s")


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
