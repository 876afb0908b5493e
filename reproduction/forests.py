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
from bychance.forest.curve import ScoreTable, compare_auc
from reproduction.data import Data
from reproduction.known_auc import KNOWN
from reproduction.public_sets import PUBLIC_SETS, columns_and_classes, without_cells
from reproduction.run import Run
from reproduction.sets import Sets, find_sets, load_set

__all__ = ["LEVELS", "auc_block", "auc_tables", "sets_at_hand", "size_of", "tuned_levels"]

LEVELS = ("0.005", "0.01", "0.05", "0.1", "0.3", "0.5", "0.7", "1.0")
_BLOCK = 5
_SMALL = 960


def sets_at_hand(run: Run) -> Sets:
    """List the available sets, those that take long first, and only small ones in a quick run."""
    names = sorted(KNOWN, key=lambda name: not KNOWN[name].is_slow)
    if run.quick:
        names = [name for name in names if PUBLIC_SETS[name].n_rows < _SMALL and not KNOWN[name].is_slow]
    return find_sets(names, run.data)


def auc_tables(
    run: Run,
    forests: Sequence[str],
    sets: Sequence[str],
    *,
    repeats: int | None = None,
    missing: float = 0.0,
    purpose: str = "forest",
) -> dict[str, ScoreTable]:
    """Compute the AUCs of these forests on each set, by default in as many repetitions as the paper has.

    Those of another purpose come from other folds. `missing` is the share of cells removed beforehand.
    """
    settings: list[dict[str, Any]] = [
        {
            "set_name": name,
            "forest": forest,
            "first": first,
            "repeats": count,
            "trees": _trees(run),
            "missing": missing,
        }
        for name in sets
        for first, count in _blocks(repeats or _repeats(run, name))
        for forest in dict.fromkeys(forests)
    ]
    made = run.pieces(purpose, partial(auc_block, purpose=purpose, data=run.data), settings)
    found: dict[tuple[str, str], list[NDArray[Any]]] = {(name, f): [] for name in sets for f in forests}
    for each, arrays in zip(settings, made, strict=True):
        found[each["set_name"], each["forest"]].append(arrays["auc"])
    return {
        name: ScoreTable(tuple(forests), np.column_stack([np.concatenate(found[name, f]) for f in forests]))
        for name in sets
    }


def tuned_levels(run: Run, sets: Sequence[str]) -> dict[str, str]:
    """Choose the level of each set with the largest AUC in three repetitions on all rows, as the paper did.

    The rows that a level is chosen on are those that its forest is scored on: the score is a little too good.
    """
    tables = auc_tables(run, LEVELS, sets, repeats=run.size(3, 1), purpose="tuning")
    return {name: LEVELS[int(np.argmax(table.mean))] for name, table in tables.items()}


def size_of(run: Run, sets: Sequence[str], repeats: int | None = None) -> str:
    """Return the size of a run in words."""
    counts = sorted({repeats or _repeats(run, name) for name in sets}, reverse=True)
    n_sets = f"{len(sets)} sets, " if len(sets) > 1 else ""
    return f"{n_sets}{_trees(run):,} trees, {' or '.join(map(str, counts))} repetitions"


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
    """Compute the AUC of one forest on one set in each of these repetitions."""
    table = load_set(set_name, data)
    aucs = []
    for repeat in range(first, first + repeats):
        own = _seed_of(seed, purpose, repeat)
        X, y = columns_and_classes(without_cells(table, missing, seed=own))
        make = {forest: partial(_make_forest, forest, trees, own)}
        aucs.append(compare_auc(make, X, y, n_repeats=1, seed=own).values[0, 0])
    return {"auc": aucs}


def _make_forest(forest: str, trees: int, seed: int, repeat: int) -> Any:
    settings: dict[str, Any] = {"n_estimators": trees, "random_state": seed}
    if forest in ("gini", "sgini"):
        return bc.RandomForestClassifier.from_paper(forest, **settings)
    return bc.RandomForestClassifier.from_paper(alpha="oob" if forest == "oob" else float(forest), **settings)


def _trees(run: Run) -> int:
    return run.size(1000, 100)


def _repeats(run: Run, name: str) -> int:
    return run.size(25 if KNOWN[name].is_slow else 50, 4)


def _blocks(repeats: int) -> list[tuple[int, int]]:
    return [(first, min(_BLOCK, repeats - first)) for first in range(0, repeats, _BLOCK)]


def _seed_of(seed: int, purpose: str, repeat: int) -> int:
    words = np.random.SeedSequence([seed, repeat, *purpose.encode()]).generate_state(1)
    return int(words[0])
