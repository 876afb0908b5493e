"""Checks for rows that are not independent, because they follow time or come in groups.

In:  the columns of a table, those that are ranked, and the target.
Out: a diagnosis: the number of independent rows that the rows count as, and the option that respects it.

Rows follow time if the target and another column resemble their neighbors in the order of a time column, or
of the file. A series counts as n·(1 − r_x·r_y) / (1 + r_x·r_y) rows (Bartlett 1935), r the correlations of
neighbors. Rows come in groups if the values of a column repeat as identifiers do, and the target differs
between its groups. Then rows count as n / (1 + (m − 1)·ρ_x·ρ_y) (Moulton 1986), m the size of a group and ρ
the intraclass correlations. Tests have a level of 1% over the columns tried (Bonferroni).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtri

from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, coded, crossed
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words

__all__ = [
    "FEWEST_ROWS",
    "FIRST_COLUMNS",
    "FIRST_ROWS",
    "Diagnosis",
    "codes_by_row",
    "in_words_of_columns",
    "is_constant",
    "is_whole",
    "known_rows",
    "ranks_or_indicators",
    "rows_in_groups",
    "time_order",
]

FIRST_ROWS, FIRST_COLUMNS = 5_000, 100  # rows and columns that are tested, to bound the time (taste)
_MOST_CATEGORIES = 20  # most common categories of a column that are compared between rows (taste)
_NAMED = 3  # columns that a caution names (taste)
_LEVEL = 0.01  # chance that any of the columns tried resembles its neighbors, or differs between groups
# Matters of taste, tried on 608 public tables (studies/dependent_rows.py).
FEWEST_ROWS = 30  # rows with a value that a column needs to be tested for autocorrelation
_FEWEST_GROUPS, _MANY_GROUPS = 5, 10  # of a crossed design, and otherwise: fewer may be categories
_FEWEST_PROPERTIES = 2  # numeric columns that must be constant within groups of a text column
# Correlations with the next row, and of a step with the next, that count without a time column.
_MUCH_ALIKE, _SMOOTH = 0.75, -0.4
_SHORTEST_SERIES = 3  # rows per time series, on average
_MOSTLY = (
    0.9  # share of rows with a time, of combinations equally often, and of groups whose rows stand together
)
_TIME_WORD = re.compile(
    r"(?<![^\W\d_])(when|time|date|days?|hours?|minutes?|seconds?|weeks?|months?|quarters?|years?|periods?|epoch|"
    r"ticks?|t)(?![^\W\d_])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Problem found in a table: a note, and a caution to show if two `columns` are a related pair.

    `n_effective` is about how many independent rows there are, 0 if that is not known.
    """

    note: Note
    caution: str
    columns: tuple[str, ...]
    n_effective: int = 0
    is_constant_within: bool = False  # whether the target is constant within groups


# ---- rows follow time


@dataclass(frozen=True, slots=True, eq=False)
class _Clock:
    """Column that counts time, with the number of the time series to which each row belongs.

    `order` sorts rows that are not in the order of their dates.
    """

    column: Column
    series: IntArray
    order: IndexArray | None = None


def time_order(columns: Sequence[Column], ranked: Sequence[Column], target: str | None) -> Diagnosis | None:
    """Return a diagnosis if rows are autocorrelated in the order of a time column or of the file."""
    level, n_rows = _LEVEL / max(len(ranked), 1), len(columns[0])
    clocks = [clock for clock in map(_clock, columns) if clock is not None and clock.column.name != target]
    for clock in sorted(clocks, key=lambda clock: clock.order is not None):
        is_sure = clock.order is None
        rows = slice(FIRST_ROWS) if clock.order is None else clock.order[:FIRST_ROWS]
        likeness = partial(_autocorrelation, rows=rows, series=clock.series, level=level, is_sure=is_sure)
        alike = _positive_correlations(
            (column for column in ranked if column is not clock.column), target, likeness
        )
        if len(alike) + (is_sure and clock.column in ranked) > 1:
            return _diagnose_order(clock, alike, target, n_rows)
    series = np.zeros(n_rows, dtype=np.int64)
    known = [clock.column for clock in clocks]
    for column in columns[:FIRST_COLUMNS]:
        if _is_sorted(column) and len(np.unique(column.present)) < len(column.present):
            known.append(column)
            if column.clock is None:  # what goes with equal values resembles its neighbors
                series = crossed(series, codes_by_row(column) + 1)
    likeness = partial(_autocorrelation, rows=slice(FIRST_ROWS), series=series, level=level, is_sure=False)
    alike = _positive_correlations((column for column in ranked if column not in known), target, likeness)
    return _diagnose_order(None, alike, target, n_rows) if len(alike) > 1 else None


