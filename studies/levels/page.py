"""docs/levels.md from the cells of the grid that judges."""

from __future__ import annotations

import numpy as np

from studies.levels.cells import ALPHAS, FEWEST_SETS, TAILS, Cell, TailCell

__all__ = ["page", "row", "tail_row"]

_HEADER = """# Levels of the p-values

How often p-values are small where the variables are independent. This page is written by `make levels`
({sets} data sets per cell and {pairings:,} pairings of each; {tail_sets} data sets per cell of the tail,
whose truth stands on {particles} particles; {seconds:.0f} s on {jobs} cores).

The rules by which `null="auto"` trusts a law were set on one grid of data; a second judged them, and six
limits were tightened after a look at it. This third grid is blind: it shares no kind of data, no size and no
seed with the other two, it was written down before any of its cells was run, and no rule was changed after
a look at it. One was added later, by exact laws of other data: the rule on two groups and lumps of values
([nulls.md](nulls.md)), which trusts fewer laws.
Data sets on which `auto` samples or takes an exact law are counted in the last column, no more: their
p-values keep their level by construction. `mic`, `mic_e`, `tic_e`, `rand` and `agreement` are not listed,
since `auto` takes no matched law for them here.

{n_cells:,} cells have a matched law in at least five data sets; {n_outside} of them {are} outside.

## P(p ≤ a) divided by a

1 is right, and at most 1.25 is asked for; where the null is continuous, at least 0.8 too. Ties may leave
less. **outside** marks what misses that by more than the 99% limits of the simulation, where a matched law
has at least five data sets.

| measure | data | n | a = 0.05 | 0.01 | 0.001 | matched, exact, sampled |
|---|---|---|---|---|---|---|
"""
_TAIL_HEADER = """
## The tail: true p divided by stated p

Where a trusted law says 10⁻⁴, 10⁻⁶ and 10⁻⁸: the geometric mean over data sets, and the largest. The reach
is the p down to which the laws of all these data sets state that they hold (`null.holds_to`); ratios beyond
it are in parentheses. – where no pairing is as extreme, or the law says no such p.

| measure | data | n | reach | 10⁻⁴ | 10⁻⁶ | 10⁻⁸ |
|---|---|---|---|---|---|---|
"""


def row(cell: Cell) -> str:
    """One cell of the first table."""
    total = len(cell.ratios) + cell.n_exact + cell.n_sampled
    shares = (len(cell.ratios) / total, cell.n_exact / total, cell.n_sampled / total)
    means = " | ".join("–" if np.isnan(m) else f"{m:.2f}" for m in cell.mean)
    verdict = "" if cell.is_right else " **outside**"
    counted = ", ".join(f"{share:.0%}" for share in shares)
    return f"| {cell.measure} | {cell.data} | {cell.n} | {means}{verdict} | {counted} |"


def tail_row(cell: TailCell) -> str:
    """One cell of the second table."""
    reach = float(cell.reach.max())
    ratios = []
    for k, p in enumerate(TAILS):
        known = cell.ratios[:, k][~np.isnan(cell.ratios[:, k])]
        if not len(known):
            ratios.append("–")
            continue
        text = f"{np.exp(np.mean(np.log(known))):.2g}, {known.max():.2g}"
        ratios.append(text if p >= reach * 0.99 else f"({text})")
    return f"| {cell.measure} | {cell.data} | {cell.n} | {reach:.0e} | {' | '.join(ratios)} |"


def page(cells: list[Cell], tails: list[TailCell], **counts: float) -> str:
    """The whole page; cells without any matched law are left out."""
    assert len(ALPHAS) == len(TAILS) == 3  # as many columns as the headers have
    first = "\n".join(row(cell) for cell in cells if len(cell.ratios))
    second = "\n".join(tail_row(cell) for cell in tails if len(cell.ratios))
    judged = [cell for cell in cells if len(cell.ratios) >= FEWEST_SETS]
    n_outside = sum(not cell.is_right for cell in judged)
    counts |= {"n_cells": len(judged), "n_outside": n_outside}
    return (
        _HEADER.format(**counts, are="is" if n_outside == 1 else "are")
        + first
        + "\n"
        + _TAIL_HEADER
        + second
        + "\n"
    )
