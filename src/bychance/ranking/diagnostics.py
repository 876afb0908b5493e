"""Rows that are not independent, and columns that say the same: what p-values and readers take for granted.

In:  a table, the positions of the columns that are ranked, and the target.
Out: diagnoses of four checks: rows follow time, rows come in groups, rows repeat, columns are copies. Each
     has a note, and a caution for the verdict if it concerns a pair that was found.

Rows follow time if both columns of a pair resemble their neighbors in the order of a clock, or of the file.
Rows come in groups if a column looks like an identifier of units by how its own values repeat, and the target
differs between the units. Then n rows count as about n / (1 + (m − 1)·ρ_x·ρ_y) (Moulton 1986), m the size of
a group and ρ the intraclass correlations; of a series, as n·(1 − r_x·r_y) / (1 + r_x·r_y) (Bartlett 1935).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from bychance.columns import Column, are_distinct, coded
from bychance.io import Table
from bychance.kinds import Kind
from bychance.measures.ordering import order_values
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.ranking.duplicates import are_near_duplicates

__all__ = ["Diagnosis", "diagnose", "note_of_blocks"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

_FEWEST_ROWS = 30  # below, neighbors and groups say nothing
_FIRST_ROWS, _FIRST_COLUMNS = 5_000, 100  # that are looked at
_NAMED = 3  # columns in a caution

# Time: resemblance of neighbors.
_ALIKE, _DEVIATIONS = 0.3, 4.0  # correlation with the next row, and in standard errors
_SMOOTH, _MUCH_ALIKE = -0.3, 0.75  # correlations of steps and of rows without a sure clock; −1/2 is any order
_FEW_BLOCKS = 6  # whose orders leave no small p-value
_EVEN, _NEARLY = 0.9, 0.25  # share of equal steps of a clock, up to a quarter of a step
_SHORTEST_SERIES, _MOST_CLOCKS, _MOST_MISSING, _FEWEST_DATES = 5, 3, 0.1, 20
_HUGE = 1e150  # whose squares overflow
_TIME_WORD = re.compile(
    r"(?<![^\W\d_])(when|time|date|days?|hours?|minutes?|seconds?|weeks?|months?|quarters?|years?|periods?|epoch|"
    r"ticks?|t)(?![^\W\d_])",
    re.IGNORECASE,
)

# Groups.
_FEWEST_GROUPS, _ROWS_PER_GROUP, _MOST_IN_ONE = 5, 2.0, 0.5
_EXPECTED, _MET = 20.0, 0.02  # pairs of rows expected in one cell of two columns, and the share that is there
_FEWEST_SORTED = 10  # groups numbered from 0 or 1, one below the other
_FEWEST_VALUES = 5  # of a number that units have: fewer recur by chance
_SAME_ORDER, _A_FUNCTION = 0.95, 0.5  # correlation of ranks, and ξ, of a number that is a formula of another
_DIFFERS = 1e-3  # p-value of groups

# Repeated rows and copies.
_MOST_CELLS, _TELLS_APART, _MOST_COPIES, _BY_CHANCE = 1 << 23, 0.5, 4, 5.0
_NOTED, _CAUTIONED = 0.01, 0.1  # shares of rows


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is wrong with rows or columns: a note, and what a verdict adds if it counts a pair of `columns`.

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
    """Return what the four checks find, reasons why rows are not independent first.

    If the null permutes blocks or within groups, that has been told. A sample of the rows of a stream keeps
    their order, but neither groups nor copies.

    >>> from bychance.io import read_table
    >>> rng, school = np.random.default_rng(0), np.arange(300) % 15
    >>> columns = {name: rng.normal(size=15)[school] for name in ("budget", "funding")}
    >>> table = read_table(columns | {"school": [f"s{k}" for k in school], "score": rng.normal(size=300)})
    >>> diagnose(table, range(4), "funding")[0].caution
    'Caution: rows are 15 groups by school, and funding differs between these: 300 rows count as about 15.'
    """
    if table.n_rows < _FEWEST_ROWS:
        return ()
    used = sorted(set(used), key=lambda k: (table.names[k] != target, k))[:_FIRST_COLUMNS]
    repeated = None if is_sample else repeated_rows(table)
    found: list[Diagnosis | None] = []
    if not (isinstance(null, Permutation) and null.is_restricted):
        clocks = list(islice(_clocks(table), _MOST_CLOCKS))
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
    """Return what blocks and groups of rows do not mend: limits take rows as independent."""
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
class _Clock:
    """A column that the rows follow, and the series that each row is in.

    `is_time` if it surely counts time: numbers of rows and even grids may be of a table sorted by anything.
    `order` sorts rows that another order has.
    """

    position: int
    series: Codes
    is_time: bool
    order: NDArray[np.intp] | None = None


def _clocks(table: Table) -> Iterator[_Clock]:
    """Yield clocks that the rows follow, times first, then dates that they do not follow."""
    found = [
        (k, column)
        for k, column in enumerate(table.columns)
        if column.kind is Kind.NUMERIC and len(column.present) >= (1 - _MOST_MISSING) * len(column) > 1
    ]
    clocks = [clock for k, column in found if (clock := _clock(k, column)) is not None]
    yield from sorted(clocks, key=lambda clock: not clock.is_time)
    known = {clock.position for clock in clocks}
    for k, column in found:
        if k not in known and _is_date(column) and len(np.unique(column.present)) * 2 > len(column):
            rows = (
                np.flatnonzero(~column.is_missing)
                if column.is_missing is not None
                else np.arange(len(column))
            )
            order = rows[np.argsort(column.present, kind="stable")]
            yield _Clock(k, np.zeros(len(order), dtype=np.int64), False, order)


def _known_rows(column: Column) -> NDArray[np.intp]:
    return np.arange(len(column)) if column.is_missing is None else np.flatnonzero(~column.is_missing)


def _clock(position: int, column: Column) -> _Clock | None:
    """Return the clock that this column is: dates or even steps, which may start again for each series."""
    values = column.present.astype(np.float64)
    largest = float(np.abs(values).max())
    steps = np.diff(values / largest if largest > _HUGE else values)
    if np.count_nonzero(steps < 0) > np.count_nonzero(steps > 0):
        steps = -steps
    is_back, n_onward = steps < 0, int(np.count_nonzero(steps > 0))
    n_series = 1 + int(is_back.sum())
    is_date = _is_date(column)
    if not n_onward or n_series * _SHORTEST_SERIES > len(values) or not (is_date or _is_even(steps)):
        return None
    series = np.concatenate([[0], np.cumsum(is_back)])
    if column.is_missing is not None:
        series = series[np.maximum(np.cumsum(~column.is_missing) - 1, 0)]
    is_time = _TIME_WORD.search(column.name) is not None
    if is_date:
        is_time = 2 * n_onward >= len(steps) - n_series + 1  # else rows may be sorted by day
    elif _is_whole(values):
        is_time |= values.min() not in (0, 1)  # else a number of the row
    return _Clock(position, series, is_time)


def _is_even(steps: Floats) -> bool:
    """Return True if most steps onward are the same up to a quarter."""
    usual = float(np.median(steps))
    onward = steps[np.sign(steps) * np.sign(usual) >= 0]
    n_usual = int(np.count_nonzero(np.abs(onward - usual) <= _NEARLY * abs(usual)))
    return usual != 0 and n_usual >= _EVEN * len(onward)


def _is_whole(values: Floats) -> bool:
    return not np.mod(values, 1.0).any()


def _is_date(column: Column) -> bool:
    """Return True for dates and times, and integers that write a day or a month, as 20200105 or 202001."""
    if column.clock is not None:
        return True
    values = column.present.astype(np.float64)
    if not len(values) or not 180_001 <= values.min() <= values.max() < 21_000_000 or not _is_whole(values):
        return False
    months, days = (values, np.ones(len(values))) if values.max() < 210_000 else np.divmod(values, 100)
    is_written = (months % 100 >= 1) & (months % 100 <= 12) & (days >= 1) & (days <= 31)
    return bool(is_written.all()) and len(np.unique(values[:_FIRST_ROWS])) >= _FEWEST_DATES


def time_order(
    table: Table, used: Sequence[int], target: str | None, clocks: Sequence[_Clock]
) -> Diagnosis | None:
    """Return the order in which columns resemble their neighbors: that of a clock, or of the file."""
    for clock in clocks:
        others = [table.columns[k] for k in used if k != clock.position]
        if clock.is_time or clock.order is not None:
            n_needed = 1 if clock.is_time and clock.position in used else 2
            rows = slice(_FIRST_ROWS) if clock.order is None else clock.order[:_FIRST_ROWS]
            alike = _resembling(others, rows, clock.series, target, n_needed, is_sure=clock.is_time)
            if alike:
                return _follow(table, clock, alike, target)
    number = next((clock for clock in clocks if not clock.is_time and clock.order is None), None)
    # Sorted by day or year, rows are no series yet: only a count of the rows is enough beside one column.
    counts_rows = (
        number is not None and number.position in used and not _is_date(table.columns[number.position])
    )
    n_needed = 1 if counts_rows and target is not None else 2
    series = number.series if number is not None else np.zeros(table.n_rows, dtype=np.int64)
    known = {clock.position for clock in clocks}
    others = [table.columns[k] for k in used if k not in known and not _is_sorted(table.columns[k])]
    cycles = [codes for k in used if (codes := _cycle(table.columns[k])) is not None]
    alike = _resembling(others, slice(_FIRST_ROWS), series, target, n_needed, cycles=cycles)
    return _follow(table, number, alike, target) if alike else None


def _resembling(
    columns: Sequence[Column],
    rows: slice | NDArray[np.intp],
    series: Codes,
    target: str | None,
    n_needed: int,
    *,
    is_sure: bool = False,
    cycles: Sequence[Codes] = (),
) -> dict[str, float]:
    """Return the correlations with the next row of columns that resemble it, if enough do, and the target.

    Without a sure clock steps have to be smooth, too: a table sorted by a lost column has the same neighbors.
    """
    found: dict[str, float] = {}
    for column in columns:
        part = column.at(rows)
        present = _known_rows(part)
        of = series[: len(part)][present]
        if len(present) >= _FEWEST_ROWS and (is_sure or column.kind is Kind.NUMERIC):
            levels = [cycle[:_FIRST_ROWS][present] for cycle in cycles]
            correlation, is_smooth = _neighbors(part.present, of, levels, column.kind)
            least = max(_ALIKE, _DEVIATIONS / math.sqrt(len(present)))
            if correlation > (least if is_sure else _MUCH_ALIKE) and (is_sure or is_smooth):
                found[column.name] = correlation
        if column.name == target and target not in found:
            return {}
    return found if len(found) >= n_needed else {}


def _neighbors(
    values: NDArray[np.generic], series: Codes, cycles: Sequence[Codes], kind: Kind
) -> tuple[float, bool]:
    """Return the correlation with the next row of its series, and whether steps are smooth.

    Numbers are ranked, less the means of series and cycles. Of categories it is Cohen's κ.
    """
    is_within = series[1:] == series[:-1]
    if kind is not Kind.NUMERIC:
        codes = coded(values).astype(np.int64)
        shares = np.bincount(codes) / len(codes)
        n_runs, expected = 1 + np.count_nonzero(np.diff(codes)), float(shares @ shares)
        if n_runs <= len(shares) or len(codes) * (1 - shares.max()) < 10 or expected > 1 - 1e-9:
            return 0.0, False
        inside = _without_means(_dummies(codes), series)
        whole = float((inside**2).sum())
        return (float((inside[1:] * inside[:-1])[is_within].sum()) / whole if whole > 0 else 0.0), False
    ranks = order_values(values.astype(np.float64)).midranks
    for levels in (*cycles, series):
        ranks = _without_means(ranks, levels)
    whole = float(ranks @ ranks)
    if not whole > 0 or not is_within.any():
        return 0.0, False
    steps, are_both = np.diff(ranks), is_within[1:] & is_within[:-1]
    steps = steps - steps[is_within].mean()
    spread = float(np.mean(steps[is_within] ** 2))
    n_steps = int(np.count_nonzero(are_both))
    smooth = float(np.mean((steps[1:] * steps[:-1])[are_both])) / spread if n_steps and spread > 0 else -1.0
    is_smooth = smooth > max(_SMOOTH, -0.5 + _DEVIATIONS * math.sqrt(0.5 / max(n_steps, 1)))
    return float((ranks[1:] * ranks[:-1])[is_within].sum()) / whole, is_smooth


def _without_means(values: Floats, levels: Codes) -> Floats:
    """Return the values (or columns of them) less the mean of their level."""
    of = np.unique(levels, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(of).astype(np.float64)
    if values.ndim == 1:
        means: Floats = np.bincount(of, values) / counts
    else:
        means = np.stack([np.bincount(of, column) for column in values.T], axis=1) / counts[:, np.newaxis]
    left: Floats = values - means[of]
    return left


def _is_sorted(column: Column) -> bool:
    """Return True if the values rise or fall all along, as those of a column that the rows were sorted by."""
    values = column.at(slice(_FIRST_ROWS)).present
    steps = values[1:] >= values[:-1]
    return bool(steps.all() or (values[1:] <= values[:-1]).all())


def _cycle(column: Column) -> Codes | None:
    """Return the codes of a column that repeats the same values in turn, as a factor of an experiment."""
    if column.is_missing is not None:
        return None
    codes = coded(column.values[:_FIRST_ROWS]).astype(np.int64)
    period = int(codes.max()) + 1
    is_cycle = 1 < period * _SHORTEST_SERIES <= len(codes) and (codes[period:] == codes[:-period]).all()
    return codes if is_cycle else None


def _follow(table: Table, clock: _Clock | None, alike: dict[str, float], target: str | None) -> Diagnosis:
    names = tuple(sorted(alike, key=lambda name: name != target)) if clock is None else tuple(alike)
    names = tuple(sorted(names, key=lambda name: name != target))
    highest = sorted(alike.values())
    first = min(alike[target] if target in alike else highest[-1], 0.99)
    second = min(max((r for name, r in alike.items() if name != target), default=first), 0.99)
    n_effective = round(table.n_rows * (1 - first * second) / (1 + first * second))
    counts = {"n_rows": table.n_rows, "n_effective": n_effective, "option": Option("block", OPEN)}
    if clock is None:
        resemble = f"neighboring rows resemble each other in {_in_words(names)}"
        note = Note.on_table(Code.NEIGHBORS_ALIKE, columns=names, **counts)
        sorted_by: tuple[str, ...] = ()
    else:
        name, n_series = table.names[clock.position], int(clock.series[-1]) + 1
        resemble = f"rows follow {display_name(name, 40)} and resemble their neighbors"
        if clock.order is not None:
            resemble = f"in the order of {display_name(name, 40)} rows resemble their neighbors"
        note = Note.on_table(
            Code.ROWS_IN_ORDER if clock.order is None else Code.ROWS_SHUFFLED,
            clock=name,
            n_series=n_series if n_series > 1 else None,
            columns=names,
            n=len(names),
            **counts,
        )
        sorted_by = (name,)
    sorted_by += tuple(column.name for column in table.columns[:_FIRST_COLUMNS] if _is_sorted(column))
    caution = f"Caution: {resemble}: {table.n_rows:,} rows count as about {n_effective:,}."
    return Diagnosis(note, caution, tuple(dict.fromkeys((*names, *sorted_by))), n_effective)


def _in_words(names: Sequence[str]) -> str:
    shown, n_more = [display_name(name, 40) for name in names[:_NAMED]], len(names) - _NAMED
    return in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))


# ---- rows come in groups


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Units by which rows are grouped: the code of each row, and the column that names them, if one does."""

    codes: Codes
    position: int | None
    name: str


