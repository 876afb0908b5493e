"""Code of each message, by which programs recognize it without parsing, and the template of its sentence.

`{n}` is a number, `{n:row}` a number with its noun, `{n:is|are}` a word that depends on a number.
`{cell:shown}` quotes a cell, `{cells:…}` the first three of several, `{cells:+}` also the number of further
cells. Parts in brackets are optional. Options and names of arguments in backticks are written in the dialect
of the message.
"""

from __future__ import annotations

from enum import StrEnum, auto

__all__ = ["FAMILIES", "SENTENCES", "Code"]


class Code(StrEnum):
    """Code of a kind of note, or of a family of errors that a caller may handle alike."""

    # Numbers, dates and words in one column.
    NUMBERS_AMONG_CATEGORIES = auto()
    MIXED = auto()
    MIXED_PROBLEM = auto()
    CATEGORIES_PROBLEM = auto()
    TEXT_READ = auto()
    NUMBERS_AS_TEXT = auto()
    NUMBERS_AS_TEXT_SET_ASIDE = auto()
    # Codes.
    CODES_PADDED = auto()
    CODES_BESIDE_WORDS = auto()
    CODES_LONG = auto()
    CODES_WITH_E = auto()
    NUMBERS_PADDED = auto()
    NA_BESIDE_CODES = auto()
    DASH_BESIDE_ZERO = auto()
    CLASSES_AS_NUMBERS = auto()
    # How numbers are written.
    IN_UNIT = auto()
    IN_PERCENT = auto()
    SEVERAL_UNITS = auto()
    SOME_WITHOUT_UNIT = auto()
    THOUSANDS = auto()
    DECIMAL_COMMA = auto()
    MAY_BE_DECIMALS = auto()
    MAY_BE_THOUSANDS = auto()
    SEPARATORS_DIFFER = auto()
    LIST_OR_DECIMAL = auto()
    PARENTHESES_NEGATIVE = auto()
    MINUS_BEHIND = auto()
    MINUS_IS_DASH = auto()
    MARKS_LEFT_OUT = auto()
    ERRORS_LEFT_OUT = auto()
    LIMITS = auto()
    # Dates, times and spans.
    DAY_FIRST = auto()
    MONTH_FIRST = auto()
    DATE_ORDER_OPEN = auto()
    DATE_ORDER_MIXED = auto()
    ZONES_DIFFER = auto()
    TIMES_IN_UTC = auto()
    YEARS_OF_TWO_DIGITS = auto()
    # What may be meant otherwise.
    SENTINEL = auto()
    COUNTS_ROWS = auto()
    DAYS_AS_NUMBERS = auto()
    LABELS_ALIKE = auto()
    LISTED_ANSWERS = auto()
    LEVELS_OF_SCALE = auto()
    FORM_NOT_READ = auto()
    CONSTANT_BESIDE_EMPTY = auto()
    USUAL_MARKS_REPLACED = auto()
    # Columns that are set aside.
    FREE_TEXT = auto()
    IDENTIFIER = auto()
    NOT_FINITE = auto()
    NOT_READABLE = auto()
    EMPTY_WITHOUT_NAME = auto()
    COUNTER_WITHOUT_NAME = auto()
    ROW_COUNTER = auto()
    INDEX_OF_FRAME = auto()
    KIND_NOT_TAKEN = auto()
    # Rows and names of a table.
    ROWS_ABOVE_NAMES = auto()
    ROWS_BELOW_NAMES = auto()
    ROW_BESIDE_NAMES = auto()
    NAMES_JOINED = auto()
    NAMES_NUMBERED = auto()
    NAMES_WITHOUT_QUOTES = auto()
    NAMES_LIKE_DATA = auto()
    NAME_MISSING = auto()
    COMMENTS_LEFT_OUT = auto()
    FOOTNOTES_LEFT_OUT = auto()
    TOTALS_LEFT_OUT = auto()
    STATISTICS_LEFT_OUT = auto()
    TOTALS_AMONG_ROWS = auto()
    TOTALS_AMONG_SAMPLE = auto()
    ROWS_SHORT = auto()
    CELLS_MERGED = auto()
    OTHER_SHEETS = auto()
    NOTHING_ELSE_LEFT = auto()
    RECORDS_FOUND = auto()
    RECORDS_FLATTENED = auto()
    # Files and streams.
    FILES_LEFT_OUT = auto()
    FOOTNOTES_OF_FILES = auto()
    TOTALS_OF_FILES = auto()
    STREAMED = auto()
    # Rankings.
    COVARIATES_MISSING = auto()
    ROWS_IN_GROUPS = auto()
    NEAR_COPIES = auto()
    CELLS_COUNTED = auto()
    ROWS_REPEATED = auto()
    ROWS_IN_ORDER = auto()
    ROWS_SHUFFLED = auto()
    NEIGHBORS_ALIKE = auto()
    PERMUTED_IN_GROUPS = auto()
    PERMUTED_IN_BLOCKS = auto()
    PERMUTED_IN_FEW_BLOCKS = auto()
    PAIRS_OPEN = auto()
    MATCHED_ONLY = auto()
    CHOSEN_BY_MATCHED = auto()
    Q_IS_BOUND = auto()
    # Errors.
    INPUT = auto()
    UNKNOWN_NAME = auto()
    COST = auto()
    NULL = auto()
    MEASURE = auto()
    MUST_BE_NUMBERS = auto()
    MUST_BE_FINITE = auto()
    NOT_ONE_DIMENSIONAL = auto()
    TYPE_CHANGES = auto()
    CAVEAT = auto()


