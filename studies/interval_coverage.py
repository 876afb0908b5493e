"""Coverage of the 95% limits: several measures and kinds of data, three sizes.

    python -m studies.interval_coverage --runs 2000 --out docs/validation/coverage.csv
    python -m studies.interval_coverage --only xi kendall --out docs/validation/coverage.csv

A cell draws fresh data sets of known dependence and counts how often the limits hold the value that the
measure has on a million rows. kendall, xi and dcor get half as many, and are compared with their value on
200,000 rows.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

import bychance as bc
from studies.csv_files import read_rows, write_rows

SIZES = (30, 100, 1_000)
STRENGTHS = {"none": 0.0, "weak": 0.3, "strong": 0.8}
LOWEST, HIGHEST = 0.90, 0.98
LOWEST_OF_LONG_TAILS = 0.80
_N, _L = "numbers", "labels"
CLOSED = {
    "r2": (_N, _N),
    "spearman": (_N, _N),
    "explained": (_N, _L),
    "eta2": (_L, _N),
    "gini": (_L, _L),
    "mi": (_L, _L),
    "phi2": (_L, _L),
    "cramers_v": (_L, _L),
}
SAMPLED = {"kendall": (_N, _N), "xi": (_N, _N), "dcor": (_N, _N)}
RANKS = ("spearman", "kendall", "xi")
LONG_TAILS = ("log-normal", "log-normal y")
DATA = ("normal", "skewed", *LONG_TAILS, "tied", "unbalanced")
_SHARES = {"unbalanced": (0.7, 0.9)}
_EVEN = (1 / 3, 2 / 3)
_NAMES = np.array(["a", "b", "c"])


@dataclass(frozen=True)
class Cell:
    """A measure on one kind of data of one strength, and the share of limits that held, by the size."""

    measure: str
    data: str
    strength: str
    truth: float
    held: tuple[float, ...]


def column(values: NDArray[Any], kind: str, data: str) -> NDArray[Any]:
    """Turn a normal column into numbers of this shape, or into three labels."""
    if kind == _L:
        return _NAMES[np.searchsorted(ndtri(_SHARES.get(data, _EVEN)), values)]
    if data == "skewed":
        return -np.log(ndtr(-values))
    if data == "tied":
        return np.round(values)
    return np.exp(values) if data in LONG_TAILS else values


def draw(rng: np.random.Generator, n: int, measure: str, data: str, strength: str) -> Any:
    """Draw two columns of known dependence."""
    r = STRENGTHS[strength]
    x, noise = rng.standard_normal((2, n))
    kinds = (CLOSED | SAMPLED)[measure]
    sides = ("normal" if data == "log-normal y" else data), data
    values = x, r * x + np.sqrt(1 - r**2) * noise
    return [column(*side) for side in zip(values, kinds, sides, strict=True)]


def truth_of(measure: str, data: str, strength: str) -> float:
    """Return the share of its maximum that the measure has in the population."""
    n = 1_000_000 if measure in CLOSED else 200_000
    x, y = draw(np.random.default_rng(1), n, measure, data, strength)
    null = "moments" if measure != "kendall" else "auto"
    return float(bc.adjust(measure, x, y, null=null).adjusted) if strength != "none" else 0.0


def cell(task: tuple[str, str, str], runs: int, sizes: tuple[int, ...] = SIZES) -> Cell:
    """Compute the coverage of one measure on one kind of data."""
    measure, data, strength = task
    truth = truth_of(*task)
    held = []
    for n in sizes:
        rng = np.random.default_rng(n)
        n_runs = runs if measure in CLOSED else runs // 2
        null = "moments" if measure != "kendall" else "auto"
        limits = [bc.adjust(measure, *draw(rng, n, *task), null=null).interval() for _ in range(n_runs)]
        known = [(low, high) for low, high in limits if not np.isnan(low)]
        held.append(float(np.mean([low <= truth + 1e-9 and truth <= high for low, high in known])))
    return Cell(measure, data, strength, truth, tuple(held))


def tasks(measures: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """List the kinds of data that a measure takes: shapes of numbers, shares of labels."""
    for measure, data, strength in product(measures, DATA, STRENGTHS):
        kinds = measures[measure]
        has_numbers, is_of_numbers = _N in kinds and measure not in RANKS, kinds == (_N, _N)
        is_apt = {
            "skewed": has_numbers,  # the ranks would be the same
            "log-normal": has_numbers,
            "log-normal y": has_numbers and is_of_numbers,
            "tied": _N in kinds,
            "unbalanced": _L in kinds,
        }
        if is_apt.get(data, True):
            yield measure, data, strength


NAMES = ("measure", "data", "dependence", "value", *(f"n_{n}" for n in SIZES))


def csv_row(found: Cell) -> list[str]:
    """Return the cell as a row of docs/validation/coverage.csv."""
    shares = (f"{share:.3f}" for share in found.held)
    return [found.measure, found.data, found.strength, f"{found.truth:.3f}", *shares]


def main() -> int:
    parser = argparse.ArgumentParser(description="Coverage of the 95% limits.")
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=[*CLOSED, *SAMPLED], help="measures; other rows stay")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    runs, started = options.runs, time.perf_counter()
    rows: dict[str, list[list[str]]] = {measure: [] for measure in (*CLOSED, *SAMPLED)}
    for row in read_rows(options.out) if options.out and options.out.exists() else ():
        if row["measure"] not in options.only:
            rows[row["measure"]].append([row[name] for name in NAMES])
    # The longest first, so that no process is left with them.
    todo = [task for task in (*tasks(SAMPLED), *tasks(CLOSED)) if task[0] in options.only]
    todo.sort(key=lambda task: task[0] != "dcor")
    with ProcessPoolExecutor(options.jobs) as pool:
        for found in pool.map(cell, todo, [runs] * len(todo)):
            rows[found.measure].append(csv_row(found))
            print(*csv_row(found), f"{time.perf_counter() - started:.0f} s", sep=", ", flush=True)
    if options.out:
        write_rows(options.out, NAMES, chain.from_iterable(rows.values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
