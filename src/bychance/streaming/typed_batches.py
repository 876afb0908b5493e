"""Conversion of Arrow batches to numbers and codes, by types that were inferred from the first rows.

In:  Arrow record batches, and a Typing made from the first of them by the rules of `read_table`.
Out: Batch records: numbers, codes and masks. A later row of another type is an error.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np

from bychance import _native
from bychance.array_types import BoolArray, FloatArray, Int32Array
from bychance.arrow_values import are_strings, strings_of
from bychance.columns import Column, as_number
from bychance.errors import BychanceError
from bychance.io import Table
from bychance.io.frames import Wishes
from bychance.io.infer import UNREADABLE, column_of
from bychance.io.numbers import are_plain_anywhere
from bychance.kinds import Kind
from bychance.messages import Code, Remark, remark
from bychance.moments.bent_sums import Bends, bends_of
from bychance.moments.row_sums import Batch
from bychance.names import display_name, first_line
from bychance.ticks import Clock, counted_from

__all__ = ["ColumnType", "TypeBreak", "Typing", "what_of"]


class TypeBreak(BychanceError):
    """Error for a value that does not have the type of its column, which `column` names."""

    def __init__(self, said: Remark, column: str) -> None:
        super().__init__(said)
        self.said, self.column = said, column

    def __reduce__(self) -> tuple[type[TypeBreak], tuple[Remark, str]]:
        return TypeBreak, (self.said, self.column)

    @classmethod
    def of(cls, column: str, **broken: Any) -> TypeBreak:
        """Create the error for a column from message values, such as the types `before` and `after`."""
        return cls(remark(Code.TYPE_CHANGES, column=display_name(column), **broken), column)


@dataclass(frozen=True, slots=True)
class ColumnType:
    """Type of a column: whole numbers counted from `origin`, dates and times by a `clock`, or categories.

    `decimal` is the decimal mark, if the first rows show it. `levels` are the labels of ordered categories
    that stand for numbers. `are_numbers` marks categories that are plain numbers written as text. Other text
    among them in a later batch is an error, since it may be an amount, which would make all of them numbers.
    """

    name: str
    kind: Kind
    is_flags: bool = False
    clock: Clock | None = None
    origin: int = 0
    decimal: str | None = None
    levels: tuple[object, ...] = ()
    are_numbers: bool = False

    @classmethod
    def of(cls, column: Column, **known: Any) -> ColumnType:
        """Return the type of a column that `read_table` has read, with further fields."""
        if column.kind is Kind.CATEGORICAL:
            return cls(column.name, column.kind, is_flags=column.values.dtype.kind == "b", **known)
        is_whole = column.clock is None and column.values.dtype.kind in "iu" and len(column.present) > 0
        origin = int(column.present.min()) if is_whole else 0
        return cls(column.name, column.kind, clock=column.clock, origin=origin, **known)

    def numbers(self, column: Column) -> FloatArray:
        """Return the column's numbers minus its origin.

        That keeps neighboring integers and times distinct in float64.
        """
        values = column.values
        if column.clock is not None and self.clock is not None:
            start, rest = divmod(column.clock.origin - self.clock.origin, self.clock.size)
            step = column.clock.size / self.clock.size
            counted = values.astype(np.float64) if step == 1 else values * step
            return np.asarray(counted + start + rest / self.clock.size, dtype=np.float64)
        if values.dtype.kind in "iu":
            return counted_from(values, self.origin).astype(np.float64)
        numbers = np.asarray(values, dtype=np.float64)
        return numbers - float(self.origin) if self.origin else numbers


@dataclass(frozen=True, slots=True, eq=False)
class Typing:
    """Types of a table's columns, numeric ones first, with the options for reading their values."""

    numeric: tuple[ColumnType, ...]
    labels: tuple[ColumnType, ...]
    scalings: FloatArray
    wishes: Wishes
    decimal: str | None

    @classmethod
    def of(
        cls,
        table: Table,
        raw: Any,
        wishes: Wishes,
        decimal: str | None,
        *,
        as_numbers: bool,
        is_declared: bool = False,
    ) -> Typing:
        """Infer column types from the first rows, read as `table` from the Arrow rows `raw`.

        Booleans and ordered categories become numbers if `as_numbers` is set. Later batches of text are read
        by these types, not by their own. In a source that `is_declared`, columns have Arrow types.
        """
        columns = [as_number(column) if as_numbers else column for column in table.columns]
        numeric = [column for column in columns if column.kind is Kind.NUMERIC]
        labels = [column for column in columns if column.kind is Kind.CATEGORICAL]
        text = {name for name in table.names if are_strings(raw.column(name))}
        read = [*numeric, *(column for column in labels if column.values.dtype.kind != "b")]
        kinds = {column.name: column.kind for column in read if column.name in text}
        known = replace(wishes, kinds={**wishes.kinds, **kinds})
        levels = {column.name: column.labels for column in table.columns}
        marks = {c.name: _decimal_of(raw.column(c.name), c) for c in numeric if c.name in text}
        types = tuple(
            ColumnType.of(c, levels=levels[c.name], decimal=None if decimal else marks.get(c.name))
            for c in numeric
        )
        pairs = zip(types, numeric, strict=True)
        scalings = np.array([_scaling(kind.numbers(column), column) for kind, column in pairs])
        are_open = text.difference(wishes.kinds) if is_declared else frozenset()
        typed = tuple(ColumnType.of(c, are_numbers=c.name in are_open and _are_plain(c)) for c in labels)
        return cls(types, typed, scalings.reshape(-1, 3), known, decimal)

    @property
    def names(self) -> list[str]:
        """Names of all columns, numeric ones first."""
        return [each.name for each in (*self.numeric, *self.labels)]

    @property
    def kinds(self) -> list[object]:
        """Column types and reading options, as a list to compare with that of another run."""
        said = self.wishes
        by_kind = ((name for name, own in said.kinds.items() if own is kind) for kind in Kind)
        lists = [sorted(each) for each in (*by_kind, said.drop, said.missing or ())]
        read = (*self.numeric, *self.labels)
        own = [(each.name, what_of(each), each.is_flags, each.decimal) for each in read]
        return [own, lists, said.missing is None, said.day_first, self.decimal]

    def only(self, names: Container[str]) -> Typing:
        """Return the types of the columns with these names."""
        picked = [k for k, each in enumerate(self.numeric) if each.name in names]
        return replace(
            self,
            numeric=tuple(self.numeric[k] for k in picked),
            labels=tuple(each for each in self.labels if each.name in names),
            scalings=self.scalings[picked],
        )

    @property
    def scales(self) -> list[list[Any]]:
        """Tick sizes, origins and scalings of the numeric columns, as JSON can hold them."""
        clocks = (
            (each.clock.size, each.clock.origin) if each.clock else (1, each.origin) for each in self.numeric
        )
        return [[*clock, *own] for clock, own in zip(clocks, self.scalings.tolist(), strict=True)]

    def scaled_as(self, scales: list[list[Any]]) -> Typing:
        """Return these types with the tick sizes, origins and scalings of another run."""
        numeric = tuple(
            replace(each, clock=replace(each.clock, size=told[0], origin=told[1]))
            if each.clock
            else replace(each, origin=told[1])
            for each, told in zip(self.numeric, scales, strict=True)
        )
        return replace(self, numeric=numeric, scalings=np.array([s[2:] for s in scales]).reshape(-1, 3))

    def bends(self, rows: Any) -> dict[str, Bends]:
        """Return each numeric column with the bends of piecewise linear fits on it, from sampled rows."""
        batch = self.read(rows)
        z = np.empty((rows.num_rows, len(self.numeric)))
        masks = batch.is_missing[: len(self.numeric)]
        _native.scaled_rows(batch.numbers, masks, self.scalings, z)
        columns = zip(self.numeric, z.T, masks, strict=True)
        return {each.name: bends_of(values[~mask]) for each, values, mask in columns}

    def read(self, rows: Any) -> Batch:
        """Convert Arrow rows to numbers and codes, or raise a TypeBreak at a value of another type."""
        n = rows.num_rows
        numbers, codes, labels, masks = [], [], [], []
        for each in (*self.numeric, *self.labels):
            column = self._column(rows.column(each.name), each)
            is_missing = np.zeros(n, dtype=np.bool_) if column.is_missing is None else column.is_missing
            masks.append(is_missing)
            if each.kind is Kind.NUMERIC:
                numbers.append(np.ascontiguousarray(each.numbers(column)))
                continue
            found = _used_codes(column, is_missing)
            codes.append(found[0])
            labels.append(found[1])
        return Batch(n, numbers, masks, codes, labels)

    def _column(self, values: Any, wanted: ColumnType) -> Column:
        """Read a column of a batch, or raise a TypeBreak if it is not of the wanted type."""
        if wanted.are_numbers and not are_plain_anywhere(values.unique()):
            raise TypeBreak.of(wanted.name, before="plain numbers as text", after="other text")
        try:
            column = column_of(values, wanted.name, self.wishes, wanted.decimal or self.decimal)
        except UNREADABLE as error:
            raise TypeBreak.of(wanted.name, **_broken(error)) from None
        if column.is_missing is not None and column.is_missing.all():
            return column
        if wanted.kind is Kind.NUMERIC and column.labels == wanted.levels:
            column = as_number(column)
        if (before := what_of(wanted)) != (after := what_of(column)):
            raise TypeBreak.of(wanted.name, before=before, after=after)
        return column


