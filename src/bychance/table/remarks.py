"""What to say about a typed column: sentinels, labels that differ little, numbers among labels, counters."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from bychance.arrow_values import numpy_of, strings_of
from bychance.columns import Column
from bychance.kinds import Kind
from bychance.names import count_of

__all__ = ["counts_rows", "merge_labels", "remarks_on"]

REMARKABLE_SHARE = 0.2
FEWEST_NUMBERS, FEWEST_COUNTED = 20, 20
FEWEST_SENTINELS = 2
SENTINELS = frozenset(sign * (10**digits - 1) for digits in range(2, 8) for sign in (-1, 1))
_NUMBER = r"^\s*[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?\s*$"
_LISTED = 3


def remarks_on(column: Column, *, is_text: bool) -> list[str]:
    """All that there is to say, with the option that changes it; `is_text` where its cells were text."""
    if column.kind is Kind.NUMERIC:
        remarks = [] if column.clock is not None else [_sentinel(column)]
        if column.clock is None and column.values.dtype.kind in "iu" and counts_rows(column, FEWEST_COUNTED):
            remarks.append("it counts the rows; drop it if that is all it does")
    else:
        remarks = [_variants(column), _numbers(column) if is_text else None]
    return [remark for remark in remarks if remark is not None]


def merge_labels(column: Column) -> Column:
    """The column with labels that differ by case or blanks alone as one, the most frequent.

    >>> from bychance.read_column import read_column
    >>> merged = merge_labels(read_column(["Male", "male ", "Male", "female"], "sex"))
    >>> [merged.labels[code] for code in merged.values]
    ['Male', 'Male', 'Male', 'female']
    """
    if column.kind is Kind.NUMERIC or not column.labels:
        return column
    counts = np.bincount(column.present, minlength=len(column.labels))
    codes = np.arange(len(column.labels), dtype=column.values.dtype)
    for alike in _alike(column):
        codes[alike] = max(alike, key=lambda code: counts[code])
    return replace(column, values=codes[column.values])


def counts_rows(column: Column, fewest: int) -> bool:
    """Whether a column is n, n + 1, n + 2, … all the way down, on at least so many rows.

    >>> from bychance.read_column import read_column
    >>> counts_rows(read_column(list(range(1990, 2020)), "year"), fewest=20)
    True
    """
    if column.kind is not Kind.NUMERIC or column.values.dtype.kind not in "iu" or len(column) < fewest:
        return False
    return column.is_missing is None and bool((np.diff(column.values) == 1).all())


def _sentinel(column: Column) -> str | None:
    """Numbers of nines such as -999, two or more, further from all others than these are from each other."""
    present = column.present
    if len(present) <= FEWEST_SENTINELS:
        return None
    for end, value in (("low", present.min()), ("high", present.max())):
        if value not in SENTINELS:
            continue
        others = present[present != value]
        n_equal = len(present) - len(others)
        if n_equal < FEWEST_SENTINELS or not len(others):
            continue
        low, high = float(others.min()), float(others.max())
        gap = low - float(value) if end == "low" else float(value) - high
        if gap > high - low:
            return (
                f"{value:g} stands {count_of(n_equal, 'time')} far from all other values; "
                f"missing=[{value:g}] reads it as missing"
            )
    return None


def _variants(column: Column) -> str | None:
    alike = _alike(column)
    if not alike:
        return None
    labels = [repr(column.labels[code]) for code in alike[0][:_LISTED]]
    more = f" ({len(alike) - 1} more such groups)" if len(alike) > 1 else ""
    return (
        f"{', '.join(labels)} differ by case or blanks only{more}; merge=[{column.name!r}] takes them as one"
    )


def _alike(column: Column) -> list[list[int]]:
    """Codes of labels that are the same but for case and blanks."""
    import pyarrow.compute as pc

    if len(column.labels) < 2 or not isinstance(column.labels[0], str):
        return []
    texts = strings_of(map(str, column.labels))
    keys = pc.utf8_lower(pc.replace_substring_regex(texts, r"\s+", "")).dictionary_encode()
    if len(keys.dictionary) == len(column.labels):
        return []
    groups: defaultdict[int, list[int]] = defaultdict(list)
    used = np.flatnonzero(np.bincount(column.present, minlength=len(column.labels)))
    for code, key in zip(used.tolist(), numpy_of(keys.indices)[used].tolist(), strict=True):
        groups[key].append(code)
    return [codes for codes in groups.values() if len(codes) > 1]


def _numbers(column: Column) -> str | None:
    """Labels of which at least 20 %, and more than 20 distinct ones, are numbers.

    >>> from bychance.read_column import read_column
    >>> _numbers(read_column([str(k) for k in range(30)] + ["low", "high"] * 10, "dose"))
    'labels, though 30 of 50 values are numbers; missing=[…] says which of the others are missing values'
    """
    import pyarrow.compute as pc

    if column.kind is Kind.NUMERIC or len(column.labels) <= FEWEST_NUMBERS:
        return None
    is_number = numpy_of(pc.match_substring_regex(strings_of(map(str, column.labels)), _NUMBER))
    present = column.present
    counts = np.bincount(present, minlength=len(is_number))
    n_numbers, n_distinct = int(counts[is_number].sum()), np.count_nonzero(counts[is_number])
    if n_distinct <= FEWEST_NUMBERS or n_numbers < REMARKABLE_SHARE * len(present):
        return None
    if n_numbers == len(present):
        return None
    return (
        f"labels, though {n_numbers:,} of {len(present):,} values are numbers; "
        "missing=[…] says which of the others are missing values"
    )
