"""Coverage of the 95% limits if one category has about seven rows.

    python -m studies.rare_categories --tables 40 --runs 60 --out docs/validation/coverage_rare_categories.csv

Each population is a random table of categories of x by classes of y. One category has a share of 7 in n rows,
the classes of each have shares from a Dirichlet distribution. Samples of one class or category have no limits
and are left out. Printed are the shares of limits that hold it, over all samples, and the least share of a
population.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from studies.csv_files import write_rows

MEASURES = ("mi", "gini", "phi2", "cramers_v")
RARE = 7
SHAPES = {  # categories, classes, rows, and the Dirichlet distribution's parameter
    "2 × 2, n = 100": (2, 2, 100, 0.5),
    "2 × 2, n = 300": (2, 2, 300, 0.3),
    "3 × 2, n = 150": (3, 2, 150, 0.3),
    "3 × 3, n = 100": (3, 3, 100, 0.5),
    "5 × 2, n = 150": (5, 2, 150, 0.5),
}


def population(rng: np.random.Generator, shape: tuple[int, int, int, float]) -> NDArray[np.float64]:
    """Draw the shares of all cells."""
    categories, classes, n, spread = shape
    shares = np.append(rng.dirichlet(np.full(categories - 1, 5.0)) * (1 - RARE / n), RARE / n)
    return np.asarray(shares[:, None] * rng.dirichlet(np.full(classes, spread), size=categories))


def share_of(measure: str, table: NDArray[np.float64]) -> float:
    """Compute the measure over its maximum."""
    rows, columns = table.sum(axis=1, keepdims=True), table.sum(axis=0, keepdims=True)
    if measure == "mi":
        of_rows, of_columns, of_cells = (-np.sum(p[p > 0] * np.log(p[p > 0])) for p in (rows, columns, table))
        return float((of_rows + of_columns - of_cells) / min(of_rows, of_columns))
    if measure == "gini":
        same = float(np.sum(columns**2))
        return float((np.sum(table**2 / rows) - same) / (1 - same))
    square = float(np.sum(table**2 / (rows * columns)) - 1) / (min(table.shape) - 1)
    return square if measure == "phi2" else float(np.sqrt(square))


def held(seed: int, shape: tuple[int, int, int, float], runs: int) -> list[float]:
    """Compute by measure the share of samples of one population whose limits hold its value."""
    rng = np.random.default_rng([seed, *shape[:3]])
    table = population(rng, shape)
    truths = [share_of(measure, table) for measure in MEASURES]
    names, n_held, n_runs = np.array([f"c{k}" for k in range(max(table.shape))]), np.zeros(len(MEASURES)), 0
    while n_runs < runs:
        counts = rng.multinomial(shape[2], table.ravel())
        x, y = names[np.array(np.divmod(np.repeat(np.arange(table.size), counts), table.shape[1]))]
        if len(set(x)) > 1 < len(set(y)):
            limits = [bc.adjust(measure, x, y, null="moments").interval() for measure in MEASURES]
            n_held += [
                low <= truth + 1e-9 <= high + 2e-9 for (low, high), truth in zip(limits, truths, strict=True)
            ]
            n_runs += 1
    return list(n_held / runs)


def main() -> int:
    """Print a line per shape and write them."""
    parser = argparse.ArgumentParser(description="Coverage of the 95% limits, rare categories.")
    parser.add_argument("--tables", type=int, default=40, help="populations per shape")
    parser.add_argument("--runs", type=int, default=60, help="samples of each")
    parser.add_argument("--seed", type=int, default=0, help="of the first population")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.tables)
    rows = []
    with ProcessPoolExecutor(options.jobs) as pool:
        for name, shape in SHAPES.items():
            found = np.array(list(pool.map(partial(held, shape=shape, runs=options.runs), seeds)))
            pairs = zip(found.mean(axis=0), found.min(axis=0), strict=True)
            rows.append([name, *(text for mean, least in pairs for text in (f"{mean:.3f}", f"{least:.2f}"))])
            print(*rows[-1], sep=", ", flush=True)
    if options.out:
        names = ("table", *(f"{measure}{end}" for measure in MEASURES for end in ("", "_worst")))
        write_rows(options.out, names, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
