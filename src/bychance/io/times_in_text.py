"""Times of day and spans of time as people write them: distinct strings → moments of a day, or lengths.

Hours, minutes and seconds between colons are either, as the whole column tells. Paces (3:15/km) and spans
with units (2 h 10 min, PT2H10M) are spans.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, is_true, null_mask, numpy_of, text_scalar
from bychance.io.dates_in_text import Parts
from bychance.io.numbers_in_text import SAMPLE_VALUES, Reading
from bychance.messages import Code, Remark, remark

__all__ = ["IN_MINUTES", "read_spans", "times_among", "times_of_day"]

_FRACTION = r"(?:[.,](?P<fraction>\d{1,6})\d*)?"
_CLOCKS = tuple(
    rf"^(?P<hour>\d{{1,3}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}}))?{_FRACTION}{half}$"
    for half in ("", r" ?(?P<half>(?i:[ap]\.?m\.?))")
)
IN_MINUTES = r"^\d+:\d+([.,]\d+)?$"
"""Two parts: of spans these are minutes and seconds."""
_TENTHS = r"^\d+:\d+[.,]\d"

_FEW_HOURS = 5  # of spans that are mostly below an hour
_FEWEST_DISTINCT, _EARLY, _LATE = 10, 15, 45  # seconds go all around the minute, results of games do not

_SECONDS = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
_WORDS = {
    "days": "d|days?|tage?|j|jours?|d[ií]as?",
    "hours": "h|hrs?|hours?|std|stunden?|heures?|horas?",
    "minutes": "m|mins?|minutes?|minuten|minutos?",
    "seconds": "s|secs?|seconds?|sek|sekunden?|secondes?|segundos?",
}
_UNITS = [rf"(?:(?P<{name}>\d+(?:[.,]\d+)?) ?(?:{words})\.?)?" for name, words in _WORDS.items()]
_BETWEEN = "(?:,? ?(?:and |und |et |y |e )?)"
_SPANS = (
    f"(?i)^{_BETWEEN.join(_UNITS)}$",
    rf"(?i)^{_UNITS[0]}{_BETWEEN}(?P<hours>\d+) ?(?:{_WORDS['hours']})\.? ?(?P<minutes>\d{{2}})$",
    r"^(?P<days>\d+) days?,? (?P<hours>\d+):(?P<minutes>\d\d):(?P<seconds>\d\d(?:\.\d+)?)$",  # frames
    r"^P(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?$",
)
_PACE = (
    r"^(?P<minutes>\d{1,3})[:'′’](?P<seconds>\d{2}(?:[.,]\d+)?)[\"″”]? ?(?:min\.? ?)?/ ?"
    r"(?P<per>km|k|mi|miles?|\d{2,4} ?m|\d{2,4} ?yd)$"
)


def times_of_day(strings: Any, *, in_minutes: bool | None = None) -> Reading | None:
    """The strings as times of day, 8:05 or 17:30:15, or all of them 5:30 PM; None where one is none.

    Hours, minutes and seconds of which some are of more than a day, 38:05:10, are spans. So are minutes and
    seconds: beside hours, minutes and seconds (59:10 and 1:01:26), with tenths (32:38.6), beyond 23 where
    seconds go all around the minute. Where `in_minutes` is given, all are spans, and it says whether two
    parts are minutes and seconds.

    >>> from bychance.arrow_values import strings_of
    >>> [str(value) for value in times_of_day(strings_of(["8:05", "17:30"])).values.to_pylist()]
    ['08:05:00', '17:30:00']
    >>> [str(value) for value in times_of_day(strings_of(["10:40", "1:01:26"])).values.to_pylist()]
    ['0:10:40', '1:01:26']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    start = pc.drop_null(strings.slice(0, SAMPLE_VALUES))
    form = next((form for form in _CLOCKS if pc.all(pc.match_substring_regex(start, form)).as_py()), None)
    if form is None:
        return None
    parts = Parts.of(strings, form)
    if len(parts.rows) < len(strings) - strings.null_count:
        return None
    hour, minute, second = (parts.numbers[name] for name in ("hour", "minute", "second"))
    if (minute > 59).any() or (second > 59).any():
        return None
    present = pc.drop_null(strings)
    has_seconds = numpy_of(pc.match_substring_regex(present, r"^\d+:\d+:\d+"))
    is_span = bool((hour > 23).any()) or in_minutes is not None
    said, problem = tuple[Remark, ...](), None
    if form == _CLOCKS[0] and not has_seconds.all():
        told = _minutes_or_hours(hour, minute, has_seconds, present, in_minutes=in_minutes)
        if told is None:
            return None
        is_span, said, problem = told
    elif is_span and not has_seconds.all():  # 99 is no hour of half a day
        return None
    seconds = np.where(is_span & ~has_seconds, 60 * hour + minute, 3600 * hour + 60 * minute + second)
    moments = np.zeros(len(strings), dtype=np.int64)
    moments[parts.rows] = 1_000_000 * seconds + parts.numbers["fraction"]
    is_null = null_mask(strings)
    unit = pa.duration("us") if is_span or problem else pa.time64("us")
    return Reading(arrow_of_numpy(moments, is_null).cast(unit), ~is_null, said, problem)


def times_among(strings: Any, *, in_minutes: bool | None = None) -> Reading | None:
    """Those of the strings that are times of day or spans, of one form, beside words; None where none are.

    >>> from bychance.arrow_values import strings_of
    >>> times_among(strings_of(["3:22:55", "DNF", "4:15:00"])).is_read.tolist()
    [True, False, True]
    """
    import pyarrow.compute as pc

    start = strings.slice(0, SAMPLE_VALUES)
    counts = [is_true(pc.match_substring_regex(start, form)).sum() for form in _CLOCKS]
    if not any(counts):
        return None
    is_time = pc.match_substring_regex(strings, _CLOCKS[int(np.argmax(counts))])
    return times_of_day(pc.if_else(is_time, strings, text_scalar(None)), in_minutes=in_minutes)


