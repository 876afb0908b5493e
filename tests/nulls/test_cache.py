"""The store of nulls: the first S draws whatever it held, whatever died, whoever else was writing."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.nulls import NullStore, default_store
from tests.nulls.cache_cases import Kernel, make_key, roots

KEY = make_key()

sizes = st.integers(0, 80)
requests = st.lists(
    st.tuples(sizes, st.booleans(), st.sampled_from([None, 1, 7, 100])), min_size=1, max_size=8
)


@given(requests)
def test_a_request_answers_with_the_first_draws_whatever_came_before(asked):
    """For all sequences of sizes, blocks and restarts: the answer is a prefix, and no draw is made twice."""
    with tempfile.TemporaryDirectory() as directory:
        kernel, store = Kernel(), NullStore(Path(directory))
        for size, is_restarted, block in asked:
            store = NullStore(Path(directory), block=block) if is_restarted else store
            np.testing.assert_array_equal(store.draws(KEY, size, kernel), roots(0, size))
        assert kernel.computed == list(range(max(size for size, _, _ in asked)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 40)), max_size=20), st.integers(0, 600))
def test_memory_alone_answers_the_same_and_stays_bounded(asked, max_memory_bytes):
    store = NullStore(None, max_memory_bytes=max_memory_bytes)
    for seed, size in asked:
        np.testing.assert_array_equal(store.draws(make_key(seed=seed), size, roots), roots(0, size))
        assert sum(draws.nbytes for draws in store._memory.values()) <= max_memory_bytes


def test_memory_forgets_the_null_unused_for_longest():
    store, kernel = NullStore(None, max_memory_bytes=2 * 8 * 10), Kernel()
    first, second, third = (make_key(seed=seed) for seed in range(3))
    for key in (first, second, first, third):
        store.draws(key, 10, roots)

    store.draws(first, 10, kernel)
    store.draws(third, 10, kernel)
    assert kernel.calls == []
    store.draws(second, 10, kernel)
    assert kernel.computed == list(range(10))


def test_memory_answers_without_the_disk(tmp_path):
    store = NullStore(tmp_path)
    store.draws(KEY, 10, roots)
    for file in tmp_path.glob("*/*"):
        file.unlink()

    kernel = Kernel()
    store.draws(KEY, 10, kernel)
    assert kernel.calls == []


def test_keys_do_not_share_draws(tmp_path):
    store = NullStore(tmp_path)
    store.draws(KEY, 10, roots)

    np.testing.assert_array_equal(store.draws(make_key(seed=8), 10, lambda f, c: -roots(f, c)), -roots(0, 10))


def test_draws_are_float64_and_cannot_be_changed(tmp_path):
    """The array may be the store's own: a caller that sorts it in place would spoil it for all."""
    for store in (NullStore(None), NullStore(tmp_path), NullStore(tmp_path)):
        draws = store.draws(KEY, 10, roots)
        assert draws.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            draws.sort()


def test_another_process_may_have_extended_the_sample(tmp_path):
    store, kernel = NullStore(tmp_path), Kernel()
    store.draws(KEY, 10, roots)
    NullStore(tmp_path).draws(KEY, 30, roots)

    np.testing.assert_array_equal(store.draws(KEY, 40, kernel), roots(0, 40))
    assert kernel.computed == list(range(30, 40))


def test_blocks_have_the_size_asked_for():
    kernel = Kernel()
    NullStore(None, block=30).draws(KEY, 100, kernel)

    assert kernel.calls == [(0, 30), (30, 30), (60, 30), (90, 10)]


def test_blocks_grow_until_they_take_about_ten_milliseconds(monkeypatch):
    """A draw takes 50 µs here: blocks of 16 and 64 are short, then about 200 draws make ten milliseconds."""
    clock = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    kernel = Kernel()

    def slow(first, count):
        clock[0] += 0.00005 * count
        return kernel(first, count)

    NullStore(None).draws(KEY, 1_000, slow)
    counts = [count for _, count in kernel.calls]
    assert counts[:2] == [16, 64]
    assert all(190 <= count <= 210 for count in counts[2:-1])
    assert len(counts) >= 6


