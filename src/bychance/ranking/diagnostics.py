"""Checks of a table for dependent rows (time series, groups, repeats) and for copied columns.

In:  the columns of a table, the positions of those that are ranked, and the target.
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, ndtri

from bychance.array_types import BoolArray, FloatArray, IndexArray, IntArray
from bychance.columns import Column, are_distinct, coded, codes_of, crossed, numbers_of, shared_rows
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.measures.trace import centered_line
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation

__all__ = ["Diagnosis", "are_near_duplicates", "diagnose", "note_of_blocks"]


# Limits of work, and of words.
_FIRST_ROWS, _FIRST_COLUMNS = 5_000, 100  # that are looked at
_MOST_CELLS = 1 << 23  # compared for repeated rows
_MOST_CATEGORIES = 20  # of a column, the most common ones, that are compared
_NAMED = 3  # columns in a caution
# Matters of taste, tried on 367 public tables, judged on 241 others (studies/dependent_rows.py).
_LEVEL = 1e-3  # p-value below which neighbors or groups resemble each other
_FEWEST_ROWS, _FEWEST_GROUPS = 30, 5  # below, neighbors and groups say nothing
_MUCH_ALIKE = 0.75  # correlation with the next row that counts without a time column
_EVEN, _MOST_MISSING = 0.9, 0.1  # equal steps in a count of rows, and missing values of a clock
_SHORTEST_SERIES = 3  # rows on average
_FEW_BLOCKS = 6  # whose orders leave no small p-value
_MEETINGS = 5.0  # pairs of rows that two columns would share by chance, and one in fifty of which do
_A_FUNCTION = 0.5  # ξ of a number that is a formula of another
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
    """Problem found in a table: a note, and a caution for the verdict if a pair of `columns` is found.

    `n_effective` is about how many independent rows there are, 0 if that is not known.
    """

    note: Note
    caution: str
    columns: tuple[str, ...]
    n_effective: int = 0
    is_constant_within: bool = False  # whether the target is constant within groups


def diagnose(
    columns: Sequence[Column],
    used: Sequence[int],
    target: str | None,
    null: NullSpec = "auto",
    *,
    is_sample: bool = False,
) -> tuple[Diagnosis, ...]:
    """Check a table for ordered, grouped or repeated rows and copied columns, and return the problems.

    If the null permutes blocks or within groups, dependence is not checked again. A sample of the rows of a
    stream can show their order, but neither groups nor copies.

    >>> from bychance.io import read_table
    >>> rng, school = np.random.default_rng(0), np.arange(300) % 15
    >>> columns = {name: rng.normal(size=15)[school] for name in ("budget", "funding")}
    >>> table = read_table(columns | {"school": [f"s{k}" for k in school], "score": rng.normal(size=300)})
    >>> diagnose(table.columns, range(4), "funding")[0].caution
    'Caution: rows are 15 groups by school, and funding differs between these: 300 rows count as about 15.'
    """
    n_rows = len(columns[0]) if columns else 0
    if (cells := counted_cells(columns, n_rows)) is not None:
        return (cells,)
    if n_rows < _FEWEST_ROWS:
        return ()
    order = sorted(set(used), key=lambda k: (columns[k].name != target, k))
    ranked = [columns[k] for k in order[:_FIRST_COLUMNS]]
    repeated = None if is_sample else repeated_rows(columns)
    found: list[Diagnosis | None] = []
    if not (isinstance(null, Permutation) and null.is_restricted):
        clocks = _clocks(columns)
        follow = time_order(columns, ranked, target, clocks)
        is_timed = follow is not None and any(clock.is_time for clock in clocks)
        has_reason = is_sample or is_timed or (repeated is not None and repeated.caution)
        groups = None if has_reason else rows_in_groups(columns, ranked, target, clocks)
        # Groups one below the other resemble their neighbors, too: what leaves fewer rows is told.
        found.append(min(filter(None, (follow, groups)), key=lambda each: each.n_effective, default=None))
    found += [repeated, None if is_sample else copies(ranked, target)]
    return tuple(filter(None, found))


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


# ---- columns as codes, ranks and indicators


def _known_rows(column: Column) -> IndexArray:
    return np.arange(len(column)) if column.is_missing is None else np.flatnonzero(~column.is_missing)


def _codes(column: Column) -> IntArray:
    """Return each row's value as an integer code, in ascending order of values, −1 if missing."""
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[_known_rows(column)] = coded(column.present)
    return codes


