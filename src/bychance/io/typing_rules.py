"""Cells of text → numbers, dates, booleans or categories: what the values of a column say that it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import are_strings, arrow_of_numpy, is_true, null_mask, numpy_of, text_scalar
from bychance.errors import BychanceError
from bychance.io.codes_in_numbers import codes_in_numbers
from bychance.io.country_codes import MOST_CODES, NAMIBIA, are_codes, is_namibia
from bychance.io.dates_in_text import iso_dates, read_dates
from bychance.io.limits import said_of_limits
from bychance.io.numbers_among import are_many
from bychance.io.numbers_in_text import (
    FEW_VALUES,
    SAMPLE_VALUES,
    Reading,
    are_plain_anywhere,
    begins_like_number,
    cast_all,
    plain_numbers,
    read_amounts,
)
from bychance.io.scales import read_scale
from bychance.io.separators import DECIMAL_COMMA, Separators, groups_thousands, may_group
from bychance.io.short_months import read_short_months
from bychance.io.text_cells import (
    MISSING_AMONG_NUMBERS,
    MISSING_IN_TEXT,
    DistinctCells,
    TextCells,
    combined,
    null_where,
    stripped,
)
from bychance.io.times_in_text import read_spans, times_among, times_of_day
from bychance.io.wishes import Wishes
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Option, Remark, remark
from bychance.names import display_name

__all__ = ["Typed", "find_decimal", "typed_cells"]

MIXED_SHARE = 0.9
_LISTED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Typed:
    """A column's values as an Arrow array, or cells of categories; what to say; why they are no column.

    `reading` are those of the categories that are numbers or dates. `are_numbers` is said of categories that
    are plain numbers and stay text, as their source declares.
    """

    values: Any
    said: tuple[Remark, ...] = ()
    aside: tuple[Remark, ...] = ()
    reading: Reading | None = None
    are_numbers: bool = False


def typed_cells(cells: TextCells, name: str, wishes: Wishes) -> Typed:
    """The cells as the first type that all present ones are of.

    The types are tried in this order: plain numbers, ISO dates, times of day, booleans (true and false in any
    case), numbers, spans and dates as people write them, categories. Blanks around a cell count for
    categories only. A cell that is in the caller's `missing` is null; where that is None, the usual marks
    are, and more of them among numbers and dates. Where at least 90 % of the cells are numbers or dates, and
    most or more than 20 of these are distinct, the column is mixed: the rest are missing marks or slips, and
    only the caller can tell. Where the source declares text, plain numbers are categories: any library would
    have read them as numbers by itself.
    """
    kind, missing = wishes.kinds.get(name), cells.missing if wishes.missing is None else wishes.missing
    marks = MISSING_IN_TEXT if missing is None else missing
    if kind is None and cells.is_declared:
        cells = replace(cells, values=cells.distinct)
    if kind is not Kind.CATEGORICAL and not isinstance(cells.values, DistinctCells):
        plain = _plain_cells(cells, name, kind, marks)
        if plain is not None:
            return _finite(plain, cells, name, kind)
    cells, said = replace(cells, values=cells.distinct), tuple[Remark, ...]()
    if missing is None:
        marks, said = _without_countries(cells.distinct, marks, wishes.keep_na.get(name))
    text = _Text.of(cells, name, kind, marks, has_more_marks=missing is None)
    if kind is Kind.CATEGORICAL:
        return Typed(text.distinct)
    if kind is None and cells.is_declared and (declared := text.as_declared()) is not None:
        return declared
    typed = _finite(text.typed(wishes.day_first, in_minutes=wishes.in_minutes.get(name)), cells, name, kind)
    if typed.said or typed.aside:
        return typed
    return replace(typed, said=said or (_said_of_type(typed.values) if cells.is_declared else ()))


def _said_of_type(values: Any) -> tuple[Remark, ...]:
    """That text was read as what it is not declared to be; true and false are categories either way."""
    import pyarrow.types as types

    if isinstance(values, DistinctCells) or types.is_boolean(values.type) or values.null_count == len(values):
        return ()
    if types.is_timestamp(values.type) or types.is_date(values.type):
        return (remark(Code.TEXT_READ, what="dates"),)
    return (remark(Code.TEXT_READ, what="times" if types.is_temporal(values.type) else "numbers"),)


def _without_countries(
    distinct: DistinctCells, marks: frozenset[str], is_kept: bool | None
) -> tuple[frozenset[str], tuple[Remark, ...]]:
    """The marks, less NA where it is a country among others, and what to say of NA among codes."""
    import pyarrow.compute as pc

    if is_kept is not None or len(distinct.texts) > MOST_CODES:
        return (marks - {NAMIBIA} if is_kept else marks), ()
    is_na = is_true(pc.equal(distinct.texts, text_scalar(NAMIBIA)))
    if not is_na.any():
        return marks, ()
    counts = dict(zip(stripped(distinct.texts).to_pylist(), distinct.counts.tolist(), strict=True))
    codes = {code: count for code, count in counts.items() if code == NAMIBIA or code not in marks}
    n_rows = distinct.count(is_na)
    if is_namibia(codes):
        mark = Option("missing", (NAMIBIA,))
        return marks - {NAMIBIA}, (remark(Code.NA_IS_NAMIBIA, cell=NAMIBIA, n=n_rows, option=mark),)
    if not are_codes(codes):
        return marks, ()
    return marks, (remark(Code.NA_BESIDE_CODES, cell=NAMIBIA, n=n_rows, option=Option("missing", ())),)


def find_decimal(columns: Sequence[Any], missing: frozenset[str]) -> str | None:
    """A comma where a file whose delimiter is another mark has decimals after it; None where it has not.

    By the first 1,000 values of each column: some column is of numbers only with a decimal comma, and none is
    of numbers with a point. Points that may all separate thousands, as in 1.234, speak against a comma only
    where the commas may do so as well. Commas that separate thousands in one column, beside whole numbers
    below 1,000, may do so in the others.

    >>> import pyarrow as pa
    >>> find_decimal([pa.array(["1,5", "2,25"]), pa.array(["a", "b"])], MISSING_IN_TEXT)
    ','
    """
    import pyarrow.compute as pc

    marks, sure, groups = set[str](), set[str](), set[str]()
    for column in columns:
        start = stripped(combined(column.slice(0, SAMPLE_VALUES)))
        values = pc.drop_null(null_where(start, start, missing | MISSING_AMONG_NUMBERS))
        mark = next((mark for mark in ".," if plain_numbers(values, mark) is not None), None)
        if mark is None or not pc.any(pc.match_substring(values, mark)).as_py():
            continue
        if groups_thousands(values, mark):
            groups.add(mark)
            continue
        marks.add(mark)
        if not may_group(values, mark):
            sure.add(mark)
    is_open = "." in marks or "," in groups
    return "," if "," in marks and (not is_open or sure == {","}) else None


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """A column that is not of plain numbers: its distinct cells without the blanks around them.

    None of them is missing; `among` is null where one would be among numbers or dates.
    """

    cells: TextCells
    name: str
    kind: Kind | None
    distinct: DistinctCells
    bare: Any
    among: Any

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
        among = null_where(bare, bare, MISSING_AMONG_NUMBERS) if has_more_marks else bare
        # A column of nothing but dashes is not otherwise numeric.
        is_empty = among.null_count == len(among)
        return _Text(cells, name, kind, distinct, bare, bare if is_empty else among)

    def as_declared(self) -> Typed | None:
        """Plain numbers, as any library reads them, are what their source declares: categories."""
        import pyarrow.compute as pc

        if not len(self.bare) or not are_plain_anywhere(self.cells.distinct.texts):
            return None
        has_points = pc.any(pc.match_substring(self.bare, ".")).as_py()
        if has_points and (self.cells.decimal == "," or groups_thousands(self.bare, ".")):
            return None
        codes = codes_in_numbers(self.bare, plain_numbers(self.bare, None), self.name)
        said = (codes.note,) if codes is not None and codes.are_codes else ()
        return Typed(self.distinct, said, are_numbers=True)

    def typed(self, day_first: bool | None, *, in_minutes: bool | None) -> Typed:
        plain = self._plain(in_minutes=in_minutes)
        if plain is not None:
            return plain
        best = max(
            self._readings(day_first, in_minutes=in_minutes),
            key=lambda r: self.distinct.count(r.is_read),
            default=None,
        )
        odd = ~null_mask(self.among)
        if best is not None:
            odd &= ~best.is_read
            if best.problem is None and not odd.any():
                return Typed(self.distinct.spread(best.values), self._said_of(best))
        if self.kind is Kind.NUMERIC:
            raise BychanceError(self._no_number(best, odd), "numeric")
        return Typed(self.distinct) if best is None else self._mixed_or_labels(best, odd)

    def _said_of(self, reading: Reading) -> tuple[Remark, ...]:
        if reading.is_limit is None or not reading.is_limit.any():
            return reading.said
        n_values = self.distinct.count(reading.is_limit)
        return (*reading.said, said_of_limits(self.among, reading.is_limit, n_values))

    def _readings(self, day_first: bool | None, *, in_minutes: bool | None) -> list[Reading]:
        """The cells as amounts, as spans and as dates, of which none are without digits."""
        import pyarrow.compute as pc

        start = self.among.slice(0, SAMPLE_VALUES)
        if not any(pc.any(pc.match_substring_regex(part, "[0-9]")).as_py() for part in (start, self.among)):
            return []
        times = times_of_day(self.among, in_minutes=in_minutes)
        if times is not None:
            return [times]
        ways: tuple[Callable[[], Reading | None], ...] = (
            lambda: read_scale(self.among),
            lambda: read_amounts(self.among, self.cells.decimal, self.name),
            lambda: read_spans(self.among),
            lambda: read_short_months(self.among),
            lambda: read_dates(self.among, day_first=day_first),
            lambda: times_among(self.among, in_minutes=in_minutes),
        )
        readings = []
        for read in ways:
            reading = read()
            if reading is None:
                continue
            if reading.problem is None and (reading.is_read | null_mask(self.among)).all():
                return [reading]
            readings.append(reading)
        return readings

    def _plain(self, *, in_minutes: bool | None) -> Typed | None:
        """What Arrow reads by itself."""
        if begins_like_number(self.among):
            numbers = plain_numbers(self.among, self.cells.decimal)
            if numbers is not None:
                typed = _numbers_or_codes(self.among, numbers, self.cells, self.name, self.kind)
                values = self.distinct.spread(typed.values)
                return Typed(DistinctCells.of(values) if are_strings(values) else values, typed.said)
            dates = iso_dates(self.among)
            if dates is not None:
                return Typed(
                    self.distinct.spread(dates), (remark(Code.TIMES_IN_UTC),) if dates.type.tz else ()
                )
            times = times_of_day(self.among, in_minutes=in_minutes)
            if times is not None and times.problem is None:
                return Typed(self.distinct.spread(times.values), times.said)
        flags = _booleans(self.bare)
        return None if flags is None else Typed(self.distinct.spread(flags))

    def _mixed_or_labels(self, best: Reading, odd: NDArray[np.bool_]) -> Typed:
        n_read, n_odd = self.distinct.count(best.is_read), self.distinct.count(odd)
        if n_read < MIXED_SHARE * (n_read + n_odd):
            return Typed(self.distinct, reading=best)
        if not are_many(int(np.count_nonzero(best.is_read)), n_read):
            said = (remark(Code.CATEGORIES_PROBLEM, problem=best.problem),) if best.problem else ()
            return Typed(self.distinct, said, reading=best)
        if self._are_codes(best.is_read, odd):
            return Typed(self.distinct, (remark(Code.CODES_BESIDE_WORDS),))
        keeps = Option("categorical", (self.name,))
        if best.problem is not None:
            problem = remark(Code.MIXED_PROBLEM, problem=best.problem, option=keeps)
            return Typed(self.distinct, aside=(problem,))
        codes = np.flatnonzero(odd)
        marks = tuple(self.among[int(code)].as_py() for code in codes[: _LISTED + 1])
        reads = Option("missing", marks if len(marks) <= _LISTED else (OPEN,))
        mixed = remark(
            Code.MIXED, n_read=n_read, n_values=n_read + n_odd, **self._first(odd), option=reads, keeps=keeps
        )
        return Typed(self.distinct, aside=(mixed,))

    def _are_codes(self, is_read: NDArray[np.bool_], odd: NDArray[np.bool_]) -> bool:
        """Whether whole numbers, some padded with zeros, stand beside words with digits: 01, 2A and 95."""
        import pyarrow.compute as pc

        read, words = (self.among.filter(arrow_of_numpy(mask)) for mask in (is_read, odd))
        is_padded = pc.any(pc.match_substring_regex(read, "^0[0-9]")).as_py()
        return bool(
            is_padded
            and pc.all(pc.match_substring_regex(read, "^[0-9]+$")).as_py()
            and pc.all(pc.match_substring_regex(words, "^[0-9A-Za-z,;/ -]*[0-9][0-9A-Za-z,;/ -]*$")).as_py()
        )

    def _no_number(self, best: Reading | None, odd: NDArray[np.bool_]) -> Remark:
        marks = Option("missing", (OPEN,))
        if best is None or best.problem is None:
            return remark(Code.MUST_BE_NUMBERS, **self._first(odd), column=self.name, give=marks)
        # Marks that are missing now would no longer be: only a note can name them.
        problem, gives = best.problem.with_values(option=None), bool(best.problem.options)
        return remark(Code.MUST_BE_NUMBERS, got=problem, column=self.name, give_all=marks if gives else None)

    def _first(self, odd: NDArray[np.bool_]) -> dict[str, Any]:
        """Find the first of these cells, where it stands, and how many rows have another."""
        rows = np.flatnonzero(np.isin(self.distinct.codes, np.flatnonzero(odd)))
        cell = self.among[int(self.distinct.codes[rows[0]])].as_py()
        return {"cell": cell, "place": self.cells.place(int(rows[0])), "n_more": len(rows) - 1 or None}


def _plain_cells(cells: TextCells, name: str, kind: Kind | None, marks: frozenset[str]) -> Typed | None:
    """Plain numbers row by row: seldom is one of them there twice."""
    n_cells = len(cells.values)
    for n_rows in sorted({min(FEW_VALUES, n_cells), min(SAMPLE_VALUES, n_cells), n_cells}):
        values = combined(cells.values.slice(0, n_rows))
        exact = null_where(values, values, marks)
        numbers = plain_numbers(exact, cells.decimal) if begins_like_number(exact) else None
        if numbers is None:
            return None
    typed = _numbers_or_codes(exact, numbers, cells, name, kind)
    return replace(typed, values=DistinctCells.of(typed.values)) if are_strings(typed.values) else typed


def _numbers_or_codes(strings: Any, numbers: Any, cells: TextCells, name: str, kind: Kind | None) -> Typed:
    """Numbers as such, or as they are written where they are codes padded with zeros."""
    said = codes_in_numbers(strings, numbers, name) if kind is None else None
    if said is not None:
        return Typed(strings if said.are_codes else numbers, (said.note,))
    return _grouped(strings, numbers, cells) or Typed(numbers, _comma(strings, numbers, cells))


def _grouped(strings: Any, numbers: Any, cells: TextCells) -> Typed | None:
    """Numbers whose points may separate thousands, with what to say of that; None where they do not."""
    import pyarrow.compute as pc
    import pyarrow.types as types

    if cells.decimal is not None or not types.is_floating(numbers.type):
        return None
    if groups_thousands(strings, ".") is False:
        return None
    marks = Separators.of(strings, None, ())
    for mark in marks.thousands:
        numbers = plain_numbers(pc.replace_substring(strings, mark, ""), marks.decimal)
    return Typed(numbers, marks.described)


def _comma(strings: Any, numbers: Any, cells: TextCells) -> tuple[Remark, ...]:
    import pyarrow.compute as pc
    import pyarrow.types as types

    if cells.decimal != "," or not types.is_floating(numbers.type):
        return ()
    return (DECIMAL_COMMA,) if pc.any(pc.match_substring(strings, ",")).as_py() else ()


def _finite(typed: Typed, cells: TextCells, name: str, kind: Kind | None) -> Typed:
    """The same, or set aside where a number is infinite; an error where the caller wants the column."""
    import pyarrow.types as types

    if isinstance(typed.values, DistinctCells) or not types.is_floating(typed.values.type):
        return typed
    numbers = numpy_of(typed.values)
    infinite = np.flatnonzero(np.isinf(numbers) & ~null_mask(typed.values))
    if not len(infinite):
        return typed
    place = cells.place(int(infinite[0]))
    distinct = cells.distinct
    found = np.unique(distinct.codes[infinite[:SAMPLE_VALUES]])
    texts = tuple(sorted(distinct.texts.take(arrow_of_numpy(found)).to_pylist())[:_LISTED])
    number, reads = str(numbers[infinite[0]]), Option("missing", texts)
    if kind is not None:
        raise BychanceError(
            remark(Code.MUST_BE_FINITE, column=display_name(name), number=number, place=place, option=reads)
        )
    return Typed(typed.values, aside=(remark(Code.NOT_FINITE, number=number, place=place, option=reads),))


def _booleans(strings: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    for n_values in (FEW_VALUES, SAMPLE_VALUES):
        if not set(pc.utf8_lower(strings.slice(0, n_values)).to_pylist()) <= {"true", "false", None}:
            return None
    return cast_all(strings, pa.bool_())
