"""How often each of nine columns of noise is split first by `fair`, which should be a ninth of the time.

    python -m tools.root_shares --repetitions 4000

Every line is one case: how many rows, what is predicted, and the share of values that are missing. Each
repetition draws the table and the response anew and grows the root of one tree of the default forest, with
all columns to choose from. A share has a standard error of .005 over 4,000 repetitions.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.forest.features import FeatureTable
from bychance.forest.inputs import Feature
from bychance.forest.parameters import grow_settings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind

LABELS = (2, 3, 5, 20, 100)
NAMES = ("number", "10 values", "5 values", *(f"{r} labels" for r in LABELS), "3% binary")
FAIR = 1 / len(NAMES)

GIVEN: dict[str, Any] = {
    "criterion": "fair",
    "alpha": 0.05,
    "categorical_split": "auto",
    "missing": "best",
    "max_features": None,
    "max_samples": 0.632,
    "max_depth": 1,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_adjusted_gain": None,
}

Draw = Callable[[np.random.Generator, int], NDArray[Any]]

TARGETS: dict[str, tuple[int, Draw]] = {
    "balanced": (2, lambda rng, n: rng.permutation(np.arange(n, dtype=np.int32) % 2)),
    "5% class": (2, lambda rng, n: rng.permutation((np.arange(n) < 0.05 * n).astype(np.int32))),
    "five classes": (5, lambda rng, n: rng.integers(0, 5, n).astype(np.int32)),
    "numbers": (0, lambda rng, n: rng.standard_normal(n)),
}


def noise(rng: np.random.Generator, n: int, missing: float) -> list[Column]:
    """The nine columns."""
    numbers = [rng.standard_normal(n), rng.integers(0, 10, n) * 1.0, rng.integers(0, 5, n) * 1.0]
    labels = [(rng.integers(0, r, n), r) for r in LABELS] + [(rng.random(n) < 0.03, 2)]
    columns = []
    for k, name in enumerate(NAMES):
        is_missing = rng.random(n) < missing if missing else None
        if k < len(numbers):
            columns.append(Column(name, Kind.NUMERIC, numbers[k], is_missing))
        else:
            codes, r = labels[k - len(numbers)]
            columns.append(
                Column(name, Kind.CATEGORICAL, codes.astype(np.int32), is_missing, tuple(range(r)))
            )
    return columns


def shares(
    n: int, target: str, missing: float, repetitions: int, seed: int, **options: Any
) -> NDArray[np.float64]:
    """How often each column is the first to be split, among all repetitions that split one."""
    n_classes, draw = TARGETS[target]
    rng = np.random.default_rng([seed, n, list(TARGETS).index(target), round(100 * missing)])
    criteria = ("fair", "variance") if n_classes == 0 else ("fair", "gini")
    counts = np.zeros(len(NAMES))
    for number in range(repetitions):
        columns = noise(rng, n, missing)
        settings = grow_settings(GIVEN | options, criteria, tuple(map(Feature.of, columns)), n)
        training = Training(FeatureTable.of(columns), draw(rng, n), n_classes)
        root = grow_tree(training, settings.of_tree(number), (seed, number)).node(0)
        if root.feature is not None:
            counts[root.feature] += 1
    return np.asarray(counts / counts.sum())


def cases() -> Iterator[tuple[int, str, float]]:
    """All of them, the small tables first."""
    yield from product((60, 300, 2000), TARGETS, (0.0, 0.3))


def main() -> None:
    """Print the shares of every case; those that are off are marked."""
    parser = argparse.ArgumentParser(prog="python -m tools.root_shares", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, nargs="*", help="only these numbers of rows")
    arguments = parser.parse_args()
    print(f"{'':30}" + "".join(f"{name:>11}" for name in NAMES))
    for n, target, missing in cases():
        if arguments.rows and n not in arguments.rows:
            continue
        found = shares(n, target, missing, arguments.repetitions, arguments.seed)
        marked = [f"{share:.3f}{'*' if not 0.1 <= share <= 0.125 else ' '}" for share in found]
        case = f"{n} rows, {target}" + (", 30% missing" if missing else "")
        print(f"{case:30}" + "".join(f"{text:>11}" for text in marked), flush=True)


if __name__ == "__main__":
    main()