def rows_in_groups(
    table: Table, used: Sequence[int], target: str | None, clocks: Sequence[_Clock]
) -> Diagnosis | None:
    """Return the units that rows are grouped by, if the target (or two columns) differ between them."""
    columns = [column.at(slice(_FIRST_ROWS)) for column in table.columns[:_FIRST_COLUMNS]]
    codes = {k: _codes(column) for k, column in enumerate(columns)}
    best: Diagnosis | None = None
    for groups in _units(columns, codes, clocks):
        found = _differing(table, groups, codes, columns, used, target)
        if found is not None and (best is None or found.n_effective < best.n_effective):
            best = found
    return best


def _codes(column: Column) -> Codes:
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[slice(None) if column.is_missing is None else ~column.is_missing] = coded(column.present)
    return codes


def _units(columns: Sequence[Column], codes: dict[int, Codes], clocks: Sequence[_Clock]) -> Iterator[_Groups]:
    """Yield columns whose own repetition says that they name units, and series or blocks of rows."""
    able = [k for k, code in codes.items() if _may_group(code)]
    times = {clock.position for clock in clocks if columns[clock.position].clock is not None}
    for k in able:
        if k in times or columns[k].clock is not None:
            continue
        is_crossed = any(_never_meet(codes[k], codes[other]) for other in codes if other != k)
        if is_crossed or _are_numbered(columns[k], codes[k]) or _has_properties(k, columns, codes):
            yield _Groups(codes[k], k, columns[k].name)
    for clock in clocks:
        series = clock.series[: len(columns[0])]
        if clock.order is None and clock.position not in times and _may_group(series):
            yield _Groups(series, None, f"series of {columns[clock.position].name}")
    for column in columns:
        blocks = _blocks(column)
        if blocks is not None:
            yield _Groups(blocks, None, "block of rows")


