"""Tables of which many pairs are sampled, beside a peer on the same data, and two threads beside one.

Rows of the WHO table need WHO.csv in `BYCHANCE_DATA`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

import bychance as bc
from benchmarks import who_mic
from benchmarks.timing import WALL, Row, beside
from benchmarks.who_mic import DATA, empty_store, lacks, who_table
from bychance.nulls.choose import FixedAuto

N_JOBS = 2
N_ROWS, N_COLUMNS = 2_000_000, 30
N_MIC = 30  # columns of the WHO table: 435 pairs


def rows() -> Iterator[Row]:
    """Time the default null against 9,999 draws per sampled pair, MIC, threads, and long columns."""
    yield who()
    yield from who_mic.rows()
    yield who_on_threads()
    yield mic_on_threads()
    yield long_columns()


@cache
def who_as_read() -> Any:
    return bc.read_table(DATA / "WHO.csv")


def who() -> Row:
    """Compare all pairs of the WHO table with fixed sampling, and count the decisions that differ."""

    def start():
        run = partial(bc.rank, who_as_read(), n_jobs=N_JOBS)
        return partial(run, null="auto"), partial(run, null=FixedAuto(9_999))

    return beside(
        f"WHO with defaults, {N_JOBS} threads",
        start,
        null="auto",
        peer="9,999 draws per sampled pair",
        target="at least 8×, at most 5 decisions differ",
        lacks=lacks(),
        remark=who_mic.differing_decisions,
    )


def who_on_threads() -> Row:
    def start():
        run = partial(bc.rank, who_as_read())
        return partial(run, n_jobs=2), partial(run, n_jobs=1)

    what = "WHO with defaults, two threads"
    return beside(
        what, start, null="auto", peer="one thread", target="at least 1.75×", lacks=lacks(), clock=WALL
    )


def mic_on_threads() -> Row:
    """Time a seeded part of the WHO table, whose ties and missing values leave no shared nulls."""

    def start():
        table = who_table(N_MIC)

        def run(n_jobs: int) -> None:
            with empty_store():
                bc.rank(table, measure="mic", null=bc.Permutation(999), n_jobs=n_jobs)

        return partial(run, 2), partial(run, 1)

    what = f"MIC with 999 draws, WHO, {N_MIC} columns, two threads"
    target = "at least 1.75×"
    return beside(
        what, start, null="permutation", peer="one thread", target=target, lacks=lacks(), clock=WALL
    )


def long_columns() -> Row:
    """Time all pairs of two million rows of numbers, skewed numbers and labels."""
    third = N_COLUMNS // 3

    def start():
        rng = np.random.default_rng(0)
        numbers = rng.standard_normal((N_ROWS, 2 * third))
        numbers[:, third:] = np.exp(2 * numbers[:, third:])
        columns = {f"x{k}": numbers[:, k] for k in range(2 * third)}
        labels = rng.integers(8, size=(N_ROWS, third))
        columns |= {f"c{k}": pd.Categorical.from_codes(labels[:, k], list("abcdefgh")) for k in range(third)}
        frame = pd.DataFrame(columns)
        return partial(bc.rank, frame, n_jobs=N_JOBS), frame.iloc[:, : 2 * third].corr

    what = f"2 million rows × {N_COLUMNS} mixed columns, {N_JOBS} threads"
    return beside(what, start, null="auto", peer=f"pandas corr of {2 * third} of them", target="2 min")
