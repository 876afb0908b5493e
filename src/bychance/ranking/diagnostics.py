"""Checks of a table for dependent rows (time series, groups, repeats) and for copied columns.

In:  a table, the positions of the columns that are ranked, and the target.
Out: diagnoses of four checks: rows follow time, rows come in groups, rows repeat, columns are copies. Each
     has a note, and a caution for the verdict if it concerns a pair that was found.

Rows follow time if both columns of a pair are autocorrelated in the order of a time column, or of the file.
Rows come in groups if a column looks like an identifier of subjects by how its values repeat, and the target
differs between the subjects. Then n rows count as about n / (1 + (m − 1)·ρ_x·ρ_y) (Moulton 1986), m the size
of a group and ρ the intraclass correlations; of a series, as n·(1 − r_x·r_y) / (1 + r_x·r_y) (Bartlett 1935).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from bychance.columns import Column, are_distinct, coded, codes_of, crossed, numbers_of, shared_rows
from bychance.io import Table
from bychance.kinds import Kind
from bychance.measures.ranks import order_values
from bychance.measures.trace import centered_line
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.scores import standardize

__all__ = ["Diagnosis", "are_near_duplicates", "diagnose", "note_of_blocks"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

# Limits of work, and of words.
_FIRST_ROWS, _FIRST_COLUMNS = 5_000, 100  # that are looked at
_MOST_CELLS = 1 << 23  # compared for repeated rows
_NAMED = 3  # columns in a caution
# Matters of taste, tried on 284 public tables (studies/dependent_rows.py).
_FEWEST_ROWS, _FEWEST_GROUPS = 30, 5  # below, neighbors and groups say nothing
_DEVIATIONS = 4.0  # standard errors of a correlation between neighbors
_ALIKE, _MUCH_ALIKE = 0.3, 0.75  # correlation with the next row that counts: by a sure clock, and without one
_EVEN, _MOST_MISSING = 0.9, 0.1  # equal steps among those of a clock, and its missing values
_SHORTEST_SERIES = 3  # rows on average
_FEW_BLOCKS = 6  # whose orders leave no small p-value
_EXPECTED = 20.0  # pairs of rows that two columns would share by chance, and one in fifty of which do
_A_FUNCTION = 0.5  # ξ of a number that is a formula of another
_DIFFERS = 1e-3  # p-value of groups
_NOTED, _CAUTIONED = 0.01, 0.1  # repeated rows among all
_BY_CHANCE = 5.0  # times as many repeated rows as independent columns would have
_TIME_WORD = re.compile(
    r"(?<![^\W\d_])(when|time|date|days?|hours?|minutes?|seconds?|weeks?|months?|quarters?|years?|periods?|epoch|"
    r"ticks?|t)(?![^\W\d_])",
    re.IGNORECASE,
)


_COUNT_WORD = re.compile("freq|frequency|counts?|n|number|cases", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Problem found in rows or columns: a note, and a caution if the verdict counts a pair of `columns`.

    `n_effective` is about how many independent rows there are, 0 if that is not known.
    """

    note: Note
    caution: str
    columns: tuple[str, ...]
    n_effective: int = 0
    is_constant_within: bool = False  # whether the target is constant within groups