def _may_group(codes: Codes) -> bool:
    counts = np.bincount(codes[codes >= 0])
    if not len(counts) or len(counts) < _FEWEST_GROUPS:
        return False
    return bool(_ROWS_PER_GROUP * len(counts) <= counts.sum() and counts.max() <= _MOST_IN_ONE * counts.sum())


def _never_meet(first: Codes, second: Codes) -> bool:
    """Return True if hardly two rows have both values in common, though chance would make many.

    So it is of units that are measured once at each time, or by each judge.
    """
    is_known = (first >= 0) & (second >= 0)
    for rows in (slice(500), slice(None)):
        one, other = first[rows][is_known[rows]], second[rows][is_known[rows]]
        n = len(one)
        if n < 2:
            return False
        pairs = [float((c * (c - 1.0)).sum()) for c in (np.bincount(one), np.bincount(other))]
        expected = pairs[0] * pairs[1] / (2 * n * (n - 1))
        cells = np.unique(one * (int(other.max()) + 1) + other, return_counts=True)[1]
        if float((cells * (cells - 1.0)).sum()) / 2 > _MET * max(expected, _EXPECTED):
            return False
    return expected >= _EXPECTED


def _are_numbered(column: Column, codes: Codes) -> bool:
    """Return True for whole numbers from 0 or 1, each of which has its rows one below the other."""
    if (
        column.kind is not Kind.NUMERIC
        or column.is_missing is not None
        or not _is_whole(values := column.present * 1.0)
    ):
        return False
    n_groups, n_runs = int(codes.max()) + 1, 1 + np.count_nonzero(np.diff(codes))
    is_counted = values.min() in (0, 1) and _EVEN * (values.max() - values.min() + 1) <= n_groups
    return bool(is_counted and n_runs == n_groups >= _FEWEST_SORTED)


