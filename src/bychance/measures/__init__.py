"""Dependency measures by family, and the registry of their names."""

from __future__ import annotations

from bychance.measures import registry
from bychance.measures.base import Measure, Prepared
from bychance.measures.mic import MIC, MICe, TICe
from bychance.measures.registry import CallableMeasure, MeasureTable

__all__ = ["MIC", "CallableMeasure", "MICe", "Measure", "MeasureTable", "Prepared", "TICe", "registry"]
