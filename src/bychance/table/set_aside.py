"""Which columns of text say nothing about others: strings → the reason to set them aside, or None."""

from __future__ import annotations

from typing import Any

__all__ = ["are_strings", "reason_to_set_aside"]

# Fewer values than this are no evidence: five distinct names may be five real categories.
FEWEST_VALUES = 20
IDENTIFIER_SHARE = 0.95
LONG_TEXT = 40


def reason_to_set_aside(values: Any) -> str | None:
    """Why an Arrow array of strings is no category; None where it may be one, or is of another type.

    With at least 20 values present, a column is

    - *free text* where more than half of them are distinct, they are longer than 40 characters on average
      and at least half of them hold two or more blanks;
    - *an identifier* where more than 95 % of them are distinct.

    Only undeclared strings are asked: numbers, dates, booleans, categories and the nominal attributes of
    ARFF are what their type says they are, and so is what the caller names in `categorical`.

    >>> import pyarrow as pa
    >>> reason_to_set_aside(pa.array([f"patient {k}" for k in range(30)]))
    'an identifier: 30 of 30 values are distinct'
    >>> reason_to_set_aside(pa.array(["yes", "no"] * 15)) is None
    True
    """
    import pyarrow.compute as pc

    n_present = len(values) - values.null_count if are_strings(values) else 0
    if n_present < FEWEST_VALUES:
        return None
    n_distinct = pc.count_distinct(values, mode="only_valid").as_py()
    if 2 * n_distinct > n_present and _is_prose(values):
        return f"free text: {n_distinct:,} of {n_present:,} values are distinct and long"
    if n_distinct > IDENTIFIER_SHARE * n_present:
        return f"an identifier: {n_distinct:,} of {n_present:,} values are distinct"
    return None


def are_strings(values: Any) -> bool:
    """Whether this is an Arrow array of strings."""
    import pyarrow as pa
    import pyarrow.types as types

    if not isinstance(values, pa.Array | pa.ChunkedArray):
        return False
    return bool(types.is_string(values.type) or types.is_large_string(values.type))


def _is_prose(strings: Any) -> bool:
    import pyarrow.compute as pc

    if pc.mean(pc.utf8_length(strings)).as_py() <= LONG_TEXT:
        return False
    has_words = pc.match_substring_regex(strings, r"\s\S+\s")
    return bool(pc.mean(has_words).as_py() >= 0.5)