def _has_properties(key: int, columns: Sequence[Column], codes: dict[int, Codes]) -> bool:
    """Return True if a number is constant within the groups, and neither a code of them nor a formula."""
    n_groups = int(codes[key].max()) + 1
    for k, code in codes.items():
        column, n_values = columns[k], int(code.max()) + 1
        if k == key or column.kind is not Kind.NUMERIC or not _FEWEST_VALUES <= n_values <= n_groups:
            continue
        if column.clock is not None or not _is_constant(code, codes[key]):
            continue
        if _names_them(column, code, codes[key]):
            continue
        of_group = np.full(n_groups, -1, dtype=np.int64)
        is_known = (code >= 0) & (codes[key] >= 0)
        of_group[codes[key][is_known]] = code[is_known]
        known: Floats = of_group[of_group >= 0].astype(np.float64)
        if columns[key].kind is not Kind.NUMERIC or not _is_formula(
            np.flatnonzero(of_group >= 0).astype(np.float64), known
        ):
            return True
    return False


def _names_them(column: Column, codes: Codes, key: Codes) -> bool:
    """Return True if a column has one category, or one of as many whole numbers, for each group."""
    if not (_is_constant(codes, key) and _is_constant(key, codes)):
        return False
    values = column.present.astype(np.float64)
    is_code = _is_whole(values) and bool(np.ptp(values) < 2 * int(codes.max() + 1))
    return column.kind is not Kind.NUMERIC or is_code