def diagnose(
    table: Table, used: Sequence[int], target: str | None, null: NullSpec = "auto", *, is_sample: bool = False
) -> tuple[Diagnosis, ...]:
    """Return the diagnoses of four checks (order, groups, repeats, copies), dependent rows first.

    If the null permutes blocks or within groups, dependence is not checked again. A sample of the rows of a
    stream can show their order, but neither groups nor copies.

    >>> from bychance.io import read_table
    >>> rng, school = np.random.default_rng(0), np.arange(300) % 15
    >>> columns = {name: rng.normal(size=15)[school] for name in ("budget", "funding")}
    >>> table = read_table(columns | {"school": [f"s{k}" for k in school], "score": rng.normal(size=300)})
    >>> diagnose(table, range(4), "funding")[0].caution
    'Caution: rows are 15 groups by school, and funding differs between these: 300 rows count as about 15.'
    """
    if (cells := counted_cells(table)) is not None:
        return (cells,)
    if table.n_rows < _FEWEST_ROWS:
        return ()
    used = sorted(set(used), key=lambda k: (table.names[k] != target, k))[:_FIRST_COLUMNS]
    repeated = None if is_sample else repeated_rows(table)
    found: list[Diagnosis | None] = []
    if not (isinstance(null, Permutation) and null.is_restricted):
        clocks = _time_columns(table)
        order = time_order(table, used, target, clocks)
        is_timed = order is not None and any(clock.is_time for clock in clocks)
        has_reason = is_sample or is_timed or (repeated is not None and repeated.caution)
        groups = None if has_reason else rows_in_groups(table, used, target, clocks)
        # Groups one below the other resemble their neighbors, too: what leaves fewer rows is told.
        reasons = [reason for reason in (order, groups) if reason is not None]
        found.append(min(reasons, key=lambda reason: reason.n_effective, default=None))
    found += [repeated, None if is_sample else copies(table, used, target)]
    return tuple(diagnosis for diagnosis in found if diagnosis is not None)


def note_of_blocks(null: NullSpec, n_rows: int) -> Note | None:
    """Return a note that confidence intervals ignore the groups or blocks of a restricted permutation."""
    if not isinstance(null, Permutation) or not null.is_restricted:
        return None
    if null.block is None:
        return Note.on_table(Code.PERMUTED_IN_GROUPS)
    n_blocks = math.ceil(n_rows / null.block)
    if n_blocks > _FEW_BLOCKS:
        return Note.on_table(Code.PERMUTED_IN_BLOCKS)
    orders = math.factorial(n_blocks)
    return Note.on_table(Code.PERMUTED_IN_FEW_BLOCKS, n=n_blocks, n_orders=orders, smallest=1 / orders)


# ---- rows follow time


@dataclass(frozen=True, slots=True, eq=False)
class _TimeColumn:
    """A column that counts time along the rows, and the number of the time series of each row.

    `is_time` is True if it surely counts time. Row numbers and even grids may belong to a table sorted by
    anything. `order` sorts rows that are not in the order of their dates.
    """

    position: int
    series: Codes
    is_time: bool
    order: NDArray[np.intp] | None = None


def _time_columns(table: Table) -> list[_TimeColumn]:
    """Return the time columns of the table, the certain ones first and unsorted dates last."""
    found = (_time_column(k, column) for k, column in enumerate(table.columns) if column.kind is Kind.NUMERIC)
    clocks = [clock for clock in found if clock is not None]
    return sorted(clocks, key=lambda clock: (clock.order is not None, not clock.is_time))


def _time_column(position: int, column: Column) -> _TimeColumn | None:
    """Return the column as a time axis if it has dates or equal steps, which may restart per series."""
    rows, values = _known_rows(column), column.present.astype(np.float64)
    if len(rows) < max((1 - _MOST_MISSING) * len(column), 2):
        return None
    steps = np.diff(values / max(float(np.abs(values).max()), 1.0))
    if np.count_nonzero(steps < 0) > np.count_nonzero(steps > 0):
        steps = -steps
    is_back, n_onward = steps < 0, int(np.count_nonzero(steps > 0))
    n_series, is_date = 1 + int(is_back.sum()), column.clock is not None
    if n_onward and n_series * _SHORTEST_SERIES <= len(values) and (is_date or _is_even(steps)):
        series = np.zeros(len(column), dtype=np.int64)
        series[rows[1:]] = np.cumsum(is_back)
        if is_date:
            is_time = 2 * n_onward >= len(steps) - n_series + 1  # else rows may be sorted by day
        else:
            is_number_of_row = _is_whole(values) and values.min() in (0, 1)
            has_fractions = not _is_whole(values)
            is_time = _TIME_WORD.search(column.name) is not None or not (is_number_of_row or has_fractions)
        return _TimeColumn(position, np.maximum.accumulate(series), is_time)
    if is_date and 2 * len(np.unique(values)) > len(column):
        order = rows[np.argsort(values, kind="stable")]
        return _TimeColumn(position, np.zeros(len(order), dtype=np.int64), False, order)
    return None


