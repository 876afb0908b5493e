"""The paper reproduced: one file per example, figure or table, in terms of the public interface alone.

The flow: reproduce (all items in turn) → run (sizes, seed, data, finished pieces) → an item's compute (a
table of numbers and claims with computed verdicts) → its draw (a figure) → tables (what is written and
printed).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reproduction.item import Item

__all__ = ["ITEMS", "load_item"]

# In the paper's order. Each is the name of a file.
ITEMS = (
    "example_1",
    "example_2",
    "noise_r2",
    "noise_mic",
    "noise_by_n",
    "selection_r2",
    "selection_mic",
    "who_deaths",
    "who_mortality",
    "who_average_n",
    "forest_table",
    "forest_alpha",
    "forest_tuning",
    "forest_missing",
    "errata",
)


def load_item(name: str) -> Item:
    """Load the item of this name with the modules that compute and draw it."""
    item: Item = import_module(f"reproduction.{name}").ITEM
    return item
