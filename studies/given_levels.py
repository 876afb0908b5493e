"""The level of p-values beyond covariates, if x and y depend on them and on nothing else.

    python -m studies.given_levels --runs 2000 --out docs/validation/covariate_levels.csv

A row draws data sets in which x and y depend on z alone, and counts how often p ≤ 0.05 and p ≤ 0.01. It fails
where a share is above its limit by more than two standard errors of the simulation.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from studies.csv_files import write_rows

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, int], tuple[Array, Array, Any]]
"""A generator and a number of rows → x, y and the covariates."""

EASY, HARD = (0.065, 0.018), (0.095, 0.025)
SIZES = (50, 200, 1000)
FAINT = 0.3  # noise beside which curves are steep
NEVER = 10**9


@dataclass(frozen=True)
class Row:
    name: str
    draw: Draw
    limits: tuple[float, float] = EASY
    least_n: int = 200  # from which the limits hold


def curve(
    f: Callable[[Array], Array],
    z: Callable[[np.random.Generator, int], Array] | None = None,
    noise: float = 1.0,
) -> Draw:
    """Draw x = f(z) + e, y = f(z) + e'."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
        values = rng.standard_normal(n) if z is None else z(rng, n)
        x, y = (f(values) + noise * rng.standard_normal(n) for _ in range(2))
        return x, y, values

    return draw


def log_normal(rng: np.random.Generator, n: int) -> Array:
    return np.asarray(np.exp(1.5 * rng.standard_normal(n)))


def uniform(rng: np.random.Generator, n: int) -> Array:
    return rng.random(n)


