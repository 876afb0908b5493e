"""Arrow buffers read by hand are what pyarrow itself makes of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bychance.arrow_values import null_mask, numpy_of, strings_of

TYPES = [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.bool_()]


@pytest.mark.parametrize("arrow_type", TYPES)
@given(
    st.lists(st.sampled_from([None, 0, 1]), min_size=1, max_size=40), st.integers(0, 20), st.integers(0, 20)
)
def test_any_slice_has_the_values_and_nulls_that_pyarrow_says(arrow_type, values, start, length):
    array = pa.array(values, pa.int8()).cast(arrow_type).slice(start, length)
    is_null = null_mask(array)
    present = [value for value in array.to_pylist() if value is not None]

    assert is_null.tolist() == [value is None for value in array.to_pylist()]
    assert numpy_of(array)[~is_null].tolist() == present
    assert numpy_of(array).dtype == np.dtype(arrow_type.to_pandas_dtype())


@given(st.lists(st.text()))
def test_strings_come_back(texts):
    array = strings_of(texts)

    array.validate(full=True)
    assert array.to_pylist() == texts