def _are_plain(column: Column) -> bool:
    return bool(column.labels) and are_plain_anywhere(strings_of(map(str, column.labels)))


def _broken(error: Exception) -> dict[str, Any]:
    """Return the values of a reading error as keyword arguments for a `TypeBreak` message."""
    values = error.values if isinstance(error, BychanceError) else {}
    code = getattr(error, "code", None)
    if code is Code.MUST_BE_NUMBERS:
        return {"before": "numbers", "after": values["got"]} if "got" in values else {"cell": values["cell"]}
    return {"number": values["number"]} if code is Code.MUST_BE_FINITE else {"rule": first_line(error)}


def _used_codes(column: Column, is_missing: BoolArray) -> tuple[Int32Array, tuple[object, ...]]:
    """Return codes of the categories that occur in a batch, −1 for missing values, and their labels."""
    if is_missing.all():
        return np.full(len(column), -1, np.int32), ()
    codes, labels = column.values.astype(np.int32), column.labels or (False, True)
    occurs = np.bincount(codes[~is_missing], minlength=len(labels)) > 0
    if not occurs.all():
        codes = (np.cumsum(occurs, dtype=np.int32) - np.int32(1))[codes]
        labels = tuple(compress(labels, occurs))
    return np.where(is_missing, np.int32(-1), codes), labels


def _decimal_of(texts: Any, column: Column) -> str | None:
    """Infer the decimal mark of text cells from the numbers that they were read as.

    A point in whole numbers separates thousands, and the mark is a comma. A later batch that does not show
    the mark is then read as the first one.
    """
    import pyarrow.compute as pc

    point, comma = (
        bool(pc.any(pc.match_substring_regex(texts, f"[0-9][{mark}][0-9]")).as_py()) for mark in ".,"
    )
    if column.clock is not None or comma or not point:
        return None
    return "," if column.values.dtype.kind in "iu" else "."


def what_of(column: Column | ColumnType) -> str:
    """Return "numbers", "labels", or the kind of dates or times that a column holds."""
    plain = "numbers" if column.kind is Kind.NUMERIC else "labels"
    return plain if column.clock is None else column.clock.what


def _scaling(numbers: FloatArray, column: Column) -> FloatArray:
    """Return (before, center, after): (number·before − center)·after scales first rows to [−1, 1].

    The center is one of the values. A value that most rows share becomes 0, at which it can be counted.
    """
    present = numbers if column.is_missing is None else numbers[~column.is_missing]
    return np.asarray(_native.line_scalings([np.ascontiguousarray(present)])[0])