def _is_even(steps: Floats) -> bool:
    """Return True if most forward steps equal the median step within a quarter."""
    usual = float(np.median(steps))
    onward = steps[np.sign(steps) * np.sign(usual) >= 0]
    return usual != 0 and bool(np.mean(np.abs(onward - usual) <= abs(usual) / 4) >= _EVEN)


def _is_whole(values: Floats) -> bool:
    return not np.mod(values, 1.0).any()


def _known_rows(column: Column) -> NDArray[np.intp]:
    return np.arange(len(column)) if column.is_missing is None else np.flatnonzero(~column.is_missing)


def time_order(
    table: Table, used: Sequence[int], target: str | None, clocks: Sequence[_TimeColumn]
) -> Diagnosis | None:
    """Return a diagnosis if rows are autocorrelated in the order of a time column or of the file."""
    columns, by_number = table.columns, None
    for clock in clocks:
        if not clock.is_time and clock.order is None:
            by_number = by_number or clock
            continue
        others = [columns[k] for k in used if k != clock.position]
        n_needed = 1 if clock.is_time and clock.position in used else 2
        rows = slice(_FIRST_ROWS) if clock.order is None else clock.order[:_FIRST_ROWS]
        alike = _autocorrelated(others, rows, clock.series, target, n_needed, is_sure=clock.is_time)
        if alike:
            return _follow(table, clock, alike, target)
    # Sorted by day or year, rows are no series yet: only a count of the rows is enough beside one column.
    counts_rows = (
        by_number is not None and by_number.position in used and columns[by_number.position].clock is None
    )
    n_needed = 1 if counts_rows and target is not None else 2
    series = np.zeros(table.n_rows, dtype=np.int64) if by_number is None else by_number.series
    known = {clock.position for clock in clocks}
    for k, column in enumerate(columns[:_FIRST_COLUMNS]):
        if k not in known and _is_sorted(column):  # what goes with it resembles its neighbors
            series = crossed(series, _codes(column) + 1)
    others = [columns[k] for k in used if k not in known and not _is_sorted(columns[k])]
    alike = _autocorrelated(others, slice(_FIRST_ROWS), series, target, n_needed)
    return _follow(table, by_number, alike, target) if alike else None


def _autocorrelated(
    columns: Sequence[Column],
    rows: slice | NDArray[np.intp],
    series: Codes,
    target: str | None,
    n_needed: int,
    *,
    is_sure: bool = False,
) -> dict[str, float]:
    """Return {name: lag-1 correlation} of autocorrelated columns, empty if too few or if the target is not.

    Without a certain time column, steps must be smooth, too, since sorting by a dropped column also makes
    neighbors similar.
    """
    found: dict[str, float] = {}
    for column in columns:
        part = column.at(rows)
        present = _known_rows(part)
        if len(present) >= _FEWEST_ROWS and (is_sure or column.kind is Kind.NUMERIC):
            of = series[: len(part)][present]
            correlation, is_smooth = _lag_correlation(part.present, of, column.kind)
            least = max(_ALIKE, _DEVIATIONS / math.sqrt(len(present))) if is_sure else _MUCH_ALIKE
            if correlation > least and (is_sure or is_smooth):
                found[column.name] = correlation
        if column.name == target and target not in found:
            return {}
    return found if len(found) >= n_needed else {}


