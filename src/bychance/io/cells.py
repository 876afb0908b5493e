"""Columns of text cells, stored as distinct cells, and the texts that mark missing values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, Int32Array, IntArray
from bychance.arrow_values import (
    are_strings,
    arrow_of_numpy,
    arrow_of_objects,
    arrow_of_polars,
    is_true,
    null_mask,
    numpy_of,
    strings_of,
    text_scalar,
)
from bychance.columns import Column
from bychance.kinds import Kind
from bychance.messages import Code, Remark, remark

__all__ = [
    "DASHES",
    "MISSING_AMONG_NUMBERS",
    "MISSING_EVERYWHERE",
    "MISSING_IN_TEXT",
    "DistinctCells",
    "TextCells",
    "any_match",
    "as_arrow",
    "as_cells",
    "as_text",
    "cells_of",
    "combined",
    "matches",
    "null_where",
    "reason_to_set_aside",
    "stripped",
    "type_of",
]

MISSING_IN_TEXT = frozenset({
    "", "NA", "N/A", "N/a", "n/a", "#N/A", "<NA>", "NaN", "nan", "?", "null", "NULL", "None", "k.A.", "k. A.",
})  # fmt: skip
"""Marks of missing values in any column of text."""
MISSING_EVERYWHERE = MISSING_IN_TEXT - {"?", "N/a", "k.A.", "k. A."}
"""Marks with which any library still reads a column of numbers."""
DASHES = frozenset({"-", "--", "\u2013", "\u2014", "\u2212"})
MISSING_AMONG_NUMBERS = DASHES | frozenset({
    "#", "*", "~", ":", "...", "\u2026", ".", "..",
    "na", "n.a.", "N.A.", "NaT", "keine Angabe",
    *(f".{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"),  # Stata's
    "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NULL!", "#NAME?",
    "(NA)", "(D)", "(X)",
    *(text for word in ("missing", "nil", "no data", "not available", "(null)", "(blank)")
      for text in (word, word.upper(), word.capitalize())),
})  # fmt: skip
"""Marks of missing values if all other cells are numbers or dates: a dash as a category may mean "none"."""

# Fewer values than this are no evidence of an identifier: five distinct names may be five real categories.
FEWEST_VALUES = 20
IDENTIFIER_SHARE = 0.95  # distinct texts per row above which a column is an identifier (taste)
LONG_TEXT = 40  # average characters per row above which a column may be free text (taste)


@dataclass(frozen=True, slots=True, eq=False)
class TextCells:
    """Column of text: an Arrow array or its distinct cells, with the decimal mark of its source.

    `decimal` is the mark before decimals, or None if each column tells by itself. `first_line` is the line of
    the first value, if each other value is one line below the one before. `missing` are the marks of a format
    that has its own. `is_declared` is text that its source holds as text: a frame, an array, a database, a
    Parquet file. Cells of a text file, a sheet or JSON are what they look like.
    """

    values: Any
    decimal: str | None = None
    first_line: int | None = None
    missing: frozenset[str] | None = None
    is_declared: bool = False

    @property
    def distinct(self) -> DistinctCells:
        """Distinct texts of the column, and each row's index into them."""
        return self.values if isinstance(self.values, DistinctCells) else DistinctCells.of(self.values)

    def __getitem__(self, rows: slice) -> TextCells:
        first_line = None if self.first_line is None else self.first_line + (rows.start or 0)
        return replace(self, values=self.values[rows], first_line=first_line)

    def place(self, row: int) -> str:
        """Return the position of a row's cell in words, by its line in the file if known."""
        if self.first_line is None:
            return f"at row {row} (counting from 0)"
        return f"in line {self.first_line + row}"


