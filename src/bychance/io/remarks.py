"""Remarks on typed columns that may have been misinterpreted, with the option to change that.

Numbers: sentinels, counters of rows, codes and days. Categories: spellings, scales, lists of answers, numbers
among them, and forms that are not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np

from bychance.array_types import IntArray
from bychance.columns import Column
from bychance.io.cells import DistinctCells, matches, stripped
from bychance.io.numbers import SAMPLE_VALUES, Reading
from bychance.kinds import Kind
from bychance.messages import OPEN, Code, Note, Option, Remark, remark

__all__ = [
    "are_class_codes",
    "are_many",
    "counts_rows",
    "is_row_counter",
    "merge_labels",
    "numbers_among",
    "remarks_on",
    "what_are",
]

_LISTED = 3  # cells that a remark names (taste)
FEWEST_COUNTED = 20  # rows from which on integers that count them are remarked (taste)
FEWEST_SENTINELS = 2  # rows with an extreme number from which on it may mean missing (taste)
# Nines; of well logs and data loggers; the ends of integers; fills of float and netCDF files.
SENTINELS = frozenset(sign * (10**digits - 1) for digits in range(2, 8) for sign in (-1, 1)) | {
    -999.25, -6999, -7999, 65535, -32768, 2147483647, -2147483647, -2147483648,
    1e20, 1e30, -1e30, 1e31, 1e36, 1e37, 1e38, 9.969209968386869e36,
}  # fmt: skip
FIRST_DAY, LAST_DAY, FEWEST_DAYS = 18000101, 21001231, 20  # plausible dates as integers, and rows (taste)
FEWEST_CLASSES, MOST_CLASSES, FEWEST_DIGITS = 3, 10, 5  # distinct class codes, and digits of codes (taste)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_COUNTER_NAMES = frozenset({"", "unnamed: 0", "rownames", "index"})
_COUNTER_WORDS = frozenset({"id", "no", "nr", "number"})
_CODE_WORDS = frozenset({"code", "zip", "fips", "class", "cluster", "group", "type", "category", "status"})


def remarks_on(column: Column, *, is_text: bool) -> list[Note]:
    """Return the notes on a column that may have been misinterpreted."""
    if column.kind is Kind.NUMERIC:
        said = [] if column.clock is not None else [_sentinel(column)]
        if column.clock is None and column.values.dtype.kind in "iu":
            said += [remark(Code.COUNTS_ROWS) if counts_rows(column, FEWEST_COUNTED) else None]
            said += [_days(column) or _codes(column)]
    else:
        said = [_variants(column), _lists(column), _scale(column), _alone(column) if is_text else None]
    return [Note(column.name, (told,)) for told in said if told is not None]


def counts_rows(column: Column, fewest: int) -> bool:
    """Return True if a column's integers increase by 1 from row to row, in at least `fewest` rows.

    >>> from bychance.read_column import read_column
    >>> counts_rows(read_column(list(range(1990, 2020)), "year"), fewest=20)
    True
    """
    if column.kind is not Kind.NUMERIC or column.values.dtype.kind not in "iu" or len(column) < fewest:
        return False
    return column.is_missing is None and bool((np.diff(column.values) == 1).all())


def is_row_counter(column: Column) -> bool:
    """Return True if a column counts the rows and is named like an index.

    >>> from bychance.read_column import read_column
    >>> names = "id", "PatientID", "row_no", "Unnamed: 0", "year", "solid"
    >>> [is_row_counter(read_column([1, 2, 3], name)) for name in names]
    [True, True, True, True, False, False]
    """
    words = _words(column.name)
    is_named = column.name.strip().lower() in _COUNTER_NAMES or (words and words[-1] in _COUNTER_WORDS)
    return bool(is_named) and column.clock is None and counts_rows(column, fewest=2)


def are_class_codes(column: Column) -> bool:
    """Return True if a column has at most ten distinct values, all of them whole numbers."""
    if column.kind is not Kind.NUMERIC or column.clock is not None:
        return False
    values = np.unique(column.present)
    return 1 < len(values) <= MOST_CLASSES and bool((np.mod(values, 1) == 0).all())


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def _codes(column: Column) -> Remark | None:
    """Return a remark if an integer column looks like class codes, by its name or its digits.

    The name's last word is one for codes, or the values have as many digits, five or more, and recur. Two
    different values are as well numbers.
    """
    words, present = _words(column.name), column.present
    low, high = (len(str(present.min())), len(str(present.max()))) if len(present) else (0, 0)
    has_name, has_digits = bool(words) and words[-1] in _CODE_WORDS, low == high >= FEWEST_DIGITS
    if not (has_name or has_digits):
        return None
    n_values = len(np.unique(present))
    if n_values < FEWEST_CLASSES or not (has_name or 2 * n_values <= len(present)):
        return None
    return remark(Code.CLASSES_AS_NUMBERS, option=Option("categorical", (column.name,)))


def _sentinel(column: Column) -> Remark | None:
    """Return a remark on a repeated extreme number such as -999 that may mean missing."""
    present = column.present
    for value in {float(present.min()), float(present.max())} & SENTINELS if len(present) else ():
        others = present[present != value]
        n_equal = len(present) - len(others)
        if n_equal < FEWEST_SENTINELS or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        if max(low - value, value - high) > high - low:
            return remark(Code.SENTINEL, number=value, n=n_equal, option=Option("missing", (value,)))
    return None


def _days(column: Column) -> Remark | None:
    """Return a remark on integers that all spell calendar dates, such as 20190131."""
    present = column.present
    if len(present) < FEWEST_DAYS or present.min() < FIRST_DAY or present.max() > LAST_DAY:
        return None
    days = [f"{day[:4]}-{day[4:6]}-{day[6:]}" for day in map(str, np.unique(present).tolist())]
    try:
        np.array(days, "M8[D]")
    except ValueError:
        return None
    return remark(Code.DAYS_AS_NUMBERS, date=days[0])


# Categories: spellings.


def merge_labels(column: Column) -> Column:
    """Merge categories that differ only in case or white space into the most frequent.

    >>> from bychance.read_column import read_column
    >>> merged = merge_labels(read_column(["Male", "male ", "Male", "female"], "sex"))
    >>> [merged.labels[code] for code in merged.values]
    ['Male', 'Male', 'Male', 'female']
    """
    codes = np.arange(len(column.labels), dtype=column.values.dtype)
    for alike in _alike(column):
        codes[alike] = alike[0]
    return replace(column, values=codes[column.values]) if column.labels else column


def _variants(column: Column) -> Remark | None:
    """Return a remark on categories that differ only in case or white space."""
    if not (alike := _alike(column)):
        return None
    labels = tuple(column.labels[code] for code in sorted(alike[0])[:_LISTED])
    merge = Option("merge", (column.name,))
    return remark(Code.LABELS_ALIKE, labels=labels, n_more=len(alike) - 1 or None, option=merge)


def _alike(column: Column) -> list[list[int]]:
    """Return groups of category codes that differ only in case or white space, most frequent first."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    if not column.labels or not isinstance(column.labels[0], str):
        return []
    counts = np.bincount(column.present, minlength=len(column.labels))
    for code in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist():
        groups["".join(str(column.labels[code]).split()).lower()].append(code)
    return [codes for codes in groups.values() if len(codes) > 1]


