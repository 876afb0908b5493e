"""Type inference for columns: text or values to numbers, dates, booleans or categories, with notes.

Text is of the first type that all present cells are of: plain numbers, ISO dates, times of day, true or
false, amounts, dates as people write them, categories. Values that have a type keep it. Identifiers, free
text and mixtures are set aside unless the caller names the column.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from bychance.array_types import BoolArray
from bychance.arrow_values import are_strings, null_mask, numpy_of
from bychance.columns import Column
from bychance.errors import BychanceError, ColumnError
from bychance.io.amounts import read_amounts
from bychance.io.cells import (
    DASHES,
    MISSING_AMONG_NUMBERS,
    MISSING_IN_TEXT,
    DistinctCells,
    TextCells,
    any_match,
    cells_of,
    combined,
    matches,
    null_where,
    reason_to_set_aside,
    stripped,
)
from bychance.io.dates import read_dates, read_iso_dates, read_times
from bychance.io.frames import Source, Wishes, as_kind, without
from bychance.io.numbers import (
    FEW_VALUES,
    Reading,
    are_plain_anywhere,
    read_plain,
)
from bychance.io.remarks import (
    are_many,
    counts_rows,
    is_row_counter,
    merge_labels,
    numbers_among,
    remarks_on,
    what_are,
)
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option, Remark, Sentence, joined_remarks, remark
from bychance.names import display_name, first_line
from bychance.read_column import read_column

__all__ = ["UNREADABLE", "column_of", "read_argument", "typed_column"]

MIXED_SHARE = 0.9  # share of numbers or dates from which on a column is mixed, not categorical (taste)
FEWEST_CODES = 5  # least number of distinct two-letter codes among which NA may be one (taste)
_INDEX_OF_FRAME = "__index_level_"  # as pandas calls it in Arrow and Parquet
_LISTED = 3  # cells that a remark names (taste)
_INFINITE: tuple[str, ...] = ("inf", "-inf")
UNREADABLE = (ValueError, TypeError, NotImplementedError, OverflowError)
_DIGIT_IN_WORD = r"^[0-9A-Za-z,;/ -]*[0-9][0-9A-Za-z,;/ -]*$"


# A column of a source.


def typed_column(
    source: Source, name: str, wishes: Wishes, decimal: str | None
) -> tuple[Column | None, list[Note]]:
    """Return a column with its inferred type and notes, or None if it is excluded."""
    values, kind = source.columns[name], wishes.kinds.get(name)
    if isinstance(values, Column):
        return _wished(values, wishes), []
    cells, typed = values, Typed(values)
    try:
        cells = cells_of(values, decimal)
        typed = typed_cells(cells, name, wishes) if isinstance(cells, TextCells) else Typed(cells)
        if kind is None:
            index = (remark(Code.INDEX_OF_FRAME),) if name.startswith(_INDEX_OF_FRAME) else ()
            typed = replace(typed, aside=source.asides.get(name) or index or typed.aside)
            if isinstance(typed.values, DistinctCells):
                typed = _exclude_identifiers(typed, name)
        if typed.aside:
            return None, [Note(name, typed.aside, is_set_aside=True)]
        column = _wished(_column(name, typed.values, wishes.missing), wishes)
    except UNREADABLE as error:
        if isinstance(error, BychanceError) and not isinstance(error, ColumnError):
            raise
        fault = _fault(error, cells, typed.values)
        if kind is not None or getattr(error, "code", None) is Code.NOT_ONE_DIMENSIONAL:
            drop = Option("drop", (name,))
            said = f"{display_name(name)!r} cannot be read: " + Sentence((fault,))
            raise BychanceError(said + "; " + drop + " leaves it out.") from None
        return None, [Note(name, (fault,), is_set_aside=True)]
    if kind is not None:
        return column, []
    if (reason := _reason_to_leave_out(column, is_unnamed=name in source.unnamed)) is not None:
        return None, [Note(name, (reason,), is_set_aside=True)]
    told = [Note(name, typed.said)] if typed.said else []
    is_text = isinstance(typed.values, DistinctCells)
    return column, [*told, *typed.noticed, *remarks_on(column, is_text=is_text)]


def column_of(values: Any, name: str, wishes: Wishes, decimal: str | None) -> Column:
    """Convert values to a column of the requested kind, even if `read_table` would exclude it.

    >>> column_of(["1", None, "2.5"], "a", Wishes.of(numeric="a"), None).values.tolist()
    [1.0, nan, 2.5]
    """
    cells = cells_of(values, decimal)
    if isinstance(cells, TextCells):
        cells = typed_cells(cells, name, wishes).values
    return _wished(_column(name, cells, wishes.missing), wishes)


def read_argument(values: Any, name: str) -> tuple[Column, str | None]:
    """Read an argument of adjust() and similar functions, and say how its text was interpreted.

    What read_table() would set aside stays: whoever names a column wants it. Numbers as text are categories.
    Whole ones are codes, made so on purpose: nothing is said of these.

    >>> column, said = read_argument(["$1,200", "$7.50"], "x")
    >>> column.values.tolist(), said
    ([1200.0, 7.5], '`x` is text: numbers in $; commas separate thousands')
    >>> read_argument(["2", "1", "NA"], "x")[0].present.tolist()
    [0, 1]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiub":
        return read_column(values, name), None
    cells = None
    if not isinstance(values, list | tuple) or any(isinstance(value, str) for value in values):
        with contextlib.suppress(TypeError):
            cells = cells_of(values, None) if len(values) else None
    if not isinstance(cells, TextCells) or not cells.is_declared:
        return read_column(values, name), None
    typed = typed_cells(cells, name, Wishes())
    if not isinstance(typed.values, DistinctCells):
        is_plain = [told.code for told in typed.said] == [Code.TEXT_READ]
        said = f"read as {typed.said[0].values['what']}" if is_plain else joined_remarks(typed.said)
        return read_column(typed.values, name), f"`{name}` is text: {said}" if said else None
    column, is_missing = typed.values.column(name), typed.values.codes < 0
    if not is_missing.all():
        column = replace(read_column(values, name), is_missing=is_missing if is_missing.any() else None)
    said = _said_of_labels(typed, typed.values.texts, len(column))
    return column, f"`{name}` is text: {said}" if said else None


