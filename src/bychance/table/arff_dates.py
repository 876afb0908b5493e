"""Dates of ARFF: the pattern of an attribute, in Java's letters → a reader of its values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from bychance.errors import BychanceError

__all__ = ["ISO_DATE", "date_reader", "strptime_format"]

ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
_PARTS = re.compile(r"'([^']*)'|([a-zA-Z])\2*|.", re.DOTALL)
_STRPTIME = {
    "yyyy": "%Y",
    "yy": "%y",
    "MMMM": "%B",
    "MMM": "%b",
    "MM": "%m",
    "M": "%m",
    "dd": "%d",
    "d": "%d",
    "EEEE": "%A",
    "EEE": "%a",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "SSS": "%f",
    "a": "%p",
    "Z": "%z",
}


def strptime_format(java: str, origin: str) -> str:
    """Java's pattern of a date as Python's.

    >>> strptime_format("yyyy-MM-dd'T'HH:mm:ss", "visits.arff")
    '%Y-%m-%dT%H:%M:%S'
    """
    parts = []
    for match in _PARTS.finditer(java):
        if match[1] is not None:
            parts.append((match[1] or "'").replace("%", "%%"))
        elif match[2] is None:
            parts.append(match[0].replace("%", "%%"))
        elif match[0] in _STRPTIME:
            parts.append(_STRPTIME[match[0]])
        else:
            raise BychanceError(f"{origin} has dates in a form that is not read: {java!r}.")
    return "".join(parts)


def date_reader(date_format: str) -> Callable[[str], float]:
    """What turns a date in this format into seconds; without a zone it is taken as UTC.

    >>> date_reader("%Y-%m-%d")("1970-01-02")
    86400.0
    """

    def seconds(value: str) -> float:
        moment = datetime.strptime(value, date_format)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()

    return seconds
