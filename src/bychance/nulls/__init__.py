"""Null distributions of measures of dependence, under independence."""

from __future__ import annotations

from bychance.nulls.base import Null
from bychance.nulls.permutation import Auto, Permutation

__all__ = ["Auto", "Null", "Permutation"]