def _lag_correlation(values: NDArray[np.generic], series: Codes, kind: Kind) -> tuple[float, bool]:
    """Return the lag-1 autocorrelation within series, and whether the steps are smooth.

    Ranks of numbers and indicators of categories are centered within series. Steps are smooth if they
    correlate by more than −1/2, the value for rows in random order.
    """
    if kind is Kind.NUMERIC:
        parts = order_values(values.astype(np.float64)).midranks[:, np.newaxis]
    else:
        codes = coded(values).astype(np.int64)
        n_runs, counts = 1 + np.count_nonzero(np.diff(codes)), np.bincount(codes)
        if n_runs <= len(counts) or len(codes) - counts.max() < 10:  # sorted by it, or nearly constant
            return 0.0, False
        parts = _indicators(codes)
    parts = parts - _means(parts, series)
    is_within, whole = series[1:] == series[:-1], float((parts**2).sum())
    if not whole > 0 or not is_within.any():
        return 0.0, False
    correlation = float((parts[1:] * parts[:-1])[is_within].sum()) / whole
    steps, is_both = np.diff(parts[:, 0]), is_within[1:] & is_within[:-1]
    steps -= steps[is_within].mean()
    n_steps, spread = int(np.count_nonzero(is_both)), float(np.mean(steps[is_within] ** 2))
    if not n_steps or not spread > 0:
        return correlation, False
    smooth = float(np.mean((steps[1:] * steps[:-1])[is_both])) / spread
    return correlation, smooth > -0.5 + _DEVIATIONS * math.sqrt(0.5 / n_steps)


def _means(parts: Floats, codes: Codes) -> Floats:
    """Return each column's mean over the group of each row."""
    of = coded(codes)
    sums = np.stack([np.bincount(of, part) for part in parts.T], axis=1)
    means: Floats = (sums / np.bincount(of)[:, np.newaxis])[of]
    return means


def _indicators(codes: Codes) -> Floats:
    """Return indicators of the twenty most common categories."""
    most = np.argsort(-np.bincount(codes), kind="stable")[:20]
    indicators: Floats = (codes[:, np.newaxis] == most[np.newaxis, :]).astype(np.float64)
    return indicators


def _is_sorted(column: Column) -> bool:
    """Return True if the values never fall or never rise, as in a column that sorted the rows."""
    values = column.at(slice(_FIRST_ROWS)).present
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())


def _follow(
    table: Table, clock: _TimeColumn | None, alike: dict[str, float], target: str | None
) -> Diagnosis:
    """Build the diagnosis of autocorrelated rows, in the order of a time column or of the file."""
    names = tuple(sorted(alike, key=lambda name: name != target))
    n_effective = _effective(table.n_rows, alike, target)
    told = {"columns": names, "n_rows": table.n_rows, "n_effective": n_effective}
    if clock is None:
        clock_names: tuple[str, ...] = ()
        resemble = f"neighboring rows resemble each other in {_in_words(names)}"
        note = Note.on_table(Code.NEIGHBORS_ALIKE, **told, option=Option("block", OPEN))
    else:
        clock_names, n_series = (table.names[clock.position],), int(clock.series[-1]) + 1
        shown, code = display_name(clock_names[0], 40), Code.ROWS_IN_ORDER
        resemble = f"rows follow {shown} and resemble their neighbors"
        if clock.order is not None:
            resemble, code = f"in the order of {shown} rows resemble their neighbors", Code.ROWS_SHUFFLED
        of_series = {"clock": clock_names[0], "n_series": n_series if n_series > 1 else None, "n": len(names)}
        note = Note.on_table(code, **of_series, **told, option=Option("block", OPEN))
    caution = f"Caution: {resemble}: {table.n_rows:,} rows count as about {n_effective:,}."
    return Diagnosis(note, caution, (*names, *clock_names), n_effective)


def _effective(n: int, alike: dict[str, float], target: str | None) -> int:
    """Return Bartlett's effective number of rows, for the two columns with the largest autocorrelation."""
    others = sorted(r for name, r in alike.items() if name != target)
    pair = [alike[target], *others[-1:]] if target in alike else others[-2:]
    product = math.prod(min(r, 0.99) for r in (pair * 2)[:2])
    return round(n * (1 - product) / (1 + product))


def _in_words(names: Sequence[str]) -> str:
    shown, n_more = [display_name(name, 40) for name in names[:_NAMED]], len(names) - _NAMED
    return in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))


# ---- rows come in groups


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of rows: the code of each row's group, and the column that names the groups, if any."""

    codes: Codes
    position: int | None
    name: str


