"""Tables of noise: how many of them show a discovery at q < 0.05, where at most one in twenty should.

    python -m tools.noise [--tables 10] [--jobs 2]

Four kinds of independent columns that made earlier p-values fail in the far tail. The output, a Markdown
table, is in docs/levels.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bychance as bc

_SEED = 20261116


class Kind(NamedTuple):
    """One kind of table."""

    name: str
    measure: str
    n_columns: int
    n: int
    draw: Callable[[np.random.Generator, int], NDArray[np.generic]]


KINDS = (
    Kind("exponential", "r2", 1_000, 150, lambda rng, n: rng.exponential(size=n)),
    Kind("gamma(½)", "r2", 1_000, 300, lambda rng, n: rng.gamma(0.5, size=n)),
    Kind("lognormal(½)", "r2", 1_000, 1_000, lambda rng, n: rng.lognormal(sigma=0.5, size=n)),
    Kind(
        "60 labels", "mi", 500, 77, lambda rng, n: np.char.add("label ", rng.integers(60, size=n).astype(str))
    ),
)


def discoveries(kind: Kind, number: int, n_jobs: int) -> int:
    """How many pairs of the table of this number have q < 0.05."""
    rng = np.random.default_rng([_SEED, KINDS.index(kind), number])
    table = {f"c{k:04}": kind.draw(rng, kind.n) for k in range(kind.n_columns)}
    ranking = bc.rank(table, measure=kind.measure, top=100, n_jobs=n_jobs)
    return int(np.sum(np.asarray(ranking["q_value"]) < 0.05))


def main() -> None:
    """Run all kinds and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print("| columns | measure | n | pairs | tables with a discovery | seconds per table |")
    print("|---|---|---|---|---|---|")
    for kind in KINDS:
        started = time.perf_counter()
        found = [discoveries(kind, number, options.jobs) > 0 for number in range(options.tables)]
        seconds = (time.perf_counter() - started) / options.tables
        n_pairs = kind.n_columns * (kind.n_columns - 1) // 2
        print(
            f"| {kind.n_columns:,} {kind.name} | {kind.measure} | {kind.n:,} | {n_pairs:,} | "
            f"{sum(found)} of {len(found)} | {seconds:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
