"""How often the 95% limits of r² hold the population's value where the noise has a long tail.

    python -m studies.long_tails --runs 2000 --out docs/intervals.md

y is a line in a normal x plus noise of a known law, in such parts that r² is known. Only the page's table
"Long tails" is written anew.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bychance as bc

SIZES = (30, 100, 500, 2_000)
SHARES = (0.08, 0.3)


def exponential(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Of mean 0 and variance 1, as all of these laws."""
    return rng.exponential(size=n) - 1


def student(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """With 3 degrees of freedom, the fewest of which the variance is finite."""
    return rng.standard_t(3, n) / math.sqrt(3)


def log_normal(rng: np.random.Generator, n: int, *, sigma: float) -> NDArray[np.float64]:
    """The exponential of normal numbers."""
    square = math.exp(sigma**2)
    return (rng.lognormal(0, sigma, n) - math.sqrt(square)) / math.sqrt(square * (square - 1))


NOISE: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "exponential": exponential,
    "t with 3 degrees of freedom": student,
    "log-normal, σ = 1": partial(log_normal, sigma=1.0),
    "log-normal, σ = 1.5": partial(log_normal, sigma=1.5),
}


def held(noise: str, share: float, n: int, runs: int) -> float:
    """The part of data sets whose limits hold the share."""
    rng = np.random.default_rng([list(NOISE).index(noise), n])
    n_held = 0
    for _ in range(runs):
        x = rng.standard_normal(n)
        y = np.sqrt(share) * x + np.sqrt(1 - share) * NOISE[noise](rng, n)
        low, high = bc.adjust("r2", x, y, null="moments").interval()
        n_held += low <= share <= high
    return n_held / runs


def rewritten(page: str, rows: list[str], runs: int) -> str:
    """The page with these rows in the table, and how many data sets they come from."""
    page = re.sub(r"[\d,]+ data sets per cell:", f"{runs:,} data sets per cell:", page)
    table = "".join(f"{row}\n" for row in rows)
    return re.sub(r"(\| noise \|.*\n\|[-|]+\n)(?:\|.*\n)+", lambda found: found[1] + table, page)


def main() -> int:
    """Print the rows, and write them to the page."""
    parser = argparse.ArgumentParser(description="Coverage of the 95% limits, long tails.")
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    cells = list(product(NOISE, SHARES, SIZES))
    rows: dict[tuple[str, float], str] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        shares = pool.map(held, *zip(*cells, strict=True), [options.runs] * len(cells))
        for (noise, share, _), found in zip(cells, shares, strict=True):
            start = rows.get((noise, share), f"| {noise} | {share:.2f} |")
            rows[noise, share] = f"{start} {100 * found:.0f}% |"
            if rows[noise, share].count("%") == len(SIZES):
                print(rows[noise, share], flush=True)
    if options.out:
        options.out.write_text(rewritten(options.out.read_text(), list(rows.values()), options.runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
