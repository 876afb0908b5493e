"""The kernel that makes lines, emulated: they are NumPy's, and so is what is known of each column."""

import numpy as np
import pytest

from tests.engine.screens import InfiniteError, cuda_lines, lines_of
from tests.gpu.emulator.fake_cupy import There
from tests.ranking.all_pairs.arrays import mixed_arrays


def assert_same_lines(values, *, is_ranked=False):
    lines, facts = cuda_lines(values.view(There), is_ranked=is_ranked)
    expected, known = lines_of(values, np.float16, is_ranked=is_ranked)

    np.testing.assert_array_equal(facts.kind, known.kind)
    np.testing.assert_allclose(facts.fourth, known.fourth, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(facts.rounding, known.rounding, rtol=1e-4, atol=1e-12)
    np.testing.assert_allclose(lines.astype(float), expected.astype(float), rtol=2e-3, atol=1e-7)


@pytest.mark.parametrize("is_ranked", [False, True])
@pytest.mark.parametrize("n", [33, 64])
def test_lines_of_every_sort_of_column_are_numpys(fake, n, is_ranked):
    for values in mixed_arrays(n, n_x=34):
        assert_same_lines(values, is_ranked=is_ranked)


@pytest.mark.parametrize("dtype", ["f2", "i1", "i8", "b1"])
def test_all_types_of_numbers_are_read(fake, dtype):
    values = np.random.default_rng(0).integers(0, 2 if dtype == "b1" else 40, size=(50, 5)).astype(dtype)
    assert_same_lines(values)
    assert_same_lines(np.asfortranarray(values)[:, ::2])


def test_rare_values_are_found_wherever_they_stand(fake):
    rng = np.random.default_rng(1)
    columns = [np.where(rng.permutation(100) < k, rng.normal(size=100), 0.5) for k in range(15, 40)]
    assert_same_lines(np.column_stack(columns))


@pytest.mark.parametrize("is_ranked", [False, True])
def test_an_infinite_value_is_named(fake, is_ranked):
    values = np.random.default_rng(0).normal(size=(40, 3))
    values[7, 2] = -np.inf
    with pytest.raises(InfiniteError) as caught:
        cuda_lines(values.view(There), is_ranked=is_ranked)
    assert (caught.value.column, caught.value.row) == (2, 7)