@dataclass(frozen=True, slots=True, eq=False)
class DistinctCells:
    """Distinct texts of a column in order of appearance, and each row's index into them, −1 for null."""

    texts: Any
    codes: Int32Array

    @staticmethod
    def of(values: Any) -> DistinctCells:
        """Encode an Arrow array of strings as distinct texts and codes.

        >>> cells = DistinctCells.of(strings_of(["b", "a", "b"]))
        >>> cells.texts.to_pylist(), cells.codes.tolist()
        (['b', 'a'], [0, 1, 0])
        """
        import pyarrow as pa

        encoded = combined(values).dictionary_encode()
        codes = numpy_of(encoded.indices.cast(pa.int32()))
        if encoded.null_count:
            codes = np.where(null_mask(encoded), np.int32(-1), codes)
        return DistinctCells(encoded.dictionary, codes)

    @property
    def counts(self) -> IntArray:
        """Number of rows per distinct text."""
        # One more than the code, so that -1 is counted as well.
        return np.bincount(self.codes + 1, minlength=len(self.texts) + 1)[1:]

    def count(self, is_counted: BoolArray) -> int:
        """Count the rows whose distinct text is flagged in `is_counted`."""
        return int(self.counts[is_counted].sum())

    def only(self, is_kept: BoolArray) -> DistinctCells:
        """Return the column with null in all rows whose text is not flagged in `is_kept`."""
        numbers = np.where(is_kept, np.cumsum(is_kept) - 1, -1)
        # The last number is for the code -1.
        codes = np.append(numbers, -1).astype(np.int32)[self.codes]
        return DistinctCells(self.texts.filter(arrow_of_numpy(is_kept)), codes)

    def spread(self, values: Any) -> Any:
        """Expand an array with one value per distinct text to one value per row."""
        return values.take(arrow_of_numpy(self.codes, self.codes < 0))

    def column(self, name: str) -> Column:
        """Convert to a categorical column with these texts as labels.

        >>> DistinctCells.of(strings_of(["b", "a", "b"])).column("x").labels
        ('b', 'a')
        """
        is_missing = self.codes < 0
        if not len(self.texts):
            return Column(name, Kind.NUMERIC, np.full(len(self.codes), np.nan), is_missing)
        codes, labels = np.maximum(self.codes, 0), tuple(self.texts.to_pylist())
        return Column(name, Kind.CATEGORICAL, codes, is_missing if is_missing.any() else None, labels)


def reason_to_set_aside(cells: DistinctCells) -> Remark | None:
    """Return a remark if a text column is an identifier or free text, None if it may be categorical.

    Free text: over half are distinct, longer than 40 characters on average, and half have two blanks or more.
    Identifiers: more than 95 % are distinct.

    >>> import pyarrow as pa
    >>> print(reason_to_set_aside(DistinctCells.of(pa.array([f"patient {k}" for k in range(30)]))))
    an identifier: 30 of 30 values are distinct
    >>> reason_to_set_aside(DistinctCells.of(pa.array(["yes", "no"] * 15))) is None
    True
    """
    import pyarrow.compute as pc

    texts, counts = cells.texts, cells.counts
    n_present, n_distinct = int(counts.sum()), len(texts)
    if n_present < FEWEST_VALUES or 2 * n_distinct <= n_present:
        return None
    is_long = int(counts @ numpy_of(pc.utf8_length(texts))) > LONG_TEXT * n_present
    if is_long and 2 * cells.count(matches(texts, r"\s\S+\s")) >= n_present:
        return remark(Code.FREE_TEXT, n_distinct=n_distinct, n_values=n_present)
    if n_distinct > IDENTIFIER_SHARE * n_present:
        return remark(Code.IDENTIFIER, n_distinct=n_distinct, n_values=n_present)
    return None


def as_arrow(values: Any) -> Any:
    """Convert strings, lists and Python objects to Arrow arrays, and return other values unchanged."""
    import pyarrow as pa
    import pyarrow.types as types

    if type(values).__module__.split(".")[0] in ("narwhals", "polars"):
        values = _series_as_arrow(values)
    if isinstance(values, pa.Array | pa.ChunkedArray):
        # Arrow counts the distinct values of all kinds of strings but this one.
        return values.cast(pa.large_string()) if types.is_string_view(values.type) else values
    if isinstance(values, np.ma.MaskedArray) or not _is_untyped(values):
        return values
    if isinstance(values, np.ndarray) and (values.dtype.kind == "T" or not values.dtype.isnative):
        values = values.astype(object)
    try:
        return arrow_of_objects(values)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # A mixture; read_column has the words for it.
        return values