def _is_constant(codes: Codes, key: Codes) -> bool:
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
    """Return True if y follows x, or x follows y: by one order, or by ξ, whose variance is 2/5n by chance."""
    if len(x) < _FEWEST_VALUES or abs(np.corrcoef(x, y)[0, 1]) > _SAME_ORDER:
        return True
    n = len(x)
    for one, other in ((x, y), (y, x)):
        ranks = order_values(other).midranks
        spread = 2 * float((2 * np.arange(1, n + 1) - n - 1) @ np.sort(ranks)) / n**2
        xi = 1 - float(np.mean(np.abs(np.diff(ranks[np.argsort(one, kind="stable")])))) / spread
        if xi > max(_A_FUNCTION, 3 * math.sqrt(0.4 / n)):
            return True
    return False


def _blocks(column: Column) -> Codes | None:
    """Return the blocks of rows in which a number is constant, if these are few, long, and in no order."""
    if column.kind is not Kind.NUMERIC or column.is_missing is not None or column.clock is not None:
        return None
    is_new = column.values[1:] != column.values[:-1]
    blocks = np.concatenate([[0], np.cumsum(is_new)]).astype(np.int64)
    values = column.values[np.concatenate([[True], is_new])].astype(np.float64)
    n_turns = np.count_nonzero(np.diff(np.sign(np.diff(values))))
    is_drawn = 4 * n_turns >= len(values) and 4 * len(np.unique(values)) >= 3 * len(values)
    return blocks if is_drawn and np.median(np.bincount(blocks)) >= 3 and _may_group(blocks) else None


