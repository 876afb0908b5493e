"""Checks of a table for dependent rows, repeated rows, rows that are counted cells, and copied columns.

In:  the columns of a table, the positions of those that are ranked, and the target.
Out: diagnoses. Each has a note, and a caution for the verdict if it concerns a pair that was found.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from bychance.array_types import FloatArray
from bychance.columns import Column, are_distinct, codes_of, crossed, numbers_of, shared_rows
from bychance.kinds import Kind
from bychance.measures.base import order_values
from bychance.measures.trace import centered_line
from bychance.messages import Code, Note
from bychance.names import display_name
from bychance.nulls.choose import NullSpec
from bychance.nulls.permutation import Permutation
from bychance.ranking.dependence import (
    FEWEST_ROWS,
    FIRST_COLUMNS,
    FIRST_ROWS,
    Diagnosis,
    codes_by_row,
    in_words_of_columns,
    is_constant,
    is_whole,
    known_rows,
    ranks_or_indicators,
    rows_in_groups,
    time_order,
)

__all__ = ["Diagnosis", "are_near_duplicates", "diagnose", "note_of_blocks"]

_FEW_BLOCKS = 6  # blocks up to which a caution counts their orders: 720 leave no p-value below 1/720 (proof)
_MOST_CELLS = 1 << 23  # cells that are compared for repeated rows, to bound the time (taste)
_NOTED, _CAUTIONED = 0.01, 0.1  # repeated rows among all (taste)
_APART = 0.9  # of the distinct rows, that differ in one column: else rows are alike by chance (taste)
_SAME_LINE, _SAME_ORDER = 0.999, 0.9  # least r² of values and of ranks of near-duplicates (taste)
_COUNT_WORD = re.compile("freq|frequency|counts?|n|number|cases", re.IGNORECASE)


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
    if n_rows < FEWEST_ROWS:
        return ()
    order = sorted(set(used), key=lambda k: (columns[k].name != target, k))
    ranked = [columns[k] for k in order[:FIRST_COLUMNS]]
    found: list[Diagnosis | None] = []
    if not (isinstance(null, Permutation) and null.is_restricted):
        follow = time_order(columns, ranked, target)
        is_timed = follow is not None and follow.note.says(Code.ROWS_IN_ORDER)
        groups = None if is_sample or is_timed else rows_in_groups(columns, ranked, target)
        # Groups one below the other resemble their neighbors, too: what leaves fewer rows is told.
        found.append(min(filter(None, (follow, groups)), key=lambda each: each.n_effective, default=None))
    if not is_sample:
        found += [repeated_rows(columns), copies(ranked, target)]
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


# ---- rows that are cells, rows that repeat, and columns that are copies


def counted_cells(columns: Sequence[Column], n_rows: int) -> Diagnosis | None:
    """Return a diagnosis if rows are cells of a contingency table, with one column of counts."""
    for column in columns:
        if column.kind is not Kind.NUMERIC or not _COUNT_WORD.fullmatch(column.name):
            continue
        values, others = column.present * 1.0, [each for each in columns if each is not column]
        n_cells = math.prod(len(np.unique(each.present)) for each in others)
        is_count = len(values) > 0 and values.min() >= 0 and values.max() > 1 and is_whole(values)
        if is_count and len(others) > 1 and n_cells <= 2 * n_rows and not _n_repeated(others):
            note = Note.on_table(Code.CELLS_COUNTED, n_rows=n_rows, column=column.name)
            cells = f"{n_rows:,} cells of a table that {display_name(column.name, 40)} counts"
            caution = f"Caution: rows are {cells}, not cases."
            return Diagnosis(note, caution, tuple(each.name for each in columns))
    return None


def repeated_rows(columns: Sequence[Column]) -> Diagnosis | None:
    """Return a diagnosis if rows are duplicates not explained by chance, since a column has many values."""
    n_rows = len(columns[0])
    first = max(columns[:FIRST_COLUMNS], key=lambda c: len(np.unique(c.at(slice(1_000)).present)))
    if n_rows**2 > 8 * _MOST_CELLS or are_distinct(first.present):
        return None
    others = [column for column in columns if column is not first]
    n_repeated = _n_repeated([first, *others])
    n_distinct = n_rows - n_repeated
    is_apart = len(np.unique(first.present)) >= max(20, _APART * n_distinct)
    if n_repeated < max(_NOTED * n_rows, 1) or not is_apart or 4 * n_distinct < n_rows:
        return None
    if others and 2 * n_repeated < _n_repeated(others):
        return None  # rounded measurements of the same case
    note = Note.on_table(Code.ROWS_REPEATED, n=n_repeated, n_rows=n_rows)
    told = f"Caution: {n_repeated:,} of {n_rows:,} rows repeat another; copies prove nothing."
    caution = told if n_repeated >= _CAUTIONED * n_rows else ""
    return Diagnosis(note, caution, tuple(column.name for column in columns), n_distinct)


def _n_repeated(columns: Sequence[Column]) -> int:
    """Count the rows that repeat an earlier one in these columns, or return 0 if that takes too long."""
    rows = known_rows(columns[0])
    groups, n_compared = np.zeros(len(rows), dtype=np.int64), 0
    for column in columns:
        n_compared += len(rows)
        if not len(rows) or n_compared > _MOST_CELLS:
            return 0
        _, groups, counts = np.unique(
            crossed(groups, codes_by_row(column)[rows] + 1), return_inverse=True, return_counts=True
        )
        groups = groups.reshape(-1)
        rows, groups = rows[counts[groups] > 1], groups[counts[groups] > 1]
    return len(rows) - len(np.unique(groups))


def copies(columns: Iterable[Column], target: str | None) -> Diagnosis | None:
    """Return a diagnosis if two predictors hold the same information, such as a code and its category."""
    if target is None:
        return None
    by_codes: dict[bytes, list[Column]] = {}
    ranks_of: dict[Column, FloatArray] = {}
    for column in columns:
        codes = codes_by_row(column.at(slice(FIRST_ROWS)))
        if column.name == target:
            continue
        if 1 < codes.max() + 1 <= len(codes) / 2:
            _, first, of = np.unique(codes, return_index=True, return_inverse=True)
            in_turn = np.argsort(np.argsort(first))[of.reshape(-1)]  # numbered as they come
            by_codes.setdefault(in_turn.tobytes() + (codes < 0).tobytes(), []).append(column)
        elif column.kind is Kind.NUMERIC and codes.min() >= 0:
            ranks = ranks_or_indicators(codes, column.kind)[:, 0] - (len(codes) + 1) / 2
            ranks_of[column] = ranks / (np.std(ranks) or 1.0)
    found = [alike[:2] for alike in by_codes.values() if len(alike) > 1]
    if len(ranks_of) > 1:
        lines, ranks = list(ranks_of), np.stack(list(ranks_of.values()))
        close = np.argwhere(np.triu(np.abs(ranks @ ranks.T) > 0.99 * ranks.shape[1], 1))
        found += [[lines[a], lines[b]] for a, b in close[:FIRST_COLUMNS].tolist()]
    names = [(x.name, y.name) for x, y in found if _are_copies(x, y)]
    if not names:
        return None
    note = Note.on_table(Code.NEAR_COPIES, columns=names[0], n=len(names) - 1 or None)
    more = f", as do {len(names) - 1:,} other pairs" if len(names) > 1 else ""
    said = f"{in_words_of_columns(names[0])} say the same{more}."
    return Diagnosis(note, said, (target, *(name for each in names for name in each)))


def _are_copies(x: Column, y: Column) -> bool:
    """Return True if two columns carry the same information in all rows."""
    if x.kind is y.kind:
        return are_near_duplicates(x, y)
    number, codes = (x if x.kind is Kind.NUMERIC else y).present, (codes_by_row(x), codes_by_row(y))
    is_code = is_whole(number * 1.0) and float(np.ptp(number)) < 2 * (codes[0].max() + 1)
    return is_code and is_constant(*codes) and is_constant(*codes[::-1])


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
