"""One pair of columns → an Estimate: prepared on the rows both have, its null, its three adjustments."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.adjustments import adjust_at, quantify, standardize
from bychance.columns import Column, codes_of, numbers_of, shared_codes_of, shared_rows
from bychance.errors import BychanceWarning, MeasureError
from bychance.intervals import Sample
from bychance.kinds import Kind, PairKind, Role
from bychance.measures import Measure
from bychance.measures.base import Values
from bychance.nulls.base import DegenerateNull, Null, tolerance
from bychance.nulls.choose import NULL_NAMES, Auto, NullSpec, Request, choose_null
from bychance.nulls.permutation import Permutation
from bychance.validation import finite_number, number_within
from bychance.wording import summary_of

__all__ = ["NO_QUANTILE", "Estimate", "Memory", "Pair", "check_null", "evaluate", "prepare_pair", "sample_of"]

CONSTANT = "a column is constant, or a label of its own for every row"
NO_CHOICE = "every re-pairing gives the same value"
NO_OTHER = "every permutation drawn gave the same value"
NO_QUANTILE = "adjusted_at is the observed value less the bound"


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
    sample : Sample or None
        The two variables, from which `interval` works out limits.
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
    sample: Sample | None = field(default=None, repr=False, compare=False)

    @property
    def adjusted_low(self) -> float:
        """The lower 95% limit of `adjusted`."""
        return self.interval()[0]

    @property
    def adjusted_high(self) -> float:
        """The upper 95% limit of `adjusted`."""
        return self.interval()[1]

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence limits of `adjusted`: where the value in the population may lie, given these rows.

        In closed form for explained, r2, spearman, eta2, gini, goodman_kruskal, mi, phi2 and cramers_v; for
        other measures from 200 halves of the rows, by the seed that `adjust` was given. NaN where there is
        nothing to tell from. Limits are not below 0 where the measure's share of its maximum cannot be,
        though `adjusted` itself may be.

        >>> import bychance as bc
        >>> low, high = bc.adjust("r2", [1, 2, 3, 4, 5, 6, 7, 8], [2, 1, 4, 3, 6, 5, 8, 7]).interval()
        >>> round(low, 2), round(high, 2)
        (0.57, 0.91)
        """
        if not 0 < number_within(level, "level", 1) < 1:
            raise ValueError(f"`level` must lie in (0, 1), got {level!r}.")
        if self.sample is None:
            return math.nan, math.nan
        return self.sample.limits(
            observed=self.observed,
            adjusted=self.adjusted,
            null_mean=self.null.mean,
            null_std=self.null.std,
            bound=self.bound,
            level=level,
        )

    def adjusted_at(self, alpha: float) -> float:
        """The excess over the null's (1 − alpha)-quantile; a small alpha favors estimates on many rows.

        S permutations know no quantile for alpha < 1/(S + 1): the bound stands for it, with a warning.
        """
        number_within(alpha, "alpha", 1)
        if math.isnan(self.observed):
            return math.nan
        if doubt := self.null.doubt_at(alpha):
            warnings.warn(f"{doubt}; {NO_QUANTILE}.", BychanceWarning, stacklevel=2)
        return adjust_at(self.observed, self.null.quantile(1 - alpha))

    def summary(self) -> str:
        """One sentence to cite: the estimate, what chance would give, the adjusted value, and the p-value.

        >>> import bychance as bc
        >>> bc.adjust("r2", [1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5]).summary()
        'r2 = 0.687 on 6 rows, where chance alone would give 0.200; adjusted for chance 0.608 (95% limits ...
        """
        return summary_of(self)

    def adjusted_at_se(self, alpha: float) -> float:
        """Monte Carlo standard error of adjusted_at(alpha); NaN where permutations are too few for alpha."""
        number_within(alpha, "alpha", 1)
        return self.null.quantile_se(1 - alpha)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two variables on the rows they share, prepared; None where there are too few."""

    measure: Measure[Any]
    x: Any
    y: Any
    n: int
    rows: NDArray[np.bool_] | None
    n_rows: int
    names: tuple[str, str]

    @property
    def is_too_short(self) -> bool:
        """Whether there are fewer shared rows than the measure needs."""
        return self.n < self.measure.min_n

    @property
    def is_degenerate(self) -> bool:
        """Whether a column alone makes every re-pairing the same."""
        return bool(self.x.is_degenerate or self.y.is_degenerate)

    def estimate(self) -> float:
        """The raw value."""
        return float(self.measure.estimate(self.x, self.y))


class Memory:
    """Variables already prepared, by column, side and rows; the oldest make room once there are too many.

    With missing values a variable is prepared on the rows that a pair shares; many pairs share the same.
    """

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._held: dict[tuple[str, Role, bool, bytes], Any] = {}

    def prepared(
        self,
        measure: Measure[Any],
        column: Column,
        role: Role,
        as_numbers: bool,
        rows: NDArray[np.bool_] | None,
    ) -> Any:
        """The variable, made ready for the measure on these rows."""
        key = (column.name, role, as_numbers, b"" if rows is None else np.packbits(rows).tobytes())
        if key not in self._held:
            if len(self._held) >= self._size:
                del self._held[next(iter(self._held))]
            self._held[key] = measure.prepare(_values(measure, column, as_numbers, rows), role)
        return self._held[key]


def prepare_pair(measure: Measure[Any], x: Column, y: Column, memory: Memory | None = None) -> Pair:
    """Two columns made ready for a measure on the rows that both have.

    `memory` serves one measure: it keeps what was prepared for the next pairs.
    """
    rows = shared_rows(x, y)
    n = len(x) if rows is None else int(rows.sum())
    numbers = _takes_numbers(measure, x.kind, y.kind)
    first = second = None
    if measure.needs_shared_labels:
        codes = shared_codes_of(x, y, rows)
        if n >= measure.min_n:
            first, second = measure.prepare(codes[0], Role.X), measure.prepare(codes[1], Role.Y)
    elif n >= measure.min_n:
        memory = Memory() if memory is None else memory
        first = memory.prepared(measure, x, Role.X, numbers[0], rows)
        second = memory.prepared(measure, y, Role.Y, numbers[1], rows)
    else:
        for column, as_numbers in zip((x, y), numbers, strict=True):
            _values(measure, column, as_numbers, rows)  # the wrong kind is an error on few rows too
    return Pair(measure=measure, x=first, y=second, n=n, rows=rows, n_rows=len(x), names=(x.name, y.name))


def sample_of(measure: Measure[Any], x: Column, y: Column, seed: int) -> Sample:
    """Two columns on the rows that both have, as the measure's `prepare` takes them."""
    rows = shared_rows(x, y)
    if measure.needs_shared_labels:
        return Sample(measure, *shared_codes_of(x, y, rows), seed)
    numbers = _takes_numbers(measure, x.kind, y.kind)
    first, second = _values(measure, x, numbers[0], rows), _values(measure, y, numbers[1], rows)
    return Sample(measure, first, second, seed)


