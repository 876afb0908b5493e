"""The kernel that reads products of lines, emulated: it finds and counts what NumPy does."""

import numpy as np
import pytest

from tests.engine.screens import N_BINS, Backend


def screened(emulator, r, threshold, capacity):
    count, bins = np.zeros(1, dtype=np.uint64), np.zeros(N_BINS, dtype=np.uint64)
    at, value = np.zeros(capacity, dtype=np.uint64), np.zeros(capacity, dtype=np.float32)
    arguments = (
        r,
        np.uint64(r.size),
        np.float32(threshold),
        np.uint64(capacity),
        count,
        at,
        value,
        bins,
        np.int32(1),
    )
    emulator.request("screen.cu", "screen").result()(3, 64, 4 * N_BINS, arguments)
    return int(count[0]), at, value, bins


@pytest.mark.parametrize("shape", [(40, 50), (37, 41), (1, 3)])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.99, 2.0])
def test_the_kernel_finds_and_counts_what_numpy_does(emulator, shape, threshold):
    r = np.random.default_rng(0).uniform(-1.0, 1.0, size=shape).astype(np.float32)
    r[0, 0], r[0, -1] = -1.0, np.float32(threshold)
    expected = Backend().screened(r, threshold, most=None, is_counted=True)

    count, at, value, bins = screened(emulator, r, threshold, r.size)

    order = np.argsort(at[:count])
    np.testing.assert_array_equal(at[:count][order], expected.at)
    np.testing.assert_array_equal(value[:count][order], expected.r)
    np.testing.assert_array_equal(bins, expected.bins)


def test_without_room_the_kernel_only_counts_on(emulator):
    r = np.ones((20, 20), dtype=np.float32)

    count, at, _, _ = screened(emulator, r, 0.5, 7)

    assert count == 400
    assert len(set(at.tolist())) == 7


def test_what_is_no_number_is_found(emulator):
    """A product that went wrong must not hide."""
    r = np.zeros((4, 9), dtype=np.float32)
    r[2, 3] = np.nan

    count, at, _, _ = screened(emulator, r, 0.5, 10)

    assert (count, int(at[0])) == (1, 21)