def _said_of_labels(typed: Typed, texts: Any, n_rows: int) -> str:
    if typed.aside:
        aside = joined_remarks(typed.aside)
        return f"taken for {len(texts):,} categories, which bc.read_table sets aside: {aside}"
    if not typed.are_numbers:
        return joined_remarks(typed.said)
    if matches(texts, r"^\s*[0-9]+\s*$").all() or not are_many(len(texts), n_rows):
        return ""
    return f"{len(texts):,} numbers, taken for categories; convert them to have them read as numbers"


def _column(name: str, values: Any, missing: frozenset[str] | None) -> Column:
    if isinstance(values, DistinctCells):
        return values.column(name)
    try:
        return read_column(values, name)
    except ColumnError as error:
        marks = [float(mark) for mark in _INFINITE if mark in (missing or ())]
        if error.code is not Code.MUST_BE_FINITE or not marks:
            raise
        floats = np.array(values, dtype=np.float64)
        return read_column(np.where(np.isin(floats, marks), np.nan, floats), name)


def _wished(column: Column, wishes: Wishes) -> Column:
    if wishes.missing is not None:
        column = without(column, wishes.missing)
    if (kind := wishes.kinds.get(column.name)) is not None:
        column = as_kind(column, kind)
    return merge_labels(column) if column.name in wishes.merge else column


def _exclude_identifiers(typed: Typed, name: str) -> Typed:
    """Mark identifiers and free text as excluded, with a remark on the option that reads them as numbers."""
    cells, reads = typed.values, Option("numeric", (name,))
    reason = typed.aside
    if not reason and (found := reason_to_set_aside(cells)) is not None:
        forms = (note.remarks for note in typed.noticed if note.says(Code.FORM_NOT_READ))
        reason = (found, *chain.from_iterable(forms))
    if not typed.are_numbers:
        return replace(typed, aside=reason)
    n_numbers = len(cells.texts)
    if not reason:
        told = remark(Code.NUMBERS_AS_TEXT, n=n_numbers, option=reads)
        return replace(typed, said=typed.said or (told,))
    keeps = Option("categorical", (name,))
    told = remark(Code.NUMBERS_AS_TEXT_SET_ASIDE, n=n_numbers, option=reads, keeps=keeps)
    return replace(typed, aside=(*reason, told))


