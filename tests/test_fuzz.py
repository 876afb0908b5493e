"""Whatever is thrown at adjust(), it answers with a result or with one clear error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import bychance as bc
from tests.engine.nulls import FixedAuto

NAMES = [m.name for m in bc.list_measures()]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.complex_numbers(),
)
DTYPES = st.one_of(
    hnp.floating_dtypes(), hnp.integer_dtypes(), hnp.boolean_dtypes(), hnp.unicode_string_dtypes(max_len=2),
    hnp.datetime64_dtypes(), hnp.timedelta64_dtypes(), hnp.complex_number_dtypes(),
)  # fmt: skip
ANYTHING = st.one_of(
    st.lists(SCALARS, max_size=12),
    hnp.arrays(DTYPES, hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=12)),
    st.lists(st.one_of(st.none(), st.floats(width=16)), min_size=3, max_size=12),
    st.lists(st.sampled_from("abc"), min_size=3, max_size=12),
    SCALARS,
)


def is_sound(result):
    """Return True for NaN throughout, or finite values with a p-value in (0, 1]."""
    if math.isnan(result.observed):
        return result.n < 4 and math.isnan(result.adjusted)
    finite = all(map(math.isfinite, (result.observed, result.adjusted, result.standardized, result.bound)))
    return finite and 0 <= result.p_value <= 1


@pytest.mark.filterwarnings("ignore::RuntimeWarning:numpy")  # of casting what the fuzzer made, not of ours
@settings(max_examples=3_000)
@given(measure=st.sampled_from(NAMES), x=ANYTHING, y=ANYTHING)
def test_any_two_things_get_a_result_or_one_clear_error(measure, x, y):
    try:
        result = bc.adjust(measure, x, y, null=FixedAuto(19))
    except (ValueError, TypeError) as error:
        assert "`" in str(error) or "hsic" in str(error)
    else:
        assert is_sound(result)


@settings(max_examples=1_500)
@given(
    measure=st.sampled_from(NAMES),
    pair=st.integers(1, 30).flatmap(
        lambda n: st.tuples(
            *[st.lists(st.one_of(st.floats(allow_infinity=False), st.integers(0, 2)), min_size=n, max_size=n)]
            * 2
        )
    ),
    null=st.sampled_from(["auto", "moments"]),
)
def test_any_two_columns_of_numbers_get_a_sound_result(measure, pair, null):
    x, y = (np.array(v, dtype=float) for v in pair)
    is_sampled = null == "auto" or measure in ("mic", "mic_e", "tic_e")
    result = bc.adjust(measure, x, y, null=FixedAuto(19) if is_sampled else null)

    assert is_sound(result)


@settings(max_examples=300)
@given(st.one_of(SCALARS, st.lists(SCALARS, max_size=3)))
def test_any_alpha_is_taken_or_refused(alpha):
    result = bc.adjust("r2", [1, 2, 3, 4], [2, 1, 4, 3])
    try:
        value = result.adjusted_at(alpha)
    except ValueError as error:
        assert "`alpha`" in str(error)
    else:
        assert math.isfinite(value)
