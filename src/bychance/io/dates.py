"""Parsing of dates and times of day in common formats, with one format choice per column.

Arrow reads ISO 8601. The other forms are cut by Arrow's regular expressions, and NumPy's calendar makes
moments of the parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bychance.array_types import BoolArray, IndexArray, IntArray
from bychance.arrow_values import arrow_of_numpy, null_mask, numpy_of, strings_of, text_scalar
from bychance.io.cells import any_match, matches
from bychance.io.numbers import SAMPLE_VALUES, Reading, cast_all
from bychance.messages import Code, Option, Remark, remark

__all__ = ["AS_IN_OTHERS", "FIRST", "read_dates", "read_iso_dates", "read_times"]

FIRST = {True: Code.DAY_FIRST, False: Code.MONTH_FIRST}
_AS_ASKED, AS_IN_OTHERS, _AS_SEEN = "as asked for", "as in other columns", "as some days are beyond 12"
_LAST_MONTH, _LAST_DAY, _MOSTLY = 12, 31, 0.9
_YEARS, _NEARLY_ALL = (1800, 2100), 0.95
_EARLIEST_YEAR = 69  # of those with two digits, as POSIX has it: 69 is 1969, 68 is 2068
_DAY_MICROSECONDS = 86_400_000_000  # microseconds per day (definition)

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
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
    r" ?(?P<zone>Z|UTC|GMT)?(?:(?P<sign>[+-])(?P<zone_hour>\d{1,2})(?::?(?P<zone_minute>\d{2}))?)?$"
)
_DAY_OR_MONTH = rf"^(?P<first>\d{{1,2}})[/-](?P<second_part>\d{{1,2}})[/-]{_YEAR}{_TIME}"
_FORMS = (
    rf"^(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}}){_TIME}",
    rf"^(?P<day>\d{{1,2}})\. ?(?P<month>\d{{1,2}})\. ?(?P<year>\d{{4}}){_TIME}",
    rf"^(?P<day>\d{{2}})\.(?P<month>\d{{2}})\.(?P<year>\d{{2}}){_TIME}",
    rf"^{_WEEKDAY}{_MONTH}[ -]{_DAY},?[ -](?P<year>\d{{4}}){_TIME}",
    rf"^{_WEEKDAY}{_DAY}[ -]{_MONTH},?[ -]{_YEAR}{_TIME}",
    rf"^(?P<year>\d{{4}})[ -]{_MONTH}[ -]{_DAY}{_TIME}",
    rf"^{_MONTH}[ -](?P<year>\d{{4}})$",
)
# Months and quarters without a day: codes look like them, 4711-05.
_MONTHS_OF_YEARS = (
    r"^(?P<year>\d{4})[-/](?P<month>\d{2})$",
    r"^(?P<month>\d{1,2})/(?P<year>\d{4})$",
    r"^(?P<year>\d{4})[ -]?Q(?P<quarter>[1-4])$",
    r"^Q(?P<quarter>[1-4])[ -]?(?P<year>\d{4})$",
)
_LIKE_A_DATE = rf"\d[/.-] ?\d|Q[1-4]|(?i:{'|'.join(_MONTHS)})"

_CLOCKS = tuple(
    rf"^(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}}){second}{half}$"
    for second in ("", r":(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?")
    for half in ("", r" ?(?P<half>(?i:[ap]\.?m\.?))")
)
_CLOCK_LIKE = r"^\d+:\d{2}"


def read_iso_dates(strings: Any) -> Reading | None:
    """Parse ISO dates (in UTC if all have a zone), or return None if any string is not one."""
    import pyarrow as pa

    local = Reading.of(cast_all(strings, pa.timestamp("us")))
    return local or Reading.of(cast_all(strings, pa.timestamp("us", "UTC")), (remark(Code.TIMES_IN_UTC),))


def read_dates(texts: Any, *, day_first: bool | None) -> Reading | None:
    """Parse distinct text cells as dates, or return None if the column is text.

    >>> reading = read_dates(strings_of(["3/4/2019", "14/4/2019"]), day_first=None)
    >>> [str(value) for value in reading.values.to_pylist()], str(reading.said[0])
    (['2019-04-03 00:00:00', '2019-04-14 00:00:00'], 'dates with the day first, as some days are beyond 12')
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not any_match(pc.drop_null(texts).slice(0, SAMPLE_VALUES), _LIKE_A_DATE):
        return None
    moments = np.zeros(len(texts), dtype=np.int64)
    is_read, has_zone, has_short = np.zeros((3, len(texts)), dtype=np.bool_)
    said, problem = list[Remark](), None
    for form in (*_FORMS, *_MONTHS_OF_YEARS, _DAY_OR_MONTH):
        left = np.flatnonzero(~is_read & ~null_mask(texts))
        if not len(left) or not any_match(texts.take(arrow_of_numpy(left[:SAMPLE_VALUES])), form):
            continue
        parts = DateParts.of(texts.take(arrow_of_numpy(left)), form)
        if form in _MONTHS_OF_YEARS and not parts.are_plausible:
            continue
        if form == _DAY_OR_MONTH:
            is_day_first, told, problem = _order_of(parts, day_first)
            said += [told] if told else []
            names = ("first", "second_part") if is_day_first else ("second_part", "first")
            parts.numbers["day"], parts.numbers["month"] = (parts.numbers[name] for name in names)
        own, is_valid = parts.moments()
        is_valid |= problem is not None  # of dates in two orders, those of the other one are dates as well
        cells = left[parts.rows]
        is_read[cells], moments[cells] = is_valid, own
        has_zone[cells], has_short[cells] = parts.has_zone & is_valid, parts.has_short_year & is_valid
    if not is_read.any():
        return None
    if problem is None and has_zone.any() and not has_zone[is_read].all():
        problem = remark(Code.ZONES_DIFFER)
    said += [remark(Code.TIMES_IN_UTC)] if has_zone.any() else []
    said += [remark(Code.YEARS_OF_TWO_DIGITS)] if has_short.any() else []
    values = arrow_of_numpy(moments, ~is_read).cast(pa.timestamp("us", "UTC" if has_zone.any() else None))
    return Reading(values, is_read, tuple(said), problem)


