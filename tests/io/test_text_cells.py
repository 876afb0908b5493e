"""Text is read alike however it is held, each distinct cell once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.errors import BychanceError
from bychance.io import read_table
from bychance.io.cells import DistinctCells
from bychance.kinds import Kind

CELLS = st.sampled_from([
    "1", "2.5", "-3", "007", "$1,200.50", "(4)", "12 kg", "5%", "2019-03-04", "3/4/2019", "14/4/2019",
    "Mar 2020", "8:05", "true", "FALSE", "North", "north ", " ", "", "NA", "-", "n.a.", "inf", "1e400", "?",
    "a;b", "日本",
])  # fmt: skip


_few = st.lists(CELLS, min_size=1, max_size=3)


def _read(values):
    try:
        table = read_table({"text": values, "y": np.arange(len(values)) * 0.5})
    except BychanceError as error:
        return str(error)
    columns = [(c.kind, c.values.dtype, c.values.tobytes(), c.labels, _missing(c)) for c in table]
    return columns, [str(note) for note in table.notes]


def _missing(column):
    return None if column.is_missing is None else column.is_missing.tolist()


@pytest.mark.slow
@given(_few.flatmap(lambda few: st.lists(st.sampled_from(few), min_size=1)))
def test_text_is_read_alike_as_numpy_strings_objects_and_arrow_strings(cells):
    by_row = _read(pa.array(cells))

    assert _read(np.array(cells)) == by_row
    assert _read(np.array(cells, dtype=object)) == by_row
    assert _read(pa.chunked_array([cells[:1], cells[1:]], pa.string())) == by_row


@pytest.mark.parametrize("dtype", [">U5", "U5", "T"])
def test_strings_of_any_numpy_dtype_are_read(dtype):
    dtype = np.dtypes.StringDType() if dtype == "T" else dtype
    table = read_table({"x": np.array(["b", "a", "b", "NA"], dtype=dtype)[::-1], "y": [1.0, 2.0, 3.0, 5.0]})

    assert table["x"].labels == ("b", "a")
    assert table["x"].is_missing.tolist() == [True, False, False, False]


def test_half_a_character_is_a_category():
    column = read_table({"x": np.array(["a", "\ud800", "a"])})["x"]

    assert column.kind is Kind.CATEGORICAL
    assert column.labels == ("a", "\ud800")


def test_cells_that_are_left_out_are_null_and_the_others_move_up():
    cells = DistinctCells.of(pa.array(["x", None, "NA", "y", "x", "NA"])).only(np.array([True, False, True]))

    assert cells.texts.to_pylist() == ["x", "y"]
    assert cells.codes.tolist() == [0, -1, -1, 1, 0, -1]
    assert cells.counts.tolist() == [2, 1]
    assert cells.spread(pa.array([7, 8])).to_pylist() == [7, None, None, 8, 7, None]
