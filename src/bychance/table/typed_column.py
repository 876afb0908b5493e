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
from bychance.errors import BychanceError
from bychance.kinds import Kind
from bychance.names import count_of, display_name, first_line
from bychance.read_column import read_column
from bychance.table.convert import as_arrow, as_kind, without
from bychance.table.days_as_numbers import remark_on_days
from bychance.table.frames import Source
from bychance.table.listed_answers import remark_on_lists
from bychance.table.numbers_among import remark_on_numbers
from bychance.table.record import Note
from bychance.table.set_aside import reason_to_set_aside
from bychance.table.text_cells import DistinctCells, TextCells, as_text
from bychance.table.typing_rules import Typed, typed_cells
from bychance.table.unread_forms import remark_on_forms
from bychance.table.wishes import Wishes
from bychance.table.yes_and_no import yes_and_no

__all__ = ["cells_of", "column_of", "merge_labels", "typed_column"]

FEWEST_COUNTED = 20
FEWEST_SENTINELS = 2
# Nines; of well logs and data loggers; the ends of integers; fills of float and netCDF files.
SENTINELS = frozenset(sign * (10**digits - 1) for digits in range(2, 8) for sign in (-1, 1)) | {
    -999.25, -6999, -7999, 65535, -32768, 2147483647, -2147483647, -2147483648,
    1e20, 1e30, -1e30, 1e31, 1e36, 1e37, 1e38, 9.969209968386869e36,
}  # fmt: skip
_LISTED, _MOST_ANSWERS = 3, 50
_IN_A_NOTE = ("must be finite, got", "has infinite values:")
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
                if aside is None and isinstance(typed.values, DistinctCells):
                    texts = typed.values.texts
                    aside = reason_to_set_aside(typed.values)
                    if typed.are_numbers:
                        typed, aside = _of_numbers(typed, name, aside)
            if aside is not None:
                return None, [Note(name, aside, is_set_aside=True)]
            column = _wished(_column(name, typed.values, wishes.missing), wishes)
    except BychanceError:
        raise
    except _UNREADABLE as error:
        reason = _reason(error, name)
        if kind is not None or "one-dimensional" in reason:
            raise BychanceError(f"{display_name(name)!r} {reason}. drop=[{name!r}] leaves it out.") from None
        return None, [Note(name, f"it {reason}".replace(*_IN_A_NOTE), is_set_aside=True)]
    if kind is not None:
        return column, []
    if name in source.unnamed and (emptiness := _empty_or_counter(column)) is not None:
        return None, [Note(name, emptiness, is_set_aside=True)]
    told = [Note(name, typed.note)] if typed.note else []
    return column, [*told, *_remarks_on(column, typed, texts)]


def _of_numbers(typed: Typed, name: str, aside: str | None) -> tuple[Typed, str | None]:
    """Plain numbers that stay text, and why they are set aside: each time with the option that reads them."""
    said = f"{count_of(len(typed.values.texts), 'number')} as text"
    reads = f"numeric=[{name!r}] reads them"
    if aside is None:
        return replace(typed, note=typed.note or f"{said}, taken for categories; {reads}"), None
    return typed, f"{aside}; {said}: {reads}, categorical=[{name!r}] keeps categories"


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
    except ValueError as error:
        if missing is None or "finite" not in str(error):
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


def _empty_or_counter(column: Column) -> str | None:
    """Programs write row numbers and trailing delimiters as columns without names."""
    if column.is_missing is not None and column.is_missing.all():
        return "it has no name and no values"
    return "it has no name and counts the rows" if counts_rows(column, fewest=1) else None


def _reason(error: Exception, name: str) -> str:
    """What is wrong with a column, to follow its name."""
    text, shown = str(error), (f"`{name}` ", f"`{display_name(name)}` ")
    if not text.startswith(shown):
        return f"could not be read: {first_line(error)}"
    text = text.removeprefix(shown[0]).removeprefix(shown[1]).rstrip(".")
    return f"{text}; missing=['inf', '-inf'] reads them as missing" if "finite" in text else text


def _remarks_on(column: Column, typed: Typed, texts: Any) -> list[Note]:
    """All that there is to say, with the option that changes it; `texts` are categories that were text.

    Why numbers are categories may have been told.
    """
    among = None
    if column.kind is Kind.NUMERIC:
        remarks = [] if column.clock is not None else [_sentinel(column)]
        if column.clock is None and column.values.dtype.kind in "iu":
            if counts_rows(column, FEWEST_COUNTED):
                remarks.append("it counts the rows; drop it if that is all it does")
            remarks.append(remark_on_days(column))
    else:
        is_text = texts is not None
        texts = texts if is_text else _texts_of(column)
        remarks = [_variants(column, texts), remark_on_lists(column)]
        if is_text and typed.note is None:
            among = remark_on_numbers(column, texts, typed.reading)
            remarks.append(remark_on_forms(column, texts) if among is None else None)
    notes = [Note(column.name, remark) for remark in remarks if remark is not None]
    return notes if among is None else [Note(column.name, among.text, is_mixed=among.is_mixed), *notes]


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


def _sentinel(column: Column) -> str | None:
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
            shown = f"{float(value):.16g}"
            times = f"{shown} stands {count_of(n_equal, 'time')} far from all other values"
            return f"{times}; missing=[{shown}] reads it as missing"
    return None


def _variants(column: Column, texts: Any) -> str | None:
    if (answers := _answers(column)) is not None:
        yes, no = (", ".join(repr(column.labels[code]) for code in answer) for answer in answers)
        return f"{yes} may all be yes, {no} no; merge=[{column.name!r}] takes them as two"
    alike = _alike(column, texts)
    if not alike:
        return None
    labels = [repr(column.labels[code]) for code in alike[0][:_LISTED]]
    more = f" ({count_of(len(alike) - 1, 'more such group')})" if len(alike) > 1 else ""
    return (
        f"{', '.join(labels)} differ by case or blanks only{more}; merge=[{column.name!r}] takes them as one"
    )


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
