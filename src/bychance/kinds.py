"""Kinds of columns (numeric or categorical) and roles in a pair."""

from __future__ import annotations

from enum import Enum

__all__ = ["Kind", "PairKind", "Role"]


class Kind(Enum):
    """Type of a column."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class PairKind(Enum):
    """Kinds of a measure's pairs: two numeric columns, two categorical, one of each, or any two."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    MIXED = "mixed"
    ANY = "any"


class Role(Enum):
    """The side of a pair: x explains, orders or splits, and y is explained."""

    X = "x"
    Y = "y"