def rows_in_groups(
    table: Table, used: Sequence[int], target: str | None, clocks: Sequence[_TimeColumn]
) -> Diagnosis | None:
    """Return a diagnosis if rows are grouped and the target (or two columns) differ between groups."""
    columns = [column.at(slice(_FIRST_ROWS)) for column in table.columns[:_FIRST_COLUMNS]]
    codes = [_codes(column) for column in columns]
    found = (_differing(table, units, codes, used, target) for units in _groupings(columns, codes, clocks))
    reasons = [reason for reason in found if reason is not None]
    return min(reasons, key=lambda reason: reason.n_effective, default=None)


def _codes(column: Column) -> Codes:
    """Return an integer code per row for its distinct value, −1 if missing."""
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[_known_rows(column)] = coded(column.present)
    return codes


def _groupings(
    columns: Sequence[Column], codes: Sequence[Codes], clocks: Sequence[_TimeColumn]
) -> Iterator[_Groups]:
    """Yield the groupings of rows by columns that look like identifiers of subjects, and by time series."""
    for k, column in enumerate(columns):
        if column.clock is None and _may_group(codes[k]):
            is_crossed = any(_never_meet(codes[k], other) for j, other in enumerate(codes) if j != k)
            if is_crossed or _are_numbered(column, codes[k]) or _has_properties(k, columns, codes):
                yield _Groups(codes[k], k, column.name)
    for clock in clocks:
        series, of = clock.series[: len(columns[0])], columns[clock.position]
        if clock.order is None and of.clock is None and _may_group(series):
            yield _Groups(series, None, f"series of {of.name}")


def _may_group(codes: Codes) -> bool:
    """Return True if there are at least five groups, with two rows or more on average."""
    counts = np.bincount(codes[codes >= 0])
    return bool(_FEWEST_GROUPS <= np.count_nonzero(counts) <= counts.sum() / 2)


def _never_meet(first: Codes, second: Codes) -> bool:
    """Return True if hardly any two rows agree in both columns, though chance would make many.

    This is typical of subjects that are measured once at each time, or by each judge.
    """
    is_known = (first >= 0) & (second >= 0)
    for rows in (slice(500), slice(None)):  # most columns meet soon
        one, other = first[rows][is_known[rows]], second[rows][is_known[rows]]
        if len(one) < 2:
            return False
        expected = _n_pairs(one) * _n_pairs(other) / _n_pairs(np.zeros(len(one), dtype=np.int64))
        met = _n_pairs(np.unique(one * (int(other.max()) + 1) + other, return_inverse=True)[1].reshape(-1))
        if 50 * met > max(expected, _EXPECTED):
            return False
    return expected >= _EXPECTED


def _n_pairs(codes: Codes) -> float:
    """Count the pairs of rows with equal codes."""
    counts = np.bincount(codes)
    return float((counts * (counts - 1.0)).sum()) / 2


def _are_numbered(column: Column, codes: Codes) -> bool:
    """Return True if the values are whole numbers from 0 or 1, and equal values are in consecutive rows."""
    values = column.values
    if column.kind is not Kind.NUMERIC or column.is_missing is not None or not _is_whole(values * 1.0):
        return False
    n_groups, n_runs = int(codes.max()) + 1, 1 + np.count_nonzero(np.diff(codes))
    n_numbers = float(values.max()) + 1 - float(values.min())
    return bool(values.min() in (0, 1) and n_runs == n_groups >= max(n_numbers / 2, 2 * _FEWEST_GROUPS))