def _differing(
    table: Table,
    groups: _Groups,
    codes: dict[int, Codes],
    columns: Sequence[Column],
    used: Sequence[int],
    target: str | None,
) -> Diagnosis | None:
    """Return the diagnosis if the target, or two columns, differ between groups."""
    counts = np.bincount(groups.codes[groups.codes >= 0]).astype(np.float64)
    size = float(counts @ counts / counts.sum()) - 1
    found: dict[str, float] = {}
    for k in used:
        if k >= len(columns) or k == groups.position or _names_them(columns[k], codes[k], groups.codes):
            continue
        share = _intraclass(columns[k], codes[k], groups, columns)
        if share > 0:
            found[table.names[k]] = share
        elif table.names[k] == target:
            return None
    others = [share for name, share in found.items() if name != target]
    if (target is not None and target not in found) or len(found) + (target is not None) < 2:
        return None
    first, second = (found[target], max(others, default=0.0)) if target else sorted(others)[-2:]
    n_effective = round(table.n_rows / (1 + size * first * second))
    names = tuple(sorted(found, key=lambda name: name != target))
    n_groups, named = len(counts), display_name(groups.name, 40)
    if groups.position is not None:
        n_groups = len(np.unique(table.columns[groups.position].present))
    differ = f"{display_name(target, 40)} differs" if target is not None else f"{_in_words(names)} differ"
    count = f": {table.n_rows:,} rows count as about {n_effective:,}" if n_effective < table.n_rows else ""
    note = Note.on_table(
        Code.ROWS_IN_GROUPS,
        n_groups=n_groups,
        group=groups.name,
        columns=names,
        n=len(names),
        n_rows=table.n_rows,
        n_effective=n_effective,
        option=Option("groups", OPEN),
    )
    caution = f"Caution: rows are {n_groups:,} groups by {named}, and {differ} between these{count}."
    of_groups = () if groups.position is None else (groups.name,)
    return Diagnosis(note, caution, (*names, *of_groups), n_effective, is_constant_within=first >= 1)


