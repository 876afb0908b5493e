"""Whole tables: all pairs with nulls, adjustments, p- and q-values, against what peers take for raw values.

The slow peers get fewer columns of the same table, and are compared with us on those.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from sklearn.metrics import mutual_info_score

import bychance as bc
from benchmarks.timing import Row, beside, best_time


def rows() -> Iterator[Row]:
    def r2():
        numbers = numeric_table(10_000, 1_000)
        return partial(bc.rank, numbers, measure="r2", null="moments"), numbers.corr

    what = "r2 of all pairs, 10,000 × 1,000, 30% missing"
    yield beside(what, r2, null="moments", peer="pandas corr, values alone", target="at least 8×")

    def spearman():
        some = numeric_table(10_000, 250)
        ours = partial(bc.rank, some, measure="spearman", null="moments")
        return ours, partial(some.corr, method="spearman")

    what = "spearman of all pairs, 10,000 × 250, 30% missing"
    yield beside(what, spearman, null="moments", peer="pandas corr, values alone", target="at least 8×")
    for measure, target in [("goodman_kruskal", "at least 50×"), ("mi", "at least 20×")]:

        def labels(measure: str = measure):
            table = categorical_table(10_000, 120)
            return partial(bc.rank, table, measure=measure, null="moments"), partial(
                information_of_all, table
            )

        what = f"{measure} of all pairs, 10,000 × 120 of 2 to 20 levels"
        peer = "sklearn mutual_info_score, alone"
        yield beside(what, labels, null="moments", peer=peer, target=target)


def facts() -> Iterator[str]:
    """Measure whole tables and growth, which are not ratios to a peer."""
    for measure in ("goodman_kruskal", "mi"):
        labels = bc.read_table(categorical_table(10_000, 500))
        seconds = best_time(partial(bc.rank, labels, measure=measure, null="moments"))
        yield f"{measure}, 10,000 × 500, all 124,750 pairs of columns: {seconds:.1f} s"
    numbers = bc.read_table(numeric_table(10_000, 1_000))
    seconds = best_time(partial(bc.rank, numbers, measure="spearman", null="moments"))
    yield f"spearman, 10,000 × 1,000, 30% missing, all 499,500 pairs: {seconds:.1f} s"
    yield growth()


def numeric_table(n_rows: int, n_columns: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n_rows, n_columns))
    values[rng.random(values.shape) < 0.3] = np.nan
    return pd.DataFrame(values, columns=[f"c{k}" for k in range(n_columns)])


def categorical_table(n_rows: int, n_columns: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
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


def growth() -> str:
    sizes = [(5_000, 400), (10_000, 400), (5_000, 800)]
    seconds = []
    for n_rows, n_columns in sizes:
        table = bc.read_table(numeric_table(n_rows, n_columns))
        run = partial(bc.rank, table, measure="r2", null="moments")
        seconds.append(min(best_time(run) for _ in range(3)))
    return (
        f"r2, 5,000 × 400: {seconds[0]:.2f} s; twice the rows {seconds[1] / seconds[0]:.2f}× the time, "
        f"twice the columns {seconds[2] / seconds[0]:.2f}×"
    )
