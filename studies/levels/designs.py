"""Kinds of independent data: which columns are drawn for which measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bychance as bc

__all__ = ["Design", "Draw", "Grid", "Kinds"]

Draw = Callable[[np.random.Generator, int], NDArray[Any]]
Kinds = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Design:
    """Two independent columns by the names of their kinds."""

    name: str
    x: Draw
    y: Draw
    is_continuous: bool


@dataclass(frozen=True)
class Grid:
    """Numbers and labels of some kinds, and which pairs of them stand for each kind of measure."""

    numbers: Mapping[str, Draw]
    labels: Mapping[str, Draw]
    tied: frozenset[str]  # numbers whose measures are not continuous
    numeric: Kinds
    categorical: Kinds
    mixed: Kinds  # labels, numbers
    seed: int

    def designs(self, measure: str) -> list[Design]:
        """List the pairs of columns that a measure takes."""
        kinds = {m.name: m.kinds for m in bc.list_measures()}[measure]
        numeric = [self._design(a, b) for a, b in self.numeric]
        categorical = [self._design(a, b) for a, b in self.categorical]
        mixed = [self._design(a, b) for a, b in self.mixed]
        if measure == "explained":
            return [self._design(b, a) for a, b in self.mixed] + categorical
        if measure in ("dcor", "hsic"):
            return numeric + mixed
        return {
            "numeric-numeric": numeric, "numeric-categorical": mixed, "categorical-categorical": categorical
        }[kinds]  # fmt: skip

    def _design(self, x: str, y: str) -> Design:
        draws = {**self.numbers, **self.labels}
        has_ties = {x, y} & self.tied or {x, y} <= self.labels.keys()
        return Design(f"{x} × {y}", draws[x], draws[y], is_continuous=not has_ties)
