"""Distinct rows of bytes against a dict."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance import _native


def _slowly(rows):
    numbers: dict[bytes, int] = {}
    codes = [numbers.setdefault(bytes(row), len(numbers)) for row in rows]
    return codes, [codes.index(code) for code in range(len(numbers))]


@given(st.integers(1, 20), st.data())
def test_rows_are_numbered_as_they_first_occur(width, data):
    cells = st.binary(min_size=width, max_size=width)
    rows = data.draw(st.lists(st.one_of(cells, st.sampled_from([b"\0" * width, b"\1" * width])), max_size=40))
    codes, first = _native.distinct_rows(
        np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), width).copy()
    )

    assert (codes.tolist(), first.tolist()) == _slowly(rows)


@pytest.mark.parametrize("width", [1, 8, 17])
def test_the_table_of_slots_grows_with_the_distinct_rows(width):
    rows = np.random.default_rng(width).integers(0, 256, size=(2000, width)).astype(np.uint8)
    rows = np.concatenate([rows, rows[::-1]])
    codes, first = _native.distinct_rows(rows)

    assert (codes.tolist(), first.tolist()) == _slowly(rows)


def test_rows_of_no_bytes_are_refused():
    with pytest.raises(ValueError, match="one byte or more"):
        _native.distinct_rows(np.zeros((3, 0), dtype=np.uint8))
