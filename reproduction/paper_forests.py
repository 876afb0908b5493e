"""The paper's forests on its 19 sets, beside the paper and an independent study.

    python -m reproduction.paper_forests --repeats 50 --out docs/paper_forests.md

The sets are read from the directory BYCHANCE_DATA (or ../shared/data). A set that is done is kept in
build/paper_forests and not run again with the same settings; remove that directory to start anew.
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
from bychance.forest.curve import MakeModel, ScoreTable, compare_auc
from reproduction.data import Data
from reproduction.known_auc import KNOWN
from reproduction.paper_forests_page import CRITERIA, LIMIT, agreement, page, percent
from reproduction.public_sets import columns_and_classes
from reproduction.sets import load_set

KEPT = Path(__file__).resolve().parent.parent / "build" / "paper_forests"


@dataclass(frozen=True, slots=True)
class Settings:
    """What a set is run with; what was kept with other settings is run again."""

    trees: int
    repeats: int
    seed: int


def forests(trees: int) -> dict[str, MakeModel]:
    """The forests of the paper."""
    return {name: partial(_forest, name, trees) for name in CRITERIA}


def _forest(criterion: str, trees: int, seed: int) -> Any:
    return bc.RandomForestClassifier.from_paper(criterion, n_estimators=trees, random_state=seed)


def run_set(name: str, settings: Settings) -> ScoreTable:
    """The AUCs on one set, from what was kept where the settings were the same."""
    path = KEPT / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["settings"] == asdict(settings):
            return ScoreTable(tuple(kept["names"]), np.array(kept["values"]))
    columns, y = columns_and_classes(load_set(name, Data.find()))
    X = columns.to_pandas()
    table = compare_auc(forests(settings.trees), X, y, n_repeats=settings.repeats, seed=settings.seed)
    kept = {"settings": asdict(settings), "names": table.names, "values": table.values.tolist()}
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(kept))
    unfinished.replace(path)
    return table


def run_all(settings: dict[str, Settings], jobs: int) -> dict[str, ScoreTable]:
    """All sets, the slow ones first, with a line for each that is done."""
    KEPT.mkdir(parents=True, exist_ok=True)
    started, tables = time.perf_counter(), dict[str, ScoreTable]()
    with ProcessPoolExecutor(jobs) as pool:
        running = {
            pool.submit(run_set, name, settings[name]): name
            for name in sorted(settings, key=lambda name: not KNOWN[name].is_slow)
        }
        for done in as_completed(running):
            name = running[done]
            table = tables[name] = done.result()
            shown = "  ".join(f"{m:.2f}±{s:.2f}" for m, s in zip(*percent(table), strict=True))
            print(f"{name:12}: {shown}  {time.perf_counter() - started:.0f} s", flush=True)
    return {name: tables[name] for name in settings}


def main() -> int:
    """Run the sets and print how far they are from the paper; return 1 if a set is beyond the limit."""
    parser = argparse.ArgumentParser(description="The paper's forests on its 19 sets.")
    parser.add_argument("--repeats", type=int, default=50)
    parser.add_argument(
        "--slow-repeats", type=int, default=25, help="for HIV, c-to-u, mfeat-pixel and splice"
    )
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--sets", nargs="*", choices=KNOWN, default=list(KNOWN))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if not Data.find().directory.is_dir():
        print("the sets are not here: set BYCHANCE_DATA to the directory of their ARFF files")
        return 2
    settings = {
        name: Settings(
            options.trees, options.slow_repeats if KNOWN[name].is_slow else options.repeats, options.seed
        )
        for name in options.sets
    }
    tables = run_all(settings, options.jobs)
    found = {(n, c): agreement(n, table, c).distance for n, table in tables.items() for c in CRITERIA}
    beyond = [
        f"{n} {CRITERIA[c]} {distance:+.1f}" for (n, c), distance in found.items() if abs(distance) > LIMIT
    ]
    print(f"beyond {LIMIT:g} combined standard errors: {', '.join(beyond) or 'none'}")
    if options.out:
        options.out.write_text(page(tables, options.trees))
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
