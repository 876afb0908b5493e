"""The selection figures for MIC, of which the paper says that "similar conclusions can be drawn"."""

from __future__ import annotations

from functools import partial

from reproduction.item import Item, Outcome
from reproduction.run import Run
from reproduction.selection import compare, draw_selection, select

__all__ = ["ITEM"]


def compute(run: Run) -> Outcome:
    """Compute shares by MIC and its adjustments."""
    selection = select(run, "mic", "MIC")
    claims = compare(selection, "MIC", ("Section 4.1",) * 3)
    return Outcome(selection.table(), claims, {"selection": selection})


ITEM = Item("selection_mic", "Selection by MIC", compute, partial(draw_selection, symbol="MIC"))
