"""Months beside one number, Jan-16 or 08-Mar, as spreadsheets show them: months of years, or a problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import arrow_of_numpy, null_mask, numpy_of, strings_of
from bychance.io.dates_in_text import MONTH, MONTHS, in_full
from bychance.io.month_names import in_english
from bychance.io.numbers_in_text import SAMPLE_VALUES, Reading
from bychance.messages import Code, remark

__all__ = ["read_short_months"]

FEWEST_MONTHS, MOST_YEARS = 3, 24
_BEHIND = rf"^{MONTH}(?P<mark>[ -]'?)(?P<number>\d{{1,2}})$"
_BEFORE = rf"^(?P<number>\d{{1,2}})(?P<mark>[ -]){MONTH}$"
_LAST_DAY = 31


def read_short_months(texts: Any) -> Reading | None:
    """Distinct cells without blanks around them as months of years; None where most are something else.

    A number of 0 or beyond 31 is a year. So are those behind a dash, Jan-16, where they are of two digits and
    follow each other, 24 at most, beside three months or more; and all where the numbers behind are years of
    that kind and only those before, 8-Mar, may be days: spreadsheets turn Mar-08 around, but not Mar-98.
    Otherwise it is a problem, as days without a year are no dates.

    >>> reading = read_short_months(strings_of(["Jan-16", "Feb-16", "Mar-17"]))
    >>> [str(value)[:7] for value in reading.values.to_pylist()]
    ['2016-01', '2016-02', '2017-03']
    >>> print(*reading.said, sep="; ")
    months of years: 'Jan-16' is 2016-01; years of two digits are 1969 to 2068
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    english = in_english(texts)
    start = pc.drop_null(english).slice(0, SAMPLE_VALUES)
    if not any(pc.any(pc.match_substring_regex(start, form)).as_py() for form in (_BEHIND, _BEFORE)):
        return None
    behind, before = (pc.extract_regex(english, form) for form in (_BEHIND, _BEFORE))
    is_behind, is_read = ~null_mask(behind), ~null_mask(behind) | ~null_mask(before)
    if 2 * np.count_nonzero(is_read) < len(texts) - texts.null_count:
        return None
    fields = [
        pc.if_else(arrow_of_numpy(is_behind), behind.field(name), before.field(name)).filter(
            arrow_of_numpy(is_read)
        )
        for name in ("name", "mark", "number")
    ]
    names, marks, digits = fields
    short = pc.utf8_lower(pc.utf8_slice_codeunits(names, 0, 3))
    month = numpy_of(pc.index_in(short, strings_of(MONTHS))).astype(np.int64)
    number = numpy_of(digits.cast(pa.int64()))
    if len(np.unique(month)) == 1:  # MAR-01, MAR-02: codes
        return None
    has_two = bool(pc.all(pc.equal(pc.utf8_length(digits), 2)).as_py())
    has_dash = bool(pc.all(pc.equal(marks, "-")).as_py())
    first = texts[int(is_read.argmax())].as_py()
    if not _are_years(number, month, is_behind[is_read], has_two=has_two, has_dash=has_dash):
        return Reading(None, is_read, problem=remark(Code.MONTHS_OR_DAYS, cell=first))
    months = np.zeros(len(texts), dtype="M8[M]")
    months[is_read] = (12 * (in_full(number) - 1970) + month).astype("M8[M]")
    values = arrow_of_numpy(months.astype("M8[us]").astype(np.int64), ~is_read).cast(pa.timestamp("us"))
    said = remark(Code.MONTHS_OF_YEARS, cell=first, month=str(months[int(is_read.argmax())]))
    return Reading(values, is_read, (said, remark(Code.YEARS_OF_TWO_DIGITS)))


def _are_years(
    number: NDArray[np.int64],
    month: NDArray[np.int64],
    is_behind: NDArray[np.bool_],
    *,
    has_two: bool,
    has_dash: bool,
) -> bool:
    is_no_day = (number == 0) | (number > _LAST_DAY)
    if not is_behind.all() and is_behind.any():
        return bool(has_dash and is_no_day[is_behind].all() and not is_no_day[~is_behind].any())
    if not has_two:
        return False
    if is_no_day.any():
        return True
    years = np.unique(number)
    is_run = bool((np.diff(years) == 1).all()) and len(years) <= MOST_YEARS
    return bool(has_dash and is_behind.all() and is_run and len(np.unique(month)) >= FEWEST_MONTHS)