def _reason_to_leave_out(column: Column, *, is_unnamed: bool) -> Remark | None:
    """Return a remark if a column only counts the rows, or is empty and has no name, else None."""
    if is_unnamed and column.is_missing is not None and column.is_missing.all():
        return remark(Code.EMPTY_WITHOUT_NAME)
    if is_unnamed and counts_rows(column, fewest=1):
        return remark(Code.COUNTER_WITHOUT_NAME)
    if is_row_counter(column):
        return remark(Code.ROW_COUNTER, option=Option("numeric", (column.name,)))
    return None


def _fault(error: Exception, cells: Any, values: Any) -> Remark:
    """Return a remark on why a column cannot be read, with the option that helps."""
    if not isinstance(error, ColumnError):
        return remark(Code.NOT_READABLE, reason=f"could not be read: {first_line(error)}")
    if error.code is not Code.MUST_BE_FINITE:
        return remark(Code.NOT_READABLE, reason=str(error.rule).rstrip("."))
    number, place, marks = error.values["number"], error.values["place"], _INFINITE
    if isinstance(cells, TextCells):
        row, distinct = int(np.flatnonzero(np.isinf(numpy_of(values)))[0]), cells.distinct
        place, marks = cells.place(row), (distinct.texts[int(distinct.codes[row])].as_py(),)
    return remark(Code.NOT_FINITE, number=number, place=place, option=Option("missing", marks))


# Cells of text.


@dataclass(frozen=True, slots=True, eq=False)
class Typed:
    """Values of a column with inferred type (Arrow array, or category cells), with remarks.

    `noticed` are notes on categories that may be numbers or dates. `are_numbers` is true of categories that
    are plain numbers and stay text, as their source declares.
    """

    values: Any
    said: tuple[Remark, ...] = ()
    aside: tuple[Remark, ...] = ()
    noticed: tuple[Note, ...] = ()
    are_numbers: bool = False


def typed_cells(cells: TextCells, name: str, wishes: Wishes) -> Typed:
    """Parse text cells as the first type that fits all of them.

    Blanks around a cell count for categories only. A cell that is in the caller's `missing` is null; if that
    is None, the usual marks are, and more of them among numbers and dates. If at least 90 % of the cells are
    numbers or dates, and most or more than 20 of these are distinct, the column is mixed: the rest are
    missing marks or slips, and only the caller can tell. In a source that declares text, plain numbers are
    categories: any library would have read them as numbers by itself.
    """
    kind, missing = wishes.kinds.get(name), cells.missing if wishes.missing is None else wishes.missing
    marks = MISSING_IN_TEXT if missing is None else missing
    is_declared = cells.is_declared and kind is None
    if not (is_declared or kind is Kind.CATEGORICAL or isinstance(cells.values, DistinctCells)):
        plain = _plain_rows(cells, name, marks, may_be_codes=kind is None)
        if plain is not None:
            return plain
    cells = replace(cells, values=cells.distinct)
    text = _Text.of(cells, name, kind, marks, has_more_marks=missing is None)
    if kind is Kind.CATEGORICAL or not len(text.bare):
        return Typed(text.distinct)
    if is_declared and text.has_digit and (declared := text.as_declared()) is not None:
        return declared
    typed = text.typed(wishes.day_first) if text.has_digit else text.without_digits()
    if typed.aside:
        return typed
    said = typed.said or (_remark_on_type(typed.values) if cells.is_declared else ())
    is_text = isinstance(typed.values, DistinctCells)
    return replace(typed, said=(*said, *(text.remark_on_missing(is_text=is_text) if missing is None else ())))


