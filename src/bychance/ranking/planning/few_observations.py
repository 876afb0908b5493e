"""Columns with one value per group of rows, as a school's are for its pupils: few observations, repeated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.columns import Column, are_distinct, coded
from bychance.io import Table
from bychance.kinds import Kind
from bychance.measures.ordering import order_values
from bychance.messages import OPEN, Code, Note, Option
from bychance.names import display_name, in_words
from bychance.ranking.planning.between_groups import blocks_of, rests_on_rows
from bychance.ranking.planning.time_order import TimeOrder

__all__ = ["FewObservations", "few_observations_of", "the_likelier"]

_FEWEST_ROWS, _SAMPLED_ROWS, _MOST_COLUMNS = 30, 5_000, 60
_FEWEST_VALUES = 5  # of a number that is drawn for each group: fewer recur by chance
_FEWEST_REPEATS, _ROWS_PER_GROUP, _MOST_GROUPS = 30, 3, 500
_MOST_IN_ONE = 0.5  # of the rows in one group: what is 0 in most rows is no group
_SAME_ORDER, _A_FUNCTION, _DEVIATIONS = 0.95, 0.5, 3.0
_NAMED = 3


@dataclass(frozen=True, slots=True)
class FewObservations:
    """The columns with one value per group, how many groups there are, and the column that names these.

    `group` is None where no column does, and `columns` take the same values together all the same.
    `is_target_within` where the target varies within groups, and differs between them as well.
    """

    columns: tuple[str, ...]
    n_observations: int
    n_rows: int
    group: str | None
    target: str | None = None
    is_target_within: bool = False

    @property
    def caution(self) -> str:
        """What a verdict adds where it counts a pair of these."""
        if self.is_target_within:
            few = f"{self._one_value_each()} ({self.n_observations:,} in all), and {self._target_differs()}"
            return f"Caution: {few}; p counts {self.n_rows:,}."
        per = "" if self.group is None else f", one per {display_name(self.group, 40)}"
        few = f"rows repeat {self.n_observations:,} observations of {self._names()}{per}"
        return f"Caution: {few}; p counts {self.n_rows:,}."

    @property
    def note(self) -> Note:
        """What it means, and what to do."""
        if self.is_target_within:
            return self._note_within()
        counts: dict[str, Any] = {"n_rows": self.n_rows, "n_observations": self.n_observations}
        columns = tuple(self._observed())
        if self.group is None:
            return Note.on_table(Code.VALUES_TOGETHER, columns=columns, **counts)
        groups = Option("groups", OPEN)
        return Note.on_table(
            Code.FEW_OBSERVATIONS, columns=columns, n=len(columns), group=self.group, option=groups, **counts
        )

    def _note_within(self) -> Note:
        columns = tuple(self._observed()[1:])
        return Note.on_table(
            Code.FEW_BESIDE_TARGET,
            columns=columns,
            n=len(columns),
            target=self.target or "",
            per=self.group or "block of rows",
            between="blocks" if self.group is None else "these",
            each=self.group or "block",
            n_rows=self.n_rows,
            n_observations=self.n_observations,
        )

    def _one_value_each(self) -> str:
        has = "has" if len(self._observed()) == 2 else "have"
        per = "block of rows" if self.group is None else display_name(self.group, 40)
        return f"{self._names(1)} {has} one value per {per}"

    def _target_differs(self) -> str:
        between = "blocks" if self.group is None else "these"
        return f"{display_name(self.target or '', 40)} differs between {between}"

    def _names(self, start: int = 0) -> str:
        names = self._observed()[start:]
        shown, n_more = [display_name(name, 40) for name in names[:_NAMED]], len(names) - _NAMED
        return in_words((*shown, f"{n_more:,} more") if n_more > 0 else tuple(shown))

    def _observed(self) -> list[str]:
        """The columns beside the one that names the groups, the target first."""
        observed = (name for name in self.columns if name != self.group)
        return sorted(observed, key=lambda name: name != self.target)


def the_likelier(order: TimeOrder | None, few: FewObservations | None) -> TimeOrder | FewObservations | None:
    """Of two reasons why rows are not exchangeable, the one that explains what was seen.

    Columns with one value per group resemble their neighbors too, where groups lie together.
    """
    if few is None or order is None:
        return few or order
    return few if set(order.alike) <= {*few.columns, few.group} else order


def few_observations_of(table: Table, used: Sequence[int], target: str | None) -> FewObservations | None:
    """The columns between which rows repeat few observations, where a column has one value for each.

    `used` are the positions of the columns that are paired. Pairs of which one is a function of the other, by
    a formula or by rounding, do not count: their rows are as many observations as they seem.

    >>> from bychance.io import read_table
    >>> rng, school = np.random.default_rng(0), np.arange(300) % 15
    >>> columns = {name: rng.normal(size=15)[school] for name in ("budget", "funding")}
    >>> found = few_observations_of(read_table(columns | {"score": rng.normal(size=300)}), [0, 1, 2], None)
    >>> found.columns, found.n_observations
    (('budget', 'funding'), 15)
    """
    if table.n_rows < _FEWEST_ROWS:
        return None
    positions = list(range(min(len(table.columns), _MOST_COLUMNS)))
    if target is not None:
        positions = list(dict.fromkeys([*positions, table.position(target)]))
    codes = dict(_coded(table, positions, _some_rows(table.n_rows)))
    if found := _of_both_sides(table, codes, used, target):
        return found
    return None if target is None else _beside_target(table, codes, used, target)


def _of_both_sides(
    table: Table, codes: dict[int, NDArray[np.int64]], used: Sequence[int], target: str | None
) -> FewObservations | None:
    """Columns that have one value per group all."""
    if target is not None and table.position(target) not in codes:
        return None
    seen = set[int]()
    for key in sorted(codes, key=lambda k: -codes[k].max()):  # the finest has one value for each of another
        if key in seen or codes[key].max() + 1 < _FEWEST_VALUES:
            continue
        determined = _determined(key, codes)
        alike = [k for k in (key, *determined) if codes[k].max() == codes[key].max()]
        seen.update(alike)
        if not determined or (target is not None and table.position(target) not in (key, *determined)):
            continue
        named = next((k for k in alike if _names_groups(table.columns[k])), key)
        others = [k for k in (key, *determined) if k != named]
        if found := _group(table, named, others, set(used), target):
            return found
    return None


def _beside_target(
    table: Table, codes: dict[int, NDArray[np.int64]], used: Sequence[int], target: str
) -> FewObservations | None:
    """Numbers with one value per group, beside a target that varies within groups and between them.

    The groups are those that a column names, or blocks of rows in which one column has one value.
    """
    y = table.columns[table.position(target)]
    allowed = [k for k in used if table.columns[k] is not y and table.columns[k].clock is None]
    for key in sorted(codes, key=lambda k: -codes[k].max()):
        if table.columns[key] is y or not _names_groups(table.columns[key]):
            continue
        members = [k for k in _determined(key, codes) if k in allowed and codes[k].max() > 0]
        if members and (few := _of_named_groups(table, key, members, target)):
            return few
    for k in allowed:
        x = table.columns[k]
        if k in codes and (blocks := blocks_of(x)) is not None and rests_on_rows(x, y, blocks):
            n_blocks = int(blocks[-1]) + 1
            return FewObservations(
                (x.name, y.name), n_blocks, table.n_rows, None, target, is_target_within=True
            )
    return None


def _of_named_groups(table: Table, key: int, members: Sequence[int], target: str) -> FewObservations | None:
    """Which of the columns that have one value per group seem related to the target by counting rows."""
    of_key, y = _codes(table.columns[key]), table.columns[table.position(target)]
    counts = np.bincount(of_key[of_key >= 0])
    if not _are_groups(counts):
        return None
    by_key = _observed(table.columns[key], of_key)
    found = [
        k
        for k in members
        if (x := _observed(table.columns[k], of_key)) is not None
        and _may_be_drawn(x, by_key)
        and rests_on_rows(table.columns[k], y, of_key)
    ]
    names = tuple(table.columns[k].name for k in sorted([*found, table.position(target)]))
    n_rows, group = int(counts.sum()), table.columns[key].name
    return (
        FewObservations(names, len(counts), n_rows, group, target, is_target_within=True) if found else None
    )


def _may_be_drawn(x: _Observed, key: _Observed | None) -> bool:
    """Whether a number is a property of the groups, and no function of the number that names these.

    Categories of categories, as regions of states, are no draws: their rows are independent observations.
    """
    return x.is_number and (key is None or not key.is_number or _are_drawn(x, key))


def _some_rows(n_rows: int) -> NDArray[np.intp] | slice:
    if n_rows <= _SAMPLED_ROWS:
        return slice(None)
    return np.sort(np.random.default_rng(0).choice(n_rows, _SAMPLED_ROWS, replace=False))


def _coded(
    table: Table, positions: Sequence[int], rows: NDArray[np.intp] | slice
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The columns in which values recur, as codes; −1 is missing."""
    for k in positions:
        column = table.columns[k].at(rows)
        if are_distinct(column.present):
            continue
        codes = _codes(column)
        if 1 < codes.max() + 1 <= len(column.present) - _FEWEST_REPEATS:
            yield k, codes