def _midranks(codes: NDArray[np.integer]) -> FloatArray:
    """Return each row's rank by its code, the average one for rows with equal codes."""
    counts = np.bincount(codes)
    ranks: FloatArray = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def _ranks_or_indicators(codes: NDArray[np.integer], kind: Kind) -> FloatArray:
    """Convert codes to one column of ranks if numeric, else to 0/1 indicators of common categories."""
    if kind is Kind.NUMERIC:
        return _midranks(codes)[:, np.newaxis]
    most = np.argsort(-np.bincount(codes), kind="stable")[:_MOST_CATEGORIES]
    indicators: FloatArray = (codes[:, np.newaxis] == most).astype(np.float64)
    return indicators


def _means(parts: FloatArray, codes: IntArray) -> FloatArray:
    """Return the mean of every column of `parts` over each row's group."""
    of = coded(codes)
    sums = np.stack([np.bincount(of, part) for part in parts.T], axis=1)
    means: FloatArray = (sums / np.bincount(of)[:, np.newaxis])[of]
    return means


def _is_whole(values: FloatArray) -> bool:
    return not np.mod(values, 1.0).any()


def _is_sorted(column: Column) -> bool:
    """Return True if the values never fall or never rise, as in a column that sorted the rows."""
    values = column.at(slice(_FIRST_ROWS)).present
    return bool((values[1:] >= values[:-1]).all() or (values[1:] <= values[:-1]).all())


# ---- columns whose rows resemble each other


def _alike(
    columns: Iterable[Column], target: str | None, likeness: Callable[[Column], float]
) -> dict[str, float]:
    """Return {name: correlation} of columns with a positive `likeness`, {} if the target has none."""
    found: dict[str, float] = {}
    for column in columns:
        if (correlation := likeness(column)) > 0:
            found[column.name] = correlation
        elif column.name == target:
            return {}
    return found


def _two_most(alike: dict[str, float], target: str | None) -> list[float]:
    """Return the target's correlation and the next largest, or the two largest if it is not in `alike`."""
    others = sorted((r for name, r in alike.items() if name != target), reverse=True)
    return [alike[target], *others[:1]] if target in alike else others[:2]


def _in_words(names: Iterable[str]) -> str:
    shown = [display_name(name, 40) for name in names]
    n_more = len(shown) - _NAMED
    return in_words((*shown[:_NAMED], f"{n_more:,} more") if n_more > 0 else tuple(shown))


# ---- rows follow time


@dataclass(frozen=True, slots=True, eq=False)
class _Clock:
    """Column that counts time or rows, with the number of the time series that each row belongs to.

    `is_time` is True if it surely counts time. Row numbers and even grids may belong to a table sorted by
    anything. `order` sorts rows that are not in the order of their dates.
    """

    column: Column
    series: IntArray
    is_time: bool
    order: IndexArray | None = None


def _clocks(columns: Sequence[Column]) -> list[_Clock]:
    """Return the columns that count time or rows: time columns first, unsorted dates last."""
    found = filter(None, map(_clock, columns))
    return sorted(found, key=lambda clock: (clock.order is not None, not clock.is_time))


