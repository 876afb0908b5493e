"""Nulls of r², `explained` and `dcor` on a GPU, measured: `python -m benchmarks.gpu_traces`.

Permutations per second beside one core of the same machine, in turns, from prepared pairs to values in the
memory of the host. Every draw that both made is compared. Then `bc.rank` of a table, end to end.
"""

from __future__ import annotations

import time
import warnings

import numpy as np

import bychance as bc
from bychance import _native
from bychance.gpu.traces import draw_traces
from bychance.kinds import Role
from bychance.measures import registry

N_DRAWS = 10_000
N_CATEGORIES = 5
# Rows, pairs on the GPU, draws on the core: a fraction of a second of each
SIZES = ((60, 1000, 20_000), (200, 400, 5_000), (1000, 100, 1_000), (3000, 20, 300))
LONG = (20_000, 1, 30)


def statistic(name: str, n: int, rng: np.random.Generator) -> _native.Statistic:
    """Prepare one pair of independent columns for drawing."""
    measure, x, y = registry.resolve(name.split()[0]), *rng.normal(size=(2, n))
    codes, others = rng.integers(0, N_CATEGORIES, (2, n)).astype(np.int32)
    first, second = {
        "explained by categories": (codes, y),
        "explained of categories": (x, codes),
        "explained between categories": (codes, others),
    }.get(name, (x, y))
    return measure.statistic(measure.prepare(first, Role.X), measure.prepare(second, Role.Y))


def measure_speed(name: str, n: int, n_pairs: int, n_on_cpu: int) -> None:
    """Measure permutations per second of a GPU and of one core, in turns, the best of three."""
    rng = np.random.default_rng(0)
    made = [statistic(name, n, rng) for _ in range(n_pairs)]
    keys = [(k, 1) for k in range(n_pairs)]
    permutations = _native.Permutations.free(keys[0], n)
    on_gpu, on_cpu = [], []
    draw_traces(made[:1], keys[:1], 0, 100)  # compiles
    for _ in range(3):
        start = time.perf_counter()
        draws = draw_traces(made, keys, 0, N_DRAWS)
        on_gpu.append(n_pairs * N_DRAWS / (time.perf_counter() - start))
        start = time.perf_counter()
        expected = made[0].draw(permutations, 0, n_on_cpu)
        on_cpu.append(n_on_cpu / (time.perf_counter() - start))
    both = min(n_on_cpu, N_DRAWS)
    n_different = np.count_nonzero(draws[0, :both] != expected[:both])
    print(
        f"{name}, n = {n}: {max(on_gpu):,.0f} per s on the GPU, {max(on_cpu):,.0f} on a core, "
        f"{max(on_gpu) / max(on_cpu):.0f}x; {n_different} of {both:,} draws differ",
        flush=True,
    )


def measure_table(n_columns: int = 100, n: int = 200) -> None:
    """Time a whole table end to end, and compare its first columns with the CPU's."""
    rng = np.random.default_rng(1)
    table = {f"c{k}": rng.normal(size=n) for k in range(n_columns)}
    table |= {f"kind {k}": rng.choice(list("abcde"), size=n) for k in range(n_columns)}
    for measure in ("dcor", "explained"):
        options = dict(measure=measure, null=bc.Permutation(N_DRAWS))
        start = time.perf_counter()
        ranking = bc.rank(table, device="cuda", **options)
        seconds = time.perf_counter() - start
        print(f"{measure}: {ranking.n_pairs:,} pairs x {N_DRAWS:,} in {seconds:.1f} s on {ranking.device}")
        few = {name: table[name] for name in ("c0", "c1", "c2", "kind 0", "kind 1")}
        start = time.perf_counter()
        expected = bc.rank(few, **options)
        seconds = time.perf_counter() - start
        found = bc.rank(few, device="cuda", **options)
        is_same = found.to_frame().equals(expected.to_frame())
        print(
            f"  {expected.n_pairs} pairs of it on one core in {seconds:.1f} s; the same figures: {is_same}",
            flush=True,
        )


def main() -> None:
    warnings.simplefilter("ignore", bc.BychanceWarning)  # that so few draws reach no small q-value
    for name in (
        "r2",
        "explained by categories",
        "explained of categories",
        "explained between categories",
        "dcor",
    ):
        for size in SIZES:
            measure_speed(name, *size)
    measure_speed("dcor", *LONG)
    measure_table()


if __name__ == "__main__":
    main()