# Categories: levels of a scale.

_FEWEST_LEVELS = 3  # levels of an ordered scale: two have no order that a measure would miss (proof)
_SCALES = [
    scale.split(", ")
    for scale in (
        "strongly disagree, disagree, somewhat disagree, slightly disagree, neutral, undecided, "
        "neither agree nor disagree, slightly agree, somewhat agree, agree, strongly agree",
        "never, very rarely, rarely, seldom, occasionally, sometimes, often, frequently, very often, "
        "usually, always",
        "none, very low, low, medium, moderate, average, normal, high, very high",
        "very poor, poor, very bad, bad, fair, average, ok, good, very good, excellent",
        "none, slight, mild, moderate, severe, very severe",
        "very small, small, medium, large, very large",
        "very dissatisfied, dissatisfied, somewhat dissatisfied, neutral, somewhat satisfied, satisfied, "
        "very satisfied",
        "very unlikely, unlikely, somewhat unlikely, neutral, somewhat likely, likely, very likely",
        "not at all, a little, slightly, somewhat, moderately, quite a bit, very, very much, extremely",
        "strongly oppose, oppose, neutral, favor, favour, support, strongly favor, strongly favour, "
        "strongly support",
    )
]


def _scale(column: Column) -> Remark | None:
    """Return a remark on categories that are words of an ordered scale, such as low and high."""
    labels = column.labels
    if column.is_ordered or not _FEWEST_LEVELS <= len(labels) <= max(map(len, _SCALES)):
        return None
    words = {" ".join(re.split(r"[\W_]+", str(label).lower())).strip(): label for label in labels}
    for scale in _SCALES:
        if words.keys() <= set(scale):
            levels = [str(words[level]) for level in scale if level in words]
            return remark(Code.LEVELS_OF_SCALE, n=len(labels), low=levels[0], high=levels[-1])
    return None


