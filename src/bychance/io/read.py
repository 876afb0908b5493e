"""Implementation of read_table(): any table in memory or in a file to typed columns with notes."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bychance.columns import Column
from bychance.errors import BychanceError
from bychance.io.cells import (
    MISSING_AMONG_NUMBERS,
    MISSING_IN_TEXT,
    TextCells,
    cells_of,
    combined,
    stripped,
)
from bychance.io.dates import AS_IN_OTHERS, FIRST
from bychance.io.dialect import Layout, TextFormat
from bychance.io.files import MAX_GIB, check_layout, from_file
from bychance.io.footer import note_on_totals_among, rows_of_totals
from bychance.io.frames import Source, Wishes, from_memory
from bychance.io.infer import typed_column
from bychance.io.table import Table, sentence_on_sheets
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option, Remark, Sentence, remark
from bychance.validation import answers_expected_words, number_within

__all__ = ["read_columns", "read_source", "read_table"]

_DETECTED = Layout()
_MOST_NAMED = 100_000  # rows of a column up to which its texts are searched for names of totals (time)
_FEWEST_KEPT = 2  # columns of a table below which a column of text is prose, or was not split (taste)
_MOST_DROPS = 2  # rounds of removing totals (taste)

_Typed = dict[str, tuple[Column | None, list[Note]]]


@answers_expected_words()
def read_table(
    source: object,
    *,
    numeric: str | Iterable[str] = (),
    categorical: str | Iterable[str] = (),
    drop: str | Iterable[str] = (),
    missing: object = None,
    merge: str | Iterable[str] = (),
    day_first: bool | None = None,
    names: Sequence[str] | None = None,
    header: bool = True,
    skip_rows: int = 0,
    sheet: str | int | None = None,
    text_format: TextFormat | None = None,
    max_gib: float = MAX_GIB,
) -> Table:
    r"""Read a frame, dict of arrays, two-dimensional array or file as a table of typed columns.

    Columns of text are read alike wherever they come from. Numbers, dates, booleans and categories stay what
    they are. Unreadable columns are set aside, with a note. The guide has all rules: "Reading files".

    Parameters
    ----------
    source
        A pandas, polars (lazy too) or pyarrow table (or another that narwhals knows), a dict of arrays, a
        two-dimensional or structured array, a `Table`, "-" for standard input, or the path of a file: text
        (.csv, .tsv, .txt, .tab, .dat, .data), .jsonl, .ndjson, .json, .arff (all of them also packed: .gz,
        .bz2, .xz, .zst, .lz4), .zip, .parquet, .feather, .arrow, .ipc and .xlsx.
    numeric, categorical
        Names of columns to read as numbers or as categories, whatever they look like. They are never set
        aside. Categories stay as written: 02139 and 2139 differ.
    drop
        Names of columns to ignore.
    missing
        Marks of missing values, instead of the usual marks: a value or several, with "NA" among
        them if it is to stay missing. A number stands for all that are equal to it, however they are
        written, in columns of float32 once it is rounded to that. An empty cell, NaN and null are always
        missing.
    merge
        Names of columns whose categories are merged if they differ only by case or blanks.
    day_first
        True if 03/04/2019 is 3 April. None decides by the column, by default with the month first.
    names
        The columns' names, for an array or for a text file or sheet that has no header.
    header
        True if the first row of a text file or sheet holds names. Otherwise they are column_1, column_2, ….
    skip_rows
        Number of rows above the header of a text file or sheet.
    sheet
        The name of an Excel sheet, or its number counted from 1. None is the first.
    text_format
        Delimiter, decimal mark and encoding of text, if detection goes wrong. The decimal mark
        holds for text in frames as well.
    max_gib
        The most GiB that a packed file may take in memory: text from .gz and the like, a sheet (its cells up
        to the last row and column, empty ones as well), the columns of Parquet, Feather and Arrow files. A
        file of a few kilobytes can stand for more than a machine holds. Plain text is read at any size.

    Returns
    -------
    Table
        The columns in their order. Its `notes` list columns that were set aside, with reasons.

    Notes
    -----
    A column of text is of the first type that all present values are of: plain numbers, ISO dates, times,
    true or false, amounts (with a currency, a unit, a percent sign or separators of thousands), dates as
    people write them, categories. Codes of one length that are padded with zeros stay categories. NA, ?, null
    and the like are missing in all text. Dashes, points and words such as "missing" are missing among numbers
    or dates. Mixtures of numbers and words, identifiers, free text and counters of rows are set aside.

    Examples
    --------
    >>> ids = [f"P{k:03}" for k in range(30)]
    >>> patients = {"id": ids, "age": [31, 54, 8] * 10, "cost": ["$1,200", "$80", "$7.50"] * 10}
    >>> table = read_table(patients)
    >>> [(column.name, column.kind.value) for column in table]
    [('age', 'numeric'), ('cost', 'numeric')]
    >>> print(*table.notes, sep="\n")
    'id' was set aside: an identifier: 30 of 30 values are distinct
    'cost': numbers in $; commas separate thousands
    >>> read_table(patients, categorical="id").names
    ('id', 'age', 'cost')
    """
    layout = Layout.of(text_format=text_format, names=names, header=header, skip_rows=skip_rows, sheet=sheet)
    max_gib = number_within(max_gib, "max_gib", math.inf)
    wishes = dict(
        numeric=numeric, categorical=categorical, drop=drop, missing=missing, merge=merge, day_first=day_first
    )
    return read_source(source, wishes, layout, max_gib)


def read_source(
    source: object, wishes: Mapping[str, Any], layout: Layout = _DETECTED, max_gib: float = MAX_GIB
) -> Table:
    """Read a table by checked options on its layout, and options on its columns as in `Wishes.of`."""
    wished = Wishes.of(**wishes)
    if isinstance(source, str | os.PathLike):
        read = from_file(os.fsdecode(source), layout, wished.missing, max_gib)
    else:
        read = from_memory(source, layout.names, is_strict=False)
        if layout != _DETECTED:
            check_layout(replace(layout, names=None), read.origin)
    return read_columns(read, wished, layout.text_format.decimal)


def read_columns(read: Source, wishes: Wishes, decimal: str | None) -> Table:
    """Infer types for all columns of a source, or raise an error if none is left.

    Last rows that are no data are dropped, and what is left is typed anew.
    """
    _check(read)
    wishes = wishes.for_names(read.columns, read.notes) if wishes != Wishes() else wishes
    typed = _typed(read, wishes, decimal)
    for _ in range(_MOST_DROPS if read.may_have_total else 0):
        rows = rows_of_totals(read.columns, _columns(typed))
        if rows is None:
            break
        kept = {name: values[rows.kept] for name, values in read.columns.items()}
        read = replace(read, columns=kept, notes=(*read.notes, rows.note))
        typed = _typed(read, wishes, decimal)
    notes = list(read.notes)
    if not _columns(typed):
        typed = _kept_as_categories(typed, read, wishes, decimal)
        notes.append(Note.on_table(Code.NOTHING_ELSE_LEFT))
    columns = _columns(typed)
    if read.may_have_total:
        # Text that was set aside may name a total, too.
        others = _as_categories(read, [name for name, (column, _) in typed.items() if column is None])
        if (among := note_on_totals_among(read.columns, [*columns, *others])) is not None:
            notes.append(among)
    notes += _noticed(typed, read, wishes, decimal)
    return Table(tuple(columns), tuple(notes), read.library, read.origin)


def _check(read: Source) -> None:
    if not read.columns:
        raise BychanceError(f"{read.origin} has no columns.")
    for name, values in read.columns.items():
        try:
            name.encode()
        except UnicodeEncodeError:
            # No file or frame of results could hold half of a surrogate pair.
            message = f"Column names must be text, got {name!r} with a lone surrogate."
            raise BychanceError(message) from None
        if hasattr(values, "__len__") and len(values) == 0:
            raise BychanceError(f"{read.origin} has no rows (column {name!r}).")


def _columns(typed: _Typed) -> list[Column]:
    return [column for column, _ in typed.values() if column is not None]


def _notes(typed: _Typed) -> list[Note]:
    return [note for _, own in typed.values() for note in own]


def _typed(read: Source, wishes: Wishes, decimal: str | None) -> _Typed:
    """Infer the types of all columns, with notes. Ambiguous dates take the day order of other columns."""
    typed = {
        name: typed_column(read, name, wishes, decimal) for name in read.columns if name not in wishes.drop
    }
    said = _notes(typed)
    is_open = [note.column for note in said if note.says(Code.DATE_ORDER_OPEN)]
    told = {order for note in said for order, code in FIRST.items() if note.says(code)}
    if is_open and len(told) == 1:
        ordered = replace(wishes, day_first=told.pop())
        for name in map(str, is_open):
            column, notes = typed_column(read, name, ordered, decimal)
            notes = [replace(note, remarks=tuple(map(_as_in_others, note.remarks))) for note in notes]
            typed[name] = column, notes
    return typed


def _as_in_others(told: Remark) -> Remark:
    return told.with_values(why=AS_IN_OTHERS) if told.code in FIRST.values() else told


def _kept_as_categories(typed: _Typed, read: Source, wishes: Wishes, decimal: str | None) -> _Typed:
    """Read identifiers and free text as categories, because no other column is left."""
    said = (*read.notes, *_notes(typed))
    names = [str(note.column) for note in said if note.says(*_READABLE)]
    if not names or len(read.columns) < _FEWEST_KEPT:
        reasons = [": " + note.sentence for note in said if note.is_set_aside]
        message = f"{read.origin} has no columns left" + (reasons[0] if reasons else Sentence(()))
        raise BychanceError(message + "." + sentence_on_sheets(read.notes))
    wished = replace(wishes, kinds={**wishes.kinds, **dict.fromkeys(names, Kind.CATEGORICAL)})
    for name in names:
        column, _ = typed_column(read, name, wished, decimal)
        typed[name] = (column, [replace(note, is_set_aside=False) for note in typed[name][1]])
    return typed


_READABLE = (Code.IDENTIFIER, Code.FREE_TEXT, Code.MIXED)


def _noticed(typed: _Typed, read: Source, wishes: Wishes, decimal: str | None) -> list[Note]:
    """Return notes on typed columns that may have been misread.

    Advice on missing=[…] repeats the marks that it would replace: those that the caller gave, or else the
    usual ones that occur.
    """
    notes = _notes(typed)
    advised = {note.column for note in notes if any(map(_is_advice, note.options))}
    if not advised:
        return notes
    marks = set(wishes.missing or ()) - {""}
    # A number is there with its decimal point as well.
    marks = {mark for mark in marks if mark.removesuffix(".0") not in marks - {mark}}
    if wishes.missing is None:
        for name, (column, _) in typed.items():
            if name in advised if column is None else column.is_missing is not None:
                marks |= _marks_in(cells_of(read.columns[name], decimal))
        # A dash that is a category elsewhere is better left out than lost there.
        marks = marks.difference(*(column.labels for column in _columns(typed)))
    return [_with_marks(note, marks, are_usual=wishes.missing is None) for note in notes]


def _as_categories(read: Source, names: list[str]) -> list[Column]:
    texts = {name: cells for name in names if isinstance(cells := read.columns[name], TextCells)}
    small = {name: cells for name, cells in texts.items() if len(cells.values) <= _MOST_NAMED}
    return [cells.distinct.column(name) for name, cells in small.items()]


def _with_marks(note: Note, marks: Iterable[str], *, are_usual: bool) -> Note:
    """Add `marks` to the values that a note suggests for the option `missing=[…]`."""
    others = sorted(mark for mark in marks if not any(told.mentions(mark) for told in note.remarks))
    if not others or not any(map(_is_advice, note.options)):
        return note

    def listing(option: Option) -> Option:
        return replace(option, value=(*others, *option.value)) if _is_advice(option) else option

    said = [told.with_options(listing) for told in note.remarks]
    if are_usual:
        said += [remark(Code.USUAL_MARKS_REPLACED, option=Option("missing", OPEN), mark=others[0])]
    return replace(note, remarks=tuple(said))


def _is_advice(option: Option) -> bool:
    return option.argument == "missing" and isinstance(option.value, tuple)


def _marks_in(cells: Any) -> frozenset[str]:
    """Return the usual marks of missing values that occur in text cells."""
    if not isinstance(cells, TextCells) or cells.missing is not None:
        return frozenset()
    usual = (MISSING_IN_TEXT | MISSING_AMONG_NUMBERS) - {""}
    return usual.intersection(stripped(combined(cells.distinct.texts)).to_pylist())
