"""Dates as people write them: distinct strings → moments, the order of day and month decided for all at once.

Arrow reads ISO 8601. The other forms are taken apart by Arrow's regular expressions, and NumPy's calendar
makes moments of the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, null_mask, numpy_of, strings_of, text_scalar
from bychance.io.alike import cut_alike
from bychance.io.date_order import DateOrder
from bychance.io.month_names import in_english
from bychance.io.numbers_in_text import SAMPLE_VALUES, Reading, cast_all
from bychance.messages import Code, Remark, remark

__all__ = ["MONTH", "MONTHS", "Parts", "in_full", "iso_dates", "read_dates"]

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = (
    r"(?P<name>(?i:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?))\.?"
)
_WEEKDAY = r"(?:(?i:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?"
_DAY = r"(?P<day>\d{1,2})(?i:st|nd|rd|th)?\.?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_TIME = (
    r"(?:(?:[T ]|, ?)(?P<hour>\d{1,2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
    r" ?(?P<half>(?i:[ap](?:\.?m\.?)?))?)?"
    r" ?(?P<zone>Z|(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?|[+-]\d{2}:?(?:\d{2})?)?$"
)
_NUMERIC = rf"^(?P<first>\d{{1,2}})[/-](?P<second_part>\d{{1,2}})[/-]{_YEAR}{_TIME}"
_POINTS = (
    rf"^(?P<day>\d{{1,2}})\. ?(?P<month>\d{{1,2}})\. ?(?P<year>\d{{4}}){_TIME}",
    rf"^(?P<day>\d{{2}})\.(?P<month>\d{{2}})\.(?P<year>\d{{2}}){_TIME}",
)
_EIGHT = r"^(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
_FORMS = (
    rf"^(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_TIME}",
    *_POINTS,
    rf"^{_WEEKDAY}{MONTH}[ -]{_DAY},?[ -](?P<year>\d{{4}}){_TIME}",
    rf"^{_WEEKDAY}{_DAY}[ -]{MONTH},?[ -]{_YEAR}{_TIME}",
    rf"^(?P<year>\d{{4}})[ -]{MONTH}[ -]{_DAY}{_TIME}",
    rf"^{MONTH}[ -](?P<year>\d{{4}})$",
    rf"^\[?{_DAY}/{MONTH}/(?P<year>\d{{4}}):(?P<hour>\d{{2}}):(?P<minute>\d{{2}}):(?P<second>\d{{2}})"
    r" ?(?P<zone>[+-]\d{4})?\]?$",  # as web servers write it
    rf"{_EIGHT}[T:](?P<hour>\d{{2}}):?(?P<minute>\d{{2}})(?::?(?P<second>\d{{2}}))?(?P<zone>Z|[+-]\d{{4}})?$",
    # Numbers of runs look like them, 20230101_0001, but for colons or seconds.
    rf"{_EIGHT}[_ ](?P<hour>\d{{2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}}))?$",
    rf"{_EIGHT}[_ ](?P<hour>\d{{2}})(?P<minute>\d{{2}})(?P<second>\d{{2}})$",
    r"^(?P<year>\d{4})-(?P<yearday>\d{3})T(?P<hour>\d{2}):(?P<minute>\d{2})"
    r"(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,6})\d*)?)?(?P<zone>Z)?$",  # of spacecraft
)
# Months and quarters without a day: codes look like them, 1000M01 or 4711-05.
_MONTHS_OF_YEARS = (
    r"^(?P<year>\d{4})[-/](?P<month>\d{2})$",
    r"^(?P<month>\d{1,2})/(?P<year>\d{4})$",
    r"^(?P<year>\d{4})[ -]?M(?P<month>\d{2})$",
    r"^(?P<year>\d{4})[ -]?Q(?P<quarter>[1-4])$",
    r"^Q(?P<quarter>[1-4])[ -]?(?P<year>\d{4})$",
)
_YEARS, _NEARLY_ALL = (1800, 2100), 0.95
_LIKE_A_DATE = rf"\d[/.-] ?\d|Q[1-4]|\d[ -]?M\d|\d{{8}}[T:_ ]\d|(?i:{'|'.join(MONTHS)})"
_EARLIEST_YEAR = 69  # of those with two digits, as POSIX has it: 69 is 1969, 68 is 2068
_DAY_MICROSECONDS = 86_400_000_000


def iso_dates(strings: Any) -> Any:
    """The strings as timestamps, in UTC where all have a zone; None where one is no ISO date."""
    import pyarrow as pa

    local = cast_all(strings, pa.timestamp("us"))
    return cast_all(strings, pa.timestamp("us", "UTC")) if local is None else local


def read_dates(texts: Any, *, day_first: bool | None) -> Reading | None:
    """Distinct cells without blanks around them as dates; None where they are text.

    >>> reading = read_dates(strings_of(["3/4/2019", "14/4/2019"]), day_first=None)
    >>> [str(value) for value in reading.values.to_pylist()], str(reading.said[0])
    (['2019-04-03 00:00:00', '2019-04-14 00:00:00'], 'dates with the day first, as some days are beyond 12')
    """
    import pyarrow.compute as pc

    texts = in_english(texts)
    start = pc.drop_null(texts).slice(0, SAMPLE_VALUES)
    if not _any_match(start, _LIKE_A_DATE):
        return None
    found = _Found(len(texts))
    order = DateOrder()
    for form in (*_FORMS, *_MONTHS_OF_YEARS, _NUMERIC):
        left = np.flatnonzero(~found.is_read & ~null_mask(texts))
        if not len(left) or not _any_match(texts.take(arrow_of_numpy(left[:SAMPLE_VALUES])), form):
            continue
        parts = Parts.of(texts.take(arrow_of_numpy(left)), form)
        if form in _MONTHS_OF_YEARS and not parts.are_plausible:
            continue
        if form is _NUMERIC:
            own = texts.take(arrow_of_numpy(left[parts.rows]))
            order = DateOrder.of(parts.numbers["first"], parts.numbers["second_part"], own, day_first)
            parts = parts.ordered(order.is_day_first)
        found.add(left, parts)
    if not found.is_read.any():
        return None
    problem = order.problem or found.problem(texts)
    said = filter(None, (order.said, *found.said()))
    # Of dates in two orders, those of the other one are dates as well.
    is_read = found.is_read | found.is_off if order.problem else found.is_read
    return Reading(found.values(), is_read, tuple(said), problem)


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What the cells that have a form are made of: integers by name, and the zone in minutes."""

    rows: NDArray[np.intp]
    numbers: dict[str, NDArray[np.int64]]
    has_zone: NDArray[np.bool_]
    is_short: bool

    @staticmethod
    def of(texts: Any, form: str) -> Parts:
        """The parts of the cells that have this form."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if "quarter" not in form and "yearday" not in form and (alike := cut_alike(texts, form)) is not None:
            return Parts._of_alike(alike, len(texts))
        cut = pc.extract_regex(texts, form)
        rows = np.flatnonzero(~null_mask(cut))
        cut = cut.take(arrow_of_numpy(rows))
        names = [field.name for field in cut.type]
        strings = {name: cut.field(name) for name in names}
        numbers = {
            name: numpy_of(_or_else(values, "0").cast(pa.int64()))
            for name, values in strings.items()
            if name not in ("name", "half", "zone", "fraction")
        }
        if "name" in strings:
            short = pc.utf8_lower(pc.utf8_slice_codeunits(strings["name"], 0, 3))
            numbers["month"] = numpy_of(pc.index_in(short, strings_of(MONTHS))).astype(np.int64) + 1
        if "quarter" in numbers:
            numbers["month"] = 3 * numbers["quarter"] - 2
        if "yearday" in numbers:
            start = (numbers["year"] - 1970).astype("M8[Y]")
            date = start.astype("M8[D]") + numbers["yearday"] - 1
            month = date.astype("M8[M]")
            numbers["month"] = np.where(
                date.astype("M8[Y]") == start, (month - start).astype(np.int64) + 1, 0
            )
            numbers["day"] = (date - month).astype(np.int64) + 1
        if "fraction" in strings:
            padded = pc.utf8_rpad(strings["fraction"], 6, "0")
            numbers["fraction"] = numpy_of(padded.cast(pa.int64()))
        is_short = False
        if len(rows) and "year" in strings:
            is_two = numpy_of(pc.utf8_length(strings["year"])) == 2
            is_short = bool(is_two.any())
            numbers["year"] = np.where(is_two, in_full(numbers["year"]), numbers["year"])
        _apply_half(numbers, strings)
        has_zone = _apply_zone(numbers, strings, len(rows))
        return Parts(rows, numbers, has_zone, is_short)

    @staticmethod
    def _of_alike(parts: dict[str, tuple[int, NDArray[np.int64]]], n_rows: int) -> Parts:
        """Those of cells that differ by their digits alone, so that none has a zone, or a half of the day."""
        numbers = {name: number for name, (_, number) in parts.items()}
        if "fraction" in parts:
            numbers["fraction"] *= 10 ** (6 - parts["fraction"][0])
        is_short = "year" in parts and parts["year"][0] == 2
        if is_short:
            numbers["year"] = in_full(numbers["year"])
        return Parts(np.arange(n_rows), numbers, np.zeros(n_rows, dtype=np.bool_), is_short)

    def ordered(self, is_day_first: NDArray[np.bool_] | bool) -> Parts:
        """With the two parts before the year as day and month."""
        first, second = self.numbers["first"], self.numbers["second_part"]
        day, month = np.where(is_day_first, first, second), np.where(is_day_first, second, first)
        numbers = {**self.numbers, "day": day, "month": month}
        return Parts(self.rows, numbers, self.has_zone, self.is_short)

    @property
    def are_plausible(self) -> bool:
        """Whether nearly all are months of years that tables are about."""
        year, month = self.numbers["year"], self.numbers["month"]
        is_month = (year >= _YEARS[0]) & (year <= _YEARS[1]) & (month >= 1) & (month <= 12)
        return bool(np.mean(is_month) >= _NEARLY_ALL)

    def moments(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Microseconds since 1970, and which cells are in the calendar and on the clock."""
        zero = np.zeros(len(self.rows), dtype=np.int64)
        year, month = self.numbers["year"], self.numbers["month"]
        day = self.numbers.get("day", zero + 1)
        hour, minute, second = (self.numbers.get(name, zero) for name in ("hour", "minute", "second"))
        months = (12 * (year - 1970) + month - 1).astype("M8[M]")
        days = months.astype("M8[D]")
        length = ((months + 1).astype("M8[D]") - days).astype(np.int64)
        is_valid = (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
        is_valid &= (hour < 24) & (minute < 60) & (second < 60)
        seconds = 60 * (60 * hour + minute - self.numbers.get("offset", zero)) + second
        whole = (days.astype(np.int64) + day - 1) * _DAY_MICROSECONDS + 1_000_000 * seconds
        return whole + self.numbers.get("fraction", zero), is_valid


def in_full(year: NDArray[np.int64]) -> NDArray[np.int64]:
    """Years of two digits with their century.

    >>> in_full(np.array([68, 69])).tolist()
    [2068, 1969]
    """
    return year + np.where(year < _EARLIEST_YEAR, 2000, 1900)


def _apply_half(numbers: dict[str, NDArray[np.int64]], strings: dict[str, Any]) -> None:
    """12 AM is 0 and 12 PM is 12; 13 PM is no time."""
    import pyarrow.compute as pc

    if "half" not in strings:
        return
    half = pc.utf8_lower(pc.utf8_slice_codeunits(strings["half"], 0, 1))
    is_pm = numpy_of(pc.equal(half, text_scalar("p")))
    is_half = is_pm | numpy_of(pc.equal(half, text_scalar("a")))
    hour = numbers["hour"]
    on_clock = np.where((hour < 1) | (hour > 12), 99, hour % 12 + 12 * is_pm)
    numbers["hour"] = np.where(is_half, on_clock, hour)


def _apply_zone(
    numbers: dict[str, NDArray[np.int64]], strings: dict[str, Any], n_rows: int
) -> NDArray[np.bool_]:
    """The zone as minutes to be taken away, and which cells have one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if "zone" not in strings:
        return np.zeros(n_rows, dtype=np.bool_)
    zone = pc.replace_substring(strings["zone"], ":", "")
    has_zone = numpy_of(pc.utf8_length(zone)) > 0
    zone = pc.replace_substring_regex(zone, "Z|UTC|GMT", "")
    zone = pc.replace_substring_regex(zone, r"^([+-])(\d(?:\d{2})?)$", r"\10\2")  # GMT+2 is +02
    signed = pc.utf8_rpad(_or_else(zone, "+"), 5, "0")
    hhmm = numpy_of(pc.utf8_slice_codeunits(signed, 1).cast(pa.int64()))
    sign = np.where(numpy_of(pc.starts_with(signed, "-")), -1, 1)
    numbers["offset"] = sign * (60 * (hhmm // 100) + hhmm % 100)
    return has_zone


class _Found:
    """The moments that one form after the other gives."""

    def __init__(self, n_cells: int) -> None:
        self._moments = np.zeros(n_cells, dtype=np.int64)
        self._has_zone = np.zeros(n_cells, dtype=np.bool_)
        self.is_off = np.zeros(n_cells, dtype=np.bool_)
        self._is_short = False
        self.is_read = np.zeros(n_cells, dtype=np.bool_)

    def add(self, cells: NDArray[np.intp], parts: Parts) -> None:
        moments, is_valid = parts.moments()
        places = cells[parts.rows]
        self.is_off[places[~is_valid]] = True
        places = places[is_valid]
        self._moments[places] = moments[is_valid]
        self._has_zone[places] = parts.has_zone[is_valid]
        self._is_short |= parts.is_short
        self.is_read[places] = True

    def problem(self, texts: Any) -> Remark | None:
        is_off = np.flatnonzero(self.is_off & ~self.is_read)
        if len(is_off):
            return remark(Code.NOT_IN_CALENDAR, cell=texts[int(is_off[0])].as_py())
        zones = self._has_zone[self.is_read]
        return remark(Code.ZONES_DIFFER) if zones.any() and not zones.all() else None

    def said(self) -> list[Remark]:
        return [
            *([remark(Code.TIMES_IN_UTC)] if self._has_zone.any() else []),
            *([remark(Code.YEARS_OF_TWO_DIGITS)] if self._is_short else []),
        ]

    def values(self) -> Any:
        import pyarrow as pa

        zone = "UTC" if self._has_zone.any() else None
        return arrow_of_numpy(self._moments, ~self.is_read).cast(pa.timestamp("us", zone))


def _or_else(strings: Any, otherwise: str) -> Any:
    """The strings, with another for the empty ones."""
    import pyarrow.compute as pc

    return pc.if_else(pc.equal(strings, text_scalar("")), text_scalar(otherwise), strings)


def _any_match(strings: Any, pattern: str) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.match_substring_regex(strings, pattern)).as_py())
