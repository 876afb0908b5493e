"""Tables made by rule, with a known truth, and readers of public sets that the user has as files."""

from __future__ import annotations

from bychance.datasets.by_rule import make_led7, make_monks, make_tic_tac_toe
from bychance.datasets.demo import DEMO_TRUTH, make_demo
from bychance.datasets.public_sets import (
    PUBLIC_SETS,
    PublicSet,
    columns_and_classes,
    read_public_set,
    without_cells,
)

__all__ = [
    "DEMO_TRUTH",
    "PUBLIC_SETS",
    "PublicSet",
    "columns_and_classes",
    "make_demo",
    "make_led7",
    "make_monks",
    "make_tic_tac_toe",
    "read_public_set",
    "without_cells",
]