def _clock(column: Column) -> _Clock | None:
    """Return the column as a time axis if its values look like time or row numbers, otherwise None.

    The steps of a column with a name of time need not be equal.
    """
    rows = _known_rows(column)
    if column.kind is not Kind.NUMERIC or len(rows) < max((1 - _MOST_MISSING) * len(column), 2):
        return None
    values = column.present.astype(np.float64)
    steps = np.diff(values / max(float(np.abs(values).max()), 1.0))
    if np.count_nonzero(steps < 0) > np.count_nonzero(steps > 0):
        steps = -steps
    is_back, n_onward = steps < 0, np.count_nonzero(steps > 0)
    n_series, is_date = 1 + np.count_nonzero(is_back), column.clock is not None
    is_named = is_date or _TIME_WORD.search(column.name) is not None
    is_time = is_named and bool(2 * n_onward > len(steps) - n_series)  # else rows may be sorted by day
    if n_onward and n_series * _SHORTEST_SERIES <= len(values) and (is_date or is_time or _is_even(steps)):
        series = np.zeros(len(column), dtype=np.int64)
        series[rows[1:]] = np.cumsum(is_back)
        return _Clock(column, np.maximum.accumulate(series), is_time)
    if is_date and 2 * len(np.unique(values)) > len(column):
        order = rows[np.argsort(values, kind="stable")]
        return _Clock(column, np.zeros(len(order), dtype=np.int64), False, order)
    return None


def _is_even(steps: FloatArray) -> bool:
    """Return True if at least 90% of the forward steps are within 25% of the median step."""
    usual = float(np.median(steps))
    onward = steps[np.sign(steps) * np.sign(usual) >= 0]
    return usual != 0 and bool(np.mean(np.abs(onward - usual) <= abs(usual) / 4) >= _EVEN)


def time_order(
    columns: Sequence[Column], used: Sequence[Column], target: str | None, clocks: Sequence[_Clock]
) -> Diagnosis | None:
    """Return a diagnosis if rows are autocorrelated in the order of a time column or of the file."""
    for clock in clocks:
        if clock.is_time or clock.order is not None:
            rows = slice(_FIRST_ROWS) if clock.order is None else clock.order[:_FIRST_ROWS]
            likeness = partial(_autocorrelation, rows=rows, series=clock.series, is_sure=clock.is_time)
            others = [column for column in used if column is not clock.column]
            alike = _alike(others, target, likeness)
            if len(alike) + (clock.is_time and clock.column in used) > 1:
                return _follow(clock, alike, target, len(columns[0]))
    number = next((clock for clock in clocks if not clock.is_time and clock.order is None), None)
    series = np.zeros(len(columns[0]), dtype=np.int64) if number is None else number.series
    known = [clock.column for clock in clocks]
    for column in columns[:_FIRST_COLUMNS]:
        if column not in known and _is_sorted(column):  # what goes with it resembles its neighbors
            series = crossed(series, _codes(column) + 1)
    others = [column for column in used if column not in known and not _is_sorted(column)]
    likeness = partial(_autocorrelation, rows=slice(_FIRST_ROWS), series=series, is_sure=False)
    alike = _alike(others, target, likeness)
    # Sorted by day, rows are no series yet: only a count of the rows is enough beside one column.
    counts_rows = number is not None and number.column in used and number.column.clock is None
    return _follow(number, alike, target, len(columns[0])) if len(alike) + counts_rows > 1 else None


def _autocorrelation(column: Column, *, rows: slice | IndexArray, series: IntArray, is_sure: bool) -> float:
    """Return the lag-1 autocorrelation within series, 0 if neighbors do not resemble each other.

    Without a certain time column it must be large, and steps must be smooth, too, since sorting by a dropped
    column also makes neighbors similar.
    """
    part = column.at(rows)
    present = _known_rows(part)
    if len(present) < _FEWEST_ROWS or not (is_sure or column.kind is Kind.NUMERIC):
        return 0.0
    of = series[: len(part)][present]
    parts = _ranks_or_indicators(coded(part.present), column.kind)
    parts -= _means(parts, of)
    is_within, whole = of[1:] == of[:-1], float((parts**2).sum())
    correlation = float((parts[1:] * parts[:-1])[is_within].sum()) / whole if whole > 0 else 0.0
    is_alike = correlation > (-ndtri(_LEVEL) / math.sqrt(len(present)) if is_sure else _MUCH_ALIKE)
    return correlation if is_alike and (is_sure or _is_smooth(parts[:, 0], is_within)) else 0.0