def _plain_rows(cells: TextCells, name: str, marks: frozenset[str], *, may_be_codes: bool) -> Typed | None:
    """Parse cells as plain numbers, or return None if one of them is not a number."""

    def read(values: Any) -> Reading | None:
        exact = null_where(values, values, marks)
        return read_plain(exact, cells.decimal, name, may_be_codes=may_be_codes)

    if read(combined(cells.values.slice(0, FEW_VALUES))) is None:
        return None
    if (plain := read(combined(cells.values))) is None:
        return None
    return Typed(DistinctCells.of(plain.values) if are_strings(plain.values) else plain.values, plain.said)


def _remark_on_type(values: Any) -> tuple[Remark, ...]:
    """Return a remark that text was read as numbers, dates or times."""
    import pyarrow.types as types

    if isinstance(values, DistinctCells) or types.is_boolean(values.type) or values.null_count == len(values):
        return ()
    return (remark(Code.TEXT_READ, what=what_are(values.type)),)


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """Distinct text cells of a column, stripped of white space, without missing values.

    `among` is null for cells that would mark missing values among numbers or dates. `has_digit` is False if
    no cell is a number or date of any form.
    """

    cells: TextCells
    name: str
    kind: Kind | None
    distinct: DistinctCells
    bare: Any
    among: Any
    has_digit: bool

    @staticmethod
    def of(
        cells: TextCells, name: str, kind: Kind | None, marks: frozenset[str], *, has_more_marks: bool
    ) -> _Text:
        distinct = cells.distinct
        exact = null_where(distinct.texts, distinct.texts, marks)
        bare = stripped(exact)
        bare = null_where(bare, bare, marks)
        if bare.null_count:
            distinct, bare = distinct.only(~null_mask(bare)), bare.drop_null()
        has_digit = any_match(bare, "[0-9]")
        among = null_where(bare, bare, MISSING_AMONG_NUMBERS) if has_digit and has_more_marks else bare
        # A column of nothing but errors of spreadsheets is not otherwise numeric.
        is_empty = among.null_count == len(among)
        return _Text(cells, name, kind, distinct, bare, bare if is_empty else among, has_digit)

    def as_declared(self) -> Typed | None:
        """Return cells as categories if all are plain numbers declared as text, else None."""
        if not are_plain_anywhere(self.cells.distinct.texts):
            return None
        if self.cells.decimal == "," and any_match(self.bare, "[.]"):
            return None
        plain = read_plain(self.bare, None, self.name, may_be_codes=True)
        if plain is not None and any(told.code is Code.THOUSANDS for told in plain.said):
            return None
        said = () if plain is None or not are_strings(plain.values) else plain.said
        return Typed(self.distinct, said, are_numbers=True)

    def remark_on_missing(self, *, is_text: bool) -> tuple[Remark, ...]:
        """Return a remark if NA among two-letter codes, or a dash beside 0, was read as missing."""
        if is_text:
            cells = self.cells.distinct
            n_rows = cells.count(matches(cells.texts, "^NA$")) if len(self.bare) >= FEWEST_CODES else 0
            if not n_rows or not matches(self.bare, "^[A-Z]{2}$").all():
                return ()
            return (remark(Code.NA_BESIDE_CODES, cell="NA", n=n_rows, option=Option("missing", ())),)
        if not self.among.null_count or not any_match(self.among, "^0$"):
            return ()
        is_dash = np.isin(self.bare.to_pylist(), list(DASHES))
        if not is_dash.any():
            return ()
        dash, keeps = self.bare[int(is_dash.argmax())].as_py(), Option("categorical", (self.name,))
        return (remark(Code.DASH_BESIDE_ZERO, cell=dash, n=self.distinct.count(is_dash), option=keeps),)

    def without_digits(self) -> Typed:
        """Parse cells without digits as booleans, or else as categories."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if {"true", "false"}.issuperset(pc.utf8_lower(self.bare.slice(0, FEW_VALUES)).to_pylist()):
            with contextlib.suppress(pa.ArrowInvalid):
                return Typed(self.distinct.spread(self.bare.cast(pa.bool_())))
        if self.kind is Kind.NUMERIC:
            raise BychanceError(self._no_number(None, np.ones(len(self.bare), np.bool_)), "numeric")
        return Typed(self.distinct)

    def typed(self, day_first: bool | None) -> Typed:
        """Parse all cells as numbers, times or dates, or else as categories."""
        readings = list[Reading]()
        for reading in filter(None, self._readings(day_first)):
            if reading.problem is None and (reading.is_read | null_mask(self.among)).all():
                values = self.distinct.spread(reading.values)
                return Typed(DistinctCells.of(values) if are_strings(values) else values, reading.said)
            readings.append(reading)
        best = max(readings, key=lambda r: self.distinct.count(r.is_read), default=None)
        odd = ~null_mask(self.among) & (True if best is None else ~best.is_read)
        if self.kind is Kind.NUMERIC:
            raise BychanceError(self._no_number(best, odd), "numeric")
        return self._mixed_or_labels(best, odd)

    def _readings(self, day_first: bool | None) -> Iterator[Reading | None]:
        """Yield the results of parsing the cells as numbers, dates, times or amounts, cheapest first."""
        among, decimal = self.among, self.cells.decimal
        yield read_plain(among, decimal, self.name, may_be_codes=self.kind is None)
        yield read_iso_dates(among)
        yield read_times(among)
        yield read_amounts(among, decimal, self.distinct.counts)
        yield read_dates(among, day_first=day_first)

    def _mixed_or_labels(self, best: Reading | None, odd: BoolArray) -> Typed:
        """Return categories, or an excluded column if nearly all of its cells are numbers or dates."""
        distinct, n_odd = self.distinct, self.distinct.count(odd)
        n_read = 0 if best is None else distinct.count(best.is_read)
        if best is None or n_read < MIXED_SHARE * (n_read + n_odd):
            return Typed(distinct, noticed=numbers_among(distinct, self.name, best))
        if self._are_codes():
            return Typed(distinct, (remark(Code.CODES_BESIDE_WORDS),))
        problem, keeps = best.problem, Option("categorical", (self.name,))
        if not are_many(int(np.count_nonzero(best.is_read)), n_read):
            if problem is None:
                return Typed(distinct, noticed=numbers_among(distinct, self.name, best))
            return Typed(distinct, (remark(Code.CATEGORIES_PROBLEM, problem=problem),))
        if problem is not None:
            return Typed(distinct, aside=(remark(Code.MIXED_PROBLEM, problem=problem, option=keeps),))
        marks = tuple(self.among[int(code)].as_py() for code in np.flatnonzero(odd)[: _LISTED + 1])
        reads = Option("missing", marks if len(marks) <= _LISTED else (OPEN,))
        counted = {"n_read": n_read, "n_values": n_read + n_odd, **self._first(odd)}
        return Typed(distinct, aside=(remark(Code.MIXED, **counted, option=reads, keeps=keeps),))

    def _are_codes(self) -> bool:
        """Return True if zero-padded numbers occur among words with digits, as in 01 and 2A."""
        is_whole = matches(self.among, "^[0-9]+$")
        has_digit = is_whole | matches(self.among, _DIGIT_IN_WORD) | null_mask(self.among)
        return bool(has_digit.all() and matches(self.among, "^0[0-9]+$").any() and not is_whole.all())

    def _no_number(self, best: Reading | None, odd: BoolArray) -> Remark:
        marks = Option("missing", (OPEN,))
        if best is None or best.problem is None:
            return remark(Code.MUST_BE_NUMBERS, **self._first(odd), column=self.name, give=marks)
        # Marks that are missing now would no longer be: only a note can name them.
        problem, gives = best.problem.with_values(option=None), bool(best.problem.options)
        return remark(Code.MUST_BE_NUMBERS, got=problem, column=self.name, give_all=marks if gives else None)

    def _first(self, odd: BoolArray) -> dict[str, Any]:
        """Return the first flagged cell, its position, and the number of further rows with flagged cells."""
        rows = np.flatnonzero(np.isin(self.distinct.codes, np.flatnonzero(odd)))
        cell = self.among[int(self.distinct.codes[rows[0]])].as_py()
        return {"cell": cell, "place": self.cells.place(int(rows[0])), "n_more": len(rows) - 1 or None}