def _codes(column: Column) -> NDArray[np.int64]:
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[slice(None) if column.is_missing is None else ~column.is_missing] = coded(column.present)
    return codes


def _determined(key: int, codes: dict[int, NDArray[np.int64]]) -> list[int]:
    """The other columns that have one value for each value of the key."""
    return [
        k for k in codes if k != key and codes[k].max() <= codes[key].max() and _agree(codes[k], codes[key])
    ]


def _agree(codes: NDArray[np.int64], key: NDArray[np.int64]) -> bool:
    is_known = (codes >= 0) & (key >= 0)
    return bool(is_known.any()) and _is_determined(codes[is_known], key[is_known])


def _is_determined(values: NDArray[Any], key: NDArray[np.int64]) -> bool:
    """Whether all rows of a group have the value of its last row."""
    for rows in (slice(100), slice(None)):  # most pairs differ soon
        some, of_key = values[rows], key[rows]
        of_group = np.zeros(int(of_key.max()) + 1, dtype=values.dtype)
        of_group[of_key] = some
        if not (of_group[of_key] == some).all():
            return False
    return True


def _group(
    table: Table, key: int, determined: list[int], used: set[int], target: str | None
) -> FewObservations | None:
    """The pairs of columns with one value per value of the key, by all rows."""
    of_key = _codes(table.columns[key])
    counts = np.bincount(of_key[of_key >= 0])
    n_rows = int(counts.sum())
    if not _are_groups(counts):
        return None
    members = {k for k in determined if k in used and table.columns[k].clock is None}
    if key in used and table.columns[key].clock is None and table.columns[key].kind is Kind.NUMERIC:
        members.add(key)
    observed = {k: seen for k in sorted(members) if (seen := _observed(table.columns[k], of_key)) is not None}
    pairs = [
        pair
        for pair in combinations(observed, 2)
        if (target is None or table.position(target) in pair) and _are_drawn(*(observed[k] for k in pair))
    ]
    columns = tuple(table.columns[k].name for k in sorted({k for pair in pairs for k in pair}))
    group = table.columns[key].name if _names_groups(table.columns[key]) else None
    return FewObservations(columns, len(counts), n_rows, group, target) if columns else None


