"""Days written as numbers, such as 20190131: they stay numbers, with a note."""

from __future__ import annotations

import numpy as np

from bychance.columns import Column
from bychance.messages import Code, Remark, remark

__all__ = ["remark_on_days"]

FIRST, LAST = 18000101, 21001231
_FEWEST = 20  # values: fewer are no evidence


def remark_on_days(column: Column) -> Remark | None:
    """What to say of a column of integers that are all days of the calendar; nothing of others.

    >>> from bychance.read_column import read_column
    >>> print(remark_on_days(read_column([20190131, 20190201] * 10, "day")))
    days are written as numbers, which jump from month to month; 2019-01-31 would be a date
    """
    present = column.present
    if len(present) < _FEWEST or present.min() < FIRST or present.max() > LAST:
        return None
    days = np.unique(present).astype(np.int64)
    year, month, day = days // 10_000, days // 100 % 100, days % 100
    months = (12 * (year - 1970) + month - 1).astype("M8[M]")
    lengths = ((months + 1).astype("M8[D]") - months.astype("M8[D]")).astype(np.int64)
    if not ((month >= 1) & (month <= 12) & (day >= 1) & (day <= lengths)).all():
        return None
    return remark(Code.DAYS_AS_NUMBERS, date=f"{year[0]}-{month[0]:02}-{day[0]:02}")
