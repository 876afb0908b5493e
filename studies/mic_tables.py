"""Adaptive sampling by MIC beside fixed numbers of permutations, on tables that set none of its rules.

    python -m studies.mic_tables ../shared/data [--tables spellman steel] [--jobs 2]

For each table and cap: permutations per pair, the number of decisions at a false discovery rate of 5% that
differ from those of 9,999 permutations for every pair (by adaptive sampling and by the cap), and the number
of first rows that are the same. docs/validation.md has the result. Two rules are judged here, which were set
on WHO alone: that beyond the first 1,000 rows discoveries keep the permutations that decided them, and that
splitting is not used if the threshold is above ten permutations of the cap.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import bychance as bc

CAPS = (999, 9_999)
FIRST_ROWS = (20, 100, 1_000)
HEADINGS = (
    "table", "pairs", "cap", "draws per pair", "by splitting", "discoveries", "adaptive differs",
    "fixed differs", "of the first rows the same: adaptive and fixed", "time",
)  # fmt: skip


def spellman(data: Path) -> pd.DataFrame:
    """Read genes as columns, 23 time points as rows: few rows, many discoveries."""
    table = pd.read_csv(data / "Spellman.csv", index_col=0)
    genes = np.random.default_rng(16).choice(np.arange(1, len(table)), 100, replace=False)
    return table.iloc[np.sort(genes)].T.reset_index(drop=True)


def steel(data: Path) -> pd.DataFrame:
    """Read measurements of 120 steel plates and which faults they have: dense."""
    table = bc.read_table(data / "steel.arff")
    rows = np.random.default_rng(16).choice(len(table), 120, replace=False)
    return pd.DataFrame(
        {
            c.name: c.values[rows]
            for c in table.columns
            if c.values.dtype.kind == "f" and np.ptp(c.values[rows])
        }
    )


def sparse(_: Path) -> pd.DataFrame:
    """Draw columns of five kinds, 80 rows, ten relations of 990."""
    return _mixed(np.random.default_rng(17), n=80, n_columns=45, n_related=10)


def noise(_: Path) -> pd.DataFrame:
    """Draw columns of five kinds without a relation, 50 rows."""
    return _mixed(np.random.default_rng(18), n=50, n_columns=45, n_related=0)


TABLES: dict[str, Callable[[Path], pd.DataFrame]] = {
    "spellman": spellman, "steel": steel, "sparse": sparse, "noise": noise,
}  # fmt: skip


def _mixed(rng: np.random.Generator, *, n: int, n_columns: int, n_related: int) -> pd.DataFrame:
    kinds = (np.asarray, np.exp, np.round, lambda z: np.maximum(z, 0), lambda z: 1.0 * (z > 0.8))
    z = rng.standard_normal((n, n_columns))
    for k in range(n_related):  # strong to weak: noise of 0.3 to 1.2
        z[:, 2 * k + 1] = np.sin(2 * z[:, 2 * k]) + (0.3 + 0.1 * k) * z[:, 2 * k + 1]
    return pd.DataFrame({f"c{k}": kinds[k % len(kinds)](z[:, k]) for k in range(n_columns)})


def compare(frame: pd.DataFrame, jobs: int) -> Iterator[str]:
    """Print one line per cap: adaptive sampling beside the cap for every pair, and both beside 9,999."""
    fixed = {cap: _ranked(frame, bc.Permutation(cap), jobs) for cap in CAPS}
    truth = fixed[max(CAPS)]
    for cap in CAPS:
        started = time.perf_counter()
        found = _ranked(frame, bc.Permutation("adaptive", cap=cap), jobs)
        seconds = time.perf_counter() - started
        n_first = [size for size in FIRST_ROWS if size < len(found) / 2]
        same = ", ".join(
            f"{_n_same_first(found, truth, size)} and {_n_same_first(fixed[cap], truth, size)} of {size:,}"
            for size in n_first
        )
        draws = found["n_resamples"][found["n_resamples"] > 0].mean()
        n_split = int((found["p_kind"] == "splitting").sum())
        yield (
            f"{len(found):,} | {cap:,} | {draws:.0f} | {n_split} | {int(_is_found(truth).sum())} | "
            f"{_n_other(found, truth)} | {_n_other(fixed[cap], truth)} | {same} | {seconds:.0f} s"
        )


def _ranked(frame: pd.DataFrame, null: bc.Permutation, jobs: int) -> pd.DataFrame:
    return bc.rank(frame, measure="mic", null=null, n_jobs=jobs).to_pandas().set_index(["x", "y"])


def _is_found(ranking: pd.DataFrame) -> pd.Series:
    return ranking["q_value"] < 0.05


def _n_other(one: pd.DataFrame, other: pd.DataFrame) -> int:
    return int((_is_found(one) != _is_found(other).reindex(one.index)).sum())


def _n_same_first(one: pd.DataFrame, other: pd.DataFrame, size: int) -> int:
    return len(one.index[:size].intersection(other.index[:size]))


def main() -> None:
    """Print one row per table and cap."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="*", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(f"| {' | '.join(HEADINGS)} |")
    print(len(HEADINGS) * "|---" + "|")
    for name in options.tables:
        with tempfile.TemporaryDirectory() as cache:  # what 9,999 draws for all left would not be drawn again
            os.environ["BYCHANCE_CACHE"] = cache
            for line in compare(TABLES[name](options.data), options.jobs):
                print(f"| {name} | {line} |", flush=True)


if __name__ == "__main__":
    main()