def cells_of(values: Any, decimal: str | None) -> Any:
    """Convert any array-like to `TextCells` if it holds text, else to a type that `read_column` accepts.

    Numbers beside words in a list of Python objects are numbers, and no text is declared there.
    """
    if isinstance(values, TextCells):
        return replace(values, decimal=values.decimal or decimal)
    if type(values) is np.ndarray and values.dtype.kind in "fiub":
        return values
    arrow = as_arrow(values)
    if are_strings(arrow):
        return TextCells(arrow, decimal, is_declared=True)
    if _is_untyped(arrow) and any(isinstance(value, str) for value in arrow):
        text = as_text(arrow)  # Python objects that Arrow made nothing of, with strings among them
        return arrow if text is None else TextCells(text, decimal)
    return arrow


def as_text(values: Iterable[object]) -> Any:
    """Convert Python values to an Arrow array of strings, or return None if one is not a scalar.

    >>> as_text([1, "n/a", None, date(2020, 1, 2)]).to_pylist()
    ['1', 'n/a', None, '2020-01-02']
    >>> as_text(["a", [1, 2]]) is None
    True
    """
    import pyarrow as pa

    texts: list[str | None] = []
    for value in values:
        if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
            texts.append(None)
        elif isinstance(value, date | time):
            texts.append(value.isoformat())
        elif isinstance(value, str | bool | int | float | Decimal | np.number | np.bool_):
            texts.append(str(value))
        else:
            return None
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        return None


def as_cells(values: list[Any]) -> object:
    """Convert a list to text cells if it has strings or mixed types, else return it unchanged.

    >>> as_cells([1, 2.5, None]), as_cells([1, "n/a"]).values.to_pylist()
    ([1, 2.5, None], ['1', 'n/a'])
    """
    types = {type_of(value) for value in values if value is not None}
    text = as_text(values) if len(types) > 1 or str in types else None
    return values if text is None else TextCells(text)


def type_of(value: Any) -> type:
    """Return float for an int or float that is no bool, and for any other value its type."""
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)


def combined(values: Any) -> Any:
    """Convert chunked strings to a single Arrow array of large strings."""
    import pyarrow as pa

    values = values.cast(pa.large_string())
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def stripped(strings: Any) -> Any:
    """Strip white space around strings."""
    import pyarrow.compute as pc

    return pc.utf8_trim_whitespace(strings)


def matches(strings: Any, pattern: str) -> BoolArray:
    """Return a mask of the strings that contain a match of the regular expression `pattern`.

    >>> matches(strings_of(["a1", "b"]), "[0-9]").tolist()
    [True, False]
    """
    import pyarrow.compute as pc

    return is_true(pc.match_substring_regex(strings, pattern))


def any_match(strings: Any, pattern: str) -> bool:
    """Return True if any string contains a match of the regular expression `pattern`."""
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())


def null_where(values: Any, compared: Any, missing: frozenset[str]) -> Any:
    """Set values to null if their entry in `compared` is a mark of missing values, such as NA."""
    import pyarrow.compute as pc

    is_missing = pc.is_in(compared, value_set=_marks(missing))
    if not pc.any(is_missing).as_py():
        return values
    return pc.if_else(is_missing, text_scalar(None), values)


@lru_cache(maxsize=16)
def _marks(missing: frozenset[str]) -> Any:
    return strings_of(sorted(missing))


def _series_as_arrow(values: Any) -> Any:
    import narwhals as nw

    series = nw.from_native(values, series_only=True, pass_through=False)
    if series.dtype == nw.Object:
        raise TypeError("it holds Python objects of any type")
    return arrow_of_polars(series.to_native()) if series.implementation.is_polars() else series.to_arrow()


def _is_untyped(values: Any) -> bool:
    """Return True if values have no declared type: lists, and arrays of strings or Python objects."""
    if isinstance(values, list | tuple):
        return True
    dtype = getattr(values, "dtype", None)
    if isinstance(values, np.ndarray):
        return values.ndim == 1 and values.dtype.kind in "UTO"
    return str(dtype) in ("object", "str") or str(dtype).startswith("string")
