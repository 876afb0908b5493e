"""A sparse table of half a million pairs: what the defaults find beside what the true p-values would give.

    python -m studies.sparse [--columns 1000] [--jobs 2]

Lognormal columns of 100 rows, among which one relation per ten columns is planted, from none to strong. The
truth is by splitting with eight times as many particles as the defaults have, for every pair whose p-value
can matter. docs/validation.md has the output.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.measures import registry
from bychance.nulls.permutation import Permutation
from bychance.nulls.sequential import discovery_threshold
from bychance.nulls.splitting import N_PARTICLES, split_tail, tail_pair
from bychance.pair import prepare_pair

_SEED, _N_ROWS, _LEVEL = 499_500, 100, 0.05
_CAN_MATTER = 1e-4
_MORE_PARTICLES = 8


def make_table(n_columns: int) -> tuple[dict[str, NDArray[np.float64]], set[frozenset[str]]]:
    """Draw the columns, and return which pairs of them are related."""
    rng = np.random.default_rng(_SEED)
    values = rng.lognormal(size=(n_columns, _N_ROWS))
    n_related = n_columns // 10
    for k, strength in enumerate(np.geomspace(0.05, 1.5, n_related)):
        values[2 * k + 1] += strength * values[2 * k]
    names = [f"c{k:04}" for k in range(n_columns)]
    related = {frozenset(names[2 * k : 2 * k + 2]) for k in range(n_related)}
    return dict(zip(names, values, strict=True)), related


def true_p(table: Any, x: str, y: str) -> float:
    """Estimate the p-value of a pair by long runs."""
    pair = prepare_pair(registry.resolve("r2"), table[x], table[y], root=1)
    null = bc.adjust("r2", table[x].values, table[y].values, null="moments").null
    return split_tail(
        tail_pair(pair, Permutation(), null.std), n_particles=_MORE_PARTICLES * N_PARTICLES
    ).p_value.value


def main() -> None:
    """Print one table with what was found and what is true."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--columns", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    columns, related = make_table(options.columns)
    table = bc.read_table(columns)
    started = time.perf_counter()
    frame = bc.rank(table, measure="r2", n_jobs=options.jobs).to_frame()
    seconds = time.perf_counter() - started
    pairs = list(zip(frame.column("x").to_pylist(), frame.column("y").to_pylist(), strict=True))
    p_values, q_values = (np.array(frame.column(name).to_pylist()) for name in ("p_value", "q_value"))
    draws = np.array([count or 0 for count in frame.column("n_resamples").to_pylist()])

    truth, small = p_values.copy(), np.flatnonzero(p_values < _CAN_MATTER)
    parallel = joblib.Parallel(n_jobs=options.jobs, prefer="threads")
    truth[small] = parallel(joblib.delayed(true_p)(table, *pairs[k]) for k in small)
    is_true = truth <= discovery_threshold(truth, _LEVEL, 1.0)
    n_coarse = int(np.sum(floored_rates(p_values, draws) <= _LEVEL))
    print("| | discoveries | of these related |\n|---|---|---|")
    for what, is_found in (("the defaults", q_values < _LEVEL), ("the true p-values", is_true)):
        n_related = sum(frozenset(pairs[k]) in related for k in np.flatnonzero(is_found))
        print(f"| {what} | {is_found.sum()} | {n_related} |")
    print(f"| 9,999 permutations for all | {n_coarse} | |")
    n_differ = int(np.sum((q_values < _LEVEL) != is_true))
    print(
        f"\n{len(pairs):,} pairs, {n_differ} decided otherwise than by the true p-values; "
        f"{draws.sum() / 1e6:.0f} million permutations of {np.count_nonzero(draws):,} pairs, "
        f"{seconds:.0f} s on {options.jobs} cores"
    )


def floored_rates(p_values: NDArray[np.float64], draws: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute q-values if no sampled p-value could be below that of 9,999 draws."""
    floored = np.where(draws > 0, np.maximum(p_values, 1e-4), p_values)
    order = np.argsort(floored)
    rates = floored[order] * len(floored) / np.arange(1, len(floored) + 1)
    q_values = np.empty_like(rates)
    q_values[order] = np.minimum.accumulate(rates[::-1])[::-1]
    return q_values


if __name__ == "__main__":
    main()
