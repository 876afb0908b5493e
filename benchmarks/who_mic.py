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
from functools import partial
from typing import Any

import numpy as np

import bychance as bc
from benchmarks.report import DATA
from benchmarks.timing import Row, beside, timed

N_JOBS, SEED = 2, 16
N_PART = {999: 90, 9_999: 30}  # columns, so that a fixed number of permutations takes about a minute
TARGETS = {999: "6 min", 9_999: "11 min"}


def rows(caps: tuple[int, ...] = tuple(TARGETS)) -> Iterator[Row]:
    """Compare adaptive sampling with the cap for every pair, on a seeded part of the columns."""
    for cap in caps:

        def start(cap: int = cap):
            table = who_table(N_PART[cap])
            nulls = bc.Permutation("adaptive", cap=cap), bc.Permutation(cap)
            adaptive, fixed = (partial(ranked, table, null) for null in nulls)
            return adaptive, fixed

        yield beside(
            f"WHO by MIC, {N_PART[cap]} columns, {N_JOBS} threads",
            start,
            null=f"adaptive, cap {cap:,}",
            peer=f"{cap:,} for all",
            lacks=lacks(),
            remark=differing_decisions,
        )


def differing_decisions(found: Any, expected: Any) -> str:
    """Return how many discoveries of two rankings differ, and how much was drawn for the first."""
    first, second = (r.to_pandas().set_index(["x", "y"])["q_value"] < r.fdr_level for r in (found, expected))
    n_other = int((first != second.reindex(first.index)).sum())
    n_draws = found.to_pandas()["n_resamples"]
    n_drawn = n_draws[n_draws > 0].mean()
    return f"{n_other} of {len(first):,} decisions differ, {n_drawn:.0f} draws per sampled pair"


def whole(cap: int) -> Iterator[str]:
    """Time all pairs, and extrapolate the cap for every pair from the rate of the part."""
    if lacks():
        yield "WHO.csv is not here"
        return
    table, part = who_table(None), who_table(N_PART[9_999])
    peer, fixed = timed(partial(ranked, part, bc.Permutation(cap)))
    yield f"{len(fixed):,} pairs of {N_PART[9_999]} columns, {cap:,} permutations each: {peer:.1f} s"
    started = time.process_time()
    ours, ranking = timed(partial(ranked, table, bc.Permutation("adaptive", cap=cap)))
    frame = ranking.to_pandas()
    draws = frame["n_resamples"][frame["n_resamples"] > 0].mean()
    per_pair = peer / len(fixed)
    yield (
        f"{len(ranking):,} pairs, cap {cap:,}: {ours / 60:.2f} min on {N_JOBS} threads (asked "
        f"{TARGETS[cap]}), {time.process_time() - started:.0f} CPU s, {draws:.0f} draws per pair, "
        f"{ranking.n_found:,} discoveries; {per_pair * len(ranking) / ours:.1f} times as fast as {cap:,} "
        "for all at the part's rate"
    )


def lacks() -> str:
    """Return what is missing for these rows."""
    return "" if (DATA / "WHO.csv").exists() else "WHO.csv in BYCHANCE_DATA"


def who_table(n_columns: int | None) -> Any:
    """Return the table or a seeded part of its columns."""
    table = bc.read_table(DATA / "WHO.csv")
    if n_columns is None:
        return table
    names = np.random.default_rng(SEED).permutation(table.names)
    return bc.read_table(DATA / "WHO.csv", drop=names[n_columns:].tolist())


def ranked(table: Any, null: Any) -> Any:
    """Return the ranking by MIC, from an empty store."""
    with empty_store():
        return bc.rank(table, measure="mic", null=null, n_jobs=N_JOBS)


@contextmanager
def empty_store() -> Iterator[None]:
    before = os.environ.get("BYCHANCE_CACHE")
    with tempfile.TemporaryDirectory() as cache:
        os.environ["BYCHANCE_CACHE"] = cache
        yield
    if before is None:
        del os.environ["BYCHANCE_CACHE"]
    else:
        os.environ["BYCHANCE_CACHE"] = before


def main() -> None:
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