def _has_properties(key: int, columns: Sequence[Column], codes: Sequence[Codes]) -> bool:
    """Return True if another numeric column is constant within groups, but is not their code or formula."""
    n_groups = int(codes[key].max()) + 1
    for column, code in zip(columns, codes, strict=True):
        n_values = int(code.max()) + 1
        if column is columns[key] or column.kind is not Kind.NUMERIC or column.clock is not None:
            continue
        if not (_FEWEST_GROUPS <= n_values <= n_groups and _is_constant(code, codes[key])):
            continue
        is_known = (code >= 0) & (codes[key] >= 0)
        if not _may_group(codes[key][is_known]):  # few rows have both
            continue
        if _names_groups(column, code, codes[key]):
            continue
        of_group = np.full(n_groups, -1.0)
        of_group[codes[key][is_known]] = code[is_known]
        known = np.flatnonzero(of_group >= 0)
        if columns[key].kind is not Kind.NUMERIC or not _is_formula(
            known.astype(np.float64), of_group[known]
        ):
            return True
    return False


def _names_groups(column: Column, codes: Codes, key: Codes) -> bool:
    """Return True if a column has one category per group, or one code of about as many whole numbers."""
    if not (_is_constant(codes, key) and _is_constant(key, codes)):
        return False
    values = column.present.astype(np.float64)
    is_code = _is_whole(values) and bool(np.ptp(values) < 2 * int(codes.max() + 1))
    return column.kind is not Kind.NUMERIC or is_code


def _is_constant(codes: Codes, key: Codes) -> bool:
    """Return True if the column is constant within every group of the key."""
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


def _is_formula(x: Floats, y: Floats) -> bool:
    """Return True if y is nearly a function of x, or x of y, by Chatterjee's ξ (chance variance 2/5n)."""
    n = len(x)
    for one, other in ((x, y), (y, x)):
        ranks = order_values(other).midranks
        spread = 2 * float((2 * np.arange(1, n + 1) - n - 1) @ np.sort(ranks)) / n**2
        xi = 1 - float(np.mean(np.abs(np.diff(ranks[np.argsort(one, kind="stable")])))) / spread
        if xi > max(_A_FUNCTION, 3 * math.sqrt(0.4 / n)):
            return True
    return False


def _differing(
    table: Table, units: _Groups, codes: Sequence[Codes], used: Sequence[int], target: str | None
) -> Diagnosis | None:
    """Return a diagnosis if the target, or two columns, differ between these groups of rows."""
    found: dict[str, float] = {}
    for k in used:
        if k >= len(codes) or k == units.position:
            continue
        column, code = table.columns[k], codes[k]
        if _is_sorted(column) or _names_groups(column.at(slice(_FIRST_ROWS)), code, units.codes):
            continue
        share = _intraclass(code, units.codes, column.kind)
        if share > 0:
            found[column.name] = share
        elif column.name == target:
            return None
    others = sorted(share for name, share in found.items() if name != target)
    if (target is not None and target not in found) or len(found) + (target is not None) < 2:
        return None
    first, second = (found[target], max(others, default=0.0)) if target else others[-2:]
    counts = np.bincount(units.codes[units.codes >= 0])
    size = float(counts @ counts / counts.sum()) - 1
    n_groups, n_effective = len(counts), round(table.n_rows / (1 + size * first * second))
    if units.position is not None:
        n_groups = len(np.unique(table.columns[units.position].present))
    names = tuple(sorted(found, key=lambda name: name != target))
    differ = f"{display_name(target, 40)} differs" if target is not None else f"{_in_words(names)} differ"
    count = f": {table.n_rows:,} rows count as about {n_effective:,}" if n_effective < table.n_rows else ""
    note = Note.on_table(
        Code.ROWS_IN_GROUPS,
        n_groups=n_groups,
        group=units.name,
        columns=names,
        n=len(names),
        n_rows=table.n_rows,
        n_effective=n_effective,
        option=Option("groups", OPEN),
    )
    groups = f"{n_groups:,} groups by {display_name(units.name, 40)}"
    caution = f"Caution: rows are {groups}, and {differ} between these{count}."
    of_groups = () if units.position is None else (units.name,)
    return Diagnosis(note, caution, (*names, *of_groups), n_effective, is_constant_within=first >= 1)


