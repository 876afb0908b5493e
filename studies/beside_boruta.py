"""ForestSelector beside Boruta in five simulations: what they keep wrongly, what they find, and their time.

    python -m studies.beside_boruta --repetitions 20 --jobs 8 --record beside_boruta.jsonl

Each simulation draws tables with known relevant columns. False discoveries are the mean share
of columns without relation among those kept (0 if none is), power the mean share of relevant columns that
are kept. Boruta has scikit-learn's forest of depth 5, as its authors advise, and categories by number. It is
left out if it is not installed (`pip install Boruta`). Time is that of the processor, on one thread. Each
result is appended to the record, and recorded results are not measured again. Errors are standard errors over
tables, times medians. Differences are paired, over the tables that both have seen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import bychance as bc

try:
    from boruta import BorutaPy
except ImportError:
    BorutaPy = None

ROWS = 300


@dataclass(frozen=True)
class Simulated:
    """A table, its target, and which columns matter."""

    X: pd.DataFrame
    y: NDArray[Any]
    is_relevant: NDArray[np.bool_]


@dataclass(frozen=True)
class Result:
    """Result of one selector on one table, identified by its sum of numbers."""

    selector: str
    simulation: str
    seed: int
    table: float
    n_kept: int
    false_share: float
    power: float
    seconds: float


def independent(rng: np.random.Generator) -> Simulated:
    """Draw 40 normal columns, six of which shift the log odds by 0.7 each."""
    X = rng.normal(size=(ROWS, 40))
    return _simulated(X, _classes(rng, 0.7 * X[:, :6].sum(axis=1)), 6)


def correlated(rng: np.random.Generator) -> Simulated:
    """Draw ten blocks of five columns that correlate by .6, with one relevant column in the first two.

    The other columns of those blocks are related to the target too, and count as relevant.
    """
    shared = np.repeat(rng.normal(size=(ROWS, 10)), 5, axis=1)
    X = np.sqrt(0.6) * shared + np.sqrt(0.4) * rng.normal(size=(ROWS, 50))
    return _simulated(X, 1.2 * X[:, 0] + 1.2 * X[:, 5] + rng.normal(size=ROWS), 10)


def many_level(rng: np.random.Generator) -> Simulated:
    """Draw 30 categorical columns of 2 to 30 labels, with normal effects of every label in five of them."""
    levels = np.linspace(2, 30, 30).round().astype(int)
    levels = np.concatenate([levels[2::6], np.delete(levels, np.s_[2::6])])
    codes = np.column_stack([rng.integers(0, n, ROWS) for n in levels])
    z = sum(rng.normal(size=levels[k])[codes[:, k]] for k in range(5))
    return _simulated(codes, z + rng.normal(size=ROWS), 5, is_categorical=np.ones(30, dtype=bool))


def mixed(rng: np.random.Generator) -> Simulated:
    """Draw 20 normal columns and 20 of 2 to 20 labels, with three relevant ones of each kind."""
    levels = np.repeat([2, 4, 8, 20], 5)
    codes = np.column_stack([rng.integers(0, n, ROWS) for n in levels])
    numbers = rng.normal(size=(ROWS, 20))
    z = 0.9 * numbers[:, :3].sum(axis=1)
    for k in (0, 5, 10):
        z = z + _spread_effects(rng, levels[k])[codes[:, k]]
    order = [*range(3), 20, 25, 30]
    order += [k for k in range(40) if k not in order]
    X, is_categorical = np.hstack([numbers, codes]), np.arange(40) >= 20
    return _simulated(X[:, order], _classes(rng, z), 6, is_categorical[order])


def nonlinear(rng: np.random.Generator) -> Simulated:
    """Draw Friedman's first function of five of 30 uniform columns, two of them by their product."""
    X = rng.random((ROWS, 30))
    z = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return _simulated(X, z + 3 * rng.normal(size=ROWS), 5)


SIMULATIONS: dict[str, Callable[[np.random.Generator], Simulated]] = {
    "independent": independent,
    "correlated": correlated,
    "many-level": many_level,
    "mixed": mixed,
    "nonlinear": nonlinear,
}


def select_ours(simulated: Simulated, seed: int) -> NDArray[np.bool_]:
    """Return the columns that ForestSelector keeps at a rate of .05."""
    return np.asarray(bc.ForestSelector(random_state=seed).fit(simulated.X, simulated.y).support_)


def select_boruta(simulated: Simulated, seed: int) -> NDArray[np.bool_]:
    """Return the columns that Boruta confirms."""
    kind = RandomForestClassifier if simulated.y.dtype == bool else RandomForestRegressor
    # Breiman advises 1/3 for numbers. scikit-learn's default would try all columns.
    columns = {} if simulated.y.dtype == bool else {"max_features": 1 / 3}
    boruta = BorutaPy(kind(max_depth=5, n_jobs=1, **columns), n_estimators="auto", random_state=seed)
    return np.asarray(boruta.fit(_numbered(simulated.X), simulated.y).support_)