# Categories: lists of answers.

_SEPARATORS = (";", "|", ",")
_FEWEST_LISTS, _MOST_LISTS = 6, 10_000  # distinct texts that may list answers (taste, and time)
FEWEST_ALONE = 2  # rows with the only word of a column beside missing values (taste)


def _lists(column: Column) -> Remark | None:
    """Return a remark on categories that combine several answers, such as "python|sql"."""
    texts = [label for label in column.labels if isinstance(label, str)]
    if not _FEWEST_LISTS <= len(texts) <= _MOST_LISTS:
        return None
    for mark in _SEPARATORS:
        lists = [text for text in texts if mark in text]
        answers = {part.strip() for text in texts for part in text.split(mark)} - {""}
        # Answers recur in many combinations; the parts of an address do not.
        if 2 * len(lists) >= len(texts) >= 2 * len(answers):
            return remark(Code.LISTED_ANSWERS, n=len(answers), cell=lists[0], n_labels=len(texts))
    return None


def _alone(column: Column) -> Remark | None:
    """Return a remark if a column has one distinct word and missing values, as from a check box."""
    present = column.present
    if column.is_missing is None or len(present) < FEWEST_ALONE or (present != present[0]).any():
        return None
    return remark(Code.CONSTANT_BESIDE_EMPTY, word=str(column.labels[present[0]]))


# Categories: numbers, and forms that are not read.

REMARKABLE_SHARE, FEWEST_BESIDE_A_WORD = 0.2, 6  # share of numbers, and numbers beside a word (taste)
FEWEST_NUMBERS = 20  # distinct numbers above which they are not category codes (taste)
_NUMBER = r"^\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_SAYS_SOMETHING = re.compile(r"[0-9]|^\s*(true|false|yes|no)\s*$", re.IGNORECASE)
_CODE = re.compile(r"(?=.*[0-9])(?=.*[A-Za-z])[0-9A-Za-z,;/. -]*$")


def are_many(n_distinct: int, n_values: int) -> bool:
    """Return True if there are too many distinct values for numbers to be category codes."""
    return n_distinct > FEWEST_NUMBERS or 2 * n_distinct > n_values


def numbers_among(cells: DistinctCells, name: str, reading: Reading | None) -> tuple[Note, ...]:
    """Return notes, at most one, if many categories of a text column look like numbers or dates.

    Many are half of the values, or 20 % and more than 20 distinct ones, or six distinct ones beside a single
    word. Plain numbers count, or what the reading has if that is more. The note is `is_mixed` if the column
    is no target: many numbers beside words that are no codes.
    """
    counts, is_number, what = cells.counts, matches(cells.texts, _NUMBER), None
    if reading is not None and counts[reading.is_read].sum() > counts[is_number].sum():
        is_number, what = reading.is_read, reading.problem or what_are(reading.values.type)
    n_values, n_numbers = int(counts.sum()), int(counts[is_number].sum())
    n_distinct, odd = int(np.count_nonzero(is_number)), np.flatnonzero(~is_number)
    is_half = 2 * n_numbers >= n_values
    is_most = is_half or (len(odd) == 1 and n_distinct >= FEWEST_BESIDE_A_WORD)
    is_remarkable = n_distinct > FEWEST_NUMBERS and n_numbers >= REMARKABLE_SHARE * n_values
    if not len(odd) or n_distinct < 2 or not (is_most or is_remarkable):
        told = form_not_read(cells.texts, counts, name)
        return () if told is None else (Note(name, (told,)),)
    others = [cells.texts[int(code)].as_py() for code in odd[np.argsort(-counts[odd], kind="stable")]]
    words = tuple(others[:_LISTED]) if is_most else ()
    # Limits (3+), codes (2A) and flags say something; only the caller can tell that of a word.
    is_advised = is_most and len(others) <= _LISTED and not any(map(_SAYS_SOMETHING.search, others))
    problem = what if isinstance(what, Remark) else None
    option = None if problem else Option("missing", words if is_advised else (OPEN,))
    said = remark(
        Code.NUMBERS_AMONG_CATEGORIES,
        n_read=n_numbers,
        n_values=n_values,
        # Advice on marks would follow a problem; which words are beside the numbers matters more.
        what=problem.with_values(option=None) if problem else what or "numbers",
        words=words or None,
        n_more=(max(len(others) - _LISTED, 0) or None) if words else None,
        option=option if is_advised else None,
        asks=None if is_advised else option,
    )
    is_mixed = is_half and are_many(n_distinct, n_numbers) and not all(map(_CODE.match, others))
    return (Note(name, (said,), is_mixed=is_mixed),)


