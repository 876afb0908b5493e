"""Which columns of text say nothing about others: distinct cells → the reason to set them aside, or None."""

from __future__ import annotations

import numpy as np

from bychance.arrow_values import arrow_of_numpy, null_mask, numpy_of
from bychance.io.text_cells import DistinctCells
from bychance.messages import Code, Remark, remark

__all__ = ["reason_to_set_aside"]

# Fewer values than this are no evidence: five distinct names may be five real categories.
FEWEST_VALUES = 20
IDENTIFIER_SHARE = 0.95
NEARLY_ALL = 0.9
LONG_TEXT = 40
_START = 1000
_PRESSURE = r"^\s*(?P<upper>[1-9]\d{1,2})\s*/\s*(?P<lower>[1-9]\d{1,2})\s*(?:mm ?Hg)?\s*$"
_TWO_NUMBERS = r"^\s*\d+(?:\.\d+)?\s*/\s*\d+(?:\.\d+)?\s*$"


def reason_to_set_aside(cells: DistinctCells) -> Remark | None:
    """Why a column of strings is no category; None where it may be one.

    With at least 20 values present, a column is

    - *two numbers* where nearly all cells are such, the first the larger, as blood pressures (120/80) are;
      fewer than 20 values do as well;
    - *free text* where more than half of them are distinct, they are longer than 40 characters on average
      and at least half of them hold two or more blanks;
    - *an identifier* where more than 95 % of them are distinct.

    Only undeclared strings are asked: numbers, dates, booleans, categories and the nominal attributes of
    ARFF are what their type says they are, and so is what the caller names in `categorical`.

    >>> print(reason_to_set_aside(DistinctCells.of_numpy(np.array([f"patient {k}" for k in range(30)]))))
    an identifier: 30 of 30 values are distinct
    >>> reason_to_set_aside(DistinctCells.of_numpy(np.array(["yes", "no"] * 15))) is None
    True
    """
    n_present, n_distinct = int(np.count_nonzero(cells.codes >= 0)), len(cells.texts)
    if (pairs := _larger_first(cells, n_present)) is not None:
        return pairs
    if n_present < FEWEST_VALUES:
        return None
    if 2 * n_distinct > n_present and _is_prose(cells, n_present):
        return remark(Code.FREE_TEXT, n_distinct=n_distinct, n_values=n_present)
    if n_distinct > IDENTIFIER_SHARE * n_present:
        counted = remark(Code.IDENTIFIER, n_distinct=n_distinct, n_values=n_present)
        return _two_numbers(cells) or counted
    return None


def _larger_first(cells: DistinctCells, n_present: int) -> Remark | None:
    """That nearly all cells hold two numbers of two or three digits, the first the larger; None elsewhere.

    Fractions (1/2) and seasons (2019/20) are categories as long as they recur.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    start = cells.texts.slice(0, _START)
    if len(cells.texts) < 2 or not pc.any(pc.match_substring_regex(start, _PRESSURE)).as_py():
        return None
    cut = pc.extract_regex(cells.texts, _PRESSURE)
    is_pair = ~null_mask(cut)
    found = cut.filter(arrow_of_numpy(is_pair))
    upper, lower = (found.field(name).cast(pa.int64()) for name in ("upper", "lower"))
    is_pair[is_pair] = numpy_of(pc.greater(upper, lower))
    if cells.count(is_pair) < NEARLY_ALL * n_present:
        return None
    return _said_of_two(cells.texts[int(is_pair.argmax())].as_py())


def _two_numbers(cells: DistinctCells) -> Remark | None:
    """That each cell holds two numbers, as blood pressures do; None where not all do."""
    import pyarrow.compute as pc

    if not pc.all(pc.match_substring_regex(cells.texts, _TWO_NUMBERS)).as_py():
        return None
    return _said_of_two(cells.texts[0].as_py())


def _said_of_two(cell: str) -> Remark:
    return remark(Code.TWO_NUMBERS, cell=cell.strip())


def _is_prose(cells: DistinctCells, n_present: int) -> bool:
    import pyarrow.compute as pc

    if int(cells.counts @ numpy_of(pc.utf8_length(cells.texts))) <= LONG_TEXT * n_present:
        return False
    has_words = numpy_of(pc.match_substring_regex(cells.texts, r"\s\S+\s"))
    return 2 * cells.count(has_words) >= n_present
