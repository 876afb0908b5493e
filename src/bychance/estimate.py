"""measure() and adjust(): one pair, from arrays to a result.

In:  a measure (name, object or function), two arrays, which null and bound.
Out: a number, or an Estimate with its null, its three adjustments and their standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bychance.columns import read_column
from bychance.evaluate import Estimate, check_null, evaluate, prepare_pair, sample_of
from bychance.kinds import PairKind
from bychance.measures import CallableMeasure, Measure, MeasureTable, registry
from bychance.nulls.choose import NullSpec
from bychance.seeding import Seed, root_seed
from bychance.validation import finite_number

__all__ = ["Estimate", "adjust", "list_measures", "measure", "register"]

MeasureLike = str | Measure[Any] | Callable[[Any, Any], float]


def measure(measure: MeasureLike, x: Any, y: Any) -> float:
    """The raw estimate of a dependency measure, on the rows that both variables have.

    Parameters
    ----------
    measure : str, Measure or callable
        A name of `list_measures()`, a measure object, or any function f(x, y) -> float.
    x, y : array-like
        One-dimensional, of one length. NaN, None and NA are missing.

    Returns
    -------
    float
        The estimate; NaN where fewer than three rows are shared.

    Examples
    --------
    >>> import bychance as bc
    >>> bc.measure("r2", [1, 2, 3, 4], [1, 3, 2, 4])
    0.64...
    """
    pair = prepare_pair(registry.resolve(measure), read_column(x, "x"), read_column(y, "y"))
    return math.nan if pair.is_too_short else pair.estimate()


def adjust(
    measure: MeasureLike,
    x: Any,
    y: Any,
    *,
    null: NullSpec = "auto",
    bound: float | str | None = None,
    rng: Seed = 0,
    progress: bool = False,
) -> Estimate:
    """A dependency estimate with what chance alone would give, and the paper's three adjustments.

    Parameters
    ----------
    measure : str, Measure or callable
        A name of `list_measures()`, a measure object, or any function f(x, y) -> float.
    x, y : array-like
        One-dimensional, of one length. NaN, None and NA are missing; rows that lack either are left out.
    null : str or Permutation
        "auto" (the cheapest whose level is right), "paper", "moments", "exact", "normal", "multinomial",
        or `bc.Permutation(n_resamples=…)`.
    bound : float or str, optional
        The largest value, instead of the measure's own: a number, or a name such as "arithmetic" for "mi".
    rng : int, SeedSequence, Generator or None
        Seed of the Monte Carlo nulls: same seed, same answer; None samples anew in every call.
    progress : bool
        Show a bar on stderr when sampling takes long.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> import numpy as np, bychance as bc
    >>> rng = np.random.default_rng(0)
    >>> x, y = rng.random(12), rng.random(12)
    >>> r = bc.adjust("r2", x, y)
    >>> round(r.observed, 3), round(r.null.mean, 3), round(r.adjusted, 3)
    (0.0..., 0.091, -0.0...)
    """
    resolved = registry.resolve(measure)
    check_null(null)
    columns, root = (read_column(x, "x"), read_column(y, "y")), root_seed(rng)
    pair = prepare_pair(resolved, *columns)
    estimate = evaluate(pair, null=null, bound=bound, root=root, progress=progress)
    return replace(estimate, sample=sample_of(resolved, *columns, root))


def list_measures() -> MeasureTable:
    """The measures that have a name, as a table.

    >>> import bychance as bc
    >>> [m.name for m in bc.list_measures()][:3]
    ['explained', 'r2', 'spearman']
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
    """Make a function of your own known by a name.

    Parameters
    ----------
    name : str
        The name.
    function : callable
        f(x, y) -> float, larger for more dependence. It gets float64 arrays for numeric columns and int32
        codes for categorical ones, without missing rows.
    kinds : {"any", "numeric", "categorical", "mixed"}
        Which columns it takes.
    symmetric : bool
        Whether f(x, y) = f(y, x).
    bound : float
        Its largest value.
    summary : str, optional
        One line for `list_measures()`; by default the first of the docstring.
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
