"""One remark of each kind, and its sentence."""

from __future__ import annotations

from bychance.messages import KEEP_ALL_ROWS, OPEN, Code, Option, remark

_COUNTED = {"n_rows": 240, "n_effective": 52}
EXAMPLES = [
    (
        remark(
            Code.NUMBERS_AMONG_CATEGORIES,
            n_read=1100,
            n_values=1102,
            what="numbers",
            words=("soon", "later"),
            option=Option("missing", ("soon", "later")),
        ),
        "categories, though 1,100 of 1,102 values are numbers, not 'soon', 'later'; "
        "missing=['soon', 'later'] reads the rest",
    ),
    (
        remark(
            Code.MIXED,
            n_read=38,
            n_values=40,
            cell="n.d.",
            place="in line 40",
            n_more=1,
            option=Option("missing", ("n.d.",)),
            keeps=Option("categorical", ("dose",)),
        ),
        "mixed: 38 of 40 values are numbers or dates, not 'n.d.' in line 40 and in 1 other row; "
        "missing=['n.d.'] reads the rest, categorical=['dose'] keeps categories",
    ),
    (
        remark(Code.MIXED_PROBLEM, problem=remark(Code.ZONES_DIFFER), option=Option("categorical", ("a",))),
        "mixed: dates, some with a time zone and some without; categorical=['a'] keeps categories",
    ),
    (
        remark(Code.CATEGORIES_PROBLEM, problem=remark(Code.DATE_ORDER_MIXED)),
        "categories, though dates, some with the day first and some with the month first",
    ),
    (remark(Code.TEXT_READ, what="dates"), "text read as dates"),
    (
        remark(Code.NUMBERS_AS_TEXT, n=3, option=Option("numeric", ("x",))),
        "3 numbers as text, taken for categories; numeric=['x'] reads them",
    ),
    (
        remark(
            Code.NUMBERS_AS_TEXT_SET_ASIDE,
            n=60,
            option=Option("numeric", ("x",)),
            keeps=Option("categorical", ("x",)),
        ),
        "60 numbers as text: numeric=['x'] reads them, categorical=['x'] keeps categories",
    ),
    (
        remark(Code.CODES_PADDED, option=Option("numeric", ("ZIP",))),
        "codes padded with zeros, kept as categories; numeric=['ZIP'] reads numbers",
    ),
    (remark(Code.CODES_BESIDE_WORDS), "codes, some padded with zeros, kept as categories"),
    (
        remark(Code.CODES_LONG, option=Option("numeric", ("IBAN",))),
        "numbers of 20 digits or more, kept as categories; numeric=['IBAN'] reads numbers",
    ),
    (
        remark(Code.CODES_WITH_E, cell="1E2", option=Option("numeric", ("room",))),
        "codes such as '1E2', kept as categories; numeric=['room'] reads numbers",
    ),
    (
        remark(Code.NUMBERS_PADDED, option=Option("categorical", ("ZIP",))),
        "numbers, some padded with zeros; categorical=['ZIP'] keeps them as categories",
    ),
    (
        remark(Code.NA_BESIDE_CODES, cell="NA", n=4, option=Option("missing", ())),
        "'NA' in 4 rows is read as missing beside codes of two letters; missing=[] keeps it",
    ),
    (
        remark(Code.DASH_BESIDE_ZERO, cell="-", n=4, option=Option("categorical", ("x",))),
        "'-' in 4 rows is read as missing beside 0; categorical=['x'] keeps it",
    ),
    (
        remark(Code.CLASSES_AS_NUMBERS, option=Option("categorical", ("status",))),
        "read as numbers; categorical=['status'] takes them for classes",
    ),
    (remark(Code.IN_UNIT, unit="$"), "numbers in $"),
    (remark(Code.IN_PERCENT), "numbers in %: 5% is read as 5"),
    (
        remark(Code.SEVERAL_UNITS, first="$", second="€", n_more=2),
        "numbers in several units ('$' and '€' and 2 more)",
    ),
    (
        remark(Code.SOME_WITHOUT_UNIT, unit="kg", cells=("7", "8"), option=Option("missing", ("7", "8"))),
        "numbers, some in kg and some without a unit ('7', '8'); missing=['7', '8'] reads the rest",
    ),
    (remark(Code.THOUSANDS, mark="comma"), "commas separate thousands"),
    (remark(Code.DECIMAL_COMMA), "the decimal mark is a comma"),
    (
        remark(Code.MAY_BE_DECIMALS, option=Option("decimal", ",")),
        "TextFormat(decimal=',') reads them as decimals",
    ),
    (
        remark(Code.MAY_BE_THOUSANDS, option=Option("decimal", ",")),
        "points are taken as decimal marks, though three digits follow each of them; "
        "TextFormat(decimal=',') reads them as separators of thousands",
    ),
    (remark(Code.SEPARATORS_DIFFER), "numbers whose points, commas or blanks separate now this, now that"),
    (
        remark(Code.LIST_OR_DECIMAL, cell="20,22", option=Option("decimal", ",")),
        "numbers, but '20,22' may be two or a decimal; TextFormat(decimal=',') reads decimals",
    ),
    (remark(Code.PARENTHESES_NEGATIVE), "(…) is negative"),
    (remark(Code.MINUS_IS_DASH), "the minus sign is U+2212 or a dash"),
    (
        remark(Code.LIMITS, cell="<1", n_cells=1, n=3, option=Option("missing", ("<1",))),
        "'<1' (3 values) is read as the limit itself; missing=['<1'] reads it as missing",
    ),
    (remark(Code.DAY_FIRST, why="as asked for"), "dates with the day first, as asked for"),
    (
        remark(Code.MONTH_FIRST, why="as some days are beyond 12"),
        "dates with the month first, as some days are beyond 12",
    ),
    (
        remark(Code.DATE_ORDER_OPEN, option=Option("day_first", True)),
        "dates, taken with the month first: no day is beyond 12; day_first=True reads the day first",
    ),
    (remark(Code.DATE_ORDER_MIXED), "dates, some with the day first and some with the month first"),
    (remark(Code.ZONES_DIFFER), "dates, some with a time zone and some without"),
    (remark(Code.TIMES_IN_UTC), "times are in UTC"),
    (remark(Code.YEARS_OF_TWO_DIGITS), "years of two digits are 1969 to 2068"),
    (
        remark(Code.SENTINEL, number=999.0, n=2, option=Option("missing", (999.0,))),
        "999 occurs 2 times, far from all other values; missing=[999] reads it as missing",
    ),
    (remark(Code.COUNTS_ROWS), "it counts the rows; drop it if that is all it does"),
    (
        remark(Code.DAYS_AS_NUMBERS, date="2019-01-31"),
        "days are written as numbers, which jump from month to month; 2019-01-31 would be a date",
    ),
    (
        remark(Code.LABELS_ALIKE, labels=("Male", "male"), n_more=1, option=Option("merge", ("sex",))),
        "'Male', 'male' differ by case or blanks only (1 more such group); merge=['sex'] takes them as one",
    ),
    (
        remark(Code.LISTED_ANSWERS, n=4, cell="python;r", n_labels=14),
        "cells list several of 4 answers, as 'python;r' does, and each of 14 combinations is a "
        "category; a column for each answer would tell more",
    ),
    (
        remark(Code.LEVELS_OF_SCALE, n=5, low="strongly disagree", high="strongly agree"),
        "5 categories from 'strongly disagree' to 'strongly agree' look like a scale, read without its order"
        "; "
        "a column of dtype pandas.CategoricalDtype(…, ordered=True) or polars.Enum(…) has one",
    ),
    (
        remark(
            Code.FORM_NOT_READ,
            first="Jan-16",
            second="Feb-16",
            form="months beside a day or a year",
            option=Option("categorical", ("when",)),
        ),
        "'Jan-16' and 'Feb-16' look like months beside a day or a year, which are not read; "
        "categorical=['when'] keeps categories",
    ),
    (
        remark(Code.CONSTANT_BESIDE_EMPTY, word="x"),
        "all values are 'x', as empty cells are missing: fill in 'no' if that is what they mean",
    ),
    (
        remark(Code.USUAL_MARKS_REPLACED, option=Option("missing", OPEN), mark="?"),
        "missing=… replaces the usual marks such as '?'",
    ),
    (remark(Code.FREE_TEXT, n_distinct=40, n_values=40), "free text: 40 of 40 values are distinct and long"),
    (
        remark(Code.IDENTIFIER, n_distinct=202, n_values=1202),
        "an identifier: 202 of 1,202 values are distinct",
    ),
    (
        remark(Code.NOT_FINITE, number="inf", place="in line 2", option=Option("missing", ("-inf", "inf"))),
        "it has infinite values: inf in line 2; missing=['-inf', 'inf'] reads them as missing",
    ),
    (remark(Code.NOT_READABLE, reason="could not be read"), "it could not be read"),
    (remark(Code.EMPTY_WITHOUT_NAME), "it has no name and no values"),
    (remark(Code.COUNTER_WITHOUT_NAME), "it has no name and counts the rows"),
    (
        remark(Code.ROW_COUNTER, option=Option("numeric", ("id",))),
        "it counts the rows; numeric=['id'] keeps it",
    ),
    (remark(Code.INDEX_OF_FRAME), "the index of a pandas frame"),
    (remark(Code.KIND_NOT_TAKEN, kind="categories", measure="r2"), "categories, which r2 does not take"),
    (
        remark(
            Code.ROWS_ABOVE_NAMES, n=3, cells=("Sales 2023", "by Ann", "by Bob", "May"), option=KEEP_ALL_ROWS
        ),
        "The 3 rows above the names ('Sales 2023', 'by Ann', 'by Bob', …) were left out; "
        "header=False reads all rows as data.",
    ),
    (
        remark(
            Code.ROWS_BELOW_NAMES,
            n=1,
            what="units",
            cells=("EUR", "FTE"),
            option=KEEP_ALL_ROWS,
        ),
        "The row below the names holds units ('EUR', 'FTE') and was left out; header=False reads "
        "all rows as data.",
    ),
    (
        remark(
            Code.ROW_BESIDE_NAMES,
            place="below",
            cells=("Area", "Sold", "Rung", "Heads"),
            option=KEEP_ALL_ROWS,
        ),
        "The row below the names ('Area', 'Sold', 'Rung', …) was left out; header=False reads all "
        "rows as data.",
    ),
    (
        remark(Code.NAMES_JOINED, name="low a"),
        "The names stand in two rows and were joined, for example 'low a'.",
    ),
    (
        remark(Code.NAMES_NUMBERED, names=("a.2", "a.3", "b.2", "c.2", "d.2")),
        "Repeated names were numbered: 'a.2', 'a.3', 'b.2' and 2 more.",
    ),
    (
        remark(Code.NAMES_WITHOUT_QUOTES, names=("body mass", "y")),
        "Quotes around 'body mass', 'y' were left out of the name.",
    ),
    (
        remark(Code.NAMES_LIKE_DATA, cells=("HBFR", "XB", "XB", "1"), option=KEEP_ALL_ROWS),
        "The first row ('HBFR', 'XB', 'XB' and 1 more) looks like data and was taken as names; "
        "header=False reads it as data.",
    ),
    (remark(Code.NAME_MISSING), "There is one name less than values per row: the first has none."),
    (remark(Code.COMMENTS_LEFT_OUT, n=1), "1 line begins with # and was left out."),
    (
        remark(Code.FOOTNOTES_LEFT_OUT, n=2, cells=("Note: b, c", "and d"), option=KEEP_ALL_ROWS),
        "The rows below the table ('Note: b, c', 'and d') were left out; header=False reads all "
        "rows as data.",
    ),
    (
        remark(
            Code.TOTALS_LEFT_OUT,
            n=1,
            place="last",
            called=("Total",),
            others="above",
            columns=("clicks", "cost"),
            option=KEEP_ALL_ROWS,
        ),
        "The last row reads 'Total' and sums up the rows above in 'clicks', 'cost'; it was left "
        "out; header=False reads all rows as data.",
    ),
    (
        remark(
            Code.TOTALS_AMONG_ROWS,
            n=2,
            cells=("N Total", "S Total"),
            column="region",
            place="in line 10",
        ),
        "2 rows look like totals of other rows: 'N Total', 'S Total' in 'region', the first in line 10; "
        "leave them out of the file",
    ),
    (
        remark(Code.TOTALS_AMONG_SAMPLE, cells=("North total",), column="region"),
        "rows look like totals of other rows: 'North total' in 'region'; leave them out of the file",
    ),
    (
        remark(Code.ROWS_SHORT, n=5, lines=(1, 2, 3, 4, 5)),
        "Lines 1, 2, 3 and 2 more have fewer values than there are names: the last are read as missing.",
    ),
    (remark(Code.CELLS_MERGED, names=("a", "b")), "Merged cells hold for all of their rows: 'a', 'b'."),
    (
        remark(Code.OTHER_SHEETS, n=3, sheets=("Sheet1", "Sheet2"), option=Option("sheet", OPEN)),
        "Only the first of 3 sheets was read; sheet=… reads another: 'Sheet1', 'Sheet2'.",
    ),
    (
        remark(Code.NOTHING_ELSE_LEFT),
        "No column is left but identifiers and text: they are read as categories.",
    ),
    (
        remark(Code.RECORDS_FOUND, place="data", fields=("page", "next")),
        "The rows are the records in 'data'; what stands beside them ('page', 'next') was left out.",
    ),
    (
        remark(Code.RECORDS_FLATTENED, names=("user.age", "user.home.zip", "total.amount")),
        "Fields of records within records are columns: 'user.age', 'user.home.zip', 'total.amount'.",
    ),
    (
        remark(
            Code.FILES_LEFT_OUT, n=1, why="left out as a link to one that is read", files="day/latest.parquet"
        ),
        "1 file left out as a link to one that is read: day/latest.parquet",
    ),
    (
        remark(Code.FOOTNOTES_OF_FILES, n=1, option=KEEP_ALL_ROWS),
        "Footnotes of 1 file were left out; header=False reads all rows as data.",
    ),
    (
        remark(Code.TOTALS_OF_FILES, n=2, file="t0.csv", option=KEEP_ALL_ROWS),
        "Last rows of 2 files, t0.csv among them, sum up those above and were left out; "
        "header=False keeps them.",
    ),
    (
        remark(Code.STREAMED, n_rows=4000, n_sample=1000, given=True),
        "4,000 rows were streamed: closed forms are of all of them, what is drawn, shown or "
        "estimated otherwise is of a sample of 1,000. Of nulls beyond covariates, means are of all "
        "rows and spreads of the sample.",
    ),
    (
        remark(Code.COVARIATES_MISSING, n=1, covariates=("age", "sex", "site", "year")),
        "1 row without age, sex, site and 1 more left out",
    ),
    (
        remark(
            Code.ROWS_IN_GROUPS,
            n_groups=15,
            group="school",
            columns=("score", "budget"),
            n=2,
            option=Option("groups", OPEN),
            n_rows=300,
            n_effective=52,
        ),
        "rows are 15 groups by school, and score and budget differ between these: 300 rows count as about "
        "52, so p and q are too small and limits too narrow; bc.Permutation(groups=…) permutes within "
        "groups, and of columns that are constant in them keep one row per group",
    ),
    (
        remark(Code.NEAR_COPIES, columns=("wday", "day_of_week"), n=None),
        "wday and day_of_week say the same: leave one of them out",
    ),
    (
        remark(Code.CELLS_COUNTED, n_rows=32, column="Freq"),
        "rows are 32 cells of a table, whose cases Freq counts: repeat each row as often as it says, and "
        "leave it out",
    ),
    (
        remark(Code.ROWS_REPEATED, n=20, n_rows=40),
        "20 of 40 rows repeat another in every ranked column: if they are copies, leave them out; "
        "p and q are too small with them",
    ),
    (
        remark(
            Code.ROWS_IN_ORDER,
            n_series=3,
            clock="day",
            columns=("mines", "farms"),
            n=2,
            n_rows=240,
            n_effective=52,
            option=Option("block", OPEN),
        ),
        "rows are 3 series in the order of day, and mines and farms resemble their neighbors: 240 rows "
        "count as about 52, so p and q are too small and limits too narrow; "
        "bc.Permutation(block=…) permutes blocks of rows",
    ),
    (
        remark(
            Code.ROWS_SHUFFLED,
            clock="day",
            columns=("mines", "farms"),
            n=2,
            n_rows=240,
            n_effective=52,
            option=Option("block", OPEN),
        ),
        "rows carry day, and mines and farms resemble their neighbors in its order: 240 rows "
        "count as about 52, so p and q are too small and limits too narrow; sort by day, and "
        "bc.Permutation(block=…) permutes blocks of rows",
    ),
    (
        remark(
            Code.NEIGHBORS_ALIKE,
            columns=("farms", "mines"),
            n_rows=240,
            n_effective=52,
            option=Option("block", OPEN),
        ),
        "neighboring rows resemble each other in farms and mines, as in a series: 240 rows "
        "count as about 52, so p and q are too small and limits too narrow; bc.Permutation(block=…) "
        "permutes blocks of rows",
    ),
    (
        remark(Code.PERMUTED_IN_GROUPS),
        "p and q permute within groups; 95% limits take rows as independent: too narrow where they are not",
    ),
    (
        remark(Code.PERMUTED_IN_BLOCKS),
        "p and q permute blocks; 95% limits take rows as independent: too narrow where they are not",
    ),
    (
        remark(Code.PERMUTED_IN_FEW_BLOCKS, n=4, n_orders=24, smallest=1 / 24),
        "p and q permute 4 blocks, in 24 orders: p is about 0.042 at least; 95% limits take rows "
        "as independent: too narrow where they are not",
    ),
    (
        remark(Code.PAIRS_OPEN, n=1, option=Option("tails", "all")),
        "1 pair: p is a bound above the threshold of discoveries, and could be below: "
        "null=bc.Auto(tails='all') or refine() finds it",
    ),
    (
        remark(Code.MATCHED_ONLY, end=1e-08, option=Option("top")),
        "q rests on matched p-values, which may be far off: to decide the pairs otherwise takes "
        "too many permutations, or p-values below 1e-08. A smaller `top` or fewer columns need less",
    ),
    (
        remark(Code.CHOSEN_BY_MATCHED, n=3),
        "3 pairs that no screen is sure of are too many to sample: which of them are kept rests on matched "
        "p-values, which may be far off",
    ),
    (
        remark(Code.Q_IS_BOUND, q=0.6),
        "q-values above 0.6 are upper bounds: pairs that were not kept could lower them",
    ),
    (
        remark(
            Code.MUST_BE_NUMBERS,
            cell="x",
            place="in line 3",
            n_more=19,
            column="dose",
            give=Option("missing", (OPEN,)),
        ),
        "`numeric` must name columns of numbers, got 'x' in 'dose' in line 3 and in 19 other rows; "
        "give missing=[…].",
    ),
    (
        remark(
            Code.MUST_BE_FINITE,
            column="dose",
            number="inf",
            place="in line 3",
            option=Option("missing", ("inf",)),
        ),
        "'dose' must be finite, got inf in line 3; missing=['inf'] reads them as missing.",
    ),
    (
        remark(Code.TYPE_CHANGES, column="a", cell="x", row=0, part="t.csv"),
        "'a' changes its type: numbers before, 'x' here; this is row 0 (counting from 0) of t.csv",
    ),
]
