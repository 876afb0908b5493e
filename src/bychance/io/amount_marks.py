"""What stands behind numbers and is no unit: footnotes' marks, flags, errors (± 0.4), what it is out of."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from bychance.arrow_values import is_true
from bychance.messages import Code, Remark, remark

__all__ = ["are_flags", "without_marks"]

MOST_MARKED = 0.5
_START = 1000
_MARK = r"([0-9%]) ?(?:\*{1,3}|[†‡§]|\([a-z]\))$"
# In square brackets, as encyclopedias have them behind any number.
_REFERENCE = r"^([^\[]*[0-9][^\[]*?) ?(?:\[(?:[0-9a-z]{1,3}|(?:note|nb) ?[0-9]{1,2})\])+$"
_OUT_OF = r"^(?P<of>\d+(?:[.,]\d+)?) ?/ ?(?P<all>\d+)$"
_ERROR = r"^([+-]?[0-9][0-9.,]*) ?(%|\pL[\pL/]*)? ?(?:±|\+/-|\+-) ?[0-9][0-9.,]*( ?(?:%|\pL[\pL/]*))?$"
_YEARS = range(1800, 2101)
# Eurostat's: break, confidential, differs, estimated, forecast, see notes, provisional, revised, …
_FLAGS = frozenset("bcdefinprsuz")
_SURE_FLAGS = frozenset("bepru")


def are_flags(units: tuple[str, ...]) -> bool:
    """Whether these are flags of statistics and no units: one or two letters, as Eurostat has them.

    >>> are_flags(("b", "e", "p")), are_flags(("p",)), are_flags(("s",)), are_flags(("kg",))
    (True, True, False, False)
    """
    if not units or not all(len(unit) <= 2 and _FLAGS.issuperset(unit) for unit in units):
        return False
    return len(units) > 1 or _SURE_FLAGS.issuperset(units[0])


def without_marks(texts: Any) -> tuple[Any, tuple[Remark, ...]]:
    """The cells without footnotes' marks, errors, or what all are out of; and what to say of it.

    Marks stand behind fewer than half of the cells, references in square brackets behind any.

    >>> from bychance.arrow_values import strings_of
    >>> cells, said = without_marks(strings_of(["17/20", "9/20"]))
    >>> print(cells.to_pylist(), *said)
    ['17', '9'] numbers out of 20: '17/20' is read as 17
    >>> without_marks(strings_of(["12*", "9", "10", "8"]))[0].to_pylist()
    ['12', '9', '10', '8']
    >>> without_marks(strings_of(["1,234[12]", "56[a][3]"]))[0].to_pylist()
    ['1,234', '56']
    >>> without_marks(strings_of(["10.3 ± 0.4", "9.8 ± 0.3 kg"]))[0].to_pylist()
    ['10.3', '9.8 kg']
    """
    import pyarrow.compute as pc

    start = pc.drop_null(texts).slice(0, _START)
    has_reference = is_true(pc.match_substring_regex(start, _REFERENCE))
    if has_reference.any():
        first = start[int(has_reference.argmax())].as_py()
        texts, said = without_marks(pc.replace_substring_regex(texts, _REFERENCE, r"\1"))
        return texts, (remark(Code.MARKS_LEFT_OUT, cell=first), *said)
    is_marked = is_true(pc.match_substring_regex(start, _MARK))
    if is_marked.any() and is_marked.mean() < MOST_MARKED:
        first = start[int(is_marked.argmax())].as_py()
        return pc.replace_substring_regex(texts, _MARK, r"\1"), (remark(Code.MARKS_LEFT_OUT, cell=first),)
    has_error = is_true(pc.match_substring_regex(start, _ERROR))
    if has_error.any():
        first = start[int(has_error.argmax())].as_py()
        number = re.sub(r"[^0-9.,+-].*", "", first)
        told = remark(Code.ERRORS_LEFT_OUT, cell=first, number=number)
        return pc.replace_substring_regex(texts, _ERROR, r"\1\2\3"), (told,)
    return _out_of(texts, start)


def _out_of(texts: Any, start: Any) -> tuple[Any, tuple[Remark, ...]]:
    """The cells before the slash where all have the same number behind it, as large as any before."""
    import pyarrow.compute as pc

    if not is_true(pc.match_substring_regex(start, _OUT_OF)).any():
        return texts, ()
    cut = pc.drop_null(pc.extract_regex(texts, _OUT_OF))
    wholes = pc.unique(cut.field("all")).to_pylist()
    parts = pc.replace_substring(cut.field("of"), ",", ".").cast("float64")
    if len(wholes) > 1 or int(wholes[0]) in _YEARS or pc.max(parts).as_py() > int(wholes[0]):
        return texts, ()
    first = start[int(np.argmax(is_true(pc.match_substring_regex(start, _OUT_OF))))].as_py()
    said = remark(Code.OUT_OF_WHOLE, whole=wholes[0], cell=first, number=first.partition("/")[0].strip())
    return pc.replace_substring_regex(texts, _OUT_OF, r"\1"), (said,)