def _intraclass(own: Codes, key: Codes, kind: Kind) -> float:
    """Return the intraclass correlation of ranks (or categories), 0 if groups do not differ beyond chance."""
    is_known = (own >= 0) & (key >= 0)
    of, own = key[is_known], own[is_known]
    counts = np.bincount(coded(of)).astype(np.float64)
    n_groups, n = len(counts), len(of)
    if n_groups < _FEWEST_GROUPS or n <= n_groups or own.min() == own.max():
        return 0.0
    numbers = kind is Kind.NUMERIC
    parts = order_values(own.astype(np.float64)).midranks[:, np.newaxis] if numbers else _indicators(own)
    means = _means(parts, of)
    within, between = float(((parts - means) ** 2).sum()), float(((means - parts.mean(axis=0)) ** 2).sum())
    if within <= 1e-12 * between:
        return 1.0
    ratio = (between / (n_groups - 1)) / (within / (n - n_groups))
    if fdtrc((n_groups - 1) * parts.shape[1], (n - n_groups) * parts.shape[1], ratio) > _DIFFERS:
        return 0.0
    size = (n - counts @ counts / n) / (n_groups - 1)
    return float((ratio - 1) / (ratio - 1 + size))


# ---- rows that are cells, rows that repeat, and columns that are copies


def counted_cells(table: Table) -> Diagnosis | None:
    """Return a diagnosis if rows are cells of a contingency table, with one column of counts."""
    for column in table.columns:
        if column.kind is not Kind.NUMERIC or not _COUNT_WORD.fullmatch(column.name):
            continue
        values, others = column.present * 1.0, [each for each in table.columns if each is not column]
        n_cells = math.prod(len(np.unique(each.present)) for each in others)
        is_count = len(values) > 0 and values.min() >= 0 and values.max() > 1 and _is_whole(values)
        if is_count and len(others) > 1 and n_cells <= 2 * table.n_rows and not _n_repeated(others):
            note = Note.on_table(Code.CELLS_COUNTED, n_rows=table.n_rows, column=column.name)
            cells = f"{table.n_rows:,} cells of a table that {display_name(column.name, 40)} counts"
            return Diagnosis(note, f"Caution: rows are {cells}, not cases.", tuple(table.names))
    return None


def repeated_rows(table: Table) -> Diagnosis | None:
    """Return a diagnosis if rows repeat others, though a column has too many values for chance repeats."""
    first = max(table.columns[:_FIRST_COLUMNS], key=lambda c: len(np.unique(c.at(slice(1_000)).present)))
    if len(table) * table.n_rows > _MOST_CELLS * 8 or are_distinct(first.present):
        return None
    others, n_rows = [column for column in table.columns if column is not first], table.n_rows
    n_repeated = _n_repeated([first, *others])
    n_distinct = n_rows - n_repeated
    expected = math.prod(map(_share_alike, table.columns)) * n_rows * (n_rows - 1) / 2
    is_apart = len(np.unique(first.present)) >= max(20, n_distinct / 2)
    if n_repeated < max(_NOTED * n_rows, 1, _BY_CHANCE * expected) or not is_apart or 4 * n_distinct < n_rows:
        return None
    if others and 2 * n_repeated < _n_repeated(others):
        return None  # rounded measurements of the same case
    note = Note.on_table(Code.ROWS_REPEATED, n=n_repeated, n_rows=n_rows)
    told = f"Caution: {n_repeated:,} of {n_rows:,} rows repeat another; copies prove nothing."
    caution = told if n_repeated >= _CAUTIONED * n_rows else ""
    return Diagnosis(note, caution, tuple(table.names), n_distinct)


def _n_repeated(columns: Sequence[Column]) -> int:
    """Count the rows that repeat an earlier one in these columns, or return 0 if that takes too long."""
    rows = _known_rows(columns[0])
    groups, n_compared = np.zeros(len(rows), dtype=np.int64), 0
    for column in columns:
        n_compared += len(rows)
        if not len(rows) or n_compared > _MOST_CELLS:
            return 0
        both = groups * (len(column) + 2) + _codes(column)[rows] + 1
        _, groups, counts = np.unique(both, return_inverse=True, return_counts=True)
        groups = groups.reshape(-1)
        rows, groups = rows[counts[groups] > 1], groups[counts[groups] > 1]
    return len(rows) - len(np.unique(groups))


