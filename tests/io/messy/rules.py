"""One line per rule of cells: what each must become, beside what looks like it and is something else."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date as day
from datetime import timedelta

from tests.io.messy.case import Case, Cell, Read, aside, categorical, date, numeric, one_column, silent, times


def same(cells: Sequence[Cell], *notes: str) -> Read:
    """Categories as they are written."""
    return categorical(cells, *notes)


def rule(cells: Sequence[Cell], read: Read, n: int = 1, **settings: object) -> Case:
    """Cells and what they become, n times; the case is called by its first cells."""
    values = None if read.values is None else list(read.values) * n
    repeated = Read(read.kind, values, read.notes, read.is_silent)
    name = f"{' '.join(map(str, cells))[:50]} … {cells[-1]} as {read.kind}, {settings or n}"
    return one_column(name, list(cells) * n, repeated, **settings)


def kept(cells: Sequence[Cell], *notes: str, n: int = 5) -> Case:
    return rule(cells, same(cells, *notes), n)


CODES_WITH_E = ["1E2", "1E3", "2E5", "10E1"]
FEW_LIMITS = [f"0.{k:02}" for k in range(10, 60)]
JANUARY = [day(2023, 1, 1) + timedelta(days=k) for k in range(60)]
LATE = [d for d in JANUARY if d.day > 12]
PRESSURES = ["125/80", "130/85", "118/76"]
LISTS = [["py"], ["r"], ["sql"], ["c"], ["py", "r"], ["r", "sql"], ["py", "sql"], ["sql", "c"], ["r", "c"]]

CODES = [
    kept(CODES_WITH_E, "codes such as '1E2'", "numeric="),
    rule([*CODES_WITH_E, None], numeric([100.0, 1000.0, 2e5, 100.0, None]), options={"numeric": ["messy"]}),
    *(
        rule(cells, numeric([float(c) for c in cells]), 5)
        for cells in (["1.5E2", "1E3"], ["1E+05", "2E+06"], ["1E-3", "2E3"], ["1e5", "2e6"], ["1E3", "200"])
    ),
    kept([str(10**19 + 7 + k) for k in range(9)], "20 digits", n=9),
    kept([str(3 * 10**19 + k) for k in range(8)] + ["1234567"], "20 digits"),
    kept(["01", "23", "46", "7p"], "codes, some padded"),
    kept([*(f"{k:02}" for k in range(1, 40)), "7p"], "codes, some padded", n=2),
    kept(["110", "110N", "111E", "112"]),
    rule([f"{k:02}" for k in range(1, 13)], numeric([float(k) for k in range(1, 13)], "categorical="), 2),
    kept(["US", "DE", "FR", "IT", "ES", "NL"], n=9),
    rule(
        ["US", "NA", "FR", "IT", "ES", "NL"],
        categorical(["US", None, "FR", "IT", "ES", "NL"], "'NA' in 9 rows", "missing=[]"),
        9,
    ),
]

LIMITS = [
    rule(
        [*FEW_LIMITS, *["<0.01"] * 7],
        numeric([*map(float, FEW_LIMITS), *[0.01] * 7], "'<0.01' (7 values) is read as the limit itself"),
    ),
    rule(
        [*FEW_LIMITS, "<0.01", "<0.01", ">100"],
        numeric([*map(float, FEW_LIMITS), 0.01, 0.01, 100.0], "(3 values)", "missing=['<0.01', '>100']"),
    ),
    rule([*FEW_LIMITS, "<=0.01"], aside("mixed", "'<=0.01'")),
    kept(["1", "2", "3", "4", "≤5"], "categories, though"),
    kept(["<=5", "6", "7", "8", "9"], "categories, though"),
    rule([*map(str, range(10)), "10+"], numeric([float(k) for k in range(11)], "'10+'", "limit itself"), 4),
    rule(["0", "1", "2", "3+"], numeric([0.0, 1.0, 2.0, 3.0], "'3+'"), 4),
    rule(["18", "25", "31", "44", "52", "65 +"], numeric([18.0, 25.0, 31.0, 44.0, 52.0, 65.0], "'65 +'"), 4),
    *(
        kept(cells)
        for cells in (["0", "1+", "2+", "3+"], ["A", "A+", "B"], ["12", "65+"], ["0.5", "1.5", "2+"])
    ),
]

UNITS = [
    rule(["133,056,457[30]", "13,827,532[4]", "635,923[a]"], numeric([133056457.0, 13827532.0, 635923.0]), 9),
    rule(["1.5%[2][3]", "7.5%", "8.5%[note 1]"], numeric([1.5, 7.5, 8.5]), 9),
    rule(["49.8/km2", "1,047.3/km2", "5.5/km2"], numeric([49.8, 1047.3, 5.5], "per km2"), 9),
    rule(["3/h", "4/h", "12/h"], numeric([3.0, 4.0, 12.0]), 9),
    *(
        kept(cells)
        for cells in (["12/A", "13/B", "14/C"], ["3/ab", "4/cd", "5/ef"], ["B12[3]", "B6[3]", "C[1]"])
    ),
    *(
        rule(
            [f"{k}.3{sign}0.2" for k in range(10, 60)],
            numeric([k + 0.3 for k in range(10, 60)], "are read as"),
        )
        for sign in (" ± ", "±", " +/- ")
    ),
    rule(["10.3 ± 0.4 kg", "9.5 ± 0.3 kg"], numeric([10.3, 9.5], "numbers in kg"), 9),
    kept(["A ± B", "C ± D"]),
    rule(
        [f"{k + 0.5} {('year', 'years')[k % 2]}" for k in range(30)],
        numeric([k + 0.5 for k in range(30)], "in year"),
    ),
    *(
        rule([f"{k + 0.5} {units[k % 3 % 2]}" for k in range(30)], aside("mixed", "several units"))
        for units in (("mW", "MW"), ("g", "G"), ("kg", "lb"), ("h", "hrs"), ("K", "M"))
    ),
    rule([*(f"{k} years" for k in range(1, 30)), "7"], aside("some in years and some without a unit ('7')")),
    rule([*(f"{k}.5 W" for k in range(50)), "-9999"], aside("missing=['-9999'] reads the rest")),
    kept(["1 - Bad", "2", "3", "4", "5 - Good"], "categories, though 15 of 25 values are numbers"),
    kept(["20", "22", "20,22", "24"], "'20,22' may be two or a decimal", "TextFormat(decimal=',')"),
    rule(["1,5", "2", "3,25"], numeric([1.5, 2.0, 3.25], "decimal mark is a comma"), 5),
    rule(
        ["0", "3", "-", "4"], numeric([0.0, 3.0, None, 4.0], "'-' in 9 rows is read as missing beside 0"), 9
    ),
    rule(["1", "3", "-", "4"], silent(numeric([1.0, 3.0, None, 4.0])), 9),
]

THOUSANDS = [
    *(
        rule([c.replace(".", mark) for c in cells], numeric(values, f"{what} separate thousands"), 3)
        for mark, what in ((".", "points"), (",", "commas"))
        for cells, values in (
            (["1.250", "980", "2.100", "700"], [1250.0, 980.0, 2100.0, 700.0]),
            (["-1.250", "980", "0"], [-1250.0, 980.0, 0.0]),
            (
                ["12.500", "1.250", "103.851", "740", "12", "310"],
                [12500.0, 1250.0, 103851.0, 740.0, 12.0, 310.0],
            ),
            (["1.234.567", "1.250", "980", "3"], [1234567.0, 1250.0, 980.0, 3.0]),
            (["1.250 kg", "980 kg", "2.100 kg"], [1250.0, 980.0, 2100.0]),
        )
    ),
    *(
        rule(cells, silent(numeric([float(c) for c in cells])), 3)
        for cells in (
            ["1.250", "3.125"],  # no whole number
            ["1.250", "2", "0.875"],
            ["1.250", "980", "0.875"],
            ["1.250", "980", "1100"],
            ["1.250", "980", "2.5"],
            ["1.250", "980", "1250.125"],
            ["1.250", "980", "2e2"],
            ["1.250", "0", "3.125"],
        )
    ),
    *(
        rule(cells, numeric([float(c) for c in cells], "decimal marks", "TextFormat(decimal=',')"), 3)
        for cells in (["1.250", "2", "3.125"], ["103.851", "104", "110.125"])
    ),
]

DATES = [
    rule(
        [d.strftime(("%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y")[k % 3]) for k, d in enumerate(JANUARY)],
        date([d.isoformat() for d in JANUARY], "day first"),
    ),
    rule([d.strftime(("%d/%m/%Y", "%m/%d/%Y")[k % 2]) for k, d in enumerate(LATE)], aside("month first")),
    rule([*(d.strftime("%d/%m/%Y") for d in JANUARY), "05/14/2023"], aside("some with the month first")),
    kept(["03/04/2023", "14/04/2023", "04/15/2023"], "categories, though dates", n=9),
    rule(["20190131", "20190228"], numeric([20190131.0, 20190228.0], "2019-01-31 would be a date"), 20),
    *(
        rule(["20190131", other], silent(numeric([20190131.0, float(other)])), 20)
        for other in ("20190229", "20191301", "20190100", "7")
    ),
    *(
        kept(cells, f"{cells[0]!r} and {cells[1]!r} look like {what}", "categorical=['messy']")
        for cells, what in (
            (["20161231:2200", "20170101:0030", "20170101:0130"], "dates and times without marks"),
            (["Jan-15", "Feb-15", "Mar-16"], "months beside a day or a year"),
            (["08-Mar", "01-Apr", "02-Apr"], "months beside a day or a year"),
            (["3:15/km", "4:02/km", "5:00/km"], "minutes and seconds per distance"),
            (["2 h 10 min", "1 h 4 min", "45 min", "3h 2m"], "spans of time"),
            (["PT1H30M", "PT45M", "P1DT5S"], "spans of time"),
            (["0 days 01:00:00", "1 days 02:00:00", "2 days 00:00:01"], "spans of time"),
            (["24:30", "31:10", "45:22"], "hours and minutes, or minutes and seconds"),
            (["2021M01", "2021M02", "2021M03"], "months of a year"),
        )
    ),
    rule([f"Jan-{k:02}" for k in range(1, 29)], aside("distinct", "'Jan-01' and 'Jan-02' look like months")),
    *(
        kept(cells)
        for cells in (["Jan", "Feb"], ["BRCA1", "1-Mar"], ["1st", "2nd"], ["8:05", "24:30", "9:15"])
    ),
]

TIMES = [
    *(
        rule(cells, times("times of day", seconds), 5)
        for cells, seconds in (
            (["8:05", "17:30", None], [0, 33900, None]),
            (["08:05:00", "17:30:00", "NA"], [0, 33900, None]),
            (["8:05 AM", "5:30 PM"], [0, 33900]),
            (["08:05:00am", "05:30:00 p.m."], [0, 33900]),
            (["12:00 AM", "12:00 PM"], [0, 43200]),
        )
    ),
    *(
        rule(
            cells,
            times("times of day", seconds, f"some without seconds: {cells[0]!r} is hours and minutes"),
            5,
        )
        for cells, seconds in (
            (["8:05", "17:30:15"], [0, 33915]),
            (["08:05", "06:30:15"], [0, -5685]),
            (["10:40", "9:01:26"], [0, -5914]),
        )
    ),
    rule(["38:05:10", "9:00:00", None], times("spans of time", [0, -104710, None]), 5),
    *(
        rule(cells, times("spans of time", seconds, f"{cells[0]!r} is minutes and seconds"), 5)
        for cells, seconds in (
            (["10:40", "1:01:26"], [0, 3046]),
            (["0:45", "5:10:00"], [0, 18555]),
            (["59:10", "10:01:26"], [0, 32536]),
            (["24:30", "01:01:26"], [0, 2216]),
            (["23:10", "30:00", "38:05:10"], [0, 410, 135720]),
            (["32:38.6", "31:02", "125:00.25"], [0, -96.6, 5541.65]),
            (["32:38,6", "1:02:03,4"], [0, 1764.8]),
        )
    ),
    *(
        kept(cells, "categories, though times", f"{cells[0]!r} beside {cells[1]!r}")
        for cells in (["10:40", "01:01:26"], ["10:40", "0:01:26"], ["75:30", "1:01:26"])
    ),
    *(kept(["8:05", other, "9:15"]) for other in ("75:30", "x", "2023-01-02", "8:05 in May", "8")),
    *(kept(["8:05 AM", other, "9:15 PM"]) for other in ("13:05 PM", "0:30 AM", "9:15", "9:75 AM")),
    rule(["8:05", "9:15"], categorical(["8:05", "9:15"]), 5, options={"categorical": ["messy"]}),
    rule(["45 min", "30 min"], numeric([45.0, 30.0]), 5),
]

LABELS = [
    rule([f"{100 + k}/{60 + k}" for k in range(30)], aside("two numbers in each cell")),
    *(
        rule(cells, aside("two numbers in each cell"), 3)
        for cells in (PRESSURES, ["125/80 mmHg", "130/85 mmHg"])
    ),
    rule([*PRESSURES * 10, "refused"], aside("two numbers in each cell, as in '125/80'")),
    *(
        kept(cells, n=9)
        for cells in (
            ["1/2", "3/4", "1/4"],
            ["2019/20", "2020/21"],
            ["22/23", "23/24", "24/25"],
            ["M/F", "12/F"],
        )
    ),
    rule(
        ["x", None, ""], categorical(["x", None, None], "all values are 'x', as empty cells are missing"), 9
    ),
    *(kept([mark.join(some) for some in LISTS], "cells list several of 4", n=6) for mark in (";", ", ", "|")),
    kept(["a", "b", "c", "d", "e", "f", "a;b"]),
    kept(["good", "bad", "so, so"]),
    kept(
        ["Yes", "N", "Y", "No", "yes", "no", "1", "0", "TRUE", "FALSE"],
        "'Yes', 'Y', 'yes', '1', 'TRUE' may all be yes, 'N', 'No', 'no', '0', 'FALSE' no; merge=['messy']",
    ),
    rule(
        ["Yes", "N", "Y", "No", "no", "Yes", "No"],
        silent(categorical(["Yes", "No", "Yes", "No", "No", "Yes", "No"])),
        5,
        options={"merge": ["messy"]},
    ),
    *(kept(cells, n=4) for cells in (["Yes", "No", "maybe"], ["Y", "yes", "true"], ["0", "1", "2", "no"])),
    kept(["a", "A", "b", "B ", "c"], "'a', 'A' differ by case or blanks only (1 more such group)"),
]

CASES = [*CODES, *LIMITS, *UNITS, *THOUSANDS, *DATES, *TIMES, *LABELS]