def evaluate(
    pair: Pair, *, null: NullSpec, bound: float | str | None = None, root: int, progress: bool = False
) -> Estimate:
    """The pair's estimate with its null; docs/conventions.md answers where there is nothing to learn."""
    if pair.is_too_short:
        return _too_short(pair)
    limit = _resolve_bound(bound, pair)
    if pair.is_degenerate:
        return _degenerate(pair, _estimate_if_any(pair), limit, CONSTANT)
    observed = pair.estimate()
    request = Request(
        measure=pair.measure,
        x=pair.x,
        y=pair.y,
        observed=observed,
        bound=limit,
        root=root,
        names=pair.names,
        rows=pair.rows,
        n_rows=pair.n_rows,
        progress=progress,
    )
    distribution = choose_null(null, request)
    if distribution.is_degenerate and abs(observed - distribution.mean) <= tolerance(observed, 0.0):
        return _degenerate(pair, observed, limit, NO_CHOICE if distribution.n_resamples is None else NO_OTHER)
    return _estimate(pair, observed, limit, distribution)


def _estimate_if_any(pair: Pair) -> float:
    """The raw value; NaN where a function of the user's own has none for a constant."""
    try:
        return pair.estimate()
    except MeasureError:
        return math.nan


def _takes_numbers(measure: Measure[Any], x: Kind, y: Kind) -> tuple[bool, bool]:
    """Whether the measure takes each of the two columns as numbers; otherwise as codes."""
    if measure.kinds is PairKind.NUMERIC:
        return True, True
    if measure.kinds is PairKind.CATEGORICAL:
        return False, False
    if measure.kinds is PairKind.ANY:
        return x is Kind.NUMERIC, y is Kind.NUMERIC
    return (True, False) if x is Kind.NUMERIC and y is Kind.CATEGORICAL else (False, True)


def _values(
    measure: Measure[Any], column: Column, as_numbers: bool, rows: NDArray[np.bool_] | None
) -> Values:
    return numbers_of(column, rows, measure.name) if as_numbers else codes_of(column, rows)


def _estimate(pair: Pair, observed: float, bound: float, null: Null) -> Estimate:
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
        adjusted=quantify(observed, null.mean, bound) if room > 0 else 0.0,
        standardized=standardize(observed, null.mean, null.std) if has_spread else math.nan,
        p_value=null.sf(observed),
        sign=pair.measure.sign(pair.x, pair.y),
        null=null,
        adjusted_se=abs(observed - bound) / room**2 * null.mean_se if room > 0 else 0.0,
        standardized_se=null.standardized_se(observed) if has_spread else math.nan,
        note="; ".join(filter(None, notes)),
    )


def _degenerate(pair: Pair, observed: float, bound: float, note: str) -> Estimate:
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


def _too_short(pair: Pair) -> Estimate:
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


def _resolve_bound(bound: float | str | None, pair: Pair) -> float:
    if bound is None or isinstance(bound, str):
        return float(pair.measure.bound(pair.x, pair.y, bound))
    return finite_number(bound, "bound")


def check_null(null: object) -> None:
    """An error where this cannot be a null."""
    if not isinstance(null, str | Permutation | Auto):
        raise TypeError(f"`null` must be one of {', '.join(NULL_NAMES)}, or a bc.Permutation; got {null!r}.")
