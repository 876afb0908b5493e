"""Shares of root splits by `fair` among nine columns of noise, each of which should have a ninth.

    python -m studies.root_shares --repetitions 4000
    python -m studies.root_shares --unusual

Every line is one case: how many rows, what is predicted, and the share of values that are missing. Each
repetition draws the table and the response anew and grows the root of one tree of the default forest, with
all columns to choose from. A share has a standard error of .005 over 4,000 repetitions.

Beside the usual columns and targets there are unusual ones: targets with heavy tails, two modes, ties or
unequal classes, columns of values of unequal size, and rows that are drawn with replacement.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column
from bychance.forest.features import FeatureTable
from bychance.forest.parameters import grow_settings
from bychance.forest.tree import Training, grow_tree
from bychance.kinds import Kind

Values = tuple[str, NDArray[Any], int]  # a column's name, its numbers or codes, and how many labels it has

LABELS = (2, 3, 5, 20, 100)
NAMES = ("number", "10 values", "5 values", *(f"{r} labels" for r in LABELS), "3% binary")
FAIR = 1 / len(NAMES)

GIVEN: dict[str, Any] = {
    "criterion": "fair",
    "categorical_split": "ordered",
    "missing": "best",
    "max_features": None,
    "max_samples": 0.632,
    "max_depth": 1,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
}

Draw = Callable[[np.random.Generator, int], NDArray[Any]]

TARGETS: dict[str, tuple[int, Draw]] = {
    "balanced": (2, lambda rng, n: rng.permutation(np.arange(n, dtype=np.int32) % 2)),
    "5% class": (2, lambda rng, n: rng.permutation((np.arange(n) < 0.05 * n).astype(np.int32))),
    "five classes": (5, lambda rng, n: rng.integers(0, 5, n).astype(np.int32)),
    "numbers": (0, lambda rng, n: rng.standard_normal(n)),
}


UNUSUAL_TARGETS: dict[str, tuple[int, Draw]] = {
    "Student's t(2)": (0, lambda rng, n: rng.standard_t(2, n)),
    "lognormal(2)": (0, lambda rng, n: np.exp(2 * rng.standard_normal(n))),
    "two modes": (0, lambda rng, n: rng.standard_normal(n) + 6 * (rng.random(n) < 0.3)),
    "counts, 70% zero": (0, lambda rng, n: np.where(rng.random(n) < 0.7, 0, rng.poisson(3, n)) * 1.0),
    "rounded": (0, lambda rng, n: np.round(rng.standard_normal(n))),
    "six unequal classes": (6, lambda rng, n: rng.choice(6, n, p=_falling(6)).astype(np.int32)),
    "20% class": (2, lambda rng, n: (rng.random(n) < 0.2).astype(np.int32)),
}


def _falling(r: int) -> NDArray[np.float64]:
    """Return Zipf's shares."""
    shares = 1 / np.arange(1, r + 1)
    return np.asarray(shares / shares.sum())


def usual_columns(rng: np.random.Generator, n: int) -> list[Values]:
    numbers = [rng.standard_normal(n), rng.integers(0, 10, n) * 1.0, rng.integers(0, 5, n) * 1.0]
    labels = [(rng.integers(0, r, n), r) for r in LABELS] + [(rng.random(n) < 0.03, 2)]
    values = [(x, 0) for x in numbers] + labels
    return [(name, x, r) for name, (x, r) in zip(NAMES, values, strict=True)]


def unusual_columns(rng: np.random.Generator, n: int) -> list[Values]:
    """Draw nine others. A label out of twice as many as rows is nearly an identifier."""
    return [
        ("number", rng.standard_normal(n), 0),
        ("rounded", np.round(2 * np.exp(rng.standard_normal(n))), 0),
        ("70% zero", np.where(rng.random(n) < 0.7, 0, rng.random(n)), 0),
        ("Likert", rng.choice(5, n, p=[0.05, 0.1, 0.2, 0.4, 0.25]) * 1.0, 0),
        ("5 unequal", rng.choice(5, n, p=[0.04, 0.6, 0.2, 0.1, 0.06]) * 1.0, 0),
        *((f"Zipf {r}", rng.choice(r, n, p=_falling(r)), r) for r in (8, 30, 100)),
        ("identifier", rng.integers(0, 2 * n, n), 2 * n),
    ]


def noise(
    rng: np.random.Generator,
    n: int,
    missing: float,
    make: Callable[[np.random.Generator, int], list[Values]] = usual_columns,
) -> list[Column]:
    """Draw the columns, without this share of their values."""
    columns = []
    for name, values, r in make(rng, n):
        is_missing = rng.random(n) < missing if missing else None
        if r == 0:
            columns.append(Column(name, Kind.NUMERIC, values, is_missing))
        else:
            codes = values.astype(np.int32)
            columns.append(Column(name, Kind.CATEGORICAL, codes, is_missing, tuple(range(r))))
    return columns


def shares(
    n: int,
    target: str,
    missing: float,
    repetitions: int,
    seed: int,
    *,
    unusual: bool = False,
    **options: Any,
) -> NDArray[np.float64]:
    """Count how often each column is the first to be split, among repetitions that split one."""
    targets, make = (UNUSUAL_TARGETS, unusual_columns) if unusual else (TARGETS, usual_columns)
    n_classes, draw = targets[target]
    rng = np.random.default_rng([seed, n, list(targets).index(target), round(100 * missing)])
    criteria = ("fair", "variance") if n_classes == 0 else ("fair", "gini")
    counts = np.zeros(len(NAMES))
    for number in range(repetitions):
        columns = noise(rng, n, missing, make)
        table = FeatureTable.read([partial(copy, column) for column in columns], n)
        settings = grow_settings(GIVEN | options, criteria, table.columns, n)
        training = Training(table, draw(rng, n), n_classes)
        root = grow_tree(training, settings, (seed, number)).node(0)
        if root.feature is not None:
            counts[root.feature] += 1
    return np.asarray(counts / counts.sum())


def cases(*, unusual: bool = False) -> Iterator[tuple[int, str, float, dict[str, Any]]]:
    if unusual:
        with_replacement = {"bootstrap": True, "max_samples": 1.0}
        for options, n, target in product(({}, with_replacement), (60, 300, 2000), UNUSUAL_TARGETS):
            yield n, target, 0.0, options
    else:
        for n, target, missing in product((60, 300, 2000), TARGETS, (0.0, 0.3)):
            yield n, target, missing, {}


def main() -> None:
    """Print the shares of every case, and mark those that are off."""
    parser = argparse.ArgumentParser(prog="python -m studies.root_shares", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rows", type=int, nargs="*", help="only these numbers of rows")
    parser.add_argument("--unusual", action="store_true", help="the unusual columns and targets")
    arguments = parser.parse_args()
    make = unusual_columns if arguments.unusual else usual_columns
    names = [name for name, _, _ in make(np.random.default_rng(0), 60)]
    print(f"{'':38}" + "".join(f"{name:>11}" for name in names))
    for n, target, missing, options in cases(unusual=arguments.unusual):
        if arguments.rows and n not in arguments.rows:
            continue
        found = shares(
            n, target, missing, arguments.repetitions, arguments.seed, unusual=arguments.unusual, **options
        )
        marked = [f"{share:.3f}{'*' if not 0.1 <= share <= 0.125 else ' '}" for share in found]
        case = f"{n} rows, {target}" + (", 30% missing" if missing else "")
        case += ", with replacement" if options else ""
        print(f"{case:38}" + "".join(f"{text:>11}" for text in marked), flush=True)


if __name__ == "__main__":
    main()
