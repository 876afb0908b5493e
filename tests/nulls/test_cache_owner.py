"""The store reads nothing that other users wrote or may write, and never waits for a pipe."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import numpy as np
import pytest

import bychance as bc
from bychance.errors import BychanceWarning
from tests.engine.nulls import NullFiles, NullStore
from tests.nulls.cache_cases import Kernel, make_key, roots

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")

KEY = make_key()


@pytest.fixture
def cache(tmp_path):
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache"


def plant(cache, key=KEY, count=50):
    """Put a sample of ones in the place and under the name of the null's."""
    files = NullFiles(cache / "nulls", max_bytes=10**9)
    files.write(key.digest, np.ones(count), is_costly=False)
    return files.path(key.digest)


def ask(cache):
    """Ask a new store for three nulls, and return its warnings and its draws of the planted one."""
    store = NullStore(cache / "nulls")
    with pytest.warns(BychanceWarning, match="other users may write to .*reported once") as caught:
        draws = [store.draws(make_key(seed=seed), 10, roots) for seed in (KEY.seed, 1, 2)]
    return len(caught), draws[0]


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o775])
@pytest.mark.parametrize("where", ["shard", "nulls"])
def test_a_directory_that_others_may_write_is_not_used(cache, mode, where):
    planted = plant(cache)
    before = sorted(cache.rglob("*"))
    (planted.parent if where == "shard" else cache / "nulls").chmod(mode)
    store = NullStore(cache / "nulls")

    with pytest.warns(BychanceWarning, match="other users may write to .*reported once") as caught:
        np.testing.assert_array_equal(store.draws(KEY, 60, roots), roots(0, 60))
    assert len(caught) == 1
    assert sorted(cache.rglob("*")) == before


def test_a_directory_in_one_that_all_may_write_is_not_used(cache):
    """Others could move ours away and put their own in its place."""
    plant(cache)
    cache.chmod(0o777)

    n_warnings, draws = ask(cache)
    np.testing.assert_array_equal(draws, roots(0, 10))
    assert n_warnings == 1


def test_a_sticky_directory_keeps_ours_safe(cache):
    cache.chmod(0o1777)
    kernel = Kernel()
    NullStore(cache / "nulls").draws(KEY, 10, roots)
    NullStore(cache / "nulls").draws(KEY, 10, kernel)

    assert kernel.calls == []


@contextmanager
def owned_by_another(path):
    """Make the file another user's: root gives it away, others become someone else for a while."""
    with pytest.MonkeyPatch.context() as patch:
        if os.geteuid() == 0:
            os.chown(path, 12_345, -1)
        else:
            owner, status = os.geteuid(), os.fstat
            changed = {path.stat().st_ino}
            patch.setattr(
                os,
                "fstat",
                lambda fd: _given_away(status(fd), owner + 1) if status(fd).st_ino in changed else status(fd),
            )
        yield


def _given_away(status, owner):
    return os.stat_result([*status[:4], owner, *status[5:]])


def test_a_file_of_another_user_is_not_read_and_is_replaced(cache):
    planted = plant(cache)
    with owned_by_another(planted):
        n_warnings, draws = ask(cache)
    np.testing.assert_array_equal(draws, roots(0, 10))
    assert n_warnings == 1

    kernel = Kernel()
    np.testing.assert_array_equal(NullStore(cache / "nulls").draws(KEY, 10, kernel), roots(0, 10))
    assert kernel.calls == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_directory_of_another_user_is_not_used(cache):
    plant(cache)
    os.chown(cache / "nulls", 12_345, -1)

    np.testing.assert_array_equal(ask(cache)[1], roots(0, 10))


def test_a_file_that_others_may_write_is_not_read(cache):
    plant(cache).chmod(0o666)

    np.testing.assert_array_equal(ask(cache)[1], roots(0, 10))


def test_what_the_store_makes_is_private_whatever_the_umask(cache):
    before = os.umask(0)
    try:
        NullStore(cache / "new" / "nulls").draws(KEY, 10, roots)
    finally:
        os.umask(before)
    made = [cache / "new", *(cache / "new").rglob("*")]

    assert len(made) == 4
    assert all(path.stat().st_mode & 0o077 == 0 for path in made)


@pytest.fixture
def impatient():
    """End a test that waits for ever."""

    def give_up(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("impatient")
def test_a_pipe_in_the_place_of_a_file_is_damage_and_replaced(cache):
    planted = plant(cache)
    planted.unlink()
    os.mkfifo(planted, 0o600)
    store = NullStore(cache / "nulls")
    with pytest.warns(BychanceWarning, match="not a regular file.*computed anew") as caught:
        np.testing.assert_array_equal(store.draws(KEY, 10, roots), roots(0, 10))

    assert len(caught) == 1
    assert NullStore(cache / "nulls").sizes() == [10 * 8 + 32]


def test_a_directory_in_the_place_of_a_file_costs_warnings_and_no_result(cache):
    planted = plant(cache)
    planted.unlink()
    planted.mkdir()
    with pytest.warns(BychanceWarning):
        np.testing.assert_array_equal(NullStore(cache / "nulls").draws(KEY, 10, roots), roots(0, 10))


def test_a_planted_null_does_not_move_a_p_value(cache, monkeypatch, rng):
    x, y = rng.normal(size=(2, 40))
    asked = {"measure": "mic", "x": x, "y": y, "null": bc.Permutation(199)}
    expected = bc.adjust(**asked).p_value
    monkeypatch.setenv("BYCHANCE_CACHE", str(cache))
    bc.adjust(**asked)
    (file,) = (cache / "nulls").glob("*/*.null")
    digest = file.stem
    file.unlink()
    key = type("Planted", (), {**vars(KEY), "digest": digest})
    assert plant(cache, key, 199) == file
    cache.chmod(0o777)
    monkeypatch.setenv("BYCHANCE_CACHE", f"{cache}/../cache")  # a store that remembers nothing

    with pytest.warns(BychanceWarning, match="other users may write"):
        assert bc.adjust(**asked).p_value == expected
