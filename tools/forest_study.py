"""The forest on the 19 sets of the paper, beside an independent study, the paper and scikit-learn's forest.

    python -m tools.forest_study --repeats 50 --out docs/forest_study.md

The sets are read from the directory BYCHANCE_DATA (or ../shared/data). A set that is done is kept in
build/forest_study and not run again with the same settings; remove that directory to start anew.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import bychance as bc
from bychance.datasets import columns_and_classes
from bychance.forest.evaluate import AucTable, MakeClassifier, compare_auc
from bychance.paper.data import Data
from bychance.paper.known_auc import KNOWN
from bychance.paper.sets import load_set
from tools.forest_page import CRITERIA, LIMIT, agreement, page, percent, summary

KEPT = Path(__file__).resolve().parent.parent / "build" / "forest_study"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a set is run with; what was kept with other settings is run again."""

    trees: int
    repeats: int
    seed: int


def paper_forests(X: Any, trees: int) -> dict[str, MakeClassifier]:
    """The forests of the paper."""
    return {name: partial(_paper_forest, name, trees) for name in CRITERIA}


def peer_forests(X: Any, trees: int) -> dict[str, MakeClassifier]:
    """The default, and scikit-learn's with its defaults on one-hot columns."""
    return {"fair": partial(_default_forest, trees), "sklearn": partial(_one_hot_forest, X, trees)}


GROUPS = {"paper": paper_forests, "peers": peer_forests}


def _paper_forest(criterion: str, trees: int, seed: int) -> Any:
    return bc.RandomForestClassifier.from_paper(criterion, n_estimators=trees, random_state=seed)


def _default_forest(trees: int, seed: int) -> Any:
    return bc.RandomForestClassifier(trees, random_state=seed)


def _one_hot_forest(X: Any, trees: int, seed: int) -> Any:
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
    labels = list(X.select_dtypes("category").columns)
    one_hot = make_column_transformer((encoder, labels), remainder="passthrough")
    return make_pipeline(one_hot, RandomForestClassifier(trees, random_state=seed))


def run_set(name: str, group: str, settings: Settings) -> AucTable:
    """The AUCs of a group of forests on one set, from what was kept where the settings were the same."""
    path = KEPT / f"{name}.{group}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["settings"] == asdict(settings):
            return AucTable(tuple(kept["names"]), np.array(kept["values"]))
    columns, y = columns_and_classes(load_set(name, Data.find()))
    X = columns.to_pandas()
    forests = GROUPS[group](X, settings.trees)
    table = compare_auc(forests, X, y, n_repeats=settings.repeats, seed=settings.seed)
    kept = {"settings": asdict(settings), "names": table.names, "values": table.values.tolist()}
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(kept))
    unfinished.replace(path)
    return table


def run_all(settings: dict[str, dict[str, Settings]], jobs: int) -> dict[str, dict[str, AucTable]]:
    """All sets of every group, the slow ones first, with a line for each that is done."""
    KEPT.mkdir(parents=True, exist_ok=True)
    started, tables = time.perf_counter(), {group: dict[str, AucTable]() for group in settings}
    tasks = [(group, name) for group, sets in settings.items() for name in sets]
    with ProcessPoolExecutor(jobs) as pool:
        running = {
            pool.submit(run_set, name, group, settings[group][name]): (group, name)
            for group, name in sorted(tasks, key=lambda task: not KNOWN[task[1]].is_slow)
        }
        for done in as_completed(running):
            group, name = running[done]
            table = tables[group][name] = done.result()
            shown = "  ".join(f"{m:.2f}±{s:.2f}" for m, s in zip(*percent(table), strict=True))
            print(f"{name:12} {group}: {shown}  {time.perf_counter() - started:.0f} s", flush=True)
    return {group: {name: tables[group][name] for name in sets} for group, sets in settings.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="The forest on the 19 sets of the paper.")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument(
        "--slow-repeats", type=int, default=25, help="for HIV, c-to-u, mfeat-pixel and splice"
    )
    parser.add_argument("--paper-repeats", type=int, default=50, help="of the paper's forests")
    parser.add_argument("--slow-paper-repeats", type=int, default=25)
    parser.add_argument("--paper-trees", type=int, default=1000, help="of the paper's forests")
    parser.add_argument("--trees", type=int, default=500, help="of the default and of scikit-learn's forest")
    parser.add_argument("--sets", nargs="*", choices=KNOWN, default=list(KNOWN))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not Data.find().directory.is_dir():
        print("the sets are not here: set BYCHANCE_DATA to the directory of their ARFF files")
        return 2
    sizes = {
        "paper": (options.paper_trees, options.paper_repeats, options.slow_paper_repeats),
        "peers": (options.trees, options.repeats, options.slow_repeats),
    }
    settings = {
        group: {
            name: Settings(trees, slow if KNOWN[name].is_slow else usual, options.seed)
            for name in options.sets
        }
        for group, (trees, usual, slow) in sizes.items()
    }
    tables = run_all(settings, options.jobs)
    found = {
        (n, c): agreement(n, table, c).distance for n, table in tables["paper"].items() for c in CRITERIA
    }
    beyond = [
        f"{n} {CRITERIA[c]} {distance:+.1f}" for (n, c), distance in found.items() if abs(distance) > LIMIT
    ]
    print(f"beyond {LIMIT:g} combined standard errors: {', '.join(beyond) or 'none'}")
    print(summary(tables["peers"]))
    if options.out:
        options.out.write_text(page(tables["paper"], tables["peers"], options.paper_trees, options.trees))
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
