"""A measure's view of a column of at most 7 rows: exact integers and ordered codes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Variable:
    """A measure's view of one column: exact numbers (None for labels), and ordered codes from 0."""

    numbers: tuple[int, ...] | None
    codes: tuple[int, ...]

    @classmethod
    def of(cls, values: Sequence, *, is_numeric: bool) -> Variable:
        """Make integers in proportion to the values, because no measure's law depends on the unit."""
        order = {v: k for k, v in enumerate(sorted(set(values)))}
        codes = tuple(order[v] for v in values)
        return cls(integers(values) if is_numeric else None, codes)

    @classmethod
    def shared(cls, x: Sequence, y: Sequence) -> tuple[Variable, Variable]:
        """Encode both columns as labels of one list: equal codes mean equal labels."""
        order = {v: k for k, v in enumerate(sorted({*x, *y}, key=lambda v: (type(v).__name__, v)))}
        return tuple(cls(None, tuple(order[v] for v in values)) for values in (x, y))

    @property
    def n(self) -> int:
        return len(self.codes)

    @property
    def sizes(self) -> list[int]:
        return np.bincount(self.codes).tolist()

    @property
    def by_code(self) -> np.ndarray:
        """The number of each code, as Python integers."""
        return np.array([self.numbers[self.codes.index(c)] for c in range(max(self.codes) + 1)], dtype=object)


def integers(values: Sequence) -> tuple[int, ...]:
    """Convert floats and integers to multiples of their common unit."""
    ratios = [(v, 1) if isinstance(v, int) else v.as_integer_ratio() for v in map(_plain, values)]
    unit = math.lcm(*(d for _, d in ratios))
    return tuple(a * (unit // d) for a, d in ratios)


def _plain(value: object) -> int | float:
    return int(value) if isinstance(value, bool | int | np.integer) else float(value)