def _minutes_or_hours(
    hour: NDArray[np.int64],
    minute: NDArray[np.int64],
    has_seconds: NDArray[np.bool_],
    texts: Any,
    *,
    in_minutes: bool | None,
) -> tuple[bool, tuple[Remark, ...], Remark | None] | None:
    """Whether times of two parts are spans, what to say of it, and why nothing tells; None for text.

    With tenths, two parts are minutes and seconds. Beside some of three parts they are where they go beyond
    23, or the others are of few hours, at least one and not padded, as in 1:01:26: times of day go on into
    the evening, or have 01:01:26.
    """
    import pyarrow.compute as pc

    is_short = ~has_seconds
    first, hours = hour[is_short], hour[has_seconds]
    has_tenths = is_true(pc.match_substring_regex(texts, _TENTHS))
    short, long = (texts[int(np.argmax(of))].as_py() for of in (is_short, has_seconds))
    if has_tenths.any():
        short = texts[int(np.argmax(has_tenths))].as_py()
    beside = remark(Code.MINUTES_AND_SECONDS, short=short, long=long if has_seconds.any() else None)
    if in_minutes is False:
        return None
    if in_minutes or has_tenths.any():
        return True, (beside,), None
    if not has_seconds.any():
        if (first <= 23).all():
            return False, (), None
        return (True, (remark(Code.MINUTES_OR_HOURS, short=short),), None) if _go_around(minute) else None
    is_padded = is_true(pc.starts_with(texts, "0"))[has_seconds]
    is_few = bool((hours <= _FEW_HOURS).all()) and not is_padded.any()
    if (first <= 59).all() and (is_few or (first > 23).any()):
        return True, (beside,), None
    if (hour <= 23).all() and (hours > _FEW_HOURS).any():
        return False, (remark(Code.TIMES_WITHOUT_SECONDS, short=short),), None
    return False, (), remark(Code.TIMES_OR_SPANS, short=short, long=long)


def _go_around(minute: NDArray[np.int64]) -> bool:
    """Whether the last of two parts takes values from the whole range up to 59."""
    return len(minute) >= _FEWEST_DISTINCT and bool((minute < _EARLY).any() and (minute > _LATE).any())


def read_spans(texts: Any) -> Reading | None:
    """Distinct cells without blanks around them as paces or as spans with units; None where they are text.

    Units of one kind alone are amounts, 45 min: some cell must have two, or hours stand beside minutes.

    >>> from bychance.arrow_values import strings_of
    >>> [str(value) for value in read_spans(strings_of(["45 min", "2 h 10 min"])).values.to_pylist()]
    ['0:45:00', '2:10:00']
    """
    import pyarrow.compute as pc

    start = pc.drop_null(texts).slice(0, SAMPLE_VALUES)
    if not any(pc.any(pc.match_substring_regex(start, form)).as_py() for form in (*_SPANS, _PACE)):
        return None
    return _paces(texts) or _with_units(texts)


def _paces(texts: Any) -> Reading | None:
    import pyarrow.compute as pc

    cut = pc.extract_regex(texts, _PACE)
    is_read = ~null_mask(cut)
    if not is_read.any():
        return None
    kinds = pc.unique(cut.field("per").filter(arrow_of_numpy(is_read))).to_pylist()
    if len(kinds) > 1:
        return Reading(None, is_read, problem=remark(Code.PACES_DIFFER, first=kinds[0], second=kinds[1]))
    seconds = sum(_SECONDS[name] * _numbers(cut.field(name)) for name in ("minutes", "seconds"))
    first = texts[int(is_read.argmax())].as_py()
    return _spans(seconds, is_read, remark(Code.PACES, cell=first, unit=kinds[0]))


def _with_units(texts: Any) -> Reading | None:
    import pyarrow.compute as pc

    is_read = np.zeros(len(texts), dtype=np.bool_)
    has_unit = {name: is_read.copy() for name in _SECONDS}
    seconds = np.zeros(len(texts))
    for form in _SPANS:
        cut = pc.extract_regex(texts, form)
        rows = ~is_read & ~null_mask(cut)
        for field in cut.type:
            numbers, known = cut.field(field.name), has_unit[field.name]
            known |= rows & is_true(pc.not_equal(numbers, text_scalar("")))
            seconds[rows] += _SECONDS[field.name] * _numbers(numbers)[rows]
        is_read |= rows & np.logical_or.reduce(list(has_unit.values()))
    n_units = np.sum(list(has_unit.values()), axis=0)
    if not (n_units > 1).any() and not (has_unit["hours"].any() and has_unit["minutes"].any()):
        return None
    first = texts[int(n_units.argmax())].as_py()
    return _spans(seconds, is_read, remark(Code.SPANS_WITH_UNITS, cell=first))


def _numbers(strings: Any) -> NDArray[np.float64]:
    """Digits with a decimal point or comma as numbers, 0 where there are none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    digits = pc.replace_substring(pc.fill_null(strings, ""), ",", ".")
    digits = pc.if_else(pc.equal(digits, text_scalar("")), text_scalar("0"), digits)
    numbers: NDArray[np.float64] = numpy_of(digits.cast(pa.float64()))
    return numbers


def _spans(seconds: Any, is_read: NDArray[np.bool_], said: Remark) -> Reading:
    import pyarrow as pa

    moments = np.round(1e6 * seconds).astype(np.int64)
    return Reading(arrow_of_numpy(moments, ~is_read).cast(pa.duration("us")), is_read, (said,))