def _is_smooth(ranks: FloatArray, is_within: BoolArray) -> bool:
    """Return True if successive steps of `ranks` correlate above −1/2, the value for random order."""
    steps, is_both = np.diff(ranks), is_within[1:] & is_within[:-1]
    steps -= steps[is_within].mean()
    n_steps, spread = np.count_nonzero(is_both), float(np.mean(steps[is_within] ** 2))
    if not n_steps or not spread > 0:
        return False
    smooth = float(np.mean((steps[1:] * steps[:-1])[is_both])) / spread
    return bool(smooth > -0.5 - ndtri(_LEVEL) * math.sqrt(0.5 / n_steps))


def _follow(clock: _Clock | None, alike: dict[str, float], target: str | None, n_rows: int) -> Diagnosis:
    """Build the diagnosis of autocorrelated rows, in the order of a time column or of the file."""
    product = math.prod(min(r, 0.99) for r in (_two_most(alike, target) * 2)[:2])
    n_effective = round(n_rows * (1 - product) / (1 + product))
    count = f"{n_rows:,} rows count as about {n_effective:,}."
    told = {
        "columns": tuple(alike),
        "n_rows": n_rows,
        "n_effective": n_effective,
        "option": Option("block", OPEN),
    }
    if clock is None:
        caution = f"Caution: neighboring rows resemble each other in {_in_words(alike)}: {count}"
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
    """Groups of rows: their name, the column that they follow, and the group of each row, −1 if unknown."""

    name: str
    column: Column
    codes: IntArray


def rows_in_groups(
    columns: Sequence[Column], used: Sequence[Column], target: str | None, clocks: Sequence[_Clock]
) -> Diagnosis | None:
    """Return a diagnosis if rows are grouped and the target (or two columns) differ between groups."""
    codes = {column: _codes(column.at(slice(_FIRST_ROWS))) for column in columns[:_FIRST_COLUMNS]}
    found = []
    for groups in _groupings(codes, clocks):
        key = groups.codes[:_FIRST_ROWS]
        others = [
            column
            for column in used
            if column in codes and column is not groups.column
            if not (_is_sorted(column) or _names_groups(column, codes[column], key))
        ]
        likeness = partial(_intraclass, codes=codes, key=key)
        alike = _alike(others, target, likeness)
        if target in alike or (target is None and len(alike) > 1):
            found.append(_differ(groups, alike, target))
    return min(found, key=lambda each: each.n_effective, default=None)


def _groupings(codes: dict[Column, IntArray], clocks: Sequence[_Clock]) -> Iterator[_Groups]:
    """Yield the groupings of rows by columns that look like identifiers of subjects, and by time series."""
    for column, own in codes.items():
        if column.clock is None and _may_group(own):
            is_crossed = any(_never_meet(own, other) for other in codes.values() if other is not own)
            if is_crossed or _are_numbered(column, own) or _has_properties(column, codes):
                yield _Groups(column.name, column, _codes(column))
    for clock in clocks:
        if clock.order is None and clock.column.clock is None and _may_group(clock.series[:_FIRST_ROWS]):
            yield _Groups(f"series of {clock.column.name}", clock.column, clock.series)


def _may_group(codes: IntArray) -> bool:
    """Return True if there are at least five groups, with two rows or more on average."""
    counts = np.bincount(codes[codes >= 0])
    return bool(_FEWEST_GROUPS <= np.count_nonzero(counts) <= counts.sum() / 2)


