"""The level of p-values under independence: every measure, several kinds of data, three sample sizes.

    python tools/levels.py --runs 10000 --out docs/levels.md

A cell draws fresh independent data sets and counts how often p ≤ 0.05. Where the null is continuous the
share must lie between 4% and 6%; where data tie it may be lower, never above 6%.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.nulls.choose import Auto

ALPHA = 0.05
HIGHEST, LOWEST = 0.06, 0.04
SIZES = (20, 50, 200)
# Always sampled by permutation, so that their level is right by construction.
SAMPLED = ("mic", "mic_e", "tic_e")
Draw = Callable[[np.random.Generator, int], NDArray[Any]]


def normal(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.standard_normal(n)


def heavy(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.standard_cauchy(n)


def tied(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.round(rng.standard_normal(n))


def zero_inflated(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return np.where(rng.random(n) < 0.8, 0.0, rng.exponential(size=n))


def rare_ones(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return (rng.random(n) < 0.1).astype(float)


def _labels(rng: np.random.Generator, n: int, *, k: int) -> NDArray[Any]:
    return rng.integers(k, size=n).astype(str)


def uniform_labels(k: int) -> Draw:
    return partial(_labels, k=k)


def rare_labels(rng: np.random.Generator, n: int) -> NDArray[Any]:
    return rng.choice(list("01234"), size=n, p=[0.7, 0.15, 0.08, 0.04, 0.03])


@dataclass(frozen=True)
class Design:
    name: str
    x: Draw
    y: Draw
    is_continuous: bool = False


NUMERIC = [
    Design("normal", normal, normal, is_continuous=True),
    Design("heavy-tailed (Cauchy)", heavy, heavy, is_continuous=True),
    Design("tied (about 5 values)", tied, tied),
    Design("unbalanced (80% zeros)", zero_inflated, zero_inflated),
    Design("heavy-tailed × unbalanced", heavy, zero_inflated),
    Design("rare binary (10% ones)", rare_ones, rare_ones),
]
CATEGORICAL = [
    Design("balanced 2 × 2", uniform_labels(2), uniform_labels(2)),
    Design("balanced 3 × 4", uniform_labels(3), uniform_labels(4)),
    Design("many categories 12 × 5", uniform_labels(12), uniform_labels(5)),
    Design("unbalanced 5 × 5", rare_labels, rare_labels),
    Design("unbalanced × balanced 5 × 3", rare_labels, uniform_labels(3)),
]
MIXED = [
    Design("3 groups × normal", uniform_labels(3), normal, is_continuous=True),
    Design("3 groups × heavy-tailed", uniform_labels(3), heavy, is_continuous=True),
    Design("unbalanced groups × normal", rare_labels, normal, is_continuous=True),
    Design("unbalanced groups × heavy-tailed", rare_labels, heavy, is_continuous=True),
    Design("unbalanced groups × tied", rare_labels, tied),
    Design("12 groups × unbalanced", uniform_labels(12), zero_inflated),
]
REVERSED = [
    Design("normal × 3 classes", normal, uniform_labels(3), is_continuous=True),
    Design("heavy-tailed × 3 classes", heavy, uniform_labels(3), is_continuous=True),
    Design("tied × unbalanced classes", tied, rare_labels),
    Design("unbalanced × unbalanced classes", zero_inflated, rare_labels),
]


def designs_of(measure: str) -> list[Design]:
    kinds = {m.name: m.kinds for m in bc.list_measures()}[measure]
    if measure == "explained":
        return REVERSED + MIXED[:4] + CATEGORICAL[1:4] + NUMERIC[:2]
    return {"numeric-numeric": NUMERIC, "numeric-categorical": MIXED, "categorical-categorical": CATEGORICAL}[
        kinds
    ]


@dataclass(frozen=True)
class Cell:
    measure: str
    design: Design
    n: int
    level: float
    runs: int
    engines: Counter[str]

    @property
    def is_right(self) -> bool:
        """Four standard errors of the simulation are allowed for on the side of smaller runs."""
        slack = 0.0 if self.runs >= 10_000 else 4 * (ALPHA * (1 - ALPHA) / self.runs) ** 0.5
        low = LOWEST if self.design.is_continuous else 0.0
        return low - slack <= self.level <= HIGHEST + slack


def run_cell(measure: str, index: int, n: int, runs: int, null: Any, seed: int) -> Cell:
    design = designs_of(measure)[index]
    rng = np.random.default_rng([seed, n, index, *measure.encode()])
    rejected, engines = 0, Counter[str]()
    for run in range(runs):
        result = bc.adjust(measure, design.x(rng, n), design.y(rng, n), null=null, rng=run)
        rejected += result.p_value <= ALPHA
        engines[result.null.engine] += 1
    return Cell(measure, design, n, rejected / runs, runs, engines)


def all_cells(
    *, runs: int, null: Any, measures: list[str], sizes: tuple[int, ...] = SIZES, jobs: int = 1, seed: int = 1
) -> Iterator[Cell]:
    tasks = [(m, i, n, runs, null, seed) for m in measures for i in range(len(designs_of(m))) for n in sizes]
    if jobs == 1:
        yield from (run_cell(*task) for task in tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run_cell, *zip(*tasks, strict=True))


def markdown_row(cell: Cell) -> str:
    total = sum(cell.engines.values())
    engines = ", ".join(f"{name} {count / total:.0%}" for name, count in cell.engines.most_common())
    verdict = "" if cell.is_right else " **outside**"
    return f"| {cell.measure} | {cell.design.name} | {cell.n} | {cell.level:.4f}{verdict} | {engines} |"


HEADER = """# Levels of the p-values

How often p ≤ 0.05 where the variables are independent, over {runs:,} fresh data sets a cell (standard error
{error:.4f}), with `null="{null}"`, {n_resamples} re-pairings where it samples. Up to 6% is right; where the
null is continuous, at least 4% too. Discrete data often cannot reach 5% exactly and stay below it. The
engines are those that the choice fell on, with their shares. `mic`, `mic_e` and `tic_e` are not listed: they
are always sampled, and a permutation p-value keeps its level whatever the data.

This page is written by `make levels`.

| measure | data | n | P(p ≤ 0.05) | engines |
|---|---|---|---|---|
"""


def main() -> int:
    parser = argparse.ArgumentParser(description="Levels of p-values under independence.")
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--null", default="auto")
    parser.add_argument("--n-resamples", type=int, default=199)
    parser.add_argument(
        "--measures", nargs="*", default=[m.name for m in bc.list_measures() if m.name not in SAMPLED]
    )
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    null: Any = Auto(n_resamples=options.n_resamples) if options.null == "auto" else options.null
    error = (ALPHA * (1 - ALPHA) / options.runs) ** 0.5
    page = HEADER.format(runs=options.runs, error=error, null=options.null, n_resamples=options.n_resamples)
    started, n_outside = time.perf_counter(), 0
    for cell in all_cells(runs=options.runs, null=null, measures=options.measures, jobs=options.jobs):
        row = markdown_row(cell)
        n_outside += not cell.is_right
        page += row + "\n"
        print(row, f"{time.perf_counter() - started:.0f} s", flush=True)
    print(f"{n_outside} cells outside their range, {time.perf_counter() - started:.0f} s")
    if options.out:
        options.out.write_text(page)
    return 1 if n_outside else 0


if __name__ == "__main__":
    sys.exit(main())