def what_are(arrow_type: Any) -> str:
    """Name the values of an Arrow type in the plural, such as "dates"."""
    import pyarrow.types as types

    if types.is_timestamp(arrow_type) or types.is_date(arrow_type):
        return "dates"
    return "times" if types.is_temporal(arrow_type) else "numbers"


_MONTH = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_UNIT = r"(?i:d|days?|h|hrs?|hours?|std|stunden?|m|mins?|minutes?|minuten|s|secs?|seconds?|sek)\.?"
_MARKED = r"(?:(?:\[\w[\w ]{0,6}\])+|\*{1,3}|[†‡§]|\([a-z]\)|[.,](?:\d\d|-)?[-–—]\W{0,2})"
_FORMS = {
    r"^\d{4}[ -]?M\d{2}$": "months of a year",
    r"^\d+(?:[.,]\d+)? ?(?:[KkMGT]i?)?B$": "sizes in bytes",
    r"^\D{0,3}\d+(?:[.,]\d+)? ?[KkMT]$": "thousands or millions",
    rf"^(?:{_MONTH}\.?[ -]'?\d{{1,2}}|\d{{1,2}}[ -]{_MONTH}\.?)$": "months beside a day or a year",
    rf"^\d+(?:[.,]\d+)? ?{_UNIT},? ?(?:and |und )?\d.*$|^PT?\d.*[DHMS]$": "spans of time",
    r"^\d+:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[APap]\.?[Mm]\.?)?$": "times of several forms or spans of time",
    r"^\d+(?:[.,]\d+)? ?/ ?(?:5|10|20)$": "points out of a whole",
    r"^\d[\d.,]* ?/ ?(?:\pL{2}[\pL\d]*|[hsdLl])$": "numbers per unit",
    r"^\d{3} ?/ ?\d{2,3}(?: ?mm ?Hg)?$": "two numbers each",
    r"^\d{1,3}[:'′’]\d{2}(?:[.,]\d+)?[\"″”]? ?(?:min\.? ?)?/ ?\w+$": "minutes and seconds per distance",
    r"^\[?\d{1,2}/\pL{3}/\d{4}:\d{2}:\d{2}:": "times of web servers",
    r"^\d{8}[T:_ ]\d{2}:?\d{2}(?::?\d{2})?(?:Z|[+-]\d{4})?$": "dates and times without marks between them",
    r"^\d{4}-\d{3}T\d{2}:": "days of the year",
    r"^\d{1,2}(?:er)?\.? (?:de )?\pL{3,10}\.? (?:de )?(?:1[89]|20)\d\d\b": "dates in another language",
    r"^[+-]?\d[\d.,]* ?(?:%|\pL[\pL/]*)? ?(?:±|\+/?-) ?\d": "numbers with errors",
    rf"^\W{{0,3}}\d[\d.,]*%? ?{_MARKED}$": "numbers with marks",
}
FEWEST_OF_A_FORM = 2  # distinct cells of an unsupported format from which on it is remarked (taste)


def form_not_read(texts: Any, counts: IntArray, name: str) -> Remark | None:
    """Return a remark if at least half of the text cells look like numbers or dates in an unsupported form.

    >>> import pyarrow as pa
    >>> weeks = pa.array(["Jan-16", "Feb-16", "Mar-17"])
    >>> print(form_not_read(weeks, np.ones(3, np.int64), "when"))
    'Jan-16' and 'Feb-16' look like months beside a day or a year, which are not read; ...
    """
    bare, counts = stripped(texts.slice(0, SAMPLE_VALUES)), counts[:SAMPLE_VALUES]
    for form, what in _FORMS.items():
        has_form = matches(bare, form) & (counts > 0)
        if np.count_nonzero(has_form) >= FEWEST_OF_A_FORM and 2 * counts[has_form].sum() >= counts.sum():
            first, second = (bare[int(k)].as_py() for k in np.flatnonzero(has_form)[:2])
            keeps = Option("categorical", (name,))
            return remark(Code.FORM_NOT_READ, first=first, second=second, form=what, option=keeps)
    return None