def _clock(column: Column) -> _Clock | None:
    """Return the column as a time axis if it holds dates or has a name of time, otherwise None."""
    rows, is_date = known_rows(column), column.clock is not None
    is_named = is_date or _TIME_WORD.search(column.name) is not None
    if not is_named or column.kind is not Kind.NUMERIC or len(rows) < max(_MOSTLY * len(column), 2):
        return None
    values = column.present.astype(np.float64)
    steps = np.diff(values)
    if np.count_nonzero(steps < 0) > np.count_nonzero(steps > 0):
        steps = -steps
    is_back, n_onward = steps < 0, np.count_nonzero(steps > 0)
    n_series = 1 + np.count_nonzero(is_back)
    # Rows that are only sorted by day may be of different subjects.
    if n_series * _SHORTEST_SERIES <= len(values) and 2 * n_onward > len(steps) - n_series:
        series = np.zeros(len(column), dtype=np.int64)
        series[rows[1:]] = np.cumsum(is_back)
        return _Clock(column, np.maximum.accumulate(series))
    if is_date and 2 * len(np.unique(values)) > len(column):
        order = rows[np.argsort(values, kind="stable")]
        return _Clock(column, np.zeros(len(order), dtype=np.int64), order)
    return None


def _is_sorted(column: Column) -> bool:
    """Return True if the column's values are sorted, ascending or descending."""
    values = column.at(slice(FIRST_ROWS)).present
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())


def _autocorrelation(
    column: Column, *, rows: slice | IndexArray, series: IntArray, level: float, is_sure: bool
) -> float:
    """Return the lag-1 autocorrelation within series, or 0 if it is not clearly positive.

    Without a certain time column it must be large, and steps must be smooth, too, since sorting by a dropped
    column also makes neighbors similar.
    """
    part = column.at(rows)
    present = known_rows(part)
    if len(present) < FEWEST_ROWS or not (is_sure or column.kind is Kind.NUMERIC):
        return 0.0
    of, z = series[: len(part)][present], -float(ndtri(level))
    parts = ranks_or_indicators(coded(part.present), column.kind)
    parts -= _means(parts, of)
    is_within, whole = of[1:] == of[:-1], float((parts**2).sum())
    correlation = float((parts[1:] * parts[:-1])[is_within].sum()) / whole if whole > 0 else 0.0
    is_alike = correlation > (z / math.sqrt(len(present)) if is_sure else _MUCH_ALIKE)
    return correlation if is_alike and (is_sure or _is_smooth(parts[:, 0], is_within, z)) else 0.0


def _is_smooth(ranks: FloatArray, is_within: BoolArray, z: float) -> bool:
    """Return True if successive steps of `ranks` correlate above −1/2, the expected value in random order."""
    steps, is_both = np.diff(ranks), is_within[1:] & is_within[:-1]
    steps -= steps[is_within].mean()
    n_steps, spread = int(np.count_nonzero(is_both)), float(np.mean(steps[is_within] ** 2))
    if not n_steps or not spread > 0:
        return n_steps > 0  # ranks of a count of the rows rise evenly
    smooth = float(np.mean((steps[1:] * steps[:-1])[is_both])) / spread
    return smooth > _SMOOTH + z * math.sqrt(0.5 / n_steps)


def _diagnose_order(
    clock: _Clock | None, alike: dict[str, float], target: str | None, n_rows: int
) -> Diagnosis:
    """Build the diagnosis of autocorrelated rows, in the order of a time column or of the file."""
    product = math.prod(min(r, 0.99) for r in (_two_largest(alike, target) * 2)[:2])
    n_effective = round(n_rows * (1 - product) / (1 + product))
    count = f"{n_rows:,} rows count as about {n_effective:,}."
    told = {
        "columns": tuple(alike),
        "n_rows": n_rows,
        "n_effective": n_effective,
        "option": Option("block", OPEN),
    }
    if clock is None:
        caution = f"Caution: neighboring rows resemble each other in {in_words_of_columns(alike)}: {count}"
        return Diagnosis(Note.on_table(Code.NEIGHBORS_ALIKE, **told), caution, tuple(alike), n_effective)
    name, n_series = clock.column.name, int(clock.series[-1]) + 1
    shown = display_name(name, 40)
    code, resemble = Code.ROWS_IN_ORDER, f"rows follow {shown} and resemble"
    if clock.order is not None:
        code, resemble = Code.ROWS_SHUFFLED, f"in the order of {shown} rows resemble"
    of_series = {"clock": name, "n_series": n_series if n_series > 1 else None, "n": len(alike)}
    note = Note.on_table(code, **of_series, **told)
    return Diagnosis(note, f"Caution: {resemble} their neighbors: {count}", (*alike, name), n_effective)


