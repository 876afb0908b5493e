"""The WHO table by MIC, adaptive sampling beside a fixed number of permutations: cold, on two threads.

`python -m benchmarks.who_mic [--cap 999] [--limit 520]` measures all pairs, and what a fixed number of
permutations takes on a seeded part of the columns. `make bench` measures such a part alone, at both caps:
there the first 1,000 rows, which take 999 permutations each, are most discoveries. Needs WHO.csv in
`BYCHANCE_DATA`.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

N_JOBS, SEED = 2, 16
N_PART = {999: 90, 9_999: 30}  # columns, so that a fixed number of permutations takes about a minute
TARGETS = {999: "6 min", 9_999: "11 min"}


def comparisons(caps: tuple[int, ...] = tuple(TARGETS)) -> Iterator[object]:
    """A seeded part of the columns: adaptive sampling beside the cap for every pair."""
    import bychance as bc
    from benchmarks.timing import Comparison

    for cap in caps:
        table = _who(N_PART[cap])
        if table is None:
            return
        found, ours, draws = _ranked(table, bc.Permutation("adaptive", cap=cap))
        fixed, peer, _ = _ranked(table, bc.Permutation(cap))
        n_other = int((found != fixed.reindex(found.index)).sum())
        of_part = f"{N_PART[cap]} columns, {len(found):,} pairs, {N_JOBS} threads"
        what = f"WHO by MIC, {of_part}: {draws:.0f} draws per pair"
        yield Comparison(
            what, f"adaptive, cap {cap:,}", ours, f"{cap:,} for all", peer, f"{n_other} decisions differ"
        )


def whole(cap: int) -> Iterator[str]:
    """All pairs, and what the cap for every pair would take at the rate of the part."""
    import bychance as bc

    table, part = _who(None), _who(N_PART[9_999])
    if table is None or part is None:
        yield "WHO.csv is not here"
        return
    fixed, peer, _ = _ranked(part, bc.Permutation(cap))
    yield f"{len(fixed):,} pairs of {N_PART[9_999]} columns, {cap:,} permutations each: {peer:.1f} s"
    started = time.process_time()
    found, ours, draws = _ranked(table, bc.Permutation("adaptive", cap=cap))
    per_pair = peer / len(fixed)
    yield (
        f"{len(found):,} pairs, cap {cap:,}: {ours / 60:.2f} min on {N_JOBS} threads (asked {TARGETS[cap]}), "
        f"{time.process_time() - started:.0f} CPU s, {draws:.0f} draws per pair, {int(found.sum()):,} "
        f"discoveries; {per_pair * len(found) / ours:.1f} times as fast as {cap:,} for all at the part's rate"
    )


def _who(n_columns: int | None):
    """The table or a seeded part of its columns; None where there is no file."""
    import numpy as np

    import bychance as bc
    from benchmarks.report import DATA

    if not (DATA / "WHO.csv").exists():
        return None
    table = bc.read_table(DATA / "WHO.csv")
    if n_columns is None:
        return table
    names = np.random.default_rng(SEED).permutation(table.names)
    return bc.read_table(DATA / "WHO.csv", drop=names[n_columns:].tolist())


def _ranked(table, null):
    """Which pairs are discoveries, the seconds that took from an empty store, and draws per sampled pair."""
    import bychance as bc

    with _empty_store():
        started = time.perf_counter()
        ranking = bc.rank(table, measure="mic", null=null, n_jobs=N_JOBS)
        seconds = time.perf_counter() - started
    frame = ranking.to_pandas().set_index(["x", "y"])
    n_draws = frame["n_resamples"][frame["n_resamples"] > 0]
    return frame["q_value"] < ranking.fdr_level, seconds, float(n_draws.mean())


@contextmanager
def _empty_store() -> Iterator[None]:
    before = os.environ.get("BYCHANCE_CACHE")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["BYCHANCE_CACHE"] = cache
        yield
    if before is None:
        del os.environ["BYCHANCE_CACHE"]
    else:
        os.environ["BYCHANCE_CACHE"] = before


def main() -> None:
    # Threads are counted when the libraries load, so the limit is set before anything is imported.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.who_mic", description=__doc__)
    parser.add_argument("--cap", type=int, choices=list(TARGETS), default=999)
    parser.add_argument("--limit", type=int, default=520, help="seconds after which it gives up")
    options = parser.parse_args()

    def give_up(*_: object) -> None:
        print(f"not finished after {options.limit} s", flush=True)
        os._exit(1)

    signal.signal(signal.SIGALRM, give_up)
    signal.alarm(options.limit)
    for line in whole(options.cap):
        print(line, flush=True)


if __name__ == "__main__":
    main()