def _intraclass(column: Column, codes: Codes, groups: _Groups, columns: Sequence[Column]) -> float:
    """Return the intraclass correlation of ranks (or classes) if groups differ beyond chance, else 0.

    Numbers that name groups may count: what a parabola in them explains is left out.
    """
    is_known = (codes >= 0) & (groups.codes >= 0)
    of = coded(groups.codes[is_known]).astype(np.int64)
    own = codes[is_known]
    counts = np.bincount(of).astype(np.float64)
    n_groups, n = len(counts), len(of)
    if n_groups < _FEWEST_GROUPS or n <= n_groups or own.min(initial=0) == own.max(initial=0):
        return 0.0
    values = (
        order_values(own.astype(np.float64)).midranks[:, np.newaxis]
        if column.kind is Kind.NUMERIC
        else _dummies(own)
    )
    values = values - values.mean(axis=0)
    means = np.stack([np.bincount(of, part) for part in values.T], axis=1) / counts[:, np.newaxis]
    within = float(((values - means[of]) ** 2).sum()) / values.shape[1]
    n_left = n_groups - 1
    if groups.position is not None and columns[groups.position].kind is Kind.NUMERIC and within > 0:
        place = np.unique(groups.codes[is_known]) / max(float(groups.codes.max()), 1.0)
        root = np.sqrt(counts)[:, np.newaxis]
        design = np.column_stack([np.ones(n_groups), place, place**2])
        fit = np.linalg.lstsq(design * root, means * root, rcond=None)[0]
        means, n_left = means - design @ fit, n_groups - 3
    between = float((counts[:, np.newaxis] * means**2).sum()) / values.shape[1]
    if within <= 1e-12 * n**2 * max(between, 1e-300) / n**2:
        return 1.0 if between > 0 else 0.0
    ratio = (between / n_left) / (within / (n - n_groups))
    if fdtrc(n_left * values.shape[1], (n - n_groups) * values.shape[1], ratio) > _DIFFERS:
        return 0.0
    size = (n - counts @ counts / n) / (n_groups - 1)
    return float((ratio - 1) / (ratio - 1 + size))


def _dummies(codes: Codes) -> Floats:
    """Return indicators of the twenty most common classes."""
    most = np.argsort(-np.bincount(codes), kind="stable")[:20]
    indicators: Floats = (codes[:, np.newaxis] == most[np.newaxis, :]).astype(np.float64)
    return indicators


# ---- rows that repeat, and columns that are copies


