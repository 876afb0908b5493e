"""Forms of numbers and dates that are not read, such as 5'11" and 2023-W07: categories → what to say."""

from __future__ import annotations

from typing import Any

import numpy as np

from bychance.arrow_values import is_true
from bychance.columns import Column
from bychance.messages import Code, Remark, remark

__all__ = ["remark_on_forms"]

FEWEST_DISTINCT = 7  # 1st, 2nd and 3rd class are classes
_WEEKDAY = "(?i:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_FORMS = {
    r"^\d ?['′’] ?\d{1,2}(?:\.\d+)? ?(?:[\"″”]|''|’’)?$": "heights in feet and inches",
    r"^\d{1,3}['′’](?: ?\+ ?\d{1,2}['′’]?)?$": "numbers with a prime",
    r"^\d{1,3}(?i:st|nd|rd|th)$": "places or other numbers in order",
    r"^\d+(?:[.,]\d+)? ?% ?[\pL\d(].*$": "percentages with words",
    r"^\d{4}-?W\d{2}(?:-\d)?$": "weeks",
    rf"^{_WEEKDAY},? \d{{1,2}}\.? \pL{{3,9}}\.?$": "days without a year",
    rf"^{_WEEKDAY},? \pL{{3,9}}\.? \d{{1,2}}$": "days without a year",
    r"^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4} \d{4}$": "dates with a time that has no colon",
}


def remark_on_forms(column: Column, texts: Any) -> Remark | None:
    """That half of the values or more, seven distinct ones at least, have a form that is not read.

    >>> from bychance.arrow_values import strings_of
    >>> from bychance.read_column import read_column
    >>> weeks = read_column([f"2023-W{week:02}" for week in range(1, 9)], "week")
    >>> print(remark_on_forms(weeks, strings_of(weeks.labels)))
    categories: '2023-W01' and the like are weeks, which are not read as numbers
    """
    import pyarrow.compute as pc

    if len(texts) < FEWEST_DISTINCT:
        return None
    counts = np.bincount(column.present, minlength=len(texts))
    start = texts.slice(0, FEWEST_DISTINCT**2)
    bare, first = pc.utf8_trim_whitespace(texts), pc.utf8_trim_whitespace(start)
    for form, what in _FORMS.items():
        if not is_true(pc.match_substring_regex(first, form)).any():
            continue
        has_form = is_true(pc.match_substring_regex(bare, form)) & (counts > 0)
        if np.count_nonzero(has_form) >= FEWEST_DISTINCT and 2 * counts[has_form].sum() >= counts.sum():
            cell = bare[int(has_form.argmax())].as_py()
            return remark(Code.FORM_NOT_READ, cell=cell, form=what)
    return None
