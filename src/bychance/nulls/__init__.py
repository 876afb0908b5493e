"""Null distributions: what a measure gives where there is nothing to find."""

from __future__ import annotations

from bychance.nulls.base import Null
from bychance.nulls.permutation import Permutation

__all__ = ["Null", "Permutation"]
