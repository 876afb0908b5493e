"""The store when things go wrong: killed runs, damaged files, bad disks, many writers at once."""

from __future__ import annotations

import errno
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from bychance.errors import BychanceWarning
from tests.engine.nulls import NullStore
from tests.nulls.cache_cases import Kernel, make_key, roots

KEY = make_key()

PRELUDE = """
import sys, time
from pathlib import Path
import numpy as np
from tests.engine.nulls import NullKey, NullStore
key = NullKey(measure="mic", settings=(("exponent", "0.6"),), n=60, seed=7, kernel_version=1)
directory = Path(sys.argv[1])
def roots(first, count):
    return np.sqrt(np.arange(first, first + count, dtype=np.float64))
"""


def start(script: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", PRELUDE + textwrap.dedent(script), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return output


def test_kill_9_loses_at_most_the_block_in_flight(tmp_path):
    process = start(
        """
        def stuck(first, count):
            if first == 50:
                print("in flight", flush=True)
                time.sleep(60)
            return roots(first, count)
        NullStore(directory, block=10).draws(key, 100, stuck)
        """,
        tmp_path,
    )
    assert process.stdout.readline() == "in flight\n"
    process.kill()
    process.communicate()

    kernel = Kernel()
    np.testing.assert_array_equal(NullStore(tmp_path).draws(KEY, 100, kernel), roots(0, 100))
    assert kernel.computed == list(range(50, 100))


def test_kill_9_while_writing_leaves_a_whole_sample(tmp_path):
    """Killed at an arbitrary moment of a run that does nothing but write: what was reported done is there."""
    for _ in range(3):
        process = start(
            """
            def told(first, count):
                print(first, flush=True)
                return roots(first, count)
            NullStore(directory, block=1).draws(key, 10**6, told)
            """,
            tmp_path,
        )
        lines = [process.stdout.readline() for _ in range(100)]
        process.kill()
        rest, _ = process.communicate()
        n_started = int(lines[-1]) if not rest else int((lines[-1] + rest).split()[-2])

        kernel = Kernel()
        NullStore(tmp_path).draws(KEY, n_started, kernel)
        assert kernel.calls == []


def test_two_processes_writing_one_key_never_corrupt_it(tmp_path):
    script = """
        gate = directory / "gate"
        print("ready", flush=True)
        while not gate.exists():
            pass
        for size in range(0, 600, 20):
            draws = NullStore(directory, block=int(sys.argv[2])).draws(key, size, roots)
            assert (draws == roots(0, size)).all()
    """
    processes = [start(script, tmp_path, block) for block in (3, 7)]
    for process in processes:
        process.stdout.readline()
    (tmp_path / "gate").touch()

    while any(process.poll() is None for process in processes):
        np.testing.assert_array_equal(NullStore(tmp_path).draws(KEY, 5, roots), roots(0, 5))
    for process in processes:
        finish(process)
    kernel = Kernel()
    NullStore(tmp_path).draws(KEY, 580, kernel)
    assert kernel.calls == []
    assert list(tmp_path.glob("*/.*")) == []


def damaged(directory: Path, *keys) -> None:
    for key in keys:
        NullStore(directory).draws(key, 10, roots)
        path = directory / key.digest[:2] / f"{key.digest}.null"
        path.write_bytes(path.read_bytes()[:-5])


def test_damage_is_reported_once_and_computed_anew(tmp_path):
    keys = [make_key(seed=seed) for seed in range(3)]
    damaged(tmp_path, *keys)

    store, kernel = NullStore(tmp_path), Kernel()
    with pytest.warns(BychanceWarning, match=f"damaged.*{keys[0].digest}") as caught:
        answers = [store.draws(key, 10, kernel) for key in keys]

    np.testing.assert_array_equal(answers, [roots(0, 10)] * 3)
    assert len(caught) == 1
    assert kernel.computed == 3 * list(range(10))


def test_damage_among_many_nulls_is_reported_once_and_written_anew(tmp_path):
    keys = [make_key(seed=seed) for seed in range(3)]
    damaged(tmp_path, *keys[:2])

    def extend(numbers, first, count):
        time.sleep(0.01)
        return np.tile(roots(first, count), (len(numbers), 1))

    with pytest.warns(BychanceWarning, match="damaged") as caught:
        draws = NullStore(tmp_path).draws_many(keys, 10, extend)
    assert len(caught) == 1
    np.testing.assert_array_equal(draws, np.tile(roots(0, 10), (3, 1)))
    kernel = Kernel()
    for key in keys:
        np.testing.assert_array_equal(NullStore(tmp_path).draws(key, 10, kernel), roots(0, 10))
    assert kernel.calls == []


def test_a_damaged_file_is_mended_even_by_a_shorter_sample(tmp_path):
    damaged(tmp_path, KEY)
    with pytest.warns(BychanceWarning, match="damaged"):
        NullStore(tmp_path).draws(KEY, 4, roots)

    kernel = Kernel()
    NullStore(tmp_path).draws(KEY, 4, kernel)
    assert kernel.calls == []


def refuse(code: int):
    def refused(*_, **__):
        raise OSError(code, os.strerror(code))

    return refused


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_disk_that_takes_no_files_costs_one_warning_and_no_result(tmp_path, monkeypatch, code):
    store, kernel = NullStore(tmp_path, block=10), Kernel()
    asked = [(make_key(seed=seed), size) for seed in range(3) for size in (40, 20, 60)]
    monkeypatch.setattr(os, "replace", refuse(code))

    with pytest.warns(BychanceWarning, match=os.strerror(code)) as caught:
        answers = [store.draws(key, size, kernel) for key, size in asked]

    for (_, size), draws in zip(asked, answers, strict=True):
        np.testing.assert_array_equal(draws, roots(0, size))
    assert len(caught) == 1
    assert kernel.computed == 3 * list(range(60))
    assert list(tmp_path.glob("*/*")) == []


def test_a_disk_that_has_room_again_is_used_again(tmp_path, monkeypatch):
    store, kernel = NullStore(tmp_path), Kernel()
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refuse(errno.ENOSPC))
        with pytest.warns(BychanceWarning, match="memory only"):
            store.draws(KEY, 10, roots)

    store.draws(KEY, 20, roots)
    NullStore(tmp_path).draws(KEY, 20, kernel)
    assert kernel.calls == []