def heavy_errors(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
    z = rng.standard_normal(n)
    return z + rng.standard_t(2, n), z + rng.standard_t(2, n), z


def spread_by_z(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
    z = rng.standard_normal(n)
    spread = 0.2 + np.abs(z)
    return z + spread * rng.standard_normal(n), z + spread * rng.standard_normal(n), z


def counts(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
    z = rng.poisson(2, n)
    x, y = (rng.poisson(np.exp(0.7 * z - 1)).astype(np.float64) for _ in range(2))
    return x, y, z.astype(np.float64)


def two_covariates(f: Callable[[Array, Array], Array], noise: float = 1.0) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
        first, second = rng.standard_normal((2, n))
        common = f(first, second)
        x, y = (common + noise * rng.standard_normal(n) for _ in range(2))
        return x, y, [first, second]

    return draw


NUMBERS = [
    Row("z", curve(lambda z: z)),
    Row("3z", curve(lambda z: 3 * z)),
    Row("z²", curve(np.square)),
    Row("exp z", curve(np.exp)),
    Row("2·1{z > 0}", curve(lambda z: 2.0 * (z > 0))),
    Row("2 sin 2πz, z uniform", curve(lambda z: 2 * np.sin(2 * np.pi * z), uniform)),
    Row("2 sin 6πz, z uniform", curve(lambda z: 2 * np.sin(6 * np.pi * z), uniform)),
    Row("z, heavy-tailed (t₂)", curve(lambda z: z, lambda rng, n: rng.standard_t(2, n))),
    Row("z, errors heavy-tailed (t₂)", heavy_errors),
    Row("z, both spreads 0.2 + abs z", spread_by_z, HARD),
    Row("zigzag of five values", curve(lambda z: 2.0 * (z % 2), lambda rng, n: rng.integers(0, 5, n) * 1.0)),
    Row("1.5 sin 2z₁ + z₂²", two_covariates(lambda a, b: 1.5 * np.sin(2 * a) + b**2), HARD),
    Row("z₁z₂", two_covariates(lambda a, b: a * b), HARD),
]
STEEP = [
    Row("log² z, z log-normal", curve(lambda z: np.log(z) ** 2, log_normal, FAINT), HARD),
    Row("abs z", curve(np.abs, noise=FAINT)),
    Row("sin 3z", curve(lambda z: np.sin(3 * z), noise=FAINT), HARD),
    Row("exp z", curve(np.exp, noise=FAINT), HARD),
    Row(
        "sin z, z heavy-tailed (t₂)", curve(np.sin, lambda rng, n: rng.standard_t(2, n), FAINT), least_n=NEVER
    ),
    Row("2·1{z > 0.4}", curve(lambda z: 2.0 * (z > 0.4), noise=FAINT), least_n=NEVER),
    Row("2 sin 6z", curve(lambda z: 2 * np.sin(6 * z), noise=FAINT), least_n=NEVER),
    Row("z₁² + sin 2z₂", two_covariates(lambda a, b: a**2 + np.sin(2 * b), FAINT), least_n=NEVER),
    Row("z₁z₂", two_covariates(lambda a, b: a * b, FAINT), least_n=NEVER),
    Row("counts: exp(0.7z − 1) expected, z Poisson", counts, HARD),
]


def strata(sizes: Sequence[int], spreads: Sequence[float], *, heavy: bool = False) -> Draw:
    """Draw numeric x and y whose means and spreads depend on the stratum."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
        codes = np.repeat(np.arange(len(sizes)), sizes)
        spread = np.resize(np.asarray(spreads, dtype=float), len(sizes))[codes]
        shifts = 2 * rng.standard_normal((2, len(sizes)))[:, codes]
        noise = rng.standard_t(2, (2, len(codes))) if heavy else rng.standard_normal((2, len(codes)))
        x, y = shifts + spread * noise
        return x, y + shifts[0], codes.astype(str)

    return draw


def label_strata(sizes: Sequence[int], n_x: int, n_y: int) -> Draw:
    """Draw labels x and y whose shares depend on the stratum."""

    def draw(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
        parts = []
        for stratum, size in enumerate(sizes):
            lean = rng.random()
            sides = []
            for count in (n_x, n_y):
                shares = np.full(count, (1 - 0.8 * lean) / count)
                shares[0] += 0.8 * lean
                sides.append(rng.choice(count, size=size, p=shares))
            parts.append((*sides, np.full(size, stratum)))
        x, y, z = (np.concatenate(column).astype(str) for column in zip(*parts, strict=True))
        return x, y, z

    return draw


NINE_TO_ONE = tuple(np.linspace(9, 1, 8))
STRATA = [
    Row("4 × 20, normal", strata((20,) * 4, (1,))),
    Row("4 × 20, spreads 1, 1, 3, 9", strata((20,) * 4, (1, 1, 3, 9))),
    Row("4 × 20, heavy-tailed (t₂)", strata((20,) * 4, (1,), heavy=True)),
    Row("30 pairs", strata((2,) * 30, (1,))),
    Row("10 triples", strata((3,) * 10, (1,))),
    Row("2, 2, 3, 4, 6, 9, 14, 20 rows, spreads 9 … 1", strata((2, 2, 3, 4, 6, 9, 14, 20), NINE_TO_ONE)),
    Row("4, 8, 16, 32, 40 rows, spreads 8, 4, 2, 1, 1", strata((4, 8, 16, 32, 40), (8, 4, 2, 1, 1))),
]
LABELS = [
    Row("6 × 30 rows, 3 × 2 categories", label_strata((30,) * 6, 3, 2)),
    Row("20 × 8 rows, 2 × 2 categories", label_strata((8,) * 20, 2, 2)),
    Row("6 to 60 rows, 3 × 3 categories", label_strata((6, 12, 24, 36, 48, 60), 3, 3)),
]


def levels(row: Row, n: int, runs: int, how: Callable[[Any], dict[str, Any]]) -> tuple[float, float, float]:
    """Compute the shares of p ≤ 0.05 and p ≤ 0.01, and the mean adjusted value, over many data sets."""
    rng = np.random.default_rng([n, *row.name.encode()])
    p_values, adjusted = np.empty(runs), np.empty(runs)
    for k in range(runs):
        x, y, z = row.draw(rng, n)
        found = bc.adjust("explained", x, y, **how(z))
        p_values[k], adjusted[k] = found.p_value, found.adjusted
    return float(np.mean(p_values <= 0.05)), float(np.mean(p_values <= 0.01)), float(np.mean(adjusted))


def beyond(**settings: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda z: {"given": bc.Given(z, **settings), "null": "moments"}


def textbook(z: Any) -> dict[str, Any]:
    """Compute the F-test of ordinary least squares."""
    return {"given": bc.Given(z, control="linear"), "null": "normal"}


def ignoring(z: Any) -> dict[str, Any]:
    return {"null": "moments"}


def is_within(found: tuple[float, float, float], limits: tuple[float, float], runs: int) -> bool:
    """Return True if neither share is above its limit by more than two standard errors."""
    return all(
        share <= limit + 2 * np.sqrt(limit * (1 - limit) / runs)
        for share, limit in zip(found, limits, strict=False)
    )


NAMES = ("given", "data", "way", *(f"at_{alpha:g}" for alpha in (0.05, 0.01)))


class Table:
    """Levels of one kind of covariates, a row per data and way, and the data above their limits."""

    def __init__(self, given: str, *ways: str) -> None:
        self.given, self.ways = given, ways
        self.rows: list[list[str]] = []
        self.too_high: list[str] = []
        self.means: list[float] = []  # of adjusted values, if limits hold

    def add(self, data: str, *cells: tuple[tuple[float, float, float], bool]) -> None:
        for way, (found, _) in zip(self.ways, cells, strict=True):
            self.rows.append([self.given, data, way, f"{found[0]:.3f}", f"{found[1]:.3f}"])
            print(*self.rows[-1], sep=", ", file=sys.stderr, flush=True)
        self.too_high += [] if all(holds for _, holds in cells) else [data]


def numbers_table(given: str, rows: Sequence[Row], runs: int, jobs: int) -> Table:
    table = Table(given, "a line, n = 200", *(f"default, n = {n:,}" for n in SIZES))
    tasks = [(k, runs) for k in map([*NUMBERS, *STEEP].index, rows)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:  # rows cannot be pickled
        for row, (line, *found) in zip(rows, pool.map(_numbers_row, tasks), strict=True):
            cells = [(line, True)]
            for n, each in zip(SIZES, found, strict=True):
                cells.append((each, n < row.least_n or is_within(each, row.limits, _size(n, runs))))
                table.means += [each[2]] if n >= 200 else []
            table.add(row.name, *cells)
    return table


def _numbers_row(task: tuple[int, int]) -> list[tuple[float, float, float]]:
    row, runs = [*NUMBERS, *STEEP][task[0]], task[1]
    line = levels(row, 200, runs // 2, beyond(control="linear"))
    return [line, *(levels(row, n, _size(n, runs), beyond()) for n in SIZES)]


def _size(n: int, runs: int) -> int:
    return max(runs // 2 if n > 200 else runs, 1)


def strata_table(runs: int) -> Table:
    table = Table("categories, numeric x and y", "beyond strata", "F-test of least squares")
    for row in STRATA:
        found = levels(row, 0, 2 * runs, beyond())
        table.add(row.name, (found, is_within(found, EASY, 2 * runs)), (levels(row, 0, runs, textbook), True))
    return table


def labels_table(runs: int) -> Table:
    table = Table("categories, categories x and y", "one common effect", "separate effects", "strata ignored")
    size = max(runs // 2, 1)
    for row in LABELS:
        cells = [levels(row, 0, size, beyond(effect=effect)) for effect in ("common", "separate")]
        table.add(
            row.name, *((c, is_within(c, EASY, size)) for c in cells), (levels(row, 0, size, ignoring), True)
        )
    return table


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2_000, help="data sets per cell at n = 200")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--out", type=Path, default=None, help="where to write the CSV file")
    options = parser.parse_args()
    started = time.perf_counter()
    numbers = numbers_table("numbers", NUMBERS, options.runs, options.jobs)
    steep = numbers_table("numbers, followed steeply", STEEP, options.runs, options.jobs)
    tables = [numbers, steep, strata_table(options.runs), labels_table(options.runs)]
    for table in (numbers, steep):
        low, high = min(table.means), max(table.means)
        print(f"{table.given}: mean adjusted from {low:.4f} to {high:.4f} at n >= 200", file=sys.stderr)
    if options.out:
        write_rows(options.out, NAMES, (row for table in tables for row in table.rows))
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    too_high = [data for table in tables for data in table.too_high]
    if too_high:
        print(f"above their limits: {', '.join(too_high)}", file=sys.stderr)
    return 1 if too_high else 0


if __name__ == "__main__":
    sys.exit(main())
