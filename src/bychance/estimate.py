"""measure() and adjust(): one pair, from arrays to a result.

In:  a measure (name, object or function), two arrays, which null and bound.
Out: a number, or an Estimate with its null, its three adjustments and their standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.adjustments import adjust_at, quantify, standardize
from bychance.columns import Column, codes_of, numbers_of, read_column, shared_codes_of, shared_rows
from bychance.kinds import Kind, PairKind, Role
from bychance.measures import CallableMeasure, Measure, MeasureTable, registry
from bychance.measures.base import Values
from bychance.nulls.base import DegenerateNull, Null, tolerance
from bychance.nulls.choose import NULL_NAMES, Auto, NullSpec, Request, choose_null
from bychance.nulls.permutation import Permutation
from bychance.seeding import Seed, root_seed
from bychance.validation import finite_number, number_within

__all__ = ["Estimate", "adjust", "list_measures", "measure", "register"]

MeasureLike = str | Measure[Any] | Callable[[Any, Any], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A dependency estimate beside what chance alone would give.

    Attributes
    ----------
    measure : str
        Name of the measure.
    n : int
        Rows that both variables have.
    observed : float
        The raw estimate.
    bound : float
        The largest value it can take.
    adjusted : float
        The share of the way from chance to the bound: 0 is chance, 1 the maximum.
    standardized : float
        Distance from chance in null standard deviations.
    p_value : float
        Chance of a value at least as large under independence.
    sign : int or None
        Direction of the relation, where the measure has one.
    null : Null
        The distribution under independence: mean, std, quantile(p), sf(d), engine, reason.
    adjusted_se, standardized_se : float
        Monte Carlo standard errors; 0 where the null is exact.
    note : str
        What a reader should know, such as a constant column.
    """

    measure: str
    n: int
    observed: float
    bound: float
    adjusted: float
    standardized: float
    p_value: float
    sign: int | None
    null: Null = field(repr=False)
    adjusted_se: float = 0.0
    standardized_se: float = 0.0
    note: str = ""

    def adjusted_at(self, alpha: float) -> float:
        """The excess over the null's (1 − alpha)-quantile; a small alpha favors estimates on many rows."""
        number_within(alpha, "alpha", 1)
        return math.nan if math.isnan(self.observed) else adjust_at(self.observed, self.null, alpha)

    def adjusted_at_se(self, alpha: float) -> float:
        """Monte Carlo standard error of adjusted_at(alpha)."""
        number_within(alpha, "alpha", 1)
        return self.null.quantile_se(1 - alpha)


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
    pair = _read_pair(registry.resolve(measure), x, y)
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
    null : str, Permutation or Auto
        "auto" (the cheapest whose level is right), "paper", "moments", "exact", "normal", "multinomial",
        or `bc.Permutation(resamples=…)`.
    bound : float or str, optional
        The largest value, instead of the measure's own: a number, or a name such as "arithmetic" for "mi".
    rng : int, SeedSequence or Generator
        Seed of the Monte Carlo nulls: same seed, same answer.
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
    _check_null(null)
    pair = _read_pair(resolved, x, y)
    root = root_seed(rng)
    if pair.is_too_short:
        return _too_short(pair)
    limit = _resolve_bound(bound, pair)
    observed = pair.estimate()
    if pair.is_degenerate:
        return _degenerate(pair, observed, limit, "a column is constant, or a label of its own for every row")
    request = Request(
        measure=resolved,
        x=pair.x,
        y=pair.y,
        observed=observed,
        bound=limit,
        root=root,
        rows=pair.rows,
        n_rows=pair.n_rows,
        progress=progress,
    )
    distribution = choose_null(null, request)
    if distribution.is_degenerate and abs(observed - distribution.mean) <= tolerance(observed, 0.0):
        return _degenerate(pair, observed, limit, "every re-pairing gives the same value")
    return _estimate(pair, observed, limit, distribution)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two variables on the rows they share, prepared; None where there are too few."""

    measure: Measure[Any]
    x: Any
    y: Any
    n: int
    rows: NDArray[np.bool_] | None
    n_rows: int

    @property
    def is_too_short(self) -> bool:
        return self.n < self.measure.min_n

    @property
    def is_degenerate(self) -> bool:
        return bool(self.x.is_degenerate or self.y.is_degenerate)

    def estimate(self) -> float:
        return float(self.measure.estimate(self.x, self.y))


def _read_pair(resolved: Measure[Any], x: Any, y: Any) -> _Pair:
    first, second = read_column(x, "x"), read_column(y, "y")
    rows = shared_rows(first, second)
    n = len(first) if rows is None else int(rows.sum())
    values = _values(resolved, first, second, rows)
    if n < resolved.min_n:
        return _Pair(measure=resolved, x=None, y=None, n=n, rows=rows, n_rows=len(first))
    return _Pair(
        measure=resolved,
        x=resolved.prepare(values[0], Role.X),
        y=resolved.prepare(values[1], Role.Y),
        n=n,
        rows=rows,
        n_rows=len(first),
    )


def _values(
    resolved: Measure[Any], x: Column, y: Column, rows: NDArray[np.bool_] | None
) -> tuple[Values, Values]:
    """What the measure takes of each column: numbers, codes, or one of each."""
    if resolved.kinds is PairKind.NUMERIC:
        return numbers_of(x, rows, resolved.name), numbers_of(y, rows, resolved.name)
    if resolved.needs_shared_labels:
        return shared_codes_of(x, y, rows)
    if resolved.kinds is PairKind.CATEGORICAL:
        return codes_of(x, rows), codes_of(y, rows)
    if resolved.kinds is PairKind.ANY:
        return _by_kind(x, rows, resolved.name), _by_kind(y, rows, resolved.name)
    if y.kind is Kind.CATEGORICAL and x.kind is Kind.NUMERIC:
        return numbers_of(x, rows, resolved.name), codes_of(y, rows)
    return codes_of(x, rows), numbers_of(y, rows, resolved.name)


def _by_kind(column: Column, rows: NDArray[np.bool_] | None, name: str) -> Values:
    return codes_of(column, rows) if column.kind is Kind.CATEGORICAL else numbers_of(column, rows, name)


def _estimate(pair: _Pair, observed: float, bound: float, null: Null) -> Estimate:
    room, has_spread = bound - null.mean, null.std > 0
    notes = [
        "" if room > 0 else "the bound is not above the null mean, so there is nothing to share out",
        "" if has_spread else "all draws are equal, so the standardized score is unknown; draw more",
    ]
    return Estimate(
        measure=pair.measure.name,
        n=pair.n,
        observed=observed,
        bound=bound,
        adjusted=quantify(observed, null, bound) if room > 0 else 0.0,
        standardized=standardize(observed, null) if has_spread else math.nan,
        p_value=null.sf(observed),
        sign=pair.measure.sign(pair.x, pair.y),
        null=null,
        adjusted_se=abs(observed - bound) / room**2 * null.mean_se if room > 0 else 0.0,
        standardized_se=null.standardized_se(observed) if has_spread else math.nan,
        note="; ".join(filter(None, notes)),
    )


def _degenerate(pair: _Pair, observed: float, bound: float, note: str) -> Estimate:
    """docs/conventions.md: nothing can be learned, so all three adjustments are 0 and p is 1."""
    return Estimate(
        measure=pair.measure.name,
        n=pair.n,
        observed=observed,
        bound=bound,
        adjusted=0.0,
        standardized=0.0,
        p_value=1.0,
        sign=pair.measure.sign(pair.x, pair.y),
        null=DegenerateNull(mean=observed, reason=note),
        note=note,
    )


def _too_short(pair: _Pair) -> Estimate:
    """docs/conventions.md: there is no estimate on so few rows."""
    note = f"{pair.n} shared rows; {pair.measure.name} needs {pair.measure.min_n}"
    return Estimate(
        measure=pair.measure.name,
        n=pair.n,
        observed=math.nan,
        bound=math.nan,
        adjusted=math.nan,
        standardized=math.nan,
        p_value=math.nan,
        sign=None,
        null=DegenerateNull(mean=math.nan, reason=note),
        note=note,
    )


def _resolve_bound(bound: float | str | None, pair: _Pair) -> float:
    if bound is None or isinstance(bound, str):
        return float(pair.measure.bound(pair.x, pair.y, bound))
    return finite_number(bound, "bound")


def _check_null(null: object) -> None:
    if not isinstance(null, str | Permutation | Auto):
        raise TypeError(
            f"`null` must be one of {', '.join(NULL_NAMES)}, a bc.Permutation or a bc.Auto; got {null!r}."
        )
