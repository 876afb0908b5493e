"""Reading of a stream of any length into sums over its rows, and a sample of the rows.

Types are inferred from the first rows, as by `read_table`. All parts are then read once, each into sums
and a sample, and these are merged. A source that fits in the sample becomes an ordinary table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, is_label
from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.footer import note_on_totals_among
from bychance.io.frames import Wishes
from bychance.io.infer import column_of
from bychance.io.read import read_columns
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option, Remark, remark
from bychance.moments.row_sums import RowSums
from bychance.names import display_name, in_words
from bychance.streaming.parts import OncePart, StreamSource, joined
from bychance.streaming.resume import SavedSums
from bychance.streaming.row_sample import RowSample
from bychance.streaming.sums import Found, PartTask, StreamOptions, regrouped
from bychance.streaming.typed_batches import TypeBreak, Typing, what_of
from bychance.ticks import arrow_clock

__all__ = ["Run", "Streamed", "read_rows", "read_stream"]

HEAD_ROWS = 100_000  # first rows, from which types are inferred (taste)
_HEAD_PARTS = 4  # parts of a source from which half of these rows come (taste)
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Streamed:
    """Result of reading a stream: sampled rows with sums over all rows, or all rows without sums."""

    table: Table
    sums: RowSums | None
    typing: Typing | None = None  # types of the columns in the sums


Run = Callable[[Mapping[int, Callable[[], PartTask]], int | None], Iterator[tuple[int, Found, int]]]
"""Function that runs tasks anywhere and yields (first part, result, number of parts) as they finish."""


def read_stream(
    source: StreamSource, wishes: Wishes, options: StreamOptions, run: Run, saved: SavedSums | None = None
) -> Streamed:
    """Read a source into sums over all rows and a table of sampled rows."""
    columns = [name for name in source.schema.names if name not in wishes.drop]
    if not columns:
        raise BychanceError(f"{display_name(source.origin)} has no columns left.")
    if len(set(columns)) < len(columns):
        raise BychanceError(
            f"Column names must differ in {display_name(source.origin)} to read it in batches."
        )
    head, source, is_whole = _head(source, columns)
    if not head.num_rows:
        raise BychanceError(f"{display_name(source.origin)} has no rows.")
    table = read_rows(source, head, wishes)
    # A sample does not show that a column counts the rows.
    asides: dict[str, tuple[Remark, ...]] = {
        str(note.column): note.remarks
        for note in table.notes
        if note.says(Code.ROW_COUNTER, Code.COUNTER_WITHOUT_NAME)
    }
    if is_whole and head.num_rows <= options.sample_rows:
        return Streamed(_with_totals_noted(source, table), None)
    if not source.can_reread:
        table = _as_declared(table, source.schema, wishes)
    elif not is_whole:
        longer = _with_values(source, columns, head, table)
        if longer is not head:
            head, table = longer, read_rows(source, longer, wishes, asides)
    is_bent = options.wanted.bends is not None and source.can_reread
    # Bends come from sampled rows, so that the first pass is for these alone.
    sampling = replace(options.wanted, lines=False, groups=False, tables=False)
    first, saved_first = (replace(options, wanted=sampling), None) if is_bent else (options, saved)
    while True:
        typing = Typing.of(
            table,
            head,
            wishes,
            source.decimal,
            as_numbers=options.as_numbers,
            is_declared=not source.is_text,
        )
        try:
            found = _over_parts(source, columns, typing, first, run, saved_first)
        except TypeBreak as error:
            if not source.can_reread or error.column in wishes.kinds or "number" not in error.values:
                raise
            asides[error.column] = (_infinite(error),)  # as in memory
            table = read_rows(source, head, wishes, asides)
            continue
        if not len(found):
            raise BychanceError(
                f"No row has {in_words(options.wanted.given)}: " + Option("given") + " leaves none.", "given"
            )
        sampled, noted = found.sample.table(), source
        if found.sums.n_left_out:
            lacking = Note.on_table(
                Code.COVARIATES_MISSING, n=found.sums.n_left_out, covariates=tuple(options.wanted.given)
            )
            noted = replace(source, notes=(*source.notes, lacking))
        told = _with_totals_noted(source, read_rows(noted, sampled, wishes, asides))
        if len(found) <= options.sample_rows:
            return Streamed(told, None)
        longer = _with_lost_values(sampled, told, head, table)
        retyped = told if longer is sampled else read_rows(source, longer, wishes, asides)
        kinds, expected = ({(c.name, what_of(c)) for c in each.columns} for each in (retyped, table))
        if kinds == expected or not source.can_reread:
            sums = found.sums
            if is_bent:
                bent = replace(options, wanted=replace(options.wanted, bends=typing.bends(sampled)))
                sums = _over_parts(source, columns, typing, bent, run, saved).sums
            return Streamed(_with_types_of_sums(told, typing, sampled, sums), sums, typing)
        table, head = retyped, longer


def _over_parts(
    source: StreamSource,
    columns: list[str],
    typing: Typing,
    options: StreamOptions,
    run: Run,
    saved: SavedSums | None,
) -> Found:
    """Read all parts in any order, and merge their results in the order of the parts."""

    def nothing(typing: Typing) -> Found:
        n_rows = None if options.wanted.given else source.n_rows  # unknown, less missing covariates
        sample = RowSample.expecting(n_rows, options.sample_rows, options.seed)
        return Found.none(typing, options, sample)

    total, n_done = nothing(typing), 0
    if saved is not None:
        types = [str(source.schema.field(name)) for name in columns]
        earlier = saved.restored(source.parts, typing, nothing, types, options)
        if earlier is not None:
            total, typing, n_done = earlier

    def task(number: int) -> PartTask:
        return PartTask(source.parts[number], number, columns, typing, options, total.sample.limit)

    tasks = {number: partial(task, number) for number in range(n_done, len(source.parts))}
    waiting: dict[int, tuple[Found, int]] = {}
    try:
        for first, found, n_parts in run(tasks, source.n_rows):
            waiting[first] = found, n_parts
            while n_done in waiting:
                found, n_parts = waiting.pop(n_done)
                total, n_done = total.merge(found), n_done + n_parts
                if saved is not None:
                    saved.save(total, typing, n_done)
    finally:
        if saved is not None:
            saved.save(total, typing, n_done, is_last=True)
    return total


def _head(source: StreamSource, columns: list[str]) -> tuple[Any, StreamSource, bool]:
    """Return the first rows, a source that still yields all rows, and True if there are no more rows."""
    batches, n_rows, is_whole = list[Any](), 0, True
    if not source.can_reread:
        stream = source.parts[0].batches(columns)
        for batch in stream:
            batches.append(batch)
            n_rows += batch.num_rows
            if n_rows >= HEAD_ROWS:
                is_whole = False
                break
        again = OncePart(source.parts[0].name, chain(batches, stream))
        return source.joined(columns, batches), replace(source, parts=(again,)), is_whole
    few = {0, *np.linspace(0, len(source.parts) - 1, _HEAD_PARTS).round().astype(int).tolist()}
    for number, part in enumerate(source.parts):
        is_first = n_rows < HEAD_ROWS // 2
        if not is_first and number not in few:
            is_whole = False
            continue
        share = HEAD_ROWS // 2 if is_first else HEAD_ROWS // 2 // _HEAD_PARTS
        taken = 0
        for batch in part.head(columns, share):
            batches.append(batch.slice(0, share - taken))
            taken += batches[-1].num_rows
            if taken >= share:
                is_whole = False
                break
        n_rows += taken
    return source.joined(columns, batches), source, is_whole


def _with_values(source: StreamSource, columns: list[str], head: Any, table: Table) -> Any:
    """Extend the first rows `head` by later rows of the source until each column has a value.

    A column needs a value to get a type.
    """
    empty = {column.name for column in table.columns if _is_empty(column)}
    for part in source.parts if empty else ():
        for number, lot in enumerate(regrouped(part.batches(sorted(empty)))):
            found = {name for name in empty if source.has_value(lot[name])}
            if found:
                head = joined([head, next(islice(regrouped(part.batches(columns)), number, None))])
                empty -= found
            if not empty:
                return head
    return head


def _as_declared(table: Table, schema: Any, wishes: Wishes) -> Table:
    """Give columns that are empty in the first rows the types that Arrow's schema declares.

    This is for a source that can be read only once.
    """
    columns = [
        _declared(column, schema.field(column.name).type, wishes.kinds.get(column.name))
        if _is_empty(column) else column
        for column in table.columns
    ]  # fmt: skip
    return replace(table, columns=tuple(columns))


def _declared(column: Column, arrow_type: Any, kind: Kind | None) -> Column:
    import pyarrow.types as types

    if kind is None and (is_label(arrow_type) or types.is_dictionary(arrow_type)):
        kind = Kind.CATEGORICAL
    if kind is Kind.CATEGORICAL:
        return _without_values(column, is_flags=types.is_boolean(arrow_type))
    return replace(column, clock=arrow_clock(arrow_type))


def _without_values(column: Column, *, is_flags: bool, labels: tuple[object, ...] = ()) -> Column:
    """Return a categorical column in which every value is missing."""
    codes: NDArray[Any] = np.zeros(len(column), dtype=np.bool_ if is_flags else np.int32)
    return Column(column.name, Kind.CATEGORICAL, codes, column.is_missing, () if is_flags else labels)


def read_rows(
    source: StreamSource, rows: Any, wishes: Wishes, asides: Mapping[str, tuple[Remark, ...]] = _NOTHING
) -> Table:
    """Read Arrow rows of a source as a table, by the rules for tables in memory."""
    gone = frozenset(name for name in wishes.drop if name in source.schema.names)
    named = source.named(rows, asides)
    return read_columns(named, replace(wishes, drop=wishes.drop - gone), source.decimal)


def _with_totals_noted(source: StreamSource, table: Table) -> Table:
    """Add a note if rows of a text file look like totals of other rows."""
    note = note_on_totals_among({}, table.columns, is_sample=True) if source.is_text else None
    return table if note is None else replace(table, notes=(*table.notes, note))


def _with_lost_values(sampled: Any, told: Table, head: Any, table: Table) -> Any:
    """Append first rows to the sample if they have values in columns that are empty in the sample."""
    found = {column.name: column for column in told.columns}
    rare = [
        column for column in table.columns
        if not _is_empty(column) and column.name in found and _is_empty(found[column.name])
    ]  # fmt: skip
    if not rare:
        return sampled
    has_value = np.logical_or.reduce([~column.is_missing for column in rare if column.is_missing is not None])
    return joined([sampled, head.filter(arrow_of_numpy(has_value))])


def _is_empty(column: Column) -> bool:
    return column.is_missing is not None and bool(column.is_missing.all())


def _with_types_of_sums(table: Table, typing: Typing, rows: Any, sums: RowSums) -> Table:
    """Parse the sampled rows again if needed, so that their columns have the types used for the sums."""
    known = {column.name: column for column in table.columns}
    labels = dict(zip(sums.names[1], (each.labels for each in sums.dictionaries), strict=True))
    types = {each.name: each for each in (*typing.numeric, *typing.labels)}
    columns = []
    for name in rows.column_names:
        if name not in types:
            continue
        column, wanted = known.get(name), types[name]
        if column is None or what_of(column) != what_of(wanted) or wanted.decimal is not None:
            mark = wanted.decimal or typing.decimal
            column = column_of(rows.column(name), name, typing.wishes, mark)
        if column.kind is not wanted.kind and _is_empty(column):
            column = _without_values(column, is_flags=wanted.is_flags, labels=labels[name])
        columns.append(column)
    return replace(table, columns=tuple(columns))


def _infinite(error: TypeBreak) -> Remark:
    place = f"at row {error.values['row']:,} (counting from 0)"
    infinities = Option("missing", ("inf", "-inf"))
    return remark(Code.NOT_FINITE, number=error.values["number"], place=place, option=infinities)
