"""12.5 million closed-form pairs: the best 1,000 of them against numpy.corrcoef, and on more threads.

`python -m benchmarks.many_pairs [columns]` measures threads up to the number of cores.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import partial

N_ROWS, N_COLUMNS, TOP = 2_000, 5_000, 1_000
THREADS = (2, 4, 8, 16)


def comparisons(n_columns: int = N_COLUMNS) -> Iterator[object]:
    """The best of all pairs on one core, each beside numpy.corrcoef of the same data."""
    import numpy as np

    import bychance as bc
    from benchmarks.timing import Comparison, in_turns

    values = np.random.default_rng(0).normal(size=(N_ROWS, n_columns))
    n_pairs = n_columns * (n_columns - 1) // 2
    for measure, null in [("r2", "moments"), ("explained", "auto"), ("spearman", "moments")]:
        ours = partial(bc.rank, values, measure=measure, null=null, top=TOP)
        times = in_turns(ours, partial(np.corrcoef, values.T), rounds=1)
        what = f"{measure}, top {TOP:,} of {n_pairs:,} pairs, {N_ROWS:,} rows"
        yield Comparison(what, null, times[0], "np.corrcoef, r alone", times[1], "6 s, at least 0.17×")


def scaling(n_columns: int = N_COLUMNS) -> Iterator[object]:
    """The same on more threads, as far as there are cores, each beside one thread."""
    import numpy as np

    import bychance as bc
    from benchmarks.timing import Comparison, best_time

    table = bc.read_table(np.random.default_rng(0).normal(size=(N_ROWS, n_columns)))

    def seconds(null: str, n_jobs: int) -> float:
        run = partial(bc.rank, table, measure="r2", null=null, top=TOP, n_jobs=n_jobs)
        return min(best_time(run) for _ in range(3))

    for null in ("moments", "auto"):
        alone = seconds(null, 1)
        for n_jobs in THREADS:
            if n_jobs <= (os.cpu_count() or 1):
                what = f"r2, top {TOP:,}, {n_jobs} threads"
                yield Comparison(what, null, seconds(null, n_jobs), "one thread", alone, "8× on 16")


def main() -> None:
    # Threads are counted when the libraries load, so the limit is set before anything is imported.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    from benchmarks.timing import print_table

    n_columns = int(sys.argv[1]) if len(sys.argv) > 1 else N_COLUMNS
    print_table("many pairs", comparisons(n_columns))
    print_table("many pairs on threads", scaling(n_columns))


if __name__ == "__main__":
    main()