def _never_meet(first: IntArray, second: IntArray) -> bool:
    """Return True if hardly any two rows agree in both columns, although many would by chance.

    This is typical of subjects that are measured once at each time, or by each judge.
    """
    is_known = (first >= 0) & (second >= 0)
    for rows in (slice(500), slice(None)):  # most columns meet soon
        one, other = first[rows][is_known[rows]], second[rows][is_known[rows]]
        if len(one) < 2:
            return False
        expected = _n_pairs(one) * _n_pairs(other) / math.comb(len(one), 2)
        if 50 * _n_pairs(coded(crossed(one, other))) > max(expected, _MEETINGS):
            return False
    return expected >= _MEETINGS


def _n_pairs(codes: NDArray[np.integer]) -> float:
    """Count the pairs of rows with equal codes."""
    counts = np.bincount(codes)
    return float((counts * (counts - 1.0)).sum()) / 2


def _are_numbered(column: Column, codes: IntArray) -> bool:
    """Return True if the values are whole numbers from 0 or 1, and equal values are in consecutive rows."""
    values = column.at(slice(_FIRST_ROWS)).values
    if column.kind is not Kind.NUMERIC or codes.min() < 0 or not _is_whole(values):
        return False
    n_groups, n_runs = int(codes.max()) + 1, 1 + np.count_nonzero(np.diff(codes))
    n_numbers = float(values.max()) + 1 - float(values.min())
    return bool(values.min() in (0, 1) and n_runs == n_groups >= max(n_numbers / 2, 2 * _FEWEST_GROUPS))


def _has_properties(key: Column, codes: dict[Column, IntArray]) -> bool:
    """Return True if another numeric column is constant within groups, but is not their code or formula."""
    own = codes[key]
    for column, code in codes.items():
        if column is key or column.kind is not Kind.NUMERIC or column.clock is not None:
            continue
        if not (_FEWEST_GROUPS <= code.max() + 1 <= own.max() + 1 and _is_constant(code, own)):
            continue
        is_known = (code >= 0) & (own >= 0)
        if not _may_group(own[is_known]) or _names_groups(column, code, own):  # few rows have both
            continue
        groups, first = np.unique(own[is_known], return_index=True)
        if key.kind is not Kind.NUMERIC or not _is_formula(groups, coded(code[is_known][first])):
            return True
    return False


def _names_groups(column: Column, codes: IntArray, key: IntArray) -> bool:
    """Return True if a column has one category per group, or one code of about as many whole numbers."""
    if not (_is_constant(codes, key) and _is_constant(key, codes)):
        return False
    values = column.at(slice(_FIRST_ROWS)).present.astype(np.float64)
    is_code = _is_whole(values) and bool(np.ptp(values) < 2 * int(codes.max() + 1))
    return column.kind is not Kind.NUMERIC or is_code


def _is_constant(codes: IntArray, key: IntArray) -> bool:
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


def _is_formula(x: NDArray[np.integer], y: NDArray[np.integer]) -> bool:
    """Return True if y is nearly a function of x, or x of y, by Chatterjee's ξ (chance variance 2/5n)."""
    n = len(x)
    for one, other in ((x, y), (y, x)):
        ranks = _midranks(other)
        spread = 2 * float((2 * np.arange(1, n + 1) - n - 1) @ np.sort(ranks)) / n**2
        steps = np.abs(np.diff(ranks[np.argsort(one, kind="stable")])).mean()
        if spread - steps > spread * max(_A_FUNCTION, 3 * math.sqrt(0.4 / n)):
            return True
    return False


