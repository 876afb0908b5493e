"""Dependency measures, one per file, and the registry of their names.

Adding a measure is one file, one line in `registry` below, one oracle in tests/oracle, one row in the docs.
"""

from __future__ import annotations

from bychance.measures.base import Measure, Prepared
from bychance.measures.callables import CallableMeasure
from bychance.measures.dcor import DistanceCorrelation
from bychance.measures.eta2 import Eta2
from bychance.measures.explained import Explained
from bychance.measures.gini import Gini, GoodmanKruskal
from bychance.measures.hsic import HSIC
from bychance.measures.kendall import Kendall
from bychance.measures.labels import Agreement, MutualInformation, Rand
from bychance.measures.mic import MIC, MICe, TICe
from bychance.measures.phi2 import CramersV, Phi2
from bychance.measures.r2 import R2, Spearman
from bychance.measures.registry import MeasureInfo, MeasureTable, Registry
from bychance.measures.shape import Shape
from bychance.measures.xi import Xi

__all__ = [
    "MIC",
    "CallableMeasure",
    "MICe",
    "Measure",
    "MeasureInfo",
    "MeasureTable",
    "Prepared",
    "TICe",
    "registry",
]

registry = Registry(
    [
        Explained(),
        Shape(),
        R2(),
        Spearman(),
        Kendall(),
        Xi(),
        DistanceCorrelation(),
        HSIC(),
        MIC(),
        MICe(),
        TICe(),
        Eta2(),
        Gini(),
        GoodmanKruskal(),
        MutualInformation(),
        Phi2(),
        CramersV(),
        Rand(),
        Agreement(),
    ],
    aliases={"auto": "explained", "pearson": "r2", "mutual_info": "mi"},
)