def repeated_rows(table: Table) -> Diagnosis | None:
    """Return how many rows repeat another, if a column tells most rows apart, so that chance makes few."""
    first = max(table.columns[:_FIRST_COLUMNS], key=lambda c: len(np.unique(c.at(slice(1_000)).present)))
    if len(table) * table.n_rows > _MOST_CELLS * 8 or are_distinct(first.present):
        return None
    rows = _known_rows(first)
    groups, n_compared = np.zeros(len(rows), dtype=np.int64), 0
    for column in (first, *table.columns):
        n_compared += len(rows)
        if not len(rows) or n_compared > _MOST_CELLS:
            return None
        both = groups * (len(column) + 2) + _codes(column)[rows] + 1
        _, groups, counts = np.unique(both, return_inverse=True, return_counts=True)
        groups = groups.reshape(-1)
        rows, groups = rows[counts[groups] > 1], groups[counts[groups] > 1]
    n_repeated = len(rows) - len(np.unique(groups))
    n_distinct = table.n_rows - n_repeated
    expected = (
        math.prod([_share_alike(column) for column in table.columns]) * table.n_rows * (table.n_rows - 1) / 2
    )
    is_apart = len(np.unique(first.present)) >= max(20, _TELLS_APART * n_distinct)
    if (
        n_repeated < max(_NOTED * table.n_rows, 1, _BY_CHANCE * expected)
        or not is_apart
        or _MOST_COPIES * n_distinct < table.n_rows
    ):
        return None
    note = Note.on_table(Code.ROWS_REPEATED, n=n_repeated, n_rows=table.n_rows)
    told = f"Caution: {n_repeated:,} of {table.n_rows:,} rows repeat another; copies prove nothing."
    return Diagnosis(
        note, told if n_repeated >= _CAUTIONED * table.n_rows else "", tuple(table.names), n_distinct
    )


def _share_alike(column: Column) -> float:
    """Return how often two different rows at random have the same value, or both have none."""
    counts = np.append(np.unique(column.present, return_counts=True)[1], len(column) - len(column.present))
    return float(np.sum(counts * (counts - 1.0))) / (len(column) * (len(column) - 1))


def copies(table: Table, used: Sequence[int], target: str | None) -> Diagnosis | None:
    """Return predictors that say the same: a code and its category, or one number in other units."""
    if target is None:
        return None
    seen: dict[bytes, list[int]] = {}
    lines: list[tuple[int, Floats]] = []
    for k in used:
        column = table.columns[k]
        if column.name == target:
            continue
        part = column.at(slice(_FIRST_ROWS))
        codes = _codes(part)
        if 1 < codes.max() + 1 <= len(codes) / 2:
            _, first, of = np.unique(codes, return_index=True, return_inverse=True)
            in_turn = np.argsort(np.argsort(first))[of.reshape(-1)]  # numbered as they come
            seen.setdefault(in_turn.tobytes() + (codes < 0).tobytes(), []).append(k)
        elif column.kind is Kind.NUMERIC and part.is_missing is None:
            ranks = order_values(part.values.astype(np.float64)).midranks
            centered = ranks - ranks.mean()
            lines.append((k, centered / (float(np.std(ranks)) or 1.0)))
    found = [alike for alike in seen.values() if len(alike) > 1 and _are_copies(table, alike[0], alike[1])]
    if len(lines) > 1:
        ranks_of = np.stack([line for _, line in lines])
        close = np.argwhere(np.triu(np.abs(ranks_of @ ranks_of.T) > 0.99 * ranks_of.shape[1], 1))
        of_lines = [[lines[a][0], lines[b][0]] for a, b in close[:_FIRST_COLUMNS].tolist()]
        found += [pair for pair in of_lines if _are_copies(table, *pair)]
    if not found:
        return None
    names = [tuple(table.names[k] for k in alike) for alike in found]
    note = Note.on_table(Code.NEAR_COPIES, columns=names[0], n=len(names) - 1 or None)
    more = f", as do {len(names) - 1:,} other pairs" if len(names) > 1 else ""
    return Diagnosis(
        note,
        f"{_in_words(names[0])} say the same{more}.",
        (target, *(name for each in names for name in each)),
    )


def _are_copies(table: Table, first: int, second: int) -> bool:
    x, y = table.columns[first], table.columns[second]
    if x.kind is y.kind:
        return are_near_duplicates(x, y)
    number, category = (x, y) if x.kind is Kind.NUMERIC else (y, x)
    return _names_them(number, _codes(number), _codes(category))
