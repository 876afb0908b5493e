"""Coverage of the 95% limits of r² if the noise has a long tail.

    python -m studies.long_tails --runs 2000 --out docs/validation/coverage_long_tails.csv

y is a line in a normal x plus noise of a known law, in such parts that r² is known.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from studies.csv_files import write_rows

SIZES = (30, 100, 500, 2_000)
SHARES = (0.08, 0.3)


def exponential(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw exponential values of mean 0 and variance 1, as all laws here."""
    return rng.exponential(size=n) - 1


def student(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw Student's t with 3 degrees of freedom, the fewest with a finite variance."""
    return rng.standard_t(3, n) / math.sqrt(3)


def log_normal(rng: np.random.Generator, n: int, *, sigma: float) -> NDArray[np.float64]:
    """Draw the exponential of normal numbers."""
    square = math.exp(sigma**2)
    return (rng.lognormal(0, sigma, n) - math.sqrt(square)) / math.sqrt(square * (square - 1))


NOISE: dict[str, Callable[[np.random.Generator, int], NDArray[np.float64]]] = {
    "exponential": exponential,
    "t with 3 degrees of freedom": student,
    "log-normal, σ = 1": partial(log_normal, sigma=1.0),
    "log-normal, σ = 1.5": partial(log_normal, sigma=1.5),
}


def held(noise: str, share: float, n: int, runs: int) -> float:
    """Compute the share of data sets whose limits hold the value."""
    rng = np.random.default_rng([list(NOISE).index(noise), n])
    n_held = 0
    for _ in range(runs):
        x = rng.standard_normal(n)
        y = np.sqrt(share) * x + np.sqrt(1 - share) * NOISE[noise](rng, n)
        low, high = bc.adjust("r2", x, y, null="moments").interval()
        n_held += low <= share <= high
    return n_held / runs


NAMES = ("noise", "r2", *(f"n_{n}" for n in SIZES))


def main() -> int:
    """Print the rows and write them."""
    parser = argparse.ArgumentParser(description="Coverage of the 95% limits, long tails.")
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    cells = list(product(NOISE, SHARES, SIZES))
    rows = []
    with ProcessPoolExecutor(options.jobs) as pool:
        shares = list(pool.map(held, *zip(*cells, strict=True), [options.runs] * len(cells)))
    for k in range(0, len(cells), len(SIZES)):
        noise, share, _ = cells[k]
        rows.append([noise, f"{share:.2f}", *(f"{found:.2f}" for found in shares[k : k + len(SIZES)])])
        print(*rows[-1], sep=", ")
    if options.out:
        write_rows(options.out, NAMES, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