# ---- rows come in groups


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Group number (`codes`) of each row by the values of a column, −1 if the value is missing.

    `conditions` are columns that each group has all values of, equally often, such as a time or a judge.
    """

    column: Column
    codes: IntArray
    conditions: list[IntArray]


def rows_in_groups(
    columns: Sequence[Column], ranked: Sequence[Column], target: str | None
) -> Diagnosis | None:
    """Return a diagnosis if rows come in groups between which the target (or two columns) differ."""
    looked_at = dict.fromkeys((*ranked, *columns[:FIRST_COLUMNS]))
    codes = {column: codes_by_row(column.at(slice(FIRST_ROWS))) for column in looked_at}
    compared = [column for column in ranked if not _is_sorted(column)]
    found = []
    for groups in filter(
        None, (_identifier_groups(column, codes) for column in codes if column.name != target)
    ):
        likeness = partial(_intraclass, codes=codes, groups=groups, level=_LEVEL / max(len(ranked), 1))
        alike = _positive_correlations(
            (column for column in compared if column is not groups.column), target, likeness
        )
        if target in alike or (target is None and len(alike) > 1):
            found.append(_diagnose_groups(groups, alike, target))
    return min(found, key=lambda each: each.n_effective, default=None)


def _identifier_groups(key: Column, codes: dict[Column, IntArray]) -> _Groups | None:
    """Return the groups of rows by a column's values if these repeat like identifiers, otherwise None.

    Rows of an identifier stand together, or each of its values meets every value of another column (a time, a
    judge) equally often, or it is text, and several numbers are constant within groups.
    """
    own = codes[key]
    known, n_groups = own[own >= 0], int(own.max()) + 1
    is_code = key.kind is not Kind.NUMERIC or (key.clock is None and is_whole(key.present))
    if not is_code or _TIME_WORD.search(key.name) or not _FEWEST_GROUPS <= n_groups <= len(known) / 2:
        return None
    others = {column: code for column, code in codes.items() if column is not key}
    conditions = [code for code in others.values() if _are_crossed(own, code)]
    n_runs = 1 + np.count_nonzero(np.diff(known))
    is_many = n_groups >= _MANY_GROUPS
    if conditions or (is_many and (_MOSTLY * n_runs <= n_groups or _have_properties(key, own, others))):
        return _Groups(key, own, conditions)
    return None


def _are_crossed(first: IntArray, second: IntArray) -> bool:
    """Return True if two columns are crossed: nine of ten combinations of values occur equally often."""
    n_first, n_second = int(first.max()) + 1, int(second.max()) + 1
    is_known = (first >= 0) & (second >= 0)
    if not 1 < n_second <= len(first) / 2 or n_first * n_second * _MOSTLY > np.count_nonzero(is_known):
        return False
    counts = np.bincount((first * n_second + second)[is_known], minlength=n_first * n_second)
    return bool(np.mean(counts == max(float(np.median(counts)), 1)) >= _MOSTLY)


def _have_properties(key: Column, own: IntArray, others: dict[Column, IntArray]) -> bool:
    """Return True if the key is text and at least two numeric columns are constant within its groups."""
    if key.kind is Kind.NUMERIC:
        return False
    numbers = (codes for column, codes in others.items() if column.kind is Kind.NUMERIC)
    n_properties = sum(codes.max() + 1 >= _FEWEST_GROUPS and is_constant(codes, own) for codes in numbers)
    return bool(n_properties >= _FEWEST_PROPERTIES)


def _intraclass(column: Column, *, codes: dict[Column, IntArray], groups: _Groups, level: float) -> float:
    """Return the intraclass correlation of ranks (or categories), 0 if groups do not differ beyond chance.

    Means of crossed conditions are subtracted first.
    """
    key = groups.codes
    is_known = (codes[column] >= 0) & (key >= 0)
    of, own = key[is_known], coded(codes[column][is_known])
    counts = np.bincount(coded(of)).astype(np.float64)
    n_groups, n = len(counts), len(of)
    if n_groups < _FEWEST_GROUPS or n <= n_groups or not own.any():
        return 0.0
    parts = ranks_or_indicators(own, column.kind)
    parts -= parts.mean(axis=0)
    for condition in groups.conditions:
        parts -= _means(parts, condition[is_known])
    means = _means(parts, of)
    within, between = float(((parts - means) ** 2).sum()), float((means**2).sum())
    if within <= 1e-12 * between:
        return 1.0
    used = sum(int(condition.max()) for condition in groups.conditions)
    free, free_within = n_groups - 1, max(n - n_groups - used, 1)
    ratio = (between / free) / (within / free_within)
    if fdtrc(free * parts.shape[1], free_within * parts.shape[1], ratio) > level:
        return 0.0
    size = (n - counts @ counts / n) / free
    return float((ratio - 1) / (ratio - 1 + size))


def _diagnose_groups(groups: _Groups, alike: dict[str, float], target: str | None) -> Diagnosis:
    """Build the diagnosis of columns that differ between groups."""
    key, n_rows, names = groups.column, len(groups.column), tuple(alike)
    first, second = (*_two_largest(alike, target), 0.0)[:2]
    counts = np.bincount(groups.codes[groups.codes >= 0])
    size = float(counts @ counts / counts.sum()) - 1
    n_groups, n_effective = len(np.unique(key.present)), round(n_rows / (1 + size * first * second))
    note = Note.on_table(
        Code.ROWS_IN_GROUPS,
        n_groups=n_groups,
        group=key.name,
        columns=names,
        n=len(names),
        n_rows=n_rows,
        n_effective=n_effective,
        option=Option("groups", OPEN),
    )
    differ = (
        f"{in_words_of_columns(names)} differ"
        if target is None
        else f"{in_words_of_columns([target])} differs"
    )
    count = f": {n_rows:,} rows count as about {n_effective:,}" if n_effective < n_rows else ""
    of_groups = f"{n_groups:,} groups by {display_name(key.name, 40)}"
    caution = f"Caution: rows are {of_groups}, and {differ} between these{count}."
    return Diagnosis(note, caution, (*names, key.name), n_effective, is_constant_within=first >= 1)


# ---- columns whose rows resemble each other


def _positive_correlations(
    columns: Iterable[Column], target: str | None, likeness: Callable[[Column], float]
) -> dict[str, float]:
    """Apply `likeness` to columns and return the positive results by name, or {} if the target has none."""
    found: dict[str, float] = {}
    for column in columns:
        if (correlation := likeness(column)) > 0:
            found[column.name] = correlation
        elif column.name == target:
            return {}
    return found


def _two_largest(alike: dict[str, float], target: str | None) -> list[float]:
    """Return the target's correlation and the next largest, or the two largest if it is not in `alike`."""
    others = sorted((r for name, r in alike.items() if name != target), reverse=True)
    return [alike[target], *others[:1]] if target in alike else others[:2]


