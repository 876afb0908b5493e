"""All pairs at scale, measured: `python -m benchmarks.all_pairs --device cuda`.

Two figures: the best 100,000 of the 200 million pairs of 20,000 columns, and all pairs of p < 1e-10 among a
trillion (2,000,000 × 500,000 columns), 1,000 rows each. Columns are normal, every third one of x holds allele
counts, and one column of y in a thousand depends on one of x. Of the trillion, ten million random pairs are
computed once more in float64, and the planted ones are looked for in the file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import bychance as bc

N_ROWS, THRESHOLD = 1000, 1e-10


def make_arrays(n_x: int, n_y: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw two arrays of float32, and return which columns of x and y were planted together."""
    x, y = np.empty((N_ROWS, n_x), dtype=np.float32), np.empty((N_ROWS, n_y), dtype=np.float32)

    def fill(array: np.ndarray, row: int, seed: int) -> None:
        rng = np.random.default_rng((seed, row))
        rng.standard_normal(out=array[row], dtype=np.float32)
        if seed == 0:
            every = array[row, ::3]
            every[:] = (every > 0.0).astype(np.float32) + (every > 1.0)

    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda row: fill(x, row, 0), range(N_ROWS)))
        list(pool.map(lambda row: fill(y, row, 1), range(N_ROWS)))
    rng = np.random.default_rng(7)
    at_y = np.sort(rng.choice(n_y, size=max(1, n_y // 1000), replace=False))
    at_x = rng.integers(0, n_x, size=len(at_y))
    strength = rng.uniform(0.15, 0.5, size=len(at_y)).astype(np.float32)
    y[:, at_y] += strength * x[:, at_x]
    return x, y, at_x, at_y


def measure_top(n_columns: int, top: int, device: str) -> None:
    """Rank the best pairs of one array with itself, and of two arrays."""
    x, y, _, _ = make_arrays(n_columns, n_columns)
    for name, other in (("itself", x), ("itself again", x), ("another", y)):
        start = time.perf_counter()
        ranking = bc.rank_arrays(x, other, top=top, device=device)
        seconds = time.perf_counter() - start
        print(f"{ranking.n_pairs:,} pairs with {name}, top {len(ranking):,}: {seconds:.2f} s", ranking.device)
        print("  ", *ranking.notes, ranking[len(ranking) - 1]["p_value"], flush=True)


def measure_file(n_x: int, n_y: int, device: str) -> None:
    """Write all small p-values of two arrays to a file, and check that none is missing or wrong."""
    x, y, at_x, at_y = make_arrays(n_x, n_y)
    print("arrays are made", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.parquet"
        start = time.perf_counter()
        best = bc.rank_arrays(x, y, path=path, threshold=THRESHOLD, device=device)
        seconds = time.perf_counter() - start
        table = pq.read_table(path)
    print(f"{best.n_pairs:,} pairs: {seconds:.1f} s on {best.device}, {table.num_rows:,} found", flush=True)
    names = [[int(name[1:]) for name in table[side].to_pylist()] for side in ("x", "y")]
    found = dict(zip(zip(*names, strict=True), table["p_value"].to_pylist(), strict=True))
    check_random(x, y, found, 10**7)
    check_planted(x, y, at_x, at_y, found)


def check_random(x: np.ndarray, y: np.ndarray, found: dict[tuple[int, int], float], n_pairs: int) -> None:
    """Check a random rectangle of pairs by the ordinary engine on the CPU."""
    rng = np.random.default_rng(11)
    side = int(n_pairs**0.5)
    picked = [np.sort(rng.choice(a.shape[1], size=min(side, a.shape[1]), replace=False)) for a in (x, y)]
    # A few columns of planted and found pairs are among them, so that some do pass.
    for k, column in enumerate(zip(*list(found)[:200], strict=True)):
        picked[k] = np.union1d(picked[k], column)
    p_values = ordinary_p_values(x, y, *picked)
    i, j = np.nonzero(p_values <= THRESHOLD)
    passing = {(int(picked[0][a]), int(picked[1][b])): p_values[a, b] for a, b in zip(i, j, strict=True)}
    inside = {pair for pair in found if np.isin(pair[0], picked[0]) and np.isin(pair[1], picked[1])}
    missed, extra = passing.keys() - inside, inside - passing.keys()
    off = max((abs(found[pair] / p - 1) for pair, p in passing.items() if pair in found), default=0.0)
    print(f"{p_values.size:,} pairs again on the CPU: {len(passing)} pass, {len(missed)} missed,")
    print(f"  {len(extra)} extra, largest relative difference {off:.1e}", flush=True)


def check_planted(
    x: np.ndarray, y: np.ndarray, at_x: np.ndarray, at_y: np.ndarray, found: dict[tuple[int, int], float]
) -> None:
    """Check every planted pair by `bc.adjust`."""
    missed, n_passing, off = 0, 0, 0.0
    for a, b in zip(at_x.tolist(), at_y.tolist(), strict=True):
        p = bc.adjust("r2", x[:, a].astype(float), y[:, b].astype(float), null="moments").p_value
        if p <= THRESHOLD:
            n_passing += 1
            missed += (a, b) not in found
            off = max(off, abs(found.get((a, b), p) / p - 1))
    print(f"{len(at_x)} planted: {n_passing} pass, {missed} missed, largest difference {off:.1e}", flush=True)


def ordinary_p_values(x: np.ndarray, y: np.ndarray, at_x: np.ndarray, at_y: np.ndarray) -> np.ndarray:
    """Compute the p-values of all pairs of these columns, from blocks of ordinary columns."""
    from bychance.ranking.api import all_options
    from bychance.ranking.arrays.columns import Side
    from bychance.ranking.block import Block
    from bychance.ranking.options import make_job
    from bychance.ranking.results import Cut

    job = make_job(all_options(measure="r2", null="moments", by="p_value"))
    p_values = np.empty((len(at_x), len(at_y)))
    height = 256
    columns = Side(y, "y").columns(at_y)

    def fill(top: int) -> None:
        some = at_x[top : top + height]
        first, second = np.divmod(np.arange(len(some) * len(at_y)), len(at_y))
        block = Block(Side(x, "x").columns(some), columns, some, at_y, first, second, job, Cut(1, -THRESHOLD))
        p_values[top : top + height] = block.measured().p_values.reshape(len(some), -1)

    with ThreadPoolExecutor() as pool:
        list(pool.map(fill, range(0, len(at_x), height)))
    return p_values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--top", type=int, default=100_000)
    parser.add_argument("--x", type=int, default=2_000_000, help="0 leaves the second figure out")
    parser.add_argument("--y", type=int, default=500_000)
    options = parser.parse_args()
    if options.columns:
        measure_top(options.columns, options.top, options.device)
    if options.x:
        measure_file(options.x, options.y, options.device)


if __name__ == "__main__":
    main()
