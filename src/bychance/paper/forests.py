"""AUCs of the paper's forests on its sets, in pieces of a few repetitions: what the forest items share.

A forest goes by a short name: "gini", "sgini", the level of AGini as a number, "0.05", or "oob" for a level
that is chosen out of bag on the training rows. Repetition k has the same two folds, and the same cells
removed, for every forest.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc
from bychance.datasets import PUBLIC_SETS, columns_and_classes, without_cells
from bychance.forest.evaluate import AucTable, compare_auc
from bychance.paper.data import Data
from bychance.paper.known_auc import KNOWN
from bychance.paper.run import Run
from bychance.paper.sets import Sets, find_sets, load_set

__all__ = ["LEVELS", "auc_tables", "percent", "sets_at_hand", "trees_of"]

LEVELS = ("0.005", "0.01", "0.05", "0.1", "0.3", "0.5", "0.7", "1.0")
_BLOCK = 5
_SMALL = 1000


def trees_of(run: Run) -> int:
    """Trees of a forest: the paper's 1,000, or few in a quick run."""
    return run.size(1000, 50)


def sets_at_hand(run: Run) -> Sets:
    """The sets that can be had, those that take long first; only small ones in a quick run."""
    names = sorted(KNOWN, key=lambda name: not KNOWN[name].is_slow)
    if run.quick:
        names = [name for name in names if PUBLIC_SETS[name].n_rows < _SMALL and not KNOWN[name].is_slow]
    return find_sets(names, run.data)


def auc_tables(
    run: Run,
    forests: Sequence[str],
    sets: Sequence[str],
    *,
    repeats: int,
    slow_repeats: int | None = None,
    missing: float = 0.0,
    purpose: str = "forest",
) -> dict[str, AucTable]:
    """The AUCs of these forests on each set; those of another purpose come from other folds."""
    settings: list[dict[str, Any]] = [
        {
            "set_name": name,
            "forest": forest,
            "first": first,
            "repeats": count,
            "trees": trees_of(run),
            "missing": missing,
        }
        for name in sets
        for first, count in _blocks((slow_repeats or repeats) if KNOWN[name].is_slow else repeats)
        for forest in forests
    ]
    function = partial(auc_block, purpose=purpose, data=run.data)
    made = run.pieces(purpose, function, settings)
    found: dict[str, dict[str, list[NDArray[np.float64]]]] = {name: {f: [] for f in forests} for name in sets}
    for each, arrays in zip(settings, made, strict=True):
        found[each["set_name"]][each["forest"]].append(arrays["auc"])
    return {
        name: AucTable(
            tuple(forests), np.column_stack([np.concatenate(blocks) for blocks in by_forest.values()])
        )
        for name, by_forest in found.items()
    }


def auc_block(
    *,
    seed: int,
    set_name: str,
    forest: str,
    first: int,
    repeats: int,
    trees: int,
    missing: float,
    purpose: str,
    data: Data,
) -> dict[str, Any]:
    """The AUC of one forest on one set in each of these repetitions."""
    table = load_set(set_name, data)
    aucs = []
    for repeat in range(first, first + repeats):
        own = _seed_of(seed, purpose, repeat)
        X, y = columns_and_classes(without_cells(table, missing, seed=own))
        make = {forest: partial(_make_forest, forest, trees, own)}
        aucs.append(compare_auc(make, X, y, n_repeats=1, seed=own).values[0, 0])
    return {"auc": aucs}


def percent(table: AucTable, forest: str) -> tuple[float, float]:
    """The mean AUC of a forest and its standard error, in percent."""
    k = table.names.index(forest)
    return 100 * float(table.mean[k]), 100 * float(table.standard_error[k])


def _make_forest(forest: str, trees: int, seed: int, repeat: int) -> Any:
    settings: dict[str, Any] = {"n_estimators": trees, "random_state": seed}
    if forest in ("gini", "sgini"):
        return bc.RandomForestClassifier.from_paper(forest, **settings)
    return bc.RandomForestClassifier.from_paper(alpha="oob" if forest == "oob" else float(forest), **settings)


def _blocks(repeats: int) -> list[tuple[int, int]]:
    return [(first, min(_BLOCK, repeats - first)) for first in range(0, repeats, _BLOCK)]


def _seed_of(seed: int, purpose: str, repeat: int) -> int:
    words = np.random.SeedSequence([seed, repeat, *purpose.encode()]).generate_state(1)
    return int(words[0])
