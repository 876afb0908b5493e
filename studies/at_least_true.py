"""Bounds of `Ranking.at_least_true`: how often they hold for 400 selections together, and their size.

    python -m studies.at_least_true --tables 300

Each table has related and unrelated pairs. In each, 200 selections are random, 100 are the first rows by
p-value, and 100 are the unrelated pairs with the smallest p-values, which no reader could pick so badly. A
table counts as held if no bound exceeds the number of related pairs among those selected.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bychance as bc

N_RANDOM = N_FIRST = N_WORST = 100  # twice as many are random

Table = Mapping[str, NDArray[Any]]
Mask = NDArray[np.bool_]


class Outcome(NamedTuple):
    """Results of one table by one method: shares of what is related, and if all bounds held."""

    held: bool
    power: float  # share of related pairs with q < 0.05
    of_found: float  # bound of the pairs with q < 0.05, as a share of these
    of_all: float  # bound of all pairs, as a share of the related ones


def independent(rng: np.random.Generator) -> tuple[Table, Callable[[str, str], bool]]:
    """Draw 60 independent columns of 500 rows, 20 of them part of y."""
    columns = {f"{'r' if k < 20 else 'u'}{k}": rng.normal(size=500) for k in range(60)}
    y = sum(column for name, column in columns.items() if name[0] == "r") + 4.7 * rng.normal(size=500)
    return columns | {"y": y}, lambda x, y: x[0] == "r"


def correlated(rng: np.random.Generator) -> tuple[Table, Callable[[str, str], bool]]:
    """Draw 60 columns of 100 rows that share 70% of their variation, 20 of them with a part of y."""
    y, shared = rng.normal(size=100), rng.normal(size=100)
    columns = {
        f"{'r' if k < 20 else 'u'}{k}": np.sqrt(0.7) * shared + np.sqrt(0.3) * rng.normal(size=100)
        for k in range(60)
    }
    columns = {name: x + 0.38 * y if name[0] == "r" else x for name, x in columns.items()}
    return columns | {"y": y}, lambda x, y: x[0] == "r"


def mixed(rng: np.random.Generator) -> tuple[Table, Callable[[str, str], bool]]:
    """Draw 16 columns with missing values, half of them categories: two groups of four share a cause."""
    hidden = {"a": rng.normal(size=200), "b": rng.normal(size=200), "u": np.zeros(200)}
    table: dict[str, NDArray[Any]] = {}
    for k in range(16):
        group = "ab"[k % 2] if k < 8 else "u"
        values = 0.82 * hidden[group] + rng.normal(size=200)
        is_missing = rng.random(200) < 0.1
        if k % 4 < 2:
            table[f"{group}{k}"] = np.where(is_missing, np.nan, values)
        else:
            labels = np.array(list("pqrs"), dtype=object)[np.digitize(values, [-1.0, 0.0, 1.0])]
            table[f"{group}{k}"] = np.where(is_missing, np.array(None), labels)
    return table, lambda x, y: x[0] == y[0] and x[0] != "u"


DESIGNS = {"independent": independent, "correlated": correlated, "mixed": mixed}


def outcomes(design: str, seed: int) -> dict[str, Outcome]:
    """Return what each method gives for one table."""
    rng = np.random.default_rng([list(DESIGNS).index(design), seed])
    table, is_related = DESIGNS[design](rng)
    target = "y" if "y" in table else None
    ranking = bc.rank(table, target=target, by="p_value", rng=seed)
    records = list(ranking.best())
    truth = np.array([is_related(record["x"], record["y"]) for record in records])
    is_found = np.array([record["q_value"] < 0.05 for record in records])
    selections = list(selections_of(truth, rng))
    found = {}
    for method in ("simes", "robust", *(["joint"] if target else [])):
        bound = partial(ranking.at_least_true, method=method)
        found[method] = Outcome(
            held=all(bound(selected).at_least <= (selected & truth).sum() for selected in selections),
            power=float(is_found[truth].mean()),
            of_found=bound(is_found).share,
            of_all=bound().at_least / int(truth.sum()),
        )
    return found


def selections_of(truth: Mask, rng: np.random.Generator) -> Iterator[Mask]:
    """Yield 400 selections of rows in the order of their p-values."""
    numbers, unrelated = np.arange(len(truth)), np.flatnonzero(~truth)
    for _ in range(2 * N_RANDOM):
        yield rng.random(len(truth)) < rng.random()
    for k in np.linspace(1, len(truth), N_FIRST).astype(int):
        yield numbers < k
    for k in np.linspace(1, len(unrelated), N_WORST).astype(int):
        yield np.isin(numbers, unrelated[:k])


def main() -> int:
    """Print a row per design and method."""
    parser = argparse.ArgumentParser(description="Coverage and size of the bounds of at_least_true.")
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print("| design | method | tables held | power | share of pairs with q < 0.05 | share of related pairs |")
    print("|---|---|---|---|---|---|")
    with ProcessPoolExecutor(options.jobs) as pool:
        for design in DESIGNS:
            runs = list(pool.map(partial(outcomes, design), range(options.tables), chunksize=8))
            for method in runs[0]:
                held, power, of_found, of_all = zip(*(run[method] for run in runs), strict=True)
                figures = np.mean(held), np.mean(power), np.nanmedian(of_found), np.median(of_all)
                mean = np.mean(of_all)
                print(
                    f"| {design} | {method} | {figures[0]:.3f} | {figures[1]:.2f} | {figures[2]:.2f} | "
                    f"{figures[3]:.2f} (mean {mean:.3f}) |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
