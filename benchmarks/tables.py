"""Whole tables: all pairs with nulls, adjustments, p- and q-values, against what peers take for raw values.

The slow peers get fewer columns of the same table, and are compared with us on those.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import mutual_info_score

import bychance as bc
from benchmarks.timing import Comparison, best_time


def comparisons() -> Iterator[Comparison]:
    rng = np.random.default_rng(0)
    numbers = numeric_table(rng, 10_000, 1_000)
    ours = partial(bc.rank, numbers, measure="r2", null="moments")
    what = "r2, 10,000 × 1,000, 30% missing"
    yield once(what, ours, numbers.corr, "pandas corr, values alone", "at least 3×")
    some = numbers.iloc[:, :250]
    ours = partial(bc.rank, some, measure="spearman", null="moments")
    peer = partial(some.corr, method="spearman")
    yield once("spearman, 250 of its columns", ours, peer, "pandas corr, values alone", "at least 8×")
    labels = categorical_table(rng, 10_000, 120)
    peer = partial(information_of_all, labels)
    for measure, target in [("goodman_kruskal", "at least 50×"), ("mi", "at least 20×")]:
        ours = partial(bc.rank, labels, measure=measure, null="moments")
        what = f"{measure}, 10,000 × 120 of 2 to 20 levels"
        yield once(what, ours, peer, "sklearn mutual_info_score, alone", target)


def facts() -> Iterator[str]:
    """What is not a ratio to a peer: whole tables, growth, memory."""
    rng = np.random.default_rng(0)
    for measure in ("goodman_kruskal", "mi"):
        labels = bc.read_table(categorical_table(rng, 10_000, 500))
        seconds = best_time(partial(bc.rank, labels, measure=measure, null="moments"))
        yield f"{measure}, 10,000 × 500, all 124,750 pairs of columns: {seconds:.1f} s"
    numbers = bc.read_table(numeric_table(rng, 10_000, 1_000))
    seconds = best_time(partial(bc.rank, numbers, measure="spearman", null="moments"))
    yield f"spearman, 10,000 × 1,000, 30% missing, all 499,500 pairs: {seconds:.1f} s"
    yield growth(rng)
    yield from to_file()


def once(
    what: str, ours: Callable[[], object], peer: Callable[[], object], name: str, target: str
) -> Comparison:
    """Ours twice around one run of a peer that takes long, the better of both."""
    first = best_time(ours)
    peer_s = best_time(peer)
    return Comparison(what, "moments", min(first, best_time(ours)), name, peer_s, target)


def numeric_table(rng: np.random.Generator, n_rows: int, n_columns: int) -> pd.DataFrame:
    values = rng.normal(size=(n_rows, n_columns))
    values[rng.random(values.shape) < 0.3] = np.nan
    return pd.DataFrame(values, columns=[f"c{k}" for k in range(n_columns)])


def categorical_table(rng: np.random.Generator, n_rows: int, n_columns: int) -> pd.DataFrame:
    columns = {
        f"c{k}": pd.Categorical.from_codes(codes, categories=[f"v{j}" for j in range(n_levels)])
        for k in range(n_columns)
        for n_levels in [int(rng.integers(2, 21))]
        for codes in [rng.integers(n_levels, size=n_rows)]
    }
    return pd.DataFrame(columns)


def information_of_all(labels: pd.DataFrame) -> list[float]:
    codes = [labels[name].cat.codes.to_numpy() for name in labels]
    return [mutual_info_score(x, y) for k, x in enumerate(codes) for y in codes[k + 1 :]]


def growth(rng: np.random.Generator) -> str:
    sizes = [(5_000, 400), (10_000, 400), (5_000, 800)]
    seconds = []
    for n_rows, n_columns in sizes:
        table = bc.read_table(numeric_table(rng, n_rows, n_columns))
        run = partial(bc.rank, table, measure="r2", null="moments")
        seconds.append(min(best_time(run) for _ in range(3)))
    return (
        f"r2, 5,000 × 400: {seconds[0]:.2f} s; twice the rows {seconds[1] / seconds[0]:.2f}× the time, "
        f"twice the columns {seconds[2] / seconds[0]:.2f}×"
    )


def to_file() -> Iterator[str]:
    """Peak memory of a process that ranks a wide table to Parquet, and of one that ranks a fifth of it."""
    for n_columns in (1_000, 5_000):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pairs.parquet"
            code = (
                "import numpy as np, bychance as bc, resource\n"
                f"table = np.random.default_rng(0).normal(size=(2_000, {n_columns}))\n"
                f"bc.rank_to_file(table, {str(path)!r}, measure='r2', null='moments')\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
            )
            started = time.perf_counter()
            out = subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
            seconds, size = time.perf_counter() - started, path.stat().st_size
        n_pairs = n_columns * (n_columns - 1) // 2
        yield (
            f"2,000 × {n_columns:,} to Parquet, {n_pairs:,} pairs: {seconds:.0f} s, "
            f"peak {int(out) / 1e6:.2f} GB, {size / 1e6:.0f} MB written"
        )
