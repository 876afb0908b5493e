"""Kinds of columns (numeric or categorical) and roles in a pair."""

from __future__ import annotations

from enum import Enum

__all__ = ["Kind", "PairKind", "Role"]


class Kind(Enum):
    """Type of a column: numeric or categorical."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class PairKind(Enum):
    """Kinds of columns that a measure pairs: two numeric, two categorical, one of each, or any."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    MIXED = "mixed"
    ANY = "any"


class Role(Enum):
    """Role of a column in a pair: x explains, orders or splits, and y is explained."""

    X = "x"
    Y = "y"