def test_a_file_size_limit_of_the_system_costs_one_warning(tmp_path):
    """A real write that fails half way: a process that may write files of 4 kB only."""
    pytest.importorskip("resource")
    process = start(
        """
        import resource, warnings
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            draws = NullStore(directory, block=300).draws(key, 1_000, roots)
        assert (draws == roots(0, 1_000)).all()
        print([w.category.__name__ for w in caught])
        """,
        tmp_path,
    )
    assert finish(process) == "['BychanceWarning']\n"

    kernel = Kernel()
    NullStore(tmp_path).draws(KEY, 1_000, kernel)
    assert kernel.computed == list(range(300, 1_000))
    assert list(tmp_path.glob("*/.*")) == []


def test_a_directory_that_can_only_be_read_still_answers(tmp_path, monkeypatch):
    NullStore(tmp_path).draws(KEY, 10, roots)
    for name in ("replace", "utime", "mkdir", "unlink"):
        monkeypatch.setattr(os, name, refuse(errno.EROFS))

    kernel = Kernel()
    np.testing.assert_array_equal(NullStore(tmp_path).draws(KEY, 10, kernel), roots(0, 10))
    assert kernel.calls == []


def test_a_file_in_the_place_of_the_directory_costs_one_warning(tmp_path):
    (tmp_path / "taken").touch()
    store = NullStore(tmp_path / "taken")

    with pytest.warns(BychanceWarning) as caught:
        answers = [store.draws(make_key(seed=seed), 10, roots) for seed in range(3)]
    np.testing.assert_array_equal(answers, [roots(0, 10)] * 3)
    assert len(caught) == 1
    assert (store.sizes(), store.clear()) == ([], 0)


def test_threads_that_ask_for_one_null_compute_it_once(tmp_path):
    kernel, store, gate = Kernel(), NullStore(tmp_path, block=5), threading.Barrier(8)

    def ask(size):
        gate.wait()
        return store.draws(KEY, size, kernel)

    asked = [50, 10, 100, 70, 30, 100, 90, 20]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, asked))

    for size, draws in zip(asked, answers, strict=True):
        np.testing.assert_array_equal(draws, roots(0, size))
    assert kernel.computed == list(range(100))


def test_threads_compute_different_nulls_at_the_same_time():
    """Both must be inside the kernel together, or the barrier breaks."""
    store, both_inside = NullStore(None), threading.Barrier(2, timeout=30)

    def meet(first, count):
        both_inside.wait()
        return roots(first, count)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda seed: store.draws(make_key(seed=seed), 10, meet), range(2)))
    for draws in answers:
        np.testing.assert_array_equal(draws, roots(0, 10))


def test_threads_with_many_keys_and_little_room_agree(tmp_path):
    store = NullStore(tmp_path, max_bytes=10_000, max_memory_bytes=1_000, block=20)

    def ask(step):
        size = 10 + 7 * step % 90
        return size, store.draws(make_key(seed=step % 13), size, roots)

    with ThreadPoolExecutor(4) as pool:
        for size, draws in pool.map(ask, range(300)):
            np.testing.assert_array_equal(draws, roots(0, size))
    assert sum(draws.nbytes for draws in store._memory.values()) == store._n_memory_bytes <= 1_000
    # Coverage tools look at the frames of all threads, and what they saw waits for the collector.
    gc.collect()
    assert len(store._at_work) == 0


def test_a_kernel_that_raises_does_not_block_the_next_request(tmp_path):
    store = NullStore(tmp_path)

    def broken(first, count):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.draws(KEY, 10, broken)
    np.testing.assert_array_equal(store.draws(KEY, 10, roots), roots(0, 10))