def _share_alike(column: Column) -> float:
    """Return the probability that two random rows have the same value, or are both missing."""
    n = len(column)
    return _n_pairs(_codes(column) + 1) * 2 / (n * (n - 1))


def copies(table: Table, used: Sequence[int], target: str | None) -> Diagnosis | None:
    """Return a diagnosis if predictors copy each other: a code and its category, or rescaled numbers."""
    if target is None:
        return None
    seen: dict[bytes, list[int]] = {}
    lines: dict[int, Floats] = {}
    for k in used:
        column = table.columns[k].at(slice(_FIRST_ROWS))
        codes = _codes(column)
        if column.name == target:
            continue
        if 1 < codes.max() + 1 <= len(codes) / 2:
            _, first, of = np.unique(codes, return_index=True, return_inverse=True)
            in_turn = np.argsort(np.argsort(first))[of.reshape(-1)]  # numbered as they come
            seen.setdefault(in_turn.tobytes() + (codes < 0).tobytes(), []).append(k)
        elif column.kind is Kind.NUMERIC and column.is_missing is None:
            ranks = order_values(column.values.astype(np.float64)).midranks
            spread = np.std(ranks)
            lines[k] = standardize(ranks, ranks.mean(), np.where(spread > 0, spread, 1.0))
    found = [alike for alike in seen.values() if len(alike) > 1]
    if len(lines) > 1:
        places, ranks_of = list(lines), np.stack(list(lines.values()))
        close = np.argwhere(np.triu(np.abs(ranks_of @ ranks_of.T) > 0.99 * ranks_of.shape[1], 1))
        found += [[places[a], places[b]] for a, b in close[:_FIRST_COLUMNS].tolist()]
    names = [tuple(table.names[k] for k in alike) for alike in found if _are_copies(table, *alike[:2])]
    if not names:
        return None
    note = Note.on_table(Code.NEAR_COPIES, columns=names[0], n=len(names) - 1 or None)
    more = f", as do {len(names) - 1:,} other pairs" if len(names) > 1 else ""
    said = f"{_in_words(names[0])} say the same{more}."
    return Diagnosis(note, said, (target, *(name for each in names for name in each)))


def _are_copies(table: Table, first: int, second: int) -> bool:
    """Return True if two columns carry the same information in all rows."""
    x, y = table.columns[first], table.columns[second]
    if x.kind is y.kind:
        return are_near_duplicates(x, y)
    number, category = (x, y) if x.kind is Kind.NUMERIC else (y, x)
    return _names_groups(number, _codes(number), _codes(category))


_SAME_LINE, _SAME_ORDER = 0.999, 0.9  # least r² of values and of ranks of near-duplicates (taste)


def are_near_duplicates(x: Column, y: Column) -> bool:
    """Return True if two numeric columns have r² above 0.999, or two categorical ones match after renaming.

    One extreme value that both columns have makes such an r² of anything; so ranks have to agree as well.

    >>> from bychance.read_column import read_column
    >>> celsius, fahrenheit = read_column([1, 20, 35], "c"), read_column([33.8, 68, 95], "f")
    >>> are_near_duplicates(celsius, fahrenheit)
    True
    >>> are_near_duplicates(read_column(["a", "b", "b"], "x"), read_column(["u", "v", "w"], "y"))
    False
    """
    rows = shared_rows(x, y)
    if x.kind is y.kind is Kind.NUMERIC:
        numbers = [numbers_of(column, rows, "r2") for column in (x, y)]
        return _r2(*numbers) > _SAME_LINE and _r2(*(order_values(v).midranks for v in numbers)) > _SAME_ORDER
    first, second = (codes_of(column, rows).astype(np.int64) for column in (x, y))
    n_cells = len(np.unique(first * (second.max() + 1) + second))
    return bool(n_cells == first.max() + 1 == second.max() + 1)


def _r2(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(centered_line(x).values @ centered_line(y).values) ** 2
