"""Registry of measures by name: those of this package, and functions that users register.

Adding a measure is a class, one line in `_BUILT_IN` below, one oracle in tests/oracle, one row in the docs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from bychance import _native
from bychance.array_types import FloatArray
from bychance.errors import MeasureError, unknown_name
from bychance.kinds import PairKind, Role
from bychance.measures.base import CountedValues, Measure, Values
from bychance.measures.dcor import DistanceCorrelation
from bychance.measures.explained import R2, Eta2, Explained, Shape, Spearman
from bychance.measures.hsic import HSIC
from bychance.measures.labels import Agreement, CramersV, Gini, GoodmanKruskal, MutualInformation, Phi2, Rand
from bychance.measures.mic import MIC, MICe, TICe
from bychance.measures.ranks import Kendall, Xi
from bychance.validation import finite_number

__all__ = [
    "CallableMeasure",
    "MeasureInfo",
    "MeasureTable",
    "RawValues",
    "list_measures",
    "register",
    "resolve",
]


_BUILT_IN: tuple[Measure[Any], ...] = (
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
)
_ALIASES = {"auto": "explained", "pearson": "r2", "mutual_info": "mi"}
_measures = {measure.name: measure for measure in _BUILT_IN}
_KINDS = {
    PairKind.NUMERIC: "numeric-numeric",
    PairKind.CATEGORICAL: "categorical-categorical",
    PairKind.MIXED: "numeric-categorical",
    PairKind.ANY: "any",
}


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """Row of the table of measures: name, kinds of columns, symmetry and summary."""

    name: str
    kinds: str
    symmetric: bool
    summary: str


class MeasureTable(tuple[MeasureInfo, ...]):
    """Table of measures, a tuple of rows that prints as aligned text."""

    __slots__ = ()

    def __repr__(self) -> str:
        rows = [("name", "kinds", "symmetric", "what")]
        rows += [(m.name, m.kinds, "yes" if m.symmetric else "no", m.summary) for m in self]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        widths[-1] = 0
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
        )


def list_measures() -> MeasureTable:
    """Return a table of all measures that can be requested by name.

    >>> import bychance as bc
    >>> [m.name for m in bc.list_measures()][:3]
    ['explained', 'shape', 'r2']
    """
    return MeasureTable(
        MeasureInfo(m.name, _KINDS[m.kinds], m.symmetric, m.summary) for m in _measures.values()
    )


def register(
    name: str,
    function: Callable[[Any, Any], float],
    *,
    kinds: str = "any",
    symmetric: bool = False,
    bound: float = 1.0,
    summary: str | None = None,
    overwrite: bool = False,
) -> None:
    """Register a function that you wrote as a measure.

    Parameters
    ----------
    name : str
        The name.
    function : callable
        f(x, y) -> float, larger for more dependence. It gets float64 arrays for numeric columns and int32
        codes for categorical ones, without missing rows.
    kinds : {"any", "numeric", "categorical", "mixed"}
        Kinds of columns that it takes.
    symmetric : bool
        True if f(x, y) = f(y, x).
    bound : float
        Its largest value.
    summary : str, optional
        One line for `list_measures()`, by default the first of the docstring.
    overwrite : bool
        Replace a measure of that name.

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> def sign_match(x, y):
    ...     "share of rows on the same side of their medians"
    ...     return float(np.mean((x > np.median(x)) == (y > np.median(y))))
    >>> bc.register("sign_match", sign_match, kinds="numeric", symmetric=True, overwrite=True)
    >>> bc.adjust("sign_match", [1, 2, 3, 4, 5, 6], [2, 1, 3, 5, 4, 6]).adjusted
    1.0
    """
    if not isinstance(name, str) or not name:
        raise ValueError(f"`name` must be a non-empty string, got {name!r}.")
    if not callable(function):
        raise TypeError(f"`function` must be a function f(x, y), got {function!r}.")
    names = {kind.value: kind for kind in PairKind}
    if kinds not in names:
        raise ValueError(f"`kinds` must be one of {', '.join(names)}; got {kinds!r}.")
    own = CallableMeasure(
        function,
        name=name,
        kinds=names[kinds],
        symmetric=symmetric,
        bound=finite_number(bound, "bound"),
        summary=summary,
    )
    if (name in _measures or name in _ALIASES) and not overwrite:
        raise ValueError(f"`name` must be new, {name!r} is taken; pass overwrite=True to replace it.")
    if name in _ALIASES:
        raise ValueError(f"`name` must not be an alias, got {name!r}.")
    _measures[name] = own


def resolve(measure: str | Measure[Any] | Callable[[Any, Any], float]) -> Measure[Any]:
    """Convert a name, a measure or a plain function to a measure."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        name = _ALIASES.get(measure, measure)
        if name not in _measures:
            raise unknown_name("measure", measure, [*_measures, *_ALIASES])
        return _measures[name]
    if isinstance(measure, type) and issubclass(measure, Measure):
        raise TypeError(f"`measure` must be a measure, not its class: {measure.__name__}().")
    if callable(measure):
        return CallableMeasure(cast("Callable[[Any, Any], float]", measure))
    raise TypeError(f"`measure` must be a name, a measure or a function f(x, y), got {measure!r}.")


@dataclass(frozen=True, eq=False)
class RawValues(CountedValues):
    """Column prepared for a user's function: its values unchanged, without missing rows."""

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
        """Wrap the column's values unchanged, as the user's function takes them."""
        return RawValues(values)

    def estimate(self, x: RawValues, y: RawValues) -> float:
        """Call the function, and check that it returns a finite number."""
        return self._call(x.values.copy(), y.values.copy())

    def resample(
        self, x: RawValues, y: RawValues, permutations: _native.Permutations, first: int, count: int
    ) -> FloatArray:
        """Call the function once per permutation."""
        rows = permutations.rows(first, count)
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