def in_words_of_columns(names: Iterable[str]) -> str:
    """Join up to three column names as text, and count the others."""
    shown = [display_name(name, 40) for name in names]
    n_more = len(shown) - _NAMED
    return in_words((*shown[:_NAMED], f"{n_more:,} more") if n_more > 0 else tuple(shown))


# ---- columns as codes, ranks and indicators


def known_rows(column: Column) -> IndexArray:
    """Return the positions of rows that have a value."""
    return np.arange(len(column)) if column.is_missing is None else np.flatnonzero(~column.is_missing)


def codes_by_row(column: Column) -> IntArray:
    """Return each row's value as an integer code, in ascending order of values, −1 if missing."""
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[known_rows(column)] = coded(column.present)
    return codes


def is_whole(values: NDArray[np.generic]) -> bool:
    """Return True if all numbers are integers."""
    return not np.mod(values, 1).any()


def is_constant(codes: IntArray, key: IntArray) -> bool:
    """Return True if all rows with the same key have the same code."""
    is_known = (codes >= 0) & (key >= 0)
    for rows in (slice(100), slice(None)):  # most columns vary soon
        some, of = codes[rows][is_known[rows]], key[rows][is_known[rows]]
        if not len(some):
            return False
        last = np.zeros(int(of.max()) + 1, dtype=np.int64)
        last[of] = some
        if not (last[of] == some).all():
            return False
    return True


def ranks_or_indicators(codes: NDArray[np.integer], kind: Kind) -> FloatArray:
    """Convert codes to one column of ranks if numeric, else to 0/1 indicators of common categories."""
    if kind is Kind.NUMERIC:
        return order_values(codes.astype(np.float64)).midranks[:, np.newaxis]
    most = np.argsort(-np.bincount(codes), kind="stable")[:_MOST_CATEGORIES]
    indicators: FloatArray = (codes[:, np.newaxis] == most).astype(np.float64)
    return indicators


def _means(parts: FloatArray, codes: IntArray) -> FloatArray:
    """Return each row's group mean, for every column of the matrix `parts`."""
    of = coded(codes)
    sums = np.stack([np.bincount(of, part) for part in parts.T], axis=1)
    means: FloatArray = (sums / np.bincount(of)[:, np.newaxis])[of]
    return means
