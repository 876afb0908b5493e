"""Synthetic example table whose true relations are known."""

from __future__ import annotations

from bychance.datasets.demo import DEMO_TRUTH, make_demo

__all__ = ["DEMO_TRUTH", "make_demo"]