def _intraclass(column: Column, *, codes: dict[Column, IntArray], key: IntArray) -> float:
    """Return the intraclass correlation of ranks (or categories), 0 if groups do not differ beyond chance."""
    is_known = (codes[column] >= 0) & (key >= 0)
    of, own = key[is_known], coded(codes[column][is_known])
    counts = np.bincount(coded(of)).astype(np.float64)
    n_groups, n = len(counts), len(of)
    if n_groups < _FEWEST_GROUPS or n <= n_groups or not own.any():
        return 0.0
    parts = _ranks_or_indicators(own, column.kind)
    means = _means(parts, of)
    within, between = float(((parts - means) ** 2).sum()), float(((means - parts.mean(axis=0)) ** 2).sum())
    if within <= 1e-12 * between:
        return 1.0
    ratio = (between / (n_groups - 1)) / (within / (n - n_groups))
    if fdtrc((n_groups - 1) * parts.shape[1], (n - n_groups) * parts.shape[1], ratio) > _LEVEL:
        return 0.0
    size = (n - counts @ counts / n) / (n_groups - 1)
    return float((ratio - 1) / (ratio - 1 + size))


def _differ(groups: _Groups, alike: dict[str, float], target: str | None) -> Diagnosis:
    """Build the diagnosis of columns that differ between groups."""
    n_rows, names = len(groups.codes), tuple(alike)
    first, second = (*_two_most(alike, target), 0.0)[:2]
    counts = np.bincount(groups.codes[:_FIRST_ROWS][groups.codes[:_FIRST_ROWS] >= 0])
    size = float(counts @ counts / counts.sum()) - 1
    n_groups, n_effective = int(groups.codes.max()) + 1, round(n_rows / (1 + size * first * second))
    note = Note.on_table(
        Code.ROWS_IN_GROUPS,
        n_groups=n_groups,
        group=groups.name,
        columns=names,
        n=len(names),
        n_rows=n_rows,
        n_effective=n_effective,
        option=Option("groups", OPEN),
    )
    differ = f"{_in_words(names)} differ" if target is None else f"{_in_words([target])} differs"
    count = f": {n_rows:,} rows count as about {n_effective:,}" if n_effective < n_rows else ""
    of_groups = f"{n_groups:,} groups by {display_name(groups.name, 40)}"
    caution = f"Caution: rows are {of_groups}, and {differ} between these{count}."
    of_column = [groups.column.name] if groups.name == groups.column.name else []
    return Diagnosis(note, caution, (*names, *of_column), n_effective, is_constant_within=first >= 1)


# ---- rows that are cells, rows that repeat, and columns that are copies


def counted_cells(columns: Sequence[Column], n_rows: int) -> Diagnosis | None:
    """Return a diagnosis if rows are cells of a contingency table, with one column of counts."""
    for column in columns:
        if column.kind is not Kind.NUMERIC or not _COUNT_WORD.fullmatch(column.name):
            continue
        values, others = column.present * 1.0, [each for each in columns if each is not column]
        n_cells = math.prod(len(np.unique(each.present)) for each in others)
        is_count = len(values) > 0 and values.min() >= 0 and values.max() > 1 and _is_whole(values)
        if is_count and len(others) > 1 and n_cells <= 2 * n_rows and not _n_repeated(others):
            note = Note.on_table(Code.CELLS_COUNTED, n_rows=n_rows, column=column.name)
            cells = f"{n_rows:,} cells of a table that {display_name(column.name, 40)} counts"
            caution = f"Caution: rows are {cells}, not cases."
            return Diagnosis(note, caution, tuple(each.name for each in columns))
    return None


def repeated_rows(columns: Sequence[Column]) -> Diagnosis | None:
    """Return a diagnosis if rows are duplicates although a column has too many values for that by chance."""
    n_rows = len(columns[0])
    first = max(columns[:_FIRST_COLUMNS], key=lambda c: len(np.unique(c.at(slice(1_000)).present)))
    if n_rows**2 > 8 * _MOST_CELLS or are_distinct(first.present):
        return None
    others = [column for column in columns if column is not first]
    n_repeated = _n_repeated([first, *others])
    n_distinct = n_rows - n_repeated
    expected = math.prod(map(_share_alike, columns)) * math.comb(n_rows, 2)
    is_apart = len(np.unique(first.present)) >= max(20, n_distinct / 2)
    if n_repeated < max(_NOTED * n_rows, 1, _BY_CHANCE * expected) or not is_apart or 4 * n_distinct < n_rows:
        return None
    if others and 2 * n_repeated < _n_repeated(others):
        return None  # rounded measurements of the same case
    note = Note.on_table(Code.ROWS_REPEATED, n=n_repeated, n_rows=n_rows)
    told = f"Caution: {n_repeated:,} of {n_rows:,} rows repeat another; copies prove nothing."
    caution = told if n_repeated >= _CAUTIONED * n_rows else ""
    return Diagnosis(note, caution, tuple(column.name for column in columns), n_distinct)