SELECTORS: dict[str, Callable[[Simulated, int], NDArray[np.bool_]]] = {
    "ForestSelector": select_ours,
    "Boruta": select_boruta,
}


def result_of(selector: str, simulation: str, seed: int) -> Result:
    rng = np.random.default_rng([seed, list(SIMULATIONS).index(simulation)])
    simulated = SIMULATIONS[simulation](rng)
    start = time.process_time()
    kept = SELECTORS[selector](simulated, seed)
    seconds = time.process_time() - start
    is_relevant = simulated.is_relevant
    return Result(
        selector=selector,
        simulation=simulation,
        seed=seed,
        table=float(_numbered(simulated.X).sum() + simulated.y.sum()),
        n_kept=int(kept.sum()),
        false_share=float(np.sum(kept & ~is_relevant) / max(1, kept.sum())),
        power=float(kept[is_relevant].mean()),
        seconds=seconds,
    )


def measured(tasks: Iterable[tuple[str, str, int]], record: Path, jobs: int) -> Iterator[Result]:
    """Return the results of the tasks, and add new ones to the record as they come."""
    known = {(r.selector, r.simulation, r.seed): r for r in recorded(record)}
    tasks = list(tasks)
    yield from (known[task] for task in tasks if task in known)
    new = Parallel(jobs, return_as="generator_unordered", batch_size=1)(
        delayed(result_of)(*task) for task in tasks if task not in known
    )
    with record.open("a") as lines:
        for result in new:
            print(json.dumps(asdict(result)), file=lines, flush=True)
            yield result


def recorded(record: Path) -> list[Result]:
    lines = record.read_text().splitlines() if record.exists() else []
    return [Result(**json.loads(line)) for line in lines]


def _simulated(X: Any, y: Any, n_relevant: int, is_categorical: Any = None) -> Simulated:
    """Make a table whose relevant columns come first."""
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    if is_categorical is not None:
        for name in frame.columns[is_categorical]:
            frame[name] = frame[name].astype(int).astype("category")
    return Simulated(frame, y, np.arange(X.shape[1]) < n_relevant)


def _classes(rng: np.random.Generator, log_odds: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(rng.random(len(log_odds)) < 1 / (1 + np.exp(-log_odds)))


def _spread_effects(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    """Draw one effect per label, in random order, of variance 1 over labels."""
    effects = rng.permutation(np.arange(n) - (n - 1) / 2)
    return np.asarray(effects / effects.std())


def _numbered(X: pd.DataFrame) -> NDArray[np.float64]:
    return np.column_stack([X[name].astype(float) for name in X])


def _with_error(values: Any) -> str:
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return f"{f'{np.mean(values):.3f} ± {error:.3f}':>16}"


def print_summary(results: Iterable[Result]) -> None:
    """Print a line per simulation and selector, and one per simulation that has both."""
    by_key = {(r.simulation, r.selector, r.seed): r for r in results}
    print(f"{'':12} {'':14}{'tables':>8}{'false':>16}{'power':>16}{'s':>8}")
    for simulation in SIMULATIONS:
        of = {name: {k[2]: r for k, r in by_key.items() if k[:2] == (simulation, name)} for name in SELECTORS}
        for name, some in of.items():
            if some:
                false, power = [r.false_share for r in some.values()], [r.power for r in some.values()]
                seconds = np.median([r.seconds for r in some.values()])
                figures = f"{len(some):8}{_with_error(false)}{_with_error(power)}{seconds:8.2f}"
                print(f"{simulation:12} {name:14}{figures}")
        ours, theirs = of.values()
        if both := sorted(ours.keys() & theirs.keys()):
            assert all(np.isclose(ours[seed].table, theirs[seed].table) for seed in both)
            gain = [ours[seed].power - theirs[seed].power for seed in both]
            false = [ours[seed].false_share - theirs[seed].false_share for seed in both]
            faster = np.median([theirs[k].seconds / ours[k].seconds for k in both])
            figures = f"{len(both):8}{_with_error(false)}{_with_error(gain)}{faster:7.0f}×"
            print(f"{simulation:12} {'difference':14}{figures}")


def main() -> None:
    """Measure what is not in the record yet, and print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m studies.beside_boruta", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--only", nargs="*", choices=SIMULATIONS, default=list(SIMULATIONS))
    parser.add_argument("--selectors", nargs="*", choices=SELECTORS, default=list(SELECTORS))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--record", type=Path, default=Path("beside_boruta.jsonl"))
    arguments = parser.parse_args()
    selectors = [name for name in arguments.selectors if name != "Boruta" or BorutaPy is not None]
    seeds = range(arguments.seed, arguments.seed + arguments.repetitions)
    tasks = ((name, simulation, seed) for seed, simulation, name in product(seeds, arguments.only, selectors))
    n_new = sum(1 for _ in measured(tasks, arguments.record, arguments.jobs))
    print(f"{n_new} results in {arguments.record}")
    print_summary(r for r in recorded(arguments.record) if r.seed in seeds)


if __name__ == "__main__":
    main()