def _order_of(parts: DateParts, day_first: bool | None) -> tuple[bool, Remark | None, Remark | None]:
    """Return True if the day comes first in dates such as 03/04/2019, and remarks on how this was decided.

    A day beyond 12 tells it for all cells. If both numbers are beyond 12 somewhere, nobody knows which of the
    dates is the slip; parts of something else are no dates in either order.
    """
    first, second = parts.numbers["first"], parts.numbers["second_part"]
    if day_first is not None:
        return day_first, remark(FIRST[day_first], why=_AS_ASKED), None
    is_day, is_month = bool((first > _LAST_MONTH).any()), bool((second > _LAST_MONTH).any())
    if is_day and is_month:
        is_date = (np.minimum(first, second) <= _LAST_MONTH) & (np.maximum(first, second) <= _LAST_DAY)
        return True, None, remark(Code.DATE_ORDER_MIXED) if is_date.mean() >= _MOSTLY else None
    if is_day or is_month:
        return is_day, remark(FIRST[is_day], why=_AS_SEEN), None
    return False, remark(Code.DATE_ORDER_OPEN, option=Option("day_first", True)), None


@dataclass(frozen=True, slots=True, eq=False)
class DateParts:
    """Parts (year, month, day, hour …) of the cells that match a format, as integers by name."""

    rows: IndexArray
    numbers: dict[str, IntArray]
    has_zone: BoolArray
    has_short_year: BoolArray

    @staticmethod
    def of(texts: Any, form: str) -> DateParts:
        """Extract the date parts of the cells that match the regular expression `form`."""
        import pyarrow as pa
        import pyarrow.compute as pc

        (rows, strings), zero = _match_groups(texts, form), text_scalar("0")
        numbers = {
            name: numpy_of(pc.if_else(pc.equal(values, text_scalar("")), zero, values).cast(pa.int64()))
            for name, values in strings.items()
            if name not in ("name", "half", "zone", "sign", "fraction")
        }
        if "name" in strings:
            short = pc.utf8_lower(pc.utf8_slice_codeunits(strings["name"], 0, 3))
            numbers["month"] = numpy_of(pc.index_in(short, strings_of(_MONTHS))).astype(np.int64) + 1
        if "quarter" in numbers:
            numbers["month"] = 3 * numbers["quarter"] - 2
        if "fraction" in strings:
            numbers["fraction"] = numpy_of(pc.utf8_rpad(strings["fraction"], 6, "0").cast(pa.int64()))
        is_short = np.zeros(len(rows), dtype=np.bool_)
        if "year" in strings:
            is_short = numpy_of(pc.utf8_length(strings["year"])) == 2
            numbers["year"] = numbers["year"] + is_short * np.where(
                numbers["year"] < _EARLIEST_YEAR, 2000, 1900
            )
        _apply_am_pm(numbers, strings)
        return DateParts(rows, numbers, _apply_zone(numbers, strings, len(rows)), is_short)

    @property
    def are_plausible(self) -> bool:
        """Return True if nearly all cells have a month from 1 to 12 and a plausible year."""
        year, month = self.numbers["year"], self.numbers["month"]
        is_month = (year >= _YEARS[0]) & (year <= _YEARS[1]) & (month >= 1) & (month <= 12)
        return bool(np.mean(is_month) >= _NEARLY_ALL)

    def moments(self) -> tuple[IntArray, BoolArray]:
        """Return each date as microseconds since 1970, and flags of the cells with valid dates and times."""
        zero = np.zeros(len(self.rows), dtype=np.int64)
        start = {"year": zero + 1970, "month": zero + 1, "day": zero + 1}
        year, month, day, hour, minute, second, offset, fraction = (
            self.numbers.get(name, start.get(name, zero))
            for name in ("year", "month", "day", "hour", "minute", "second", "offset", "fraction")
        )
        months = (12 * (year - 1970) + month - 1).astype("M8[M]")
        days = months.astype("M8[D]")
        length = ((months + 1).astype("M8[D]") - days).astype(np.int64)
        is_valid = (month >= 1) & (month <= 12) & (day >= 1) & (day <= length)
        is_valid &= (hour < 24) & (minute < 60) & (second < 60)
        seconds = 60 * (60 * hour + minute - offset) + second
        whole = (days.astype(np.int64) + day - 1) * _DAY_MICROSECONDS + 1_000_000 * seconds
        return whole + fraction, is_valid


