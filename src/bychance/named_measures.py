"""list_measures() and register(): the measures that have a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bychance.kinds import PairKind
from bychance.measures import CallableMeasure, MeasureTable, registry
from bychance.validation import finite_number

__all__ = ["list_measures", "register"]


def list_measures() -> MeasureTable:
    """Return a table of the measures that have a name.

    >>> import bychance as bc
    >>> [m.name for m in bc.list_measures()][:3]
    ['explained', 'shape', 'r2']
    """
    return registry.table()


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
    registry.add(own, overwrite=overwrite)
