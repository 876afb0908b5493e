"""Further cases, written once the parser was there: what real files were found to have besides."""

from __future__ import annotations

from tests.io.messy.case import Case, aside, categorical, date, numeric, one_column, silent
from tests.io.messy.numbers import COUNTS, INCOMES, SHARES, SIGNED, grouped

CODES = [f"{k % 7:03}" for k in range(21)]
PENGUINS = ["11/11/07", "11/16/07", "11/15/08", "11/9/09", "12/3/07", "11/21/08", "11/18/09", "11/22/07"]

CASES: list[Case] = [
    one_column(
        "penguins' eggs",
        PENGUINS,
        date(
            [
                "2007-11-11",
                "2007-11-16",
                "2008-11-15",
                "2009-11-09",
                "2007-12-03",
                "2008-11-21",
                "2009-11-18",
                "2007-11-22",
            ],
            "month first",
            "two digits",
        ),
    ),
    one_column(
        "India's thousands",
        ["12,34,567", "1,200", "99,999", "5"] * 3,
        numeric([1234567.0, 1200.0, 99999.0, 5.0] * 3, "comma"),
    ),
    one_column(
        "francs with apostrophes",
        [f"CHF {grouped(v, chr(39))}" for v in INCOMES],
        numeric(INCOMES, "CHF", "apostrophe"),
    ),
    one_column(
        "keine Angabe among numbers",
        ["12", "k.A.", "7", "k. A.", "N.A."] * 3,
        numeric([12.0, None, 7.0, None, None] * 3),
    ),
    one_column(
        "keine Angabe among categories",
        ["ja", "k.A.", "nein", "k. A."] * 3,
        categorical(["ja", None, "nein", None] * 3),
    ),
    one_column(
        "a minus behind",
        ["1.200,50-", "3,25", "10,00-", "7.000,00"] * 3,
        numeric([-1200.5, 3.25, -10.0, 7000.0] * 3, "minus sign stands behind", "comma"),
        delimiter=";",
    ),
    one_column(
        "grades with a minus behind", ["2-", "1", "3-", "2"] * 3, categorical(["2-", "1", "3-", "2"] * 3)
    ),
    one_column(
        "prices without cents",
        ["€ 54,-", "€ 7,--", "€ 12,50", "€ 9,\u2013"] * 3,
        numeric([54.0, 7.0, 12.5, 9.0] * 3, "€", "comma"),
        delimiter=";",
    ),
    one_column(
        "wages per hour", ["$12.50/hr", "$20/hr", "$15/hr"] * 4, numeric([12.5, 20.0, 15.0] * 4, "$/hr")
    ),
    one_column("parts of a house", ["12/A", "7/B", "3/A"] * 4, categorical(["12/A", "7/B", "3/A"] * 4)),
    one_column(
        "months of Eurostat",
        ["2021M01", "2020M12", "2021M03"] * 3,
        categorical(["2021M01", "2020M12", "2021M03"] * 3, "'2021M01' and '2020M12' look like months"),
    ),
    one_column(
        "codes with an M",
        ["1000M01", "1000M02", "4711M05"] * 3,
        categorical(["1000M01", "1000M02", "4711M05"] * 3),
    ),
    one_column(
        "flags of Eurostat",
        ["12.3", "4.5 p", "7.0", "8.1", "9.9 b", ":", "3.2"] * 2,
        categorical(["12.3", "4.5 p", "7.0", "8.1", "9.9 b", ":", "3.2"] * 2, "several units ('b' and 'p')"),
    ),
    one_column(
        "marks of footnotes",
        ["1,234*", "980", "2,100", "700 (a)", "450", "1,010†", "333"],
        numeric([1234.0, 980.0, 2100.0, 700.0, 450.0, 1010.0, 333.0], "marks as in '1,234*' were left out"),
    ),
    one_column(
        "points of exams", ["17/20", "9/20", "20 / 20"] * 4, numeric([17.0, 9.0, 20.0] * 4, "out of 20")
    ),
    one_column(
        "blood pressure", ["120/80", "135/85", "110/70"] * 4, aside("two numbers in each cell", "'120/80'")
    ),
    one_column("months of one year", ["03/2019", "11/2019"] * 5, date(["2019-03-01", "2019-11-01"] * 5)),
    one_column(
        "labels with their codes",
        ["1. Agree", "2. Neither", "3. Disagree"] * 4,
        silent(categorical(["1. Agree", "2. Neither", "3. Disagree"] * 4)),
    ),
    one_column("classes of a school", ["7a", "7b", "8a"] * 4, silent(categorical(["7a", "7b", "8a"] * 4))),
    one_column(
        "codes of missing values with their labels",
        [*[f"{v:.0f}" for v in COUNTS], "-9 Refused"],
        aside("mixed", "not '-9 Refused'", "missing=['-9 Refused'] reads the rest"),
    ),
    one_column(
        "thirteen months",
        [f"2021M{k:02}" for k in range(1, 14)] * 2,
        categorical([f"2021M{k:02}" for k in range(1, 14)] * 2),
    ),
    one_column("numbers of invoices", ["4711-05", "9000-12"] * 5, categorical(["4711-05", "9000-12"] * 5)),
    one_column(
        "words for missing among numbers",
        ["12", "missing", "7.5", "Not available", "(null)", "#NULL!", "NO DATA"] * 3,
        numeric([12.0, None, 7.5, None, None, None, None] * 3),
    ),
    one_column("missing among categories", ["m", "missing", "f"] * 4, categorical(["m", "missing", "f"] * 4)),
    one_column("rupees with a point", [f"Rs.{v:.0f}" for v in COUNTS], numeric(COUNTS, "Rs")),
    one_column(
        "plural units",
        [f"{k} year{'s' if k != 1 else ''}" for k in range(12)],
        numeric([float(k) for k in range(12)], "year"),
    ),
    one_column(
        "a bare zero among units", ["0", *[f"{v:g} kg" for v in SHARES]], numeric([0.0, *SHARES], "kg")
    ),
    one_column(
        "a bare number among percents",
        ["0.5", *[f"{v:g}%" for v in SHARES]],
        aside("mixed", "%", "without a unit"),
    ),
    one_column(
        "thousands and millions",
        ["1.2M", "300K", "4.5M", "20K", "7.1M", "90K", "3.3M", "1K", "2M", "5K"],
        aside("mixed", "several units ('K' and 'M')", "categorical="),
    ),
    one_column(
        "thousands of dollars beside single ones",
        ["$950", "$1.2K", "$300", "$17K"] * 3,
        categorical(["$950", "$1.2K", "$300", "$17K"] * 3, "several units ('$' and '$ K')"),
    ),
    one_column(
        "sizes of files",
        ["1.5 MB", "512 B", "20 KB"] * 4,
        categorical(["1.5 MB", "512 B", "20 KB"] * 4, "'1.5 MB' and '512 B' look like sizes in bytes"),
    ),
    one_column("kelvins", ["300 K", "295.5 K"] * 5, numeric([300.0, 295.5] * 5, "numbers in K")),
    one_column(
        "times of web servers",
        ["[01/May/2024:10:00:00 +0000]", "[02/May/2024:11:30:15 +0000]"] * 5,
        categorical(
            ["[01/May/2024:10:00:00 +0000]", "[02/May/2024:11:30:15 +0000]"] * 5,
            "look like times of web servers",
        ),
    ),
    one_column(
        "two readings of the comma", ["1,5", "1,234.5", *[f"{v:.1f}" for v in SHARES]], aside("mixed")
    ),
    one_column(
        "commas that nothing tells apart",
        [f"{k},{k}00" for k in range(1, 10)],
        numeric([k * 1000.0 + k * 100 for k in range(1, 10)], "thousands", "decimal=','"),
    ),
    one_column(
        "the minus behind the currency",
        [f"€-{-v:g}" if v < 0 else f"€{v:g}" for v in SIGNED],
        numeric(SIGNED, "€"),
    ),
    one_column(
        "errors of a spreadsheet",
        ["#DIV/0!", "#N/A", *[f"{v:g}" for v in SHARES]],
        silent(numeric([None, None, *SHARES])),
    ),
    one_column(
        "points for missing", [".", "..", *[f"{v:g}" for v in SHARES]], silent(numeric([None, None, *SHARES]))
    ),
    one_column(
        "tax numbers by spaces",
        [f"{400 + k} {500 + 3 * k} {600 + 7 * k}" for k in range(24)],
        aside("24 of 24 values are distinct"),
    ),
    one_column(
        "house numbers",
        [f"{k + 1} {street} St" for k, street in enumerate(["Elm", "Oak", "Ash", "Fir", "Yew", "Bay"] * 4)],
        aside("24 of 24 values are distinct"),
    ),
    one_column(
        "below a limit of detection",
        ["<0.5", "1.25", "0.75", "3", "0.9", "2.5"] * 4,
        numeric([0.5, 1.25, 0.75, 3.0, 0.9, 2.5] * 4, "'<0.5'", "missing=['<0.5']"),
    ),
    one_column(
        "classes beyond limits", ["<=50K", ">50K", ">50K"] * 8, categorical(["<=50K", ">50K", ">50K"] * 8)
    ),
    one_column(
        "timestamps of a form",
        [f"2024/05/{k + 1:02} {k % 12 + 1}:05:33 PM GMT+2" for k in range(24)],
        date([f"2024-05-{k + 1:02}T{(k % 12 + 1) % 12 + 10:02}:05:33" for k in range(24)], "UTC"),
    ),
    one_column(
        "ordinals", ["1st", "2nd", "3rd", "4th"] * 5, silent(categorical(["1st", "2nd", "3rd", "4th"] * 5))
    ),
    one_column("codes of three digits", CODES, categorical(CODES, "zeros", "numeric=")),
    one_column(
        "months of two digits",
        [f"{1 + k % 12:02}" for k in range(24)],
        numeric([1.0 + k % 12 for k in range(24)], "zeros", "categorical="),
    ),
    one_column(
        "blanks around labels",
        ["male", "male ", "female"] * 5,
        categorical(["male", "male ", "female"] * 5, "blanks", "merge="),
    ),
    one_column(
        "labels merged",
        ["Male", "male ", "MALE", "Female", "Male"] * 4,
        categorical((["Male"] * 3 + ["Female", "Male"]) * 4),
        options={"merge": ["messy"]},
    ),
    one_column(
        "quarters",
        ["2019 Q1", "2019 Q3", "2020 Q2", "2018 Q4"] * 2,
        silent(date(["2019-01-01", "2019-07-01", "2020-04-01", "2018-10-01"] * 2)),
    ),
    one_column(
        "months in letters",
        ["Jan 2019", "Mar 2019", "Dec 2018", "Aug 2020"] * 2,
        silent(date(["2019-01-01", "2019-03-01", "2018-12-01", "2020-08-01"] * 2)),
    ),
    one_column(
        "weekdays before",
        ["Mon, 14 Jan 2019", "Tue, 15 Jan 2019", "Fri, 1 Feb 2019"] * 2,
        silent(date(["2019-01-14", "2019-01-15", "2019-02-01"] * 2)),
    ),
    one_column(
        "noon and midnight",
        ["1/14/2019 12:00 AM", "1/14/2019 12:00 PM", "1/15/2019 1:30 PM"] * 2,
        date(["2019-01-14T00:00:00", "2019-01-14T12:00:00", "2019-01-15T13:30:00"] * 2, "month first"),
    ),
    one_column(
        "zones here and there",
        ["2019/01/14 10:00Z", *[f"2019/01/{k} 10:00" for k in range(10, 25)]],
        aside("mixed", "zone"),
    ),
    one_column(
        "several forms of date",
        ["2019-01-14", "Jan 15 2019", "16 Jan 2019", "2019/01/17", "18.01.2019"],
        silent(date([f"2019-01-{k}" for k in range(14, 19)])),
    ),
    one_column(
        "no dates: house and flat",
        ["12/34", "5/6", "7/8"] * 5,
        silent(categorical(["12/34", "5/6", "7/8"] * 5)),
    ),
    one_column(
        "numbers of nines that are no sentinels",
        [f"{k}" for k in range(90, 110)] + ["99"] * 4,
        silent(numeric([float(k) for k in range(90, 110)] + [99.0] * 4)),
    ),
    one_column("true and false", ["TRUE", "false", "True"] * 4, silent(categorical([True, False, True] * 4))),
    one_column("nothing at all", ["", "NA", None, "?"] * 3, silent(numeric([None] * 12))),
    one_column(
        "euros in whole thousands",
        ["900 €", "1.200 €", "13.750 €", "80 €"] * 3,
        numeric([900.0, 1200.0, 13750.0, 80.0] * 3, "€", "points separate thousands", "decimal='.'"),
    ),
    one_column(
        "dollars with three decimals",
        ["$3.459", "$4.019", "$2.999", "$3.500"] * 3,
        numeric([3.459, 4.019, 2.999, 3.5] * 3, "$"),
    ),
    Case(
        "an ambiguous date beside one that is not",
        {
            "start": ["14/01/2019", "03/02/2019", "28/02/2019"],
            "end": ["01/03/2019", "05/04/2019", "07/06/2019"],
        },
        {
            "start": date(["2019-01-14", "2019-02-03", "2019-02-28"], "day first", "beyond 12"),
            "end": date(["2019-03-01", "2019-04-05", "2019-06-07"], "day first", "other columns"),
        },
    ),
    one_column(
        "sizes in two units",
        ["250 ml", "1 l", "500 ml"] * 6,
        categorical(["250 ml", "1 l", "500 ml"] * 6, "categories, though", "'l' and 'ml'"),
    ),
    one_column(
        "few amounts among words",
        ["12 kg", "3 lb", "heavy", "light", "none"] * 4,
        silent(categorical(["12 kg", "3 lb", "heavy", "light", "none"] * 4)),
    ),
]
