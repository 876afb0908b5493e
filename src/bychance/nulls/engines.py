"""Which law with which moments a null has: codes for arrays of pairs, and what users read of each."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np

from bychance.nulls.base import DegenerateNull

__all__ = ["ENGINES", "LAW_OF_ENGINE", "Engine", "EngineText", "Law"]


class Law(IntEnum):
    """The shape of a null."""

    UNKNOWN = 0
    CONSTANT = 1
    BETA = 2
    PEARSON = 3
    NORMAL = 4
    CANTELLI = 5
    FOURFOLD = 6
    FOURFOLD_INFORMATION = 7


class Engine(IntEnum):
    """Which law, with which moments; ENGINES has its name, its law and its reason."""

    UNDECIDED = 0
    DEGENERATE = 1
    BETA = 2
    NORMAL_THEORY = 3
    PEARSON = 4
    GAMMA = 5
    NORMAL = 6
    CANTELLI = 7
    MULTINOMIAL = 8
    PAPER_CANTELLI = 9
    FOURFOLD = 10
    FOURFOLD_INFORMATION = 11


class EngineText(NamedTuple):
    """What users read of an engine."""

    name: str
    law: Law
    reason: str


_TWO_VALUES = "both variables have two values: the hypergeometric law"
ENGINES = (
    EngineText("", Law.UNKNOWN, ""),
    EngineText(DegenerateNull.engine, Law.CONSTANT, "every permutation gives the same value"),
    EngineText("beta (exact moments)", Law.BETA, "Beta law with the exact mean and variance"),
    EngineText("beta (normal)", Law.BETA, "normal theory: one margin is taken as normal"),
    EngineText("pearson3 (exact moments)", Law.PEARSON, "Pearson III law with the exact three moments"),
    EngineText("gamma (exact moments)", Law.PEARSON, "gamma law with the exact mean and variance"),
    EngineText("normal (exact moments)", Law.NORMAL, "normal law with the exact mean and variance"),
    EngineText("cantelli (exact moments)", Law.CANTELLI, "Cantelli's bound with the exact mean and variance"),
    EngineText("gamma (multinomial)", Law.PEARSON, "Dobra–Gehrke mean and variance, gamma law"),
    EngineText(
        "cantelli (multinomial)",
        Law.CANTELLI,
        "the paper's: Dobra–Gehrke mean and variance, Cantelli's bound",
    ),
    EngineText("exact tables", Law.FOURFOLD, _TWO_VALUES),
    EngineText("exact tables", Law.FOURFOLD_INFORMATION, _TWO_VALUES),
)
LAW_OF_ENGINE = np.array([engine.law for engine in ENGINES], dtype=np.int8)
