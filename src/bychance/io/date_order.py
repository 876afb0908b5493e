"""Whether the day or the month comes first in 03/04/2019: parts of all cells → the order of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bychance.arrow_values import is_true
from bychance.messages import Code, Option, Remark, remark

__all__ = ["AS_ASKED", "AS_IN_OTHERS", "FIRST", "DateOrder"]

FIRST = {True: Code.DAY_FIRST, False: Code.MONTH_FIRST}
AS_ASKED, AS_IN_OTHERS, _AS_SEEN = "as asked for", "as in other columns", "as some days are beyond 12"
_LAST_MONTH, _LAST_DAY = 12, 31
_MOSTLY = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class DateOrder:
    """Of each cell whether its day comes first, how that is known, and why it is not."""

    is_day_first: NDArray[np.bool_] | bool = False
    said: Remark | None = None
    problem: Remark | None = None

    @staticmethod
    def of(
        first: NDArray[np.int64], second: NDArray[np.int64], texts: Any, day_first: bool | None
    ) -> DateOrder:
        """The order of these cells, whose first two numbers are given.

        A day beyond 12 tells, for all cells. Where some tell this and some that, cells with the same mark and
        as many digits in the year go together; or each cell tells by itself.
        """
        if not len(first):
            return DateOrder()
        if day_first is not None:
            return DateOrder(day_first, remark(FIRST[day_first], why=AS_ASKED))
        is_day, is_month = bool((first > _LAST_MONTH).any()), bool((second > _LAST_MONTH).any())
        if is_day and is_month:
            # Parts of something else are no dates in either order.
            is_date = (np.minimum(first, second) <= _LAST_MONTH) & (np.maximum(first, second) <= _LAST_DAY)
            return _of_both(first, second, texts) if np.mean(is_date) >= _MOSTLY else DateOrder(True)
        if is_day or is_month:
            return DateOrder(is_day, remark(FIRST[is_day], why=_AS_SEEN))
        return DateOrder(False, remark(Code.DATE_ORDER_OPEN, option=Option("day_first", True)))


def _of_both(first: NDArray[np.int64], second: NDArray[np.int64], texts: Any) -> DateOrder:
    """The order by the cells' forms, or cell by cell; a problem where a cell remains open."""
    is_day_first = first > _LAST_MONTH
    is_open = (first <= _LAST_MONTH) & (second <= _LAST_MONTH) & (first != second)
    forms = _forms(texts)
    for form in np.unique(forms):
        has_form = forms == form
        is_day = bool((first[has_form] > _LAST_MONTH).any())
        is_month = bool((second[has_form] > _LAST_MONTH).any())
        if is_day != is_month:
            is_day_first[has_form] = is_day
            is_open[has_form] = False
    if is_open.any():
        # Which of them is the slip nobody can tell.
        return DateOrder(True, problem=remark(Code.DATE_ORDER_MIXED))
    day, month = (texts[int(np.argmax(own))].as_py() for own in (first > _LAST_MONTH, second > _LAST_MONTH))
    return DateOrder(is_day_first, remark(Code.DATE_ORDER_DIFFERS, day=day, month=month))


def _forms(texts: Any) -> NDArray[np.int64]:
    """Cells with the same mark between the numbers, and as many digits in the year, have the same number."""
    import pyarrow.compute as pc

    has_dash = is_true(pc.match_substring_regex(texts, r"^\d+-"))
    is_short = is_true(pc.match_substring_regex(texts, r"^\d+[/-]\d+[/-]\d{2}(?:\D|$)"))
    return 2 * has_dash + is_short.astype(np.int64)
