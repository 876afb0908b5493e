"""One column of a source → a typed column as it is or is wished to be, or none, with what was noticed.

Remarks name the option that changes something: sentinels, categories that differ little, numbers among them,
counters of rows.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from bychance.arrow_values import are_strings, numpy_of, strings_of
from bychance.columns import Column, column_of_floats
from bychance.errors import BychanceError, ColumnError
from bychance.io.convert import as_arrow, as_kind, without
from bychance.io.days_as_numbers import remark_on_days
from bychance.io.frames import Source
from bychance.io.listed_answers import remark_on_lists
from bychance.io.numbers_among import remark_on_numbers
from bychance.io.set_aside import reason_to_set_aside
from bychance.io.text_cells import DistinctCells, TextCells, as_text
from bychance.io.typing_rules import Typed, typed_cells
from bychance.io.unread_forms import remark_on_forms
from bychance.io.wishes import Wishes
from bychance.io.yes_and_no import yes_and_no
from bychance.kinds import Kind
from bychance.messages import Code, Note, Option, Remark, Sentence, remark
from bychance.names import display_name, first_line
from bychance.read_column import read_column

__all__ = ["cells_of", "column_of", "merge_labels", "typed_column"]

FEWEST_COUNTED = 20
FEWEST_SENTINELS = 2
# Nines; of well logs and data loggers; the ends of integers; fills of float and netCDF files.
SENTINELS = frozenset(sign * (10**digits - 1) for digits in range(2, 8) for sign in (-1, 1)) | {
    -999.25, -6999, -7999, 65535, -32768, 2147483647, -2147483647, -2147483648,
    1e20, 1e30, -1e30, 1e31, 1e36, 1e37, 1e38, 9.969209968386869e36,
}  # fmt: skip
_LISTED, _MOST_ANSWERS = 3, 50
_INFINITIES = Option("missing", ("inf", "-inf"))
_UNREADABLE = (ValueError, TypeError, NotImplementedError, OverflowError)


def typed_column(
    source: Source, name: str, wishes: Wishes, decimal: str | None
) -> tuple[Column | None, list[Note]]:
    """The column, None where it is set aside, and what was noticed about it."""
    values, kind = source.columns[name], wishes.kinds.get(name)
    if isinstance(values, Column):
        return _wished(values, wishes), []
    typed, texts = Typed(values), None
    try:
        if (
            type(values) is np.ndarray
            and values.dtype.kind in "fiu"
            and wishes.missing is None
            and kind is None
        ):
            is_plain = values.dtype.kind == "f" and values.ndim == 1
            column = column_of_floats(values.copy(), name) if is_plain else read_column(values, name)
        else:
            cells = cells_of(values, decimal)
            typed = typed_cells(cells, name, wishes) if isinstance(cells, TextCells) else Typed(cells)
            aside = typed.aside
            if kind is None:
                aside = source.asides.get(name) or aside
                if not aside and isinstance(typed.values, DistinctCells):
                    texts = typed.values.texts
                    reason = reason_to_set_aside(typed.values)
                    aside = () if reason is None else (reason,)
                    if typed.are_numbers:
                        typed, aside = _of_numbers(typed, name, aside)
            if aside:
                return None, [Note(name, aside, is_set_aside=True)]
            column = _wished(_column(name, typed.values, wishes.missing), wishes)
    except _UNREADABLE as error:
        if isinstance(error, BychanceError) and not isinstance(error, ColumnError):
            raise
        if kind is not None or getattr(error, "code", None) is Code.NOT_ONE_DIMENSIONAL:
            drop = Option("drop", (name,))
            raise BychanceError(_broken(error, name) + ". " + drop + " leaves it out.") from None
        return None, [Note(name, (_unreadable(error),), is_set_aside=True)]
    if kind is not None:
        return column, []
    if name in source.unnamed and (emptiness := _empty_or_counter(column)) is not None:
        return None, [Note(name, (remark(emptiness),), is_set_aside=True)]
    told = [Note(name, typed.said)] if typed.said else []
    return column, [*told, *_remarks_on(column, typed, texts)]


def _of_numbers(typed: Typed, name: str, aside: tuple[Remark, ...]) -> tuple[Typed, tuple[Remark, ...]]:
    """Plain numbers that stay text, and why they are set aside: each time with the option that reads them."""
    n_numbers, reads = len(typed.values.texts), Option("numeric", (name,))
    if not aside:
        said = typed.said or (remark(Code.NUMBERS_AS_TEXT, n=n_numbers, option=reads),)
        return replace(typed, said=said), ()
    keeps = Option("categorical", (name,))
    return typed, (*aside, remark(Code.NUMBERS_AS_TEXT_SET_ASIDE, n=n_numbers, option=reads, keeps=keeps))


def column_of(values: Any, name: str, wishes: Wishes, decimal: str | None) -> Column:
    """Values as the column that is wished for, none of them set aside and nothing said about them.

    >>> column_of(["1", None, "2.5"], "a", Wishes.of(numeric="a"), None).values.tolist()
    [1.0, nan, 2.5]
    """
    cells = cells_of(values, decimal)
    if isinstance(cells, TextCells):
        cells = typed_cells(cells, name, wishes).values
    return _wished(_column(name, cells, wishes.missing), wishes)


def cells_of(values: Any, decimal: str | None) -> Any:
    """Text as cells, however it comes; the rest as read_column takes it best.

    Numbers beside words in a list of Python objects are numbers, and no text is declared there.
    """
    if isinstance(values, TextCells):
        return replace(values, decimal=values.decimal or decimal)
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind == "U" and values.dtype.isnative:
        with contextlib.suppress(UnicodeError):  # of half a character; read_column takes it as it is
            return TextCells(DistinctCells.of_numpy(values), decimal, is_declared=True)
    arrow = as_arrow(values)
    if are_strings(arrow):
        return TextCells(arrow, decimal, is_declared=True)
    if _is_mixture(arrow):
        text = as_text(arrow)
        return arrow if text is None else TextCells(text, decimal)
    return arrow


def _is_mixture(values: Any) -> bool:
    """Whether these are Python objects that Arrow made nothing of, with strings among them."""
    is_loose = isinstance(values, list | tuple) or str(getattr(values, "dtype", "")) == "object"
    return is_loose and getattr(values, "ndim", 1) == 1 and any(isinstance(value, str) for value in values)


def _column(name: str, values: Any, missing: frozenset[str] | None) -> Column:
    if isinstance(values, DistinctCells):
        return values.column(name)
    try:
        column = read_column(values, display_name(name))
    except ColumnError as error:
        if missing is None or error.code is not Code.MUST_BE_FINITE:
            raise
        # The caller may have named what is infinite.
        floats = np.array(values, dtype=np.float64)
        for mark in missing & {"inf", "-inf"}:
            floats[floats == float(mark)] = np.nan
        column = read_column(floats, display_name(name))
    return replace(column, name=name)


def _wished(column: Column, wishes: Wishes) -> Column:
    if wishes.missing is not None:
        column = without(column, wishes.missing)
    if (kind := wishes.kinds.get(column.name)) is not None:
        column = as_kind(column, kind)
    return merge_labels(column) if column.name in wishes.merge else column


def _empty_or_counter(column: Column) -> Code | None:
    """Programs write row numbers and trailing delimiters as columns without names."""
    if column.is_missing is not None and column.is_missing.all():
        return Code.EMPTY_WITHOUT_NAME
    return Code.COUNTER_WITHOUT_NAME if counts_rows(column, fewest=1) else None


def _unreadable(error: Exception) -> Remark:
    """Say why a column is set aside that cannot be read."""
    if isinstance(error, ColumnError) and error.code is Code.MUST_BE_FINITE:
        place = {name: error.values[name] for name in ("number", "place")}
        return remark(Code.NOT_FINITE, **place, option=_INFINITIES)
    return remark(Code.NOT_READABLE, reason=_reason(error))


def _broken(error: Exception, name: str) -> Sentence:
    """Say what is wrong with a column that the caller wants."""
    shown = repr(display_name(name))
    if isinstance(error, ColumnError) and error.code is Code.MUST_BE_FINITE:
        found = f"{shown} must be finite, got {error.values['number']} {error.values['place']}; "
        return found + _INFINITIES + " reads them as missing"
    return Sentence((f"{shown} {_reason(error)}",))


def _reason(error: Exception) -> str:
    """Say what is wrong with a column, to follow its name."""
    if isinstance(error, ColumnError):
        return str(error.rule).rstrip(".")
    return f"could not be read: {first_line(error)}"


def _remarks_on(column: Column, typed: Typed, texts: Any) -> list[Note]:
    """All that there is to say, with the option that changes it; `texts` are categories that were text.

    Why numbers are categories may have been told.
    """
    among = None
    if column.kind is Kind.NUMERIC:
        remarks = [] if column.clock is not None else [_sentinel(column)]
        if column.clock is None and column.values.dtype.kind in "iu":
            if counts_rows(column, FEWEST_COUNTED):
                remarks.append(remark(Code.COUNTS_ROWS))
            remarks.append(remark_on_days(column))
    else:
        is_text = texts is not None
        texts = texts if is_text else _texts_of(column)
        remarks = [_variants(column, texts), remark_on_lists(column)]
        if is_text and not typed.said:
            among = remark_on_numbers(column, texts, typed.reading)
            remarks.append(remark_on_forms(column, texts) if among is None else None)
    notes = [Note(column.name, (said,)) for said in remarks if said is not None]
    return notes if among is None else [Note(column.name, (among.said,), is_mixed=among.is_mixed), *notes]


def _texts_of(column: Column) -> Any:
    """The categories as Arrow strings."""
    return strings_of(map(str, column.labels))


def merge_labels(column: Column) -> Column:
    """The column with categories that differ by case or blanks alone as one, the most frequent.

    Spellings of yes and no are two, where these are all that it has.

    >>> from bychance.read_column import read_column
    >>> merged = merge_labels(read_column(["Male", "male ", "Male", "female"], "sex"))
    >>> [merged.labels[code] for code in merged.values]
    ['Male', 'Male', 'Male', 'female']
    """
    if column.kind is Kind.NUMERIC or not column.labels:
        return column
    counts = np.bincount(column.present, minlength=len(column.labels))
    codes = np.arange(len(column.labels), dtype=column.values.dtype)
    for alike in _alike(column, _texts_of(column)):
        codes[alike] = max(alike, key=lambda code: counts[code])
    return replace(column, values=codes[column.values])


def counts_rows(column: Column, fewest: int) -> bool:
    """Whether a column is n, n + 1, n + 2, … all the way down, on at least so many rows.

    >>> from bychance.read_column import read_column
    >>> counts_rows(read_column(list(range(1990, 2020)), "year"), fewest=20)
    True
    """
    if column.kind is not Kind.NUMERIC or column.values.dtype.kind not in "iu" or len(column) < fewest:
        return False
    return column.is_missing is None and bool((np.diff(column.values) == 1).all())


def _sentinel(column: Column) -> Remark | None:
    """Numbers such as -999, two or more, further from all others than these are from each other."""
    present = column.present
    if len(present) <= FEWEST_SENTINELS:
        return None
    for end, value in (("low", present.min()), ("high", present.max())):
        if value not in SENTINELS:
            continue
        others = present[present != value]
        n_equal = len(present) - len(others)
        if n_equal < FEWEST_SENTINELS or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        gap = low - float(value) if end == "low" else float(value) - high
        if gap > high - low:
            number = float(value)
            return remark(Code.SENTINEL, number=number, n=n_equal, option=Option("missing", (number,)))
    return None


def _variants(column: Column, texts: Any) -> Remark | None:
    merge = Option("merge", (column.name,))
    if (answers := _answers(column)) is not None:
        yes, no = (tuple(column.labels[code] for code in answer) for answer in answers)
        return remark(Code.YES_AND_NO, yes=yes, no=no, option=merge)
    alike = _alike(column, texts)
    if not alike:
        return None
    labels = tuple(column.labels[code] for code in alike[0][:_LISTED])
    return remark(Code.LABELS_ALIKE, labels=labels, n_more=len(alike) - 1 or None, option=merge)


def _answers(column: Column) -> list[list[int]] | None:
    """Codes of the categories that are yes, and of those that are no, where these are all that is there."""
    if not 3 <= len(column.labels) <= _MOST_ANSWERS or not isinstance(column.labels[0], str):
        return None
    used = np.flatnonzero(np.bincount(column.present, minlength=len(column.labels))).tolist()
    answers = yes_and_no([str(column.labels[code]) for code in used])
    return None if answers is None else [[used[k] for k in answer] for answer in answers]


def _alike(column: Column, texts: Any) -> list[list[int]]:
    """Codes of categories that are the same but for case and blanks, or that are all yes or no."""
    import pyarrow.compute as pc

    if len(column.labels) < 2 or not isinstance(column.labels[0], str):
        return []
    if (answers := _answers(column)) is not None:
        return answers
    keys = pc.utf8_lower(pc.replace_substring_regex(texts, r"\s+", "")).dictionary_encode()
    if len(keys.dictionary) == len(column.labels):
        return []
    groups: defaultdict[int, list[int]] = defaultdict(list)
    used = np.flatnonzero(np.bincount(column.present, minlength=len(column.labels)))
    for code, key in zip(used.tolist(), numpy_of(keys.indices)[used].tolist(), strict=True):
        groups[key].append(code)
    return [codes for codes in groups.values() if len(codes) > 1]
