"""Rows of docs/validation/levels.csv and tails.csv, from the cells of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from studies.csv_files import write_rows
from studies.levels.cells import ALPHAS, TAILS, Cell, TailCell

__all__ = ["LEVEL_NAMES", "TAIL_NAMES", "level_row", "tail_row", "write_levels", "write_tails"]

LEVEL_NAMES = (
    "measure", "data", "n", *(f"at_{alpha:g}" for alpha in ALPHAS), "matched", "exact", "sampled", "verdict",
)  # fmt: skip
TAIL_NAMES = (
    "measure", "data", "n", "holds_to",
    *(f"{name}_{p:.0e}".replace("e-0", "e-") for p in TAILS for name in ("mean", "largest")),
)  # fmt: skip


def level_row(cell: Cell) -> list[str]:
    """Return P(p ≤ a)/a at each level, the shares of data sets by kind of null, and "outside" or ""."""
    total = len(cell.ratios) + cell.n_exact + cell.n_sampled
    shares = (len(cell.ratios) / total, cell.n_exact / total, cell.n_sampled / total)
    means = ("" if np.isnan(mean) else f"{mean:.2f}" for mean in cell.mean)
    verdict = "" if cell.is_right else "outside"
    return [cell.measure, cell.data, str(cell.n), *means, *(f"{share:.2f}" for share in shares), verdict]


def tail_row(cell: TailCell) -> list[str]:
    """Return the geometric mean and the largest of true p over stated p at each stated p."""
    reach = float(cell.reach.max())
    ratios = []
    for k in range(len(TAILS)):
        known = cell.ratios[:, k][~np.isnan(cell.ratios[:, k])]
        found = (np.exp(np.mean(np.log(known))), known.max()) if len(known) else ()
        ratios += [f"{ratio:.2g}" for ratio in found] or ["", ""]
    return [cell.measure, cell.data, str(cell.n), f"{reach:.0e}", *ratios]


def write_levels(folder: Path, cells: Sequence[Cell]) -> None:
    """Write levels.csv: cells without a matched distribution are left out."""
    write_rows(folder / "levels.csv", LEVEL_NAMES, (level_row(cell) for cell in cells if len(cell.ratios)))


def write_tails(folder: Path, cells: Sequence[TailCell]) -> None:
    """Write tails.csv: cells without a matched distribution are left out."""
    write_rows(folder / "tails.csv", TAIL_NAMES, (tail_row(cell) for cell in cells if len(cell.ratios)))
