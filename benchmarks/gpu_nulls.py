"""Nulls of MIC on a GPU, measured: `python -m benchmarks.gpu_nulls --table WHO.csv`.

Permutations per second beside one core of the same machine, with and without ties. Then `bc.rank` of the
whole table with 10,000 permutations per pair, twice. Then 1,000 random pairs of it again on the CPU: their
figures, and every draw in its place, once with an empty store of nulls and once read back from it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import bychance as bc
from bychance import _native
from bychance.gpu.mic import draw_mic
from bychance.measures import registry
from bychance.nulls import cache
from bychance.nulls.draws import draw_many
from bychance.nulls.permutation import Permutation
from bychance.pair import prepare_pair
from bychance.validation import root_seed

N_DRAWS = 10_000
# Rows, pairs on the GPU, draws on the core: about a second of each
SIZES = ((60, 1000, 100_000), (200, 200, 20_000), (1000, 40, 1_500))


def measure_speed() -> None:
    """Measure permutations per second of a GPU and of one core, in turns, the best of three."""
    rng = np.random.default_rng(0)
    for n, n_pairs, n_on_cpu in SIZES:
        for what, values in (("no ties", np.arange(n)), ("ten levels", np.sort(rng.integers(0, 10, n)))):
            variable = _native.MicVariable(values.astype(float), 0.6, 15.0, "mic")
            pairs, keys = [(variable, variable)] * n_pairs, [(k, 1) for k in range(n_pairs)]
            options = dict(name="mic", exponent=0.6, clumps=15.0)
            draw_mic(pairs[:2], keys[:2], 0, N_DRAWS, **options)
            on_gpu, on_cpu = [], []
            for _ in range(3):
                start = time.perf_counter()
                draws = draw_mic(pairs, keys, 0, N_DRAWS, **options)
                on_gpu.append(n_pairs * N_DRAWS / (time.perf_counter() - start))
                start = time.perf_counter()
                permutations = _native.Permutations.free(keys[0], n)
                expected = _native.Statistic.mic(variable, variable).draw(permutations, 0, n_on_cpu)
                on_cpu.append(n_on_cpu / (time.perf_counter() - start))
            both = min(n_on_cpu, N_DRAWS)
            off = np.abs(draws[0, :both] - expected[:both]).max()
            print(
                f"n = {n}, {what}: {max(on_gpu):,.0f} per s on the GPU, {max(on_cpu):,.0f} on a core, "
                f"{max(on_gpu) / max(on_cpu):.0f}x; largest difference {off:.1e}",
                flush=True,
            )


def measure_table(path: str, n_random: int) -> None:
    """Time the whole table end to end, and compare random pairs with the CPU's."""
    table = bc.read_table(path)
    null = Permutation(N_DRAWS)
    for time_number in ("first", "second"):
        start = time.perf_counter()
        ranking = bc.rank(table, measure="mic", null=null, device="cuda")
        seconds = time.perf_counter() - start
        print(f"{ranking.n_pairs:,} pairs x {N_DRAWS:,}, {time_number} run: {seconds:.1f} s", ranking.device)
    frame = ranking.to_pandas()
    frame = frame[frame["p_kind"] == "monte carlo"]  # not the few whose tails are split
    rows = frame.sample(n=min(n_random, len(frame)), random_state=1)
    columns = {column.name: column for column in table.columns}
    measure, root = registry.resolve("mic"), root_seed(0)
    named = zip(rows["x"], rows["y"], strict=True)
    pairs = [prepare_pair(measure, columns[x], columns[y], root=root) for x, y in named]
    on_gpu = [draw_many([pair], null, 0, N_DRAWS, "cuda", n_draws=N_DRAWS)[0][0] for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BYCHANCE_CACHE"] = folder
        for what in ("cold", "with the store"):
            cache._DEFAULT_STORES.clear()
            start = time.perf_counter()
            with ThreadPoolExecutor() as pool:
                on_cpu = list(pool.map(lambda pair: draw_many([pair], null, 0, N_DRAWS)[0][0], pairs))
            seconds = time.perf_counter() - start
            off = max(np.abs(a - b).max() for a, b in zip(on_gpu, on_cpu, strict=True))
            print(f"{len(pairs):,} random pairs on the CPU, {what}: {seconds:.1f} s", flush=True)
            print(f"  largest difference of {len(pairs) * N_DRAWS:,} draws: {off:.1e}")
            compare_figures(rows, table, null)


def compare_figures(rows, table, null) -> None:
    """Compare rows of the GPU's ranking with the CPU's ranking of the same pairs."""
    names = ["observed", "p_value", "adjusted_at", "null_mean", "null_std"]

    def differences(row) -> list[float]:
        ranking = bc.rank(table, x=row["x"], y=row["y"], measure="mic", null=null, n_jobs=1)
        known = ranking.to_pandas().iloc[0]
        return [row[name] - known[name] for name in names]

    with ThreadPoolExecutor() as pool:
        off = np.array(list(pool.map(differences, rows.to_dict("records"))))
    largest = {name: f"{value:.1e}" for name, value in zip(names, np.abs(off).max(axis=0), strict=True)}
    print("  largest differences of figures:", largest)
    print(f"  p-values: {np.count_nonzero(off[:, 1] > 0)} larger, {np.count_nonzero(off[:, 1] < 0)} smaller")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", help="the WHO table of the paper, or any other; without it, speed alone")
    parser.add_argument("--random", type=int, default=1000, help="pairs that the CPU draws again")
    parser.add_argument("--no-speed", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", bc.BychanceWarning)  # that so few draws reach no small q-value
    if not options.no_speed:
        measure_speed()
    if options.table:
        measure_table(options.table, options.random)


if __name__ == "__main__":
    main()