def _are_groups(counts: NDArray[np.intp]) -> bool:
    """Whether most groups have three rows or more, and none has most rows."""
    n_rows = int(counts.sum())
    if np.median(counts) < _ROWS_PER_GROUP or len(counts) * _ROWS_PER_GROUP > n_rows:
        return False
    return bool(counts.max() <= _MOST_IN_ONE * n_rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Observed:
    """A column with one value per group: their ranks, or codes of categories; NaN is missing."""

    values: NDArray[np.float64]
    is_number: bool


def _observed(column: Column, key: NDArray[np.int64]) -> _Observed | None:
    """The values of the first groups, where all rows agree."""
    is_known = key >= 0 if column.is_missing is None else (key >= 0) & ~column.is_missing
    values, of_key = column.values[is_known], key[is_known]
    if not len(values) or not _is_determined(values, of_key):
        return None
    n_groups = int(key.max()) + 1
    by_group, has_value = np.zeros(n_groups, dtype=values.dtype), np.zeros(n_groups, dtype=np.bool_)
    by_group[of_key], has_value[of_key] = values, True
    codes = coded(by_group[has_value])
    of_group = np.full(n_groups, np.nan)
    of_group[has_value] = codes
    is_number = column.kind is Kind.NUMERIC and int(codes.max()) + 1 >= _FEWEST_VALUES
    return _Observed(of_group[:_MOST_GROUPS], is_number)


def _names_groups(column: Column) -> bool:
    """Whether these are categories, dates, or integers that number the groups by equal steps."""
    if column.kind is Kind.CATEGORICAL or column.clock is not None:
        return True
    return column.values.dtype.kind in "iu" and len(np.unique(np.diff(np.unique(column.present)))) == 1


def _are_drawn(x: _Observed, y: _Observed) -> bool:
    """Whether one is a number with several values, and neither looks like a function of the other."""
    is_known = ~np.isnan(x.values) & ~np.isnan(y.values)
    if is_known.sum() < _FEWEST_VALUES or not (x.is_number or y.is_number):
        return False
    first, second = (_ranks(side.values[is_known]) for side in (x, y))
    if not first.std() or not second.std():
        return False
    if x.is_number and y.is_number:
        has_one_order = abs(np.corrcoef(first, second)[0, 1]) > _SAME_ORDER
        return not (has_one_order or _is_function(first, second) or _is_function(second, first))
    number, category = (first, second) if x.is_number else (second, first)
    n_runs = 1 + np.count_nonzero(np.diff(category[np.argsort(number, kind="stable")]))
    return bool(n_runs > len(np.unique(category)) + 1)  # else bands of the number, the last as the first


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    ranks: NDArray[np.float64] = order_values(values).midranks
    return ranks


def _is_function(x: NDArray[np.float64], y: NDArray[np.float64]) -> bool:
    """Whether ξ of the ranks y in the order of x is high for so few observations: its variance is 2/5n."""
    n = len(x)
    # The mean distance of two ranks, by their sorted sum.
    spread = 2 * float((2 * np.arange(1, n + 1) - n - 1) @ np.sort(y)) / n**2
    xi = 1 - float(np.mean(np.abs(np.diff(y[np.argsort(x, kind="stable")])))) / spread
    return xi > max(_A_FUNCTION, _DEVIATIONS * float(np.sqrt(0.4 / n)))