def test_blocks_are_written_every_second_and_in_the_end(tmp_path, monkeypatch):
    """A draw takes 10 ms: each is a block after the first 16, and 100 take a second."""
    clock, on_disk, synced = [0.0], [], []
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(os, "fsync", synced.append)

    def timed(first, count):
        on_disk.append(sum((size - 32) // 8 for size in NullStore(tmp_path).sizes()))
        clock[0] += 0.01 * count
        return roots(first, count)

    NullStore(tmp_path).draws(KEY, 210, timed)
    assert sorted(set(on_disk)) == [0, 100, 200]
    assert NullStore(tmp_path).sizes() == [210 * 8 + 32]
    assert len(synced) == 2  # the last ten are not worth one


def test_very_slow_draws_come_one_at_a_time(monkeypatch):
    clock = iter(np.arange(0, 1e6, 500.0))
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    kernel = Kernel()
    NullStore(None).draws(KEY, 20, kernel)

    assert kernel.calls[1:] == [(first, 1) for first in range(16, 20)]


@pytest.mark.parametrize("on_disk", [True, False])
def test_an_interrupted_run_resumes_after_its_last_block(tmp_path, on_disk):
    store = NullStore(tmp_path if on_disk else None, block=10)
    with pytest.raises(KeyboardInterrupt):
        store.draws(KEY, 100, Kernel(dies_at=57))

    resumed, kernel = NullStore(tmp_path) if on_disk else store, Kernel()
    np.testing.assert_array_equal(resumed.draws(KEY, 100, kernel), roots(0, 100))
    assert kernel.computed == list(range(50, 100))


def test_sizes_and_clearing_go_through_the_store(tmp_path):
    store, kernel = NullStore(tmp_path), Kernel()
    for seed in range(3):
        store.draws(make_key(seed=seed), 10, roots)

    assert store.sizes() == [10 * 8 + 32] * 3
    assert store.clear() == 3
    assert store.sizes() == []
    store.draws(make_key(seed=0), 10, kernel)
    assert kernel.computed == list(range(10))


def test_the_cap_on_the_disk_is_the_store_s(tmp_path):
    store = NullStore(tmp_path, max_bytes=5_000)
    for seed in range(20):
        store.draws(make_key(seed=seed), 100, roots)

    assert 0 < sum(store.sizes()) <= 5_000


def test_default_store_lies_where_bychance_cache_says(tmp_path, monkeypatch):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path))
    store = default_store()
    store.draws(KEY, 10, roots)

    assert store is default_store()
    assert store.directory == tmp_path / "nulls"
    assert len(list((tmp_path / "nulls").glob("*/*.null"))) == 1


@pytest.mark.parametrize("value", ["off", "OFF", ""])
def test_default_store_can_be_kept_off_the_disk(monkeypatch, tmp_path, value):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BYCHANCE_CACHE", value)
    store = default_store()
    store.draws(make_key(measure=f"off {value}"), 10, roots)

    assert store.directory is None
    assert store.sizes() == []
    assert list(tmp_path.iterdir()) == []


def test_default_store_lies_in_the_user_s_cache_directory(monkeypatch, tmp_path):
    monkeypatch.delenv("BYCHANCE_CACHE", raising=False)
    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda name: str(tmp_path / name))

    assert default_store().directory == tmp_path / "bychance" / "nulls"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_process_does_not_inherit_a_lock(monkeypatch, tmp_path):
    monkeypatch.setenv("BYCHANCE_CACHE", str(tmp_path))
    store = default_store()
    with store._lock, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads
        child = os.fork()
        if child == 0:
            os._exit(
                0 if default_store() is not store and len(default_store().draws(KEY, 5, roots)) == 5 else 1
            )
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_relative_directory_stays_where_it_was_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = NullStore(Path("here"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    store.draws(KEY, 10, roots)

    assert len(list((tmp_path / "here").glob("*/*.null"))) == 1


def test_many_nulls_are_drawn_in_one_call_each_from_where_it_ends(tmp_path):
    """One of four nulls is whole and one begun: its rest and the two others take one call each."""
    store, calls = NullStore(tmp_path), []
    keys = [make_key(seed=seed) for seed in range(4)]
    store.draws(keys[1], 30, roots)
    store.draws(keys[2], 10, roots)

    def extend(numbers, first, count):
        calls.append((list(numbers), first, count))
        return np.tile(roots(first, count), (len(numbers), 1))

    np.testing.assert_array_equal(store.draws_many(keys, 20, extend), np.tile(roots(0, 20), (4, 1)))
    assert sorted(calls, key=lambda call: call[1]) == [([0, 3], 0, 20), ([2], 10, 10)]
    np.testing.assert_array_equal(store.draws_many(keys, 15, extend), np.tile(roots(0, 15), (4, 1)))
    assert len(calls) == 2


@pytest.mark.parametrize("seconds", [0.5, 1e-5])
def test_of_many_nulls_those_worth_a_file_are_written(tmp_path, monkeypatch, seconds):
    clock, keys = [0.0], [make_key(seed=seed) for seed in range(3)]
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])

    def extend(numbers, first, count):
        clock[0] += seconds
        return np.tile(roots(first, count), (len(numbers), 1))

    NullStore(tmp_path).draws_many(keys, 20, extend)
    assert NullStore(tmp_path).sizes() == ([20 * 8 + 32] * 3 if seconds == 0.5 else [])
    kernel = Kernel()
    np.testing.assert_array_equal(NullStore(tmp_path).draws(keys[1], 20, kernel), roots(0, 20))
    assert kernel.computed == ([] if seconds == 0.5 else list(range(20)))
