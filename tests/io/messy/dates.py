"""Dates as people write them. Written from the issue and from real files, before the parser was."""

from __future__ import annotations

from datetime import date as day
from datetime import datetime, timedelta

from tests.io.messy.case import Case, aside, categorical, date, numeric, one_column, silent

DAYS = [day(2018, 11, 3) + timedelta(days=47 * k) for k in range(12)]
ISO = [d.isoformat() for d in DAYS]
EARLY = [day(2019, 1 + k % 12, 1 + (5 * k) % 12) for k in range(12)]  # no day beyond 12: ambiguous
MONTHS = [day(2018 + (3 * k) // 12, 1 + (3 * k) % 12, 1) for k in range(12)]
TIMES = [datetime(2019, 1, 14, 9, 5, 30) + timedelta(hours=31 * k, minutes=k) for k in range(12)]


def written(form: str, days: list[day] = DAYS) -> list[str]:
    return [d.strftime(form) for d in days]


def stamps(times: list[datetime] = TIMES, shift: int = 0) -> list[str]:
    return [(t - timedelta(hours=shift)).isoformat() for t in times]


TO_MINUTES = [t.replace(second=0) for t in TIMES]

CASES: list[Case] = [
    one_column("ISO days", ISO, silent(date(ISO))),
    one_column(
        "hours of half a day by one letter",
        [f"{t.month}/{t.day}/{t.year} {t:%I:%M}{'ap'[t.hour > 11]}" for t in TO_MINUTES],
        date(stamps(TO_MINUTES), "month"),
    ),
    one_column(
        "days of the year",
        (cells := [f"{t:%Y-%jT%H:%M:%S}" for t in TIMES]),
        categorical(cells, "look like days of the year", "categorical="),
    ),
    one_column("slashes, year first", written("%Y/%m/%d"), date(ISO)),
    one_column("slashes, day first", written("%d/%m/%Y"), date(ISO, "day")),
    one_column("slashes, month first", written("%m/%d/%Y"), date(ISO, "month")),
    one_column("slashes without zeros", [f"{d.month}/{d.day}/{d.year}" for d in DAYS], date(ISO, "month")),
    one_column("slashes, two-digit years", written("%d/%m/%y"), date(ISO, "day")),
    one_column(
        "slashes, ambiguous",
        written("%m/%d/%Y", EARLY),
        date([d.isoformat() for d in EARLY], "month", "day_first"),
    ),
    one_column(
        "slashes, ambiguous, asked for",
        written("%d/%m/%Y", EARLY),
        date([d.isoformat() for d in EARLY], "day"),
        options={"day_first": True},
    ),
    one_column("points", written("%d.%m.%Y"), date(ISO)),
    one_column("month in letters", written("%b %d %Y"), date(ISO)),
    one_column("month in full", [f"{d:%B} {d.day}, {d.year}" for d in DAYS], date(ISO)),
    one_column("day, month in letters", written("%d-%b-%Y"), date(ISO)),
    one_column("months", written("%Y-%m", MONTHS), date([d.isoformat() for d in MONTHS])),
    one_column("times", written("%Y-%m-%d %H:%M:%S", TIMES), silent(date(stamps()))),
    one_column("times with T and Z", written("%Y-%m-%dT%H:%M:%SZ", TIMES), date(stamps(), "UTC")),
    one_column(
        "times with one offset", written("%Y-%m-%dT%H:%M:%S+02:00", TIMES), date(stamps(shift=2), "UTC")
    ),
    one_column(
        "times with several offsets",
        [t.strftime(f"%Y-%m-%d %H:%M:%S+0{1 + k % 2}:00") for k, t in enumerate(TIMES)],
        date([stamps(shift=1 + k % 2)[k] for k in range(12)], "UTC"),
    ),
    one_column(
        "day first with times", written("%d/%m/%Y %H:%M", TO_MINUTES), date(stamps(TO_MINUTES), "day")
    ),
    one_column(
        "month first, AM and PM", written("%m/%d/%Y %I:%M %p", TO_MINUTES), date(stamps(TO_MINUTES), "month")
    ),
    one_column("days with missing marks", ["", "NA", None, *written("%d.%m.%Y")], date([None] * 3 + ISO)),
    one_column("a word among dates", ["soon", *written("%Y/%m/%d")], aside("mixed", "'soon'", "missing=")),
    one_column(
        "day first in one row, month first in another",
        ["14/01/2019", "01/14/2019", *written("%d/%m/%Y", EARLY)],
        aside("month", "day"),
    ),
    one_column(
        "no calendar day", ["31/02/2019", *[f"{k}/02/2019" for k in range(1, 13)]], aside("31/02/2019")
    ),
    one_column(
        "dates in French",
        ["1er janvier 2024", "12 mars 2023", "15 déc. 2022", "3 août 2023"] * 3,
        date(["2024-01-01", "2023-03-12", "2022-12-15", "2023-08-03"] * 3),
    ),
    one_column(
        "dates in German",
        ["4. März 2024", "12. Dez. 2023", "1. Mai 2022"] * 4,
        date(["2024-03-04", "2023-12-12", "2022-05-01"] * 4),
    ),
    one_column(
        "dates in Spanish",
        ["12 de marzo de 2024", "1 de enero de 2023"] * 5,
        date(["2024-03-12", "2023-01-01"] * 5),
    ),
    one_column(
        "scores like dates",
        ["1/5", "2/5", "3/5", "5/5"] * 4,
        numeric([1.0, 2.0, 3.0, 5.0] * 4, "numbers out of 5"),
    ),
]
