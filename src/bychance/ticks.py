"""Dates, times, durations and periods as exact whole counts (ticks) of a unit."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.array_types import FloatArray

__all__ = [
    "SPANS",
    "TIMES",
    "Clock",
    "Moment",
    "arrow_clock",
    "counted_from",
    "numpy_clock",
    "ticks_of_moments",
]

# In attoseconds, the smallest unit of NumPy.
_SECOND = 10**18
_DAY = 86_400 * _SECOND
_SIZES = {
    "W": 7 * _DAY, "D": _DAY, "day": _DAY, "h": 3600 * _SECOND, "m": 60 * _SECOND, "s": _SECOND,
    "ms": 10**15, "us": 10**12, "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1,
}  # fmt: skip
_ARROW_TYPE = re.compile(r"(date|timestamp|duration|time)(?:32|64)?\[(\w+)(, tz=)?")
_DATES, _ZONED, SPANS, TIMES = "dates", "dates with a time zone", "spans of time", "times of day"
_WHAT = {"date": _DATES, "timestamp": _DATES, "duration": SPANS, "time": TIMES}
_PERIODS = "periods of "
# The frequencies of pandas whose periods NumPy can write.
_WRITTEN = {
    "Y-DEC": "Y",
    "A-DEC": "Y",
    "M": "M",
    "D": "D",
    "h": "h",
    "H": "h",
    "min": "m",
    "T": "m",
    "s": "s",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """Exact date, time, duration or period as a category. Equal moments in different units are equal.

    >>> Moment("dates", 86_400 * 10**18)
    1970-01-02
    """

    what: str
    count: int

    def __str__(self) -> str:
        if self.what.startswith(_PERIODS):
            freq = self.what.removeprefix(_PERIODS)
            if freq not in _WRITTEN:
                return f"{freq} {self.count}"
            return str(np.array(self.count).astype(f"M8[{_WRITTEN[freq]}]"))
        if self.what == SPANS:
            seconds, rest = divmod(abs(self.count), _SECOND)
            return f"{'-' if self.count < 0 else ''}{seconds}{_fraction(rest)} s"
        if self.what not in (_DATES, _ZONED, TIMES):
            return str(self.count)
        seconds, rest = divmod(self.count, _SECOND)
        date, time = str(np.datetime64(seconds, "s")).split("T")
        time += _fraction(rest)
        if self.what == TIMES:
            return time
        return date + ("" if time == "00:00:00" else f" {time}") + (" UTC" if self.what == _ZONED else "")

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class Clock:
    """Unit and origin of whole ticks that count dates, times, durations or periods.

    `size` and `origin` are in attoseconds. Periods such as months have no fixed length: their size is 1, and
    periods of two frequencies are two types of things (`what`), as dates and durations are.
    """

    what: str
    size: int
    origin: int = 0

    def counts(self, ticks: NDArray[Any]) -> list[int]:
        """Convert ticks to exact counts of attoseconds since 1970, or since zero for durations."""
        return [self.origin + self.size * tick for tick in ticks.tolist()]

    def moments(self, ticks: NDArray[Any]) -> tuple[Moment, ...]:
        """Convert ticks to moments, for use as category labels."""
        return tuple(Moment(self.what, count) for count in self.counts(ticks))

    def moment(self, tick: float) -> Moment:
        """Return the last moment at or before a fractional tick."""
        numerator, denominator = tick.as_integer_ratio()
        return Moment(self.what, self.origin + self.size * numerator // denominator)

    @property
    def has_dates(self) -> bool:
        """True if the ticks are calendar dates, so that an axis can show dates."""
        return self.what in (_DATES, _ZONED) or self.what.removeprefix(_PERIODS) in _WRITTEN

    def milliseconds(self, ticks: NDArray[Any]) -> FloatArray:
        """Convert ticks of dates or periods to milliseconds since 1970. A period counts from its start.

        >>> Clock("dates", 86_400 * 10**18).milliseconds(np.array([0.0, 1.5]))
        array([0.000e+00, 1.296e+08])
        """
        numbers, unit = ticks.astype(np.float64), _WRITTEN.get(self.what.removeprefix(_PERIODS))
        if unit is None:
            return np.asarray(self.origin / 10**15 + numbers * (self.size / 10**15))
        counts = self.origin + self.size * numbers
        return np.floor(counts).astype(np.int64).astype(f"M8[{unit}]").astype("M8[ms]").astype(np.float64)

    def ticks_of(self, ticks: NDArray[Any], clock: Clock) -> NDArray[Any]:
        """Convert ticks of another clock of the same type to ticks of this one, as integers if possible.

        >>> days, hours = Clock("dates", 86_400 * 10**18), Clock("dates", 3600 * 10**18)
        >>> hours.ticks_of(np.array([1, 2]), days), days.ticks_of(np.array([12, 24]), hours)
        (array([24, 48]), array([0.5, 1. ]))
        """
        shift, rest = divmod(self.origin - clock.origin, self.size)
        if self.size == clock.size and not rest:
            return counted_from(ticks, shift)
        counts = [count - self.origin for count in clock.counts(ticks)]
        if any(count % self.size for count in counts):
            return np.array([count / self.size for count in counts])
        whole = [count // self.size for count in counts]
        fits = max(map(abs, whole), default=0) < 2**63
        return np.array(whole, dtype=np.int64 if fits else np.float64)


def counted_from(values: NDArray[Any], origin: int) -> NDArray[Any]:
    """Subtract an integer origin from integers, exactly if int64 holds all results, else as nearest floats.

    >>> counted_from(np.array([2**63 + 1], dtype=np.uint64), 2**63)
    array([1])
    """
    lowest, highest = (int(bound) - origin for bound in (values.min(), values.max()))
    if lowest <= -(2**64) or highest >= 2**64:
        return np.array([value - origin for value in values.tolist()], dtype=np.float64)
    steps = values.astype(np.uint64) - np.uint64(origin % 2**64)
    if lowest >= -(2**63) and highest < 2**63:
        return steps.view(np.int64)
    return np.where(values < origin, -(-steps).astype(np.float64), steps.astype(np.float64))


def ticks_of_moments(moments: Sequence[Moment]) -> tuple[NDArray[np.uint64], Clock]:
    """Convert moments to whole counts of the largest unit that fits them all, from the earliest one.

    >>> days = [Moment("dates", day * 86_400 * 10**18) for day in (4, 0, 2)]
    >>> ticks_of_moments(days)[0].tolist()
    [2, 0, 1]
    """
    first = min(moment.count for moment in moments)
    size = math.gcd(*(moment.count - first for moment in moments)) or 1
    ticks = np.array([(moment.count - first) // size for moment in moments], dtype=np.uint64)
    return ticks, Clock(moments[0].what, size, first)


def numpy_clock(dtype: np.dtype[Any]) -> Clock:
    """Return the unit and origin (a `Clock`) of a NumPy datetime64 or timedelta64 dtype.

    >>> numpy_clock(np.dtype("m8[ms]"))
    Clock(what='spans of time', size=1000000000000000, origin=0)
    """
    unit, count = np.datetime_data(dtype)
    if unit in ("Y", "M"):
        return Clock("spans of months", count * (12 if unit == "Y" else 1))
    if unit == "generic":
        return Clock("spans without a unit", count)
    return Clock(_DATES if dtype.kind == "M" else SPANS, count * _SIZES[unit])


def arrow_clock(arrow_type: Any) -> Clock | None:
    """Return the unit and origin (a `Clock`) of an Arrow type of dates or times, else None.

    >>> import pyarrow as pa
    >>> arrow_clock(pa.time32("s")).what, arrow_clock(pa.int64())
    ('times of day', None)
    """
    freq = getattr(arrow_type, "freq", None)
    if freq is not None:
        return Clock(f"{_PERIODS}{freq}", 1)
    found = _ARROW_TYPE.match(str(arrow_type))
    if found is None:
        return None
    kind, unit, zone = found.groups()
    return Clock(_ZONED if zone else _WHAT[kind], _SIZES[unit])


def _fraction(attoseconds: int) -> str:
    return f".{attoseconds:018}".rstrip("0") if attoseconds else ""