_ALL_ROWS = "{option} reads all rows as data"
_TOO_SMALL = "p and q are too small and limits too narrow"
_COUNT_AS = "{n_rows} rows count as about {n_effective}, so " + _TOO_SMALL
_OF_ROWS = "95% limits take rows as independent: too narrow where they are not"

SENTENCES: dict[Code, str] = {
    Code.NUMBERS_AMONG_CATEGORIES: (
        "categories, though {n_read} of {n_values} values are {what}[, not {words:shown}]"
        "[ or {n_more:other word}][; {option} reads the rest][; {asks} says which of the "
        "others are missing values]"
    ),
    Code.MIXED: (
        "mixed: {n_read} of {n_values} values are numbers or dates, not {cell:shown} {place}"
        "[ and in {n_more:other row}]; {option} reads the rest, {keeps} keeps categories"
    ),
    Code.MIXED_PROBLEM: "mixed: {problem}; {option} keeps categories",
    Code.CATEGORIES_PROBLEM: "categories, though {problem}",
    Code.TEXT_READ: "text read as {what}",
    Code.NUMBERS_AS_TEXT: "{n:number} as text, taken for categories; {option} reads them",
    Code.NUMBERS_AS_TEXT_SET_ASIDE: "{n:number} as text: {option} reads them, {keeps} keeps categories",
    Code.CODES_PADDED: "codes padded with zeros, kept as categories; {option} reads numbers",
    Code.CODES_BESIDE_WORDS: "codes, some padded with zeros, kept as categories",
    Code.CODES_LONG: "numbers of 20 digits or more, kept as categories; {option} reads numbers",
    Code.CODES_WITH_E: "codes such as {cell:quoted}, kept as categories; {option} reads numbers",
    Code.NUMBERS_PADDED: "numbers, some padded with zeros; {option} keeps them as categories",
    Code.NA_BESIDE_CODES: (
        "{cell:quoted} in {n:row} is read as missing beside codes of two letters; {option} keeps it"
    ),
    Code.DASH_BESIDE_ZERO: "{cell:shown} in {n:row} is read as missing beside 0; {option} keeps it",
    Code.CLASSES_AS_NUMBERS: "read as numbers; {option} takes them for classes",
    Code.IN_UNIT: "numbers in {unit}",
    Code.IN_PERCENT: "numbers in %: 5% is read as 5",
    Code.SEVERAL_UNITS: "numbers in several units ({first:quoted} and {second:quoted}[ and {n_more} more])",
    Code.SOME_WITHOUT_UNIT: (
        "numbers, some in {unit} and some without a unit ({cells:…})[; {option} reads the rest]"
    ),
    Code.THOUSANDS: "{mark}s separate thousands",
    Code.DECIMAL_COMMA: "the decimal mark is a comma",
    Code.MAY_BE_DECIMALS: "{option} reads them as decimals",
    Code.MAY_BE_THOUSANDS: (
        "points are taken as decimal marks, though three digits follow each of them; "
        "{option} reads them as separators of thousands"
    ),
    Code.SEPARATORS_DIFFER: "numbers whose points, commas or blanks separate now this, now that",
    Code.LIST_OR_DECIMAL: "numbers, but {cell:shown} may be two or a decimal; {option} reads decimals",
    Code.PARENTHESES_NEGATIVE: "(…) is negative",
    Code.MINUS_BEHIND: "the minus sign stands behind",
    Code.MINUS_IS_DASH: "the minus sign is U+2212 or a dash",
    Code.MARKS_LEFT_OUT: "marks as in {cell:shown} were left out",
    Code.ERRORS_LEFT_OUT: "{cell:shown} and the like are read as {number}",
    Code.LIMITS: (
        "{cell:shown}{n_cells:| and the like} ({n:value}) {n_cells:is|are} read as the limit itself; "
        "{option} reads {n_cells:it|them} as missing"
    ),
    Code.DAY_FIRST: "dates with the day first, {why}",
    Code.MONTH_FIRST: "dates with the month first, {why}",
    Code.DATE_ORDER_OPEN: (
        "dates, taken with the month first: no day is beyond 12; {option} reads the day first"
    ),
    Code.DATE_ORDER_MIXED: "dates, some with the day first and some with the month first",
    Code.ZONES_DIFFER: "dates, some with a time zone and some without",
    Code.TIMES_IN_UTC: "times are in UTC",
    Code.YEARS_OF_TWO_DIGITS: "years of two digits are 1969 to 2068",
    Code.SENTINEL: "{number} stands {n:time} far from all other values; {option} reads it as missing",
    Code.COUNTS_ROWS: "it counts the rows; drop it if that is all it does",
    Code.DAYS_AS_NUMBERS: (
        "days are written as numbers, which jump from month to month; {date} would be a date"
    ),
    Code.LABELS_ALIKE: (
        "{labels:quoted} differ by case or blanks only[ ({n_more:more such group})]; "
        "{option} takes them as one"
    ),
    Code.LISTED_ANSWERS: (
        "cells list several of {n} answers, as {cell:shown} does, and each of {n_labels} combinations is a "
        "category; a column for each answer would tell more"
    ),
    Code.LEVELS_OF_SCALE: (
        "{n} categories from {low:quoted} to {high:quoted} look like a scale, read without its order; "
        "a column of dtype pandas.CategoricalDtype(…, ordered=True) or polars.Enum(…) has one"
    ),
    Code.FORM_NOT_READ: (
        "{first:shown} and {second:shown} look like {form}, which are not read; {option} keeps categories"
    ),
    Code.CONSTANT_BESIDE_EMPTY: (
        "all values are {word:shown}, as empty cells are missing: fill in 'no' if that is what they mean"
    ),
    Code.USUAL_MARKS_REPLACED: "{option} replaces the usual marks such as {mark:quoted}",
    Code.FREE_TEXT: "free text: {n_distinct} of {n_values} values are distinct and long",
    Code.IDENTIFIER: "an identifier: {n_distinct} of {n_values} values are distinct",
    Code.NOT_FINITE: "it has infinite values: {number} {place}[; {option} reads them as missing]",
    Code.NOT_READABLE: "it {reason}",
    Code.EMPTY_WITHOUT_NAME: "it has no name and no values",
    Code.COUNTER_WITHOUT_NAME: "it has no name and counts the rows",
    Code.ROW_COUNTER: "it counts the rows; {option} keeps it",
    Code.INDEX_OF_FRAME: "the index of a pandas frame",
    Code.KIND_NOT_TAKEN: "{kind}, which {measure} does not take",
    Code.ROWS_ABOVE_NAMES: (
        "The {n:row|# rows} above the names ({cells:…}) {n:was|were} left out; " + _ALL_ROWS + "."
    ),
    Code.ROWS_BELOW_NAMES: (
        "The {n:row below the names holds|rows below the names hold} {what} ({cells:…}) "
        "and {n:was|were} left out; " + _ALL_ROWS + "."
    ),
    Code.ROW_BESIDE_NAMES: "The row {place} the names ({cells:…}) was left out; " + _ALL_ROWS + ".",
    Code.NAMES_JOINED: "The names stand in two rows and were joined, for example {name:shown}.",
    Code.NAMES_NUMBERED: "Repeated names were numbered: {names:+}.",
    Code.NAMES_WITHOUT_QUOTES: "Quotes around {names:+} were left out of the name.",
    Code.NAMES_LIKE_DATA: (
        "The first row ({cells:+}) looks like data and was taken as names; {option} reads it as data."
    ),
    Code.NAME_MISSING: "There is one name less than values per row: the first has none.",
    Code.COMMENTS_LEFT_OUT: ("{n:line} {n:begins|begin} with # and {n:was|were} left out."),
    Code.FOOTNOTES_LEFT_OUT: (
        "The {n:row|rows} below the table ({cells:…}) {n:was|were} left out; " + _ALL_ROWS + "."
    ),
    Code.TOTALS_LEFT_OUT: (
        "The {place} {n:row|rows}[ {n:reads|read} {called:shown} and] {n:sums|sum} up the rows {others} in "
        "{columns:+}; {n:it was|they were} left out; " + _ALL_ROWS + "."
    ),
    Code.STATISTICS_LEFT_OUT: (
        "The last {n:row|rows} {n:reads|read} {called:shown} and {n:summarizes|summarize} the rows above; "
        "{n:it was|they were} left out; " + _ALL_ROWS + "."
    ),
    Code.TOTALS_AMONG_ROWS: (
        "{n:1 row looks like a total|# rows look like totals} of other rows: {cells:…} in {column:quoted}"
        ", {n:|the first }{place}; leave {n:it|them} out of the file"
    ),
    Code.TOTALS_AMONG_SAMPLE: (
        "rows look like totals of other rows: {cells:…} in {column:quoted}; leave them out of the file"
    ),
    Code.ROWS_SHORT: (
        "{lines:lines} {n:has|have} fewer values than there are names: the last are read as missing."
    ),
    Code.CELLS_MERGED: "Merged cells hold for all of their rows: {names:names}.",
    Code.OTHER_SHEETS: "Only the first of {n} sheets was read; {option} reads another: {sheets:…}.",
    Code.NOTHING_ELSE_LEFT: "No column is left but identifiers and text: they are read as categories.",
    Code.RECORDS_FOUND: (
        "The rows are the records in {place:quoted}[; what stands beside them ({fields:…}) was left out]."
    ),
    Code.RECORDS_FLATTENED: "Fields of records within records are columns: {names:…}.",
    Code.FILES_LEFT_OUT: "{n:file} {why}: {files}",
    Code.FOOTNOTES_OF_FILES: "Footnotes of {n:file} were left out; " + _ALL_ROWS + ".",
    Code.TOTALS_OF_FILES: (
        "Last rows of {n:file}, {file} among them, sum up those above and were left out; {option} keeps them."
    ),
    Code.STREAMED: (
        "{n_rows} rows were streamed: closed forms are of all of them, what is drawn, shown "
        "or estimated otherwise "
        "is of a sample of {n_sample}.[ Of nulls beyond {given:covariates}, means are of all "
        "rows and spreads of the sample.]"
    ),
    Code.COVARIATES_MISSING: "{n:row} without {covariates:and} left out",
    Code.ROWS_IN_GROUPS: (
        "rows are {n_groups} groups by {group:name}, and {columns:listed} {n:differs|differ} between these: "
        + _COUNT_AS
        + "; {option} permutes within groups, and of columns that are constant in them keep one row per group"
    ),
    Code.NEAR_COPIES: "{columns:and} say the same[, as do {n} other pairs]: leave one of them out",
    Code.CELLS_COUNTED: (
        "rows are {n_rows} cells of a table, whose cases {column:name} counts: repeat each row as often as "
        "it says, and leave it out"
    ),
    Code.ROWS_REPEATED: (
        "{n} of {n_rows} rows {n:repeats|repeat} another in every ranked column: if they are "
        "copies, leave them "
        "out; p and q are too small with them"
    ),
    Code.ROWS_IN_ORDER: (
        "rows are [{n_series} series ]in the order of {clock:name}, and {columns:listed} "
        "{n:resembles its|resemble their} neighbors: " + _COUNT_AS + "; {option} permutes blocks of rows"
    ),
    Code.ROWS_SHUFFLED: (
        "rows carry {clock:name}, and {columns:listed} {n:resembles its|resemble their} "
        "neighbors in its order: "
        + _COUNT_AS
        + "; sort by {clock:name}, and {option} permutes blocks of rows"
    ),
    Code.NEIGHBORS_ALIKE: (
        "neighboring rows resemble each other in {columns:and}, as in a series: "
        + _COUNT_AS
        + "; {option} permutes blocks of rows"
    ),
    Code.PERMUTED_IN_GROUPS: "p and q permute within groups; " + _OF_ROWS,
    Code.PERMUTED_IN_BLOCKS: "p and q permute blocks; " + _OF_ROWS,
    Code.PERMUTED_IN_FEW_BLOCKS: (
        "p and q permute {n} blocks, in {n_orders} orders: p is about {smallest:.2g} at least; " + _OF_ROWS
    ),
    Code.PAIRS_OPEN: (
        "{n:pair}: p is a bound above the threshold of discoveries, and could be below: "
        "{option} or refine() finds it"
    ),
    Code.MATCHED_ONLY: (
        "q rests on matched p-values, which may be far off: to decide the pairs otherwise takes too many "
        "permutations, or p-values below {end:g}. A smaller {option} or fewer columns need less"
    ),
    Code.CHOSEN_BY_MATCHED: (
        "{n:pair} that no screen is sure of are too many to sample: which of them are kept rests on matched "
        "p-values, which may be far off"
    ),
    Code.Q_IS_BOUND: ("q-values above {q:.2g} are upper bounds: pairs that were not kept could lower them"),
    Code.MUST_BE_NUMBERS: (
        "`numeric` must name columns of numbers, got [{got}][{cell:shown}] in {column:quoted}[ {place}]"
        "[ and in {n_more:other row}][; give {give_all} with all marks of missing values][; give {give}]."
    ),
    Code.MUST_BE_FINITE: (
        "[{column:quoted}][{argument:ticks}] must be finite, got {number} {place}"
        "[; {option} reads them as missing]."
    ),
    Code.TYPE_CHANGES: (
        "{column:quoted} changes its type: [{before} before, {after} here][numbers before, {cell:shown} here]"
        "[it must be finite, got {number}][{rule}][; this is row {row} (counting from 0) of {part}]"
        "[. {reads} reads it as missing, {keeps} keeps categories, {drops} leaves it out.]"
    ),
}

FAMILIES: dict[Code, str] = {
    Code.INPUT: "An error about what was given; its `arguments` name it.",
    Code.UNKNOWN_NAME: "A name that does not exist here, of a column, a measure, a null or another choice.",
    Code.COST: "An exact answer that would take too long.",
    Code.NULL: "Rows that do not allow the null that was asked for.",
    Code.MEASURE: "A measure of the caller's that raised, or returned no finite number.",
    Code.NOT_ONE_DIMENSIONAL: "Values of a column that are no one-dimensional array.",
    Code.CAVEAT: "A warning: the result is usable and carries a caveat.",
}
"""The families of errors and warnings whose sentences stand where they are raised."""
