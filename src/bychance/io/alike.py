"""Strings that differ by their digits alone, as dates of one format do: cut by bytes, not one by one."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["cut_alike"]

_ZERO = ord("0")
_DIGITS = re.compile(r"\d*")


def cut_alike(texts: Any, form: str) -> dict[str, tuple[int, NDArray[np.int64]]] | None:
    r"""The named parts of all strings by length and number; None where the form has to cut each by itself.

    All strings must have the form's digits and other characters where the first one has them, and parts be of
    digits or empty. Whatever matches digits in the form must match all of them.

    >>> import pyarrow as pa
    >>> texts = pa.array(["03/2019", "11/2020"], pa.large_string())
    >>> cut = cut_alike(texts, r"^(?P<month>\d+)/(?P<year>\d+)$")
    >>> {name: numbers.tolist() for name, (_, numbers) in cut.items()}
    {'month': [3, 11], 'year': [2019, 2020]}
    """
    cells = _bytes_of(texts)
    if cells is None:
        return None
    found = re.match(form, texts[0].as_py())
    if found is None or not all(_DIGITS.fullmatch(part or "") for part in found.groupdict().values()):
        return None
    digits = {}
    for k, first in enumerate(cells[0]):
        column = cells[:, k] - np.uint8(_ZERO)
        is_digit = first - np.uint8(_ZERO) < 10 if first >= _ZERO else False
        if not (column < 10 if is_digit else cells[:, k] == first).all():
            return None
        digits[k] = column
    parts = {}
    for name in found.groupdict():
        start, end = found.span(name)
        number = np.zeros(len(cells), dtype=np.int64)
        for k in range(start, end):
            number = 10 * number + digits[k]
        parts[name] = end - start, number
    return parts


def _bytes_of(texts: Any) -> NDArray[np.uint8] | None:
    """Strings of one length as rows of bytes; None where one is null, longer, or not ASCII."""
    n = len(texts)
    if not n or texts.null_count or str(texts.type) != "large_string":
        return None
    _, places, data = texts.buffers()
    ends = np.frombuffer(places, dtype=np.int64)[texts.offset : texts.offset + n + 1]
    length = int(ends[1] - ends[0])
    if not length or (np.diff(ends) != length).any():
        return None
    cells = np.frombuffer(data, dtype=np.uint8)[ends[0] : ends[-1]].reshape(n, length)
    return cells if (cells < 128).all() else None
