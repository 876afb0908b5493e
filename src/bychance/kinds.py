"""What a column is (numeric or categorical) and which side of a pair it stands on."""

from __future__ import annotations

from enum import Enum

__all__ = ["Kind", "PairKind", "Role"]


class Kind(Enum):
    """What a column holds."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"


class PairKind(Enum):
    """What a measure takes: two numeric columns, two categorical, one of each, or any two."""

    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    MIXED = "mixed"
    ANY = "any"


class Role(Enum):
    """The side of a pair: x explains, orders or splits; y is explained."""

    X = "x"
    Y = "y"
