"""The paper reproduced: one file per example, figure or table, in terms of the public interface alone.

The flow: reproduce (all items in turn) → run (sizes, seed, data, finished pieces) → an item's compute (a
table of numbers and claims with computed verdicts) → its draw (a figure) → tables (what is written and
printed).
"""

from __future__ import annotations

from bychance.paper import (
    errata,
    example_1,
    example_2,
    forest_alpha,
    forest_missing,
    forest_table,
    forest_tuning,
    noise_by_n,
    noise_mic,
    noise_r2,
    selection_mic,
    selection_r2,
    who_average_n,
    who_deaths,
    who_mortality,
)
from bychance.paper.item import Item

__all__ = ["ITEMS"]

# In the paper's order.
ITEMS: tuple[Item, ...] = (
    example_1.ITEM,
    example_2.ITEM,
    noise_r2.ITEM,
    noise_mic.ITEM,
    noise_by_n.ITEM,
    selection_r2.ITEM,
    selection_mic.ITEM,
    who_deaths.ITEM,
    who_mortality.ITEM,
    who_average_n.ITEM,
    forest_table.ITEM,
    forest_alpha.ITEM,
    forest_tuning.ITEM,
    forest_missing.ITEM,
    errata.ITEM,
)