def _n_repeated(columns: Sequence[Column]) -> int:
    """Count the rows that repeat an earlier one in these columns, or return 0 if that takes too long."""
    rows = _known_rows(columns[0])
    groups, n_compared = np.zeros(len(rows), dtype=np.int64), 0
    for column in columns:
        n_compared += len(rows)
        if not len(rows) or n_compared > _MOST_CELLS:
            return 0
        _, groups, counts = np.unique(
            crossed(groups, _codes(column)[rows] + 1), return_inverse=True, return_counts=True
        )
        groups = groups.reshape(-1)
        rows, groups = rows[counts[groups] > 1], groups[counts[groups] > 1]
    return len(rows) - len(np.unique(groups))


def _share_alike(column: Column) -> float:
    """Return the probability that two random rows have the same value, or are both missing."""
    return _n_pairs(_codes(column) + 1) / math.comb(len(column), 2)


def copies(columns: Iterable[Column], target: str | None) -> Diagnosis | None:
    """Return a diagnosis if predictors copy each other: a code and its category, or rescaled numbers."""
    if target is None:
        return None
    by_codes: dict[bytes, list[Column]] = {}
    ranks_of: dict[Column, FloatArray] = {}
    for column in columns:
        codes = _codes(column.at(slice(_FIRST_ROWS)))
        if column.name == target:
            continue
        if 1 < codes.max() + 1 <= len(codes) / 2:
            _, first, of = np.unique(codes, return_index=True, return_inverse=True)
            in_turn = np.argsort(np.argsort(first))[of.reshape(-1)]  # numbered as they come
            by_codes.setdefault(in_turn.tobytes() + (codes < 0).tobytes(), []).append(column)
        elif column.kind is Kind.NUMERIC and codes.min() >= 0:
            ranks = _midranks(codes) - (len(codes) + 1) / 2
            ranks_of[column] = ranks / (np.std(ranks) or 1.0)
    found = [alike[:2] for alike in by_codes.values() if len(alike) > 1]
    if len(ranks_of) > 1:
        lines, ranks = list(ranks_of), np.stack(list(ranks_of.values()))
        close = np.argwhere(np.triu(np.abs(ranks @ ranks.T) > 0.99 * ranks.shape[1], 1))
        found += [[lines[a], lines[b]] for a, b in close[:_FIRST_COLUMNS].tolist()]
    names = [(x.name, y.name) for x, y in found if _are_copies(x, y)]
    if not names:
        return None
    note = Note.on_table(Code.NEAR_COPIES, columns=names[0], n=len(names) - 1 or None)
    more = f", as do {len(names) - 1:,} other pairs" if len(names) > 1 else ""
    said = f"{_in_words(names[0])} say the same{more}."
    return Diagnosis(note, said, (target, *(name for each in names for name in each)))


def _are_copies(x: Column, y: Column) -> bool:
    """Return True if two columns carry the same information in all rows."""
    if x.kind is y.kind:
        return are_near_duplicates(x, y)
    number, codes = (x if x.kind is Kind.NUMERIC else y).present, (_codes(x), _codes(y))
    is_code = _is_whole(number * 1.0) and float(np.ptp(number)) < 2 * (codes[0].max() + 1)
    return is_code and _is_constant(*codes) and _is_constant(*codes[::-1])


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


def _r2(x: FloatArray, y: FloatArray) -> float:
    return float(centered_line(x).values @ centered_line(y).values) ** 2
