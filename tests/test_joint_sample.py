"""Samples that threads draw together: every draw once, in its place, whoever drew it and whoever failed."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.engine.nulls import JointSample, NullStore
from tests.nulls.cache_cases import make_key, roots

KEY = make_key()


def test_blocks_that_end_out_of_order_are_whole_from_the_first_draw_on():
    sample = JointSample(roots(0, 3), 9, block=2)
    blocks = [sample.take() for _ in range(3)]
    for first, count in reversed(blocks[1:]):
        sample.put(first, roots(first, count), seconds=0.0)
    assert sample.n_whole == 3

    sample.put(3, roots(3, 2), seconds=0.0)
    np.testing.assert_array_equal(sample.whole, roots(0, 9))
    assert sample.take() is None


def test_a_block_that_is_given_back_is_taken_by_another():
    sample = JointSample(np.empty(0), 4, block=2)
    first = sample.take()
    sample.take()
    assert sample.take() is None

    sample.give_back(*first)
    assert sample.take() == first


def test_threads_share_the_blocks_of_one_null():
    """Two threads ask for one null: neither gets its draws before the other has drawn a block too."""
    store, both, drawers = NullStore(None, block=5), threading.Barrier(2, timeout=30), set()

    def draw(first, count):
        if threading.get_ident() not in drawers:
            drawers.add(threading.get_ident())
            both.wait()
        return roots(first, count)

    with ThreadPoolExecutor(2) as pool:
        for draws in pool.map(lambda _: store.draws(KEY, 40, draw), range(2)):
            np.testing.assert_array_equal(draws, roots(0, 40))
    assert len(drawers) == 2


def test_a_thread_that_fails_leaves_its_block_to_the_others():
    store, both, n_drawn = NullStore(None, block=5), threading.Barrier(2, timeout=30), []

    def ask(is_bad):
        def draw(first, count):
            if not n_drawn or is_bad:
                both.wait()
            n_drawn.append(count)
            if is_bad:
                raise KeyboardInterrupt
            return roots(first, count)

        return store.draws(KEY, 40, draw)

    with ThreadPoolExecutor(2) as pool:
        good, bad = pool.submit(ask, False), pool.submit(ask, True)
        np.testing.assert_array_equal(good.result(timeout=30), roots(0, 40))
        with pytest.raises(KeyboardInterrupt):
            bad.result(timeout=30)


def test_a_thread_that_wants_few_draws_does_not_wait_for_many():
    store, ten_are_there, few_are_taken = NullStore(None, block=5), threading.Event(), threading.Event()

    def draw(first, count):
        if first >= 10:
            ten_are_there.set()
            assert few_are_taken.wait(timeout=30)
        return roots(first, count)

    with ThreadPoolExecutor(1) as pool:
        many = pool.submit(store.draws, KEY, 40, draw)
        assert ten_are_there.wait(timeout=30)
        np.testing.assert_array_equal(store.draws(KEY, 10, lambda *_: pytest.fail("drawn")), roots(0, 10))
        few_are_taken.set()
        np.testing.assert_array_equal(many.result(timeout=30), roots(0, 40))