def _apply_am_pm(numbers: dict[str, IntArray], strings: dict[str, Any]) -> None:
    """Convert hours with AM or PM to 24 hours in place: 12 AM to 0, 13 PM to 99 (invalid)."""
    import pyarrow.compute as pc

    if "half" not in strings:
        return
    half = pc.utf8_lower(pc.utf8_slice_codeunits(strings["half"], 0, 1))
    is_pm = numpy_of(pc.equal(half, text_scalar("p")))
    is_half = is_pm | numpy_of(pc.equal(half, text_scalar("a")))
    hour = numbers["hour"]
    on_clock = np.where((hour < 1) | (hour > 12), 99, hour % 12 + 12 * is_pm)
    numbers["hour"] = np.where(is_half, on_clock, hour)


def _apply_zone(numbers: dict[str, IntArray], strings: dict[str, Any], n_rows: int) -> BoolArray:
    """Add time zone offsets in minutes to `numbers`, and return a mask of the cells with a zone."""
    import pyarrow.compute as pc

    if "sign" not in strings:
        return np.zeros(n_rows, dtype=np.bool_)
    sign = np.where(numpy_of(pc.equal(strings["sign"], text_scalar("-"))), -1, 1)
    numbers["offset"] = sign * (60 * numbers["zone_hour"] + numbers["zone_minute"])
    zone = pc.binary_join_element_wise(strings["zone"], strings["sign"], text_scalar(""))
    return numpy_of(pc.utf8_length(zone)) > 0


def _match_groups(texts: Any, form: str) -> tuple[IndexArray, dict[str, Any]]:
    r"""Return the positions of strings that match a regular expression, and their substrings by named group.

    >>> rows, parts = _match_groups(strings_of(["03/2019", "11/2020", "x"]), r"(?P<month>\d+)/(?P<year>\d+)")
    >>> rows.tolist(), {name: strings.to_pylist() for name, strings in parts.items()}
    ([0, 1], {'month': ['03', '11'], 'year': ['2019', '2020']})
    """
    import pyarrow.compute as pc

    cut = pc.extract_regex(texts, form)
    rows = np.flatnonzero(~null_mask(cut))
    cut = cut.take(arrow_of_numpy(rows))
    return rows, {field.name: cut.field(field.name) for field in cut.type}


def read_times(strings: Any) -> Reading | None:
    """Parse times of day (8:05, 17:30:15 or 5:30 PM), or return None if any cell is not one.

    All have seconds or none has, and no hour is beyond 23: otherwise they are spans of time.

    >>> [str(value) for value in read_times(strings_of(["8:05", "17:30"])).values.to_pylist()]
    ['08:05:00', '17:30:00']
    >>> read_times(strings_of(["3:22:55", "DNF", "4:15:00"])).is_read.tolist()
    [True, False, True]
    >>> read_times(strings_of(["10:40", "1:01:26"])), read_times(strings_of(["38:05", "2:10"]))
    (None, None)
    """
    import pyarrow as pa

    start = strings.slice(0, SAMPLE_VALUES)
    counts = [matches(start, form).sum() for form in _CLOCKS]
    if not any(counts):
        return None
    parts = DateParts.of(strings, _CLOCKS[int(np.argmax(counts))])
    moments, is_read = np.zeros(len(strings), dtype=np.int64), np.zeros(len(strings), dtype=np.bool_)
    moments[parts.rows], is_read[parts.rows] = parts.moments()
    if (matches(strings, _CLOCK_LIKE) & ~is_read).any():
        return None
    return Reading(arrow_of_numpy(moments, ~is_read).cast(pa.time64("us")), is_read)
