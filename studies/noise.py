"""Discoveries in tables of noise, and false ones among true ones.

    python -m studies.noise [--tables 10] [--sparse 300] [--jobs 2]

First, tables of independent columns of four kinds whose p-values are hard in the far tail: how many of them
show a discovery at q < 0.05. One in twenty may. Then tables of 100 lognormal columns, with and
without ten relations: the share of false discoveries, and of tables of noise with any. docs/validation.md
has the result.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray

import bychance as bc

_SEED = 20261116
_N_COLUMNS, _N_ROWS, _N_RELATIONS = 100, 100, 10


class Kind(NamedTuple):
    """One kind of table."""

    name: str
    measure: str
    n_columns: int
    n: int
    draw: Callable[[np.random.Generator, int], NDArray[np.generic]]


def _labels(rng: np.random.Generator, n: int) -> NDArray[np.generic]:
    return np.char.add("label ", rng.integers(60, size=n).astype(str))


KINDS = (
    Kind("exponential", "r2", 1_000, 150, lambda rng, n: rng.exponential(size=n)),
    Kind("gamma(½)", "r2", 1_000, 300, lambda rng, n: rng.gamma(0.5, size=n)),
    Kind("lognormal(½)", "r2", 1_000, 1_000, lambda rng, n: rng.lognormal(sigma=0.5, size=n)),
    Kind("60 labels", "mi", 500, 77, _labels),
)


def has_discovery(number_of_kind: int, number: int) -> bool:
    """Return True if the table of this kind and number has a pair with q < 0.05."""
    kind, rng = KINDS[number_of_kind], np.random.default_rng([_SEED, number_of_kind, number])
    table = {f"c{k:04}": kind.draw(rng, kind.n) for k in range(kind.n_columns)}
    ranking = bc.rank(table, measure=kind.measure, top=20)
    return bool(np.any(np.asarray(ranking["q_value"]) < 0.05))


def false_and_true(number: int, n_relations: int) -> tuple[int, int]:
    """Count the false and the true discoveries of a sparse table."""
    rng = np.random.default_rng([_SEED, 99, number, n_relations])
    values = rng.lognormal(size=(_N_COLUMNS, _N_ROWS))
    for k in range(n_relations):
        values[2 * k + 1] += rng.uniform(0.2, 1.2) * values[2 * k]
    ranking = bc.rank({f"c{k:02}": column for k, column in enumerate(values)}, measure="r2")
    found = [{row["x"], row["y"]} for row in ranking if row["q_value"] < 0.05]
    related = [{f"c{2 * k:02}", f"c{2 * k + 1:02}"} for k in range(n_relations)]
    n_true = sum(pair in related for pair in found)
    return len(found) - n_true, n_true


def main() -> None:
    """Run all and print two tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--sparse", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.perf_counter()
    parallel, numbers = joblib.Parallel(n_jobs=options.jobs), range(options.tables)
    print("| columns | measure | n | pairs | tables with a discovery |\n|---|---|---|---|---|", flush=True)
    for k, kind in enumerate(KINDS):
        found = parallel(joblib.delayed(has_discovery)(k, number) for number in numbers)
        n_pairs = kind.n_columns * (kind.n_columns - 1) // 2
        columns = f"{kind.n_columns:,} {kind.name} | {kind.measure} | {kind.n:,} | {n_pairs:,}"
        print(f"| {columns} | {sum(found)} of {len(found)} |", flush=True)
    print("\n| relations | false discovery rate | tables with a false discovery | found |\n|---|---|---|---|")
    for n_relations in (_N_RELATIONS, 0):
        counts = np.array(
            parallel(joblib.delayed(false_and_true)(number, n_relations) for number in range(options.sparse))
        )
        n_false, n_true = counts.T
        share = n_false / np.maximum(n_false + n_true, 1)
        error = share.std() / np.sqrt(len(share))
        found_share = f"{n_true.mean() / n_relations:.0%}" if n_relations else ""
        row = f"{share.mean():.3f} ± {error:.3f} | {np.mean(n_false > 0):.3f} | {found_share}"
        print(f"| {n_relations} | {row} |", flush=True)
    print(f"\n{(time.perf_counter() - started) / 60:.0f} minutes on {options.jobs} cores")


if __name__ == "__main__":
    main()
