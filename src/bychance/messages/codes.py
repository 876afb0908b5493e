"""Codes of messages, by which programs recognize them, each with the template of its sentence.

`{n}` is a number, `{n:row}` a number with its noun, `{n:is|are}` a word that depends on a number.
`{cell:shown}` quotes a cell, `{cells:…}` the first three of several, `{cells:+}` also the number of further
cells. Parts in brackets are optional. Options and names of arguments in backticks are written in the dialect
of the message.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

__all__ = ["LIMITS_OF_ROWS", "Code"]

_ALL_ROWS = "{option} reads all rows as data"
_COUNT_AS = "{n_rows} rows count as about {n_effective}, so p and q are too small and limits too narrow"
LIMITS_OF_ROWS = "95% limits take rows as independent: too narrow where they are not"
"""Caution on confidence limits if permutations keep blocks or groups of rows together."""


class Code(StrEnum):
    """Code of a kind of note, or of a family of errors that a caller may handle alike.

    `sentence` is the template of the note's sentence, or describes the errors of a family.
    """

    sentence: str

    def __new__(cls, value: str, sentence: str) -> Self:
        """Create a member from its code and the template of its sentence."""
        code = str.__new__(cls, value)
        code._value_, code.sentence = value, sentence
        return code

    # Numbers, dates and words in one column.
    NUMBERS_AMONG_CATEGORIES = (
        "numbers_among_categories",
        "categories, though {n_read} of {n_values} values are {what}[, not {words:shown}]"
        "[ or {n_more:other word}][; {option} reads the rest][; {asks} says which of the "
        "others are missing values]",
    )
    MIXED = (
        "mixed",
        "mixed: {n_read} of {n_values} values are numbers or dates, not {cell:shown} {place}"
        "[ and in {n_more:other row}]; {option} reads the rest, {keeps} keeps categories",
    )
    MIXED_PROBLEM = "mixed_problem", "mixed: {problem}; {option} keeps categories"
    CATEGORIES_PROBLEM = "categories_problem", "categories, though {problem}"
    TEXT_READ = "text_read", "text read as {what}"
    NUMBERS_AS_TEXT = "numbers_as_text", "{n:number} as text, taken for categories; {option} reads them"
    NUMBERS_AS_TEXT_SET_ASIDE = (
        "numbers_as_text_set_aside",
        "{n:number} as text: {option} reads them, {keeps} keeps categories",
    )
    # Codes.
    CODES_PADDED = "codes_padded", "codes padded with zeros, kept as categories; {option} reads numbers"
    CODES_BESIDE_WORDS = "codes_beside_words", "codes, some padded with zeros, kept as categories"
    CODES_LONG = "codes_long", "numbers of 20 digits or more, kept as categories; {option} reads numbers"
    CODES_WITH_E = "codes_with_e", "codes such as {cell:quoted}, kept as categories; {option} reads numbers"
    NUMBERS_PADDED = "numbers_padded", "numbers, some padded with zeros; {option} keeps them as categories"
    NA_BESIDE_CODES = (
        "na_beside_codes",
        "{cell:quoted} in {n:row} is read as missing beside codes of two letters; {option} keeps it",
    )
    DASH_BESIDE_ZERO = (
        "dash_beside_zero",
        "{cell:shown} in {n:row} is read as missing beside 0; {option} keeps it",
    )
    CLASSES_AS_NUMBERS = "classes_as_numbers", "read as numbers; {option} takes them for classes"
    # How numbers are written.
    IN_UNIT = "in_unit", "numbers in {unit}"
    IN_PERCENT = "in_percent", "numbers in %: 5% is read as 5"
    SEVERAL_UNITS = (
        "several_units",
        "numbers in several units ({first:quoted} and {second:quoted}[ and {n_more} more])",
    )
    SOME_WITHOUT_UNIT = (
        "some_without_unit",
        "numbers, some in {unit} and some without a unit ({cells:…})[; {option} reads the rest]",
    )
    THOUSANDS = "thousands", "{mark}s separate thousands"
    DECIMAL_COMMA = "decimal_comma", "the decimal mark is a comma"
    MAY_BE_DECIMALS = "may_be_decimals", "{option} reads them as decimals"
    MAY_BE_THOUSANDS = (
        "may_be_thousands",
        "points are taken as decimal marks, though three digits follow each of them; "
        "{option} reads them as separators of thousands",
    )
    SEPARATORS_DIFFER = (
        "separators_differ",
        "numbers whose points, commas or blanks separate now this, now that",
    )
    LIST_OR_DECIMAL = (
        "list_or_decimal",
        "numbers, but {cell:shown} may be two or a decimal; {option} reads decimals",
    )
    PARENTHESES_NEGATIVE = "parentheses_negative", "(…) is negative"
    MINUS_IS_DASH = "minus_is_dash", "the minus sign is U+2212 or a dash"
    LIMITS = (
        "limits",
        "{cell:shown}{n_cells:| and the like} ({n:value}) {n_cells:is|are} read as the limit itself; "
        "{option} reads {n_cells:it|them} as missing",
    )
    # Dates, times and spans.
    DAY_FIRST = "day_first", "dates with the day first, {why}"
    MONTH_FIRST = "month_first", "dates with the month first, {why}"
    DATE_ORDER_OPEN = (
        "date_order_open",
        "dates, taken with the month first: no day is beyond 12; {option} reads the day first",
    )
    DATE_ORDER_MIXED = "date_order_mixed", "dates, some with the day first and some with the month first"
    ZONES_DIFFER = "zones_differ", "dates, some with a time zone and some without"
    TIMES_IN_UTC = "times_in_utc", "times are in UTC"
    YEARS_OF_TWO_DIGITS = "years_of_two_digits", "years of two digits are 1969 to 2068"
    # What may be meant otherwise.
    SENTINEL = "sentinel", "{number} occurs {n:time}, far from all other values; {option} reads it as missing"
    COUNTS_ROWS = "counts_rows", "it counts the rows; drop it if that is all it does"
    DAYS_AS_NUMBERS = (
        "days_as_numbers",
        "days are written as numbers, which jump from month to month; {date} would be a date",
    )
    LABELS_ALIKE = (
        "labels_alike",
        "{labels:quoted} differ by case or blanks only[ ({n_more:more such group})]; "
        "{option} takes them as one",
    )
    LISTED_ANSWERS = (
        "listed_answers",
        "cells list several of {n} answers, as {cell:shown} does, and each of {n_labels} combinations is a "
        "category; a column for each answer would tell more",
    )
    LEVELS_OF_SCALE = (
        "levels_of_scale",
        "{n} categories from {low:quoted} to {high:quoted} look like a scale, read without its order; "
        "a column of dtype pandas.CategoricalDtype(…, ordered=True) or polars.Enum(…) has one",
    )
    FORM_NOT_READ = (
        "form_not_read",
        "{first:shown} and {second:shown} look like {form}, which are not read; {option} keeps categories",
    )
    CONSTANT_BESIDE_EMPTY = (
        "constant_beside_empty",
        "all values are {word:shown}, as empty cells are missing: fill in 'no' if that is what they mean",
    )
    USUAL_MARKS_REPLACED = "usual_marks_replaced", "{option} replaces the usual marks such as {mark:quoted}"
    # Columns that are set aside.
    FREE_TEXT = "free_text", "free text: {n_distinct} of {n_values} values are distinct and long"
    IDENTIFIER = "identifier", "an identifier: {n_distinct} of {n_values} values are distinct"
    NOT_FINITE = "not_finite", "it has infinite values: {number} {place}[; {option} reads them as missing]"
    NOT_READABLE = "not_readable", "it {reason}"
    EMPTY_WITHOUT_NAME = "empty_without_name", "it has no name and no values"
    COUNTER_WITHOUT_NAME = "counter_without_name", "it has no name and counts the rows"
    ROW_COUNTER = "row_counter", "it counts the rows; {option} keeps it"
    INDEX_OF_FRAME = "index_of_frame", "the index of a pandas frame"
    KIND_NOT_TAKEN = "kind_not_taken", "{kind}, which {measure} does not take"
    # Rows and names of a table.
    ROWS_ABOVE_NAMES = (
        "rows_above_names",
        "The {n:row|# rows} above the names ({cells:…}) {n:was|were} left out; " + _ALL_ROWS + ".",
    )
    ROWS_BELOW_NAMES = (
        "rows_below_names",
        "The {n:row below the names holds|rows below the names hold} {what} ({cells:…}) "
        "and {n:was|were} left out; " + _ALL_ROWS + ".",
    )
    ROW_BESIDE_NAMES = (
        "row_beside_names",
        "The row {place} the names ({cells:…}) was left out; " + _ALL_ROWS + ".",
    )
    NAMES_JOINED = "names_joined", "The names stand in two rows and were joined, for example {name:shown}."
    NAMES_NUMBERED = "names_numbered", "Repeated names were numbered: {names:+}."
    NAMES_WITHOUT_QUOTES = "names_without_quotes", "Quotes around {names:+} were left out of the name."
    NAMES_LIKE_DATA = (
        "names_like_data",
        "The first row ({cells:+}) looks like data and was taken as names; {option} reads it as data.",
    )
    NAME_MISSING = "name_missing", "There is one name less than values per row: the first has none."
    COMMENTS_LEFT_OUT = "comments_left_out", "{n:line} {n:begins|begin} with # and {n:was|were} left out."
    FOOTNOTES_LEFT_OUT = (
        "footnotes_left_out",
        "The {n:row|rows} below the table ({cells:…}) {n:was|were} left out; " + _ALL_ROWS + ".",
    )
    TOTALS_LEFT_OUT = (
        "totals_left_out",
        "The {place} {n:row|rows}[ {n:reads|read} {called:shown} and] {n:sums|sum} up the rows {others} in "
        "{columns:+}; {n:it was|they were} left out; " + _ALL_ROWS + ".",
    )
    TOTALS_AMONG_ROWS = (
        "totals_among_rows",
        "{n:1 row looks like a total|# rows look like totals} of other rows: {cells:…} in {column:quoted}"
        ", {n:|the first }{place}; leave {n:it|them} out of the file",
    )
    TOTALS_AMONG_SAMPLE = (
        "totals_among_sample",
        "rows look like totals of other rows: {cells:…} in {column:quoted}; leave them out of the file",
    )
    ROWS_SHORT = (
        "rows_short",
        "{lines:lines} {n:has|have} fewer values than there are names: the last are read as missing.",
    )
    CELLS_MERGED = "cells_merged", "Merged cells hold for all of their rows: {names:names}."
    OTHER_SHEETS = (
        "other_sheets",
        "Only the first of {n} sheets was read; {option} reads another: {sheets:…}.",
    )
    NOTHING_ELSE_LEFT = (
        "nothing_else_left",
        "No column is left but identifiers and text: they are read as categories.",
    )
    RECORDS_FOUND = (
        "records_found",
        "The rows are the records in {place:quoted}[; what stands beside them ({fields:…}) was left out].",
    )
    RECORDS_FLATTENED = "records_flattened", "Fields of records within records are columns: {names:…}."
    # Files and streams.
    FILES_LEFT_OUT = "files_left_out", "{n:file} {why}: {files}"
    FOOTNOTES_OF_FILES = "footnotes_of_files", "Footnotes of {n:file} were left out; " + _ALL_ROWS + "."
    TOTALS_OF_FILES = (
        "totals_of_files",
        "Last rows of {n:file}, {file} among them, sum up those above and were left out; {option} keeps "
        "them.",
    )
    STREAMED = (
        "streamed",
        "{n_rows} rows were streamed: closed forms are of all of them, what is drawn, shown or estimated "
        "otherwise is of a sample of {n_sample}.[ Of nulls beyond {given:covariates}, means are of all rows "
        "and spreads of the sample.]",
    )
    # Rankings.
    COVARIATES_MISSING = "covariates_missing", "{n:row} without {covariates:and} left out"
    ROWS_IN_GROUPS = (
        "rows_in_groups",
        "rows are {n_groups} groups by {group:name}, and {columns:and} {n:differs|differ} between these: "
        + _COUNT_AS
        + "; {option} permutes within groups, and of columns that are constant in them keep one row per "
        "group",
    )
    NEAR_COPIES = "near_copies", "{columns:and} say the same[, as do {n} other pairs]: leave one of them out"
    CELLS_COUNTED = (
        "cells_counted",
        "rows are {n_rows} cells of a table, whose cases {column:name} counts: repeat each row as often as "
        "it says, and leave it out",
    )
    ROWS_REPEATED = (
        "rows_repeated",
        "{n} of {n_rows} rows {n:repeats|repeat} another in every ranked column: if they are copies, "
        "leave them out; p and q are too small with them",
    )
    ROWS_IN_ORDER = (
        "rows_in_order",
        "rows are [{n_series} series ]in the order of {clock:name}, and {columns:and} "
        "{n:resembles its|resemble their} neighbors: " + _COUNT_AS + "; {option} permutes blocks of rows",
    )
    ROWS_SHUFFLED = (
        "rows_shuffled",
        "rows carry {clock:name}, and {columns:and} {n:resembles its|resemble their} "
        "neighbors in its order: "
        + _COUNT_AS
        + "; sort by {clock:name}, and {option} permutes blocks of rows",
    )
    NEIGHBORS_ALIKE = (
        "neighbors_alike",
        "neighboring rows resemble each other in {columns:and}, as in a series: "
        + _COUNT_AS
        + "; {option} permutes blocks of rows",
    )
    PERMUTED_IN_GROUPS = "permuted_in_groups", "p and q permute within groups; " + LIMITS_OF_ROWS
    PERMUTED_IN_BLOCKS = "permuted_in_blocks", "p and q permute blocks; " + LIMITS_OF_ROWS
    PERMUTED_IN_FEW_BLOCKS = (
        "permuted_in_few_blocks",
        "p and q permute {n} blocks, in {n_orders} orders: p is about {smallest:.2g} at least; "
        + LIMITS_OF_ROWS,
    )
    PAIRS_OPEN = (
        "pairs_open",
        "{n:pair}: p is a bound above the threshold of discoveries, and could be below: "
        "{option} or refine() finds it",
    )
    MATCHED_ONLY = (
        "matched_only",
        "q rests on matched p-values, which may be far off: to decide the pairs otherwise takes too many "
        "permutations, or p-values below {end:g}. A smaller {option} or fewer columns need less",
    )
    CHOSEN_BY_MATCHED = (
        "chosen_by_matched",
        "{n:pair} that no screen is sure of are too many to sample: which of them are kept rests on matched "
        "p-values, which may be far off",
    )
    Q_IS_BOUND = (
        "q_is_bound",
        "q-values above {q:.2g} are upper bounds: pairs that were not kept could lower them",
    )
    # Errors.
    INPUT = "input", "An error about what was given; its `arguments` name it."
    UNKNOWN_NAME = (
        "unknown_name",
        "A name that does not exist here, of a column, a measure, a null or another choice.",
    )
    COST = "cost", "An exact answer that would take too long."
    NULL = "null", "Rows that do not allow the null that was asked for."
    MEASURE = "measure", "A measure of the caller's that raised, or returned no finite number."
    MUST_BE_NUMBERS = (
        "must_be_numbers",
        "`numeric` must name columns of numbers, got [{got}][{cell:shown}] in {column:quoted}[ {place}]"
        "[ and in {n_more:other row}][; give {give_all} with all marks of missing values][; give {give}].",
    )
    MUST_BE_FINITE = (
        "must_be_finite",
        "[{column:quoted}][{argument:ticks}] must be finite, got {number} {place}"
        "[; {option} reads them as missing].",
    )
    NOT_ONE_DIMENSIONAL = "not_one_dimensional", "Values of a column that are no one-dimensional array."
    TYPE_CHANGES = (
        "type_changes",
        "{column:quoted} changes its type: [{before} before, {after} here][numbers before, {cell:shown} here]"
        "[it must be finite, got {number}][{rule}][; this is row {row} (counting from 0) of {part}]"
        "[. {reads} reads it as missing, {keeps} keeps categories, {drops} leaves it out.]",
    )
    CAVEAT = "caveat", "A warning: the result is usable and carries a caveat."
