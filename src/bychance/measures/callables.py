"""Measure from a user's Python function f(x, y) -> float."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance import _native
from bychance.errors import MeasureError
from bychance.kinds import PairKind, Role
from bychance.measures.base import CountedValues, Measure, Values

__all__ = ["CallableMeasure", "RawValues"]


@dataclass(frozen=True, eq=False)
class RawValues(CountedValues):
    """Column values as given, without missing rows, for a user's function."""

    values: Values

    @property
    def is_degenerate(self) -> bool:
        """True if all values are equal."""
        return bool(np.all(self.values == self.values[0]))


class CallableMeasure(Measure[RawValues]):
    """Measure that calls a user's function of two arrays, with a null by permutation.

    It receives float64 arrays for numeric columns and int32 codes for categorical ones. They are copies:
    it may sort or overwrite them.
    """

    kinds = PairKind.ANY
    symmetric = False

    def __init__(
        self,
        function: Callable[[Any, Any], float],
        *,
        name: str | None = None,
        kinds: PairKind = PairKind.ANY,
        symmetric: bool = False,
        bound: float = 1.0,
        summary: str | None = None,
    ) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.kinds, self.symmetric = kinds, symmetric
        self.summary = summary or _first_line(function.__doc__)
        self._bound = bound

    def prepare(self, values: Values, role: Role) -> RawValues:
        """Wrap the values unchanged."""
        return RawValues(values)

    def estimate(self, x: RawValues, y: RawValues) -> float:
        """Call the function, and check that it returns a finite number."""
        return self._call(x.values.copy(), y.values.copy())

    def resample(
        self, x: RawValues, y: RawValues, repairings: _native.Repairings, first: int, count: int
    ) -> NDArray[np.float64]:
        """Call the function once per permutation."""
        rows = repairings.rows(first, count)
        return np.array([self._call(x.values.copy(), y.values[row]) for row in rows], dtype=np.float64)

    def default_bound(self, x: RawValues, y: RawValues) -> float:
        """Return the bound that the user gave with the function."""
        return self._bound

    @property
    def settings(self) -> Mapping[str, Any]:
        """Name of the user's function, and its bound."""
        return {"function": self.name, "bound": self._bound}

    def _call(self, x: Values, y: Values) -> float:
        try:
            value = self.function(x, y)
        except Exception as error:
            raise MeasureError(
                f"measure {self.name!r} raised {type(error).__name__} on {len(x)} rows: {error}"
            ) from error
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise MeasureError(f"measure {self.name!r} must return a number, got {value!r}.") from None
        if not np.isfinite(number):
            raise MeasureError(f"measure {self.name!r} must return a finite number, got {number!r}.")
        return number


def _first_line(docstring: str | None) -> str:
    lines = (docstring or "").strip().splitlines()
    return lines[0] if lines else "a function of the user's own"
