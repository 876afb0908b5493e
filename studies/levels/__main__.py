"""Sets or judges the rules of validity: levels under independence, true tails beside stated ones."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from studies.levels.cells import GRIDS, TAILS, Cell, TailCell, level_cells, tail_cells
from studies.levels.csv_rows import level_row, tail_row, write_levels, write_tails
from studies.levels.oracles import HAVE_ORACLE

# `auto` has no matched distribution for the others: they are sampled, or their distribution is known.
MEASURES = (
    "explained", "r2", "spearman", "kendall", "xi", "dcor", "hsic", "eta2", "gini", "goodman_kruskal", "mi",
    "phi2", "cramers_v",
)  # fmt: skip
SIZES = {
    "fit": (12, 20, 45, 150, 1_000),
    "seen": (15, 30, 77, 250, 1_500),
    "judge": (14, 26, 60, 200, 1_200),
}
TAIL_SIZES = {"fit": (20, 45, 150), "seen": (30, 77, 250), "judge": (26, 60, 200)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m studies.levels", description=__doc__)
    parser.add_argument("grid", choices=list(GRIDS))
    parser.add_argument("--measures", nargs="*", default=list(MEASURES))
    parser.add_argument("--sets", type=int, default=100, help="data sets per cell")
    parser.add_argument("--pairings", type=int, default=2_000, help="pairings of each")
    parser.add_argument("--tail-sets", type=int, default=4, help="data sets per cell of the tail")
    parser.add_argument("--particles", type=int, default=500)
    parser.add_argument("--max-n", type=int, default=1_500)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, help="the folder of levels.csv and tails.csv")
    options = parser.parse_args()
    started = time.perf_counter()
    cells = _levels(options)
    tails = _tails(options)
    _print_summary(tails)
    seconds = time.perf_counter() - started
    n_outside = sum(not cell.is_right for cell in cells)
    print(f"{n_outside} of {len(cells)} cells outside their range, {seconds:.0f} s")
    if options.out:
        write_levels(options.out, cells)
        write_tails(options.out, tails)
    return 1 if n_outside else 0


def _levels(options: argparse.Namespace) -> list[Cell]:
    cells = []
    sizes = tuple(n for n in SIZES[options.grid] if n <= options.max_n)
    counts = {"n_sets": options.sets, "n_pairings": options.pairings, "jobs": options.jobs}
    for cell in level_cells(options.grid, options.measures, sizes, **counts):
        cells.append(cell)
        print(*level_row(cell), sep=", ", flush=True)
    return cells


def _tails(options: argparse.Namespace) -> list[TailCell]:
    cells = []
    measures = [measure for measure in options.measures if measure in HAVE_ORACLE]
    sizes = tuple(n for n in TAIL_SIZES[options.grid] if n <= options.max_n)
    counts = {"n_sets": options.tail_sets, "n_particles": options.particles, "jobs": options.jobs}
    for cell in tail_cells(options.grid, measures, sizes, **counts):
        cells.append(cell)
        if len(cell.ratios):
            print(*tail_row(cell), sep=", ", flush=True)
    return cells


def _print_summary(cells: list[TailCell]) -> None:
    """Print true over stated p of all distributions that state to reach it, by which the rules are set."""
    for measure in dict.fromkeys(cell.measure for cell in cells):
        for k, p in enumerate(TAILS):
            found = [c.ratios[:, k][c.reach <= p * 1.01] for c in cells if c.measure == measure]
            ratios = np.concatenate(found)
            ratios = ratios[~np.isnan(ratios)]
            if len(ratios):
                figures = f"mean {ratios.mean():.2f}, nine in ten below {np.quantile(ratios, 0.9):.2f}"
                print(f"{measure} at {p:g}: {len(ratios)} nulls, {figures}, largest {ratios.max():.2f}")


if __name__ == "__main__":
    sys.exit(main())
